"""The reads of a value in the source: on any path, or in the next iteration of a loop (loop-carried values)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ttl.session import cached
from ttl.source.calls import outermost_function, place_of, scope_of
from ttl.source.spans import Site, Span, position_of
from ttl.source.trees import SourceFile, source_file

_SHOWING = ("print", "repr", "str", "type", "id")


def is_read_somewhere(span: Span) -> bool:
    """Whether the result of a call, or of the same call elsewhere in the function, is read in the source.

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
    """Whether the use of an expression whose value is a block reads the block's content."""
    parent = parents[value]
    match parent:
        case ast.Expr() | ast.Attribute() | ast.FormattedValue() | ast.Delete():
            return False  # methods of a block release it, or write to it
        case ast.Call(func=ast.Name(id=function)) if function in _SHOWING:
            return False
        case ast.Call(func=ast.Attribute(attr="copy") | ast.Name(id="copy"), args=[_, target, *_]):
            return target is not value
    return True


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_for_next_iteration(site: Site) -> bool:
    """Whether the value computed at a site is assigned to a variable that the next iteration of a loop reads first.

    The value of the last iteration then has no reader, and that is not a mistake. False without source.
    """
    file = source_file(site[0].co_filename)
    where = position_of(site)
    if file is None or where is None:
        return False
    parents = file.parents
    for node in ast.walk(file.tree):
        if isinstance(node, ast.expr | ast.stmt) and place_of(node) == where:
            statement = node if isinstance(node, ast.stmt) else parents.get(node)
            if statement is not None and (name := _assigned(statement, node)) is not None:
                return any(_carries(loop, name, statement) for loop in _loops_around(statement, parents))
    return False


def is_kept_for_a_reader(site: Site) -> bool:
    """Whether the value computed at a site is assigned to a name that is read, or goes where this cannot follow.

    Then another path, or another node, uses the value. False for a statement by itself, for a name that is never read,
    for a name that the next statements assign again before they read it, and without source.
    """
    file = source_file(site[0].co_filename)
    where = position_of(site)
    if file is None or where is None:
        return False
    for node in ast.walk(file.tree):
        if isinstance(node, ast.expr) and place_of(node) == where:
            statement = file.parents.get(node)
            name = None if statement is None else _assigned(statement, node)
            if statement is None or name is None:
                return not isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign)
            scope = scope_of(statement, name, file.parents) or file.tree
            return _is_loaded(scope, name) and not _is_replaced(statement, name, file.parents)
    return False


def _is_loaded(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(inner, ast.Name) and inner.id == name and isinstance(inner.ctx, ast.Load)
        for inner in ast.walk(node)
    )


def _is_replaced(statement: ast.AST, name: str, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a later statement of the same block assigns the variable again before any statement reads it."""
    parent = parents[statement]
    blocks = (getattr(parent, field, None) for field in ("body", "orelse", "finalbody"))
    block = next((block for block in blocks if isinstance(block, list) and statement in block), [statement])
    for later in block[block.index(statement) + 1 :]:
        if isinstance(later, ast.AugAssign) or _is_loaded(later, name):
            return False
        if isinstance(later, ast.Assign) and _assigned(later, later.value) == name:
            return True
    return False


def _assigned(statement: ast.AST, value: ast.AST) -> str | None:
    """The variable to which a statement assigns ``value``; None for other statements."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name)):
            return name
        case ast.Assign(targets=[ast.Name(id=name)], value=assigned) if assigned is value:
            return name
    return None


def _loops_around(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[ast.For | ast.While]:
    """The loops around a node in the same function."""
    current = parents.get(node)
    while current is not None and not isinstance(current, _FUNCTIONS):
        if isinstance(current, ast.For | ast.While):
            yield current
        current = parents.get(current)


def _carries(loop: ast.For | ast.While, name: str, assignment: ast.AST) -> bool:
    """Whether an iteration reads a variable, or a variable that takes its value, before it assigns it."""
    names = {name: assignment}
    for node in ast.walk(loop):
        match node:
            case ast.Assign(targets=[ast.Name(id=other)], value=ast.Name(id=taken)) if taken == name:
                names[other] = node
    return any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in names
        and _starts(node) < _starts(names[node.id])
        for node in ast.walk(loop)
    )


def _starts(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
