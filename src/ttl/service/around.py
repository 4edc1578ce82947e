"""The function, the names in scope and the values around a position of a text, which may have a syntax error there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ttl.service.facts import ValueFact
from ttl.service.language import Member, member, member_of
from ttl.service.scopes import BoundName, NameScope
from ttl.service.subject import Places

_NAME = re.compile(r"[A-Za-z_]\w*$")
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A position (from 1) and the scope that it is in."""

    places: Places
    line: int
    column: int
    scope: NameScope

    # --- functions ------------------------------------------------------------------------------------------------

    def function(self, *kinds: str) -> ast.FunctionDef | None:
        """The innermost function around the position that is of one of these kinds (``Places.kernel_kind``)."""
        for scope in self.scope.functions():
            if isinstance(scope.node, ast.FunctionDef) and self.places.kernel_kind(scope.node) in kinds:
                return scope.node
        return None

    @property
    def kernel(self) -> ast.FunctionDef | None:
        """The kernel that the position is in."""
        return self.function("compute", "data movement")

    @property
    def kernel_kind(self) -> str | None:
        """``compute`` or ``data movement``; None outside of kernels."""
        kernel = self.kernel
        return None if kernel is None else self.places.kernel_kind(kernel)

    # --- names ----------------------------------------------------------------------------------------------------

    def names(self) -> Iterator[tuple[BoundName, tuple[ValueFact, ...]]]:
        """The visible names, those of the innermost scope first, each with its values."""
        shadowed: set[str] = set()
        for scope in self.scope.visible():
            for name, symbol in scope.names.items():
                if name not in shadowed:
                    shadowed.add(name)
                    yield symbol, self.places.values_of_symbol(symbol)

    def symbol(self, name: str) -> BoundName | None:
        """Return the variable that a name stands for here, or None."""
        return next((scope.names[name] for scope in self.scope.visible() if name in scope.names), None)

    def values(self, text: str) -> tuple[ValueFact, ...]:
        """Return the values of an expression, by its text: a name in scope, or the same text elsewhere in the function."""
        text = text.strip()
        if _NAME.fullmatch(text):
            symbol = self.symbol(text)
            return () if symbol is None else self._latest(symbol)
        if not text or "\n" in text:
            return ()
        outer = next(reversed(list(self.scope.functions())), None)
        node = None if outer is None else outer.node
        if not isinstance(node, ast.FunctionDef):
            return ()
        for fact in self.places.index.on_lines(self.places.path, node.lineno, node.end_lineno or node.lineno):
            span = fact.span
            as_long = span.end_line == span.line and span.end_column - span.column == len(text)
            if as_long and self.places.syntax.written(span) == text:
                return fact.values
        return ()

    def _latest(self, symbol: BoundName) -> tuple[ValueFact, ...]:
        """Return the last values of a name before the position; those of all its places if none is known before it."""
        for occurrence in reversed(symbol.occurrences):
            if (occurrence.span.line, occurrence.span.column) <= (self.line, self.column):
                values = self.places.index.exactly(occurrence.span)
                if values:
                    return values
        return self.places.values_of_symbol(symbol)

    # --- the language ---------------------------------------------------------------------------------------------

    def module(self, dotted: str) -> str | None:
        """The module of the language that dotted names stand for here; None for other names."""
        root = dotted.partition(".")[0]
        symbol = self.symbol(root)
        if symbol is not None and symbol.how != "import":
            return None
        return self.places.module_named(dotted, self.line)

    def callee(self, text: str) -> Member | None:
        """Return the function of the language, or method of one of its objects, that a text names; None for others."""
        owner, _, name = text.rpartition(".")
        if not owner:
            qualified = self.places.imports().get(name)
            return member(qualified) if qualified else None
        module = self.module(owner)
        if module is not None:
            return member(f"{module}.{name}")
        return next((item for value in self.values(owner) if (item := member_of(value.kind, name))), None)


def surroundings(places: Places, line: int, column: int) -> Surroundings:
    """Return the surroundings of a position (from 1)."""
    text = places.syntax.line(line)
    indent = len(text) - len(text.lstrip()) if text.strip() else column - 1
    return Surroundings(places, line, column, places.symbols.scope_at(line, indent))


def receiver_before(text: str) -> tuple[str, str] | None:
    """Return the receiver and the part of a name before the cursor: for ``x = a.b(c).na``, ``a.b(c)`` and ``na``."""
    head = re.search(r"\.\s*([A-Za-z_]\w*)?$", text)
    if head is None:
        return None
    end = head.start()
    at = end
    while at > 0:
        character = text[at - 1]
        if character in _PAIRS:
            begin = _opening(text, at - 1)
            if begin is None:
                return None
            at = begin
        elif character.isalnum() or character in "_.":
            at -= 1
        else:
            break
    return (text[at:end], head[1] or "") if at < end else None


def _opening(text: str, closing: int) -> int | None:
    depth = 0
    for at in range(closing, -1, -1):
        depth += (text[at] in ")]}") - (text[at] in "([{")
        if depth == 0:
            return at
    return None
