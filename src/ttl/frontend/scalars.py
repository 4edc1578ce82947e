"""Integers and conditions that are known on the node only: coordinates, loop variables, and results computed from them.

A ``NodeInteger`` is a linear form over *atoms*, the values of the IR that cannot be decomposed further, with bounds.
Equal forms have equal representations, so ``(m + 1) * 4 - m * 4`` is the Python number 4 again. IR is emitted when the
value is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor, isfinite
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar

from ttl.analysis.intervals import Interval, exactly, greatest, least
from ttl.frontend.stop import static_needed

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

Bound = int | None
Remembered = TypeVar("Remembered")


class Emitter(Protocol):
    """Emits the computations with numbers of the node: the ``Builder``."""

    def emit(self, operation: Any) -> Any:
        """Append an operation and return it."""

    def remembered(self, key: Any, make: Callable[[], Remembered]) -> Remembered:
        """The value for a key: an earlier one that is visible from the current block, or a new one."""

    def linear(self, value: NodeInteger) -> SSAValue:
        """The operations that compute a linear form."""

    def derived(self, how: str, first: Any, second: Any, bounds: Interval) -> NodeInteger:
        """The integer that a non-linear operation computes; the same one for equal operands."""

    def comparison(self, relation: str, difference: NodeInteger) -> SSAValue:
        """``difference <relation> 0``."""

    def logic(self, how: str, first: SSAValue, second: SSAValue) -> SSAValue:
        """``and`` or ``or`` of two truth values."""

    def negation(self, value: SSAValue) -> SSAValue:
        """``not`` of a truth value."""


class LinearAtom:
    """A value of the IR that is not a sum: a coordinate, a loop variable, a quotient."""

    __slots__ = ("high", "loops", "low", "serial", "ssa")

    def __init__(
        self, serial: int, ssa: SSAValue, low: Bound, high: Bound, loops: frozenset[int] = frozenset()
    ) -> None:
        self.serial = serial
        self.ssa = ssa
        self.low = low
        self.high = high
        self.loops = loops


Terms = tuple[tuple[LinearAtom, int], ...]


class ValueOfNode:
    """A value that is known on the node only. Using it where Python needs a known value is an error.

    Such values are compared in ``kernel.comparing``: Python's own comparison is by identity.
    """

    __slots__ = ()
    what = "a number"

    def _needed(self, *operands: Any) -> NoReturn:
        raise static_needed(self.what)

    __index__ = __int__ = __float__ = __complex__ = __bool__ = __hash__ = _needed
    __round__ = __trunc__ = __ceil__ = __floor__ = _needed
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _needed


class NodeInteger(ValueOfNode):
    """An integer: ``constant`` plus the sum of atoms times coefficients. There is always at least one term."""

    is_number_of_node = True
    __slots__ = ("builder", "constant", "terms")

    def __init__(self, builder: Emitter, constant: int, terms: Terms) -> None:
        self.builder = builder
        self.constant = constant
        self.terms = terms

    @property
    def key(self) -> tuple[Any, ...]:
        """A key that is equal for equal forms."""
        return (self.constant, *((atom.serial, factor) for atom, factor in self.terms))

    @property
    def loops(self) -> frozenset[int]:
        """The loops with which the value varies."""
        return frozenset().union(*(atom.loops for atom, _ in self.terms))

    @property
    def bounds(self) -> Interval:
        """The smallest and the largest value; None where unknown."""
        bounds = exactly(self.constant)
        for atom, factor in self.terms:
            bounds += Interval(atom.low, atom.high) * exactly(factor)
        return bounds.clipped

    def ssa(self) -> SSAValue:
        """The value in the IR, for use in the current block."""
        return self.builder.linear(self)

    # --- arithmetic -------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        return _combine(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _combine(self, other, -1)

    def __rsub__(self, other: Any) -> Any:
        negated = -self
        return negated + other if _plain(other) or isinstance(other, NodeInteger) else NotImplemented

    def __neg__(self) -> Any:
        return _scaled(self, -1)

    def __pos__(self) -> NodeInteger:
        return self

    def __mul__(self, other: Any) -> Any:
        if _plain(other):
            return _scaled(self, int(other))
        if not isinstance(other, NodeInteger):
            return NotImplemented
        return self.builder.derived("mul", self, other, self.bounds * other.bounds)

    __rmul__ = __mul__

    def __pow__(self, exponent: Any) -> Any:
        if not _plain(exponent) or not 0 <= int(exponent) <= 8:
            return NotImplemented
        result: Any = 1
        for _ in range(int(exponent)):
            result = self * result
        return result

    def __floordiv__(self, other: Any) -> Any:
        if isinstance(other, NodeInteger):
            return self.builder.derived("floordiv", self, other, self.bounds // other.bounds)
        if not _plain(other):
            return NotImplemented
        return _floordiv(self, int(other))

    def __rfloordiv__(self, other: Any) -> Any:
        if not _plain(other):
            return NotImplemented
        return self.builder.derived("floordiv", int(other), self, exactly(int(other)) // self.bounds)

    def __mod__(self, other: Any) -> Any:
        if isinstance(other, NodeInteger):
            return self - self // other * other
        if not _plain(other):
            return NotImplemented
        return _mod(self, int(other))

    def __rmod__(self, other: Any) -> Any:
        if not _plain(other):
            return NotImplemented
        return int(other) - other // self * self

    def __truediv__(self, other: Any) -> Any:
        return NodeRatio(self, other) if _plain(other) or isinstance(other, NodeInteger) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return NodeRatio(other, self) if _plain(other) else NotImplemented

    def __abs__(self) -> Any:
        return largest(self, -self)

    # --- comparisons ------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        return compare("eq", self, other)

    def __ne__(self, other: object) -> Any:
        return compare("ne", self, other)

    def __lt__(self, other: Any) -> Any:
        return compare("lt", self, other)

    def __le__(self, other: Any) -> Any:
        return compare("le", self, other)

    def __gt__(self, other: Any) -> Any:
        return compare("gt", self, other)

    def __ge__(self, other: Any) -> Any:
        return compare("ge", self, other)

    __hash__ = ValueOfNode._needed

    def __repr__(self) -> str:
        return "a number computed on the node"


class NodeRatio(ValueOfNode):
    """The exact quotient of two integers, from which ``math.ceil``, ``math.floor`` and ``int`` make an integer."""

    is_number_of_node = True
    __slots__ = ("above", "below")

    def __init__(self, above: Any, below: Any) -> None:
        self.above = above
        self.below = below

    def floor(self) -> Any:
        """``math.floor``."""
        return self.above // self.below

    def ceil(self) -> Any:
        """``math.ceil``."""
        return -((-self.above) // self.below)

    def truncated(self) -> Any:
        """``int`` if the dividend is known not to be negative, and the divisor to be positive; else None."""
        low = self.above if isinstance(self.above, int) else self.above.bounds[0]
        sign = self.below if isinstance(self.below, int) else self.below.bounds[0]
        return self.floor() if low is not None and low >= 0 and sign is not None and sign > 0 else None

    def __repr__(self) -> str:
        return "a fraction computed on the node"


class NodeCondition(ValueOfNode):
    """A truth value that is known on the node only. ``emit`` emits it in the IR.

    ``operands`` are the integers, other conditions and values of the IR from which it is computed; None if unknown.
    """

    __slots__ = ("builder", "emit", "key", "loops", "operands")
    what = "a truth value"

    def __init__(
        self,
        builder: Emitter,
        key: tuple[Any, ...],
        loops: frozenset[int],
        emit: Callable[[], SSAValue],
        operands: tuple[Any, ...] | None = None,
    ) -> None:
        self.operands = operands
        self.builder = builder
        self.key = key
        self.loops = loops
        self.emit = emit

    def ssa(self) -> SSAValue:
        """The value in the IR, for use in the current block."""
        return self.builder.remembered(("condition", *self.key), self.emit)

    __invert__ = ValueOfNode._needed

    def __repr__(self) -> str:
        return "a condition computed on the node"


class IdentityKey:
    """A value as a part of a key, which equals only itself."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and other.of is self.of

    def __hash__(self) -> int:
        return id(self.of)


