"""A call without its parentheses: ``blk.push`` as a statement does nothing at all."""

from __future__ import annotations

import ast
from types import CodeType, FunctionType

from ttl.diag import Diagnostic
from ttl.rules.kernels import uncalled
from ttl.session import cached
from ttl.source.calls import function_at
from ttl.source.trees import source_file

_CALLS = frozenset({"push", "pop", "wait", "wait_all", "reserve"})


def find_uncalled(function: FunctionType) -> Diagnostic | None:
    """The error for the first such statement in an operation."""
    code = function.__code__
    return _find(code.co_filename, code)


@cached(maxsize=1024)
def _find(file: str, code: CodeType) -> Diagnostic | None:
    read, definition = source_file(file), function_at(code)
    for node in ast.walk(definition) if definition is not None else ():
        match node:
            case ast.Expr(value=ast.Attribute(attr=name) as value) if name in _CALLS:
                return uncalled(ast.unparse(value)).at(None if read is None else read.extent(value))
    return None
