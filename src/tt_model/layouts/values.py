"""The base of all records of layouts, which caches their hashes, and the error for a value that cannot exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class LayoutError(ValueError):
    """A layout, tile or device that cannot exist; the text says why, in the words of the specification."""


class LayoutValue:
    """A frozen record that computes its hash once.

    Subclasses are dataclasses with ``frozen`` and ``slots``, without ``eq``.
    """

    __slots__ = ("_hash",)
    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            known = hash((type(self).__name__, self._fields()))
            object.__setattr__(self, "_hash", known)
            return known

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or not isinstance(other, LayoutValue):
            return NotImplemented
        return hash(self) == hash(other) and self._fields() == other._fields()

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in type(self).__match_args__)  # type: ignore[attr-defined]


def dimensions_text(extents: Sequence[int]) -> str:
    """``8x8``; empty if there are no dimensions."""
    return "x".join(map(str, extents))


def volume(extents: Sequence[int]) -> int:
    """The product of the numbers; 1 if there are no numbers."""
    product = 1
    for extent in extents:
        product *= extent
    return product


def ceil_div(value: int, divisor: int) -> int:
    """The quotient, rounded up."""
    return -(-value // divisor)
