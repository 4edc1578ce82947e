"""Which names a piece of source assigns, reads and leaves early: questions about syntax, answered once per node."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ttl.frontend.source import FunctionNode

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _own(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes below, without what belongs to functions defined there."""
    for node in nodes:
        yield node
        if isinstance(node, _FUNCTIONS):
            continue
        yield from _own(ast.iter_child_nodes(node))


@lru_cache(maxsize=4096)
def assigned(*body: ast.AST) -> tuple[str, ...]:
    """Names that statements assign in the scope they are in, in order; those that functions in them declare nonlocal too."""
    found: dict[str, None] = {}
    for node in _own(body):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found[name] = None
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = None
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    found[alias.asname or alias.name.partition(".")[0]] = None
            case ast.ExceptHandler(name=str(name)):
                found[name] = None
        if isinstance(node, ast.FunctionDef):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Nonlocal):
                    found.update(dict.fromkeys(inner.names))
    # The variables of a comprehension are its own.
    for node in _own(body):
        if isinstance(node, _COMPREHENSIONS):
            own = {
                each.id
                for part in node.generators
                for each in ast.walk(part.target)
                if isinstance(each, ast.Name)
            }
            outside = _stored_outside(body, node)
            for name in own - outside:
                found.pop(name, None)
    return tuple(found)


def _stored_outside(body: Iterable[ast.AST], comprehension: ast.AST) -> set[str]:
    inside = {id(each) for part in comprehension.generators for each in ast.walk(part.target)}  # type: ignore[attr-defined]
    return {
        node.id
        for node in _own(body)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in inside
    }


@lru_cache(maxsize=4096)
def locals_of(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that are local to a function: its parameters, and what it assigns."""
    arguments = function.args
    names = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    names |= {each.arg for each in (arguments.vararg, arguments.kwarg) if each is not None}
    if isinstance(function, ast.Lambda):
        return frozenset(names)
    elsewhere: set[str] = set()
    for node in _own(function.body):
        if isinstance(node, ast.Nonlocal | ast.Global):
            elsewhere |= set(node.names)
    inner = {
        name
        for node in _own(function.body)
        if isinstance(node, ast.FunctionDef)
        for each in ast.walk(node)
        if isinstance(each, ast.Nonlocal)
        for name in each.names
    }
    stored = set(assigned(*function.body))
    return frozenset((stored - elsewhere - (inner - _stored(function.body))) | names)


def _stored(body: Iterable[ast.AST]) -> set[str]:
    return {node.id for node in _own(body) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


@lru_cache(maxsize=4096)
def leaves(loop: ast.For | ast.While) -> frozenset[str]:
    """How the body of a loop may leave it early: ``break``, ``return``."""
    found = set()
    for node in _of_loop(loop.body):
        if isinstance(node, ast.Break):
            found.add("break")
    for node in _own(loop.body):
        if isinstance(node, ast.Return):
            found.add("return")
    return frozenset(found)


@lru_cache(maxsize=1024)
def nonlocals(function: ast.AST) -> frozenset[str]:
    """Names that functions defined in a function assign in a scope around their own."""
    return frozenset(
        name for node in ast.walk(function) if isinstance(node, ast.Nonlocal) for name in node.names
    )


def ends(body: list[ast.stmt]) -> bool:
    """Whether nothing can follow a block: it ends by leaving."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return ends(last.body) and ends(last.orelse)
    return isinstance(last, ast.Return | ast.Break | ast.Continue | ast.Raise)


def _of_loop(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of a loop's body, without those of loops in it (their ``else`` belongs to it)."""
    for node in body:
        yield node
        if isinstance(node, _FUNCTIONS):
            continue
        inner = node.orelse if isinstance(node, ast.For | ast.While) else ast.iter_child_nodes(node)
        yield from _of_loop(inner)


@lru_cache(maxsize=1024)
def is_generator(function: ast.FunctionDef) -> bool:
    """Whether a function contains ``yield``."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own(function.body))


@lru_cache(maxsize=4096)
def reads(node: ast.AST) -> Counter[str]:
    """How often each name is read below a node, in functions defined there, too."""
    return Counter(
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load | ast.Del)
    ) + Counter(
        each.target.id
        for each in ast.walk(node)
        if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name)
    )


_OF_KERNELS = frozenset({"reserve", "wait", "copy"})


@lru_cache(maxsize=1024)
def unused_kernel(operation: FunctionNode) -> ast.FunctionDef | None:
    """A function in an operation that was meant as a kernel but is neither decorated nor used; None where there is none."""
    if isinstance(operation, ast.Lambda):
        return None
    used = reads(operation)
    for node in operation.body:
        if not isinstance(node, ast.FunctionDef) or node.decorator_list or node.name in used:
            continue
        arguments = node.args
        if arguments.args or arguments.posonlyargs or arguments.kwonlyargs:
            continue
        if any(isinstance(each, ast.Attribute) and each.attr in _OF_KERNELS for each in ast.walk(node)):
            return node
    return None
