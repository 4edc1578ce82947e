"""The processes that try configurations, and what they are told: one call of the program after the other.

Each process runs the program itself, up to the call, so that a configuration that crashes or hangs takes nothing else with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from ttl.tuner.journal import Journal
from ttl.tuner.search import Search
from ttl.tuner.trial import TunerTrial

_WORKER = "ttl.cli.tune_worker"
# A configuration whose process dies is tried once more; processes that die without a result in between end it all.
_TRIES = 2
_MOST_DEATHS = 5


class ProgramFailedError(Exception):
    """The program did not get to a call, or not to its end. ``report`` is what it wrote to standard error."""

    def __init__(self, report: str) -> None:
        super().__init__(report)
        self.report = report


@dataclass(slots=True)
class TunedCall:
    """A call that something was, or is, chosen for."""

    about: Mapping[str, Any]
    """What the worker said of it: operation, key, chip, grid, configurations."""
    trials: dict[int, TunerTrial] = field(default_factory=dict)
    known: int = 0
    """Trials that an earlier run had made."""
    seconds: float = 0.0

    @property
    def configurations(self) -> list[dict[str, Any]]:
        """Those declared that agree with the call."""
        result: list[dict[str, Any]] = self.about["configurations"]
        return result

    @property
    def ranking(self) -> list[TunerTrial]:
        """The right ones, the fastest first; of equally fast ones, the one that needs less of L1."""
        right = [trial for trial in self.trials.values() if trial.verdict == "measured"]
        return sorted(right, key=lambda trial: (trial.cycles, trial.l1_bytes, trial.number))

    @property
    def preferred(self) -> int | None:
        """The number of the configuration that the call had without tuning; None for one that is not declared."""
        chosen = self.about.get("preferred")
        return self.configurations.index(chosen) if chosen in self.configurations else None


class _Process:
    """One worker."""

    def __init__(self, task: Mapping[str, Any], decided: Sequence[Mapping[str, str]]) -> None:
        """``decided``: what to use at the calls before the one that is tuned, in turn."""
        self.decided = deque(decided)
        ours, theirs = socket.socketpair()
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - until the process has ended
        self.process = subprocess.Popen(
            [sys.executable, "-m", _WORKER, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
            start_new_session=True,
        )
        theirs.close()
        self.channel = ours
        self._buffer = b""
        self.trying: int | None = None
        self.since = 0.0
        self.waiting = False
        """Whether it is at the call, and waits to be told what to do."""
        self.send(task)

    def send(self, message: Mapping[str, Any]) -> None:
        """Tell it something; who has died is found out when nothing comes back."""
        with contextlib.suppress(OSError):
            self.channel.sendall(f"{json.dumps(message)}\n".encode())

    def receive(self) -> list[Any] | None:
        """What it has said since; None when it is gone."""
        try:
            data = self.channel.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            return None
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def report(self) -> str:
        """What it wrote to standard error."""
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def end(self) -> None:
        """Kill it and all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.channel.close()
        self.errors.close()


