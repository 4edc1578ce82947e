"""Definitions, imports, and expression statements."""

from __future__ import annotations

import ast
import enum
from typing import Any

from ttl.frontend.classes import UserClass, annotated_fields, enumeration
from ttl.frontend.evaluator import Evaluator, Handlers
from ttl.frontend.expressions import function
from ttl.frontend.flow import block
from ttl.frontend.unknown import Unknown
from ttl.frontend.values import ClassScope
from ttl.source.scopes import assigned


def _expression(reader: Evaluator, statement: ast.Expr) -> None:
    reader.domain.stands_alone(statement.value)


def _definition(reader: Evaluator, statement: ast.FunctionDef) -> None:
    _decorate(reader, statement, function(reader, statement))


def _decorate(reader: Evaluator, statement: ast.FunctionDef | ast.ClassDef, data: Any) -> None:
    """Apply the decorators of a function or class, and bind its name to the result."""
    for decorator in reversed(statement.decorator_list):
        value = reader.eval(decorator)
        reader.place = decorator
        data = reader.domain.decorated(value, data, decorator)
    _bind(reader, statement.name, data, statement)


def _bind(reader: Evaluator, name: str, value: Any, statement: ast.stmt) -> None:
    reader.bind(ast.copy_location(ast.Name(name, ast.Store()), statement), value)


def class_(reader: Evaluator, statement: ast.ClassDef) -> None:
    """Evaluate ``class``, in a domain that supports classes."""
    bases = tuple(reader.eval(base) for base in statement.bases)
    kind = UserClass(statement.name, bases, {})
    scope = ClassScope(reader.scope)
    scope.local = frozenset(assigned(*statement.body))
    scope.names = kind.ttl_names
    with reader.within(scope, reader.file, reader.globals, reader.chain):
        block(reader, statement.body, after=None)
    result: Any = reader.domain.born(kind)
    known = [base for base in bases if isinstance(base, type) and issubclass(base, enum.Enum)]
    if known:
        result = enumeration(kind, known[0])
    names = _annotated(statement)
    if any(getattr(base, "__name__", "") == "NamedTuple" for base in bases if type(base) is not Unknown):
        kind.ttl_fields, kind.ttl_as_tuple = annotated_fields(kind, names), True
    if statement.decorator_list and result is kind:
        kind.ttl_names["$annotations"] = names
    _decorate(reader, statement, result)


def _annotated(statement: ast.ClassDef) -> list[str]:
    """The annotated names of a class, in order."""
    return [
        part.target.id
        for part in statement.body
        if isinstance(part, ast.AnnAssign)
        and isinstance(part.target, ast.Name)
        and "ClassVar" not in ast.dump(part.annotation)
    ]


def _import(reader: Evaluator, statement: ast.Import) -> None:
    for alias in statement.names:
        module = reader.domain.module(alias.name, 0)
        name = alias.asname
        if name is None:
            name = alias.name.partition(".")[0]
            module = module if name == alias.name else reader.domain.module(name, 0)
        _bind(reader, name, module, statement)


def _import_from(reader: Evaluator, statement: ast.ImportFrom) -> None:
    module = reader.domain.module(statement.module or "", statement.level)
    for alias in statement.names:
        for name, value in reader.domain.imported(module, statement, alias).items():
            _bind(reader, name, value, statement)


HANDLERS: Handlers = {
    ast.Expr: _expression,
    ast.FunctionDef: _definition,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
