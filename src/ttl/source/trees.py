"""The source of functions: a whole file is parsed once, and a function is found in it by its position.

So columns are exact for nested functions, too, and their source need not be dedented.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from types import CodeType, FunctionType
from typing import Any

from ttl.session import SOURCES, FileText, Part
from ttl.source.files import characters
from ttl.source.parsing import parse
from ttl.source.spans import Span

# Nodes that have a location in a file.
Node = ast.expr | ast.keyword | ast.stmt
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


ChunkKey = tuple[str, bytes, int]
"""A chunk, identified by its file, its text, and the number of chunks with the same text above it.

Edits elsewhere do not change it.
"""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines of a file with one or more whole statements of its top level. ``first`` and ``last`` are included."""

    first: int
    last: int
    statements: tuple[ast.stmt, ...]
    key: ChunkKey


def chunked(path: str, lines: tuple[str, ...], body: Iterable[ast.stmt]) -> Iterator[Chunk]:
    """The chunks of a text that consist of these statements, one after the other.

    Their keys have no final numbers yet.
    """
    groups: list[tuple[int, int, list[ast.stmt]]] = []
    for statement in body:
        decorators = getattr(statement, "decorator_list", ())
        first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        last = statement.end_lineno or first
        if groups and first <= groups[-1][1]:
            begin, end, statements = groups[-1]
            groups[-1] = begin, max(end, last), [*statements, statement]
        else:
            groups.append((first, last, [statement]))
    for first, last, statements in groups:
        text = "\n".join(lines[first - 1 : last])
        digest = blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        yield Chunk(first, last, tuple(statements), (path, digest, 0))


