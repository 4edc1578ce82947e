"""The failure of a program outside of its launches, for the report: before the first, between two, or killed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ttl.diag import TTLError
from ttl.diag.json import to_object
from ttl.diag.raised import to_object as raised_to_object
from ttl.report.records import ProgramFailure, ReportSource
from ttl.report.sources import SourceTable, shown_files


def failure_of(program: str, raised: BaseException, launches: int) -> ProgramFailure:
    """The report of a program that raised an exception after ``launches`` launches."""
    findings = list(findings_of(raised))
    return _failure(f"{program} failed {_when(launches)}: {reason_of(findings[0])}", findings)


def exit_of(program: str, status: int, launches: int) -> ProgramFailure:
    """The report of a program that exited with a code after ``launches`` launches."""
    return _failure(f"{program} left with exit code {status} {_when(launches)}", [])


def unfinished(program: str) -> ProgramFailure:
    """The report of a program that has not ended, which stays in the file until it ends."""
    return _failure(
        f"{program} had not ended when this was written: it still runs, or it was killed, and its launches are not known",
        [],
    )


def findings_of(raised: BaseException) -> Iterator[dict[str, Any]]:
    """Yield a raised exception as the objects of ``--format json``."""
    if isinstance(raised, TTLError):
        yield from map(to_object, raised.diagnostics)
    else:
        yield raised_to_object(raised)


def reason_of(finding: Mapping[str, Any]) -> str:
    """A finding in a sentence."""
    said = str(finding["message"])
    if "type" not in finding:
        return said
    return f"{finding['type']}: {said}" if said else str(finding["type"])


def more_sources(
    known: Sequence[ReportSource], findings: Sequence[Mapping[str, Any]]
) -> Iterator[ReportSource]:
    """The files that findings name and that are not known yet."""
    names = {source.file for source in known}
    return (source for source in _sources(findings) if source.file not in names)


def _when(launches: int) -> str:
    if not launches:
        return "before it launched an operation"
    return f"after {launches} launch{'es' * (launches != 1)}"


def _failure(verdict: str, findings: Sequence[Mapping[str, Any]]) -> ProgramFailure:
    return ProgramFailure(
        verdict=verdict, findings=tuple(map(shown_files, findings)), sources=_sources(findings)
    )


def _sources(findings: Sequence[Mapping[str, Any]]) -> tuple[ReportSource, ...]:
    sources = SourceTable()
    for file in _files(findings):
        sources.number(file)
    return sources.finished({})


def _files(value: Any) -> Iterator[str]:
    """The files that an object of JSON names."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == "file" and isinstance(item, str):
                yield item
            else:
                yield from _files(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _files(item)
