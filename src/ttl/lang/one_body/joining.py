"""Kernels joined to one body: the inverse of the splitter, for ``ttl join``.

The statements of the kernels follow one another in the order of the text; loops, conditions and numbers that several
kernels share are merged. The result is divided again, and only a body that gives the same kernels is accepted, so that
results, data flow and cycles are those of the kernels.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ttl.diag import Diagnostic
from ttl.lang import kernels as decorators
from ttl.lang.one_body.names import DefinedFunction
from ttl.lang.one_body.projected_kernels import COMPUTE, DATAMOVEMENT, remade
from ttl.lang.one_body.separating import SeparatedKernels, separated
from ttl.rules import one_body as rules
from ttl.source.scopes import all_nodes, assigned, locals_of, own_nodes, reads

T = TypeVar("T", bound=ast.AST)
# Functions that only compute numbers, by their last names.
_PURE = frozenset(
    {
        "node",
        "grid_size",
        "range",
        "slice",
        "len",
        "min",
        "max",
        "int",
        "float",
        "abs",
        "tuple",
        "list",
        "sum",
        "divmod",
    }
)


@dataclass(frozen=True, slots=True)
class JoinedKernels:
    """Kernels as one body. ``operation`` is None if the finding says why they cannot be joined."""

    operation: ast.FunctionDef | None
    finding: Diagnostic | None = None


def joined(defined: DefinedFunction) -> JoinedKernels | None:
    """The kernels of an operation as one body; None for an operation that defines no kernels."""
    operation = defined.node
    if not isinstance(operation, ast.FunctionDef):
        return None
    functions = [node for node in all_nodes(operation) if isinstance(node, ast.FunctionDef)]
    kernels = [function for function in functions if _kind(function, defined) is not None]
    kernels.sort(key=lambda kernel: kernel.lineno)
    if not kernels:
        return None
    for kernel in kernels:
        why, node = _unjoinable(kernel, operation)
        if why:
            return JoinedKernels(None, rules.not_joined(operation.name, why).at(defined.file.span(node)))
    setup = [statement for statement in operation.body if statement not in kernels]
    failed: list[SeparatedKernels] = []
    for bodies, merge in _candidates(operation, kernels, setup):
        statements = list(bodies[0])
        for body in bodies[1:]:
            statements = merge(statements, body)
        whole = remade(operation, body=[*setup, *statements])
        parts = separated(DefinedFunction(whole, defined.file, defined.names))
        if parts is not None and parts.operation is not None:
            kinds = [_kind(kernel, defined) for kernel in kernels]
            wanted = [(kind, _normal(setup, own)) for kind, own in zip(kinds, bodies, strict=True) if own]
            if sorted(wanted) == sorted(_divided(parts.operation)):
                return JoinedKernels(whole)
        if parts is not None:
            failed.append(parts)
    finding = _why(operation, kernels, failed)
    return JoinedKernels(None, finding if finding.primary else finding.at(defined.file.span(operation)))


def _kind(function: ast.FunctionDef, defined: DefinedFunction) -> str | None:
    """The decorator of a kernel, as a mark; None for other functions."""
    for decorator in function.decorator_list:
        expression = decorator.func if isinstance(decorator, ast.Call) else decorator
        match expression:
            case ast.Name(id=name):
                value = defined.names.find(name)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                value = defined.names.attribute(defined.names.find(name), attribute)
            case _:
                continue
        for mark, kernel in ((COMPUTE, decorators.compute), (DATAMOVEMENT, decorators.datamovement)):
            if value is kernel:
                return mark
    return None


def _unjoinable(kernel: ast.FunctionDef, operation: ast.FunctionDef) -> tuple[str, ast.AST]:
    """Return the reason why a kernel cannot be part of a body, and its node; the reason is empty if it can."""
    if kernel not in operation.body:
        return f"kernel {kernel.name} is not defined at the top of the body", kernel
    named = next(
        (item for item in kernel.decorator_list if isinstance(item, ast.Call) and item.keywords), None
    )
    if named is not None:
        return f"kernel {kernel.name} has kernel=, which names it elsewhere", named
    arguments = kernel.args
    if arguments.args or arguments.kwonlyargs:
        return f"kernel {kernel.name} has parameters with defaults", kernel
    for node in own_nodes(kernel.body):
        if isinstance(node, ast.Return):
            return f"kernel {kernel.name} returns, which would end the whole body", node
        if isinstance(node, ast.Nonlocal | ast.Global):
            return f"kernel {kernel.name} assigns a name of the function around it", node
    return "", kernel


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


# --- candidates -------------------------------------------------------------------------------------------------------


def _candidates(
    operation: ast.FunctionDef, kernels: list[ast.FunctionDef], setup: list[ast.stmt]
) -> Iterable[tuple[list[list[ast.stmt]], Callable[[list[ast.stmt], list[ast.stmt]], list[ast.stmt]]]]:
    """Yield sets of bodies, with names changed so that they can be combined, and a function that combines them.

    The candidate with the shortest text comes first.
    """
    around = {argument.arg for argument in operation.args.args} | set(assigned(*setup))
    around |= set().union(*(reads(statement).keys() for statement in setup))
    own = [set(assigned(*kernel.body)) - {"_"} for kernel in kernels]
    taken = {node.id for node in all_nodes(operation) if isinstance(node, ast.Name)}
    for merge in (_merged, lambda first, second: [*first, *second]):
        for all_of_them in (False, True):
            bodies: list[list[ast.stmt]] = []
            for number, kernel in enumerate(kernels):
                # A name that another kernel reads from outside must not become a name of the body.
                others = [other for other in range(len(kernels)) if other != number]
                outside = set().union(*(reads(kernels[other]).keys() - own[other] for other in others))
                clashing = own[number] & (around | outside)
                if all_of_them:
                    clashing |= own[number] & set().union(*(own[other] for other in range(number)))
                names = {name: _free(f"{name}_{kernel.name}", taken) for name in sorted(clashing)}
                body = [item for item in kernel.body if not (_is_text(item) or isinstance(item, ast.Pass))]
                bodies.append([_renamed(statement, names) for statement in body])
            yield bodies, merge


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _renamed(node: T, names: dict[str, str]) -> T:
    """The syntax with names replaced, at the same location; the same object if it contains none of the names."""
    match node:
        case _ if not names:
            return node
        case ast.Name(id=name, ctx=context) if name in names:
            return ast.copy_location(type(node)(names[name], context), node)
        case ast.Nonlocal(names=own):
            return remade(node, names=[names.get(name, name) for name in own])
        case ast.Lambda() | ast.FunctionDef():
            outer = {
                name for item in all_nodes(node) if isinstance(item, ast.Nonlocal) for name in item.names
            }
            hidden = locals_of(node) - outer
            inner = {name: new for name, new in names.items() if name not in hidden}
            body: object = (
                _renamed(node.body, inner)
                if isinstance(node, ast.Lambda)
                else [_renamed(statement, inner) for statement in node.body]
            )
            fields = {} if isinstance(node, ast.Lambda) else {"name": names.get(node.name, node.name)}
            return remade(node, body=body, args=_renamed(node.args, names), **fields)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            targets = {
                item.id
                for part in node.generators
                for item in all_nodes(part.target)
                if isinstance(item, ast.Name)
            }
            names = {name: new for name, new in names.items() if name not in targets}
    changed: dict[str, object] = {}
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            changed[field] = _renamed(value, names)
        elif isinstance(value, list):
            changed[field] = [_renamed(item, names) if isinstance(item, ast.AST) else item for item in value]
    return remade(node, **changed)


def _merged(first: list[ast.stmt], second: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of two threads, each in its order, with shared statements only once."""
    rows, columns = len(first), len(second)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in reversed(range(rows)):
        for column in reversed(range(columns)):
            together = best[row + 1][column + 1] + 1 if _both(first[row], second[column]) is not None else 0
            best[row][column] = max(together, best[row + 1][column], best[row][column + 1])
    result: list[ast.stmt] = []
    row = column = 0
    while row < rows and column < columns:
        both = _both(first[row], second[column])
        if both is not None and best[row][column] == best[row + 1][column + 1] + 1:
            result.append(both)
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            result.append(first[row])
            row += 1
        else:
            result.append(second[column])
            column += 1
    return [*result, *first[row:], *second[column:]]


