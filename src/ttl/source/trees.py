"""The source of functions: a file is parsed whole, once, and a function is found in it by its position.

Columns are exact that way, whatever is nested in what, and nothing has to be dedented.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from types import CodeType, FunctionType

from ttl.session import SOURCES, FileText, cached
from ttl.source.files import characters
from ttl.source.spans import Span

# What has a place in a file.
Node = ast.expr | ast.keyword | ast.stmt
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class SourceFile:
    """A parsed file, with its functions by line and name."""

    def __init__(self, path: str, text: FileText) -> None:
        self.path = path
        self.text = text.text
        self.tree = ast.parse(text.text, path)
        self._lines = text.lines
        self._spans: dict[int, Span] = {}

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of each node."""
        return {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)}

    @cached_property
    def _functions(self) -> dict[tuple[int, str], list[FunctionNode]]:
        return _index(self.tree)

    def function(self, code: CodeType) -> FunctionNode | None:
        """The definition a code object was compiled from; None where several could be meant."""
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
        """Where a node is; of a function, where its definition names it."""
        known = self._spans.get(id(node))
        if known is None:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                known = self._name_of(node)
            else:
                known = self.extent(node)
            self._spans[id(node)] = known
        return known

    def extent(self, node: ast.AST) -> Span:
        """All of a node."""
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
        """What is exactly at a place, the outer statements and expressions first."""
        for node in ast.walk(self.tree):
            if isinstance(node, Node) and node.lineno == span.line and self.extent(node) == span:
                yield node

    def call(self, span: Span) -> ast.Call | None:
        """The call at a place."""
        return next((node for node in self.at(span) if isinstance(node, ast.Call)), None)

    def _column(self, line: int, byte_offset: int) -> int:
        return characters(self._lines[line - 1], byte_offset) + 1

    def _name_of(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Span:
        text = self._lines[node.lineno - 1]
        head = "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
        start = text.find(node.name, text.find(head) + len(head))
        column = max(start, 0) + 1
        return Span(
            file=self.path,
            line=node.lineno,
            column=column,
            end_line=node.lineno,
            end_column=column + len(node.name),
        )


def _index(tree: ast.Module) -> dict[tuple[int, str], list[FunctionNode]]:
    functions: dict[tuple[int, str], list[FunctionNode]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            functions.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            functions.setdefault((node.lineno, "<lambda>"), []).append(node)
    return functions


@cached(maxsize=64)
def _parsed(path: str, text: FileText) -> SourceFile | None:
    try:
        return SourceFile(path, text) if text.text else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def source_file(path: str) -> SourceFile | None:
    """The file as it is now, wherever Python finds its text; None where there is none, or it is not Python."""
    return _parsed(path, SOURCES.get().of(path))


def nodes_of(path: str) -> Iterator[ast.AST]:
    """All nodes of a file, the outer ones first; none without source."""
    file = source_file(path)
    return iter(()) if file is None else ast.walk(file.tree)


def definition(function: FunctionType) -> tuple[FunctionNode, SourceFile] | None:
    """The definition of a function and its file; None without source."""
    file = source_file(function.__code__.co_filename)
    node = None if file is None else file.function(function.__code__)
    return None if node is None or file is None else (node, file)
