"""Whether the source reads the result of a call anywhere: on a path that is taken, or on another one."""

from __future__ import annotations

import ast

from ttl.session import cached
from ttl.source.calls import outermost_function, scope_of
from ttl.source.spans import Span
from ttl.source.trees import SourceFile, source_file

_SHOWING = ("print", "repr", "str", "type", "id")


def is_read_somewhere(span: Span) -> bool:
    """Whether what a call gives, or what the same call gives elsewhere in the function, is read in the source.

    The same call is one with the same text. True when the result goes where this cannot follow (a container, another
    function); False without source.
    """
    file = source_file(span.file)
    return file is not None and _is_read_somewhere(file, span)


@cached(maxsize=1024)
def _is_read_somewhere(file: SourceFile, span: Span) -> bool:
    call = file.call(span)
    if call is None:
        return False
    text = ast.dump(call)
    return any(
        isinstance(node, ast.Call) and ast.dump(node) == text and _is_read(node, file.tree, file.parents)
        for node in ast.walk(outermost_function(call, file.parents) or file.tree)
    )


def _is_read(call: ast.Call, tree: ast.Module, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether the result of one call is read."""
    parent = parents[call]
    match parent:
        case ast.withitem(optional_vars=None):
            return False
        case (
            ast.withitem(optional_vars=ast.Name(id=name))
            | ast.Assign(targets=[ast.Name(id=name)])
            | ast.AnnAssign(target=ast.Name(id=name))
            | ast.NamedExpr(target=ast.Name(id=name))
        ):
            scope = scope_of(parent, name, parents) or tree
            return any(
                isinstance(node, ast.Name)
                and node.id == name
                and isinstance(node.ctx, ast.Load)
                and _reads(node, parents)
                for node in ast.walk(scope)
            )
    return _reads(call, parents)


def _reads(value: ast.expr, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether an expression that has a block reads what is in it."""
    parent = parents[value]
    match parent:
        case ast.Expr() | ast.Attribute() | ast.FormattedValue() | ast.Delete():
            return False  # its methods release it, or write to it
        case ast.Call(func=ast.Name(id=function)) if function in _SHOWING:
            return False
        case ast.Call(func=ast.Attribute(attr="copy") | ast.Name(id="copy"), args=[_, target, *_]):
            return target is not value
    return True
