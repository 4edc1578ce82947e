"""Omissions in the source of an operation: the parentheses of a call, the decorator of a kernel."""

from __future__ import annotations

import ast
from types import CodeType, FunctionType

from ttl.diag import Diagnostic
from ttl.rules.kernel_definitions import uncalled
from ttl.session import cached
from ttl.source.calls import function_at
from ttl.source.spans import Site
from ttl.source.trees import source_file

# Methods that act only when they are called: ``blk.push`` as a statement does nothing at all.
_CALLS = frozenset({"push", "pop", "wait", "wait_all", "reserve"})
# Methods that a function meant as a kernel calls.
_KERNEL_NAMES = frozenset({"reserve", "wait", "copy"})


def find_uncalled(function: FunctionType) -> Diagnostic | None:
    """The error for the first method of an operation that is named in a statement and not called."""
    code = function.__code__
    return _uncalled_in(code.co_filename, code)


@cached(maxsize=1024)
def _uncalled_in(file: str, code: CodeType) -> Diagnostic | None:
    read, definition = source_file(file), function_at(code)
    for node in ast.walk(definition) if definition is not None else ():
        match node:
            case ast.Expr(value=ast.Attribute(attr=name) as value) if name in _CALLS:
                return uncalled(ast.unparse(value)).at(None if read is None else read.extent(value))
    return None


def find_unused_kernel(function: FunctionType) -> tuple[str, Site] | None:
    """Name and place of the first function that was meant as a kernel and is neither decorated nor called."""
    code = function.__code__
    return _unused_kernel_in(code.co_filename, code)


@cached(maxsize=1024)
def _unused_kernel_in(file: str, code: CodeType) -> tuple[str, Site] | None:
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
