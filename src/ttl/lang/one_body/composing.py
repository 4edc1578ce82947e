"""Operations that are called in a body: each call gets its own copy of the called definition.

A call becomes two functions. One makes the buffers and nets of the called operation, and runs before kernels. It
returns the other, which replaces the call in each kernel that has a part of its work. Both are code of the called
operation: they use its names, and have locations in its file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ttl.diag import Diagnostic
from ttl.lang.one_body.names import ComposedOperation
from ttl.lang.one_body.values import Part
from ttl.rules import composition as rules
from ttl.rules.launches import wrong_arguments
from ttl.source.scopes import all_nodes
from ttl.source.trees import SourceFile

T = TypeVar("T", bound=ast.AST)


@dataclass(eq=False, slots=True)
class ComposedCall:
    """A call of an operation in a body."""

    called: ComposedOperation
    call: ast.Call
    file: SourceFile
    """The file that contains the call."""
    definition: ast.FunctionDef
    """The definition of the called operation, copied for this call."""
    name: str
    """The name of the function that makes its buffers; no other name of the program has this prefix."""
    arguments: dict[str, ast.expr]
    """The expression for each parameter of the call; parameters without one have defaults."""
    defaults: dict[str, Any]
    needs: dict[str, set[Part]] = field(default_factory=dict)
    """For each argument, the statements that assign the values that it reads."""
    body: list[ast.stmt] = field(default_factory=list)
    """The statements of the called operation that belong to threads."""

    @property
    def objects(self) -> dict[str, Any]:
        """The defaults that the call uses, under names that do not occur in programs."""
        return {self.default_name(name): value for name, value in self.defaults.items()}

    def default_name(self, parameter: str) -> str:
        """The name for the default of a parameter in the scope around the body with the call."""
        return f"{self.name}_{parameter}_default"

    def argument(self, parameter: str) -> ast.expr:
        """Return the expression that is passed for a parameter."""
        given = self.arguments.get(parameter)
        if given is None:
            return ast.copy_location(ast.Name(self.default_name(parameter), ast.Load()), self.call)
        return given

    def function_name(self, thread: str) -> str:
        """The name of the function for a kernel's part of the call."""
        return f"{self.name}_{thread}"


def composed_call(
    called: ComposedOperation, call: ast.Call, file: SourceFile, taken: Iterable[str]
) -> ComposedCall | Diagnostic:
    """A call of an operation, or the error if its arguments do not fit. ``taken`` are the names around it."""
    definition = called.defined.node
    parameters = called.signature.parameters.values()
    several = any(
        parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in parameters
    )
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if several or starred or any(keyword.arg is None for keyword in call.keywords):
        return rules.starred(called.name)
    try:
        bound = called.signature.bind(
            *call.args, **{keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
        )
    except TypeError as mismatch:
        return wrong_arguments(called.name, called.signature, mismatch)
    assert isinstance(definition, ast.FunctionDef)
    return ComposedCall(
        called=called,
        call=call,
        file=file,
        definition=_again(definition),
        name=_free_prefix(called.name, taken),
        arguments=dict(bound.arguments),
        defaults={
            name: parameter.default
            for name, parameter in called.signature.parameters.items()
            if name not in bound.arguments
        },
    )


def names_in(definition: ast.AST) -> set[str]:
    """All names that a definition mentions."""
    names: set[str] = set()
    for node in all_nodes(definition):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names.add(other or name.partition(".")[0])
    return names


def _free_prefix(name: str, taken: Iterable[str]) -> str:
    number = 1
    names = tuple(taken)
    while any(other.startswith(f"{name}_{number}") for other in names):
        number += 1
    return f"{name}_{number}"


def _again(node: T) -> T:
    """Return a copy of a piece of syntax with the same locations."""
    fields: dict[str, object] = {}
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            value = [_again(item) if isinstance(item, ast.AST) else item for item in value]
        elif isinstance(value, ast.AST):
            value = _again(value)
        fields[name] = value
    return ast.copy_location(type(node)(**fields), node)
