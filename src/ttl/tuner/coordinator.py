"""Distributes the work of tuning over processes that try configurations, one call of the program after the other.

1. Every configuration is read, which gives a lower bound and an estimate of its cycles; refused ones are not compiled.
2. Batches are run, the fastest by the estimate first. A configuration whose lower bound exceeds the best is not run.
   One that runs is stopped once its cycles exceed a limit, which becomes smaller from batch to batch.

Each process runs the program itself, up to the call, so that a configuration that crashes or hangs takes nothing else with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ttl.session.patience import Unavailable
from ttl.sweeps.pool import SweepPool
from ttl.sweeps.work import SweepAnswer
from ttl.tuner.journal import Journal
from ttl.tuner.search import Search
from ttl.tuner.trial import Screening, TunerTrial
from ttl.tuning.space import Configuration

# Configurations that are read together, and the most that are read: an even sample of all.
_READ_TOGETHER = 16
_MOST_READ = 4096
# Limits of a run's cycles as multiples of the best, by batch, and for configurations that need less L1 than the best.
_OF_INTEREST = (4.0, 2.0, 1.5, 1.25)
_WITH_LESS_L1 = 4.0
# Choices of the compiler that are not tried: the order of buffers changes no cycles, and NoCs other than those that
# suit the directions of transfers cost more than anything else. The most values of each other choice that are tried.
_NOT_TRIED = ("order", "noc.")
_MOST_VALUES = 4


Known = Mapping[tuple[int, str], TunerTrial]
"""Trials of an earlier run, by the number of the configuration and the compile options."""


@dataclass(slots=True)
class TunedCall:
    """A call whose configuration is, or was, tuned."""

    about: Mapping[str, Any]
    """The worker's description of the call: operation, key, chip, grid, configurations."""
    trials: dict[int, TunerTrial] = field(default_factory=dict)
    screenings: dict[int, Screening] = field(default_factory=dict)
    compiled: list[TunerTrial] = field(default_factory=list)
    """The trials of the best configuration with other choices of the compiler."""
    scheduled: list[TunerTrial] = field(default_factory=list)
    """The trials of the best configuration with schedules."""
    known: int = 0
    """The number of trials from an earlier run."""
    compiled_known: int = 0
    """The number of known trials with other choices of the compiler."""
    seconds: float = 0.0

    @property
    def configurations(self) -> list[dict[str, Any]]:
        """The declared configurations that agree with the call."""
        result: list[dict[str, Any]] = self.about["configurations"]
        return result

    @property
    def identity(self) -> tuple[Any, ...]:
        """The identity of the call among the calls of the program."""
        return identity_of(self.about)

    @property
    def ranking(self) -> list[TunerTrial]:
        """The correct trials, the fastest first; of equally fast ones, the one that needs less L1 first."""
        right = [trial for trial in self.trials.values() if trial.verdict == "measured"]
        return sorted(right, key=lambda trial: (trial.cycles, trial.l1_bytes, trial.number))

    @property
    def best_compiled(self) -> TunerTrial | None:
        """The fastest trial of the best configuration with compiler choices; None unless these make it faster."""
        right = [trial for trial in self.compiled if trial.verdict == "measured"]
        fastest = min(right, key=lambda trial: (trial.cycles, len(trial.compile_option)), default=None)
        return fastest if fastest is not None and fastest.cycles < self.ranking[0].cycles else None

    @property
    def best_scheduled(self) -> TunerTrial | None:
        """The fastest trial of the best configuration with a schedule; None unless that makes it faster still."""
        right = [trial for trial in self.scheduled if trial.verdict == "measured"]
        fastest = min(right, key=lambda trial: (trial.cycles, len(trial.schedule)), default=None)
        before = self.best_compiled or (self.ranking[0] if self.ranking else None)
        return (
            fastest if fastest is not None and before is not None and fastest.cycles < before.cycles else None
        )

    @property
    def preferred(self) -> int | None:
        """The number of the configuration that the call had without tuning; None if it is not declared."""
        chosen = self.about.get("preferred")
        return self.configurations.index(chosen) if chosen in self.configurations else None


