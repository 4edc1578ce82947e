"""Syntax trees of texts that are being typed: of a text that is like the last one, only what is between its equal ends is parsed.

That is as good as parsing all of it: a piece that is Python by itself, between statements of the top level that begin
at the left margin, means the same there. What is not, by itself, is looked at with all that is around it.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

from ttl.check.source import not_python, too_deep
from ttl.diag import Diagnostic
from ttl.service.moves import change_between
from ttl.session import FileText
from ttl.source.trees import Chunk, SourceFile, Trees, parsed

# Python's errors about these depend on statements far away.
_FAR = ("__future__", "global")


@dataclass(frozen=True, slots=True)
class _Known:
    """A text that is Python."""

    text: FileText
    file: SourceFile


class TypedTrees(Trees):
    """The trees of files that are being edited: of each file the last text that was Python is kept, and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, _Known] = {}
        # The last text of which not only the grammar is right.
        self._right: dict[str, _Known] = {}

    def forget(self, path: str) -> None:
        """The file is not being edited any more."""
        self._last.pop(path, None)
        self._right.pop(path, None)

    def of(self, path: str, text: FileText) -> SourceFile | None:
        """The file with this text; None where it is not Python."""
        known = self._last.get(path)
        if known is not None and known.text is text:
            return known.file
        file = _parsed_again(known, path, text) if known is not None and text.text else None
        if file is None:
            file = parsed(path, text)
        if file is not None:
            self._last[path] = _Known(text, file)
        return file

    def problem(self, path: str, text: FileText, program: str) -> Diagnostic | None:
        """Why a text is not Python, as ``ttl check`` says it of the file; None where it is. ``program``: the file's name for a message."""
        known = self._right.get(path)
        if known is not None and known.text is text:
            return None
        if known is None or not self._compiles(known, path, text):
            try:
                _compile(text.text, path)
            except (SyntaxError, ValueError) as problem:
                return not_python(program, path, problem)
            except (RecursionError, MemoryError):
                return too_deep(program)
        file = self.of(path, text)
        if file is not None:
            self._right[path] = _Known(text, file)
        return None

    def last(self, path: str) -> _Known | None:
        """The last text of a file that was Python."""
        return self._last.get(path)

    @staticmethod
    def _compiles(known: _Known, path: str, text: FileText) -> bool:
        """Whether what is new is Python, by itself; if not, it may be with what is around it."""
        if any(word in text.text for word in _FAR):
            return False
        _, piece, _, _ = _split(known, text)
        try:
            _compile(piece, path)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        return True


class QuestionTrees(Trees):
    """The trees of texts that questions are about: those that are ``typed`` already, or made of their parts.

    It may be asked on another thread than ``typed`` is.
    """

    def __init__(self, typed: TypedTrees) -> None:
        super().__init__()
        self._typed = typed
        self._own: dict[str, _Known] = {}

    def forget(self, path: str) -> None:
        """The file is not being edited any more."""
        self._own.pop(path, None)

    def of(self, path: str, text: FileText) -> SourceFile | None:
        """The file with this text; None where it is not Python."""
        typed, own = self._typed.last(path), self._own.get(path)
        for known in (typed, own):
            if known is not None and known.text is text:
                return known.file
        if typed is None:
            return super().of(path, text)
        file = (_parsed_again(typed, path, text) if text.text else None) or parsed(path, text)
        if file is not None:
            self._own[path] = _Known(text, file)
        return file


def _parsed_again(known: _Known, path: str, text: FileText) -> SourceFile | None:
    """The file from what is known of the last text; None where that does not do."""
    above, piece, below, moved = _split(known, text)
    if moved:
        return None  # every place below is another one
    try:
        tree = ast.parse(piece, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    body = [
        *(statement for chunk in above for statement in chunk.statements),
        *tree.body,
        *(statement for chunk in below for statement in chunk.statements),
    ]
    return SourceFile(path, text, ast.Module(body=body, type_ignores=[]))


def _compile(text: str, path: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the user's code: whoever runs it shows them
        compile(text, path, "exec", dont_inherit=True)


def _split(known: _Known, text: FileText) -> tuple[tuple[Chunk, ...], str, tuple[Chunk, ...], int]:
    """The chunks above and below what differs, that between them in the new text (on its lines), and by how much those below moved."""
    change = change_between(known.text, text)
    chunks = known.file.chunks
    moved = change.after[0] - change.before[0]
    above = tuple(chunk for chunk in chunks if chunk.last < change.start[0])
    below = tuple(chunk for chunk in chunks if chunk.first > change.before[0])
    first = above[-1].last if above else 0
    last = below[0].first - 1 + moved if below else len(text.lines)
    piece = "\n" * first + "\n".join(text.lines[first:last]) + "\n"
    return above, piece, below, moved
