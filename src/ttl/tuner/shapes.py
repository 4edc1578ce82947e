"""One configuration for several shapes: the tuned calls of one operation, evaluated together.

A configuration is as good as the geometric mean, over the shapes, of its cycles relative to the best of each shape. For
trials that were stopped early or not run, only a lower bound of the cycles is known. It bounds the mean from below;
configurations that could still be the best are run to their end (``undecided``).
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ttl.tuner.coordinator import TunedCall

# The most configurations that are run to the end on all shapes, the most promising first.
_MOST_TRIED = 24


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigurationResults:
    """A configuration that is possible on every shape, and its results."""

    configuration: Mapping[str, Any]
    cycles: tuple[int, ...]
    """Cycles by shape; a lower bound if the trial was not run to its end."""
    exact: tuple[bool, ...]
    l1_bytes: int
    """The largest L1 use of a node in bytes, over the shapes with a result."""
    mean: float
    """The geometric mean of cycles relative to each shape's best; a lower bound if some cycles are lower bounds."""

    @property
    def measured(self) -> bool:
        """Whether the configuration ran to its end on every shape."""
        return all(self.exact)


@dataclass(frozen=True, kw_only=True, slots=True)
class ShapesTogether:
    """The calls of one operation, one for each shape."""

    calls: tuple[TunedCall, ...]
    standings: tuple[ConfigurationResults, ...]
    """Measured configurations first, then the best first; of equally good ones the one that needs less L1."""

    @property
    def best(self) -> ConfigurationResults | None:
        """The best configuration for all shapes; None if no configuration is correct on every shape."""
        return self.standings[0] if self.standings and self.standings[0].measured else None

    @property
    def undecided(self) -> list[ConfigurationResults]:
        """The configurations that may still be better than the best one, the most promising first."""
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
    """Yield the tuned calls of each operation, chip and grid that were tuned for several shapes."""
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
    """Return the numbers of configurations, by call, that must be run to the end to find the best for all shapes."""
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
    """Return the cycles of each configuration, and whether they are exact, without impossible and wrong ones."""
    result = {}
    for number, name in enumerate(_named(call)):
        trial, screening = call.trials.get(number), call.screenings.get(number)
        if trial is None:
            result[name] = (0 if screening is None else screening.bound, False)
        elif trial.verdict in ("measured", "slower", "bound"):
            result[name] = (trial.cycles, trial.verdict == "measured")
    return result
