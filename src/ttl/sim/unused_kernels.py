"""A function in an operation that was meant as a kernel but is neither decorated nor called."""

from __future__ import annotations

import ast
from types import CodeType, FunctionType

from ttl.session import cached
from ttl.source.calls import function_at
from ttl.source.spans import Site

_KERNEL_NAMES = frozenset({"reserve", "wait", "copy"})


def find_unused_kernel(function: FunctionType) -> tuple[str, Site] | None:
    """Name and place of the first such function."""
    code = function.__code__
    return _find(code.co_filename, code)


@cached(maxsize=1024)
def _find(file: str, code: CodeType) -> tuple[str, Site] | None:
    definition = function_at(code)
    if definition is None:
        return None
    used = {
        node.id
        for node in ast.walk(definition)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    undecorated = {
        node.name
        for node in definition.body
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and not _parameters(node)
    }
    for constant in code.co_consts:
        if not isinstance(constant, CodeType) or constant.co_name not in undecorated - used:
            continue
        if _KERNEL_NAMES & set(constant.co_names):
            return constant.co_name, (constant, 0)
    return None


def _parameters(node: ast.FunctionDef) -> int:
    return len(node.args.args) + len(node.args.posonlyargs) + len(node.args.kwonlyargs)
