"""The order in which configurations are tried: all if they are few, else those that an estimate and Optuna choose.

The search is deterministic for a seed: trials are requested in batches whose sizes do not depend on the number of processes, and
their results are reported in the order of the requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any, Protocol

import numpy as np

from ttl.tuner.trial import Screening, TunerTrial
from ttl.tuning.space import Configuration

# Trials in one batch: fewest and most.
BATCH, _MOST = 8, 64
# The number of measurements (or half of the budget, if that is less) from which the estimator is useful. Before, it
# samples at random, and is asked only if there are too few estimates.
_FIRST = 16
# The weight of the estimate against measurements, as a number of trials.
_TRUST = 0.3
# The bonus, in the logarithm of cycles, for each parameter value that was never tried.
_CURIOSITY = 0.1


class Search(Protocol):
    """Chooses configurations, by their numbers."""

    def ask(self) -> list[int]:
        """Return the next configurations to try; none when the search is complete."""

    def tell(self, trials: Sequence[TunerTrial]) -> None:
        """Process the trials of the configurations requested last, in the same order."""

    def drop(self, numbers: Sequence[int]) -> None:
        """Exclude configurations that cannot be the best."""


class Exhaustive:
    """Every configuration once, the fastest by estimate first: slow ones are then stopped early."""

    def __init__(self, screenings: Mapping[int, Screening]) -> None:
        """``screenings`` are keyed by configuration number, in order of preference."""
        self._left = sorted(screenings, key=lambda number: (screenings[number].estimate, number))
        self._size = BATCH

    def ask(self) -> list[int]:
        """Return the next batch. Batches grow, because later ones depend less on the results of earlier ones."""
        batch, self._left = self._left[: self._size], self._left[self._size :]
        self._size = min(2 * self._size, _MOST)
        return batch

    def tell(self, trials: Sequence[TunerTrial]) -> None:
        """Ignore the results."""

    def drop(self, numbers: Sequence[int]) -> None:
        """Exclude configurations from the search."""
        dropped = set(numbers)
        self._left = [number for number in self._left if number not in dropped]


class Sampled:
    """A search of as many configurations as ``budget`` allows.

    Half of them are the fastest by an estimate that measurements correct; the others are chosen by a tree-structured
    Parzen estimator, which learns effects that the estimate does not cover.
    """

    def __init__(
        self,
        configurations: Mapping[int, Configuration],
        screenings: Mapping[int, Screening],
        budget: int,
        seed: int,
    ) -> None:
        """Create the study. Raises ``ImportError`` if Optuna is not installed."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._optuna = optuna
        self._budget = budget
        self._estimates = {number: item.estimate for number, item in screenings.items() if item.estimate}
        self._values = {
            name: list(dict.fromkeys(repr(item[name]) for item in configurations.values()))
            for name in next(iter(configurations.values()))
        }
        self._keys = {
            number: tuple(repr(item[name]) for name in self._values)
            for number, item in configurations.items()
        }
        self._numbers = {key: number for number, key in self._keys.items()}
        self._first = min(_FIRST, budget // 2)
        sampler = optuna.samplers.TPESampler(
            seed=seed, n_startup_trials=self._first, multivariate=True, constant_liar=True
        )
        self._study = optuna.create_study(sampler=sampler, direction="minimize")
        self.by_estimator: set[int] = set()
        """The configurations that the estimator itself requested."""
        self._seen: set[int] = set()
        self._dropped: set[int] = set()
        self._asked: list[tuple[Any, int]] = []
        self._measured: dict[int, int] = {}

    def ask(self) -> list[int]:
        """Return the next configurations; each is returned once."""
        self._asked = []
        # In a small search, each configuration is chosen with the results of the last ones.
        batch = min(BATCH, max(2, self._budget // 4))
        size = min(batch, self._budget - len(self._seen))
        by_estimate = self._fastest(size if len(self._measured) < self._first else size // 2)
        for number in by_estimate:
            self._study.enqueue_trial(dict(zip(self._values, self._keys[number], strict=True)))
        idle = 0
        while len(self._asked) < size and idle < 10 * BATCH:
            suggested = self._study.ask()
            key = tuple(suggested.suggest_categorical(name, values) for name, values in self._values.items())
            number_ = self._numbers.get(key)
            if number_ is None or number_ in self._seen or number_ in self._dropped:
                # Not a configuration, or one that is known: reported as failed.
                self._study.tell(suggested, state=self._optuna.trial.TrialState.FAIL)
                idle += 1
                continue
            self._seen.add(number_)
            self._asked.append((suggested, number_))
            if number_ not in by_estimate:
                self.by_estimator.add(number_)
        for number in self._fastest(size - len(self._asked)) or self._any(size - len(self._asked)):
            self._seen.add(number)
            self._asked.append((None, number))
        return [number for _, number in self._asked]

    def tell(self, trials: Sequence[TunerTrial]) -> None:
        """Remember cycles; a trial that is not correct counts as worse than all correct ones."""
        for trial in trials:
            if trial.verdict == "measured":
                self._measured[trial.number] = trial.cycles
        worst = max(self._measured.values(), default=1)
        for (suggested, _), trial in zip(self._asked, trials, strict=True):
            if suggested is not None:
                known = trial.cycles if trial.verdict in ("measured", "slower") else 2 * worst
                self._study.tell(suggested, known)

    def drop(self, numbers: Sequence[int]) -> None:
        """Exclude configurations from the search and from the count."""
        self._dropped.update(numbers)

    def _open(self) -> list[int]:
        return [number for number in self._keys if number not in self._seen and number not in self._dropped]

    def _any(self, size: int) -> list[int]:
        return self._open()[: max(size, 0)]

    def _fastest(self, size: int) -> list[int]:
        """Return the configurations predicted to be fastest, with a preference for values that were not tried."""
        left = [number for number in self._open() if number in self._estimates]
        predicted = self._predicted(left)
        tried = {(place, value) for number in self._seen for place, value in enumerate(self._keys[number])}
        chosen: list[int] = []
        while left and len(chosen) < size:

            def hope(number: int) -> tuple[float, int]:
                new = sum(pair not in tried for pair in enumerate(self._keys[number]))
                return predicted[number] - _CURIOSITY * new, number

            number = min(left, key=hope)
            left.remove(number)
            chosen.append(number)
            tried.update(enumerate(self._keys[number]))
        return chosen

    def _predicted(self, numbers: Sequence[int]) -> dict[int, float]:
        """Return the logarithms of predicted cycles: the estimate, corrected by a factor for each parameter value.

        The factors are fitted to measurements.
        """
        own = {number: log(self._estimates[number]) for number in numbers}
        known = [number for number in self._measured if number in self._estimates]
        if not known:
            return own
        columns = [(name, value) for name, values in self._values.items() for value in values]
        rows = self._features(known, columns)
        apart = np.array([log(self._measured[number] / self._estimates[number]) for number in known])
        # The mean deviation belongs to no parameter.
        mean = apart.mean()
        weights = np.linalg.solve(rows.T @ rows + _TRUST * np.eye(len(columns)), rows.T @ (apart - mean))
        correction = self._features(numbers, columns) @ weights
        return {
            number: own[number] + mean + float(by)
            for number, by in zip(numbers, correction.tolist(), strict=True)
        }

    def _features(self, numbers: Sequence[int], columns: Sequence[tuple[str, str]]) -> Any:
        places = {name: place for place, name in enumerate(self._values)}
        return np.array(
            [
                [float(self._keys[number][places[name]] == value) for name, value in columns]
                for number in numbers
            ]
        )


def search_for(
    configurations: Mapping[int, Configuration],
    screenings: Mapping[int, Screening],
    budget: int,
    seed: int,
) -> Search:
    """Return an exhaustive search if ``budget`` allows, else a sample. Raises ``ImportError`` if it needs Optuna."""
    if len(configurations) <= budget:
        return Exhaustive(
            {number: screenings.get(number, Screening(number=number)) for number in configurations}
        )
    return Sampled(configurations, screenings, budget, seed)
