"""What is known of loops before they run: their bounds, how many turns they take, what they start with."""

from __future__ import annotations

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation, SSAValue

from ttl.analysis.arithmetic import integer_of

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
