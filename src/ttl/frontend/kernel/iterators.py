"""Iterators in kernels, such as ``zip``, ``map`` and generator expressions: a member is computed when it is taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ttl.diag import TTLError
from ttl.frontend import refusals
from ttl.frontend.kernel.regions import Regions
from ttl.frontend.limits import MOST_ITERATED
from ttl.frontend.stop import Poisoned, Reject, static_needed
from ttl.frontend.values import Sequential, sequential

LEFT_EARLY = "a loop that may be left early takes some of its members"
HANDED_ON = "another iterator uses its members"
MADE_OUTSIDE = "it is made outside of the operation, and the first node that takes its members leaves no members for others"


class MemberIterator:
    """An iterator that computes each member when it is taken, or one over an iterable that is computed from positions.

    Taking a member changes it. If ``source`` is None, it is not known which members are left, and ``why`` says the
    reason. ``held`` are the values that computing a member may call. ``kernel`` is the kernel that takes members of an
    iterator made by the operation; if two kernels did, it would not be known which kernel gets which member.
    """

    __slots__ = ("held", "kernel", "regions", "source", "taken", "why")

    def __init__(
        self,
        source: Iterator[Any] | Sequential | None,
        regions: Regions,
        why: str = "",
        held: tuple[Any, ...] = (),
    ) -> None:
        self.source = source
        # The number of members that were taken.
        self.taken = 0
        self.why = why
        self.kernel: str | None = None
        self.regions = regions
        self.held = held

    def __iter__(self) -> MemberIterator:
        return self

    def ttl_held(self) -> tuple[Any, ...]:
        """The values that computing a member may call."""
        return self.held

    def __next__(self) -> Any:
        source = self.changed()
        if isinstance(source, Sequential):
            if not isinstance(source.length, int):
                raise static_needed("the length of a range")
            if self.taken >= source.length:
                self.end()
                raise StopIteration
        if self.taken >= MOST_ITERATED:
            raise Reject(refusals.too_many_members(type(self).__name__, MOST_ITERATED))
        self.taken += 1
        if isinstance(source, Sequential):
            return source.at(self.taken - 1)
        try:
            return next(source)
        except (StopIteration, Reject, Poisoned, TTLError):
            raise
        except Exception as raised:
            raise Reject(refusals.raises(type(raised).__name__, str(raised))) from None

    def changed(self) -> Iterator[Any] | Sequential:
        """Return the source of the members, of which one is about to be taken.

        Raises ``Reject`` if it is not known which member is next.
        """
        kernel = self.regions.kernel_taking(self)
        if kernel is None or self.kernel not in (None, kernel):
            self.regions.require_here(self)
        else:
            self.kernel = kernel
        if self.regions.partly is not None:
            self.regions.partly.append(self)
        if self.source is None:
            raise Reject(refusals.used_up(type(self).__name__, self.why))
        return self.source

    def end(self) -> None:
        """Note that all members are taken."""
        self.source = iter(())

    def lose(self, why: str) -> None:
        """Note that the number of members taken is not known from here on."""
        self.source, self.why = None, why


# Python's messages name values by their class.
_CLASSES: dict[str, type[MemberIterator]] = {
    name: type(name, (MemberIterator,), {"__slots__": ()})
    for name in ("zip", "map", "filter", "enumerate", "reversed", "generator", "iterator")
}


def iterator(
    source: Iterator[Any] | Sequential | None,
    kind: str,
    regions: Regions,
    why: str = "",
    held: tuple[Any, ...] = (),
) -> MemberIterator:
    """Return an iterator with a class named ``kind``, as Python's own."""
    return _CLASSES.get(kind, _CLASSES["iterator"])(source, regions, why, held)


def ranged(value: Any) -> Sequential | None:
    """Return the source that computes an iterable from positions; None for a container, or if members were taken."""
    if not isinstance(value, MemberIterator):
        return sequential(value)
    return value.source if isinstance(value.source, Sequential) and not value.taken else None


def lose(iterators: list[MemberIterator]) -> None:
    """Note that the node decides how many members of iterators are taken."""
    for value in iterators:
        value.lose(LEFT_EARLY)


def is_iterator(value: Any) -> bool:
    """Whether a value is an iterator of Python itself or of a library."""
    return hasattr(type(value), "__next__") and not isinstance(value, MemberIterator)
