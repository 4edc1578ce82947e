"""Facts about loops before they run: bounds, trip counts, and the values that loops and branches hand on."""

from __future__ import annotations

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from ttl.analysis.arithmetic import integer_of

Loop = scf.ForOp | affine.ForOp


def initial_values(loop: Loop) -> tuple[SSAValue, ...]:
    """Return the initial values of a loop's carried values."""
    return tuple(loop.iter_args if isinstance(loop, scf.ForOp) else loop.inits)


def bound(given: AffineMapAttr) -> int | None:
    """A bound that is a number."""
    map_ = given.data
    if map_.num_dims or map_.num_symbols or len(map_.results) != 1:
        return None
    (number,) = map_.eval([], [])
    return int(number)


def trips(loop: Loop) -> int | None:
    """Return the number of iterations of a loop; None if it is not known."""
    if isinstance(loop, scf.ForOp):
        first, stop, step = (integer_of(value) for value in (loop.lb, loop.ub, loop.step))
    else:
        first, stop = bound(loop.lowerBoundMap), bound(loop.upperBoundMap)
        step = loop.step.value.data
    if first is None or stop is None:
        return 0 if isinstance(loop, scf.ForOp) and loop.lb is loop.ub else None
    if stop <= first:
        return 0
    return None if step is None or step <= 0 else -((first - stop) // step)


def runs_at_least_once(loop: Operation) -> bool:
    """Whether a loop certainly has an iteration."""
    return isinstance(loop, scf.ForOp | affine.ForOp) and (trips(loop) or 0) > 0


def incoming(value: SSAValue) -> list[SSAValue]:
    """Return the values that control flow may assign to a value, as to a phi; none for a value that it does not hand on."""
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        match loop:
            case scf.ForOp() | affine.ForOp() if value.index:
                return [initial_values(loop)[value.index - 1], _end_of(value.block).operands[value.index - 1]]
            case scf.WhileOp() if value.block is loop.before_region.block:
                return [loop.operands[value.index], _end_of(loop.after_region.block).operands[value.index]]
            case scf.WhileOp():
                return [_end_of(loop.before_region.block).operands[value.index + 1]]
        return []
    assert isinstance(value, OpResult)
    match value.op:
        case scf.ForOp() | affine.ForOp() as loop:
            return [initial_values(loop)[value.index], _end_of(loop.body.block).operands[value.index]]
        case scf.WhileOp() as loop:
            return [_end_of(loop.before_region.block).operands[value.index + 1]]
        case scf.IfOp() as branch:
            regions = (region for region in branch.regions if region.blocks)
            return [_end_of(region.block).operands[value.index] for region in regions]
    return []


def _end_of(block: Block) -> Operation:
    end = block.last_op
    assert end is not None
    return end
