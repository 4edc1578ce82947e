"""The configurations of an operation, in the order of preference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from ttl.lang.choices import Tunable

Configuration = dict[str, Any]


def count(tunable: Tunable, chip: str) -> int:
    """Return how many configurations are declared for a chip."""
    if tunable.configurations:
        return len(tunable.configurations)
    of_chip = tunable.values.get(chip, {})
    return prod(len(values) for values in of_chip.values()) if of_chip else 0


def configurations(tunable: Tunable, chip: str) -> Iterator[Configuration]:
    """The configurations that are declared for a chip, the preferred first.

    Sizes of ``as_large_as_fits`` are the last parameters; the last parameter changes fastest.
    """
    for group in groups(tunable, chip):
        yield from group


def groups(tunable: Tunable, chip: str) -> Iterator[list[Configuration]]:
    """Yield the configurations in groups that differ in the last size only: if one fits, all later ones of its group fit."""
    if tunable.configurations:
        for config in tunable.configurations:
            yield [dict(config)]
        return
    of_chip = tunable.values.get(chip)
    if of_chip is None:
        return
    if not tunable.names:
        yield [{}]
        return
    names = sorted(tunable.names, key=lambda name: name in tunable.growing)
    *outer, last = names
    if last not in tunable.growing:
        outer, last = names, ""
    for values in product(*(of_chip[name] for name in outer)):
        common = dict(zip(outer, values, strict=True))
        yield [{**common, last: value} for value in of_chip[last]] if last else [common]


class Sizes:
    """The configurations that do not fit. One that is at least as large in every parameter does not fit either."""

    def __init__(self, tunable: Tunable, chip: str) -> None:
        of_chip = tunable.values.get(chip, {})
        # From large to small, the order of preference.
        self._positions = {name: of_chip[name] for name in tunable.names if name in tunable.growing}
        self._too_large: list[tuple[Configuration, tuple[int, ...]]] = []

    def too_large(self, configuration: Mapping[str, Any]) -> None:
        """Record a configuration that does not fit."""
        self._too_large.append(self._parts(configuration))

    def is_too_large(self, configuration: Mapping[str, Any]) -> bool:
        """Whether a configuration cannot fit, because a smaller one does not fit."""
        fixed, positions = self._parts(configuration)
        return any(
            fixed == other and all(mine <= its for mine, its in zip(positions, there, strict=True))
            for other, there in self._too_large
        )

    def _parts(self, configuration: Mapping[str, Any]) -> tuple[Configuration, tuple[int, ...]]:
        fixed = {name: value for name, value in configuration.items() if name not in self._positions}
        return fixed, tuple(values.index(configuration[name]) for name, values in self._positions.items())
