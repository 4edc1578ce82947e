"""Python's parser, independent of other code in the process."""

from __future__ import annotations

import ast
import gc


def parse(text: str | bytes, path: str = "<unknown>") -> ast.Module:
    """The tree of a text, as ``ast.parse`` makes it and with its errors.

    CPython 3.11 counts the depth of the tree that it builds in one variable for all threads. A garbage collection
    during that may run Python code, in finalizers and in callbacks of other packages. If such code parses, or lets
    another thread parse, the outer parser fails with a ``SystemError`` about a mismatch of recursion depths. Without a
    collection, no Python code runs in between.
    """
    searching = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text, path)
    finally:
        if searching:
            gc.enable()


def parse_expression(text: str) -> ast.expr:
    """The tree of a text that is one expression. Raises the same errors as ``ast.parse``."""
    (statement,) = parse(f"({text}\n)").body
    assert isinstance(statement, ast.Expr)
    return statement.value