class Coordinator:
    """Runs the program in several processes and tunes its calls."""

    def __init__(
        self,
        task: Mapping[str, Any],
        *,
        processes: int,
        seconds: float,
        search: Callable[[list[dict[str, Any]]], Search],
        journal: Callable[[Mapping[str, Any]], Journal],
        read: Callable[[str], str],
        entered: Callable[[str, TunedCall], str],
        shown: Callable[[TunedCall, TunerTrial], None],
    ) -> None:
        """``seconds`` is what one trial may take; ``read`` gives what a file of tuned configurations has, ``entered`` adds a call's best."""
        self._task = dict(task)
        self._count = processes
        self._seconds = seconds
        self._search_for = search
        self._journal_for = journal
        self._read = read
        self._entered = entered
        self._shown = shown
        self._selector = selectors.DefaultSelector()
        self._processes: list[_Process] = []
        self._decided: list[Mapping[str, str]] = []
        self._deaths = 0
        self.calls: list[TunedCall] = []
        self.texts: dict[str, str] = {}
        """The files of tuned configurations as they are to be, by their paths."""
        self.journals: list[Journal] = []
        self._reset()

    def _reset(self) -> None:
        self._current: TunedCall | None = None
        self._search: Search | None = None
        self._batch: list[int] = []
        self._queue: deque[int] = deque()
        self._tries: dict[int, int] = {}
        self._allowed: list[int] = []
        self._old: dict[int, TunerTrial] = {}

    def run(self) -> None:
        """Tune all calls, until the program has ended in one of the processes. Raises ``ProgramFailedError``."""
        try:
            while len(self._processes) < self._count:
                self._start()
            while not self._step():
                pass
        finally:
            for process in self._processes:
                process.end()
            self._selector.close()

    def _start(self) -> None:
        process = _Process(self._task, self._decided)
        self._processes.append(process)
        self._selector.register(process.channel, selectors.EVENT_READ, process)

    def _step(self) -> bool:
        """Whether the program has ended."""
        for key, _ in self._selector.select(timeout=0.2):
            process: _Process = key.data
            messages = process.receive()
            if messages is None:
                self._died(process)
                continue
            for message in messages:
                if message.get("end") == 0:
                    return True
                if "end" in message:
                    raise ProgramFailedError(process.report())
                self._said(process, message)
        now = time.monotonic()
        for process in list(self._processes):
            if process.trying is not None and now - process.since > self._seconds:
                self._died(process, f"took longer than {self._seconds:g} s")
        self._go_on()
        return False

    def _said(self, process: _Process, message: Mapping[str, Any]) -> None:
        if "trial" in message:
            trial = TunerTrial(**message["trial"])
            process.trying = None
            self._deaths = 0
            self._record(trial)
        elif "call" in message:
            process.waiting = True
            if process.decided:
                process.waiting = False
                process.send(process.decided.popleft())
            elif self._current is None:
                self._begin(message["call"])

    def _begin(self, about: Mapping[str, Any]) -> None:
        call = self._current = TunedCall(about)
        self.calls.append(call)
        call.seconds = time.monotonic()
        journal = self._journal_for(about)
        self.journals.append(journal)
        if "problem" in about:
            self._search = None
            return
        excluded = set(about["excluded"])
        self._allowed = [number for number in range(len(call.configurations)) if number not in excluded]
        for number in excluded:
            call.trials[number] = TunerTrial(number=number, verdict="excluded")
        self._old = {
            number: trial for number, trial in journal.load().items() if number in set(self._allowed)
        }
        call.known = len(self._old)
        self._search = self._search_for([call.configurations[number] for number in self._allowed])
        self._ask()

    def _ask(self) -> None:
        """The next batch; what is known of it already is not tried again."""
        assert self._search is not None and self._current is not None
        while True:
            self._batch = [self._allowed[number] for number in self._search.ask()]
            for number in self._batch:
                if number in self._old:
                    self._current.trials[number] = self._old[number]
            self._queue = deque(number for number in self._batch if number not in self._current.trials)
            if self._queue or not self._batch:
                return
            self._tell()

    def _tell(self) -> None:
        assert self._search is not None and self._current is not None
        self._search.tell([self._current.trials[number] for number in self._batch])

    def _record(self, trial: TunerTrial) -> None:
        assert self._current is not None
        self._current.trials[trial.number] = trial
        self.journals[-1].add([trial])
        self._shown(self._current, trial)

    def _go_on(self) -> None:
        """Give the processes that wait something to do."""
        call = self._current
        if call is None:
            return
        if self._search is not None and self._batch and all(number in call.trials for number in self._batch):
            self._tell()
            self._ask()
        if not self._batch or self._search is None:
            self._finish(call)
            return
        for process in self._processes:
            if process.waiting and process.trying is None and self._queue:
                process.trying, process.since = self._queue.popleft(), time.monotonic()
                process.send({"try": process.trying})

    def _finish(self, call: TunedCall) -> None:
        call.seconds = time.monotonic() - call.seconds
        path = call.about["table"]
        if call.ranking:
            self.texts[path] = self._entered(self.text_of(path), call)
        use = {"table": path, "use": self.text_of(path)}
        self._decided.append(use)
        for process in self._processes:
            if process.waiting:
                process.waiting = False
                process.send(use)
            else:
                process.decided.append(use)
        self._reset()

    def text_of(self, path: str) -> str:
        """What a file of tuned configurations is to have, as far as it is known."""
        return self.texts[path] if path in self.texts else self._read(path)

    def _died(self, process: _Process, why: str = "its process died") -> None:
        """A process is gone: what it tried is tried again, or lost; another one takes its place."""
        self._selector.unregister(process.channel)
        self._processes.remove(process)
        number, report = process.trying, process.report()
        process.end()
        self._deaths += 1
        if number is None or self._deaths > _MOST_DEATHS:
            if self._deaths > _MOST_DEATHS or not self._processes:
                raise ProgramFailedError(report)
        elif self._tries.setdefault(number, 0) + 1 < _TRIES and why == "its process died":
            self._tries[number] += 1
            self._queue.append(number)
        else:
            self._record(TunerTrial(number=number, verdict="lost", why=why))
        self._start()
