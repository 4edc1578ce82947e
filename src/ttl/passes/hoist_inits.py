"""``ttkernel-hoist-inits``: drop inits and changes of format without effect, and move those that repeat out of loops.

Expects: kernels with the init of every function right before it. Guarantees: on every path, a function still finds the
settings of its init; no init is called where the unit is set that way already; an init that is the only one of its unit
in a loop is before the loop.

The last setting of each unit is followed through loops and branches: behind a loop that certainly runs, it is the
setting that the last iteration leaves, and a loop that runs once at most never begins a second iteration. The math and
vector units, the formats of the sources and that of the packer are set separately; setting up the math unit for another
function does not change the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import is_available, outermost, walked
from ttl.analysis.fixed_point import ForwardAnalysis, iterations
from ttl.analysis.loops import runs_at_least_once
from ttl.dialects.ttkernel import CBType, GetCBOp, KernelCallOp, KernelOp, class_of
from ttl.passes.building import detach, erase
from ttl.passes.contracts import Contract, PassFact

_PRODUCTS = class_of("matmul_hw_startup")
_FIRST_SOURCE, _SECOND_SOURCE = class_of("reconfig_data_format_srca"), class_of("reconfig_data_format_srcb")
# The last setting of a unit: a function with its constants and the formats of its buffers.
_Setting = tuple[object, ...]
# The known settings at a point; a unit that is missing may be set to anything.
_State = Mapping[str, _Setting]


@dataclass(frozen=True)
class HoistInits(ModulePass):
    """Drop inits and changes of format that change nothing, and move them out of loops."""

    name = "ttkernel-hoist-inits"
    contract: ClassVar = Contract(
        needs=(PassFact.KERNELS,), gives=(PassFact.HOISTED,), before=(PassFact.LATE,), again=True
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in outermost(op, KernelOp):
            if kernel.thread == "tensix":
                # When other calls of a loop are gone, one that is left may be the only one of its unit.
                for _ in iterations("hoisting"):
                    if not _hoist(kernel) + _drop(kernel, is_exact=False):
                        break
                # This comes last: a call that moves before a loop also has to be right for calls that precede it in an
                # iteration.
                _drop(kernel, is_exact=True)


def _setting(op: Operation) -> tuple[str, _Setting] | None:
    """The unit that a call sets, and its new setting; None for other operations."""
    if not isinstance(op, KernelCallOp) or op.call.configures is None:
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
    """Return the element type of a circular buffer, which the packer is set up for."""
    return value.type.element_type if isinstance(value.type, CBType) else value


def _buffer(value: SSAValue) -> object:
    """Buffers count as equal where a unit is set up the same for both: they have the same format.

    Buffers of one format differ if only one of them is unpacked straight to the registers.
    """
    if not isinstance(value.type, CBType) or not isinstance(value.owner, GetCBOp):
        return value
    kernel = value.owner.parent_op()
    directly = kernel.config.get("unpack_to_dest_fp32", []) if isinstance(kernel, KernelOp) else []
    return value.type.element_type, value.owner.declared_name in directly


def _sources(op: KernelCallOp) -> _Setting:
    formats = [_buffer(operand) for operand in op.operands]
    if isinstance(op, _FIRST_SOURCE):
        return (formats[0], None)
    if isinstance(op, _SECOND_SOURCE):
        return (None, formats[0])
    return tuple(formats)


def _changes(op: Operation, state: _State) -> bool:
    """Whether a call changes the setting of its unit."""
    result = _setting(op)
    assert result is not None
    unit, setting = result
    if unit == "source":
        before = state.get("source", (None, None))
        return any(new is not None and new != old for new, old in zip(setting, before, strict=True))
    return state.get(unit) != setting


class _Settings(ForwardAnalysis[_State]):
    """The last setting of each unit.

    ``is_exact`` means that a loop with at most one iteration is known not to have a second one.
    """

    def __init__(self, *, is_exact: bool) -> None:
        super().__init__()
        self._is_exact = is_exact

    def may_repeat(self, loop: Operation) -> bool:
        return not self._is_exact or _runs_again(loop)

    def may_skip(self, op: Operation) -> bool:
        return isinstance(op, scf.ForOp) and not runs_at_least_once(op)

    def transfer(self, op: Operation, state: _State) -> _State:
        result = _setting(op)
        if result is None:
            return state
        unit, setting = result
        if unit == "startup":
            assert isinstance(op, KernelCallOp)
            first, second, *_ = map(_buffer, op.operands)
            return {
                "source": (second, first) if isinstance(op, _PRODUCTS) else (first, second),
                "pack": ("pack_reconfig_data_format", (), (_format(op.operands[2]),)),
            }
        if unit == "source":
            before = state.get("source", (None, None))
            setting = tuple(old if new is None else new for new, old in zip(setting, before, strict=True))
        return {**state, unit: setting}

    def join(self, states: Sequence[_State]) -> _State:
        """Return the settings that hold on every path."""
        first, *others = states
        common = {
            unit: setting
            for unit, setting in first.items()
            if unit != "source" and all(other.get(unit) == setting for other in others)
        }
        sources = [state.get("source", (None, None)) for state in states]
        common["source"] = tuple(
            formats[0] if formats.count(formats[0]) == len(formats) else None
            for formats in zip(*sources, strict=True)
        )
        return common


def _drop(kernel: KernelOp, *, is_exact: bool) -> int:
    """Erase the calls that change nothing, and return their number."""
    settings = _Settings(is_exact=is_exact)
    settings.block(kernel.body.block, {})
    useless = [
        op
        for op, state in settings.before.items()
        if _setting(op) is not None and not _changes(op, state) and not _is_pulse(op)
    ]
    for op in useless:
        erase(op)
    return len(useless)


def _runs_again(loop: Operation) -> bool:
    """Whether a loop may have a second iteration.

    It has no second one if it does not begin below 0 and its end is at most its step, as where a node takes its share
    of work for no more nodes than there are.
    """
    if not isinstance(loop, scf.ForOp):
        return True
    stop, step = integer_of(loop.ub), integer_of(loop.step)
    return stop is None or step is None or stop > step or not _is_natural(loop.lb)


def _is_natural(value: SSAValue) -> bool:
    """Whether a number is certainly not negative."""
    number = integer_of(value)
    if number is not None:
        return number >= 0
    match value.owner:
        case KernelCallOp() as op:
            return op.call.name.startswith("get_absolute_logical")
        case arith.AddiOp() | arith.MuliOp() as op:
            return all(map(_is_natural, op.operands))
    return False


def _is_pulse(op: Operation) -> bool:
    """Whether a call does more than to change a setting."""
    return isinstance(op, KernelCallOp) and op.call.name.endswith("_uninit")


def _hoist(kernel: KernelOp) -> int:
    """Move one call of each unit that has the same setting everywhere in a loop before it; return the number of moves.

    Inner loops come first.
    """
    count = 0
    for loop in [op for op in kernel.walk(region_first=True) if isinstance(op, scf.ForOp)]:
        settings: dict[str, list[Operation]] = {}
        for op in walked(loop):
            result = _setting(op)
            if result is not None:
                settings.setdefault(result[0], []).append(op)
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
