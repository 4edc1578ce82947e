"""Loops of a pass that go on until nothing changes any more: they end, or say that they did not."""

from __future__ import annotations

from collections.abc import Iterator


class NotSettled(Exception):
    """Something went on changing. A mistake of ours, and reported as one (TTL9001)."""


def turns(what: str, most: int) -> Iterator[int]:
    """Numbers of turns. Leave the loop over them when nothing changed; raises ``NotSettled`` after ``most``."""
    yield from range(most)
    raise NotSettled(f"{what} went on changing for {most} turns")
