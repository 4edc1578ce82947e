"""The use that a program makes of the result of a call, read from the source when a rule needs it.

It serves the calls that the language infers (LANGUAGE.md: a missing ``push``, ``pop`` or transfer ``wait``): they are
inferred only for results that the program never releases or waits for itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType, FrameType

from ttl.session import cached
from ttl.source.spans import Site, Span, position_of, span_of_site
from ttl.source.trees import SourceFile, nodes_of, source_file
from ttl.source.uses import Flow, Scope, is_pending


def handles_result(site: Site, methods: tuple[str, ...]) -> bool:
    """Whether the program itself calls one of ``methods`` on the result of the call at a site.

    Also True when the result goes anywhere this cannot follow (a container, another function, a with statement), or
    when there is no source: then no call is inferred.
    """
    # Code objects of equal code in two files compare equal, so the cache also needs the file.
    file = source_file(site[0].co_filename)
    return True if file is None else _handles_result(file, site, methods)


@cached(maxsize=4096)
def _handles_result(file: SourceFile, site: Site, methods: tuple[str, ...]) -> bool:
    call = _call_at(file, site)
    return True if call is None else _is_handled(call, methods, file)


def result_handled(span: Span, methods: tuple[str, ...]) -> bool | None:
    """``handles_result`` for the call with a span; None without source, or if no call has this span."""
    file = source_file(span.file)
    call = None if file is None else file.call(span)
    return None if file is None or call is None else _is_handled(call, methods, file)


def _is_handled(call: ast.Call, methods: tuple[str, ...], file: SourceFile) -> bool:
    parent = file.parents[call]
    match parent:
        case ast.Expr() | ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.AugAssign():
            return False
        case ast.Attribute(attr=method):
            return method in methods
        case ast.Call(func=function) if function is not call:
            return not _only_reads(function)
        case (
            ast.Assign(targets=[ast.Name() as target])
            | ast.AnnAssign(target=ast.Name() as target)
            | ast.NamedExpr(target=ast.Name() as target)
        ):
            return any(
                _load_handles(load, methods, file.parents)
                for name in (target, *_alternatives(call, target, file))
                for load in _loads_of(name, file)
            )
        case _:
            return True


def used_after(site: Site, lasti: int) -> bool:
    """Whether the result of the call at a site may be used again by code that is at instruction ``lasti``.

    It may be used by code that runs before the name gets another value, by a function that mentions the name, and by an
    expression that is being evaluated and already has the result among its operands.
    """
    file = source_file(site[0].co_filename)
    return file is not None and _used_after(file, site, lasti)


@cached(maxsize=4096)
def _used_after(file: SourceFile, site: Site, lasti: int) -> bool:
    parents = file.parents
    here = position_of((site[0], lasti)) or (None,) * 4
    call = _call_at(file, site)
    if call is None or here[0] is None or here[2] is None:
        return False
    now = next((node for node in ast.walk(file.tree) if _is_at(node, here)), None)
    if now is None:
        return True
    match parents[call]:
        case (
            ast.Assign(targets=[ast.Name() as target])
            | ast.AnnAssign(target=ast.Name() as target)
            | ast.NamedExpr(target=ast.Name() as target)
        ):
            pass
        case _:
            return is_pending(call, now, parents)
    if _is_shared(call, target.id, parents):
        return True
    flow = _flow(_function_of(call, parents) or file.tree)
    names = {target.id} | flow.carriers_of(target.id)
    return flow.may_use(target, now) or any(
        isinstance(node, ast.Name) and node.id in names and is_pending(node, now, parents)
        for node in ast.walk(_statement_of(now, parents))
    )


@cached(maxsize=256)
def _flow(scope: Scope) -> Flow:
    return Flow(scope)


def _statement_of(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.AST:
    while not isinstance(node, ast.stmt) and node in parents:
        node = parents[node]
    return node


def _alternatives(call: ast.Call, target: ast.Name, file: SourceFile) -> Iterator[ast.Name]:
    """Assignments to the same name, in another branch, of the result of a call of the same function.

    A release that is missing in one of the branches has then been forgotten.
    """
    function = ast.dump(call.func)
    if _is_shared(target, target.id, file.parents):
        return
    for other in _flow(_function_of(target, file.parents) or file.tree).alternatives_of(target):
        value = getattr(file.parents[other], "value", None)
        if isinstance(value, ast.Call) and ast.dump(value.func) == function:
            yield other


def _loads_of(target: ast.Name, file: SourceFile) -> Iterator[ast.Name]:
    """The places where the program may read the value that an assignment gave a name."""
    tree, parents = file.tree, file.parents
    scope, shared = scope_of(target, target.id, parents), _is_shared(target, target.id, parents)
    if not shared:
        yield from _flow(scope or tree).after_assignment(target)
    for node in ast.walk(scope or tree):
        if not (isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load)):
            continue
        if shared or _function_of(node, parents) is not scope:
            yield node


def call_at(site: Site) -> ast.Call | None:
    """The call to which an instruction belongs; None without source."""
    file = source_file(site[0].co_filename)
    return None if file is None else _call_at(file, site)


def stands_alone(site: Site) -> bool:
    """Whether the call at a site is a statement by itself, which drops its result. False without source."""
    file = source_file(site[0].co_filename)
    return file is not None and _stands_alone(file, site)


@cached(maxsize=1024)
def _stands_alone(file: SourceFile, site: Site) -> bool:
    call = _call_at(file, site)
    return call is not None and isinstance(file.parents.get(call), ast.Expr)


def operands_at(site: Site) -> tuple[str, ...]:
    """The source text of the operands of the operator, or of the positional arguments of the call, at a site.

    Empty without source, and if the arguments contain ``*``.
    """
    where = position_of(site)
    for node in nodes_of(site[0].co_filename):
        if not isinstance(node, ast.expr | ast.stmt):
            continue
        if place_of(node) != where:
            continue
        operands = operands_of(node)
        if operands:
            return tuple(ast.unparse(operand) for operand in operands)
    return ()


def operands_within(span: Span) -> tuple[tuple[str, Span], ...]:
    """Return the operands of the operator or call with a span, as ``operands_at`` does, each with its own span."""
    file = source_file(span.file)
    return () if file is None else _operands_within(file, span)


@cached(maxsize=1024)
def _operands_within(file: SourceFile, span: Span) -> tuple[tuple[str, Span], ...]:
    for node in file.at(span):
        operands = operands_of(node)
        if operands:
            return tuple((ast.unparse(operand), file.extent(operand)) for operand in operands)
    return ()


def operands_of(node: ast.AST) -> tuple[ast.expr, ...]:
    """The operands of an operator, or the positional arguments of a call; empty if they contain ``*``."""
    match node:
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            return left, right
        case ast.AugAssign(target=left, value=right):
            return left, right
        case ast.UnaryOp(operand=operand):
            return (operand,)
        case ast.Call(args=args) if not any(isinstance(arg, ast.Starred) for arg in args):
            return tuple(args)
    return ()


def argument_span(frame: FrameType, value: object) -> Span | None:
    """The span at which the expression of a frame names ``value`` as an operand or argument; None if it does not."""
    file = source_file(frame.f_code.co_filename)
    where = position_of((frame.f_code, frame.f_lasti))
    if file is None or where is None:
        return None
    for node in ast.walk(file.tree):
        match node:
            case ast.BinOp(left=left, right=right) if place_of(node) == where:
                parts = [left, right]
            case ast.UnaryOp(operand=operand) if place_of(node) == where:
                parts = [operand]
            case ast.Call() if place_of(node) == where:
                parts = [*node.args, *(keyword.value for keyword in node.keywords)]
            case _:
                continue
        for part in parts:
            if (
                isinstance(part, ast.Name)
                and frame.f_locals.get(part.id, frame.f_globals.get(part.id)) is value
            ):
                return file.extent(part)
    return None


def with_items(site: Site) -> list[tuple[ast.expr, Span]]:
    """The context expressions of the with statement that begins on the line of a site, each with its span."""
    first, file = span_of_site(site).line, source_file(site[0].co_filename)
    for node in () if file is None else ast.walk(file.tree):
        if isinstance(node, ast.With) and node.lineno <= first <= node.items[-1].context_expr.lineno:
            assert file is not None
            return [(item.context_expr, file.extent(item.context_expr)) for item in node.items]
    return []


def nodes_within(span: Span) -> Iterator[tuple[ast.expr, Span]]:
    """Yield the expressions in a part of a file, each with its span."""
    file = source_file(span.file)
    if file is None:
        return
    for node in file.near(span.line, span.end_line or span.line):
        if isinstance(node, ast.expr) and span.line <= node.lineno <= (span.end_line or span.line):
            here = file.extent(node)
            begins = (span.line, span.column) <= (here.line, here.column)
            if begins and (here.end_line, here.end_column) <= (span.end_line or span.line, span.end_column):
                yield node, here


def returned_span(code: CodeType) -> Span | None:
    """The span of the value in a function's ``return value``, if it has exactly one such statement."""
    file, definition = source_file(code.co_filename), function_at(code)
    if file is None or definition is None:
        return None
    returned: list[ast.expr] = []
    pending: list[ast.AST] = list(definition.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Return) and node.value is not None:
            returned.append(node.value)
        pending.extend(ast.iter_child_nodes(node))
    if len(returned) != 1:
        return None
    return file.extent(returned[0])


