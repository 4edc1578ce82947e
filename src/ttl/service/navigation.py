"""The definitions and uses of names, across the kernels of an operation, and the outline of an operation."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import ttl
from ttl.service import words
from ttl.service.facts import Kind, ValueFact
from ttl.service.language import Member
from ttl.service.scopes import BoundName, Role
from ttl.service.subject import Places, PositionSubject
from ttl.service.symbols import symbols_of
from ttl.session import SOURCES
from ttl.source.files import lines
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.service.analysis import Analysis

# Kinds of objects that may have several names: a helper function has another name for a buffer that is passed to it.
_SHARED: frozenset[Kind] = frozenset({"dataflow buffer", "pipe net", "semaphore", "transfer group"})
OutlineKind = Literal["operation", "kernel", "dataflow buffer", "pipe net", "semaphore"]


def definition(analysis: Analysis, line: int, column: int) -> list[Span]:
    """Return where the name at a position is bound: in this text, in a file that it is imported from, in this package."""
    places = Places(analysis)
    subject = places.subject(line, column)
    if subject is None:
        return []
    if subject.occurrence is None or (subject.member is not None and not _is_module(subject.member)):
        return [] if subject.member is None else _in_package(subject.member)
    symbol = subject.occurrence.symbol
    if symbol.how == "import":
        elsewhere = [
            value.origin for value in subject.values if value.origin and value.origin.file != places.path
        ]
        if elsewhere:
            return elsewhere[:1]
    bound = [item.span for item in symbol.occurrences if item.role == "bound"]
    if bound == [subject.span]:  # at the definition, the origin of the object is of more interest
        return _origins(subject) or bound
    return bound


def type_definition(analysis: Analysis, line: int, column: int) -> list[Span]:
    """Return where the object at a position was made; for a block, where its buffer was made."""
    subject = Places(analysis).subject(line, column)
    if subject is None:
        return []
    origins = [value.made or value.origin for value in subject.values]
    return list(dict.fromkeys(span for span in origins if span is not None))


def _origins(subject: PositionSubject) -> list[Span]:
    origins = [value.made or value.origin for value in subject.values if value.kind in ("block", "pipe")]
    return list(dict.fromkeys(span for span in origins if span is not None))


def _is_module(member: Member) -> bool:
    return member.kind == "module"


def _in_package(member: Member) -> list[Span]:
    """Return where a name of the language is defined in this package."""
    module, _, name = member.qualified.rpartition(".")
    if member.op is not None:
        return _defined(f"{ttl.__path__[0]}/{member.op.namespace}.pyi", member.op.name)
    owner: Any = ttl
    for part in module.split(".")[1:]:
        owner = getattr(owner, part, None)
    target = inspect.unwrap(getattr(owner, name, owner))
    for candidate in (target, owner):
        try:
            file = inspect.getsourcefile(candidate)
        except TypeError:
            continue
        if file is not None:
            return _defined(file, name)
    return []


def _defined(path: str, name: str) -> list[Span]:
    """The first definition of a name in a file."""
    head = re.compile(rf"\s*(?:def|class) (?={re.escape(name)}\b)")
    for number, line in enumerate(lines(path) or (), start=1):
        match = head.match(line)
        if match:
            end = match.end() + 1 + len(name)
            return [Span(file=path, line=number, column=match.end() + 1, end_line=number, end_column=end)]
    return []


# --- references --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reference:
    """A use or a binding of a name."""

    span: Span
    role: Role


def references(analysis: Analysis, line: int, column: int) -> list[Reference]:
    """Return where the name at a position is bound and used; for a buffer, net or semaphore, also under other names."""
    places = Places(analysis)
    subject = places.subject(line, column)
    if subject is None or subject.occurrence is None:
        return []
    symbol = subject.occurrence.symbol
    known = {item.span: item.role for item in symbol.occurrences if item.exact}
    for origin in _shared_objects(places, symbol):
        for span in places.index.of_object(origin, _SHARED):
            names = (
                places.symbols
                if span.file == places.path
                else symbols_of(span.file, SOURCES.get().of(span.file))
            )
            occurrence = names.at(span.line, span.column)
            if occurrence is not None and occurrence.span == span:
                known.setdefault(span, occurrence.role)
    ordered = sorted(known, key=lambda span: (span.file != places.path, span.file, span.line, span.column))
    return [Reference(span, known[span]) for span in ordered]


def _shared_objects(places: Places, symbol: BoundName) -> list[Span]:
    """The origin of the shared object that a name stands for; empty if it stands for several such objects, or none."""
    values = places.values_of_symbol(symbol)
    origins = {value.origin for value in values if value.kind in _SHARED and value.origin is not None}
    return list(origins) if len(origins) == 1 else []


# --- outline -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outline:
    """An operation or a part of one: ``span`` is all of it, ``name_span`` its name."""

    name: str
    kind: OutlineKind
    detail: str
    span: Span
    name_span: Span
    children: tuple[Outline, ...] = ()


def outline(analysis: Analysis) -> list[Outline]:
    """The operations of a text, each with its buffers, nets, semaphores and kernels."""
    places = Places(analysis)
    kinds = dict(places.functions())
    result = []
    for node, kind in kinds.items():
        if kind == "operation":
            parts = [*_objects(places, node), *_kernels(places, node, kinds)]
            parts.sort(key=lambda part: (part.span.line, part.span.column))
            detail = _checked_with(places, node)
            result.append(_function(places, node, "operation", detail, tuple(parts)))
    return sorted(result, key=lambda part: part.span.line)


def _kernels(
    places: Places, operation: ast.FunctionDef, kinds: dict[ast.FunctionDef, str]
) -> Iterator[Outline]:
    for node, kind in kinds.items():
        inside = operation.lineno < node.lineno and (node.end_lineno or 0) <= (operation.end_lineno or 0)
        if kind != "operation" and inside:
            yield _function(places, node, "kernel", kind)


def _function(
    places: Places, node: ast.FunctionDef, kind: OutlineKind, detail: str, children: tuple[Outline, ...] = ()
) -> Outline:
    extent = places.syntax.file.extent(node)
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    whole = Span(
        file=places.path,
        line=first,
        column=extent.column,
        end_line=extent.end_line,
        end_column=extent.end_column,
    )
    return Outline(node.name, kind, detail, whole, places.syntax.file.span(node), children)


def _objects(places: Places, operation: ast.FunctionDef) -> Iterator[Outline]:
    """Yield the objects that the kernels of an operation share, where its body names them."""
    for symbol in places.symbols.scope_of(operation).names.values():
        defined = symbol.definition
        if defined is None or symbol.how != "variable":
            continue
        for value in places.values_of(defined)[:1]:
            detail = _detail(value)
            if detail is not None:
                kind, text = detail
                yield Outline(symbol.name, kind, text, defined.span, defined.span)


def _detail(value: ValueFact) -> tuple[OutlineKind, str] | None:
    match value.kind:
        case "dataflow buffer":
            return value.kind, words.described(value)
        case "pipe net" | "semaphore":
            return value.kind, ""
    return None


def _checked_with(places: Places, node: ast.FunctionDef) -> str:
    """The arguments of the first specialisation that an operation was checked with, as text."""
    span = places.syntax.file.span(node)
    for operation in places.analysis.operations:
        if operation.span == span and operation.specialisations:
            return ", ".join(operation.specialisations[0].arguments)
    return ""