class NestedKey:
    """A key as a part of another key, with a cached hash: keys of long chains of conditions are deep."""

    __slots__ = ("_hash", "key")

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.key = key
        self._hash = hash(key)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, NestedKey) and self._hash == hash(other) and self.key == other.key
        )

    def __hash__(self) -> int:
        return self._hash


_NEGATED = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}


def negated(condition: Any) -> Any:
    """``not condition``."""
    if not isinstance(condition, NodeCondition):
        return not condition
    key = condition.key
    if key[0] in _NEGATED:
        return _comparison(condition.builder, _NEGATED[key[0]], key[1].of)
    if key[0] == "not":
        return key[1].of
    builder = condition.builder
    return NodeCondition(
        builder,
        ("not", IdentityKey(condition)),
        condition.loops,
        lambda: builder.negation(condition.ssa()),
        operands=(condition,),
    )


_OPPOSITE = {"ne": "eq", "ge": "lt", "gt": "le"}


def plain_key(condition: NodeCondition) -> tuple[Any, bool]:
    """A key that is equal for equal and opposite conditions, and whether it stands for the condition itself."""
    how, *rest = condition.key
    if how == "not":
        key, sign = plain_key(rest[0].of)
        return key, not sign
    if len(rest) == 1 and isinstance(rest[0], IdentityKey):
        return (_OPPOSITE.get(how, how), rest[0].of.key), how not in _OPPOSITE
    return condition.key, True


def both(first: Any, second: Any) -> Any:
    """``first and second``, of conditions and Python truth values."""
    return _joined("and", first, second)


def either(first: Any, second: Any) -> Any:
    """``first or second``."""
    return _joined("or", first, second)


def _joined(how: str, first: Any, second: Any) -> Any:
    for one, other in ((first, second), (second, first)):
        if not isinstance(one, NodeCondition):
            return other if bool(one) is (how == "and") else bool(one)
    builder = first.builder
    return NodeCondition(
        builder,
        (how, NestedKey(first.key), NestedKey(second.key)),
        first.loops | second.loops,
        lambda: builder.logic(how, first.ssa(), second.ssa()),
        operands=(first, second),
    )


