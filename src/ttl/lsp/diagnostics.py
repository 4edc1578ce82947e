"""Findings as diagnostics of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lsprotocol import types

from ttl.diag import Diagnostic, Severity
from ttl.diag.families import Family, is_unused
from ttl.diag.model import Fix, Label
from ttl.lsp.capabilities import Abilities
from ttl.lsp.convert import Encoding, range_of, text_edit, uri_of
from ttl.service.analysis import Analysis
from ttl.service.fixing import title
from ttl.service.pages import page_file
from ttl.source.files import display_name
from ttl.source.spans import Span

SOURCE = "ttl"
STALE = "ttl (stale)"
RUN_SOURCE = "ttl run"
"""The source of findings of a run of the program."""
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}

Lines = Callable[[str], Sequence[str]]
"""The lines of a file as they are now, by its path."""


def page_uri(code: str) -> str | None:
    """Return the URI of a code's page: a file of this version, so that it describes this version."""
    page = page_file(code)
    return None if page is None else uri_of(str(page))


def diagnostics_of(
    analysis: Analysis, lines: Lines, encoding: Encoding, able: Abilities
) -> dict[str, list[types.Diagnostic]]:
    """Return the diagnostics of a text by file: the text's own file first, even without diagnostics."""
    by_path: dict[str, list[types.Diagnostic]] = {analysis.path: []}
    for finding in analysis.all_findings:
        path = analysis.path if finding.primary is None else finding.primary.span.file
        stale = analysis.stale and finding is not analysis.problem
        by_path.setdefault(path, []).append(
            converted(
                finding, analysis.path, lines, encoding, able, source=STALE if stale else SOURCE, stale=stale
            )
        )
    return by_path


def converted(
    finding: Diagnostic,
    path: str,
    lines: Lines,
    encoding: Encoding,
    able: Abilities,
    *,
    source: str = SOURCE,
    stale: bool = False,
) -> types.Diagnostic:
    """A finding as a diagnostic that the client can show; without a place, it is at the first line of ``path``."""
    span = Span(file=path, line=1, column=1) if finding.primary is None else finding.primary.span
    page = page_uri(finding.code) if able.pages else None
    related = [_related(label, lines, encoding) for label in finding.secondary]
    return types.Diagnostic(
        range=range_of(lines(span.file), span, encoding),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(href=page) if page is not None else None,
        source=source,
        message=_message(finding, able),
        tags=(_tags(finding) or None) if able.tags else None,
        related_information=(related or None) if able.related_places else None,
        data=_data(finding, lines, encoding, stale) if able.data else None,
    )


def _message(finding: Diagnostic, able: Abilities) -> str:
    label = "" if finding.primary is None or not finding.primary.text else f" ({finding.primary.text})"
    rows = [f"{finding.message}{label}"]
    if not able.related_places:
        rows += [
            f"{display_name(label.span.file)}:{label.span.line}: {label.text or 'here'}"
            for label in finding.secondary
        ]
    rows += [f"note: {text}" for text in finding.notes]
    rows += [f"help: {text}" for text in finding.help]
    return "\n".join(rows)


def _tags(finding: Diagnostic) -> list[types.DiagnosticTag]:
    if finding.family is Family.SPELLINGS:
        return [types.DiagnosticTag.Deprecated]
    return [types.DiagnosticTag.Unnecessary] if is_unused(finding.code) else []


def _related(label: Label, lines: Lines, encoding: Encoding) -> types.DiagnosticRelatedInformation:
    place = types.Location(
        uri=uri_of(label.span.file), range=range_of(lines(label.span.file), label.span, encoding)
    )
    return types.DiagnosticRelatedInformation(location=place, message=label.text or "here")


def _data(finding: Diagnostic, lines: Lines, encoding: Encoding, stale: bool) -> dict[str, Any]:
    data: dict[str, Any] = {"stale": stale}
    if finding.fix is not None and not stale:
        data["fixes"] = [{"title": title(finding.fix), "edits": _edits(finding.fix, lines, encoding)}]
    return data


def _edits(fix: Fix, lines: Lines, encoding: Encoding) -> list[dict[str, Any]]:
    rows = []
    for edit in fix.edits:
        one = text_edit(lines(edit.span.file), edit, encoding)
        rows.append(
            {
                "uri": uri_of(edit.span.file),
                "range": {
                    "start": {"line": one.range.start.line, "character": one.range.start.character},
                    "end": {"line": one.range.end.line, "character": one.range.end.character},
                },
                "newText": one.new_text,
            }
        )
    return rows


def merged(parts: Iterable[list[types.Diagnostic]]) -> list[types.Diagnostic]:
    """Return the diagnostics of one file from several analyses and runs, each once.

    A finding of a run is left out if it is already shown as a finding of the text.
    """
    once: dict[object, types.Diagnostic] = {}
    for part in parts:
        for item in part:
            start = item.range.start
            once.setdefault((item.code, start.line, start.character, item.message, item.source), item)
    read = {_kind_and_place(item) for item in once.values() if item.source != RUN_SOURCE}
    return [
        item
        for item in once.values()
        if item.source != RUN_SOURCE or item.code is None or _kind_and_place(item) not in read
    ]


def _kind_and_place(item: types.Diagnostic) -> tuple[object, int, int]:
    return item.code, item.range.start.line, item.range.start.character