def _both(first: ast.stmt, second: ast.stmt) -> ast.stmt | None:
    """Return one statement for two threads; None if their statements differ."""
    match first, second:
        case ast.For(orelse=[]), ast.For(orelse=[]) if _text(first.iter) == _text(second.iter):
            targets = _text(first.target), _text(second.target)
            if targets[0] != targets[1] and "_" not in targets:
                return None
            target = second.target if targets[0] == "_" else first.target
            return remade(first, target=target, body=_merged(first.body, second.body))
        case _ if isinstance(first, ast.While) and isinstance(second, ast.While):
            if _text(first.test) == _text(second.test) and not first.orelse and not second.orelse:
                return remade(first, body=_merged(first.body, second.body))
        case _ if isinstance(first, ast.If) and isinstance(second, ast.If):
            if _text(first.test) == _text(second.test):
                orelse = _merged(first.orelse, second.orelse)
                return remade(first, body=_merged(first.body, second.body), orelse=orelse)
        case _ if _is_shared(first) and _text(first) == _text(second):
            return first
    return None


# --- comparison of kernels --------------------------------------------------------------------------------------------


def _text(node: ast.AST) -> str:
    return ast.unparse(node)


def _is_shared(statement: ast.stmt) -> bool:
    """Return whether a statement only assigns numbers to names."""
    return (
        isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign)
        and not any(
            isinstance(node, ast.Call) and _text(node.func).rpartition(".")[2] not in _PURE
            for node in all_nodes(statement)
        )
        and all(isinstance(target, ast.Name | ast.Tuple) for target in _targets(statement))
    )