def numbered(path: str, chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """The chunks of a whole file. The key of each has the number of chunks with the same text above it."""
    alike: Counter[bytes] = Counter()
    result = []
    for chunk in chunks:
        _, digest, number = chunk.key
        if number != alike[digest]:
            chunk = Chunk(chunk.first, chunk.last, chunk.statements, (path, digest, alike[digest]))
        alike[digest] += 1
        result.append(chunk)
    return tuple(result)


class SourceFile:
    """A parsed file, with its functions by line and name. Raises the errors of ``ast.parse`` for other text.

    ``tree`` is the tree of the text, if it is known.
    """

    def __init__(self, path: str, text: FileText, tree: ast.Module | None = None) -> None:
        self.path = path
        self.text = text.text
        self.tree = parse(text.text, path) if tree is None else tree
        self._lines = text.lines
        # Spans by the identity of the node, with the node, because an identity may be reused for another node.
        self._spans: dict[int, tuple[ast.AST, Span]] = {}

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """The chunks of the file. Statements of the top level that share a line are in one chunk."""
        return numbered(self.path, chunked(self.path, self._lines, self.tree.body))

    def become(self, text: FileText, chunks: tuple[Chunk, ...]) -> None:
        """Replace the text and chunks of this file.

        This serves callers that keep the objects of a program from text to text: a function refers to its file and its
        definition, and if both are moved to their new place, it is the function of the new text.
        """
        for name in ("chunks", "_first_lines", "chunk_of", "parents", "_functions"):
            self.__dict__.pop(name, None)
        self.text, self._lines, self._spans = text.text, text.lines, {}
        self.tree.body = [statement for chunk in chunks for statement in chunk.statements]
        self.chunks = chunks

    @cached_property
    def _first_lines(self) -> list[int]:
        return [chunk.first for chunk in self.chunks]

    def chunk_at(self, line: int) -> Chunk | None:
        """The chunk that contains a line; None for a line between chunks."""
        number = bisect_right(self._first_lines, line) - 1
        return self.chunks[number] if number >= 0 and line <= self.chunks[number].last else None

    @cached_property
    def chunk_of(self) -> dict[ChunkKey, Chunk]:
        """The chunks by their keys."""
        return {chunk.key: chunk for chunk in self.chunks}

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of each node."""
        return _Parents(self)

    @cached_property
    def _functions(self) -> dict[tuple[int, str], list[FunctionNode]]:
        return _index(self.tree)

    def function(self, code: CodeType) -> FunctionNode | None:
        """The definition from which a code object was compiled; None if there are several candidates."""
        candidates = self._functions.get((code.co_firstlineno, code.co_name), [])
        if len(candidates) > 1:
            starts = {(first, column) for first, _, column, _ in code.co_positions()}
            candidates = [
                node
                for node in candidates
                if not isinstance(node, ast.Lambda) or (node.body.lineno, node.body.col_offset) in starts
            ]
        return candidates[0] if len(candidates) == 1 else None

    def span(self, node: ast.AST) -> Span:
        """Return the span of a node; of a function, the span of its name in its definition."""
        known = self._spans.get(id(node))
        if known is not None:
            return known[1]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            span = self._name_of(node)
        else:
            span = self.extent(node)
        self._spans[id(node)] = node, span
        return span

    def extent(self, node: ast.AST) -> Span:
        """Return the span of the whole node."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end_line = getattr(node, "end_lineno", None) or line
        end = getattr(node, "end_col_offset", None) or column
        return Span(
            file=self.path,
            line=line,
            column=self._column(line, column),
            end_line=end_line,
            end_column=self._column(end_line, end),
        )

    def at(self, span: Span) -> Iterator[Node]:
        """Yield the nodes with exactly this span, the outer statements and expressions first."""
        for node in self.near(span.line, span.line):
            if isinstance(node, Node) and node.lineno == span.line and self.extent(node) == span:
                yield node

    def near(self, first: int, last: int) -> Iterator[ast.AST]:
        """The nodes of the top-level statements that have some of these lines; outer nodes of each statement first."""
        begin = max(bisect_right(self._first_lines, first) - 1, 0)
        for chunk in self.chunks[begin : bisect_right(self._first_lines, last)]:
            if chunk.last >= first:
                for statement in chunk.statements:
                    yield from ast.walk(statement)

    def call(self, span: Span) -> ast.Call | None:
        """The call with a span."""
        return next((node for node in self.at(span) if isinstance(node, ast.Call)), None)

    def _column(self, line: int, byte_offset: int) -> int:
        return characters(self._lines[line - 1], byte_offset) + 1

    def _name_of(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Span:
        text = self._lines[node.lineno - 1]
        head = "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
        start = text.find(node.name, text.find(head) + len(head))
        name = node.name
        if start < 0:  # a kernel of an operation that is one body: it has the location of its operation
            start = text.find(head) + len(head)
            name = text[max(start, 0) :].partition("(")[0].strip()
        column = max(start, 0) + 1
        return Span(
            file=self.path,
            line=node.lineno,
            column=column,
            end_line=node.lineno,
            end_column=column + len(name),
        )


class _Parents(dict[ast.AST, ast.AST]):
    """The parents of the nodes of a file, computed together for all nodes of a top-level statement.

    A search begins at a node that has lines, and continues upwards from it.
    """

    def __init__(self, file: SourceFile) -> None:
        super().__init__(dict.fromkeys(file.tree.body, file.tree))
        self._file = file
        self._known: set[int] = set()

    def __missing__(self, node: ast.AST) -> ast.AST:
        chunk = self._file.chunk_at(getattr(node, "lineno", 0))
        if chunk is None or chunk.first in self._known:
            raise KeyError(node)
        self._known.add(chunk.first)
        for parent in self._file.near(chunk.first, chunk.first):
            self.update(dict.fromkeys(ast.iter_child_nodes(parent), parent))
        return self[node]

    def __contains__(self, node: object) -> bool:
        return isinstance(node, ast.AST) and self.get(node) is not None

    def get(self, node: ast.AST, default: Any = None) -> Any:
        try:
            return self[node]
        except KeyError:
            return default


def _index(tree: ast.Module) -> dict[tuple[int, str], list[FunctionNode]]:
    functions: dict[tuple[int, str], list[FunctionNode]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            functions.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            functions.setdefault((node.lineno, "<lambda>"), []).append(node)
    return functions


# The most files whose trees are kept.
_MOST_TREES = 64


class Trees:
    """Parsed files. Each text is parsed once; texts are compared by the identity of ``FileText`` objects."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, FileText], SourceFile | None] = OrderedDict()

    def of(self, path: str, text: FileText) -> SourceFile | None:
        """The parsed file with this text; None if it is not Python."""
        key = path, text
        try:
            file = self._kept[key]
            self._kept.move_to_end(key)
        except KeyError:
            file = self._kept[key] = parsed(path, text)
            while len(self._kept) > _MOST_TREES:
                self._kept.popitem(last=False)
        return file


TREES: Part[Trees] = Part(Trees)


def parsed(path: str, text: FileText) -> SourceFile | None:
    """The parsed file with this text; None if there is no text, or it is not Python."""
    try:
        return SourceFile(path, text) if text.text else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def source_file(path: str) -> SourceFile | None:
    """The file in its current state, wherever Python finds its text; None if there is no file, or it is not Python."""
    return TREES.get().of(path, SOURCES.get().of(path))


def nodes_of(path: str) -> Iterator[ast.AST]:
    """All nodes of a file, outer nodes first; empty without source."""
    file = source_file(path)
    return iter(()) if file is None else ast.walk(file.tree)


def definition(function: FunctionType) -> tuple[FunctionNode, SourceFile] | None:
    """The definition of a function and its file; None without source.

    A function that was made from a definition instead of text has the definition attached.
    """
    beside: tuple[FunctionNode, SourceFile] | None = function.__dict__.get("__ttl_definition__")
    if beside is not None:
        return beside
    file = source_file(function.__code__.co_filename)
    node = None if file is None else file.function(function.__code__)
    return None if node is None or file is None else (node, file)
