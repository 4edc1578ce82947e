"""A location in a source file, and the functions that find the location of the user's running code."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Protocol

from ttl.session import Part, cached
from ttl.source.files import character_offset, line

if TYPE_CHECKING:
    import ast

# The folder of this package, with a separator at its end.
PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_STANDARD_LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
# Operations of this package in the language. Like a user's, they are read, divided, and named in errors.
OPERATIONS_FOLDER = os.path.join(PACKAGE_FOLDER, "ops") + os.sep
# Packages, installed beside this one, that call operations for models.
_COMPANIONS = tuple(
    os.path.join(os.path.dirname(PACKAGE_FOLDER[:-1]), name) + os.sep
    for name in ("tt_model", "ttmlir", "ttrt")
)
_LIBRARY_FOLDERS = tuple(os.path.join("site-packages", name) for name in ("numpy", "torch"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A range of one file. Lines and columns count from 1; ``end_column`` is one past the last character."""

    file: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Reading(Protocol):
    """The interface of a reader of a user's source, which calls public functions for their meaning without running the program."""

    @property
    def span(self) -> Span | None:
        """The location that is being read."""

    @property
    def call(self) -> ast.Call | None:
        """The call that is being read."""


# The reader of the source, if the program is read and not run: then the reader's location is that of the user's code.
READING: Part[Reading | None] = Part(lambda: None)

# The location of the call of the operation whose body is being read.
CALLED: Part[Span | None] = Part(lambda: None)

# A location that is cheap to record: the code object and the offset of the instruction in it.
Site = tuple[CodeType, int]


@cached(maxsize=4096)
def _positions(code: CodeType) -> tuple[tuple[int | None, int | None, int | None, int | None], ...]:
    return tuple(code.co_positions())


def position_of(site: Site) -> tuple[int | None, int | None, int | None, int | None] | None:
    """First line, last line, first column and end column of the expression to which an instruction belongs.

    Lines count from 1, columns from 0 in bytes of UTF-8, as in Python; None for an unknown position.
    """
    code, lasti = site
    positions = _positions(code)
    index = lasti // 2
    return positions[index] if 0 <= index < len(positions) else None


def span_of_site(site: Site) -> Span:
    """The span of the expression to which an instruction belongs (exact columns, Python 3.11 and newer).

    The first instruction of a function stands for the function itself: the span is that of its name.
    """
    code, lasti = site
    if lasti == 0:
        return _span_of_name(code)
    first, end_line, column, end_column = position_of(site) or (None,) * 4
    if first is None:
        return Span(file=code.co_filename, line=code.co_firstlineno)
    return Span(
        file=code.co_filename,
        line=first,
        column=character_offset(code.co_filename, first, column or 0) + 1,
        end_line=end_line or first,
        end_column=character_offset(code.co_filename, end_line or first, end_column or 0) + 1,
    )


def _span_of_name(code: CodeType) -> Span:
    """The span of a function's name in its definition, below its decorators."""
    head = f"def {code.co_name}"
    for number in range(code.co_firstlineno, code.co_firstlineno + 64):
        text = line(code.co_filename, number)
        if text is None:
            break
        if text.lstrip().removeprefix("async ").lstrip().startswith(head):
            start = text.index(head) + len("def ")
            column = start + 1
            end = column + len(code.co_name)
            return Span(file=code.co_filename, line=number, column=column, end_line=number, end_column=end)
    return Span(file=code.co_filename, line=code.co_firstlineno)


def is_ours(code: CodeType) -> bool:
    """Whether a code object belongs to this package and not to a user's program."""
    return is_our_file(code.co_filename)


def is_our_file(file: str) -> bool:
    """Whether a file belongs to this package, and is not an operation that is written in the language."""
    return file.startswith(PACKAGE_FOLDER) and not file.startswith(OPERATIONS_FOLDER)


@lru_cache(maxsize=1024)
def is_library_file(file: str) -> bool:
    """Whether a file belongs to Python's own library, NumPy, torch or TT-MLIR: code that users call, not write."""
    if file.startswith(("<frozen ", *_COMPANIONS)) or any(
        f"{os.sep}{folder}{os.sep}" in file for folder in _LIBRARY_FOLDERS
    ):
        return True
    return file.startswith(_STANDARD_LIBRARY) and "-packages" + os.sep not in file


def _is_generated(frame: FrameType) -> bool:
    """Whether a frame runs a method that ``dataclasses`` generated for a class of this package."""
    return frame.f_code.co_filename == "<string>" and str(frame.f_globals.get("__name__")).startswith("ttl.")


def user_frame(start: FrameType | None = None) -> FrameType | None:
    """The innermost frame that runs a user's code, from ``start`` (default: the caller) outwards."""
    frame: FrameType | None = start if start is not None else sys._getframe(1)
    while frame is not None and is_ours(frame.f_code):
        frame = frame.f_back
    innermost = frame
    while frame is not None and (is_library_file(frame.f_code.co_filename) or _is_generated(frame)):
        frame = frame.f_back
        while frame is not None and is_ours(frame.f_code):
            frame = frame.f_back
    return innermost if frame is None else frame


def user_site(start: FrameType | None = None) -> Site | None:
    """The site of the running user code, or None if no user code is on the stack."""
    frame = user_frame(start if start is not None else sys._getframe(1))
    return None if frame is None else (frame.f_code, frame.f_lasti)


def user_span() -> Span | None:
    """The span of the running user code, or None if no user code is on the stack."""
    reading = READING.get()
    if reading is not None:
        return reading.span
    site = user_site(sys._getframe(1))
    return None if site is None else span_of_site(site)
