"""Names for messages: the variable to which the result of a call is assigned, and the names visible from a line."""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterator

from ttl.session import cached
from ttl.source.calls import operands_of
from ttl.source.spans import Site, Span
from ttl.source.trees import SourceFile, source_file


@cached(maxsize=4096)
def target_name(site: Site | None) -> str | None:
    """The name of the variable, attribute or parameter that gets the value made at a site; None if unclear."""
    if site is None:
        return None
    code, lasti = site
    for instruction in dis.get_instructions(code):
        # In Python 3.11 the last instruction of a frame may be an inline cache of the call, which dis hides.
        if instruction.offset <= lasti or instruction.opname in ("CACHE", "COPY", "NOP"):
            continue
        if instruction.opname.startswith("STORE_") and isinstance(instruction.argval, str):
            return instruction.argval
        return None
    return None


def names_visible(file: str, line: int) -> frozenset[str]:
    """The names assigned in the functions around a line and in the module, as candidates for a misspelt name."""
    read = source_file(file)
    if read is None:
        return frozenset()
    around: list[ast.AST] = [read.tree]
    around += [
        node
        for node in ast.walk(read.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return frozenset(name for scope in around for name in _bound(scope))


def _bound(scope: ast.AST) -> Iterator[str]:
    """The names bound in a scope, not in the functions inside it."""
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = scope.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            yield argument.arg
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
                continue
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name.partition(".")[0]
        waiting.extend(ast.iter_child_nodes(node))


def given_again(acquired: Span) -> tuple[Span, str, str] | None:
    """Return where the name of a call's result is assigned another value: the statement's span, the name, the value's text.

    ``acquired`` is the span of the call. The first assignment after it in the same function counts; None without one.
    """
    named = _named(acquired)
    if named is None:
        return None
    file, call, name = named
    parents = file.parents
    scope: ast.AST = call
    while scope in parents and not isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        scope = parents[scope]
    after = [
        node
        for node in ast.walk(scope)
        if isinstance(node, ast.Assign)
        and node.value is not call
        and node.lineno >= call.lineno
        and [target.id for target in node.targets if isinstance(target, ast.Name)] == [name]
        and not _acquires(node.value)
    ]
    if not after:
        return None
    first = min(after, key=lambda node: node.lineno)
    return file.extent(first), name, ast.unparse(first.value)


def _acquires(value: ast.expr) -> bool:
    """Whether an expression acquires another block."""
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in ("reserve", "wait")
    )


def operand_naming(span: Span, acquired: Span) -> Span | None:
    """The span at which an expression names, as an operand or argument, the variable with the result of a call."""
    named = _named(acquired) if span.file == acquired.file else None
    if named is None:
        return None
    file, _, name = named
    for node in file.at(span):
        given = [keyword.value for keyword in node.keywords] if isinstance(node, ast.Call) else []
        for part in (*operands_of(node), *given):
            if isinstance(part, ast.Name) and part.id == name:
                return file.span(part)
    return None


def _named(span: Span) -> tuple[SourceFile, ast.Call, str] | None:
    """The call with a span, its file, and the variable that gets its result."""
    file = source_file(span.file)
    call = None if file is None else file.call(span)
    if file is None or call is None:
        return None
    match file.parents.get(call):
        case (
            ast.withitem(optional_vars=ast.Name(id=name))
            | ast.Assign(targets=[ast.Name(id=name)])
            | ast.AnnAssign(target=ast.Name(id=name))
            | ast.NamedExpr(target=ast.Name(id=name))
        ):
            return file, call, name
    return None
