"""Syntax trees of texts that are being typed: of a text that is like the last one, only what is between its equal ends is parsed,
and what is below is moved.

That is as good as parsing all of it: a piece that is Python by itself, between statements of the top level that begin
at the left margin, means the same there. What is not, by itself, is looked at with all that is around it.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from typing import Any

from ttl.check.source import not_python, too_deep
from ttl.diag import Diagnostic
from ttl.service.moves import change_between
from ttl.session import FileText
from ttl.source.parsing import parse
from ttl.source.trees import Chunk, SourceFile, Trees, chunked, numbered, parsed

# Python's errors about these depend on statements far away.
_FAR = ("__future__", "global")


@dataclass(frozen=True, slots=True)
class _Known:
    """A text that is Python, and its chunks. Their statements may be elsewhere by now, as later texts have them."""

    text: FileText
    chunks: tuple[Chunk, ...]


class TypedFile:
    """A file that is edited: one ``SourceFile`` for all its texts, in which a statement that stays is the same object.

    Where a statement has moved, the lines of its nodes are counted anew: so whatever was made of it has its new place.
    """

    def __init__(self, path: str, text: FileText, file: SourceFile) -> None:
        self.path = path
        self.file = file
        self.known = _Known(text, file.chunks)
        # The nodes with places of chunks that have moved before, by the first statement.
        self._nodes: dict[ast.stmt, list[Any]] = {}

    def edited(self, text: FileText) -> bool:
        """The file has another text; False, and nothing is changed, where that is not Python."""
        chunks = self._partly(text) or self._whole(text)
        if chunks is None:
            return False
        first = (chunk.statements[0] for chunk in chunks)
        self._nodes = {statement: self._nodes[statement] for statement in first if statement in self._nodes}
        self.file.become(text, chunks)
        self.known = _Known(text, chunks)
        return True

    def _partly(self, text: FileText) -> tuple[Chunk, ...] | None:
        """The chunks of a text of which only what differs is parsed; None where that does not do."""
        above, piece, below, by = _split(self.known, text)
        if not text.text:
            return None
        try:
            tree = parse(piece, self.path)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        new = chunked(self.path, text.lines, tree.body)
        return numbered(self.path, (*above, *new, *(self._moved(chunk, by) for chunk in below)))

    def _whole(self, text: FileText) -> tuple[Chunk, ...] | None:
        """The chunks of a text that is parsed; those of before are the same objects."""
        file = parsed(self.path, text)
        if file is None:
            return None
        before = {chunk.key: chunk for chunk in self.known.chunks}
        return tuple(
            chunk
            if (known := before.get(chunk.key)) is None
            else self._moved(known, chunk.first - known.first)
            for chunk in file.chunks
        )

    def _moved(self, chunk: Chunk, by: int) -> Chunk:
        """A chunk some lines below."""
        if not by:
            return chunk
        for node in self._placed(chunk):
            node.lineno += by
            node.end_lineno += by
        return Chunk(chunk.first + by, chunk.last + by, chunk.statements, chunk.key)

    def _placed(self, chunk: Chunk) -> list[Any]:
        """The nodes of a chunk that have places."""
        nodes = self._nodes.get(chunk.statements[0])
        if nodes is None:
            nodes = self._nodes[chunk.statements[0]] = [
                node
                for statement in chunk.statements
                for node in ast.walk(statement)
                if hasattr(node, "lineno")
            ]
        return nodes

    def prepare(self) -> None:
        """Find out now what moving any of the chunks needs: the next edit may put a line in above all of them."""
        for chunk in self.known.chunks:
            self._placed(chunk)


class TypedTrees(Trees):
    """The trees of files that are being edited: for each file only that of the last text that was Python.

    It is for one thread: requesting the tree of a later text deletes the earlier one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[str, TypedFile] = {}
        # The last text of which not only the grammar is right.
        self._right: dict[str, _Known] = {}
        # The last text that is not Python.
        self._broken: dict[str, FileText] = {}

    def forget(self, path: str) -> None:
        """The file is not being edited any more."""
        self._files.pop(path, None)
        self._right.pop(path, None)
        self._broken.pop(path, None)

    def prepare(self, path: str) -> None:
        """Let the next edit of a file be read at once."""
        if path in self._files:
            self._files[path].prepare()

    def of(self, path: str, text: FileText) -> SourceFile | None:
        """The file with this text; None where it is not Python."""
        if self._broken.get(path) is text:
            return None
        known = self._files.get(path)
        if known is None:
            file = parsed(path, text)
            if file is not None:
                self._files[path] = TypedFile(path, text, file)
                return file
        elif known.known.text is text or known.edited(text):
            return known.file
        self._broken[path] = text
        return None

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
        if self.of(path, text) is not None:
            self._right[path] = self._files[path].known
        return None

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


def _compile(text: str, path: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the user's code: they are shown when it runs
        compile(text, path, "exec", dont_inherit=True)


def _split(known: _Known, text: FileText) -> tuple[tuple[Chunk, ...], str, tuple[Chunk, ...], int]:
    """The chunks above and below what differs, that between them in the new text (on its lines), and by how much those below moved."""
    change = change_between(known.text, text)
    chunks = known.chunks
    moved = change.after[0] - change.before[0]
    above = tuple(chunk for chunk in chunks if chunk.last < change.start[0])
    below = tuple(chunk for chunk in chunks if chunk.first > change.before[0])
    first = above[-1].last if above else 0
    last = below[0].first - 1 + moved if below else len(text.lines)
    piece = "\n" * first + "\n".join(text.lines[first:last]) + "\n"
    return above, piece, below, moved
