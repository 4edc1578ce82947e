"""Removing one synchronisation point of a program: what it guards, taken away, and nothing else.

A program is a file that defines ``run()`` (its result as an array). A point is a statement, found in the syntax
tree, so every program yields all of its points and none is forgotten.
"""

from __future__ import annotations

import ast
import copy
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_METHODS = {
    "push": "push",
    "pop": "pop",
    "wait_all": "group wait",
    "set": "semaphore change",
    "inc": "semaphore change",
    "wait_eq": "semaphore wait",
    "wait_ge": "semaphore wait",
    "if_src": "send",
    "if_dst": "receive",
}


@dataclass(frozen=True)
class Point:
    """One synchronisation point: what kind, where, as it is written, and the program without it."""

    kind: str
    line: int
    text: str
    source: str

    def __str__(self) -> str:
        return f"{self.kind} in line {self.line}: {self.text}"


def points(file: Path) -> list[Point]:
    """All synchronisation points of a program."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = []
    for index, node in enumerate(ast.walk(tree)):
        for kind, text, removed in _removals(tree, index, node):
            found.append(Point(kind, node.lineno, text, ast.unparse(removed)))  # type: ignore[attr-defined]
    return sorted(found, key=lambda point: point.line)


def _removals(tree: ast.Module, index: int, node: ast.AST) -> Iterator[tuple[str, str, ast.Module]]:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="wait", value=waited)) as call):
            # The wait of a transfer; ``ttl.copy(...).wait()`` keeps the copy.
            kept = ast.Expr(waited) if isinstance(waited, ast.Call) else ast.Pass()
            yield "transfer wait", ast.unparse(call), _replaced(tree, index, [kept])
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method)) as call) if method in _METHODS:
            yield _METHODS[method], ast.unparse(call), _replaced(tree, index, [ast.Pass()])
        case ast.With(items=items):
            for position, item in enumerate(items):
                yield from _without_release(tree, index, node, position, item)


def _without_release(
    tree: ast.Module, index: int, node: ast.With, position: int, item: ast.withitem
) -> Iterator[tuple[str, str, ast.Module]]:
    """``with dfb.reserve() as blk:`` becomes ``blk = dfb.reserve()``; the other items stay."""
    match item.context_expr:
        case ast.Call(func=ast.Attribute(attr="reserve" | "wait" as method)) as call:
            assert isinstance(item.optional_vars, ast.Name)
            acquired = ast.Assign([ast.Name(item.optional_vars.id, ast.Store())], call)
            rest = node.items[:position] + node.items[position + 1 :]
            body = [ast.With(rest, node.body)] if rest else node.body
            kind = "push" if method == "reserve" else "pop"
            yield kind, ast.unparse(call), _replaced(tree, index, [acquired, *body])


def _replaced(tree: ast.Module, index: int, statements: list[Any]) -> ast.Module:
    changed = copy.deepcopy(tree)
    target = list(ast.walk(changed))[index]
    for node in ast.walk(changed):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and any(each is target for each in value):
                at = next(i for i, each in enumerate(value) if each is target)
                value[at : at + 1] = copy.deepcopy(statements)
                return ast.fix_missing_locations(changed)
    raise AssertionError("the statement is in no list")


def load(source: str, file: Path) -> dict[str, Any]:
    """Run a program's top level; the names it defines. The file is written so that places can be shown."""
    file.write_text(source, encoding="utf-8")
    linecache.checkcache(str(file))
    namespace: dict[str, Any] = {"__name__": file.stem, "__file__": str(file)}
    exec(compile(source, str(file), "exec"), namespace)
    return namespace
