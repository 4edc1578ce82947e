"""Calls: functions of the program are evaluated where they are called; the domain evaluates all others."""

from __future__ import annotations

import ast
import inspect
from functools import partial
from typing import Any

from ttl.frontend import refusals
from ttl.frontend.classes import REQUIRED, DataclassField, Instance, given_fields
from ttl.frontend.containers import listed
from ttl.frontend.domain import NOT_REDUCED
from ttl.frontend.evaluator import Evaluator, Handlers
from ttl.frontend.expressions import attribute
from ttl.frontend.flow import block
from ttl.frontend.stop import Reject
from ttl.frontend.values import RETURN, Scope, UserFunction
from ttl.source.scopes import locals_of

_MAY_BE_REDUCED = (ast.GeneratorExp, ast.ListComp, ast.List, ast.Tuple)


def _call(reader: Evaluator, node: ast.Call) -> Any:
    domain, callee = reader.domain, node.func
    changed: Any = None
    if isinstance(callee, ast.Attribute):
        value = reader.lazy(callee.value)
        reader.place = callee
        changed = domain.changed_by(value, callee.attr)
        function = attribute(reader, value, callee)
    else:
        function = reader.lazy(callee)
        if node.args and isinstance(node.args[0], _MAY_BE_REDUCED):
            result = domain.reduced(function, node)
            if result is not NOT_REDUCED:
                return result
    try:
        arguments = listed(reader, node.args, reader.lazy)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                given = reader.eval(keyword.value)
                reader.place = keyword.value
                keywords.update(domain.python(_keywords, given))
            else:
                keywords[keyword.arg] = reader.lazy(keyword.value)
        reader.place = node
        return domain.call(function, arguments, keywords)
    except Exception:
        if changed is not None:
            domain.spoil(changed)
        raise


def _keywords(given: Any) -> dict[str, Any]:
    return dict(**given)


def apply(reader: Evaluator, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """The result of a call; the current place is the call."""
    if isinstance(function, UserFunction):
        return reader.domain.inlined(
            function, arguments, keywords, lambda: _evaluated(reader, function, arguments, keywords)
        )
    if isinstance(function, partial):
        return apply(reader, function.func, [*function.args, *arguments], {**function.keywords, **keywords})
    return reader.domain.apply(function, arguments, keywords)


def _evaluated(
    reader: Evaluator, function: UserFunction, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    """Evaluate the body of a function with arguments."""
    node = function.node
    scope = called_scope(reader, function, arguments, keywords)
    with reader.within(scope, function.file, function.globals, reader.chain_of_call(), node):
        reader.place = node
        if isinstance(node, ast.Lambda):
            return reader.lazy(node.body)
        scope.names[RETURN] = reader.domain.nothing_returned
        signals = block(reader, node.body, after=None)
        return reader.domain.returned(signals, scope.returned)


def called_scope(
    reader: Evaluator, function: UserFunction, arguments: list[Any], keywords: dict[str, Any]
) -> Scope:
    """The scope of a called function, in which its parameters are bound as Python binds them."""
    node = function.node
    assert not isinstance(node, ast.AsyncFunctionDef)
    scope = Scope(function.scope, locals_of(node))
    declared, bound = node.args, scope.names
    positional = [parameter.arg for parameter in (*declared.posonlyargs, *declared.args)]
    bound.update(zip(positional, arguments, strict=False))
    rest = dict(keywords)
    surplus = arguments[len(positional) :]
    if declared.vararg is not None:
        bound[declared.vararg.arg] = tuple(surplus)
    elif surplus:
        raise _wrong(function.name, f": it takes {len(positional)} arguments, and {len(arguments)} are given")
    only_by_place = {parameter.arg for parameter in declared.posonlyargs}
    named = (*positional, *(parameter.arg for parameter in declared.kwonlyargs))
    for name in named:
        if name in rest and name not in only_by_place:
            if name in bound:
                raise _wrong(function.name, f": two values for {name}")
            bound[name] = rest.pop(name)
    if declared.kwarg is not None:
        bound[declared.kwarg.arg] = reader.domain.born(rest)
    elif rest:
        raise _wrong(function.name, f": it has no parameter {next(iter(rest))}")
    first = len(positional) - len(function.defaults)
    defaults = dict(zip(positional[first:], function.defaults, strict=True)) | function.keyword_defaults
    for name in named:
        if name not in bound:
            if name not in defaults:
                raise _wrong(function.name, f": no value for {name}")
            bound[name] = defaults[name]
    return scope


def _wrong(name: str, reason: str) -> Reject:
    return Reject(refusals.raises("TypeError", f"{name}(){reason}"))


def initialised(
    reader: Evaluator, instance: Instance, arguments: list[Any], keywords: dict[str, Any]
) -> bool:
    """Initialise a new object: call its class's ``__init__``, or fill the fields of a dataclass.

    Returns False if there are arguments and the class has neither of these; else True.
    """
    start = instance.ttl_kind.ttl_find("__init__")
    if isinstance(start, UserFunction):
        apply(reader, start, [instance, *arguments], keywords)
    elif instance.ttl_kind.ttl_fields is not None:
        _fill(reader, instance, arguments, keywords)
    else:
        return not arguments and not keywords
    return True


def _fill(reader: Evaluator, instance: Instance, arguments: list[Any], keywords: dict[str, Any]) -> None:
    """Fill the fields of an object of a dataclass from arguments."""
    name_of, fields = instance.ttl_kind.ttl_name, instance.ttl_kind.ttl_fields or {}
    takes = given_fields(instance.ttl_kind)
    if len(arguments) > len(takes):
        raise _wrong(name_of, f" takes {len(takes)} values, and {len(arguments)} are given")
    for name in keywords:
        if name not in takes:
            raise _wrong(name_of, f" has no field {name}")
    given = {**dict(zip(takes, arguments, strict=False)), **keywords}
    for name, default in fields.items():
        if name in given:
            value = given[name]
        elif not isinstance(default, DataclassField):
            value = default
        elif default.factory is not REQUIRED:
            value = apply(reader, default.factory, [], {})
        elif default.default is REQUIRED and not default.is_given:
            continue
        else:
            value = default.default
        if value is REQUIRED:
            raise _wrong(name_of, f": no value for {name}")
        instance.ttl_values[name] = value
    after = instance.ttl_kind.ttl_find("__post_init__")
    if isinstance(after, UserFunction):
        apply(reader, after, [instance], {})


HANDLERS: Handlers = {ast.Call: _call}


def signature_of(function: UserFunction) -> inspect.Signature:
    """The signature of a function, with its defaults."""
    given = function.node.args
    kinds = inspect.Parameter
    positional = [*given.posonlyargs, *given.args]
    first = len(positional) - len(function.defaults)
    parameters = []
    for number, node in enumerate(positional):
        kind = kinds.POSITIONAL_ONLY if number < len(given.posonlyargs) else kinds.POSITIONAL_OR_KEYWORD
        default = function.defaults[number - first] if number >= first else kinds.empty
        parameters.append(kinds(node.arg, kind, default=default))
    if given.vararg is not None:
        parameters.append(kinds(given.vararg.arg, kinds.VAR_POSITIONAL))
    for parameter in given.kwonlyargs:
        default = function.keyword_defaults.get(parameter.arg, kinds.empty)
        parameters.append(kinds(parameter.arg, kinds.KEYWORD_ONLY, default=default))
    if given.kwarg is not None:
        parameters.append(kinds(given.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)
