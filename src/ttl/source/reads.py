"""Whether the source reads the result of a call anywhere: on a path that is taken, or on another one."""

from __future__ import annotations

import ast
from functools import lru_cache

from ttl.source.calls import outermost_function, parsed_file, scope_of, span_of_node
from ttl.source.spans import Span

_SHOWING = ("print", "repr", "str", "type", "id")


@lru_cache(maxsize=1024)
def is_read_somewhere(span: Span) -> bool:
    """Whether what a call gives, or what the same call gives elsewhere in the function, is read in the source.

    The same call is one with the same text. True when the result goes where this cannot follow (a container, another
    function); False without source.
    """
    parsed = parsed_file(span.file)
    if parsed is None:
        return False
    tree, parents = parsed
    call = next(
        (
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and node.lineno == span.line
            and span_of_node(span.file, node) == span
        ),
        None,
    )
    if call is None:
        return False
    text = ast.dump(call)
    return any(
        isinstance(node, ast.Call) and ast.dump(node) == text and _is_read(node, tree, parents)
        for node in ast.walk(outermost_function(call, parents) or tree)
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
