"""Python's containers: literals, items, comprehensions."""

from __future__ import annotations

import ast
import operator
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ttl.frontend import refusals
from ttl.frontend.assignments import assign
from ttl.frontend.classes import Instance
from ttl.frontend.evaluator import Evaluator, Handlers
from ttl.frontend.mutable import as_made
from ttl.frontend.stop import Reject
from ttl.frontend.values import END, GeneratorScope, Scope, TopScope, UserFunction
from ttl.source.scopes import as_function, captured, own_names, read_by_functions


def listed(
    reader: Evaluator, nodes: list[ast.expr], evaluate: Callable[[ast.expr], Any] | None = None
) -> list[Any]:
    """The values of expressions in order; ``*expression`` adds all of its members."""
    evaluate = evaluate or reader.eval
    values: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            value = reader.lazy(node.value)
            if isinstance(value, Instance) and isinstance(value.ttl_kind.ttl_find("__len__"), UserFunction):
                reader.place = node
                raise Reject(
                    refusals.construct(
                        f"* of an object of {value.ttl_kind.ttl_name}, which Python asks for its length,",
                        help="make a list of it, list(...)",
                    )
                )
            values.extend(reader.domain.members(value, node))
        else:
            values.append(evaluate(node))
    return values


def _tuple(reader: Evaluator, node: ast.Tuple) -> Any:
    return reader.domain.mapped(listed(reader, node.elts, reader.lazy), tuple, branching=False)


def _list(reader: Evaluator, node: ast.List) -> Any:
    members = listed(reader, node.elts, reader.lazy)
    return reader.domain.mapped(members, lambda values: reader.domain.born([*values]), branching=False)


def _set(reader: Evaluator, node: ast.Set) -> Any:
    members = listed(reader, node.elts, reader.lazy)
    reader.place = node
    return reader.domain.mapped(members, lambda values: _as_set(reader, values), branching=False)


def _as_set(reader: Evaluator, members: list[Any]) -> Any:
    return reader.domain.born(reader.domain.python(set, members))


def _dict(reader: Evaluator, node: ast.Dict) -> Any:
    domain = reader.domain
    keys: list[Any] = []
    values: list[Any] = []
    for key, value in zip(node.keys, node.values, strict=True):
        keys.append(None if key is None else domain.key(reader.eval(key), key))
        values.append(reader.eval(value) if key is None else reader.lazy(value))

    def made(values: list[Any]) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for place, key, value in zip(node.keys, keys, values, strict=True):
            result.update(value if place is None else {key: value})
        return domain.born(result)  # type: ignore[no-any-return]

    return domain.mapped(values, made, branching=False)


def _subscript(reader: Evaluator, node: ast.Subscript) -> Any:
    value = reader.lazy(node.value)
    index = reader.lazy(node.slice)
    reader.place = node
    return as_made(reader, reader.domain.item(value, index), operator.getitem, (value, index))


def _slice(reader: Evaluator, node: ast.Slice) -> Any:
    parts = [None if part is None else reader.lazy(part) for part in (node.lower, node.upper, node.step)]
    return reader.domain.mapped(parts, lambda item: slice(*item), branching=False)


# --- comprehensions -------------------------------------------------------------------------------------------

_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
INLINED = sys.version_info >= (3, 12)
"""Whether CPython runs comprehensions inside the surrounding function (PEP 709).

A comprehension may then overwrite a variable of an enclosing function.
"""


def require_apart(reader: Evaluator, node: ast.expr, own: frozenset[str]) -> None:
    """Check that the variables of a comprehension cannot overwrite those of an enclosing function in CPython.

    Raises ``Reject`` TTL1301 if they can.
    """
    if not INLINED or isinstance(node, ast.GeneratorExp):
        return
    for name in sorted(own & read_by_functions(node)):
        holder = reader.scope.holder(name)
        if holder is not None and holder is not reader.scope and not isinstance(holder, TopScope):
            raise Reject(refusals.overwritten(name))


def _comprehension(reader: Evaluator, node: _Comprehension) -> Any:
    try:
        # The iterable of the first part is evaluated at once, and outside of the comprehension.
        first = node.generators[0].iter
        members = _members(reader, node, reader.domain.steps(reader.lazy(first), first))
        own = own_names(node)
        require_apart(reader, node, own)
        scope = (GeneratorScope if own.isdisjoint(captured(node)) else Scope)(reader.scope, own)
        if isinstance(node, ast.GeneratorExp):
            return _generator(reader, node, scope, members)
        return _collected(reader, node, scope, members)
    except Exception:
        reader.domain.not_followed(node)
        raise


def _members(reader: Evaluator, node: _Comprehension, first: Iterator[Any]) -> Iterator[Any]:
    """The members of a comprehension, one by one. The caller must be in its scope when it takes one."""
    domain = reader.domain

    def member() -> Any:
        if isinstance(node, ast.DictComp):
            return domain.key(reader.eval(node.key), node.key), reader.eval(node.value)
        return (reader.eval if isinstance(node, ast.GeneratorExp) else reader.lazy)(node.elt)

    def of(depth: int, values: Iterator[Any]) -> Iterator[Any]:
        part = node.generators[depth]
        for value in values:
            reader.step()
            assign(reader, part.target, value)
            if not all(domain.decided(test) for test in part.ifs):
                continue
            if depth + 1 == len(node.generators):
                yield member()
                continue
            inner = node.generators[depth + 1].iter
            yield from of(depth + 1, domain.steps(reader.lazy(inner), inner))

    return of(0, first)


def _generator(reader: Evaluator, node: ast.GeneratorExp, scope: Scope, members: Iterator[Any]) -> Any:
    """A generator. Each member is computed when it is taken, with the values that names have at that time."""
    file, globals, chain, function = reader.file, reader.globals, reader.chain, reader.function

    def taken() -> Iterator[Any]:
        while True:
            with reader.within(scope, file, globals, chain, function):
                reader.place = node
                member = next(members, END)
            if member is END:
                return
            yield member

    return reader.domain.drawn(taken(), "generator", UserFunction(as_function(node), file, scope, globals))


def _collected(reader: Evaluator, node: _Comprehension, scope: Scope, taken: Iterator[Any]) -> Any:
    domain = reader.domain
    with reader.within(scope, reader.file, reader.globals, reader.chain):
        reader.place = node
        members = list(taken)
    if isinstance(node, ast.DictComp):
        return domain.born(dict(members))
    container_of = partial(_as_set, reader) if isinstance(node, ast.SetComp) else domain.born
    return domain.mapped(members, lambda values: container_of([*values]), branching=False)


HANDLERS: Handlers = {
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), _comprehension),
}
