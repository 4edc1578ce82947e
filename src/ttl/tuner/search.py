"""The order in which configurations are tried: all of them if they are few, else those that an estimate and Optuna choose.

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
# Before this many are measured, or half of the budget, an estimator knows nothing: it takes evenly from all, and is asked only where
# there are no estimates.
_FIRST = 16
# How strongly an estimate is trusted against what was measured: as much as so many trials.
_TRUST = 0.3
# How much faster a configuration is taken to be, of a logarithm, for each value of a parameter that nothing was tried with.
_CURIOSITY = 0.1


class Search(Protocol):
    """Asks for configurations, by their numbers."""

    def ask(self) -> list[int]:
        """The next ones to try, none when it has seen enough."""

    def tell(self, trials: Sequence[TunerTrial]) -> None:
        """Take in the trials of the configurations requested last, in the same order."""

    def drop(self, numbers: Sequence[int]) -> None:
        """Exclude configurations that cannot be the best."""


class Exhaustive:
    """Every configuration once, those first that are estimated to be fast: what is slow is stopped early then."""

    def __init__(self, screenings: Mapping[int, Screening]) -> None:
        """``screenings`` by the number of the configuration, in the order of preference."""
        self._left = sorted(screenings, key=lambda number: (screenings[number].estimate, number))
        self._size = BATCH

    def ask(self) -> list[int]:
        """The next ones: more and more, as less depends on each."""
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

    Half of them are the fastest by an estimate that is corrected by measurements; the others are chosen by a tree-structured
    Parzen estimator, which learns effects that the estimate does not cover.
    """

    def __init__(
        self,
        configurations: Mapping[int, Configuration],
        screenings: Mapping[int, Screening],
        budget: int,
        seed: int,
    ) -> None:
        """Raises ``ImportError`` where Optuna is not installed."""
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
        """The configurations that the estimator requested by itself."""
        self._seen: set[int] = set()
        self._dropped: set[int] = set()
        self._asked: list[tuple[Any, int]] = []
        self._measured: dict[int, int] = {}

    def ask(self) -> list[int]:
        """Return the next configurations; each is returned once."""
        self._asked = []
        # Where few are to be tried, each is to be chosen with what is known of the last ones.
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
                # No configuration, or one that is known: worse than any.
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
        """Remember cycles; what is not right is worse than all that is."""
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
        """The configurations that are predicted to be the fastest, with a preference for those that were not tried."""
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
        """Logarithms of cycles: the estimate, times a factor for each value of a parameter, fitted to what was measured."""
        own = {number: log(self._estimates[number]) for number in numbers}
        known = [number for number in self._measured if number in self._estimates]
        if not known:
            return own
        columns = [(name, value) for name, values in self._values.items() for value in values]
        rows = self._features(known, columns)
        apart = np.array([log(self._measured[number] / self._estimates[number]) for number in known])
        # The mean of what it is off by belongs to no parameter.
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
    """All where ``budget`` allows it, else a sample. Raises ``ImportError`` where Optuna is needed and not installed."""
    if len(configurations) <= budget:
        return Exhaustive(
            {number: screenings.get(number, Screening(number=number)) for number in configurations}
        )
    return Sampled(configurations, screenings, budget, seed)
