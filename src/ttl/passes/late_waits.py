"""``ttkernel-late-waits``: compute kernels wait for a block where they first need it.

A program acquires blocks at the head of a ``with``, and computes from one of them after the other. While the block that
is read last has not arrived, or the block that is written last is not free, the kernel can do the work that comes
before.

Expects: kernels whose inits were hoisted. Guarantees: between a ``cb_wait_front`` (or ``cb_reserve_back``) and the
section that first uses its buffer there is no other section. If the first use is in a loop that does not give the block
back, after so much work that a wait in every iteration does not matter, the wait is in the loop. A block that arrives
in parts is waited for in each iteration of the loop that first reads it in order, as far as the iteration reads. A wait
stays before every call that uses its buffer. A kernel that waits later has released, and handed over, at least as many
blocks by then, so no deadlock arises from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.analysis.arithmetic import integer_of
from ttl.analysis.dominance import inside, outermost
from ttl.dialects.ttkernel import GetCBOp, KernelCallOp, KernelOp, class_of
from ttl.passes.building import Building, detach
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import PARTS

_WAIT, _RESERVE = class_of("cb_wait_front"), class_of("cb_reserve_back")
# So many tile functions of an iteration before the first use of a block make the cost of a wait in every iteration
# small.
_ENOUGH = 16


@dataclass(frozen=True)
class LateWaits(ModulePass):
    """Compute kernels wait for a block where they first need it."""

    name = "ttkernel-late-waits"
    contract: ClassVar = Contract(needs=(PassFact.HOISTED,), gives=(PassFact.LATE,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in outermost(op, KernelOp):
            if kernel.thread == "tensix":
                for item in inside(kernel):
                    if not isinstance(item, (_WAIT, _RESERVE)):
                        continue
                    if PARTS not in item.attributes or not _divide(item):
                        _move(item)


@dataclass(frozen=True, slots=True)
class _Place:
    """The first use of a buffer: the operation before which to wait, and the tile functions that run before it."""

    before: Operation
    work: int
    loop: scf.ForOp | None = None


def _move(wait: KernelCallOp) -> None:
    place = _first_use(wait.next_op, wait.operands[0], may_enter=isinstance(wait, _WAIT))
    if place is None or place.work == 0:
        return
    if place.loop is not None and not _iterations(place.loop):
        # The loop may not run, and uses behind it rely on the wait.
        after = _first_use(place.loop.next_op, wait.operands[0], may_enter=False)
        if after is not None:
            again = wait.clone()
            again.location = wait.location
            _put_before(again, after.before)
    detach(wait)
    _put_before(wait, place.before)


def _divide(wait: KernelCallOp) -> bool:
    """Divide the wait for a block that arrives in parts among the iterations of the loop that first reads it.

    Returns whether that is possible: an iteration reads pages below a multiple of the loop variable plus a constant,
    which is all pages in the last iteration.
    """
    buffer, pages = wait.operands[0], integer_of(wait.operands[1])
    loop = next((op for op in _behind(wait) if _uses(op, buffer)), None)
    if not isinstance(loop, scf.ForOp):
        return False
    iteration: SSAValue = loop.body.block.args[0]
    start, stop, step = map(integer_of, (loop.lb, loop.ub, loop.step))
    if start != 0 or step is None or not stop or stop % step:
        return False
    ends = [_read_by(op, buffer, iteration) for op in inside(loop) if buffer in op.operands]
    factor, most = (
        max((end[0] for end in ends if end), default=0),
        max((end[1] for end in ends if end), default=0),
    )
    if None in ends or factor == 0 or factor * (stop - step) + most + 1 != pages:
        return False
    body = Building(loop.body.block.first_op, place=wait)
    body.call("cb_wait_front", buffer, body.value(body.sum(body.product(iteration, factor), most + 1)))
    detach(wait)
    return True


def _behind(op: Operation) -> Iterator[Operation]:
    at = op.next_op
    while at is not None:
        yield at
        at = at.next_op


_Bound = tuple[int, int]
"""An upper bound of a number in an iteration of a loop: the first times the variable of the loop, plus the second."""


def _read_by(op: Operation, buffer: SSAValue, iteration: SSAValue) -> _Bound | None:
    """The last tile of a buffer that an operation reads in an iteration of a loop; None where that is not known."""
    if not isinstance(op, KernelCallOp):
        return None
    if op.call.configures is not None:
        return (0, 0)
    name, operands = op.call.name, op.operands
    if name == "matmul_block" and operands[1] is buffer and operands[0] is not buffer:
        left = _bound(operands[3], iteration)
        columns = int(str(op.constants["ct"]))
        return None if left is None else (left[0], left[1] + columns - 1)
    if not (name.endswith(("_tile", "_tiles")) or "_tiles_bcast" in name):
        return None
    # The bound covers all of the operands, so it does not matter which of them is about which buffer.
    bounds = [_bound(value, iteration) for value in operands if _is_number(value)]
    known = [bound for bound in bounds if bound is not None]
    if len(known) < len(bounds):
        return None
    return max(factor for factor, _ in known), max(most for _, most in known)


def _is_number(value: SSAValue) -> bool:
    return not (isinstance(value.owner, GetCBOp))


def _bound(value: SSAValue, iteration: SSAValue) -> _Bound | None:
    number = integer_of(value)
    if number is not None:
        return (0, number) if number >= 0 else None
    if value is iteration:
        return (1, 0)
    match value.owner:
        case arith.AddiOp(lhs=left, rhs=right):
            first, second = _bound(left, iteration), _bound(right, iteration)
            return None if first is None or second is None else (first[0] + second[0], first[1] + second[1])
        case arith.MuliOp(lhs=left, rhs=right):
            first, factor = _bound(left, iteration), integer_of(right)
            if factor is None:
                first, factor = _bound(right, iteration), integer_of(left)
            return (
                None if first is None or not factor or factor < 0 else (first[0] * factor, first[1] * factor)
            )
    loop = value.owner.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(loop, scf.ForOp) or value is not loop.body.block.args[0]:
        return None
    begin, end = integer_of(loop.lb), integer_of(loop.ub)
    return None if begin is None or begin < 0 or not end else (0, end - 1)


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
                # Outside of a section, a loop or branch holds whole sections, which are done; inside, it is part of the
                # section.
                (work, done) = (work, done + _work(op)) if section is None else (work + _work(op), done)
        op = op.next_op
    return None


def _within(loop: Operation, buffer: SSAValue) -> _Place | None:
    """The first use in a loop, if the wait can be there: no call moves the buffer, and enough work comes before."""
    if not isinstance(loop, scf.ForOp) or any(
        isinstance(op, KernelCallOp) and op.call.on_buffer is not None and buffer in op.operands
        for op in inside(loop)
    ):
        return None
    place = _first_use(loop.body.block.first_op, buffer, may_enter=False)
    if place is None or place.work < _ENOUGH:
        return None
    return _Place(place.before, place.work, loop)


def _uses(op: Operation, buffer: SSAValue) -> bool:
    """Whether an operation, or one inside it, uses the contents or room of a buffer; an init needs only the format."""
    return any(
        buffer in item.operands and not (isinstance(item, KernelCallOp) and item.call.configures is not None)
        for item in (op, *inside(op))
    )


def _work(op: Operation) -> int:
    """Tile functions that an operation calls."""
    if isinstance(op, KernelCallOp):
        return int(op.call.thread == "tensix" and op.call.configures is None)
    total = sum(_work(item) for region in op.regions for block in region.blocks for item in block.ops)
    return total * (_iterations(op) or 1) if isinstance(op, scf.ForOp) else total


def _iterations(loop: scf.ForOp) -> int:
    """Return the number of a loop's iterations; 0 where it is not known."""
    first, stop, step = map(integer_of, (loop.lb, loop.ub, loop.step))
    if first is None or stop is None or step is None:
        return 0
    return len(range(first, stop, step))


def _called(op: Operation) -> str:
    return op.call.name if isinstance(op, KernelCallOp) else ""
