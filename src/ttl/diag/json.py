"""A diagnostic as JSON: one object on one line. The schema is in docs/reference/command-line.md.

Keys are only ever added; ``schema`` grows when one changes its meaning.
"""

from __future__ import annotations

import json
from typing import Any

from ttl.diag.model import Diagnostic, Fix, Label
from ttl.source.spans import Span

SCHEMA = 1


def to_object(diagnostic: Diagnostic) -> dict[str, Any]:
    """The diagnostic as what ``json.dumps`` takes."""
    return {
        "schema": SCHEMA,
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "primary": None if diagnostic.primary is None else _label(diagnostic.primary),
        "secondary": [_label(label) for label in diagnostic.secondary],
        "notes": list(diagnostic.notes),
        "help": list(diagnostic.help),
        "fix": None if diagnostic.fix is None else _fix(diagnostic.fix),
    }


def render(diagnostic: Diagnostic) -> str:
    """The diagnostic as one line of JSON."""
    return json.dumps(to_object(diagnostic), ensure_ascii=False)


def _span(span: Span) -> dict[str, Any]:
    """Lines and columns count characters from 1; the end is exclusive. A place without an end is a point."""
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
