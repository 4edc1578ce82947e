"""What ``ttl check`` says: reports and a summary as text, one JSON document, or annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from ttl import settings
from ttl.check.file import FileReport, in_order
from ttl.diag import Diagnostic, Severity, report
from ttl.diag.grouping import grouped
from ttl.diag.internal import version
from ttl.diag.words import counted, listed
from ttl.source.files import display_name

if TYPE_CHECKING:
    from ttl.cli.fixing import Change


def write(reports: Sequence[FileReport], changes: Sequence[Change], stream: TextIO) -> None:
    """Everything there is to say, in the format of the settings."""
    if settings.current().format == "json":
        import json

        print(json.dumps(document(reports, changes), ensure_ascii=False, indent=2), file=stream)
        return
    text = settings.current().format == "text"
    if text:
        for change in changes:
            print(change.diff(color=report.colored(stream)), file=stream)
    for finding in _all(reports):
        print(report.rendered(finding, stream=stream) + ("\n" if text else ""), file=stream)
    print(summary(reports, changes), file=stream)


def document(reports: Sequence[FileReport], changes: Sequence[Change]) -> dict[str, Any]:
    """The JSON document. Keys are only ever added; its ``schema`` is that of the diagnostics in it."""
    from ttl.diag import json as diag_json

    found = _all(reports)
    return {
        "schema": diag_json.SCHEMA,
        "version": version(),
        "files": [
            {
                "file": each.path,
                "operations": each.operations,
                "specialisations": each.specialisations,
                "not_checked": list(each.not_checked),
            }
            for each in reports
        ],
        "diagnostics": [diag_json.to_object(finding) for finding in found],
        "changes": [
            {"file": change.path, "fixes": change.fixes, "diff": change.diff()} for change in changes
        ],
        "summary": {
            "files": len(reports),
            "operations": sum(each.operations for each in reports),
            "specialisations": sum(each.specialisations for each in reports),
            **{f"{severity.value}s": _count(found, severity) for severity in Severity},
        },
    }


def summary(reports: Sequence[FileReport], changes: Sequence[Change], *, would: str = "") -> str:
    """What was looked at and what came of it, on one line; below it what was not looked at, and why."""
    return "\n".join(_summary(reports, changes, would))


def _summary(reports: Sequence[FileReport], changes: Sequence[Change], would: str) -> Iterator[str]:
    found = _all(reports)
    parts = [counted(count, severity.value) for severity in Severity if (count := _count(found, severity))]
    seen = (
        f"{counted(len(reports), 'file')}, {counted(sum(each.operations for each in reports), 'operation')}, "
        f"{counted(sum(each.specialisations for each in reports), 'specialisation')}"
    )
    yield f"checked {seen}: {listed(parts) if parts else 'nothing found'}"
    if changes:
        applied = counted(sum(change.fixes for change in changes), "fix").replace("fixs", "fixes")
        yield f"{applied} {would}applied to {counted(len(changes), 'file')}"
    for each in reports:
        for reason in each.not_checked:
            yield f"not checked in {display_name(each.path)}: {reason}"


def _all(reports: Sequence[FileReport]) -> tuple[Diagnostic, ...]:
    """The findings of all files: one in a module that several programs use is said once, and so is an older spelling."""
    return tuple(grouped(in_order([finding for each in reports for finding in each.findings])))


def _count(found: Sequence[Diagnostic], severity: Severity) -> int:
    return sum(finding.severity is severity for finding in found)
