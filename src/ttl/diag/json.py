"""A diagnostic as JSON: one object on one line. The schema is in docs/reference/command-line.md.

Keys are only ever added; ``schema`` increases when the meaning of a key changes.
"""

from __future__ import annotations

import json
from typing import Any

from ttl.diag.families import Subject
from ttl.diag.model import Diagnostic, Edit, Fix, Label, Severity
from ttl.source.spans import Span

SCHEMA = 1


def to_object(diagnostic: Diagnostic) -> dict[str, Any]:
    """The diagnostic as an object that ``json.dumps`` accepts."""
    return {
        "schema": SCHEMA,
        "kind": "diagnostic",
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "primary": None if diagnostic.primary is None else _label(diagnostic.primary),
        "secondary": [_label(label) for label in diagnostic.secondary],
        "notes": list(diagnostic.notes),
        "help": list(diagnostic.help),
        "fix": None if diagnostic.fix is None else _fix(diagnostic.fix),
        "family": diagnostic.family.value,
        "subject": None if diagnostic.subject is None else diagnostic.subject.value,
    }


def render(diagnostic: Diagnostic) -> str:
    """The diagnostic as one line of JSON."""
    return json.dumps(to_object(diagnostic), ensure_ascii=False)


def from_object(data: Any) -> Diagnostic:
    """The diagnostic from the result of ``to_object``.

    Raises ``ValueError``, ``TypeError`` or ``KeyError`` for data that are not a diagnostic, or follow another schema.
    """
    if data["schema"] != SCHEMA:
        raise ValueError(data["schema"])
    return Diagnostic(
        code=str(data["code"]),
        severity=Severity(data["severity"]),
        message=str(data["message"]),
        primary=None if data["primary"] is None else _label_of(data["primary"]),
        secondary=tuple(_label_of(item) for item in data["secondary"]),
        notes=tuple(str(text) for text in data["notes"]),
        help=tuple(str(text) for text in data["help"]),
        fix=None if data["fix"] is None else _fix_of(data["fix"]),
        subject=None if data["subject"] is None else Subject(data["subject"]),
    )


def _span_of(data: Any) -> Span:
    numbers = {name: int(data[name]) for name in ("line", "column", "end_line", "end_column")}
    return Span(file=str(data["file"]), **numbers)


def _label_of(data: Any) -> Label:
    return Label(span=_span_of(data), text=str(data["label"]))


def _fix_of(data: Any) -> Fix:
    edits = tuple(Edit(span=_span_of(item), replacement=str(item["replacement"])) for item in data["edits"])
    return Fix(description=str(data["description"]), edits=edits)


def _span(span: Span) -> dict[str, Any]:
    """A span as an object. Lines and columns (in characters) count from 1; the end is exclusive.

    A location without an end is a point.
    """
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line or span.line,
        "end_column": span.end_column if span.end_line else span.column,
    }


def _label(label: Label) -> dict[str, Any]:
    return {**_span(label.span), "label": label.text}


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "description": fix.description,
        "edits": [{**_span(edit.span), "replacement": edit.replacement} for edit in fix.edits],
    }
