"""Choices of a generator: from a seed, or as they were made before. The first of several is the simplest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")
Below = Callable[[int], int]


class Choices:
    """What the generator asks. ``below(count)`` gives a number from 0 on; ``made`` has what was answered, in order."""

    def __init__(self, below: Below) -> None:
        self._below = below
        self.made: list[int] = []

    @classmethod
    def of(cls, seed: int) -> Choices:
        """Choices at random, the same for a seed on every machine."""
        return cls(Random(f"python semantics {seed}").randrange)

    def below(self, count: int) -> int:
        """A number from 0 on."""
        number = self._below(count)
        self.made.append(number)
        return number

    def one_of(self, items: Sequence[T]) -> T:
        """One of them, as likely as the others."""
        return items[self.below(len(items))]

    def percent(self, share: int) -> bool:
        """True in so many of a hundred; False is simpler."""
        return self.below(100) >= 100 - share

    def weighted(self, items: Sequence[tuple[int, T]]) -> T:
        """One of them, as likely as its weight says."""
        left = self.below(sum(weight for weight, _ in items))
        for weight, item in items:
            if left < weight:
                return item
            left -= weight
        raise AssertionError("weights are positive")
