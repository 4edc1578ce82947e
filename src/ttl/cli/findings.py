"""The output of ``ttl check``: reports and a summary as text, one JSON document, or annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from ttl.check.file import FileReport, in_order
from ttl.diag import Diagnostic, Severity, report
from ttl.diag.grouping import grouped
from ttl.diag.internal import version
from ttl.diag.words import counted, listed
from ttl.source.files import display_name

if TYPE_CHECKING:
    from ttl.cli.fixing import ChangedFile


def write(reports: Sequence[FileReport], changes: Sequence[ChangedFile], stream: TextIO, form: str) -> None:
    """Write reports and changes in a format of the settings (``form``)."""
    if form == "json":
        import json

        print(json.dumps(document(reports, changes), ensure_ascii=False, indent=2), file=stream)
        return
    text = form == "text"
    if text:
        for change in changes:
            print(change.diff(color=report.colored(stream)), file=stream)
    for finding in _all(reports):
        print(report.rendered(finding, stream=stream) + ("\n" if text else ""), file=stream)
    print(summary(reports, changes), file=stream)


def document(reports: Sequence[FileReport], changes: Sequence[ChangedFile]) -> dict[str, Any]:
    """The JSON document. Keys are only ever added; its ``schema`` is that of the diagnostics in it."""
    findings = _all(reports)
    from ttl.diag import json as diag_json

    return {
        "schema": diag_json.SCHEMA,
        "version": version(),
        "files": [
            {
                "file": file_report.path,
                "operations": file_report.operations,
                "specialisations": file_report.specialisations,
                "not_checked": list(file_report.not_checked),
                "unchecked": [
                    {"operation": one.operation, "line": one.line} for one in file_report.unchecked
                ],
            }
            for file_report in reports
        ],
        "diagnostics": [diag_json.to_object(finding) for finding in findings],
        "changes": [
            {"file": change.path, "fixes": change.fixes, "diff": change.diff()} for change in changes
        ],
        "summary": {
            "files": len(reports),
            "operations": sum(file_report.operations for file_report in reports),
            "specialisations": sum(file_report.specialisations for file_report in reports),
            "not_checked": sum(len(file_report.not_checked) for file_report in reports),
            "unchecked": sum(len(file_report.unchecked) for file_report in reports),
            **{f"{severity.value}s": _count(findings, severity) for severity in Severity},
        },
    }


def summary(reports: Sequence[FileReport], changes: Sequence[ChangedFile], *, would: str = "") -> str:
    """Return a line with the counts of files, operations and findings, and a line for each part not checked."""
    return "\n".join(_summary(reports, changes, would))


def _summary(reports: Sequence[FileReport], changes: Sequence[ChangedFile], would: str) -> Iterator[str]:
    findings = _all(reports)
    parts = [counted(count, severity.value) for severity in Severity if (count := _count(findings, severity))]
    yield f"checked {_seen(reports)}: {listed(parts) if parts else _nothing(reports)}"
    if changes:
        applied = counted(sum(change.fixes for change in changes), "fix").replace("fixs", "fixes")
        yield f"{applied} {would}applied to {counted(len(changes), 'file')}"
    for file_report in reports:
        for reason in file_report.not_checked:
            yield f"not checked in {display_name(file_report.path)}: {reason}"


def is_whole(reports: Sequence[FileReport]) -> bool:
    """Whether there was an operation to check, and everything was checked."""
    if any(file_report.not_checked or file_report.unchecked for file_report in reports):
        return False
    return any(file_report.operations for file_report in reports)


def _seen(reports: Sequence[FileReport]) -> str:
    """Return how many files, operations and specialisations were checked, in words."""
    files, left = counted(len(reports), "file"), sum(len(file_report.unchecked) for file_report in reports)
    operations = sum(file_report.operations for file_report in reports)
    calls = counted(sum(file_report.specialisations for file_report in reports), "specialisation")
    if left:
        return f"{files}, {operations} of {counted(operations + left, 'operation')}, {calls}"
    return f"{files}, {counted(operations, 'operation')}, {calls}"


def _nothing(reports: Sequence[FileReport]) -> str:
    """Return the words for a check without findings, which depend on how much was checked."""
    if is_whole(reports):
        return "nothing found"
    if not any(file_report.operations for file_report in reports):
        left = any(file_report.unchecked or file_report.not_checked for file_report in reports)
        return "nothing was checked" if left else "there is no operation to check"
    return "nothing found in what was checked"


def _all(reports: Sequence[FileReport]) -> tuple[Diagnostic, ...]:
    """The findings of all files in order; equal findings, as in a module of several programs, are reported once.

    All notes about one older spelling in a file are one note.
    """
    return tuple(grouped(in_order([finding for file_report in reports for finding in file_report.findings])))


def _count(findings: Sequence[Diagnostic], severity: Severity) -> int:
    return sum(finding.severity is severity for finding in findings)
