"""Renaming a variable, parameter or kernel of an operation or function: at every use, or not at all."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttl.diag.model import Edit
from ttl.service.scopes import BoundName, NameScope, Occurrence
from ttl.service.subject import Places
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.service.analysis import Analysis

# Functions of Python that access variables by their names at run time.
_NAMES_ARE_VALUES = ("locals", "vars", "eval", "exec")


@dataclass(frozen=True, slots=True)
class RefusedRename:
    """The reason why a name cannot be renamed, for the user."""

    reason: str


@dataclass(frozen=True, slots=True)
class Renamable:
    """A name that can be renamed."""

    span: Span
    name: str


def prepare(analysis: Analysis, line: int, column: int) -> Renamable | RefusedRename:
    """Return the name at a position that can be renamed, or the reason why it cannot."""
    occurrence = _occurrence(Places(analysis), line, column)
    if isinstance(occurrence, RefusedRename):
        return occurrence
    return Renamable(occurrence.span, occurrence.symbol.name)


def rename(analysis: Analysis, line: int, column: int, name: str) -> list[Edit] | RefusedRename:
    """The edits that rename the variable at a position to ``name``, in order; empty if it has that name already."""
    places = Places(analysis)
    occurrence = _occurrence(places, line, column)
    if isinstance(occurrence, RefusedRename):
        return occurrence
    symbol = occurrence.symbol
    if not name.isidentifier() or keyword.iskeyword(name):
        return RefusedRename(f"{name!r} is not a name that Python can have")
    if name == symbol.name:
        return []
    refused = _captured(places, symbol, name)
    if refused is not None:
        return refused
    spans = {item.span for item in symbol.occurrences} | set(_keywords(places, symbol))
    ordered = sorted(spans, key=lambda span: (span.line, span.column))
    return [Edit(span=span, replacement=name) for span in ordered]


def _occurrence(places: Places, line: int, column: int) -> Occurrence | RefusedRename:
    if places.syntax.broken:
        return RefusedRename(
            f"line {min(places.syntax.broken)} is not Python: correct it first, so that every use can be found"
        )
    subject = places.subject(line, column)
    if subject is None or subject.occurrence is None:
        if subject is not None and subject.member is not None:
            return RefusedRename(f"{subject.member.qualified} is a name of the language")
        return RefusedRename("this is not a name of the program")
    symbol = subject.occurrence.symbol
    if subject.member is not None or symbol.how == "import":
        return RefusedRename(f"{symbol.name} is imported: rename it where it is defined")
    if symbol.scope.kind == "module":
        return RefusedRename(f"{symbol.name} is a name of the module, which other files may import")
    if symbol.scope.kind == "class":
        return RefusedRename(f"{symbol.name} is an attribute of a class, which is not followed")
    if symbol.how == "pattern":
        return RefusedRename(f"{symbol.name} is bound by a pattern of match, which is not followed")
    inexact = next((item for item in symbol.occurrences if not item.exact), None)
    if inexact is not None:
        return RefusedRename(
            f"{symbol.name} is used in a text at line {inexact.span.line}, where Python does not say at which column"
        )
    for function in _NAMES_ARE_VALUES:
        for item in places.symbols.unbound.get(function, ()):
            if _is_within(item.scope, symbol.scope):
                return RefusedRename(f"{function}() in line {item.span.line} sees the names of variables")
    return subject.occurrence


def _captured(places: Places, symbol: BoundName, name: str) -> RefusedRename | None:
    """Return the reason why a new name is not possible: it is taken, or it would capture uses of another variable."""
    own = symbol.scope
    if name in own.names or name in own.elsewhere:
        return _taken(own.names.get(name), name)
    for item in symbol.occurrences:
        scope: NameScope | None = item.scope
        while scope is not None and scope is not own:
            if name in scope.elsewhere or (
                name in scope.names and (scope.kind != "class" or scope is item.scope)
            ):
                return _taken(scope.names.get(name), name)
            scope = scope.parent
    for item in _uses_of(places, name):
        if _is_within(item.scope, own):
            what = "Python's own" if item.symbol.definition is None else "another one"
            return RefusedRename(f"{name} in line {item.span.line} is {what}, and would become this one")
    return None


def _taken(symbol: BoundName | None, name: str) -> RefusedRename:
    defined = symbol.definition if symbol is not None else None
    where = "" if defined is None else f", in line {defined.span.line}"
    return RefusedRename(f"{name} is taken already{where}")


def _uses_of(places: Places, name: str) -> Iterator[Occurrence]:
    """All occurrences of a name, whichever variable it stands for."""
    yield from places.symbols.unbound.get(name, ())
    for scope in places.symbols.scopes.values():
        if name in scope.names:
            yield from scope.names[name].occurrences


def _is_within(scope: NameScope | None, outer: NameScope) -> bool:
    """Whether ``scope`` is ``outer`` or inside of it."""
    while scope is not None:
        if scope is outer:
            return True
        scope = scope.parent
    return False


def _is_partial(call: ast.Call) -> bool:
    """Whether a call is that of ``functools.partial``, which passes keywords on to the function that is its argument."""
    return bool(call.args) and ast.unparse(call.func) in ("partial", "functools.partial")


def _keywords(places: Places, symbol: BoundName) -> Iterator[Span]:
    """The places that pass a parameter by keyword.

    They are in calls of its function, in calls that have the function as an argument, and in its decorators.
    """
    function = symbol.scope.node
    if symbol.how != "parameter" or not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    owner = symbol.scope.parent
    named = owner.names.get(function.name) if owner is not None else None
    uses = {(item.span.line, item.span.column) for item in named.occurrences} if named is not None else set()
    for call in ast.walk(places.syntax.file.tree):
        if not isinstance(call, ast.Call) or not any(given.arg == symbol.name for given in call.keywords):
            continue
        called = call.args[0] if _is_partial(call) else call.func
        extent = places.syntax.file.extent(called)
        if call in function.decorator_list or (extent.line, extent.column) in uses:
            for given in call.keywords:
                if given.arg == symbol.name:
                    extent = places.syntax.file.extent(given)
                    yield places.span(extent.line, extent.column, extent.column + len(symbol.name))
