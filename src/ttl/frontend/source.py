"""The source of functions: a file is parsed whole, once, and a function is found in it by its position.

Columns are exact that way, whatever is nested in what, and nothing has to be dedented.
"""

from __future__ import annotations

import ast
from collections import OrderedDict
from functools import lru_cache
from types import CodeType, FunctionType

from ttl.session import SOURCES
from ttl.source.files import characters
from ttl.source.spans import Span

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_KEPT = 64


class SourceFile:
    """A parsed file, with its functions by line and name."""

    __slots__ = ("_functions", "_lines", "_spans", "path", "text", "tree")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text, path)
        self._lines = text.split("\n")
        self._functions: dict[tuple[int, str], list[FunctionNode]] | None = None
        self._spans: dict[int, Span] = {}

    def function(self, code: CodeType) -> FunctionNode | None:
        """The definition a code object was compiled from; None where several could be meant."""
        if self._functions is None:
            self._functions = _index(self.tree)
        found = self._functions.get((code.co_firstlineno, code.co_name), [])
        if len(found) > 1:
            starts = {(first, column) for first, _, column, _ in code.co_positions()}
            found = [
                node
                for node in found
                if not isinstance(node, ast.Lambda) or (node.body.lineno, node.body.col_offset) in starts
            ]
        return found[0] if len(found) == 1 else None

    def span(self, node: ast.AST) -> Span:
        """Where a node is."""
        known = self._spans.get(id(node))
        if known is None:
            known = self._spans[id(node)] = self._span(node)
        return known

    def _span(self, node: ast.AST) -> Span:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return self._name_of(node)
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
    found: dict[tuple[int, str], list[FunctionNode]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault((node.lineno, "<lambda>"), []).append(node)
    return found


class _Files:
    """The files parsed last."""

    def __init__(self) -> None:
        self.kept: OrderedDict[str, SourceFile] = OrderedDict()

    def get(self, path: str, text: str) -> SourceFile:
        known = self.kept.get(path)
        if known is None or known.text != text:
            known = self.kept[path] = SourceFile(path, text)
        self.kept.move_to_end(path)
        if len(self.kept) > _KEPT:
            self.kept.popitem(last=False)
        return known


@lru_cache(maxsize=1)
def _files() -> _Files:
    return _Files()


def source_file(path: str) -> SourceFile | None:
    """The file as it is now, wherever Python finds its text; None where there is none, or it is not Python."""
    text = SOURCES.get().of(path).text
    if not text:
        return None
    try:
        return _files().get(path, text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def definition(function: FunctionType) -> tuple[FunctionNode, SourceFile] | None:
    """The definition of a function and its file; None without source."""
    file = source_file(function.__code__.co_filename)
    node = None if file is None else file.function(function.__code__)
    return None if node is None or file is None else (node, file)
