"""Python's parser, whatever else runs in the process."""

from __future__ import annotations

import ast
import gc


def parse(text: str | bytes, path: str = "<unknown>") -> ast.Module:
    """The tree of a text, as ``ast.parse`` makes it and with its errors.

    CPython 3.11 counts the depth of the tree that it builds in one place for all threads. A search for garbage in the middle of
    that runs Python, of finalizers and of callbacks of other packages; where one of them parses, or lets another thread do it,
    the outer parser fails with a ``SystemError`` about a mismatch of recursion depths. No search, no Python in between.
    """
    searching = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text, path)
    finally:
        if searching:
            gc.enable()


def parse_expression(text: str) -> ast.expr:
    """The tree of a text that is one expression. Raises as ``ast.parse`` does."""
    (statement,) = parse(f"({text}\n)").body
    assert isinstance(statement, ast.Expr)
    return statement.value
