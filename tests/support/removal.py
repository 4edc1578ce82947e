"""Removing one synchronisation point of a program: what it guards, taken away, and nothing else.

A program is a file that defines ``run()`` (its result as an array). A point is a statement, found in the syntax
tree, so every program yields all of its points and none is forgotten.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_METHODS = {
    "push": "push", "pop": "pop", "wait_all": "group wait", "set": "semaphore change", "inc": "semaphore change",
    "wait_eq": "semaphore wait", "wait_ge": "semaphore wait", "if_src": "send", "if_dst": "receive",
}  # fmt: skip


@dataclass(frozen=True)
class Point:
    """One synchronisation point: what kind, where, as it is written, and the program without it."""

    kind: str
    line: int
    text: str
    source: str

    def __str__(self) -> str:
        return f"{self.kind} in line {self.line}: {self.text}"


@cache
def points(file: Path) -> tuple[Point, ...]:
    """All synchronisation points of a program."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    removed = [
        Point(kind, statement.lineno, text, _with_instead(tree, statements, at, instead))
        for statements in _lists_of_statements(tree)
        for at, statement in enumerate(list(statements))
        for kind, text, instead in _removals(statement)
    ]
    return tuple(sorted(removed, key=lambda point: point.line))


def _lists_of_statements(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """The bodies of a program, from the outermost."""
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield value


def _removals(statement: ast.stmt) -> Iterator[tuple[str, str, list[ast.stmt]]]:
    """The points of a statement: kind, text, and what stands in place of the statement without the point."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="wait", value=waited)) as call):
            # The wait of a transfer; ``ttl.copy(...).wait()`` keeps the copy.
            kept = ast.Expr(waited) if isinstance(waited, ast.Call) else ast.Pass()
            yield "transfer wait", ast.unparse(call), [kept]
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method)) as call) if method in _METHODS:
            yield _METHODS[method], ast.unparse(call), [ast.Pass()]
        case ast.With(items=items):
            for position, item in enumerate(items):
                yield from _without_release(statement, position, item)


def _without_release(
    statement: ast.With, position: int, item: ast.withitem
) -> Iterator[tuple[str, str, list[ast.stmt]]]:
    """``with dfb.reserve() as blk:`` becomes ``blk = dfb.reserve()``; the other items stay."""
    match item.context_expr:
        case ast.Call(func=ast.Attribute(attr="reserve" | "wait" as method)) as call:
            assert isinstance(item.optional_vars, ast.Name)
            acquired = ast.Assign([ast.Name(item.optional_vars.id, ast.Store())], call, lineno=0)
            rest = statement.items[:position] + statement.items[position + 1 :]
            body: list[ast.stmt] = [ast.With(rest, statement.body, lineno=0)] if rest else statement.body
            kind = "push" if method == "reserve" else "pop"
            yield kind, ast.unparse(call), [acquired, *body]


def _with_instead(tree: ast.Module, statements: list[ast.stmt], at: int, instead: list[ast.stmt]) -> str:
    """The program with ``instead`` in place of one statement; the tree is as it was afterwards."""
    whole = list(statements)
    statements[at : at + 1] = instead
    try:
        return ast.unparse(tree)
    finally:
        statements[:] = whole


def load(source: str, file: Path) -> dict[str, Any]:
    """Run a program's top level; the names it defines. The file is written so that places can be shown."""
    file.write_text(source, encoding="utf-8")
    linecache.checkcache(str(file))
    namespace: dict[str, Any] = {"__name__": file.stem, "__file__": str(file)}
    exec(compile(source, str(file), "exec"), namespace)
    return namespace
