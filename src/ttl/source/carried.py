"""Values that a loop computes for its next turn: read from the source, when a rule needs to know."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ttl.source.calls import place_of
from ttl.source.spans import Site, position_of
from ttl.source.trees import source_file

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_for_next_turn(site: Site) -> bool:
    """Whether what a site computes is assigned to a variable that the next turn of a loop reads first.

    The value of the last turn then has no reader, and that is no mistake. False without source.
    """
    file = source_file(site[0].co_filename)
    where = position_of(site)
    if file is None or where is None:
        return False
    parents = file.parents
    for node in ast.walk(file.tree):
        if isinstance(node, ast.expr | ast.stmt) and place_of(node) == where:
            statement = node if isinstance(node, ast.stmt) else parents.get(node)
            if statement is not None and (name := _assigned(statement, node)) is not None:
                return any(_carries(loop, name, statement) for loop in _loops_around(statement, parents))
    return False


def _assigned(statement: ast.AST, value: ast.AST) -> str | None:
    """The variable that a statement gives a value."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name)):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=assigned) if assigned is value:
            return name
    return None


def _loops_around(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[ast.For | ast.While]:
    """Those of the same function."""
    current = parents.get(node)
    while current is not None and not isinstance(current, _FUNCTIONS):
        if isinstance(current, ast.For | ast.While):
            yield current
        current = parents.get(current)


def _carries(loop: ast.For | ast.While, name: str, assignment: ast.AST) -> bool:
    """Whether a turn reads a variable, or one that takes its value, before it assigns that."""
    names = {name: assignment}
    for node in ast.walk(loop):
        match node:
            case ast.Assign(targets=[ast.Name(id=other)], value=ast.Name(id=taken)) if taken == name:
                names[other] = node
    return any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in names
        and _starts(node) < _starts(names[node.id])
        for node in ast.walk(loop)
    )


def _starts(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
