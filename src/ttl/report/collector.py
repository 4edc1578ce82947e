"""Collects the launches of a program for ``--report``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ttl.diag import Diagnostic, error
from ttl.emu.measured import MeasuredRow, MeasuredRuns, compared
from ttl.emu.profile_json import from_object
from ttl.emu.recorder import RecordedLaunch
from ttl.report.emulated import launch_report
from ttl.report.pack import encoded
from ttl.report.program_failure import (
    exit_of,
    failure_of,
    findings_of,
    more_sources,
    reason_of,
)
from ttl.report.records import KIND, SCHEMA, LaunchReport, MeasuredCycles, ProgramFailure
from ttl.report.sources import shown_files
from ttl.session import Part
from ttl.source.files import display_name


class ReportCollector:
    """The launches of a program as JSON objects: columns are packed at once, because a record of a run is much larger.

    With ``lazy``, the objects of runs are made on request; until then, the records are kept.
    """

    def __init__(
        self, title: str, command: str, outer: ReportCollector | None = None, *, lazy: bool = False
    ) -> None:
        """Every launch is also added to ``outer`` at once."""
        self.title = title
        self._command, self._outer = command, outer
        self._lazy = lazy
        self._launches: list[dict[str, Any] | Callable[[], LaunchReport]] = []
        self._findings: list[dict[str, Any]] = []
        self._failed: LaunchReport | None = None
        self._refused = ""
        self._told: BaseException | None = None
        self._failure: ProgramFailure | None = None

    def add(self, launch: LaunchReport) -> None:
        """Add a launch."""
        if self._refused:
            self.add_failed(launch)
        else:
            self._take(launch.to_object())

    def add_run(self, report: Callable[[], LaunchReport]) -> None:
        """Add a launch by the function that makes its report."""
        if self._lazy and self._outer is None and not self._refused:
            self._launches.append(report)
        else:
            self.add(report())

    def add_failed(self, launch: LaunchReport) -> None:
        """Add a launch that has failed; the exception that ``failures`` catches says why."""
        self._failed = launch

    def refuse(self, why: str) -> None:
        """Record that the current launch failed before it ran; if it then runs anyway, it is reported as failed."""
        self._refused = why

    @property
    def has_failed(self) -> bool:
        """Whether the current launch has failed and has a report."""
        return self._failed is not None

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Report a launch that is run inside the context and raises an exception, with the exception's findings."""
        try:
            yield
        except BaseException as raised:
            self._told = raised
            said = list(findings_of(raised))
            findings = tuple(map(shown_files, said))
            launch, self._failed = self._failed, None
            refused, self._refused = self._refused, ""
            if launch is not None:
                how = f" ({refused})" if refused else ""
                verdict = f"{launch.verdict}{how}: {reason_of(findings[0])}"
                sources = (*launch.sources, *more_sources(launch.sources, said))
                self._take(replace(launch, verdict=verdict, findings=findings, sources=sources).to_object())
            self._note(findings)
            raise

    def _note(self, findings: Sequence[dict[str, Any]]) -> None:
        self._findings += findings
        if self._outer is not None:
            self._outer._note(findings)

    def _take(self, launch: dict[str, Any]) -> None:
        self._launches.append(launch)
        if self._outer is not None:
            self._outer._take(launch)

    @property
    def count(self) -> int:
        """The number of launches that were added."""
        return len(self._launches)

    def program_failed(self, program: str, raised: BaseException, said: BaseException) -> None:
        """Record that the program raised an exception, reported as ``said``, unless a launch reports it."""
        if raised is not self._told or not self._launches or not _ran(self._launches[-1]):
            self._failure = failure_of(program, said, sum(map(_ran, self._launches)))

    def program_left(self, program: str, status: int) -> None:
        """Record the exit code of the program; if it raised an exception, the reason is recorded already."""
        if self._failure is None and self._told is None:
            self._failure = exit_of(program, status, len(self._launches))

    def measure(self, measured: MeasuredRuns) -> None:
        """Add a card's measurements to the launches. Raises ``ProgramError`` TTL0147 for other launches."""
        launches = [launch for launch in self.to_object()["launches"] if launch["profile"] is not None]
        profiles = [from_object(launch["profile"]) for launch in launches]
        rows = compared(profiles, measured) if launches else []
        for number, launch in enumerate(launches, 1):
            files = [source["file"] for source in launch["sources"]]
            launch["measured"] = [encoded(_cycles_of(row, files)) for row in rows if row.launch == number]

    def to_object(self, instead: ProgramFailure | None = None) -> dict[str, Any]:
        """Return the report as an object that ``json.dumps`` takes; ``instead`` replaces the reason of the program's failure."""
        failure = instead or self._failure
        for position, launch in enumerate(self._launches):
            if not isinstance(launch, dict):
                self._launches[position] = launch().to_object()
        return {
            "schema": SCHEMA,
            "kind": KIND,
            "title": self.title,
            "command": self._command,
            "launches": self._launches,
            "findings": self._findings,
            "failure": None if failure is None else encoded(failure),
        }


def _cycles_of(row: MeasuredRow, files: Sequence[str]) -> MeasuredCycles:
    file = None if row.place is None else display_name(row.place.file)
    return MeasuredCycles(
        what=row.what,
        estimated=row.estimated,
        emulated=row.emulated,
        measured=row.measured,
        error=row.error,
        file=files.index(file) if file in files else None,
        line=None if row.place is None else row.place.line,
    )


def _ran(launch: dict[str, Any] | Callable[[], LaunchReport]) -> bool:
    """Whether any part of a launch ran: many launches are refused before that."""
    return not isinstance(launch, dict) or bool(launch["tracks"])


class ReportListener:
    """Adds the launches on the emulated chip to a collector."""

    wants_advice = True

    def __init__(
        self,
        collector: ReportCollector,
        finish: Callable[[LaunchReport, int | None], LaunchReport] = lambda report, device: report,
    ) -> None:
        """``finish`` adds data to a report that the run does not have.

        Its second argument is the device of the mesh that ran the launch, or None.
        """
        self._collector, self._finish = collector, finish

    def add(self, launch: RecordedLaunch) -> None:
        """Add a launch; the exception that is raised says why a launch has failed."""
        number = self._collector.count + 1

        def report() -> LaunchReport:
            device = None if launch.name is None else launch.name.device
            return self._finish(launch_report(launch, number), device)

        if launch.stopped is None:
            self._collector.add_run(report)
        else:
            self._collector.add_failed(report())


REPORTS: Part[ReportCollector | None] = Part(lambda: None)


def nothing_to_report(program: str) -> Diagnostic:
    """Finding TTL0141."""
    return error(
        "TTL0141",
        f"{program} launched no operation, and a report is about launches",
        help="call an operation: @ttl.operation(), with tensors",
    )
