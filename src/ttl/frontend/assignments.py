"""Assignments to names, to members of containers and to several targets at once; and deletions."""

from __future__ import annotations

import ast
import operator
from typing import Any

from ttl.frontend import refusals
from ttl.frontend.evaluator import Evaluator, Handlers
from ttl.frontend.mutable import as_made
from ttl.frontend.stop import Reject


def assign(reader: Evaluator, target: ast.expr, value: Any) -> None:
    """Assign a value to a target."""
    domain = reader.domain
    match target:
        case ast.Name():
            reader.bind(target, value)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            _unpack(reader, target, targets, value)
        case ast.Subscript():
            holder, index = reader.eval(target.value), reader.eval(target.slice)
            domain.set_item(target, holder, index, value)
        case ast.Starred():
            assign(reader, target.value, value)
        case ast.Attribute():
            _set_attribute(reader, target, reader.eval(target.value), value)


def _set_attribute(reader: Evaluator, target: ast.Attribute, holder: Any, value: Any) -> None:
    reader.place = target
    reader.domain.set_attribute(holder, target.attr, value)


def _unpack(reader: Evaluator, target: ast.expr, targets: list[ast.expr], value: Any) -> None:
    members = reader.domain.unpacked(value, target)
    if members is None:
        for part in targets:
            assign(reader, part, value)
        return
    reader.place = target
    starred = next((at for at, part in enumerate(targets) if isinstance(part, ast.Starred)), None)
    if starred is not None and len(members) >= len(targets) - 1:
        end = len(members) - (len(targets) - starred - 1)
        members = [*members[:starred], reader.domain.born(members[starred:end]), *members[end:]]
    if len(members) != len(targets):
        more = "too many" if len(members) > len(targets) else "not enough"
        raise Reject(
            refusals.raises("ValueError", f"{more} values to unpack, {len(members)} for {len(targets)} names")
        )
    for part, member in zip(targets, members, strict=True):
        assign(reader, part, member)


def _assign(reader: Evaluator, statement: ast.Assign) -> None:
    first = statement.targets[0]
    value = _named_value(reader, first, statement.value)
    if isinstance(first, ast.Name):
        reader.domain.named(first.id, value)
    for target in statement.targets:
        assign(reader, target, value)


def _annotated(reader: Evaluator, statement: ast.AnnAssign) -> None:
    if statement.value is not None:
        assign(reader, statement.target, _named_value(reader, statement.target, statement.value))


def _named_value(reader: Evaluator, target: ast.expr, value: ast.expr) -> Any:
    """Return the value of an assigned expression. Objects that it creates are named after the target."""
    name = target.id if isinstance(target, ast.Name) else None
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=parts) if len(targets) == len(parts) and not any(
            isinstance(part, ast.Starred) for part in parts
        ):
            return tuple(
                reader.domain.naming(part.id if isinstance(part, ast.Name) else None, reader.lazy, expression)
                for part, expression in zip(targets, parts, strict=True)
            )
    evaluate = reader.lazy if isinstance(target, ast.Name | ast.Tuple | ast.List) else reader.eval
    return reader.domain.naming(name, evaluate, value)


def _augmented(reader: Evaluator, statement: ast.AugAssign) -> None:
    domain, target = reader.domain, statement.target
    match target:
        case ast.Name(id=name):
            current = reader.lazy(ast.copy_location(ast.Name(name, ast.Load()), target))
            reader.bind(target, domain.inplace(statement, current, reader.lazy(statement.value)))
        case ast.Subscript():
            holder, index = reader.eval(target.value), reader.eval(target.slice)
            reader.place = target
            current = domain.attempt(target, lambda: domain.item(holder, index))
            current = as_made(reader, current, operator.getitem, (holder, index))
            result = domain.inplace(statement, current, reader.eval(statement.value))
            domain.set_item(target, holder, index, result)
        case ast.Attribute(attr=name):
            holder = reader.eval(target.value)
            reader.place = target
            current = domain.attempt(target, lambda: domain.attribute(holder, name))
            result = domain.inplace(statement, current, reader.eval(statement.value))
            _set_attribute(reader, target, holder, result)


def _delete(reader: Evaluator, statement: ast.Delete) -> None:
    for target in statement.targets:
        match target:
            case ast.Name():
                reader.domain.unbind(target)
            case ast.Subscript():
                holder, index = reader.eval(target.value), reader.eval(target.slice)
                reader.place = target
                reader.domain.delete_item(holder, index)
            case ast.Attribute():
                reader.domain.delete_attribute(target, statement)
            case _:
                raise reader.domain.refused(statement)


HANDLERS: Handlers = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Delete: _delete,
}
