"""The output about the launches of a program: ``--profile``, ``--trace``, ``--perf-csv``.

``ttl run`` collects the launches of a program and shows them when it has ended. Elsewhere every launch is shown by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ttl import settings
from ttl.arch import Chip
from ttl.codegen.declared import DeclaredObjects
from ttl.codegen.description import ProgramDescription
from ttl.diag import ProgramError, report
from ttl.emu import measured as measuring
from ttl.emu import perf_csv, profile_json, profile_text
from ttl.emu.advice.launching import advised
from ttl.emu.advice.trial import Recompiler
from ttl.emu.launch import ChipRun, FailedRun, run
from ttl.emu.profile import Profile, profile
from ttl.emu.runtime import Watcher
from ttl.emu.standing import ResourceMap
from ttl.emu.stats import stats_of
from ttl.emu.stopped import ExpectedSignaller, StoppedRun, stopped_run, with_enders
from ttl.emu.stuck import ChipDeadlockError
from ttl.emu.trace import ChipTrace
from ttl.host.tensor import Tensor
from ttl.lang.launches import LaunchName
from ttl.session import Part
from ttl.sim.stats import emit

if TYPE_CHECKING:
    from ttl.codegen.explanation import RemarkOrChoice


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RecordedLaunch:
    """A launch that was recorded."""

    run: ChipRun
    description: ProgramDescription
    chip: Chip
    name: LaunchName | None = None
    stopped: StoppedRun | None = None
    """How it ended, if it has failed; the reason is raised after all listeners were notified."""


class LaunchListener(Protocol):
    """A listener that is notified of launches."""

    @property
    def wants_advice(self) -> bool:
        """Whether the rules of advice examine the runs first."""

    def add(self, launch: RecordedLaunch) -> None:
        """Take note of a launch."""


class LaunchRecorder:
    """The launches so far."""

    def __init__(
        self,
        chosen: settings.Settings,
        profiles: str | None = None,
        measured: measuring.MeasuredRuns | None = None,
    ) -> None:
        """``profiles``: a file that gets a line of JSON for each launch, in place of any text.

        ``measured``: runs that were measured on a card.
        """
        self._chosen, self._measured = chosen, measured
        self._file = profiles
        self._lines: list[str] = []
        self._profiles: list[Profile] = []
        self._launches: list[perf_csv.TimedLaunch] = []
        self._trace = ChipTrace()

    @property
    def wants_advice(self) -> bool:
        """Whether there will be a profile."""
        return self._chosen.profile

    def add(self, launch: RecordedLaunch) -> None:
        """Take note of a launch that did not fail. As JSON, its profile is written now."""
        if launch.stopped is not None:
            return
        run, chip, description = launch.run, launch.chip, launch.description
        if self._chosen.profile:
            item = profile(run, chip, description, launch=launch.name)
            if self._file is not None:
                self._lines.append(profile_json.render(item))
            elif self._chosen.format == "json":
                report.write(profile_json.render(item))
            self._profiles.append(item)
        if self._chosen.trace is not None:
            self._trace.add(run, chip, description, launch.name)
        if self._chosen.perf_csv is not None:
            self._launches.append(perf_csv.TimedLaunch(description=description, run=run, chip=chip))

    def finish(self) -> None:
        """Show and write the requested output.

        Raises ``OSError`` where a file cannot be written, and as ``measured.compared``.
        """
        as_text = self._chosen.format != "json"
        if self._profiles and self._file is None and as_text:
            report.write(profile_text.render_all(self._profiles))
        if self._measured is not None and self._profiles:
            rows = measuring.compared(self._profiles, self._measured)
            text = measuring.render(rows, self._measured)
            report.write(
                text if as_text else json.dumps(measuring.to_object(rows, self._measured), ensure_ascii=False)
            )
        if self._file is not None:
            _write(self._file, "".join(f"{line}\n" for line in self._lines))
        if self._chosen.trace is not None:
            _write(self._chosen.trace, self._trace.text())
        if self._chosen.perf_csv is not None:
            _write(self._chosen.perf_csv, perf_csv.render(self._launches))


def _write(path: str, text: str) -> None:
    """Write a file. An error names the file, also where the disk is full."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, path) from None


RECORDER: Part[tuple[LaunchListener, ...]] = Part(tuple)
"""The listeners, the last that was added first."""


def launched(
    description: ProgramDescription,
    tensors: Sequence[Tensor],
    chip: Chip,
    chosen: settings.Settings,
    watcher: Watcher | None = None,
    name: Callable[[], LaunchName | None] = lambda: None,
    declared: DeclaredObjects | None = None,
    recompiler: Recompiler | None = None,
    remarks: tuple[RemarkOrChoice, ...] = (),
    enders: Callable[[ResourceMap], Mapping[int, ExpectedSignaller]] | None = None,
) -> ChipRun:
    """Run a program, and record it where the settings ask for that; then call ``name`` for the name of the launch.

    ``declared``: its buffers and nets, where their traffic is to be shown; ``recompiler``: for the rules that try another way to
    compile it; ``remarks``: the compiler's decisions; ``enders``: returns, when the chip stands still, the processors that should
    have ended each wait.

    Raises ``ProgramError``: TTL15xx.
    """
    listeners = RECORDER.get()
    if not listeners and not wanted(chosen):
        return run(description, tensors, watcher=watcher)
    alone = LaunchRecorder(chosen)
    told = listeners or (alone,)
    failed: list[StoppedRun] = []

    def keep(failed_run: FailedRun) -> None:
        stopped = stopped_run(failed_run)
        if stopped is not None:
            failed.append(stopped)

    try:
        if any(listener.wants_advice for listener in told):
            result = advised(description, tensors, chip, watcher, recompiler, keep)
        else:
            result = run(description, tensors, recorded=True, watcher=watcher, on_failure=keep)
    except ProgramError as raised:
        for stopped in failed:
            if enders is not None and isinstance(raised, ChipDeadlockError):
                stopped = with_enders(stopped, enders(raised.standing))
            run_so_far = replace(stopped.run, declared=declared, remarks=remarks)
            launch = RecordedLaunch(
                run=run_so_far, description=description, chip=chip, name=name(), stopped=stopped
            )
            for listener in told:
                listener.add(launch)
        raise
    result = replace(result, declared=declared, remarks=remarks)
    launch = RecordedLaunch(run=result, description=description, chip=chip, name=name())
    if chosen.stats and declared is not None and launch.name is not None:
        emit(stats_of(result, description, declared, launch.name), chosen.format)
    for listener in told:
        listener.add(launch)
    if not listeners:
        alone.finish()
    return result


def wanted(chosen: settings.Settings) -> bool:
    """Whether launches are recorded."""
    return chosen.stats or chosen.profile or chosen.trace is not None or chosen.perf_csv is not None


@contextmanager
def collecting(recorder: LaunchListener) -> Iterator[None]:
    """A context in which every launch is recorded and passed to ``recorder``."""
    with RECORDER.given((recorder, *RECORDER.get())):
        yield
