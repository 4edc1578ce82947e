"""A diagnostic as text, for a terminal.

error[TTL0301]: message
  --> example.py:12:9
   |
10 |     a = a_dfb.reserve()
   |         --------------- reserved here
...
12 |     c.store(a)
   |             ^ read here
   |
   = note: a fact
   = help: what to write instead
"""

from __future__ import annotations

from collections.abc import Iterator

from ttl.diag.edits import changes
from ttl.diag.model import Diagnostic, Edit, Label
from ttl.diag.paint import Painter
from ttl.diag.snippet import Note, rows
from ttl.source import files


def render(diagnostic: Diagnostic, *, color: bool = False) -> str:
    """The whole report of ``diagnostic``, without a line end after its last line."""
    paint = Painter(color, diagnostic.severity)
    labels = _labels(diagnostic)
    gutter = _gutter(diagnostic)
    heading = paint.heading(f"{diagnostic.severity.value}[{diagnostic.code}]")
    report = [heading + paint.message(f": {diagnostic.message}")]
    report.extend(_places(labels, gutter, paint))
    indent = " " * gutter + " "
    asides = [
        *_asides("note", diagnostic.notes, indent, paint),
        *_asides("help", diagnostic.help, indent, paint),
        *_fix(diagnostic, gutter, paint),
    ]
    if labels and asides and report[-1] != paint.frame(indent + "|"):
        report.append(paint.frame(indent + "|"))
    return "\n".join(row.rstrip() for row in (*report, *asides))


def _labels(diagnostic: Diagnostic) -> tuple[Note, ...]:
    primary = () if diagnostic.primary is None else (Note(label=diagnostic.primary, primary=True),)
    return (*primary, *(Note(label=label, primary=False) for label in diagnostic.secondary))


def _gutter(diagnostic: Diagnostic) -> int:
    """Width of the largest line number of the report."""
    spans = [note.label.span for note in _labels(diagnostic)]
    if diagnostic.fix is not None:
        spans.extend(edit.span for edit in diagnostic.fix.edits)
    return len(str(max((max(span.line, span.end_line) for span in spans), default=1)))


def _places(labels: tuple[Note, ...], gutter: int, paint: Painter) -> Iterator[str]:
    """Return a snippet for each file, beginning with the file of the primary label."""
    names = dict.fromkeys(note.label.span.file for note in labels)
    for index, name in enumerate(names):
        here = [note for note in labels if note.label.span.file == name]
        lines = files.lines(name)
        arrow = "-->" if index == 0 else ":::"
        if index:
            yield paint.frame(" " * gutter + " |")
        yield f"{paint.frame(' ' * gutter + arrow)} {_location(here[0].label)}"
        if lines is None:
            yield from _without_text(here, gutter, paint)
            continue
        yield paint.frame(" " * gutter + " |")
        yield from rows(here, lines, gutter, paint)


def _location(label: Label) -> str:
    return f"{files.display_name(label.span.file)}:{label.span.line}:{label.span.column}"


def _without_text(labels: list[Note], gutter: int, paint: Painter) -> Iterator[str]:
    """Return the labels of a file whose text is not available."""
    for note in labels:
        if note.label.text or not note.primary:
            place = f"line {note.label.span.line}"
            yield paint.frame(" " * gutter + " | ") + f"{place}: {note.label.text or 'here'}"


def _asides(kind: str, texts: tuple[str, ...], indent: str, paint: Painter) -> Iterator[str]:
    """The lines ``= note: ...``; further lines of a text (a table, say) are below its first line."""
    for text in texts:
        first, *others = text.split("\n")
        yield f"{paint.frame(indent + '=')} {paint.aside(kind + ':')} {first}"
        for other in others:
            yield " " * (len(indent) + len(f"= {kind}: ")) + other


def _fix(diagnostic: Diagnostic, gutter: int, paint: Painter) -> Iterator[str]:
    fix = diagnostic.fix
    if fix is None:
        return
    if fix.description not in diagnostic.help:
        yield from _asides("fix", (fix.description,), " " * gutter + " ", paint)
    by_file: dict[str, list[Edit]] = {}
    for edit in fix.edits[: fix.shown]:
        by_file.setdefault(edit.span.file, []).append(edit)
    for file, edits in by_file.items():
        lines = files.lines(file)
        if lines is None:
            continue
        for change in changes(lines, edits):
            yield paint.frame(" " * gutter + " |")
            for offset, text in enumerate(change.before):
                yield paint.frame(f"{change.line + offset:>{gutter}} ") + paint.removed("- " + _shown(text))
            for offset, text in enumerate(change.after):
                yield paint.frame(f"{change.line + offset:>{gutter}} ") + paint.added("+ " + _shown(text))


def _shown(text: str) -> str:
    return text.rstrip().expandtabs(4)
