"""Which configurations are tried, in which order: all of them where there are few, else what Optuna asks for.

Deterministic for a seed: trials are asked for in batches of one size, however many processes try them, and their
results are told in the order in which they were asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ttl.tuner.trial import TunerTrial
from ttl.tuning.space import Configuration

# Trials that are asked for together.
BATCH = 8
# Before this many, configurations are taken evenly from all.
_FIRST = 16


class Search(Protocol):
    """Asks for configurations, by their numbers."""

    def ask(self) -> list[int]:
        """The next ones to try, none when it has seen enough."""

    def tell(self, trials: Sequence[TunerTrial]) -> None:
        """What became of those asked for last, in the same order."""


class Exhaustive:
    """Every configuration once."""

    def __init__(self, count: int) -> None:
        self._left = list(range(count))

    def ask(self) -> list[int]:
        """The next ones, in the order in which they are declared."""
        batch, self._left = self._left[:BATCH], self._left[BATCH:]
        return batch

    def tell(self, trials: Sequence[TunerTrial]) -> None:
        """Nothing changes."""


class Sampled:
    """As many configurations as ``budget`` allows, chosen by a tree-structured Parzen estimator."""

    def __init__(self, configurations: Sequence[Configuration], budget: int, seed: int) -> None:
        """Raises ``ImportError`` where Optuna is not installed."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._optuna = optuna
        self._budget = budget
        self._values = {
            name: list(dict.fromkeys(repr(item[name]) for item in configurations))
            for name in configurations[0]
        }
        self._numbers: Mapping[tuple[str, ...], int] = {
            tuple(repr(item[name]) for name in self._values): number
            for number, item in enumerate(configurations)
        }
        sampler = optuna.samplers.TPESampler(
            seed=seed, n_startup_trials=min(_FIRST, budget // 2), multivariate=True, constant_liar=True
        )
        self._study = optuna.create_study(sampler=sampler, direction="minimize")
        self._seen: set[int] = set()
        self._asked: list[tuple[Any, int]] = []
        self._order = list(range(len(configurations)))

    def ask(self) -> list[int]:
        """The next ones; none is asked for twice."""
        self._asked = []
        idle = 0
        while len(self._asked) < min(BATCH, self._budget - len(self._seen)) and idle < 10 * BATCH:
            suggested = self._study.ask()
            key = tuple(suggested.suggest_categorical(name, values) for name, values in self._values.items())
            number = self._numbers.get(key)
            if number is None or number in self._seen:
                # No configuration, or one that is known: worse than any.
                self._study.tell(suggested, state=self._optuna.trial.TrialState.FAIL)
                idle += 1
                continue
            self._seen.add(number)
            self._asked.append((suggested, number))
        while not self._asked and len(self._seen) < self._budget:
            number = next((item for item in self._order if item not in self._seen), None)
            if number is None:
                break
            self._seen.add(number)
            self._asked.append((None, number))
        return [number for _, number in self._asked]

    def tell(self, trials: Sequence[TunerTrial]) -> None:
        """Remember cycles; what is not right is worse than all that is."""
        right = [trial.cycles for trial in trials if trial.verdict == "measured"]
        known = [trial.value for trial in self._study.trials if trial.value is not None]
        worst = max([*right, *known], default=1)
        for (suggested, _), trial in zip(self._asked, trials, strict=True):
            if suggested is not None:
                self._study.tell(suggested, trial.cycles if trial.verdict == "measured" else 2 * worst)


def search_for(configurations: Sequence[Configuration], budget: int, seed: int) -> Search:
    """All where ``budget`` allows it, else a sample. Raises ``ImportError`` where Optuna is needed and not installed."""
    if len(configurations) <= budget:
        return Exhaustive(len(configurations))
    return Sampled(configurations, budget, seed)
