"""A call without its parentheses: ``blk.push`` as a statement does nothing at all."""

from __future__ import annotations

import ast
from functools import lru_cache
from types import CodeType, FunctionType

from ttl.diag import Diagnostic
from ttl.rules.kernels import uncalled
from ttl.source.calls import function_at, span_of_node

_CALLS = frozenset({"push", "pop", "wait", "wait_all", "reserve"})


def find_uncalled(function: FunctionType) -> Diagnostic | None:
    """The error for the first such statement in an operation."""
    code = function.__code__
    return _find(code.co_filename, code)


@lru_cache(maxsize=1024)
def _find(file: str, code: CodeType) -> Diagnostic | None:
    definition = function_at(code)
    for node in ast.walk(definition) if definition is not None else ():
        match node:
            case ast.Expr(value=ast.Attribute(attr=name) as value) if name in _CALLS:
                return uncalled(ast.unparse(value)).at(span_of_node(file, value))
    return None
