"""The values of a tile program while it is read: positions in tensors, blocks of loops, values of the graph."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from ttl.analysis.polynomials import Indeterminate, Polynomial, derived
from ttl.design.graph import GraphValue, Partial
from ttl.frontend.stop import Reject
from ttl.lang.tiles import TileAxis, TileValue
from ttl.rows.row import Op, Params
from ttl.rules import design as rules
from ttl.rules import tiles


class _Applies(Protocol):
    """Records computations."""

    def apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> Any:
        """Record an operation on values and numbers."""


class Position:
    """A number that depends on loops: the start of a block, in tiles or elements, or its size.

    ``form`` is the number for the current steps; ``free`` has an indeterminate for every size that the designer
    chooses.
    """

    __slots__ = ("form", "free")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, form: Polynomial, free: Polynomial | None = None) -> None:
        self.form, self.free = form, form if free is None else free

    def __add__(self, other: Any) -> Position:
        other = position(other)
        return Position(self.form + other.form, self.free + other.free)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Position:
        other = position(other)
        return Position(self.form - other.form, self.free - other.free)

    def __rsub__(self, other: Any) -> Position:
        return position(other) - self

    def __neg__(self) -> Position:
        return self * -1

    def __mul__(self, other: Any) -> Position:
        other = position(other)
        return Position(self.form * other.form, self.free * other.free)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Position:
        return self._divided("//", operator.floordiv, other)

    def __mod__(self, other: Any) -> Position:
        return self._divided("%", operator.mod, other)

    def _divided(self, sign: str, apply: Callable[[int, int], int], other: Any) -> Position:
        if isinstance(other, bool) or not isinstance(other, int) or other <= 0:
            raise Reject(tiles.no_divisor(other))
        by = Polynomial.constant(other)
        return Position(derived(sign, apply, self.form, by), derived(sign, apply, self.free, by))

    def __bool__(self) -> NoReturn:
        raise Reject(rules.decided_by_loop())

    def __eq__(self, other: object) -> NoReturn:
        raise Reject(rules.decided_by_loop())

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__

    def __str__(self) -> NoReturn:
        raise Reject(rules.decided_by_loop())

    def __format__(self, form: str) -> NoReturn:
        raise Reject(rules.decided_by_loop())

    def __repr__(self) -> str:
        return f"<{self.free}>"


def position(value: Any) -> Position:
    if isinstance(value, Position):
        return value
    if isinstance(value, int):
        return Position(Polynomial.constant(int(value)))
    raise Reject(tiles.no_position(value))


@dataclass(frozen=True, slots=True)
class SizeOfBlock:
    """The key of an indeterminate: the step of a loop that the designer chooses."""

    loop: int


class BlockIndex:
    """The block that a loop over tiles yields in an iteration. ``start``, ``stop`` and ``size`` are in tiles."""

    __slots__ = ("axis", "number", "size", "start", "step")

    def __init__(self, start: Position, step: int, axis: TileAxis, number: int, *, is_free: bool) -> None:
        self.start, self.step, self.axis, self.number = start, step, axis, number
        size = Polynomial.of(Indeterminate("size", SizeOfBlock(number)))
        self.size = Position(Polynomial.constant(step), size) if is_free else step

    def _use(self, *_: Any) -> NoReturn:
        raise Reject(tiles.block_as_number(self.axis.name))

    __bool__ = __index__ = __int__ = __float__ = __str__ = __format__ = __len__ = __iter__ = __round__ = _use
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _use
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = _use
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rlshift__ = _use
    __rshift__ = __rrshift__ = __matmul__ = __rmatmul__ = __neg__ = __pos__ = __abs__ = __invert__ = _use
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __contains__ = __getitem__ = _use

    @property
    def stop(self) -> Position:
        """The end of the block."""
        return self.start + self.size


class TracedValue(TileValue):
    """A value of the graph."""

    __slots__ = ("recorder", "value")

    def __init__(self, recorder: _Applies, value: GraphValue) -> None:
        self.recorder, self.value = recorder, value

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> Any:
        return self.recorder.apply(op, operands, params)

    def __eq__(self, other: object) -> Any:
        return self is other

    def __ne__(self, other: object) -> Any:
        return self is not other

    __hash__ = TileValue.__hash__

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple(
            Position(Polynomial.of(Indeterminate("extent", extent.key)))
            if isinstance(extent, Partial)
            else extent
            for extent in self.value.extents
        )

    def mean(self, axis: int = -1) -> Any:
        total = self.sum(axis)
        if isinstance(self.value.extents[axis], Partial):
            raise Reject(rules.mean_of_blocks())
        return total * (1 / self.value.extents[axis])

    @property
    def dtype(self) -> Any:
        return self.value.dtype
