"""Sequences of a kernel's events, by number, in which iterations of a loop that are all alike stand once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

# Sequences of no more parts than these are compared part by part, longer ones loop by loop.
_WRITTEN_OUT = 1 << 14


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part of a sequence that happens ``count`` times, at least twice."""

    count: int
    body: Sequence


@dataclass(frozen=True, slots=True)
class Choice:
    """An event after which a kernel continues in one of several ways: which one depends on the order of messages."""

    event: int
    ways: tuple[Sequence, ...]


Sequence = tuple["int | Repeat | Choice", ...]


def repeated(count: int, body: Sequence) -> Sequence:
    """A body ``count`` times."""
    if count <= 0 or not body:
        return ()
    return body if count == 1 else (Repeat(count, body),)


def length(sequence: Sequence) -> int:
    """Return how many events a sequence is, at most."""
    return sum(
        1
        if isinstance(item, int)
        else item.count * length(item.body)
        if isinstance(item, Repeat)
        else 1 + max(map(length, item.ways))
        for item in sequence
    )


def written_out(sequence: Sequence) -> Sequence:
    """A sequence without repeats, unless it would be too long."""
    return tuple(_parts(sequence)) if length(sequence) <= _WRITTEN_OUT else sequence


def _parts(sequence: Sequence) -> Iterator[int | Choice]:
    for item in sequence:
        if not isinstance(item, Repeat):
            yield item
        else:
            yield from _parts(item.body * item.count)
