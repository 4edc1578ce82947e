"""``ttkernel-hoist-inits``: inits and changes of format that change nothing go, those that only repeat leave loops.

Expects: kernels with the init of every function right before it. Guarantees: a function still finds what its init sets,
on every path; no init is called where the unit is set that way already; one that is the only one of its unit in a loop
is before the loop.

What each unit was set to last is followed through loops and branches: behind a loop that certainly runs it is what the
last turn leaves, and one that runs once at most never begins a second turn. The math and vector units, the formats of the
sources and that of the packer are set on their own; setting up the math unit for another function leaves the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.dialects.ttkernel import CallOp, CBType, GetCBOp, KernelOp
from ttl.ir.failure import turns
from ttl.ir.walking import is_available
from ttl.passes.building import detach, erase
from ttl.passes.canonical.turns import runs_again, runs_at_least_once

# What a unit was last set to: a function with its constants and the formats of its buffers.
_Setting = tuple[object, ...]
# What is known at a point; a unit that is missing may be set to anything.
_State = Mapping[str, _Setting]
# Whether a loop may begin another turn after one.
_RunsAgain = Callable[[Operation], bool]
_LOOPS = (scf.ForOp, scf.WhileOp)
# There are a handful of units, and no more calls than operations.
_MOST_TURNS = 100_000


@dataclass(frozen=True)
class HoistInits(ModulePass):
    """Drop inits and changes of format that change nothing, and move them out of loops."""

    name = "ttkernel-hoist-inits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.walk():
            if isinstance(kernel, KernelOp) and kernel.thread == "tensix":
                # What is left of a loop's calls when others are gone may be the only one of its unit.
                for _ in turns("hoisting", _MOST_TURNS):
                    if not _hoist(kernel) + _drop(kernel, _may_go_on):
                        break
                # Last, for what is moved before a loop has to hold for what comes before it in a turn.
                _drop(kernel, runs_again)


def _setting(op: Operation) -> tuple[str, _Setting] | None:
    """The unit that a call sets, and to what."""
    if not isinstance(op, CallOp) or op.call.configures is None:
        return None
    unit = op.call.configures
    if op.call.name.endswith("_uninit"):
        return unit, ("uninit", op)
    if unit == "source":
        return unit, _sources(op)
    constants = tuple(sorted((name, str(value)) for name, value in op.constants.items()))
    buffers = tuple(map(_format if unit == "pack" else _buffer, op.operands))
    return unit, (op.call.name, constants, buffers)


def _format(value: SSAValue) -> object:
    """What the packer has to know of a buffer."""
    return value.type.element_type if isinstance(value.type, CBType) else value


def _buffer(value: SSAValue) -> object:
    """Buffers count as equal where a unit is set up the same for both: they have the same format.

    A buffer that is unpacked straight to the registers is read in another way than one of the same format that is not.
    """
    if not isinstance(value.type, CBType) or not isinstance(value.owner, GetCBOp):
        return value
    kernel = value.owner.parent_op()
    directly = kernel.config.get("unpack_to_dest_fp32", []) if isinstance(kernel, KernelOp) else []
    return value.type.element_type, value.owner.declared_name in directly


def _sources(op: CallOp) -> _Setting:
    formats = [_buffer(each) for each in op.operands]
    match op.call.name:
        case "reconfig_data_format_srca":
            return (formats[0], None)
        case "reconfig_data_format_srcb":
            return (None, formats[0])
    return tuple(formats)


class _Known:
    """What each unit is set to."""

    def __init__(self, state: _State) -> None:
        self.state = dict(state)

    def changes(self, op: Operation) -> bool:
        """Whether a call sets its unit to something else than it is."""
        found = _setting(op)
        assert found is not None
        unit, setting = found
        if unit == "source":
            before = self.state.get("source", (None, None))
            return any(new is not None and new != old for new, old in zip(setting, before, strict=True))
        return self.state.get(unit) != setting

    def set(self, op: Operation) -> None:
        """Take notice of a call."""
        found = _setting(op)
        if found is None:
            return
        unit, setting = found
        if unit == "startup":
            assert isinstance(op, CallOp)
            sources = [_buffer(each) for each in op.operands]
            swapped = op.call.name == "matmul_hw_startup"
            self.state = {
                "source": (sources[1], sources[0]) if swapped else (sources[0], sources[1]),
                "pack": ("pack_reconfig_data_format", (), (_format(op.operands[2]),)),
            }
        elif unit == "source":
            before = self.state.get("source", (None, None))
            self.state["source"] = tuple(
                old if new is None else new for new, old in zip(setting, before, strict=True)
            )
        else:
            self.state[unit] = setting


def _common(states: list[_State]) -> dict[str, _Setting]:
    """What holds on every path."""
    first, *rest = states
    kept = {unit: setting for unit, setting in first.items() if unit != "source"}
    found = {
        unit: setting for unit, setting in kept.items() if all(each.get(unit) == setting for each in rest)
    }
    sources = [each.get("source", (None, None)) for each in states]
    found["source"] = tuple(
        one[0] if all(each == one[0] for each in one) else None for one in zip(*sources, strict=True)
    )
    return found


def _may_go_on(loop: Operation) -> bool:
    return True


def _drop(kernel: KernelOp, runs_again: _RunsAgain) -> int:
    """Erase the calls that change nothing; how many."""
    useless: list[Operation] = []
    _walk(kernel.body.block, {}, useless, runs_again)
    for op in useless:
        erase(op)
    return len(useless)


def _walk(block: Block, state: _State, useless: list[Operation] | None, runs_again: _RunsAgain) -> _State:
    known = _Known(state)
    for op in block.ops:
        if isinstance(op, _LOOPS):
            known.state = dict(_loop(op, known.state, useless, runs_again))
        elif op.regions:
            branches = [
                _walk(region.block, known.state, useless, runs_again) if region.blocks else known.state
                for region in op.regions
            ]
            known.state = _common(branches)
        elif _setting(op) is not None:
            if useless is not None and not known.changes(op) and not _is_pulse(op):
                useless.append(op)
            known.set(op)
    return known.state


def _loop(op: Operation, state: _State, useless: list[Operation] | None, runs_again: _RunsAgain) -> _State:
    """A loop begins with what holds before it and after every turn; what holds behind it."""
    if runs_again(op):
        state = _start_of_turns(op, state, runs_again)
    ends: list[_State] = []
    for region in op.regions:
        ends.append(_walk(region.block, ends[-1] if ends else state, useless, runs_again))
    if isinstance(op, scf.WhileOp):
        return ends[0]  # it ends behind its condition
    return ends[0] if runs_at_least_once(op) else _common([state, ends[0]])


def _start_of_turns(op: Operation, state: _State, runs_again: _RunsAgain) -> _State:
    """What holds at the start of every turn."""
    # Each turn but the last takes something away from what holds.
    for _ in turns("following the settings of a loop", _MOST_TURNS):
        after = state
        for region in op.regions:
            after = _walk(region.block, after, None, runs_again)
        joined = _common([state, after])
        if joined == _common([state, state]):
            break
        state = joined
    return state


def _is_pulse(op: Operation) -> bool:
    """Whether a call does something beside leaving a setting behind."""
    return isinstance(op, CallOp) and op.call.name.endswith("_uninit")


def _hoist(kernel: KernelOp) -> int:
    """Move calls that are the only ones of their unit in a loop before it, inner loops first; how many."""
    count = 0
    for loop in [op for op in kernel.walk(region_first=True) if isinstance(op, scf.ForOp)]:
        settings: dict[str, list[Operation]] = {}
        for op in loop.walk():
            found = _setting(op)
            if found is not None:
                settings.setdefault(found[0], []).append(op)
        for unit, ops in settings.items():
            keys = {_setting(op) for op in ops}
            first = ops[0]
            if len(keys) != 1 or unit == "startup" or _is_pulse(first):
                continue
            if all(is_available(operand, loop) for operand in first.operands) and first.parent is not None:
                detach(first)
                assert loop.parent is not None
                loop.parent.insert_op_before(first, loop)
                count += 1
    return count
