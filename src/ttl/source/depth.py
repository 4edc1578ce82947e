"""How deep syntax is nested, and room for those who follow it down."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ttl.source.facts import fact_of_syntax
from ttl.source.scopes import LEAVES, parts

MOST_LEVELS = 300
"""Statements and expressions one in the other: of a chain of ``elif`` and of ``a + b + c`` each link counts."""
_ROOM = 12_000


@fact_of_syntax
def beyond(node: ast.AST) -> list[ast.AST]:
    """The first statement or expression below that is nested deeper than ``MOST_LEVELS``; none where nothing is."""
    layer = [node]
    for _ in range(MOST_LEVELS + 1):
        layer = [part for item in layer if type(item) not in LEAVES for part in parts(item)]
        if not layer:
            return []
    deeper: list[ast.AST] = [item for item in layer if isinstance(item, ast.stmt | ast.expr)]
    return deeper[:1]


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