def identity_of(about: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the identity of a call among the calls of the program."""
    return (about["operation"], about["file"], about["chip"], *about["key"])


class Coordinator:
    """Tunes the calls of a program, with the processes of a pool."""

    def __init__(
        self,
        pool: SweepPool,
        *,
        search: Callable[[Mapping[int, Configuration], Mapping[int, Screening]], Search],
        journal: Callable[[Mapping[str, Any]], Journal],
        read: Callable[[str], str],
        entered: Callable[[str, TunedCall], str],
        shown: Callable[[TunedCall, TunerTrial], None],
        stops: bool = True,
        compiles: bool = False,
        schedules: bool = False,
    ) -> None:
        """Store the pool and the callbacks.

        ``read`` returns the contents of a file of tuned configurations, ``entered`` adds a call's best, ``shown`` is
        notified of every trial. Without ``stops`` every configuration that is tried runs to its end. With ``compiles``
        other choices of the compiler are tried with the best one, with ``schedules`` schedules.
        """
        self._pool = pool
        self._search_for = search
        self._journal_for = journal
        self._read = read
        self._entered = entered
        self._shown = shown
        self._stops = stops
        self._compiles = compiles
        self._schedules = schedules
        self._decided: list[tuple[str, str]] = []
        self._next = 0
        self.calls: list[TunedCall] = []
        self.texts: dict[str, str] = {}
        """The new contents of the files of tuned configurations, by their paths."""
        self.journals: list[Journal] = []

    def run(self) -> None:
        """Tune all calls, until the program ends.

        Raises ``Unavailable`` with the program's output if it does not reach a call or its end.
        """
        while (about := self._reached()) is not None:
            call = TunedCall(about)
            self.calls.append(call)
            begun = time.monotonic()
            journal = self._journal_for(about)
            self.journals.append(journal)
            if "problem" not in about:
                known = journal.load()
                self._tune(call, journal, known)
                if self._compiles and call.ranking:
                    self._compile(call, journal, known)
                if self._schedules and call.ranking:
                    self._schedule(call, journal)
            call.seconds = time.monotonic() - begun
            path = about["table"]
            if call.ranking:
                self.texts[path] = self._entered(self.text_of(path), call)
            self._decided.append((path, self.text_of(path)))

    def complete(
        self,
        calls: Sequence[TunedCall],
        wanted: Mapping[tuple[Any, ...], Sequence[int]],
        texts: Mapping[str, str],
    ) -> None:
        """Run the program again, and try more configurations of its calls, by their ``identity``, each to its end.

        ``texts`` are the files as tuning left them. Raises ``Unavailable``.
        """
        self.calls, self.texts = list(calls), dict(texts)
        known = {call.identity: call for call in calls}
        while (about := self._reached()) is not None:
            call, path = known.get(identity_of(about)), about["table"]
            if call is not None:
                numbers = wanted.get(call.identity, ())
                journal = self._journal_for(about)
                self.journals.append(journal)
                self._try(call, journal, numbers, dict.fromkeys(numbers))
                if call.ranking:
                    self.texts[path] = self._entered(self.text_of(path), call)
            self._decided.append((path, self.text_of(path)))

    def text_of(self, path: str) -> str:
        """Return the text that a file of tuned configurations is to have, as far as it is known."""
        return self.texts[path] if path in self.texts else self._read(path)

    def _asked(self, items: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, SweepAnswer]]:
        """Have the pool work on items; yield the answers as they arrive, each with the position of its item."""
        begin = self._next
        for place, item in enumerate(items):
            self._pool.submit(begin + place, {"decided": self._decided, **item})
        self._next += len(items)
        left = len(items)
        while left:
            answer = self._pool.wait()
            if answer.number >= begin:
                left -= 1
                yield answer.number - begin, answer

    def _reached(self) -> Mapping[str, Any] | None:
        """Return the next call of the program, or None at its end; all processes continue to that call."""
        for _, answer in self._asked([{"about": True}] * self._pool.size):
            if answer.loss:
                raise Unavailable(answer.report or answer.why)
            value: Mapping[str, Any] = answer.value
            if "end" in value:
                return None
            return dict(value["call"])
        return None

    def _tune(self, call: TunedCall, journal: Journal, known: Known) -> None:
        excluded = set(call.about["excluded"])
        allowed = [number for number in range(len(call.configurations)) if number not in excluded]
        for number in excluded:
            call.trials[number] = TunerTrial(number=number, verdict="excluded")
        self._screen(call, allowed)
        left = {number: call.configurations[number] for number in allowed if number not in call.trials}
        if not left:
            return
        search = self._search_for(left, call.screenings)
        count = 0
        while True:
            search.drop(self._beaten(call, left))
            batch = search.ask()
            if not batch:
                return
            limits = {number: self._limit(call, number, count) for number in batch}
            for number in batch:
                old = known.get((number, ""))
                if old is not None and _tells_enough(old, limits[number]):
                    call.trials[number] = old
                    call.known += 1
            self._try(call, journal, [number for number in batch if number not in call.trials], limits)
            search.tell([call.trials[number] for number in batch])
            count += 1

    def _screen(self, call: TunedCall, allowed: Sequence[int]) -> None:
        """Screen configurations. One whose process is lost here is tried anyway."""
        some = allowed[:: -(-len(allowed) // _MOST_READ) or 1]
        groups = [some[at : at + _READ_TOGETHER] for at in range(0, len(some), _READ_TOGETHER)]
        for _, answer in self._asked([{"screen": group} for group in groups]):
            for item in [] if answer.loss else answer.value["screened"]:
                if "verdict" in item:
                    call.trials[item["number"]] = TunerTrial(**item)
                else:
                    call.screenings[item["number"]] = Screening(**item)

    def _beaten(self, call: TunedCall, numbers: Mapping[int, Configuration]) -> list[int]:
        """Return the configurations whose lower bound exceeds the cycles of the best; each gets a trial ``bound``."""
        if not call.ranking or not self._stops:
            return []
        best = call.ranking[0]
        result = []
        for number in numbers:
            screening = call.screenings.get(number)
            if screening is None or number in call.trials or screening.bound <= best.cycles:
                continue
            call.trials[number] = TunerTrial(
                number=number,
                verdict="bound",
                cycles=screening.bound,
                l1_bytes=screening.l1_bytes,
                why="slower than the best even if nothing ever waited",
            )
            result.append(number)
        return result

    def _limit(self, call: TunedCall, number: int, batch: int) -> int | None:
        """Return the cycles after which a trial is stopped, from the best known when its batch begins."""
        if not call.ranking or not self._stops:
            return None
        best = call.ranking[0]
        screening = call.screenings.get(number)
        less = screening is not None and screening.l1_bytes < best.l1_bytes
        times = _WITH_LESS_L1 if less else _OF_INTEREST[min(batch, len(_OF_INTEREST)) - 1]
        return int(times * best.cycles)

    def _try(
        self, call: TunedCall, journal: Journal, numbers: Sequence[int], limits: Mapping[int, int | None]
    ) -> None:
        items = [{"try": number, "limit": limits[number]} for number in numbers]
        for place, answer in self._asked(items):
            if answer.loss:
                trial = TunerTrial(number=numbers[place], verdict="lost", why=answer.why)
            else:
                trial = TunerTrial(**answer.value["trial"])
            call.trials[trial.number] = trial
            journal.add([trial])
            self._shown(call, trial)

    def _compile(self, call: TunedCall, journal: Journal, known: Known) -> None:
        """Try every other choice of the compiler by itself, then combine those that helped, adding one at a time."""
        best = call.ranking[0]
        (answer,) = (answer for _, answer in self._asked([{"choices": best.number}]))
        points = [] if answer.loss else answer.value["choices"]
        alone = [
            f"{point['name']}={value}"
            for point in points
            if not point["name"].partition(":")[2].startswith(_NOT_TRIED)
            for value in [value for value in point["legal"] if value != point["chosen"]][:_MOST_VALUES]
        ]

        def right(options: Sequence[str], limit: int) -> list[TunerTrial]:
            trials = self._with(call, journal, known, options, limit)
            return [trial for trial in trials if trial.verdict == "measured"]

        helped = [trial for trial in right(alone, best.cycles) if trial.cycles < best.cycles]
        helped.sort(key=lambda trial: (trial.cycles, trial.compile_option))
        together: dict[str, str] = {}
        cycles = best.cycles
        for trial in helped:
            name, _, value = trial.compile_option.partition("=")
            if name in together:
                continue
            options = " ".join(f"{key}={chosen}" for key, chosen in sorted({**together, name: value}.items()))
            tried = right([options], cycles) if together else [trial]
            if tried and tried[0].cycles < cycles:
                together[name], cycles = value, tried[0].cycles

    def _with(
        self, call: TunedCall, journal: Journal, known: Known, options: Sequence[str], limit: int
    ) -> list[TunerTrial]:
        """Return trials of the best configuration with these compiler choices, in their order."""
        number = call.ranking[0].number
        trials = {
            option: old
            for option in options
            if (old := known.get((number, option))) is not None and _tells_enough(old, limit)
        }
        call.compiled_known += len(trials)
        left = [option for option in options if option not in trials]
        for place, answer in self._asked(
            [{"try": number, "limit": limit, "compile_option": option} for option in left]
        ):
            if not answer.loss:
                trial = trials[left[place]] = TunerTrial(**answer.value["trial"])
                journal.add([trial])
                self._shown(call, trial)
        ordered = [trials[option] for option in options if option in trials]
        call.compiled += ordered
        return ordered

    def _schedule(self, call: TunedCall, journal: Journal) -> None:
        """Try every step of the operation's schedules by itself; then extend the best chain while that helps."""
        base = call.best_compiled or call.ranking[0]
        (answer,) = (answer for _, answer in self._asked([{"schedule_steps": base.number}]))
        left: list[str] = [] if answer.loss else answer.value["schedule_steps"]
        chain, cycles = "", base.cycles
        while left:
            chains = [f"{chain}.{step}" if chain else step for step in left]
            items = [
                {"try": base.number, "limit": cycles, "compile_option": base.compile_option, "schedule": one}
                for one in chains
            ]
            trials = [TunerTrial(**item.value["trial"]) for _, item in self._asked(items) if not item.loss]
            journal.add(trials)
            call.scheduled += sorted(trials, key=lambda trial: chains.index(trial.schedule))
            right = [trial for trial in trials if trial.verdict == "measured" and trial.cycles < cycles]
            if not right:
                return
            best = min(right, key=lambda trial: (trial.cycles, trial.schedule))
            step = left[chains.index(best.schedule)]
            chain, cycles = best.schedule, best.cycles
            about = step.partition(",")[0].partition(")")[0]
            left = [other for other in left if not other.startswith(about)]


def _tells_enough(trial: TunerTrial, limit: int | None) -> bool:
    """Whether a trial of an earlier run says as much as a new one with ``limit`` would."""
    return trial.verdict != "slower" or (limit is not None and trial.cycles >= limit)
