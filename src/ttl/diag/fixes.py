"""Apply the fixes of diagnostics to the text of files.

A fix is applied whole or not at all, and only if the file is still valid Python afterwards.
"""

from __future__ import annotations

import io
import os
import re
import tokenize
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ttl.diag.edits import split_lines
from ttl.diag.model import Diagnostic, Edit, Fix
from ttl.source.parsing import parse

_LINE_END = re.compile(r"\r\n|\r|\n")
# Begin and end of the text that an edit replaces, in characters from the start of the file, and the replacement.
_Change = tuple[int, int, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceText:
    """A source file: its text, and the encoding and bytes of the file."""

    path: str
    text: str
    encoding: str
    content: bytes

    def changed(self, text: str) -> SourceText:
        """The same file with another text. Raises ``UnicodeEncodeError`` for characters that its encoding does not have."""
        return SourceText(
            path=self.path, text=text, encoding=self.encoding, content=text.encode(self.encoding)
        )


def read(path: str) -> SourceText:
    """The source in ``path``. Raises ``OSError``, ``SyntaxError`` (unknown encoding), ``UnicodeDecodeError``."""
    with open(path, "rb") as file:
        content = file.read()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    return SourceText(path=path, text=content.decode(encoding), encoding=encoding, content=content)


def write(before: SourceText, after: SourceText) -> None:
    """Replace the file atomically. Raises ``OSError`` if it changed after ``before`` was read, or cannot be written."""
    path = os.path.realpath(before.path)
    with open(path, "r+b") as file:  # opened for writing, so that a read-only file is not replaced
        if file.read() != before.content:
            raise OSError("the file was changed meanwhile")
        mode = os.fstat(file.fileno()).st_mode
    replace_whole(path, after.content, mode & 0o7777)


def replace_whole(path: str, content: bytes, mode: int) -> None:
    """Write a file atomically: whole or not at all. Raises ``OSError``."""
    import tempfile  # imports shutil and its compressions: only writing pays for them

    handle, name = tempfile.mkstemp(dir=os.path.dirname(path), prefix=f".{os.path.basename(path)}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def fixes_of(diagnostics: Iterable[Diagnostic], path: str) -> list[Fix]:
    """The fixes that change ``path`` and no other file, without duplicates, in the order of the file."""
    result = dict.fromkeys(
        finding.fix
        for finding in diagnostics
        if finding.fix is not None
        and finding.fix.edits
        and all(edit.span.file == path for edit in finding.fix.edits)
    )
    return sorted(result, key=lambda fix: min((edit.span.line, edit.span.column) for edit in fix.edits))


def apply(source: SourceText, fixes: Sequence[Fix]) -> tuple[SourceText, int]:
    """The file after as many of ``fixes`` as can be combined, and their number.

    If two fixes touch the same text, the first is applied; the second may be found again in the new text.
    """
    changes = [change for fix in fixes if (change := _changes(source.text, fix)) is not None]
    together: list[tuple[_Change, ...]] = []
    for change in changes:
        if all(_apart(one, other) for taken in together for one in taken for other in change):
            together.append(change)
    result = _tried(source, together)
    if result is not None:
        return result, len(together)
    # One of the fixes breaks the file: apply each that does not.
    kept: list[tuple[_Change, ...]] = []
    best = source
    for change in together:
        result = _tried(source, [*kept, change])
        if result is not None:
            kept.append(change)
            best = result
    return best, len(kept)


def _changes(text: str, fix: Fix) -> tuple[_Change, ...] | None:
    """Return the replacements of a fix, in order.

    None if one of its locations is not in the text, or its edits overlap.
    """
    lines = split_lines(text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    newline = next((match_[0] for line in lines if (match_ := _LINE_END.search(line))), "\n")
    changes: list[_Change] = []
    for edit in dict.fromkeys(fix.edits):
        span = edit.span
        begin = _offset(lines, starts, span.line, span.column)
        end = _offset(lines, starts, span.end_line or span.line, _end_column(edit))
        if begin is None or end is None or end < begin:
            return None
        changes.append((begin, end, _LINE_END.sub(newline, edit.replacement)))
    ordered = sorted(changes)
    if any(not _apart(one, other) for one, other in pairwise(ordered)):
        return None
    return tuple(ordered)


def _end_column(edit: Edit) -> int:
    return edit.span.end_column if edit.span.end_line else edit.span.column


def _offset(lines: Sequence[str], starts: Sequence[int], line: int, column: int) -> int | None:
    if line == len(lines) + 1 and column == 1:
        return starts[-1]  # after the last line, where text is appended
    if not 1 <= line <= len(lines):
        return None
    length = len(lines[line - 1].rstrip("\r\n"))
    return starts[line - 1] + column - 1 if 1 <= column <= length + 1 else None


def _apart(one: _Change, other: _Change) -> bool:
    """Whether two changes do not overlap. Two that begin at one position do: their order would be a guess."""
    first, second = sorted((one, other))
    return first[1] <= second[0] and first[0] != second[0]


def _tried(source: SourceText, together: Sequence[tuple[_Change, ...]]) -> SourceText | None:
    """The file after all of the changes; None if it is not valid Python then, or its encoding lacks a character."""
    text = source.text
    for begin, end, replacement in sorted((item for change in together for item in change), reverse=True):
        text = text[:begin] + replacement + text[end:]
    try:
        changed = source.changed(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about the user's program are shown when it runs
            parse(changed.content, source.path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return changed
