"""Statements of a syntax tree by position, found by descending into the tree instead of walking all of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ttl.source.spans import Span
from ttl.source.trees import SourceFile


def suites(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The suites of a statement or module: its body, its ``else``, its handlers, its cases."""
    for name in ("body", "orelse", "finalbody"):
        suite = getattr(node, name, None)
        if isinstance(suite, list) and suite and isinstance(suite[0], ast.stmt):
            yield suite
    for name in ("handlers", "cases"):
        for part in getattr(node, name, ()):
            yield part.body


def innermost(tree: ast.AST, line: int, column: int | None = None) -> list[ast.AST]:
    """The tree and the statements around a line, the outermost first; empty if no statement contains the line.

    ``column``, in bytes from 0, distinguishes statements on one line.
    """
    path: list[ast.AST] = [tree]
    while (inner := _within(path[-1], line, column)) is not None:
        path.append(inner)
    return path if len(path) > 1 else []


def _within(node: ast.AST, line: int, column: int | None) -> ast.stmt | None:
    for suite in suites(node):
        for statement in suite:
            first = min(
                [statement.lineno, *(item.lineno for item in getattr(statement, "decorator_list", ()))]
            )
            last = statement.end_lineno or first
            if not first <= line <= last:
                continue
            if column is not None:
                if line == statement.lineno and column < statement.col_offset:
                    continue
                if line == last and column >= (statement.end_col_offset or 0):
                    continue
            return statement
    return None


def suite_of(path: list[ast.AST]) -> list[ast.stmt]:
    """The suite that the innermost statement of a path is in."""
    statement = path[-1]
    return next(suite for suite in suites(path[-2]) if statement in suite)


def variable_of(statement: ast.AST, call: Span, file: SourceFile) -> str:
    """The variable to which a statement assigns the result of the call at a place; empty without such a variable."""
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ) if file.extent(value) == call:
            return name
    return ""
