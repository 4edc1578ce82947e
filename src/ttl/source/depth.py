"""The nesting depth of syntax, and sufficient stack for functions that recurse through it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ttl.source.facts import fact_of_syntax
from ttl.source.scopes import LEAVES, parts

MOST_LEVELS = 300
"""The deepest nesting of statements and expressions. Each link of a chain of ``elif``, or of ``a + b + c``, counts."""
_ROOM = 12_000


@fact_of_syntax
def beyond(node: ast.AST) -> list[ast.AST]:
    """The first statement or expression deeper than ``MOST_LEVELS`` below a node, as a list; empty without one."""
    layer = [node]
    for _ in range(MOST_LEVELS + 1):
        layer = [part for item in layer if type(item) not in LEAVES for part in parts(item)]
        if not layer:
            return []
    deeper: list[ast.AST] = [item for item in layer if isinstance(item, ast.stmt | ast.expr)]
    return deeper[:1]


@contextmanager
def room() -> Iterator[None]:
    """Raise Python's recursion limit as far as syntax of that depth needs, whatever the current depth of calls is."""
    before = sys.getrecursionlimit()
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(max(before, depth + _ROOM))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
