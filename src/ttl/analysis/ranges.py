"""The intervals of the integers of a kernel: enough to know their signs, and how many bits they need.

Numbers are mathematical integers. A first walk settles the values that loops carry, and drops at once a bound that an
iteration moves. Further walks narrow the intervals: in every iteration a value is the initial one or one that an iteration
passes on, and it moves at most by the increment per iteration times the number of iterations (``ttl.analysis.growth``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from ttl.analysis.arithmetic import integer_of, is_bool, modulo_of, negated_of
from ttl.analysis.fixed_point import iterations
from ttl.analysis.growth import MOST_TURNS, Growth, constant_bounds
from ttl.analysis.intervals import (
    ANY,
    BIT,
    LONG,
    MIRRORED,
    NATURAL,
    SHORT,
    WORD,
    Interval,
    assuming,
    bitwise,
    decided,
    exactly,
    greatest,
    least,
    modulo,
    remainder,
)
from ttl.analysis.loops import initial_values
from ttl.session.patience import LimitReached

# A bound that an iteration moves is dropped at once (a lower one may first become 0), so each changes at most twice.
_MOST_TURNS = 100_000
# The most narrowing walks: each one propagates through one more level of loops.
_MOST_WALKS = 8
# The most operations that are followed iteration by iteration, in loops that no sum describes: ``x = x * 2``, 20 times.
_MOST_FOLLOWED = 4096
# The most iterations that are followed in a loop without a bound: its values settle soon, or never.
_MOST_UNCOUNTED = 32

Step = Callable[[], None]
Rule = Callable[[Interval, Interval], Interval]


@dataclass(frozen=True, slots=True)
class _Loop:
    """The values carried through a loop of at most ``most`` iterations; ``between`` is called between its blocks."""

    initial: Sequence[SSAValue]
    carried: Sequence[SSAValue]
    blocks: Sequence[Block]
    most: int = 0
    between: Callable[[], None] = lambda: None


class Ranges:
    """The intervals of all integers of a kernel. ``given`` returns that of a result of a non-arithmetic operation."""

    def __init__(self, body: Region, given: Callable[[OpResult], Interval]) -> None:
        self._given = given
        self._known: dict[SSAValue, Interval] = {}
        self._growth = Growth(self.of)
        # For values that a ``while`` passes on, the value that shares their variable.
        self._passed: dict[SSAValue, SSAValue] = {}
        # While iterations are followed one by one, the number of operations left.
        self._left: int | None = None
        self._sharpens = False
        self._changed = False
        self._blocks: dict[Block, tuple[int, list[Step]]] = {}
        self._read_in: dict[Block, list[SSAValue]] = {}
        self._followed: dict[Block, tuple[object, ...]] = {}
        self._assumptions: dict[tuple[SSAValue, bool], list[_Assumption]] = {}
        self._all(body.blocks)
        self._sharpen(body)

    def of(self, value: SSAValue) -> Interval:
        """Return the interval of a value; a condition is 0 or 1."""
        known = self._known.get(value)
        if known is not None:
            return known
        if is_bool(value):
            decided = self._decided(value)
            return BIT if decided is None else exactly(int(decided))
        return ANY

    def held(self, value: SSAValue) -> Interval:
        """Return the interval of a value's variable; in the body of a ``while`` the value itself has a narrower one."""
        return self.of(self._passed.get(value, value))

    def never_runs(self, loop: scf.ForOp) -> bool:
        """Whether a loop has no iteration."""
        first, end = self.of(loop.lb).low, self.of(loop.ub).high
        return first is not None and end is not None and end <= first

    def _decided(self, value: SSAValue) -> bool | None:
        """Return the result that a comparison always has; None if it depends on its operands."""
        op = value.owner
        if not isinstance(op, arith.CmpiOp) or is_bool(op.lhs):
            return None
        a, b = self.of(op.lhs), self.of(op.rhs)
        return decided(op.predicate.value.data, a, b, same=op.lhs is op.rhs)

    # --- walks ------------------------------------------------------------------------------------------------

    def _sharpen(self, body: Region) -> None:
        if all(interval.fits(SHORT) for interval in self._known.values()):
            return
        self._sharpens = True
        for _ in range(_MOST_WALKS):
            self._changed = False
            self._growth.forget()
            self._all(body.blocks)
            if not self._changed:
                return

    def _set(self, value: SSAValue, interval: Interval) -> None:
        interval = interval.clipped
        self._known[value] = self._known.get(value, ANY) & interval if self._sharpens else interval

    def _narrow(self, value: SSAValue, interval: Interval) -> None:
        """Narrow the interval of a value that a loop carries or yields, for every iteration."""
        known = self._known.get(value, ANY)
        sharper = known & interval
        if sharper != known:
            self._known[value], self._changed = sharper, True

    def _block(self, block: Block) -> None:
        known = self._blocks.get(block)
        if known is None:
            # The operations of a loop are walked many times; decisions that do not change are made once.
            steps = [step for op in block.ops if (step := self._step(op)) is not None]
            known = self._blocks[block] = sum(1 for _ in block.ops), steps
        count, steps = known
        if self._left is not None:
            self._left -= count
            if self._left < 0:
                raise LimitReached
        for step in steps:
            step()

    def _step(self, op: Operation) -> Step | None:
        """Return the step that each walk takes at an operation; None if its results are the same in every walk, and now known."""
        kind = type(op)
        if kind in RULES:
            return self._binary(op)
        if kind not in _UNDERSTOOD:
            return self._other(op)
        match op:
            case arith.ConstantOp():
                number = integer_of(op.result)
                if number is not None:
                    self._known[op.result] = exactly(number)
                return None
            case arith.BitcastOp() if isinstance(op.result.type, IntegerType):
                self._known[op.result] = WORD  # the bits of a float
                return None
            case arith.FPToSIOp():
                half = 1 << (min(op.result.type.width.data, LONG) - 1)
                self._known[op.result] = Interval(-half, half - 1)
                return None
            case scf.ForOp() | affine.ForOp():
                return partial(self._for, op)
            case scf.WhileOp():
                return partial(self._while, op)
            case scf.IfOp():
                return partial(self._if, op)
            case arith.SelectOp():
                return None if is_bool(op.result) else partial(self._select, op.result, op.lhs, op.rhs)
            case arith.IndexCastOp() | arith.TruncIOp():
                return partial(self._kept, op.result, op.input)
            case arith.ExtUIOp():
                return partial(self._without_sign, op.result, op.input)
            case arith.ExtSIOp():
                if not is_bool(op.input):
                    return partial(self._kept, op.result, op.input)
                return partial(self._set, op.result, -BIT)
        return self._other(op)

    def _select(self, result: SSAValue, a: SSAValue, b: SSAValue) -> None:
        self._set(result, self.of(a) | self.of(b))

    def _kept(self, result: SSAValue, value: SSAValue) -> None:
        self._set(result, self.of(value))

    def _without_sign(self, result: SSAValue, value: SSAValue) -> None:
        interval = self.of(value)
        self._set(result, interval if interval.is_natural else NATURAL)

    def _binary(self, op: Operation) -> Step | None:
        result, (a, b) = op.results[0], op.operands
        if is_bool(result):
            return None
        rule = partial(self._computed, result, RULES[type(op)], a, b)
        match_ = modulo_of(op)
        return rule if match_ is None else partial(self._modulo, result, *match_, rule)

    def _computed(self, result: SSAValue, rule: Rule, a: SSAValue, b: SSAValue) -> None:
        self._set(result, rule(self.of(a), self.of(b)))

    def _modulo(self, result: SSAValue, a: SSAValue, b: SSAValue, otherwise: Step) -> None:
        divisor = self.of(b)
        if divisor.is_positive:
            self._set(result, modulo(self.of(a), divisor))
        else:
            otherwise()

    def _other(self, op: Operation) -> Step | None:
        for result in op.results:
            if isinstance(result.type, IndexType | IntegerType) and not is_bool(result):
                self._known[result] = self._given(result)
        blocks = [block for region in op.regions for block in region.blocks]
        return partial(self._all, blocks) if blocks else None

    def _all(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            self._block(block)

    # --- loops ------------------------------------------------------------------------------------------------

    def _for(self, op: scf.ForOp | affine.ForOp) -> None:
        block = op.body.block
        induction, *carried = block.args
        first, end, step = self._bounds(op)
        last = None if end.high is None else end.high - 1
        if first.low is not None and last is not None:
            last = max(last, first.low)
            if first.only is not None and step.only is not None and step.only > 0:
                last -= (last - first.only) % step.only
        self._set(induction, Interval(first.low, last))
        initial = initial_values(op)
        if self._sharpens or self._left is not None:
            loop = _Loop(initial, carried, [block], self._growth.trips(first, end, step))
            if self._left is None:
                self._sharpen_loop(loop, op.results)
            else:
                self._known.update(zip(op.results, self._reached(loop), strict=False))
            return
        finals = self._settle(_Loop(initial, carried, [block]))
        for result, argument, final in zip(op.results, carried, finals, strict=True):
            self._known[result] = self._known[argument] | final

    def _bounds(self, op: scf.ForOp | affine.ForOp) -> tuple[Interval, Interval, Interval]:
        if isinstance(op, scf.ForOp):
            return self.of(op.lb), self.of(op.ub), self.of(op.step)
        return constant_bounds(op)

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        for ends in (after.args, op.res):
            self._passed.update(zip(ends, condition.args, strict=True))

        def pass_on() -> None:
            unassumed = self._assume(condition.condition, holds=True)
            passed = [self.of(value) for value in condition.args]
            if self._sharpens:
                for position, argument in enumerate(before.args[: len(passed)]):
                    passed[position] &= self._growth.from_argument(condition.args[position], argument)
            self._restore(unassumed)
            for argument, interval in zip(after.args, passed, strict=True):
                self._set(argument, interval)

        # While iterations are followed one by one, the known intervals are those of another iteration, and do not limit
        # the number of iterations.
        most = self._growth.trips_of_while(op) if self._sharpens and self._left is None else MOST_TURNS
        loop = _Loop(op.arguments, before.args, [before, after], most, pass_on)
        if self._left is not None:
            self._reached(loop)
        elif self._sharpens:
            self._sharpen_loop(loop)
        else:
            self._settle(loop)
        unassumed = self._assume(condition.condition, holds=False)
        left = [self.of(value) for value in condition.args]
        self._restore(unassumed)
        for result, interval in zip(op.res, left, strict=True):
            self._set(result, interval)

    def _settle(self, loop: _Loop) -> list[Interval]:
        """Widen the intervals of carried values until an iteration stays within them; return those of the last iteration."""
        for argument, value in zip(loop.carried, loop.initial, strict=True):
            first = self.of(value)
            # A nested loop starts from where it settled in the outer loop's last iteration: the work does not double at
            # each level.
            self._known[argument] = first | self._known.get(argument, first)
        finals: list[Interval] = []
        for _ in iterations("finding the ranges of what a loop carries", _MOST_TURNS):
            finals = self._iteration(loop)
            settled = True
            for argument, final in zip(loop.carried, finals, strict=True):
                wider = self._known[argument].widened(final)
                settled &= wider == self._known[argument]
                self._known[argument] = wider
            if settled:
                break
        return finals

    def _iteration(self, loop: _Loop) -> list[Interval]:
        """Walk the blocks of a loop once; return the intervals that its end passes on."""
        for position, block in enumerate(loop.blocks):
            if position:
                loop.between()
            self._block(block)
        end = loop.blocks[-1].last_op
        assert end is not None
        return [self.of(value) for value in end.operands]

    def _sharpen_loop(self, loop: _Loop, results: Sequence[SSAValue] = ()) -> None:
        """Walk once through a loop whose values are settled, and narrow the intervals.

        A carried value has one variable, and so one interval, at the start of each iteration and after the last one.
        """
        end = loop.blocks[-1].last_op
        assert end is not None
        starts = [self.of(value) for value in loop.initial]
        moves = [
            self._growth.moved(argument, value, loop.most)
            for argument, value in zip(loop.carried, end.operands, strict=True)
        ]
        for argument, start, move in zip(loop.carried, starts, moves, strict=True):
            self._narrow(argument, start + move)
        if any(not self.of(argument).fits(SHORT) for argument in loop.carried if not is_bool(argument)):
            # Not in every walk: following a loop again gives another result only if an interval that it starts from, or
            # reads, has changed.
            begins = (loop.most, *starts, *map(self.of, self._read_by(loop)))
            if self._followed.get(loop.blocks[0]) != begins:
                self._followed[loop.blocks[0]] = begins
                self._follow(loop)
        finals = self._iteration(loop)
        for argument, start, final in zip(loop.carried, starts, finals, strict=True):
            self._narrow(argument, start | final)
        for result, argument in zip(results, loop.carried, strict=False):
            self._narrow(result, self.of(argument))

    def _read_by(self, loop: _Loop) -> list[SSAValue]:
        """Return the values from outside of a loop that its operations read."""
        known = self._read_in.get(loop.blocks[0])
        if known is None:
            ops = [op for block in loop.blocks for op in block.walk()]
            inside = {
                *loop.blocks,
                *ops,
                *(block for op in ops for region in op.regions for block in region.blocks),
            }
            read = dict.fromkeys(value for op in ops for value in op.operands)
            known = self._read_in[loop.blocks[0]] = [value for value in read if value.owner not in inside]
        return known

    def _follow(self, loop: _Loop) -> None:
        """Follow a loop iteration by iteration, if it is short, and narrow the values that it carries."""
        before = dict(self._known)
        most = _MOST_UNCOUNTED if loop.most >= MOST_TURNS else None
        self._left, self._sharpens = _MOST_FOLLOWED, False
        try:
            reached = self._reached(loop, most)
        except LimitReached:
            return
        finally:
            self._left, self._sharpens, self._known = None, True, before
        for argument, interval in zip(loop.carried, reached, strict=True):
            self._narrow(argument, interval)

    def _reached(self, loop: _Loop, most: int | None = None) -> list[Interval]:
        """Return the intervals that the carried values of a loop reach, iteration by iteration.

        Raises ``LimitReached`` where they have not settled, and the loop has not ended, after ``most`` iterations.
        """
        reached = [self.of(value) for value in loop.initial]
        for count in range(loop.most):
            if count == most:
                raise LimitReached
            self._known.update(zip(loop.carried, reached, strict=True))
            ends = self._iteration(loop)
            wider = [interval | final for interval, final in zip(reached, ends, strict=True)]
            if wider == reached:
                break
            reached = wider
        self._known.update(zip(loop.carried, reached, strict=True))
        return reached

    # --- branches ---------------------------------------------------------------------------------------------

    def _assume(self, condition: SSAValue, *, holds: bool) -> list[tuple[SSAValue, Interval]]:
        """Narrow the numbers that a condition compares, assuming ``holds``; return old intervals for ``_restore``."""
        key = condition, holds
        assumptions = self._assumptions.get(key)
        if assumptions is None:
            assumptions = self._assumptions[key] = list(_said(condition, holds))
        before: list[tuple[SSAValue, Interval]] = []
        known = self._known
        for value, other, predicate, is_true, sources in assumptions:
            bounds = assuming(predicate, self.of(value), self.of(other), holds=is_true)
            if bounds is None:
                continue
            for source, from_result in sources:
                if from_result is not None:
                    bounds = from_result(bounds)
                interval = known.get(source)
                if interval is not None:
                    before.append((source, interval))
                    known[source] = interval & bounds
        return before

    def _restore(self, before: list[tuple[SSAValue, Interval]]) -> None:
        for value, interval in reversed(before):
            self._known[value] = interval

    def _if(self, op: scf.IfOp) -> None:
        ends = []
        for region in (op.true_region, op.false_region):
            for block in region.blocks:
                unassumed = self._assume(op.cond, holds=region is op.true_region)
                self._block(block)
                end = block.last_op
                ends.append([] if end is None else [self.of(value) for value in end.operands])
                self._restore(unassumed)
        for position, result in enumerate(op.output):
            self._set(result, ends[0][position] | ends[1][position])


_Sources = list[tuple[SSAValue, Callable[[Interval], Interval] | None]]
_Assumption = tuple[SSAValue, SSAValue, int, bool, _Sources]
"""A number, the one that it is compared with, the predicate, whether the comparison holds, and the sources of the number."""


def _said(condition: SSAValue, holds: bool) -> Iterator[_Assumption]:
    """Yield the comparisons that follow from a condition that holds, or does not."""
    opposite = negated_of(condition.owner) if isinstance(condition.owner, Operation) else None
    if opposite is not None:
        yield from _said(opposite, not holds)
        return
    match condition.owner:
        case arith.AndIOp() if holds:
            parts = condition.owner.operands
        case arith.OrIOp() if not holds:
            parts = condition.owner.operands
        case arith.CmpiOp() if not is_bool(condition.owner.lhs):
            op, predicate = condition.owner, condition.owner.predicate.value.data
            yield op.lhs, op.rhs, predicate, holds, _sources(op.lhs)
            yield op.rhs, op.lhs, MIRRORED[predicate], holds, _sources(op.rhs)
            return
        case _:
            return
    for part in parts:
        yield from _said(part, holds)


def _sources(value: SSAValue) -> _Sources:
    """Return a value and the values from which it is computed by adding, subtracting or multiplying by constants.

    Each source comes with the function from bounds of the value before it in the list to its own bounds; the value
    itself, which is the first, comes with None.
    """
    sources: _Sources = [(value, None)]
    while True:
        op = value.owner
        number = (
            integer_of(op.operands[1]) if isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp) else None
        )
        if number is None or not isinstance(op, Operation):
            return sources
        if isinstance(op, arith.MuliOp) and number <= 0:
            return sources
        value = op.operands[0]
        sources.append((value, partial(_OPERANDS[type(op)], exactly(number))))