def function_at(code: CodeType) -> ast.FunctionDef | None:
    """The definition from which a code object was compiled; None without source."""
    file = source_file(code.co_filename)
    definition = None if file is None else file.function(code)
    return definition if isinstance(definition, ast.FunctionDef) else None


def _call_at(file: SourceFile, site: Site) -> ast.Call | None:
    where = position_of(site)
    return next((n for n in ast.walk(file.tree) if isinstance(n, ast.Call) and _is_at(n, where)), None)


def _is_at(node: ast.AST, where: tuple[int | None, ...] | None) -> bool:
    """Whether an instruction at position ``where`` belongs to this expression or statement."""
    if where is None or not isinstance(node, ast.expr | ast.stmt):
        return False
    if place_of(node) == where:
        return True
    match node:
        case ast.Call(func=ast.Attribute(end_lineno=line, end_col_offset=end, attr=name)):
            # For a call over several lines, Python 3.11 and newer report the position from the method's name on.
            begin = None if end is None else end - len(name.encode())
            return line != node.lineno and (line, node.end_lineno, begin, node.end_col_offset) == where
    return False


def place_of(node: ast.expr | ast.stmt) -> tuple[int | None, ...]:
    """The position of a node, in the form that ``position_of`` returns for an instruction."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def outermost_function(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Scope | None:
    """The outermost function around a node."""
    functions = _functions_around(node, parents)
    return functions[-1] if functions else None


def scope_of(node: ast.AST, name: str, parents: dict[ast.AST, ast.AST]) -> Scope | None:
    """The function to which a name assigned at ``node`` belongs, because several kernels may use the same name.

    It is the outermost function if functions share the name; None for the module.
    """
    return (
        outermost_function(node, parents) if _is_shared(node, name, parents) else _function_of(node, parents)
    )


def _functions_around(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> list[Scope]:
    """The functions around a node, the innermost first."""
    functions: list[Scope] = []
    current: ast.AST | None = node
    while current is not None:
        if isinstance(current, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            functions.append(current)
        current = parents.get(current)
    return functions


def _function_of(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Scope | None:
    functions = _functions_around(node, parents)
    return functions[0] if functions else None


def _is_shared(node: ast.AST, name: str, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether the function around a node shares a name with other functions (``nonlocal``, ``global``)."""
    function = _function_of(node, parents)
    return function is not None and any(
        isinstance(inner, ast.Nonlocal | ast.Global) and name in inner.names for inner in ast.walk(function)
    )