def _targets(statement: ast.stmt) -> list[ast.expr]:
    return (
        statement.targets
        if isinstance(statement, ast.Assign)
        else [getattr(statement, "target", ast.Name(""))]
    )


def _normal(setup: Sequence[ast.stmt], kernel: Sequence[ast.stmt]) -> list[str]:
    """Return the statements of a kernel, and its part of the body around it, in a form that is equal for equal kernels.

    Numbers that are never read are omitted; those that are assigned once, at the top, may be before the kernel or in
    it.
    """
    statements = [item for item in (*setup, *kernel) if not _is_text(item)]
    while True:
        read: Counter[str] = Counter()
        for statement in statements:
            read += reads(statement)
        kept = _without_unread(statements, read)
        if [_text(item) for item in kept] == [_text(item) for item in statements]:
            break
        statements = kept
    times = Counter(name for statement in statements for name in assigned(statement))
    early = [
        item for item in statements if _is_shared(item) and all(times[name] == 1 for name in assigned(item))
    ]
    return [*sorted(map(_text, early)), "", *(_text(item) for item in statements if item not in early)]


def _without_unread(statements: list[ast.stmt], read: Counter[str]) -> list[ast.stmt]:
    result: list[ast.stmt] = []
    for statement in statements:
        if _is_shared(statement):
            own = reads(statement)
            if all(
                read[name] == (own[name] if isinstance(statement, ast.AugAssign) else 0)
                for name in assigned(statement)
            ):
                continue
        fields: dict[str, object] = {
            field: _without_unread(value, read)
            for field in ("body", "orelse")
            if isinstance(value := getattr(statement, field, None), list)
        }
        if isinstance(statement, ast.For) and not any(read[name] for name in _names_of(statement.target)):
            fields["target"] = ast.copy_location(ast.Name("_", ast.Store()), statement.target)
        if isinstance(statement, ast.For | ast.While | ast.If | ast.With) and not fields["body"]:
            fields["body"] = [ast.copy_location(ast.Pass(), statement)]
        result.append(remade(statement, **fields) if fields else statement)
    return result


def _names_of(target: ast.expr) -> list[str]:
    return [node.id for node in all_nodes(target) if isinstance(node, ast.Name)]


def _divided(operation: ast.FunctionDef) -> list[tuple[str, list[str]]]:
    """Return the kernels into which a body was divided, by kind."""
    kernels = [item for item in operation.body if isinstance(item, ast.FunctionDef) and item.decorator_list]
    setup = [item for item in operation.body if item not in kernels]
    return [
        (_text(kernel.decorator_list[0]).removesuffix("()"), _normal(setup, kernel.body))
        for kernel in kernels
    ]


def _why(
    operation: ast.FunctionDef, kernels: list[ast.FunctionDef], failed: list[SeparatedKernels]
) -> Diagnostic:
    """Return the reason why no candidate gives the kernels again."""
    divided = next((parts for parts in failed if parts.operation is not None), None)
    if divided is None:
        findings = failed[0].findings if failed else ()
        why = findings[0].message if findings else "none of their statements belongs to a thread"
        finding = rules.not_joined(operation.name, why)
        return (
            finding if not findings or findings[0].primary is None else finding.at(findings[0].primary.span)
        )
    roles = set().union(*(cell.roles for part in divided.threads for cell in part.thread.cells))
    if "semaphore" in roles:
        why = "all movement of an operation with semaphores is on one mover, in the order of the text"
    elif {"send", "receive"} <= roles:
        why = "statements that only send into pipes are on one mover, all others on the other"
    else:
        why = (
            "transfers that touch a tensor which is written are on one mover, writes to others on the second"
        )
    return rules.not_joined(operation.name, f"its movers divide the work in another way: {why}")
