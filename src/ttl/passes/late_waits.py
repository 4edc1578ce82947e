"""``ttkernel-late-waits``: compute kernels wait for a block where they first need it.

A program acquires blocks at the head of a ``with``, and computes from one of them after the other. Until what is read last has
come, or the block that is written last is free, the kernel can do what comes before.

Expects: kernels whose inits were hoisted. Guarantees: between a ``cb_wait_front`` (or ``cb_reserve_back``) and the section
that first uses its buffer there is no other section; where the first use is in a loop that does not give the block back, after as
much work that a wait in every turn does not matter, the wait is in the loop. A block that arrives in parts is waited for in
each turn of the loop that first reads it in order, as far as the turn reads. Nothing that was waited for before a call is
waited for after it. A kernel that waits later has given back, and handed over, at least as much when it waits: no deadlock
comes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import inside
from ttl.dialects.ttkernel import CallOp, KernelOp
from ttl.passes.building import Building, detach
from ttl.passes.marks import PARTS

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
                    if not isinstance(item, CallOp) or item.call.name not in (_WAIT, _RESERVE):
                        continue
                    if PARTS not in item.attributes or not _divide(item):
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


def _divide(wait: CallOp) -> bool:
    """Wait for the pages of a block that arrives in parts in each turn of the loop that first reads it, where that is in order.

    Returns whether it is: every turn reads tiles up to the ``step``-th of its own.
    """
    buffer, pages = wait.operands[0], integer_of(wait.operands[1])
    loop = next((op for op in _behind(wait) if _uses(op, buffer)), None)
    if not isinstance(loop, scf.ForOp):
        return False
    start, stop, step = map(integer_of, (loop.lb, loop.ub, loop.step))
    if start != 0 or step is None or stop is None or stop != pages or stop % step:
        return False
    users = [op for op in inside(loop) if buffer in op.operands]
    if not all(_reads_up_to(op, loop.body.block.args[0], step) for op in users):
        return False
    body = Building(loop.body.block.first_op, place=wait)
    count = body.value(body.sum(loop.body.block.args[0], step))
    body.call(_WAIT, buffer, count)
    detach(wait)
    return True


def _behind(op: Operation) -> Iterator[Operation]:
    at = op.next_op
    while at is not None:
        yield at
        at = at.next_op


def _reads_up_to(op: Operation, turn: SSAValue, step: int) -> bool:
    """Whether an operation is a tile function that reads tiles below ``turn + step`` only.

    Which operand is about which buffer does not matter, as all of them are below that.
    """
    if not isinstance(op, CallOp):
        return False
    if op.call.configures is not None:
        return True
    name = op.call.name
    if not (name.endswith(("_tile", "_tiles")) or "_tiles_bcast" in name):
        return False
    return all(_is_below(value, turn, step) for value in op.operands if _is_number(value))


def _is_number(value: SSAValue) -> bool:
    return not (isinstance(value.owner, Operation) and value.owner.name == "ttkernel.get_cb")


def _is_below(value: SSAValue, turn: SSAValue, step: int) -> bool:
    number = integer_of(value)
    if number is not None:
        return number < step
    if value is turn:
        return True
    if isinstance(value.owner, arith.AddiOp):
        left, right = value.owner.operands
        return (left is turn and _is_small(right, step)) or (right is turn and _is_small(left, step))
    return _is_small(value, step)


def _is_small(value: SSAValue, step: int) -> bool:
    """Whether a value is a constant, or the variable of a loop, from 0 to ``step``."""
    number = integer_of(value)
    if number is not None:
        return 0 <= number < step
    loop = value.owner.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(loop, scf.ForOp) or value is not loop.body.block.args[0]:
        return False
    stop = integer_of(loop.ub)
    return integer_of(loop.lb) == 0 and stop is not None and stop <= step


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
