"""What is known of loops before they run: their bounds, how many turns they take, what they start with."""

from __future__ import annotations

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import integer_of
from ttl.dialects.ttkernel import CallOp

Loop = scf.ForOp | affine.ForOp


def initial_values(loop: Loop) -> tuple[SSAValue, ...]:
    """What the first turn gets of what turns carry on."""
    return tuple(loop.iter_args if isinstance(loop, scf.ForOp) else loop.inits)


def bound(given: AffineMapAttr) -> int | None:
    """A bound that is a number."""
    map_ = given.data
    if map_.num_dims or map_.num_symbols or len(map_.results) != 1:
        return None
    (found,) = map_.eval([], [])
    return int(found)


def trips(loop: Loop) -> int | None:
    """How many turns a loop takes; None where that is not known."""
    if isinstance(loop, scf.ForOp):
        first, stop, step = (integer_of(each) for each in (loop.lb, loop.ub, loop.step))
    else:
        first, stop = bound(loop.lowerBoundMap), bound(loop.upperBoundMap)
        step = loop.step.value.data
    if first is None or stop is None:
        return 0 if isinstance(loop, scf.ForOp) and loop.lb is loop.ub else None
    if stop <= first:
        return 0
    return None if step is None or step <= 0 else -((first - stop) // step)


def runs_at_least_once(loop: Operation) -> bool:
    """Whether a loop certainly has a turn."""
    return isinstance(loop, scf.ForOp | affine.ForOp) and (trips(loop) or 0) > 0


def runs_again(loop: Operation) -> bool:
    """Whether a loop may have a second turn: not where a node takes its share of work for at most as many nodes as there are."""
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
        case CallOp() as op:
            return op.call.name.startswith("get_absolute_logical")
        case arith.AddiOp() | arith.MuliOp() as op:
            return all(map(_is_natural, op.operands))
    return False
