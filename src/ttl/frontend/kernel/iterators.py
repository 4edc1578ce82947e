"""Iterators in kernels: members that are taken once, by ``zip``, ``map``, ``enumerate``, generator expressions and the like."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

from ttl.frontend import refusals
from ttl.frontend.kernel.regions import Regions
from ttl.frontend.limits import Counted
from ttl.frontend.stop import Reject, static_needed
from ttl.frontend.values import Sequential, sequential

# Members of an iterator of a library that are taken to know where it is.
_MOST_MEMBERS = 65_536
LEFT_EARLY = "a loop that may be left early takes some of its members"
HANDED_ON = "another iterator takes its members"
MADE_OUTSIDE = (
    "it is made outside of the operation, and the first node to take its members leaves none to others"
)


class MemberIterator:
    """An iterator over members, or over something computed from positions. Whoever takes a member, changes it.

    Where ``members`` is None, ``why`` says why it is not known what is left. ``kernel`` is the one that takes members of
    an iterator that the operation made: which of two kernels gets which member is not known.
    """

    __slots__ = ("kernel", "left", "regions", "why")

    def __init__(self, members: list[Any] | Sequential | None, regions: Regions, why: str = "") -> None:
        # What there was, and how many members of it are taken.
        self.left: tuple[list[Any] | Sequential | None, int] = (members, 0)
        self.why = why
        self.kernel: str | None = None
        self.regions = regions

    def __iter__(self) -> MemberIterator:
        return self

    def ttl_held(self) -> tuple[Any, ...]:
        """Its members, where they are known one by one."""
        members = self.left[0]
        return tuple(members) if isinstance(members, list) else ()

    def __next__(self) -> Any:
        members, position = self.changed()
        length = members.length if isinstance(members, Sequential) else len(members)
        if not isinstance(length, int):
            raise static_needed("the length of a range")
        if position >= length:
            self.end()
            raise StopIteration
        if position >= _MOST_MEMBERS:
            raise Reject(refusals.too_large_a_value(f"a sequence of {length:,} members that is written out"))
        self.left = (members, position + 1)
        return members.at(position) if isinstance(members, Sequential) else members[position]

    def changed(self) -> tuple[list[Any] | Sequential, int]:
        """What is left, of which something is about to be taken. Raises ``Reject`` where that is not known."""
        kernel = self.regions.kernel_taking(self)
        if kernel is None or self.kernel not in (None, kernel):
            self.regions.require_mutable(self)
        else:
            self.kernel = kernel
        members, position = self.left
        if members is None:
            raise Reject(refusals.used_up(type(self).__name__, self.why))
        return members, position

    def end(self) -> None:
        """All members are taken."""
        self.left = ([], 0)

    def lose(self, why: str) -> None:
        """How many members are taken is not known from here on."""
        self.left, self.why = (None, 0), why


# Messages of Python's name values by their class.
_CLASSES: dict[str, type[MemberIterator]] = {
    name: type(name, (MemberIterator,), {"__slots__": ()})
    for name in ("zip", "map", "filter", "enumerate", "reversed", "generator", "iterator")
}


def iterator(
    members: list[Any] | Sequential | None, kind: str, regions: Regions, why: str = ""
) -> MemberIterator:
    """An iterator of a kind of Python's: the name of its class."""
    return _CLASSES.get(kind, _CLASSES["iterator"])(members, regions, why)


def ranged(value: Any) -> Sequential | None:
    """What something that is iterated over is computed from; None where that is a container, or some of it is taken."""
    if not isinstance(value, MemberIterator):
        return sequential(value)
    members, position = value.left
    return members if isinstance(members, Sequential) and not position else None


def is_iterator(value: Any) -> bool:
    """Whether a value is an iterator of Python's own, or of a library."""
    return hasattr(type(value), "__next__") and not isinstance(value, MemberIterator)


def followed(value: Any, regions: Regions) -> Any:
    """An iterator that Python made as one of which is known where it is; one that hardly ends as it is."""
    members = list(islice(value, _MOST_MEMBERS + 1))
    if len(members) > _MOST_MEMBERS:
        return Counted(chain(members, value), type(value).__name__)
    return iterator(members, type(value).__name__, regions)
