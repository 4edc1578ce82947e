"""Who collects the launches of a program for ``--report``."""

from __future__ import annotations

from typing import Any

from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.diag import Diagnostic, error
from ttl.emu.launch import Run
from ttl.emu.recorder import LaunchListener
from ttl.lang.launches import LaunchName
from ttl.report.model import KIND, SCHEMA, LaunchReport
from ttl.session import Part


class ReportCollector:
    """The launches of a program, as objects of JSON: columns are packed at once, a record of a run takes much more."""

    def __init__(self, title: str, command: str, outer: ReportCollector | None = None) -> None:
        """``outer`` gets every launch, too."""
        self._title, self._command, self._outer = title, command, outer
        self._launches: list[dict[str, Any]] = []

    def add(self, launch: LaunchReport) -> None:
        """Take a launch."""
        self._take(launch.to_object())

    def _take(self, launch: dict[str, Any]) -> None:
        self._launches.append(launch)
        if self._outer is not None:
            self._outer._take(launch)

    @property
    def count(self) -> int:
        """Launches so far."""
        return len(self._launches)

    def to_object(self) -> dict[str, Any]:
        """The report as what ``json.dumps`` takes."""
        return {
            "schema": SCHEMA,
            "kind": KIND,
            "title": self._title,
            "command": self._command,
            "launches": self._launches,
        }


class ReportListener:
    """Takes the launches on the emulated chip, and passes them on to who listened before."""

    wants_advice = True

    def __init__(self, collector: ReportCollector, outer: LaunchListener | None) -> None:
        self._collector, self._outer = collector, outer

    def add(
        self, result: Run, description: ProgramDescription, chip: Chip, launch: LaunchName | None = None
    ) -> None:
        """Take note of a recorded run."""
        from ttl.report.emulated import launch_report

        number = self._collector.count + 1
        self._collector.add(launch_report(result, description, chip, launch, number))
        if self._outer is not None:
            self._outer.add(result, description, chip, launch)


REPORTS: Part[ReportCollector | None] = Part(lambda: None)


def nothing_to_report(program: str) -> Diagnostic:
    """Finding TTL0141."""
    return error(
        "TTL0141",
        f"{program} launched no operation, and a report is about launches",
        help="call an operation: @ttl.operation(), with tensors",
    )
