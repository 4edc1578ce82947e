"""An exception of a program as JSON: one object on one line. The schema is in docs/reference/command-line.md.

Keys are only ever added; ``schema`` increases when the meaning of a key changes.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from typing import Any

from ttl.source.files import character_offset, line
from ttl.source.spans import is_library_file, is_our_file

SCHEMA = 1
KIND = "exception"
# The most frames of one traceback (the first half and the last), and exceptions of a chain or group, that are shown.
_MOST_FRAMES = 64
_MOST_EXCEPTIONS = 16


def to_object(raised: BaseException, notes: Sequence[str] = ()) -> dict[str, Any]:
    """The exception as an object that ``json.dumps`` accepts; ``notes`` are added to the notes of the exception."""
    told = _ExceptionChain()
    result = told.object_of(raised)
    result["notes"] = [*result["notes"], *notes]
    return result


def render(raised: BaseException, notes: Sequence[str] = ()) -> str:
    """The exception as one line of JSON."""
    return json.dumps(to_object(raised, notes), ensure_ascii=False)


class _ExceptionChain:
    """The exceptions that were shown already, because a chain may lead back to its beginning."""

    def __init__(self) -> None:
        self._known: set[int] = set()

    def object_of(self, raised: BaseException) -> dict[str, Any]:
        self._known.add(id(raised))
        frames = _frames(raised)
        where = frames[-1] if frames else {}
        file, number = where.get("file"), where.get("line")
        if isinstance(raised, SyntaxError) and raised.filename is not None:
            file, number = raised.filename, raised.lineno
        shown = frames
        if len(frames) > _MOST_FRAMES:
            shown = frames[: _MOST_FRAMES // 2] + frames[-_MOST_FRAMES // 2 :]
        inner = raised.exceptions if isinstance(raised, BaseExceptionGroup) else ()
        return {
            "schema": SCHEMA,
            "kind": KIND,
            "type": _type(raised),
            "message": _message(raised),
            "file": file,
            "line": number,
            "frames": shown,
            "frames_left_out": len(frames) - len(shown),
            "notes": [str(note) for note in getattr(raised, "__notes__", ())],
            "cause": self._next(raised.__cause__),
            "context": None if raised.__suppress_context__ else self._next(raised.__context__),
            "exceptions": [item for item in map(self._next, inner[:_MOST_EXCEPTIONS]) if item is not None],
        }

    def _next(self, raised: BaseException | None) -> dict[str, Any] | None:
        if raised is None or id(raised) in self._known or len(self._known) >= _MOST_EXCEPTIONS:
            return None
        return self.object_of(raised)


def _frames(raised: BaseException) -> list[dict[str, Any]]:
    """The frames in the user's files, the outermost first."""
    return [
        _frame(item)
        for item in traceback.extract_tb(raised.__traceback__)
        if not is_our_file(item.filename) and not is_library_file(item.filename)
    ]


def _frame(item: traceback.FrameSummary) -> dict[str, Any]:
    number = item.lineno or 0
    begin, end = item.colno, item.end_colno
    last = item.end_lineno or number
    return {
        "file": item.filename,
        "line": number,
        "column": None if begin is None else character_offset(item.filename, number, begin) + 1,
        "end_line": last,
        "end_column": None if end is None else character_offset(item.filename, last, end) + 1,
        "function": item.name,
        "text": (line(item.filename, number) or item.line or "").strip(),
    }


def _type(raised: BaseException) -> str:
    kind = type(raised)
    plain = kind.__module__ in ("builtins", "__main__")
    return kind.__qualname__ if plain else f"{kind.__module__}.{kind.__qualname__}"


def _message(raised: BaseException) -> str:
    try:
        return str(raised)
    except Exception:  # the user's own __str__ may raise
        return "<its text cannot be had: __str__ raised an exception>"
