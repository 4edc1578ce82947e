"""The place at which operations are appended while source is read, and the arithmetic on indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float64Type, FloatAttr, IndexType, IntegerAttr, IntegerType, LocationAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from ttl.analysis.intervals import Interval
from ttl.dialects.lookup import ConstantLookupOp
from ttl.frontend import refusals
from ttl.frontend.scalars import (
    Bound,
    LinearAtom,
    NodeInteger,
    Remembered,
    bounds_of,
    largest,
    loops_of,
    smallest,
)
from ttl.frontend.stop import Reject

INDEX = IndexType()
TRUTH = IntegerType(1)
WORD = IntegerType(64)
DOUBLE = Float64Type()
# The limit is chosen so that the difference of two indices fits into a word, too.
_INDEX_LIMIT = 1 << 62
# Python integers beyond this can only be operands of floats.
_WORD_LIMIT = 1 << 63
_DERIVED = {"mul": arith.MuliOp, "floordiv": arith.FloorDivSIOp, "min": arith.MinSIOp, "max": arith.MaxSIOp}
_RELATION = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}


class Builder:
    """Appends operations to the innermost open block, each with the location that is being read."""

    def __init__(self, location: Callable[[], LocationAttr]) -> None:
        self._location = location
        self._blocks: list[Block] = []
        # The values that each open block has computed already; the blocks inside can use them, too.
        self._known: list[dict[Any, Any]] = []
        self._serial = 0
        # The loops that are being built, outermost first.
        self.open_loops: list[int] = []
        self._loops = 0
        # Positive while code is built that Python may not reach: the right-hand side of ``and`` and ``or``.
        self.speculative = 0

    # --- operations and blocks --------------------------------------------------------------------------------

    def emit(self, operation: Any) -> Any:
        """Append an operation and return it."""
        operation.location = self._location()
        self._blocks[-1].add_op(operation)
        return operation

    def emit_first(self, block: Block, operation: Any) -> Any:
        """Put an operation at the start of an open block, where all that follows can use it."""
        operation.location = self._location()
        first = block.first_op
        if first is None:
            block.add_op(operation)
        else:
            block.insert_op_before(operation, first)
        return operation

    @contextmanager
    def inside(self, block: Block, known: dict[Any, Any] | None = None) -> Iterator[Block]:
        """Append to ``block`` temporarily; ``known`` are the values that were computed in it before."""
        self._blocks.append(block)
        self._known.append({} if known is None else known)
        try:
            yield block
        finally:
            self._known.pop()
            self._blocks.pop()

    @contextmanager
    def speculating(self, really: bool) -> Iterator[None]:
        """Build, temporarily, code that Python may not reach."""
        self.speculative += really
        try:
            yield
        finally:
            self.speculative -= really

    def know(self, computed: dict[Any, Any]) -> None:
        """Note the results of operations that were moved into the innermost block."""
        self._known[-1].update(computed)

    @property
    def block(self) -> Block:
        """The innermost open block."""
        return self._blocks[-1]

    @contextmanager
    def looping(self) -> Iterator[int]:
        """Build a loop, with a number of its own, temporarily."""
        self._loops += 1
        self.open_loops.append(self._loops)
        try:
            yield self._loops
        finally:
            self.open_loops.pop()

    # --- values -----------------------------------------------------------------------------------------------

    def atom(
        self, ssa: SSAValue, low: Bound = None, high: Bound = None, loops: frozenset[int] | None = None
    ) -> NodeInteger:
        """A value of the IR as an integer of the language, with its known bounds."""
        self._serial += 1
        # A value that a loop carries, or that its branches choose, changes with that loop.
        varies = frozenset(self.open_loops) if loops is None else loops
        return NodeInteger(self, 0, ((LinearAtom(self._serial, ssa, low, high, varies), 1),))

    def remembered(self, key: Any, make: Callable[[], Remembered]) -> Remembered:
        """The value for a key: an earlier one that is visible from the current block, or a new one."""
        for known in reversed(self._known):
            if key in known:
                return cast("Remembered", known[key])
        value = make()
        self._known[-1][key] = value
        return value

    def constant(self, number: int) -> SSAValue:
        """Return a constant index. Raises ``Reject`` for a number beyond the range of every machine."""
        require_word(number)
        return self.remembered(
            ("index", number),
            lambda: self.emit(arith.ConstantOp(IntegerAttr(number, INDEX), INDEX)).result,
        )

    def number(self, value: int | float) -> SSAValue:
        """A Python number as an operand of a block expression."""
        fits = isinstance(value, int) and -_WORD_LIMIT <= value < _WORD_LIMIT
        attribute: Any = IntegerAttr(int(value), WORD) if fits else FloatAttr(float(value), DOUBLE)
        key = ("number", type(value), repr(value))
        return self.remembered(key, lambda: self.emit(arith.ConstantOp(attribute)).result)

    def truth(self, value: bool) -> SSAValue:
        """A Python truth value."""
        return self.remembered(
            ("truth", value), lambda: self.emit(arith.ConstantOp(IntegerAttr(int(value), TRUTH))).result
        )

    def index(self, value: Any) -> SSAValue:
        """An integer of the language as an index of the IR."""
        return value.ssa() if isinstance(value, NodeInteger) else self.constant(int(value))

    def linear(self, value: NodeInteger) -> SSAValue:
        """The operations that compute a linear form."""
        if value.constant == 0 and len(value.terms) == 1 and value.terms[0][1] == 1:
            return value.terms[0][0].ssa
        return self.remembered(("linear", *value.key), lambda: self._sum(value))

    def _sum(self, value: NodeInteger) -> SSAValue:
        total: SSAValue | None = None
        for atom, factor in value.terms:
            term = atom.ssa
            if factor != 1:
                term = self._multiple(atom, factor)
            total = term if total is None else self.emit(arith.AddiOp(total, term)).result
        assert total is not None
        if value.constant:
            total = self.emit(arith.AddiOp(total, self.constant(value.constant))).result
        return total

    def _multiple(self, atom: LinearAtom, factor: int) -> SSAValue:
        def make() -> SSAValue:
            result: SSAValue = self.emit(arith.MuliOp(atom.ssa, self.constant(factor))).result
            return result

        return self.remembered(("linear", 0, (atom.serial, factor)), make)

    def derived(self, how: str, first: Any, second: Any, bounds: Interval) -> NodeInteger:
        """The integer that a non-linear operation computes; the same one for equal operands."""

        def make() -> NodeInteger:
            a, b = self.index(first), self.index(second)
            if how == "mod":
                quotient = self.emit(arith.FloorDivSIOp(a, b)).result
                product = self.emit(arith.MuliOp(quotient, b)).result
                value = self.emit(arith.SubiOp(a, product)).result
            else:
                value = self.emit(_DERIVED[how](a, b)).result
            return self.atom(value, bounds.low, bounds.high, loops_of(first) | loops_of(second))

        return self.remembered(("derived", how, _key(first), _key(second)), make)

    def from_start(self, index: NodeInteger, length: int) -> NodeInteger:
        """An index of a list with ``length`` members, counted from its start; negative ones are converted."""
        low, high = index.bounds
        if low is None or low < 0:
            if high is not None and high < 0:
                index = index + length
            else:
                index = self._wrapped(index, length)
        if self.speculative and not _is_within(index, length):
            # Python may not evaluate this lookup, so its index is limited to those of the list.
            index = smallest(largest(index, 0), length - 1)
        return index

    def _wrapped(self, index: NodeInteger, length: int) -> NodeInteger:
        def make() -> NodeInteger:
            low, high = index.bounds
            negative = self.comparison("lt", index)
            value = self.emit(arith.SelectOp(negative, self.index(index + length), self.index(index))).result
            least = None if low is None or low < -length else 0
            most = None if high is None else max(high, length - 1)
            return self.atom(value, least, most, index.loops)

        return self.remembered(("wrapped", index.key, length), make)

    def looked_up(
        self, members: Sequence[int], index: NodeInteger, bounds: tuple[int, int], name: str | None
    ) -> NodeInteger:
        """Return the member of a list at an index counted from its start; ``bounds`` are the bounds of the members."""

        def make() -> NodeInteger:
            value = self.emit(ConstantLookupOp(members, self.index(index), name)).result
            return self.atom(value, *bounds, loops=index.loops)

        return self.remembered(("looked up", tuple(members), index.key), make)

    def chosen(self, members: Sequence[Any], index: NodeInteger, bounds: tuple[int, int]) -> NodeInteger:
        """The integer at an index that is known on the node only, and certainly lies within ``bounds``."""
        first, last = bounds
        value = self.index(members[first])
        for position in range(first + 1, last + 1):
            here = self.comparison("eq", index - position)
            value = self.emit(arith.SelectOp(here, self.index(members[position]), value)).result
        there = members[first : last + 1]
        low, high = reduce(Interval.__or__, map(bounds_of, there))
        return self.atom(value, low, high, index.loops.union(*map(loops_of, there)))

    def comparison(self, relation: str, difference: NodeInteger) -> SSAValue:
        """``difference <relation> 0``, with the negative terms on the other side."""
        left = {atom: factor for atom, factor in difference.terms if factor > 0}
        right = {atom: -factor for atom, factor in difference.terms if factor < 0}
        constant = difference.constant
        first = NodeInteger(self, max(constant, 0), tuple(left.items())) if left else max(constant, 0)
        second = NodeInteger(self, max(-constant, 0), tuple(right.items())) if right else max(-constant, 0)
        value: SSAValue = self.emit(
            arith.CmpiOp(self.index(first), self.index(second), _RELATION[relation])
        ).result
        return value

    def logic(self, how: str, first: SSAValue, second: SSAValue) -> SSAValue:
        """``and`` or ``or`` of two truth values."""
        kind = arith.AndIOp if how == "and" else arith.OrIOp
        result: SSAValue = self.emit(kind(first, second)).result
        return result

    def negation(self, value: SSAValue) -> SSAValue:
        """``not`` of a truth value."""
        result: SSAValue = self.emit(arith.XOrIOp(value, self.truth(True))).result
        return result


def _is_within(index: NodeInteger, length: int) -> bool:
    low, high = bounds_of(index)
    return low is not None and high is not None and 0 <= low <= high < length


def require_word(number: int) -> None:
    """Refuse an integer that is too large for kernels."""
    if not -_INDEX_LIMIT < number < _INDEX_LIMIT:
        raise Reject(
            refusals.too_large(
                f"an integer of {number.bit_length()} bits is needed in a kernel",
                help="kernels compute with integers of up to 62 bits; compute larger ones outside the operation",
            )
        )


def new_block(*types: Attribute) -> Block:
    """A block with arguments of these types."""
    return Block(arg_types=types)


def region(block: Block) -> Region:
    """A region of one block."""
    return Region([block])


def _key(value: Any) -> Any:
    return value.key if isinstance(value, NodeInteger) else int(value)