def _load_handles(node: ast.Name, methods: tuple[str, ...], parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a program that reads a name calls one of ``methods`` on the value, or may pass it to code that does."""
    match parents[node]:
        case ast.Attribute(attr=attribute):
            return attribute in methods
        case (
            ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.AugAssign() | ast.Expr() | ast.FormattedValue()
        ):
            return False
        case ast.Call(func=function):
            return not _only_reads(function)
        case ast.keyword() as keyword:
            owner = parents[keyword]
            return not (isinstance(owner, ast.Call) and _only_reads(owner.func))
        case _:
            return True


def _only_reads(function: ast.expr) -> bool:
    """Whether a function only reads its arguments, so that the caller still has to release them."""
    match function:
        case ast.Name(id=name):
            return name in ("print", "copy", "repr", "str")
        case ast.Attribute(value=ast.Name(id=module)) if module == "ttl":
            return True
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="ttl"))):
            return True
        case ast.Attribute(attr="store"):
            return True
        case _:
            return False


def argument_of_statement(call: Span, position: int, name: str) -> str | None:
    """The variable that is an argument, by position or by name, of the call with a span; None if it is not a variable.

    None also without source, for a call that is not a statement by itself, and for a call with ``*`` arguments.
    """
    file = source_file(call.file)
    node = None if file is None else file.call(call)
    if file is None or node is None or not isinstance(file.parents[node], ast.Expr):
        return None
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    value = next((keyword.value for keyword in node.keywords if keyword.arg == name), None)
    if value is None and position < len(node.args):
        value = node.args[position]
    return value.id if isinstance(value, ast.Name) else None