def _multiples(number: Interval, bounds: Interval) -> Interval:
    """Return the interval of factors whose products with ``number`` are within ``bounds``."""
    return Interval((-(-bounds // number)).low, (bounds // number).high)


_OPERANDS: Mapping[type[Operation], Callable[[Interval, Interval], Interval]] = {
    arith.AddiOp: lambda number, bounds: bounds - number,
    arith.SubiOp: lambda number, bounds: bounds + number,
    arith.MuliOp: _multiples,
}


# Operations without a rule that this analysis handles itself.
_UNDERSTOOD = frozenset(
    {
        arith.ConstantOp, scf.ForOp, affine.ForOp, scf.WhileOp, scf.IfOp, arith.SelectOp, arith.IndexCastOp, arith.TruncIOp,
        arith.ExtUIOp, arith.BitcastOp, arith.FPToSIOp, arith.ExtSIOp,
    }
)  # fmt: skip


# --- transfer functions ---------------------------------------------------------------------------------------


def _shifted_left(a: Interval, b: Interval) -> Interval:
    if b.low is None or b.high is None or not 0 <= b.low <= b.high < 64:
        return NATURAL if a.is_natural and b.is_natural else ANY
    return a * Interval(2**b.low, 2**b.high)


def _shifted_right(a: Interval, b: Interval) -> Interval:
    if b.only is not None and 0 <= b.only < 64:
        return a // exactly(2**b.only)
    if b.low is None or b.low < 0:
        return ANY
    low = None if a.low is None else min(a.low, 0)
    return Interval(low, None if a.high is None else max(a.high, -1))


def _quotient(a: Interval, b: Interval) -> Interval:
    if a.is_natural:
        return a // b
    return -(-a // b) if a.high is not None and a.high <= 0 else ANY


def _rounded_up(a: Interval, b: Interval) -> Interval:
    return -(-a // b)


def _unsigned(rule: Rule) -> Rule:
    return lambda a, b: rule(a if a.is_natural else WORD, b if b.is_natural else WORD)


RULES: Mapping[type[Operation], Rule] = {
    arith.AddiOp: Interval.__add__,
    arith.SubiOp: Interval.__sub__,
    arith.MuliOp: Interval.__mul__,
    arith.FloorDivSIOp: Interval.__floordiv__,
    arith.CeilDivSIOp: _rounded_up,
    arith.DivSIOp: _quotient,
    arith.RemSIOp: remainder,
    arith.DivUIOp: _unsigned(Interval.__floordiv__),
    arith.CeilDivUIOp: _unsigned(_rounded_up),
    arith.RemUIOp: _unsigned(remainder),
    arith.MinSIOp: least,
    arith.MaxSIOp: greatest,
    arith.MinUIOp: _unsigned(least),
    arith.MaxUIOp: _unsigned(greatest),
    arith.AndIOp: partial(bitwise, "&"),
    arith.OrIOp: partial(bitwise, "|"),
    arith.XOrIOp: partial(bitwise, "^"),
    arith.ShLIOp: _shifted_left,
    arith.ShRSIOp: _shifted_right,
    arith.ShRUIOp: _unsigned(_shifted_right),
}
