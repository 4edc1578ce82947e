"""Notes about an older spelling: one note for each file, with the number of places, instead of one for each place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ttl.diag.families import Family
from ttl.diag.model import Diagnostic, Edit, Fix, Severity
from ttl.source.spans import Span

# The largest number of lines that a note lists.
_LISTED = 8


def grouped(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings, with all notes about one spelling in one file combined.

    The combined note is at the first place, and its fix changes all places whose notes have one.
    """
    order: list[Diagnostic | tuple[str, str, str]] = []
    alike: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for finding in findings:
        if not is_spelling(finding) or finding.primary is None:
            order.append(finding)
            continue
        key = (finding.code, finding.message, finding.primary.span.file)
        if key not in alike:
            order.append(key)
        alike.setdefault(key, []).append(finding)
    return [_one(alike[item]) if isinstance(item, tuple) else item for item in order]


def is_spelling(finding: Diagnostic) -> bool:
    """Whether the finding is a note about an older spelling."""
    return finding.severity is Severity.NOTE and finding.family is Family.SPELLINGS


def _one(notes: list[Diagnostic]) -> Diagnostic:
    places = {note.primary.span: note for note in notes if note.primary is not None}
    notes = [places[span] for span in sorted(places, key=_position)]
    first, *others = notes
    if not others:
        return first
    with_fix = next((note for note in notes if note.fix is not None), first)
    edits = _apart([note.fix.edits for note in notes if note.fix is not None])
    fix = (
        None
        if with_fix.fix is None
        else Fix(description=_described(with_fix.fix, len(notes)), edits=edits, shown=1)
    )
    lines = list(dict.fromkeys(note.primary.span.line for note in notes if note.primary is not None))[1:]
    listed = ", ".join(map(str, lines[:_LISTED])) + (", ..." if len(lines) > _LISTED else "")
    where = f"also in line{'s' if len(lines) > 1 else ''} {listed}" if lines else "several times in this line"
    return replace(
        first,
        message=f"{first.message} ({len(notes)} places)",
        notes=(*first.notes, where),
        help=() if fix is not None else first.help,
        fix=fix,
    )


def _described(fix: Fix, count: int) -> str:
    return f"{fix.description}, here and in the other places" if count > 1 else fix.description


def _apart(changes: Iterable[tuple[Edit, ...]]) -> tuple[Edit, ...]:
    """The edits of all changes, except changes that overlap an earlier one: a later run finds them again."""
    kept: list[Edit] = []
    for change in changes:
        if not any(_meet(one.span, other.span) for one in change for other in kept):
            kept.extend(change)
    return tuple(sorted(kept, key=lambda edit: _position(edit.span)))


def _meet(one: Span, other: Span) -> bool:
    return (_position(one)[:2] < _end(other) and _position(other)[:2] < _end(one)) or one == other


def _position(span: Span) -> tuple[int, int, int, int]:
    return span.line, span.column, span.end_line, span.end_column


def _end(span: Span) -> tuple[int, int]:
    return span.end_line or span.line, span.end_column
