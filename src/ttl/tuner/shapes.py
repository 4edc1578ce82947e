"""One configuration for several shapes: the calls of one operation that were tuned, looked at together.

A configuration is as good as the geometric mean, over the shapes, of its cycles relative to the best of each shape. What was
stopped early or not run takes at least so many cycles: that bounds the mean from below, and those that could still be the
best are tried to their end (``undecided``).
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ttl.tuner.coordinator import TunedCall

# Configurations that are tried to their end on the shapes where they were not, at the most, the most promising first.
_MOST_TRIED = 24


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigurationResults:
    """A configuration that is possible on every shape, as far as is known."""

    configuration: Mapping[str, Any]
    cycles: tuple[int, ...]
    """By shape; of one that was not run to its end, what it takes at least."""
    exact: tuple[bool, ...]
    l1_bytes: int
    """The bytes of L1 of a node, on the shape that needs most, as far as is known."""
    mean: float
    """Geometric mean of the cycles relative to the best of each shape; a lower bound where not all cycles are exact."""

    @property
    def measured(self) -> bool:
        """Whether it ran to its end on every shape."""
        return all(self.exact)


@dataclass(frozen=True, kw_only=True, slots=True)
class ShapesTogether:
    """The calls of one operation, one for each shape."""

    calls: tuple[TunedCall, ...]
    standings: tuple[ConfigurationResults, ...]
    """The best first, of equally good ones the one that needs less of L1; those that ran to their end on every shape before the others."""

    @property
    def best(self) -> ConfigurationResults | None:
        """The best configuration for all of them; None where none is right on every shape."""
        return self.standings[0] if self.standings and self.standings[0].measured else None

    @property
    def undecided(self) -> list[ConfigurationResults]:
        """The configurations that could still be better, as far as is known, the most promising first."""
        most = math.inf if self.best is None else self.best.mean
        open_ = [item for item in self.standings if not item.measured and item.mean < most]
        return sorted(open_, key=lambda item: item.mean)

    def to_object(self) -> dict[str, Any]:
        """Return an object that ``json.dumps`` takes."""
        best = self.best
        return {
            "operation": self.calls[0].about["operation"],
            "chip": self.calls[0].about["chip"],
            "shapes": [list(call.about["key"]) for call in self.calls],
            "best": None if best is None else dict(best.configuration),
            "mean": None if best is None else round(best.mean, 4),
            "cycles": None if best is None else list(best.cycles),
            "best_of_each": [call.ranking[0].cycles for call in self.calls],
            "undecided": len(self.undecided),
        }


def together(calls: Sequence[TunedCall]) -> Iterator[ShapesTogether]:
    """The operations that were tuned for several shapes, each on one chip."""
    groups: defaultdict[tuple[Any, ...], list[TunedCall]] = defaultdict(list)
    for call in calls:
        if "problem" not in call.about and call.ranking:
            groups[
                call.about["operation"], call.about["file"], call.about["chip"], *call.about["grid"]
            ].append(call)
    for same in groups.values():
        if len(same) > 1:
            yield ShapesTogether(calls=tuple(same), standings=tuple(_standings(same)))


def undecided(calls: Sequence[TunedCall]) -> dict[tuple[Any, ...], list[int]]:
    """Return the numbers of configurations, by call, that must be run to the end to decide which one is the best for all shapes."""
    wanted: dict[tuple[Any, ...], list[int]] = {}
    for shapes in together(calls):
        for standing in shapes.undecided[:_MOST_TRIED]:
            for call, exact in zip(shapes.calls, standing.exact, strict=True):
                if not exact:
                    number = call.configurations.index(dict(standing.configuration))
                    wanted.setdefault(call.identity, []).append(number)
    return wanted


def _standings(calls: Sequence[TunedCall]) -> list[ConfigurationResults]:
    known = [_known(call) for call in calls]
    best = [call.ranking[0].cycles for call in calls]
    result = []
    for name, configuration in _named(calls[0]).items():
        own = [costs.get(name) for costs in known]
        possible = [cost for cost in own if cost is not None]
        if len(possible) < len(calls) or not any(exact for _, exact in possible):
            continue
        ratios = [max(cycles, 1) / least for (cycles, _), least in zip(possible, best, strict=True)]
        result.append(
            ConfigurationResults(
                configuration=configuration,
                cycles=tuple(cycles for cycles, _ in possible),
                exact=tuple(exact for _, exact in possible),
                l1_bytes=max(_l1_bytes(call, configuration) for call in calls),
                mean=math.exp(sum(map(math.log, ratios)) / len(ratios)),
            )
        )
    return sorted(result, key=lambda item: (not item.measured, round(item.mean, 9), item.l1_bytes))


def _l1_bytes(call: TunedCall, configuration: Mapping[str, Any]) -> int:
    trial = call.trials.get(call.configurations.index(dict(configuration)))
    return 0 if trial is None else trial.l1_bytes


def _named(call: TunedCall) -> dict[str, dict[str, Any]]:
    return {json.dumps(item, sort_keys=True): item for item in call.configurations}


def _known(call: TunedCall) -> dict[str, tuple[int, bool]]:
    """Return the cycles of each configuration, and whether they are exact; impossible and wrong ones are left out."""
    result = {}
    for number, name in enumerate(_named(call)):
        trial, screening = call.trials.get(number), call.screenings.get(number)
        if trial is None:
            result[name] = (0 if screening is None else screening.bound, False)
        elif trial.verdict in ("measured", "slower", "bound"):
            result[name] = (trial.cycles, trial.verdict == "measured")
    return result
