"""A diagnostic as a workflow command of GitHub Actions: one line, which becomes an annotation of the file.

The format: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from ttl.diag.model import Diagnostic, Severity
from ttl.source.files import display_name
from ttl.source.spans import Span

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
# The percent sign comes first, because the other replacements contain one.
_IN_MESSAGES = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTIES = (*_IN_MESSAGES, (":", "%3A"), (",", "%2C"))


def render(diagnostic: Diagnostic) -> str:
    """The diagnostic as one line, with notes, help and the description of the fix in its message."""
    properties = [] if diagnostic.primary is None else _place(diagnostic.primary.span)
    properties.append(("title", diagnostic.code))
    said = ",".join(f"{name}={_escaped(value, _IN_PROPERTIES)}" for name, value in properties)
    return f"::{_COMMANDS[diagnostic.severity]} {said}::{_escaped(_message(diagnostic), _IN_MESSAGES)}"


def _place(span: Span) -> list[tuple[str, str]]:
    """File, lines and columns of an annotation.

    GitHub accepts columns only for a range on one line, with the last column inclusive.
    """
    end_line = span.end_line or span.line
    place = [("file", display_name(span.file)), ("line", str(span.line))]
    if end_line != span.line:
        return [*place, ("endLine", str(end_line))]
    end_column = max(span.column, span.end_column - 1)
    return [*place, ("col", str(span.column)), ("endLine", str(end_line)), ("endColumn", str(end_column))]


def _message(diagnostic: Diagnostic) -> str:
    parts = [diagnostic.message]
    if diagnostic.primary is not None and diagnostic.primary.text:
        parts.append(f"here: {diagnostic.primary.text}")
    for label in diagnostic.secondary:
        parts.append(f"{display_name(label.span.file)}:{label.span.line}: {label.text}")
    parts.extend(f"note: {text}" for text in diagnostic.notes)
    parts.extend(f"help: {text}" for text in diagnostic.help)
    if diagnostic.fix is not None and diagnostic.fix.description not in diagnostic.help:
        parts.append(f"fix: {diagnostic.fix.description}")
    return "\n".join(parts)


def _escaped(text: str, table: tuple[tuple[str, str], ...]) -> str:
    for character, code in table:
        text = text.replace(character, code)
    return text
