"""``ttkernel-late-waits``: compute kernels wait for a block where they first need it.

A program acquires blocks at the head of a ``with``, and computes from one of them after the other. Until what is read last has
come, or the block that is written last is free, the kernel can do what comes before.

Expects: kernels whose inits were hoisted. Guarantees: between a ``cb_wait_front`` (or ``cb_reserve_back``) and the section
that first uses its buffer there is no other section; where the first use is in a loop that does not give the block back, after as
much work that a wait in every turn does not matter, the wait is in the loop. Nothing that was waited for before a call is
waited for after it. A kernel that waits later has given back, and handed over, at least as much when it waits: no deadlock
comes of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import inside
from ttl.dialects.ttkernel import CallOp, KernelOp
from ttl.passes.building import detach

_WAIT, _RESERVE = "cb_wait_front", "cb_reserve_back"
_MOVES = frozenset({_WAIT, _RESERVE, "cb_push_back", "cb_pop_front"})
# Tile functions of a turn before the first use of a block, from which on a wait in every turn costs little beside them.
_ENOUGH = 16


@dataclass(frozen=True)
class LateWaits(ModulePass):
    """Compute kernels wait for a block where they first need it."""

    name = "ttkernel-late-waits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.walk():
            if isinstance(kernel, KernelOp) and kernel.thread == "tensix":
                for item in inside(kernel):
                    if isinstance(item, CallOp) and item.call.name in (_WAIT, _RESERVE):
                        _move(item)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a buffer is first used: in front of which operation to wait, and the work before that, which could be done first."""

    before: Operation
    work: int
    loop: scf.ForOp | None = None


def _move(wait: CallOp) -> None:
    place = _first_use(wait.next_op, wait.operands[0], may_enter=wait.call.name == _WAIT)
    if place is None or place.work == 0:
        return
    if place.loop is not None and not _turns(place.loop):
        # The loop may not run; what comes behind it counts on the wait.
        after = _first_use(place.loop.next_op, wait.operands[0], may_enter=False)
        if after is not None:
            again = wait.clone()
            again.location = wait.location
            _put_before(again, after.before)
    detach(wait)
    _put_before(wait, place.before)


def _put_before(op: Operation, place: Operation) -> None:
    assert place.parent is not None
    place.parent.insert_op_before(op, place)


def _first_use(first: Operation | None, buffer: SSAValue, *, may_enter: bool) -> _Place | None:
    """The first use of a buffer from an operation on, in its block."""
    section: Operation | None = None
    work = done = 0
    op = first
    while op is not None:
        if _uses(op, buffer):
            within = _within(op, buffer) if may_enter and section is None else None
            return within or _Place(section or op, done)
        match _called(op):
            case "tile_regs_acquire":
                section, work = op, 0
            case "tile_regs_release":
                section, done = None, done + work
            case _:
                # A loop or a branch with whole sections is work done; otherwise it is a part of this one.
                (work, done) = (work, done + _work(op)) if section is None else (work + _work(op), done)
        op = op.next_op
    return None


def _within(loop: Operation, buffer: SSAValue) -> _Place | None:
    """The first use in a loop, if the wait can be there: nothing moves the buffer on, and there is enough to do before."""
    if not isinstance(loop, scf.ForOp) or any(
        _called(op) in _MOVES and buffer in op.operands for op in inside(loop)
    ):
        return None
    place = _first_use(loop.body.block.first_op, buffer, may_enter=False)
    if place is None or place.work < _ENOUGH:
        return None
    return _Place(place.before, place.work, loop)


def _uses(op: Operation, buffer: SSAValue) -> bool:
    """Whether an operation, or one inside it, needs what is in a buffer, or its room; an init only needs the format."""
    return any(
        buffer in item.operands and not (isinstance(item, CallOp) and item.call.configures is not None)
        for item in (op, *inside(op))
    )


def _work(op: Operation) -> int:
    """Tile functions that an operation calls."""
    if isinstance(op, CallOp):
        return int(op.call.thread == "tensix" and op.call.configures is None)
    total = sum(_work(item) for region in op.regions for block in region.blocks for item in block.ops)
    return total * (_turns(op) or 1) if isinstance(op, scf.ForOp) else total


def _turns(loop: scf.ForOp) -> int:
    """How often a loop turns; 0 where that is not known."""
    first, stop, step = map(integer_of, (loop.lb, loop.ub, loop.step))
    if first is None or stop is None or step is None:
        return 0
    return len(range(first, stop, step))


def _called(op: Operation) -> str:
    return op.call.name if isinstance(op, CallOp) else ""