def compare(relation: str, first: Any, second: Any) -> Any:
    """The result of a comparison: a Python truth value if the bounds decide it, else a condition."""
    if isinstance(second, float):
        if not isfinite(second):
            return relation == "ne" or relation in (
                ("lt", "le") if second > 0 else ("gt", "ge") if second < 0 else ()
            )
        whole = floor(second)
        if whole != second and relation in ("eq", "ne"):
            return relation == "ne"
        # No integer lies between the fraction and the integer below it.
        relation = relation if whole == second else {"lt": "le", "ge": "gt"}.get(relation, relation)
        second = whole
    if not isinstance(second, NodeInteger) and not _plain(second):
        if relation in ("eq", "ne"):
            return relation == "ne"
        return NotImplemented
    difference = first - second
    if not isinstance(difference, NodeInteger):
        return exactly(difference).decided(relation)
    decided = difference.bounds.decided(relation)
    return _comparison(first.builder, relation, difference) if decided is None else decided


def _comparison(builder: Emitter, relation: str, difference: NodeInteger) -> NodeCondition:
    return NodeCondition(
        builder,
        (relation, IdentityKey(difference)),
        difference.loops,
        lambda: builder.comparison(relation, difference),
        operands=(difference,),
    )


def largest(first: Any, second: Any) -> Any:
    """``max`` of two integers."""
    return _extreme("max", first, second)


def smallest(first: Any, second: Any) -> Any:
    """``min`` of two integers."""
    return _extreme("min", first, second)


def _extreme(which: str, first: Any, second: Any) -> Any:
    if not isinstance(first, NodeInteger) and not isinstance(second, NodeInteger):
        return max(first, second) if which == "max" else min(first, second)
    difference = first - second
    low, high = difference.bounds if isinstance(difference, NodeInteger) else (difference, difference)
    if low is not None and low >= 0:
        return first if which == "max" else second
    if high is not None and high <= 0:
        return second if which == "max" else first
    bounds = (greatest if which == "max" else least)(bounds_of(first), bounds_of(second))
    builder = first.builder if isinstance(first, NodeInteger) else second.builder
    return builder.derived(which, first, second, bounds)


def bounds_of(value: Any) -> Interval:
    """The smallest and the largest value of an integer."""
    return value.bounds if isinstance(value, NodeInteger) else exactly(int(value))


def loops_of(value: Any) -> frozenset[int]:
    """The loops with which a number or condition varies."""
    return value.loops if isinstance(value, NodeInteger | NodeCondition) else frozenset()


def _plain(value: object) -> bool:
    return isinstance(value, int)


def _combine(first: NodeInteger, other: Any, sign: int) -> Any:
    if _plain(other):
        return NodeInteger(first.builder, first.constant + sign * int(other), first.terms)
    if not isinstance(other, NodeInteger):
        return NotImplemented
    merged = dict(first.terms)
    for atom, factor in other.terms:
        merged[atom] = merged.get(atom, 0) + sign * factor
    return _made(first.builder, first.constant + sign * other.constant, merged)


def _made(builder: Emitter, constant: int, terms: dict[LinearAtom, int]) -> Any:
    kept = tuple(
        sorted(((a, factor) for a, factor in terms.items() if factor), key=lambda pair: pair[0].serial)
    )
    return NodeInteger(builder, constant, kept) if kept else constant


def _scaled(value: NodeInteger, factor: int) -> Any:
    if factor == 0:
        return 0
    return NodeInteger(
        value.builder, value.constant * factor, tuple((atom, number * factor) for atom, number in value.terms)
    )


def _split(value: NodeInteger, divisor: int) -> tuple[Any, Any]:
    """``value`` as ``divisor * whole + rest``, with as many terms as possible in ``whole``."""
    whole = {atom: factor // divisor for atom, factor in value.terms if factor % divisor == 0}
    rest = {atom: factor for atom, factor in value.terms if factor % divisor}
    return (
        _made(value.builder, value.constant // divisor, whole),
        _made(value.builder, value.constant % divisor, rest),
    )


def _floordiv(value: NodeInteger, divisor: int) -> Any:
    if divisor == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if divisor < 0:
        return (-value) // -divisor
    whole, rest = _split(value, divisor)
    low, high = bounds_of(rest)
    if low is not None and high is not None and low // divisor == high // divisor:
        return whole + low // divisor
    return whole + value.builder.derived("floordiv", rest, divisor, Interval(low, high) // exactly(divisor))


def _mod(value: NodeInteger, divisor: int) -> Any:
    if divisor == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if divisor < 0:
        return -((-value) % -divisor)
    _, rest = _split(value, divisor)
    low, high = bounds_of(rest)
    if low is not None and high is not None and low // divisor == high // divisor:
        return rest - divisor * (low // divisor)
    return value.builder.derived("mod", rest, divisor, Interval(0, divisor - 1))
