"""``ttnn.Shape`` and the arithmetic of shapes: padding to tiles, dimension indices."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from ttl.diag.remedies import WholeDivision
from ttl.diag.values import is_int
from ttl.host.calling import checked
from ttl.host.errors import Code, describe, fail
from ttl.rows.types import TILE, Layout

__all__ = ("Shape",)


@checked
class Shape(tuple[int, ...]):
    """Extents of a tensor, outermost first. A tuple that also compares equal to a list."""

    __slots__ = ()

    def __new__(cls, extents: Iterable[int] = ()) -> Shape:
        return super().__new__(cls, extents_of(extents))

    @property
    def rank(self) -> int:
        """How many dimensions it has."""
        return len(self)

    def volume(self) -> int:
        """How many elements it has."""
        return volume(self)

    def to_rank(self, rank: int) -> Shape:
        """The same elements in ``rank`` dimensions: ones are added or removed in front."""
        if not is_int(rank) or not 0 <= int(rank) <= 64:
            fail(Code.WRONG_KIND, f"Shape.to_rank takes a number of dimensions, not {describe(rank)}")
        lead = len(self) - int(rank)
        if any(extent != 1 for extent in self[: max(lead, 0)]):
            fail(
                Code.SHAPES,
                f"shape {tuple(self)} has no form with {rank} dimensions",
                help="only leading dimensions of extent 1 can be removed",
            )
        return trusted((1,) * -lead + tuple(self[max(lead, 0) :]))

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return f"Shape({list(self)})"


def trusted(extents: tuple[int, ...]) -> Shape:
    """A ``Shape`` of extents that are known to be right."""
    return tuple.__new__(Shape, extents)


def extents_of(value: Any, what: str = "a shape") -> tuple[int, ...]:
    """Return a user's shape as a tuple of ints. Raises an error (TTL1005) for any other value."""
    if isinstance(value, Shape):
        return tuple(value)
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,)
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        fail(
            Code.NO_SHAPE,
            f"{what} is a sequence of integers, not {describe(value)}",
            help="write it as (64, 128)",
        )
    extents = []
    for extent in value:
        try:
            number = operator.index(extent)
        except TypeError:
            fail(
                Code.NO_SHAPE,
                f"{what} has integer extents, not {describe(extent)}",
                help="use // instead of / where an extent is computed",
                remedy=WholeDivision(),
            )
        if number < 0:
            fail(Code.NO_SHAPE, f"{what} has no negative extents, but one is {number}")
        extents.append(number)
    return tuple(extents)


def integers(value: Any, what: str) -> list[int]:
    """A sequence of integers, or an error (TTL1005)."""
    try:
        return [operator.index(extent) for extent in value]
    except TypeError:
        fail(Code.NO_SHAPE, f"{what} is a sequence of integers, not {describe(value)}")


def padded(shape: Sequence[int], layout: Layout) -> Shape:
    """Extents with padding: whole tiles in the last two dimensions of a tiled tensor.

    Specification section "Dataflow buffer": a tiled 0-D tensor is one tile, a tiled 1-D tensor one row of
    tiles; a row-major 0-D tensor is one element.
    """
    extents = tuple(shape)
    if layout is Layout.ROW_MAJOR:
        return trusted(extents or (1,))
    extents = (1,) * (2 - len(extents)) + extents
    return trusted((*extents[:-2], *(-(-extent // TILE) * TILE for extent in extents[-2:])))


def stored(shape: Sequence[int], layout: Layout) -> tuple[int, ...]:
    """Extents of the array that holds a tensor: as the shape, but never fewer dimensions than a block has."""
    least = 2 if layout is Layout.TILE else 1
    return (1,) * (least - len(shape)) + tuple(shape)


def volume(shape: Iterable[int]) -> int:
    """Product of the extents."""
    count = 1
    for extent in shape:
        count *= extent
    return count


def dimension(dim: Any, rank: int, function: str) -> int:
    """A dimension index, made non-negative, or an error (TTL1007)."""
    try:
        index = operator.index(dim)
    except TypeError:
        fail(Code.WRONG_KIND, f"ttnn.{function}: a dimension is an integer, not {describe(dim)}")
    if not -rank <= index < rank:
        legal = f"{-rank} to {rank - 1}" if rank else "none, for it is a single element"
        fail(
            Code.DIMENSION,
            f"ttnn.{function}: there is no dimension {index} in a tensor with {rank} dimensions",
            help=f"legal: {legal}",
        )
    return index % rank


def broadcast(first: Sequence[int], second: Sequence[int], function: str) -> tuple[int, ...]:
    """The shape both broadcast to, or an error (TTL1006)."""
    rank = max(len(first), len(second))
    left = (1,) * (rank - len(first)) + tuple(first)
    right = (1,) * (rank - len(second)) + tuple(second)
    for a, b in zip(left, right, strict=True):
        if a != b and 1 not in (a, b):
            fail(
                Code.SHAPES,
                f"ttnn.{function}: shapes {tuple(first)} and {tuple(second)} do not go together",
                notes=("counted from the last dimension, extents are equal or one of them is 1",),
            )
    return tuple(b if a == 1 else a for a, b in zip(left, right, strict=True))
