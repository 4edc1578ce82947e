"""Syntax trees of texts that are being typed: only the part that differs from the last text is parsed.

The statements below that part are moved. The result is that of parsing the whole text: a piece that is Python by
itself, between statements of the top level that begin at the left margin, means the same there. If the piece is not
Python by itself, the whole text is parsed.
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

# Words with which Python's errors depend on statements far away.
_FAR = ("__future__", "global")


@dataclass(frozen=True, slots=True)
class _Known:
    """A text that is Python, and its chunks. Their statements may have moved since, as later texts share them."""

    text: FileText
    chunks: tuple[Chunk, ...]


class TypedFile:
    """A file that is edited: one ``SourceFile`` for all its texts, in which an unchanged statement is the same object.

    When a statement moves, the line numbers of its nodes are updated, so that objects made of it have the new place.
    """

    def __init__(self, path: str, text: FileText, file: SourceFile) -> None:
        self.path = path
        self.file = file
        self.known = _Known(text, file.chunks)
        # The nodes of a chunk that have places, by the chunk's first statement; filled when they are first needed.
        self._nodes: dict[ast.stmt, list[Any]] = {}

    def edited(self, text: FileText) -> bool:
        """Give the file another text. If that is not Python, return False and change nothing."""
        chunks = self._partly(text) or self._whole(text)
        if chunks is None:
            return False
        first = (chunk.statements[0] for chunk in chunks)
        self._nodes = {statement: self._nodes[statement] for statement in first if statement in self._nodes}
        self.file.become(text, chunks)
        self.known = _Known(text, chunks)
        return True

    def _partly(self, text: FileText) -> tuple[Chunk, ...] | None:
        """The chunks of a text, of which only the differing part is parsed; None if that is not Python by itself."""
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
        """The chunks of a text that is parsed as a whole; unchanged ones keep their statements. None if not Python."""
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
        """Move all nodes of a chunk down by some lines, and return the chunk at its new place."""
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
        """Collect the nodes of all chunks in advance: the next edit may insert a line above all of them."""
        for chunk in self.known.chunks:
            self._placed(chunk)


class TypedTrees(Trees):
    """The trees of files that are being edited: for each file only the tree of the last text that was Python.

    For use by one thread: a request for the tree of a later text replaces the earlier tree.
    """

    def __init__(self) -> None:
        super().__init__()
        self._files: dict[str, TypedFile] = {}
        # The last text that compiles, which requires more than the grammar.
        self._right: dict[str, _Known] = {}
        # The last text that is not Python.
        self._broken: dict[str, FileText] = {}

    def forget(self, path: str) -> None:
        """Forget a file that is not edited any more."""
        self._files.pop(path, None)
        self._right.pop(path, None)
        self._broken.pop(path, None)

    def prepare(self, path: str) -> None:
        """Prepare a file so that its next edit is parsed without delay."""
        if path in self._files:
            self._files[path].prepare()

    def of(self, path: str, text: FileText) -> SourceFile | None:
        """The file with this text; None if the text is not Python."""
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
        """The finding of ``ttl check`` for a text that is not Python; None if it is.

        ``program`` is the name of the file in messages.
        """
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
        """Whether the changed part of a text compiles by itself; if not, the whole text may still compile."""
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
        warnings.simplefilter("ignore")  # warnings about the user's code are shown when it runs
        compile(text, path, "exec", dont_inherit=True)


def _split(known: _Known, text: FileText) -> tuple[tuple[Chunk, ...], str, tuple[Chunk, ...], int]:
    """Return the chunks above a change, the new text between, the chunks below, and the lines by which these moved.

    Empty lines before the text between keep its line numbers.
    """
    change = change_between(known.text, text)
    chunks = known.chunks
    moved = change.after[0] - change.before[0]
    above = tuple(chunk for chunk in chunks if chunk.last < change.start[0])
    below = tuple(chunk for chunk in chunks if chunk.first > change.before[0])
    first = above[-1].last if above else 0
    last = below[0].first - 1 + moved if below else len(text.lines)
    piece = "\n" * first + "\n".join(text.lines[first:last]) + "\n"
    return above, piece, below, moved
