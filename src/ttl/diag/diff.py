"""A change of a file as a unified diff, as ``patch`` and ``git apply`` take it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from ttl.diag.model import Severity
from ttl.diag.paint import Painter

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def split_lines(text: str) -> list[str]:
    """The lines of ``text`` with their ends, where Python ends lines: at carriage returns and line feeds only."""
    return _LINE.findall(text)


def unified(name: str, before: str, after: str, *, color: bool = False) -> str:
    """The diff of a file called ``name``; empty when nothing changes. Ends with a line end."""
    return "".join(_rows(name, before, after, Painter(color, Severity.NOTE)))


def _rows(name: str, before: str, after: str, paint: Painter) -> Iterator[str]:
    rows = difflib.unified_diff(split_lines(before), split_lines(after), f"a/{name}", f"b/{name}")
    for number, row in enumerate(rows):
        text = row.rstrip("\r\n")
        end = row[len(text) :]
        if number < 2 or text.startswith("@@"):
            yield paint.frame(text) + "\n"
            continue
        painted = paint.removed(text) if text[0] == "-" else paint.added(text) if text[0] == "+" else text
        yield painted + (end or "\n\\ No newline at end of file\n")
