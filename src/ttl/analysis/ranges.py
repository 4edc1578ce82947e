"""Which integers the values of a kernel may be, as far as it is easy to see: enough to know most signs.

Numbers are mathematical integers: what a program computes is taken to fit 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.analysis.arithmetic import integer_of, is_bool, modulo_of
from ttl.analysis.fixed_point import turns
from ttl.analysis.intervals import (
    ANY,
    BIT,
    NATURAL,
    Interval,
    assuming,
    decided,
    exactly,
    greatest,
    least,
    modulo,
    remainder,
)

# A bound that a turn moves is given up at once: each value that is carried changes twice at most.
_MOST_TURNS = 100_000


class Ranges:
    """The intervals of all integers of a kernel.

    ``given`` says what is known of the result of an operation of the kernel API.
    """

    def __init__(self, body: Region, given: Callable[[Operation], Interval]) -> None:
        self._given = given
        self._known: dict[SSAValue, Interval] = {}
        for block in body.blocks:
            self._block(block)

    def of(self, value: SSAValue) -> Interval:
        """What a value may be; a condition is 0 or 1."""
        known = self._known.get(value)
        if known is not None:
            return known
        if is_bool(value):
            decided = self._decided(value)
            return BIT if decided is None else exactly(int(decided))
        return ANY

    def never_runs(self, loop: scf.ForOp) -> bool:
        """Whether a loop has no turn."""
        first, end = self.of(loop.lb).low, self.of(loop.ub).high
        return first is not None and end is not None and end <= first

    def _decided(self, value: SSAValue) -> bool | None:
        """What a comparison of these numbers always says, where it is so."""
        op = value.owner
        if not isinstance(op, arith.CmpiOp) or is_bool(op.lhs):
            return None
        a, b = self.of(op.lhs), self.of(op.rhs)
        return decided(op.predicate.value.data, a, b, same=op.lhs is op.rhs)

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._operation(op)

    def _operation(self, op: Operation) -> None:
        if type(op) in RULES:
            self._binary(op)
            return
        match op:
            case arith.ConstantOp():
                number = integer_of(op.result)
                if number is not None:
                    self._known[op.result] = exactly(number)
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp():
                self._if(op)
            case arith.SelectOp() if not is_bool(op.result):
                self._known[op.result] = self.of(op.lhs) | self.of(op.rhs)
            case arith.IndexCastOp() | arith.TruncIOp() | arith.ExtUIOp():
                interval = self.of(op.input)
                is_kept = not isinstance(op, arith.ExtUIOp) or interval.is_natural
                self._known[op.result] = interval if is_kept else NATURAL
            case arith.BitcastOp():
                self._known[op.result] = NATURAL  # the bits of a float
            case arith.ExtSIOp():
                self._known[op.result] = -BIT if is_bool(op.input) else self.of(op.input)
            case _:
                self._other(op)

    def _binary(self, op: Operation) -> None:
        result = op.results[0]
        if is_bool(result):
            return
        rule = RULES[type(op)]
        match_ = modulo_of(op)
        if match_ is not None and self.of(match_[1]).is_positive:
            self._known[result] = modulo(self.of(match_[0]), self.of(match_[1]))
            return
        self._known[result] = rule(self.of(op.operands[0]), self.of(op.operands[1]))

    def _other(self, op: Operation) -> None:
        if op.results and not is_bool(op.results[0]):
            self._known[op.results[0]] = self._given(op)
        for region in op.regions:
            for block in region.blocks:
                self._block(block)

    def _for(self, op: scf.ForOp) -> None:
        induction, *carried = op.body.block.args
        first, end, step = self.of(op.lb), self.of(op.ub), self.of(op.step)
        last = None if end.high is None else end.high - 1
        if first.low is not None and last is not None:
            last = max(last, first.low)
            if first.only is not None and step.only is not None and step.only > 0:
                last -= (last - first.only) % step.only
        self._known[induction] = Interval(first.low, last)
        finals = self._settle(op.iter_args, carried, [op.body.block])
        for result, argument, final in zip(op.res, carried, finals, strict=True):
            self._known[result] = self._known[argument] | final

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)

        def pass_on() -> None:
            for argument, value in zip(after.args, condition.args, strict=True):
                self._known[argument] = self.of(value)

        self._settle(op.arguments, before.args, [before, after], between=pass_on)
        for result, value in zip(op.res, condition.args, strict=True):
            self._known[result] = self.of(value)

    def _settle(
        self,
        initial: Sequence[SSAValue],
        carried: Sequence[SSAValue],
        blocks: Sequence[Block],
        *,
        between: Callable[[], None] = lambda: None,
    ) -> list[Interval]:
        """Intervals of carried values that a turn of the loop does not leave; those of what the last turn yields."""
        for argument, value in zip(carried, initial, strict=True):
            first = self.of(value)
            # A loop in a loop begins where it settled in the last turn of that one: the work does not double at each level.
            self._known[argument] = first | self._known.get(argument, first)
        finals: list[Interval] = []
        for _ in turns("finding the ranges of what a loop carries", _MOST_TURNS):
            for position, block in enumerate(blocks):
                if position:
                    between()
                self._block(block)
            end = blocks[-1].last_op
            assert end is not None
            finals = [self.of(value) for value in end.operands]
            settled = True
            for argument, final in zip(carried, finals, strict=True):
                wider = self._known[argument].widened(final)
                settled &= wider == self._known[argument]
                self._known[argument] = wider
            if settled:
                break
        return finals

    @contextmanager
    def _assuming(self, condition: SSAValue, *, holds: bool) -> Iterator[None]:
        """In a branch, what a comparison with a number says about the other operand."""
        op = condition.owner
        number = self.of(op.rhs).only if isinstance(op, arith.CmpiOp) else None
        if number is None or not isinstance(op, arith.CmpiOp) or op.lhs not in self._known:
            yield
            return
        bounds = assuming(op.predicate.value.data, self._known[op.lhs], number, holds=holds)
        if bounds is None:
            yield
            return
        before = self._known[op.lhs]
        self._known[op.lhs] = bounds
        yield
        self._known[op.lhs] = before

    def _if(self, op: scf.IfOp) -> None:
        ends = []
        for region in (op.true_region, op.false_region):
            for block in region.blocks:
                with self._assuming(op.cond, holds=region is op.true_region):
                    self._block(block)
                ends.append(block.last_op)
        for position, result in enumerate(op.output):
            intervals = [self.of(end.operands[position]) for end in ends if end is not None]
            self._known[result] = intervals[0] | intervals[1]


# --- transfer functions ---------------------------------------------------------------------------------------

_WORD = Interval(0, 2**32 - 1)

Rule = Callable[[Interval, Interval], Interval]


def _and(a: Interval, b: Interval) -> Interval:
    if a.only is not None and b.only is not None:
        return exactly(a.only & b.only)
    if a.is_natural and b.is_natural:
        return Interval(0, least(a, b).high)
    if a.is_natural or b.is_natural:
        return Interval(0, (a if a.is_natural else b).high)
    return ANY


def _or(a: Interval, b: Interval) -> Interval:
    if a.only is not None and b.only is not None:
        return exactly(a.only | b.only)
    return _bits(a, b)


def _xor(a: Interval, b: Interval) -> Interval:
    if a.only is not None and b.only is not None:
        return exactly(a.only ^ b.only)
    return _bits(a, b)


def _bits(a: Interval, b: Interval) -> Interval:
    return NATURAL if a.is_natural and b.is_natural else ANY


def _shifted_left(a: Interval, b: Interval) -> Interval:
    return a * exactly(2**b.only) if b.only is not None and 0 <= b.only < 64 else _bits(a, b)


def _shifted_right(a: Interval, b: Interval) -> Interval:
    if b.only is not None and 0 <= b.only < 64:
        return a // exactly(2**b.only)
    return Interval(0, a.high) if a.is_natural else ANY


def _quotient(a: Interval, b: Interval) -> Interval:
    if a.is_natural:
        return a // b
    return -(-a // b) if a.high is not None and a.high <= 0 else ANY


def _rounded_up(a: Interval, b: Interval) -> Interval:
    return -(-a // b)


def _unsigned(rule: Rule) -> Rule:
    return lambda a, b: rule(a if a.is_natural else _WORD, b if b.is_natural else _WORD)


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
    arith.AndIOp: _and,
    arith.OrIOp: _or,
    arith.XOrIOp: _xor,
    arith.ShLIOp: _shifted_left,
    arith.ShRSIOp: _shifted_right,
    arith.ShRUIOp: _unsigned(_shifted_right),
}
