"""The distance that a loop-carried value moves: the largest change per iteration, times the number of iterations."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import affine, arith, scf
from xdsl.ir import BlockArgument, OpResult, SSAValue

from ttl.analysis.intervals import ANY, Interval, exactly, greatest, least
from ttl.analysis.loops import bound, initial_values

MOST_TURNS = 1 << 48
"""A bound for loops without a known end: at one iteration per cycle, this would take days."""
# The depth to which sums are taken apart.
_DEEPEST = 200


class Growth:
    """Differences between an iteration's values and the values carried into it.

    ``of`` returns the interval of a value.
    """

    def __init__(self, of: Callable[[SSAValue], Interval]) -> None:
        self._of = of
        self._known: dict[tuple[SSAValue, SSAValue], Interval | None] = {}

    def forget(self) -> None:
        """Forget cached differences, because intervals have changed."""
        self._known.clear()

    def trips(self, first: Interval, end: Interval, step: Interval) -> int:
        """Return the largest number of iterations of a ``for``."""
        if first.low is None or end.high is None:
            return MOST_TURNS
        return max(0, -((first.low - end.high) // max(step.low or 1, 1)))

    def trips_of_while(self, op: scf.WhileOp) -> int:
        """Return the largest number of iterations of a ``while``.

        It follows from a bounded value that always grows, or always shrinks; without one it is ``MOST_TURNS``.
        """
        most = MOST_TURNS
        end = op.after_region.block.last_op
        assert end is not None
        for argument, value in zip(op.before_region.block.args, end.operands, strict=True):
            within = self._of(argument)
            if within.low is None or within.high is None:
                continue
            move = self._difference(value, argument)
            for least_move in (move.low, (-move).low):
                if least_move is not None and least_move > 0:
                    most = min(most, (within.high - within.low) // least_move)
        return most

    def moved(self, argument: SSAValue, handed_on: SSAValue, most: int) -> Interval:
        """Return the difference of a carried value to its first one, at the start or end of any of ``most`` iterations."""
        return exactly(0) | self._difference(handed_on, argument) * exactly(most)

    def from_argument(self, value: SSAValue, argument: SSAValue) -> Interval:
        """Return the interval of a value that sums and choices compute from a loop-carried one."""
        relative = self._relative(value, argument, 0)
        return ANY if relative is None else self._of(argument) + relative

    def _difference(self, value: SSAValue, argument: SSAValue) -> Interval:
        relative = self._relative(value, argument, 0)
        return self._of(value) - self._of(argument) if relative is None else relative

    def _relative(self, value: SSAValue, argument: SSAValue, depth: int) -> Interval | None:
        """``value - argument`` if ``value`` is computed from ``argument`` by sums and choices, or None."""
        if value is argument:
            return exactly(0)
        if depth > _DEEPEST:
            return None
        key = value, argument
        if key not in self._known:
            self._known[key] = None
            self._known[key] = self._computed(value, argument, depth + 1)
        return self._known[key]

    def _computed(self, value: SSAValue, argument: SSAValue, depth: int) -> Interval | None:
        if not isinstance(value, OpResult):
            return self._passed(value, argument, depth)
        op = value.op
        match op:
            case arith.AddiOp():
                for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                    relative = self._relative(one, argument, depth)
                    if relative is not None:
                        return relative + self._of(other)
            case arith.SubiOp():
                relative = self._relative(op.lhs, argument, depth)
                return None if relative is None else relative - self._of(op.rhs)
            case arith.SelectOp():
                return self._either(op.lhs, op.rhs, argument, depth, Interval.__or__)
            case arith.MinSIOp():
                return self._either(op.lhs, op.rhs, argument, depth, least)
            case arith.MaxSIOp():
                return self._either(op.lhs, op.rhs, argument, depth, greatest)
            case scf.IfOp():
                first, second = (region.block.last_op for region in op.regions)
                assert first is not None and second is not None
                ends = first.operands[value.index], second.operands[value.index]
                return self._either(*ends, argument, depth, Interval.__or__)
            case scf.ForOp() | affine.ForOp():
                relative = self._relative(initial_values(op)[value.index], argument, depth)
                end = op.body.block.last_op
                assert end is not None
                if relative is None:
                    return None
                carried = op.body.block.args[1 + value.index]
                return relative + self.moved(carried, end.operands[value.index], self._trips(op))
            case scf.WhileOp():
                return self._left(op, value.index, argument, depth)
        return None

    def _left(self, op: scf.WhileOp, position: int, argument: SSAValue, depth: int) -> Interval | None:
        """Return the difference of a result of a ``while`` to a carried value; None if it is not known."""
        relative = self._relative(op.arguments[position], argument, depth)
        condition, end = op.before_region.block.last_op, op.after_region.block.last_op
        assert isinstance(condition, scf.ConditionOp) and end is not None
        if relative is None:
            return None
        carried = op.before_region.block.args[position]
        after = self.moved(carried, end.operands[position], self.trips_of_while(op))
        return relative + after + self._difference(condition.args[position], carried)

    def _passed(self, value: SSAValue, argument: SSAValue, depth: int) -> Interval | None:
        """Return the difference of a value that a ``while`` passes to its body to a carried value; None if it is not known."""
        assert isinstance(value, BlockArgument)
        block = value.owner
        loop = block.parent_op()
        if not isinstance(loop, scf.WhileOp) or block is not loop.after_region.block:
            return None
        condition = loop.before_region.block.last_op
        assert isinstance(condition, scf.ConditionOp)
        return self._relative(condition.args[value.index], argument, depth)

    def _either(
        self,
        first: SSAValue,
        second: SSAValue,
        argument: SSAValue,
        depth: int,
        join: Callable[[Interval, Interval], Interval],
    ) -> Interval | None:
        sides = [self._relative(value, argument, depth) for value in (first, second)]
        if sides == [None, None]:
            return None
        one, other = (
            self._of(value) - self._of(argument) if side is None else side
            for value, side in zip((first, second), sides, strict=True)
        )
        return join(one, other)

    def _trips(self, op: scf.ForOp | affine.ForOp) -> int:
        if isinstance(op, affine.ForOp):
            return self.trips(*constant_bounds(op))
        return self.trips(self._of(op.lb), self._of(op.ub), self._of(op.step))


def constant_bounds(op: affine.ForOp) -> tuple[Interval, Interval, Interval]:
    """Return first number, end and step of a loop with constant bounds."""
    first, end = bound(op.lowerBoundMap), bound(op.upperBoundMap)
    return Interval(first, first), Interval(end, end), exactly(op.step.value.data)
