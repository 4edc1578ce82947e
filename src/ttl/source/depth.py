"""How deep syntax is nested, and room for those who follow it down."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ttl.source.facts import fact_of_syntax

MOST_LEVELS = 300
"""Statements and expressions one in the other: of a chain of ``elif`` and of ``a + b + c`` each link counts."""
_ROOM = 12_000


# Nodes without statements and expressions in them.
_LEAVES = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.unaryop, ast.boolop)


@fact_of_syntax
def beyond(node: ast.AST) -> list[ast.AST]:
    """The first statement or expression below that is nested deeper than ``MOST_LEVELS``; none where nothing is."""
    layer = [node]
    for _ in range(MOST_LEVELS + 1):
        layer = [part for item in layer if not isinstance(item, _LEAVES) for part in _below(item)]
        if not layer:
            return []
    deeper: list[ast.AST] = [item for item in layer if isinstance(item, ast.stmt | ast.expr)]
    return deeper[:1]


def _below(node: ast.AST) -> list[ast.AST]:
    nodes: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            nodes += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            nodes.append(value)
    return nodes


@contextmanager
def room() -> Iterator[None]:
    """Let calls of Python be nested as deep as syntax of that depth needs, wherever this is called from."""
    before = sys.getrecursionlimit()
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(max(before, depth + _ROOM))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
