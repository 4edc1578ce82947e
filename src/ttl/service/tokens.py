"""Semantic tokens: the kinds of names in the language, for colours that the grammar alone cannot give."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from ttl.service.facts import Kind, ValueFact
from ttl.service.language import MODULES, member, member_of
from ttl.service.scopes import BoundName
from ttl.service.subject import Places
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.service.analysis import Analysis

# The token types of the protocol, then our own types, each with the standard type for themes that do not know it.
STANDARD_TYPES = ("namespace", "function", "method", "property", "decorator", "variable")
OWN_TYPES: Mapping[str, str] = MappingProxyType(
    {
        "operation": "function",
        "kernel": "function",
        "dataflowBuffer": "variable",
        "block": "variable",
        "pipe": "variable",
        "semaphore": "variable",
        "transfer": "variable",
        "tensor": "variable",
    }
)
TYPES = (*STANDARD_TYPES, *OWN_TYPES)
MODIFIERS = ("declaration", "defaultLibrary", "deprecated")
_OF_KIND: Mapping[Kind, str] = MappingProxyType(
    {
        "dataflow buffer": "dataflowBuffer",
        "block": "block",
        "expression": "block",
        "pipe": "pipe",
        "pipe net": "pipe",
        "semaphore": "semaphore",
        "transfer": "transfer",
        "transfer group": "transfer",
        "tensor": "tensor",
        "tensor slice": "tensor",
        "tile tensor": "tensor",
        "tile value": "block",
        "kernel": "kernel",
        "operation": "operation",
    }
)


@dataclass(frozen=True, slots=True)
class Token:
    """A name on one line; ``column`` counts from 1."""

    line: int
    column: int
    length: int
    type: str
    modifiers: tuple[str, ...] = ()


def tokens(analysis: Analysis, first: int = 1, last: int | None = None) -> list[Token]:
    """The tokens for names of the language and of its objects on some lines, in order. Other names have no token."""
    places = Places(analysis)
    end = last or len(places.syntax.text.lines)
    values = {fact.span: fact.values for fact in places.index.on_lines(places.path, first, end)}
    of_line = [*_names(places, values, first, end), *_attributes(places, values, first, end)]
    return sorted(
        (token for token in of_line if token.line not in places.syntax.broken),
        key=lambda token: (token.line, token.column),
    )


def _names(
    places: Places, values: Mapping[Span, tuple[ValueFact, ...]], first: int, last: int
) -> Iterator[Token]:
    imports = places.imports()
    known: dict[BoundName, str] = {}
    for occurrence in places.symbols.on_lines(first, last):
        symbol = occurrence.symbol
        if not occurrence.exact:
            continue
        modifiers = ("declaration",) if occurrence.role == "bound" else ()
        type_ = _type_of(values.get(occurrence.span, ()))
        if type_ is None and symbol.scope is places.symbols.module and symbol.name in imports:
            qualified = imports[symbol.name]
            type_ = "namespace" if qualified in MODULES else "function"
            modifiers = (*modifiers, "defaultLibrary")
        if type_ is None and symbol not in known:
            known[symbol] = _of_symbol(places, symbol) or ""
        type_ = type_ or known[symbol]
        if type_:
            yield Token(occurrence.span.line, occurrence.span.column, len(symbol.name), type_, modifiers)


def _of_symbol(places: Places, symbol: BoundName) -> str | None:
    """Return the kind of a name without a value at its place: a parameter, an operation, or a kernel; else None."""
    definition = symbol.definition
    if definition is None:
        return None
    kind = places.kernel_kind(definition.node)
    if kind is not None:
        return "operation" if kind == "operation" else "kernel"
    if symbol.how != "parameter":
        return None
    return _type_of(places.values_of_symbol(symbol))


def _type_of(values: tuple[ValueFact, ...]) -> str | None:
    types = {_OF_KIND.get(value.kind) for value in values}
    return types.pop() if len(types) == 1 else None


def _attributes(
    places: Places, values: Mapping[Span, tuple[ValueFact, ...]], first: int, last: int
) -> Iterator[Token]:
    file = places.syntax.file
    decorators = {
        id(decorator.func if isinstance(decorator, ast.Call) else decorator)
        for function in places.symbols.scopes
        if isinstance(function, ast.FunctionDef)
        for decorator in function.decorator_list
    }
    for node in ast.walk(file.tree):
        if not isinstance(node, ast.Attribute) or not first <= (node.end_lineno or 0) <= last:
            continue
        extent = file.extent(node)
        column = extent.end_column - len(node.attr)
        if places.syntax.line(extent.end_line)[column - 1 : column - 1 + len(node.attr)] != node.attr:
            continue
        qualified = _qualified(places, node)
        if qualified in MODULES:
            yield Token(extent.end_line, column, len(node.attr), "namespace", ("defaultLibrary",))
            continue
        known = member(qualified) if qualified else None
        type_ = "decorator" if id(node) in decorators else "function"
        if known is not None and known.kind == "constant":
            type_ = "variable"
        if known is None:
            receiver = values.get(file.extent(node.value), ())
            methods = (member_of(value.kind, node.attr) for value in receiver)
            known = next((item for item in methods if item is not None), None)
            type_ = "property" if known is not None and known.kind == "property" else "method"
        if known is not None:
            modifiers = ("defaultLibrary", "deprecated") if known.instead else ("defaultLibrary",)
            yield Token(extent.end_line, column, len(node.attr), type_, modifiers)


def _qualified(places: Places, node: ast.Attribute) -> str:
    """The qualified name of an attribute of the language, such as ``ttl.math.exp``, under any alias; else empty."""
    names = [node.attr]
    value = node.value
    while isinstance(value, ast.Attribute):
        names.append(value.attr)
        value = value.value
    if not isinstance(value, ast.Name):
        return ""
    module = places.imports().get(value.id)
    return ".".join((module, *reversed(names))) if module in MODULES else ""
