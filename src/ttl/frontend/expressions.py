"""Expressions that are not operators, containers or calls: names, attributes, choices, texts, functions."""

from __future__ import annotations

import ast
import builtins
from types import ModuleType
from typing import Any

from ttl.frontend import refusals
from ttl.frontend.evaluator import Evaluator, Handlers
from ttl.frontend.stop import Reject
from ttl.frontend.values import UNBOUND, ClassScope, Scope, TopScope, UserFunction
from ttl.rules.python import undefined_name
from ttl.source.names import names_visible


def _constant(reader: Evaluator, node: ast.Constant) -> Any:
    return node.value


def _name(reader: Evaluator, node: ast.Name) -> Any:
    scope = reader.scope.holder(node.id)
    if scope is None or (isinstance(scope, ClassScope) and node.id not in scope.names):
        return _global(reader, node)  # a class finds names that it has not assigned yet in its module
    value = scope.names.get(node.id, UNBOUND)
    if value is UNBOUND:
        reader.place = node
        raise Reject(
            refusals.raises(
                "UnboundLocalError",
                f"{node.id} has no value here",
                help="assign it before, on every path",
            )
        )
    return reader.domain.read(scope, node, value)


def _global(reader: Evaluator, node: ast.Name) -> Any:
    values = reader.globals.values
    if node.id in values:
        return reader.domain.captured(values[node.id], node)
    reader.missed.add(node.id)
    value = getattr(builtins, node.id, UNBOUND)
    if value is UNBOUND:
        reader.place = node
        raise Reject(undefined_name(node.id, names_visible(reader.file.path, node.lineno)))
    return value


def _attribute(reader: Evaluator, node: ast.Attribute) -> Any:
    value = reader.lazy(node.value)
    reader.place = node
    return attribute(reader, value, node)


def attribute(reader: Evaluator, value: Any, node: ast.Attribute) -> Any:
    """Return the attribute of a value, or the member of a module."""
    domain = reader.domain
    if isinstance(value, ModuleType):
        return domain.captured(domain.python(getattr, value, node.attr), node)
    return domain.attribute(value, node.attr)


def _joined(reader: Evaluator, node: ast.JoinedStr) -> Any:
    return reader.domain.text(
        [
            reader.domain.shown(reader.lazy(part.value), part)
            if isinstance(part, ast.FormattedValue)
            else part.value  # type: ignore[attr-defined]
            for part in node.values
        ]
    )


def formatted(reader: Evaluator, value: Any, node: ast.FormattedValue) -> Any:
    """The text of a value in an f-string."""
    python = reader.domain.python
    spec = "" if node.format_spec is None else reader.eval(node.format_spec)
    reader.place = node
    if node.conversion in (ord("r"), ord("a")):
        value = python(repr, value)
    elif node.conversion == ord("s"):
        value = python(str, value)
    return python(format, value, spec)


def function(reader: Evaluator, node: ast.FunctionDef | ast.Lambda) -> UserFunction:
    """A function that is defined here. It does not see names of an enclosing class; module names are its globals."""
    arguments = node.args
    scope: Scope | None = reader.scope
    while isinstance(scope, ClassScope):
        scope = scope.parent
    return UserFunction(
        node,
        reader.file,
        None if isinstance(scope, TopScope) else scope,
        reader.globals,
        tuple(reader.eval(default) for default in arguments.defaults),
        {
            parameter.arg: reader.eval(default)
            for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        },
    )


def _conditional(reader: Evaluator, node: ast.IfExp) -> Any:
    condition = reader.domain.condition(node.test)
    if isinstance(condition, bool):
        return reader.lazy(node.body if condition else node.orelse)
    reader.place = node
    return reader.domain.chosen(
        condition, lambda: reader.lazy(node.body), lambda: reader.lazy(node.orelse), node
    )


def _named(reader: Evaluator, node: ast.NamedExpr) -> Any:
    value = reader.lazy(node.value)
    reader.bind(node.target, value)
    return value


HANDLERS: Handlers = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.JoinedStr: _joined,
    ast.Lambda: function,
    ast.IfExp: _conditional,
    ast.NamedExpr: _named,
}
