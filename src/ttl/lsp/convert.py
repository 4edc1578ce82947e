"""Places, ranges, files and edits between the protocol and the package.

The protocol counts lines from 0 and columns from 0 in units of the encoding that both sides agreed on (UTF-16 by
default); the package counts both from 1, in characters.
"""

from __future__ import annotations

import ntpath
import os
from collections.abc import Sequence
from pathlib import PureWindowsPath
from typing import Literal
from urllib.parse import quote, unquote, urlsplit

from lsprotocol import types

from ttl.diag.model import Edit
from ttl.source.spans import Span

Encoding = Literal["utf-8", "utf-16", "utf-32"]


def encoding_of(kind: types.PositionEncodingKind | str | None) -> Encoding:
    """The encoding of columns that both sides agreed on; UTF-16, which every client supports, for any other value."""
    match str(getattr(kind, "value", kind)):
        case "utf-8":
            return "utf-8"
        case "utf-32":
            return "utf-32"
        case _:
            return "utf-16"


# --- columns -----------------------------------------------------------------------------------------------------


def units(text: str, encoding: Encoding) -> int:
    """Return the length of a piece of a line in the client's units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    return len(text.encode(encoding, "surrogatepass")) // (1 if encoding == "utf-8" else 2) - (
        encoding == "utf-16"
    )


def character(line: str, column: int, encoding: Encoding) -> int:
    """The index of the character, from 0, at a column of the client, clamped to the line.

    A column in the middle of a character is its beginning.
    """
    column = max(column, 0)
    if encoding == "utf-32" or line.isascii():
        return min(column, len(line))
    units_so_far = 0
    for number, letter in enumerate(line):
        units_so_far += units(letter, encoding)
        if units_so_far > column:
            return number
    return len(line)


def position(lines: Sequence[str], line: int, column: int, encoding: Encoding) -> types.Position:
    """A line and column of the package (from 1) as a position of the client, clamped to the text."""
    if line > len(lines):
        return types.Position(line=len(lines), character=0)
    text = lines[line - 1] if line > 0 else ""
    return types.Position(line=max(line - 1, 0), character=units(text[: max(column - 1, 0)], encoding))


def place(lines: Sequence[str], where: types.Position, encoding: Encoding) -> tuple[int, int]:
    """A position of the client as line and column from 1, clamped to the text."""
    if where.line >= len(lines):
        return (len(lines), len(lines[-1]) + 1) if lines else (1, 1)
    line = max(where.line, 0)
    return line + 1, character(lines[line], where.character, encoding) + 1


def range_of(lines: Sequence[str], span: Span, encoding: Encoding) -> types.Range:
    """A span as a range of the client. A span without an end becomes the word, or the character, that begins there."""
    start = position(lines, span.line, span.column, encoding)
    if span.end_line:
        return types.Range(start=start, end=position(lines, span.end_line, span.end_column, encoding))
    line = lines[span.line - 1] if 1 <= span.line <= len(lines) else ""
    end = span.column
    while end <= len(line) and (line[end - 1].isalnum() or line[end - 1] == "_"):
        end += 1
    return types.Range(start=start, end=position(lines, span.line, max(end, span.column + 1), encoding))


def text_edit(lines: Sequence[str], edit: Edit, encoding: Encoding, newline: str = "\n") -> types.TextEdit:
    """An edit with the line ends of the client's text."""
    span = edit.span
    start = position(lines, span.line, span.column, encoding)
    end = position(lines, span.end_line, span.end_column, encoding) if span.end_line else start
    return types.TextEdit(
        range=types.Range(start=start, end=end), new_text=edit.replacement.replace("\n", newline)
    )


# --- files -------------------------------------------------------------------------------------------------------


def path_of(uri: str, windows: bool = os.name == "nt") -> str:
    """Return the absolute path of a file; for any other URI (``untitled:Untitled-1``), a name in angle brackets.

    On Windows with backslashes and the drive in upper case, as Python's own functions have it: editors write ``c%3A`` and ``C:``.
    """
    try:
        parts = urlsplit(uri)
        if parts.scheme == "file" and parts.path:
            path = unquote(parts.path, errors="surrogateescape")
            if parts.netloc not in ("", "localhost"):
                path = f"//{parts.netloc}{path}"
            elif windows:
                path = path.lstrip("/")
            if "\0" not in path:
                return _of_windows(path) if windows else os.path.normpath(path)
    except ValueError:  # no URI at all
        pass
    return f"<{uri}>"


def _of_windows(path: str) -> str:
    path = ntpath.normpath(path)
    return path[:1].upper() + path[1:] if path[1:2] == ":" else path


def uri_of(path: str, windows: bool = os.name == "nt") -> str:
    """Return the URI of a path that ``path_of`` returned, or of any absolute one."""
    if path.startswith("<"):
        return path[1:-1]
    if windows:
        return PureWindowsPath(path).as_uri()
    return "file://" + quote(os.fsencode(path))
