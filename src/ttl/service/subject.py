"""The subject of a position: the name, attribute or expression under the cursor, and its known values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttl.service.facts import ValueFact
from ttl.service.language import MODULES, Member, member, member_of
from ttl.service.scopes import BoundName, Occurrence
from ttl.service.statements import innermost
from ttl.service.symbols import Symbols, symbols_of
from ttl.service.syntax import Syntax, syntax_of
from ttl.source.spans import Span

if TYPE_CHECKING:
    from ttl.service.analysis import Analysis

_WORD = re.compile(r"[A-Za-z_]\w*")
_CHAIN = re.compile(r"(?:[A-Za-z_]\w*\s*\.\s*)+$")


@dataclass(frozen=True, kw_only=True, slots=True)
class PositionSubject:
    """The subject of a position."""

    span: Span
    """The place of the name, or of the expression."""
    text: str
    occurrence: Occurrence | None = None
    """The name of a variable, a parameter or a function in its scope."""
    member: Member | None = None
    """The member for a name of the language, or a method of one of its objects."""
    values: tuple[ValueFact, ...] = ()
    """The values of the name; for a method that is called, the values of the call."""
    receiver: tuple[ValueFact, ...] = ()
    """The values of the object that a method belongs to."""


class Places:
    """An analysis with the syntax and names of its text."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.path = analysis.path
        self.index = analysis.index
        self.syntax: Syntax = syntax_of(analysis.path, analysis.text)
        self.symbols: Symbols = symbols_of(analysis.path, analysis.text)
        self._imports: dict[str, str] | None = None

    def span(self, line: int, begin: int, end: int) -> Span:
        """Columns of a line as a span."""
        return Span(file=self.path, line=line, column=begin, end_line=line, end_column=end)

    # --- the subject of a position ----------------------------------------------------------------------------------

    def subject(self, line: int, column: int) -> PositionSubject | None:
        """Return the subject of a position; None where nothing is known."""
        text = self.syntax.line(line)
        word = next(
            (match for match in _WORD.finditer(text) if match.start() < column <= match.end() + 1), None
        )
        if word is None or (word.end() + 1 == column and text[column - 1 : column].isalnum()):
            return self._expression(line, column)
        span = self.span(line, word.start() + 1, word.end() + 1)
        chain = _CHAIN.search(text, 0, word.start())
        if chain is not None:
            return self._attribute(span, word[0], text[chain.start() : word.start()], chain.start() + 1)
        occurrence = self.symbols.at(line, span.column)
        if occurrence is not None and occurrence.span == span:
            values = self.values_of(occurrence)
            language = self.language_of(occurrence.symbol)
            return PositionSubject(
                span=span,
                text=word[0],
                occurrence=occurrence,
                member=member(language) if language else None,
                values=values,
            )
        if text[: word.start()].rstrip().endswith("."):
            return self._method(span, word[0])
        keyword = self._keyword(line, span)
        return keyword or self._expression(line, column)

    def _attribute(self, span: Span, name: str, chain: str, begin: int) -> PositionSubject | None:
        """The subject for ``name`` after the dotted names in ``chain``."""
        dotted = re.sub(r"\s", "", chain).rstrip(".")
        module = self.module_named(dotted, span.line)
        whole = self.span(span.line, begin, span.end_column)
        if module is not None:
            known = member(f"{module}.{name}")
            values = self.called(whole)
            return (
                PositionSubject(span=span, text=f"{dotted}.{name}", member=known, values=values)
                if known
                else None
            )
        receiver = self.index.exactly(
            self.span(span.line, begin, begin + len(chain.rstrip().rstrip(".").rstrip()))
        )
        return self._of_receiver(span, f"{dotted}.{name}", name, receiver, self.called(whole))

    def _method(self, span: Span, name: str) -> PositionSubject | None:
        """The subject for ``name`` after an expression that is not a name: ``dfb[0].reserve``."""
        for fact in self.index.around(self.path, span.line, span.column - 1):
            if (fact.span.end_line, fact.span.end_column) == (span.line, span.column - 1):
                whole = Span(
                    file=self.path,
                    line=fact.span.line,
                    column=fact.span.column,
                    end_line=span.line,
                    end_column=span.end_column,
                )
                return self._of_receiver(span, name, name, fact.values, self.called(whole))
        return None

    def _of_receiver(
        self, span: Span, text: str, name: str, receiver: tuple[ValueFact, ...], values: tuple[ValueFact, ...]
    ) -> PositionSubject | None:
        known = next((item for value in receiver if (item := member_of(value.kind, name)) is not None), None)
        if known is None and not values:
            return None
        return PositionSubject(span=span, text=text, member=known, values=values, receiver=receiver)

    def _keyword(self, line: int, span: Span) -> PositionSubject | None:
        """The subject for the name of a keyword argument: the values that are passed."""
        for node in ast.walk(self.statement(line) or ast.Pass()):
            if isinstance(node, ast.keyword) and node.arg is not None:
                extent = self.syntax.file.extent(node)
                if (extent.line, extent.column) == (span.line, span.column):
                    values = self.index.exactly(self.syntax.file.extent(node.value))
                    return PositionSubject(span=span, text=node.arg, values=values) if values else None
        return None

    def _expression(self, line: int, column: int) -> PositionSubject | None:
        for fact in self.index.around(self.path, line, column):
            if fact.span.line == line or fact.span.end_line == line:
                return PositionSubject(
                    span=fact.span, text=self.syntax.written(fact.span), values=fact.values
                )
        return None

    def statement(self, line: int) -> ast.stmt | None:
        """The innermost statement on a line, in the syntax without broken lines; None if there is no statement."""
        path = innermost(self.syntax.file.tree, line)
        last = path[-1] if path else None
        return last if isinstance(last, ast.stmt) else None

    # --- values ---------------------------------------------------------------------------------------------------

    def called(self, function: Span) -> tuple[ValueFact, ...]:
        """The values of the call of the function at a place; if it is not called there, its own values."""
        for fact in self.index.around(self.path, function.line, function.column):
            if (fact.span.line, fact.span.column) != (function.line, function.column):
                continue
            rest = self.syntax.written(fact.span)[len(self.syntax.written(function)) :]
            if rest.lstrip().startswith("(") and _closes_at_end(rest.lstrip()):
                return fact.values
        return tuple(value for value in self.index.exactly(function) if value.kind != "language")

    def values_of(self, occurrence: Occurrence) -> tuple[ValueFact, ...]:
        """The values of a name at a place; for a place without values, as of a parameter, those at all its uses."""
        values = self.index.exactly(occurrence.span)
        if values:
            return values
        known: dict[ValueFact, None] = {}
        for other in occurrence.symbol.occurrences:
            known.update(dict.fromkeys(self.index.exactly(other.span)))
        return tuple(known)

    def values_of_symbol(self, symbol: BoundName) -> tuple[ValueFact, ...]:
        """All values that a name has."""
        known: dict[ValueFact, None] = {}
        for occurrence in symbol.occurrences:
            known.update(dict.fromkeys(self.index.exactly(occurrence.span)))
        return tuple(known)

    # --- names of the language --------------------------------------------------------------------------------------

    def language_of(self, symbol: BoundName) -> str | None:
        """Return the qualified name of an import in the language: ``ttl``, ``ttl.math``, ``ttl.math.exp``; None for other names."""
        for occurrence in symbol.occurrences:
            if occurrence.role == "bound" and isinstance(occurrence.node, ast.alias):
                imported = self._imported(occurrence)
                if imported is not None:
                    return imported
        return None

    def _imported(self, occurrence: Occurrence) -> str | None:
        alias = occurrence.node
        assert isinstance(alias, ast.alias)
        statement = self.statement(occurrence.span.line)
        if isinstance(statement, ast.ImportFrom):
            qualified = f"{statement.module}.{alias.name}"
            return qualified if qualified in MODULES or member(qualified) is not None else None
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        return name if name in MODULES else None

    def module_named(self, dotted: str, line: int) -> str | None:
        """The module of the language that dotted names stand for at a line: ``ttl.math`` or a name for it; else None."""
        root, _, rest = dotted.partition(".")
        imported = self.imports().get(root)
        if imported is None:
            return None
        whole = f"{imported}.{rest}" if rest else imported
        return whole if whole in MODULES else None

    def imports(self) -> dict[str, str]:
        """The names under which the text imports the language, its modules and functions, with the qualified names."""
        if self._imports is None:
            symbols = (symbol for symbol in self.symbols.module.names.values() if symbol.how == "import")
            self._imports = {symbol.name: known for symbol in symbols if (known := self.language_of(symbol))}
        return self._imports

    # --- kernels and operations -------------------------------------------------------------------------------------

    def kernel_kind(self, node: ast.AST) -> str | None:
        """``compute``, ``data movement`` or ``operation``, by the decorators of a function; else None."""
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return None
        names = self.imports()
        for decorator in node.decorator_list:
            function = decorator.func if isinstance(decorator, ast.Call) else decorator
            root, _, rest = ast.unparse(function).partition(".")
            qualified = f"{names[root]}.{rest}".rstrip(".") if root in names else ""
            kind = _DECORATED.get(qualified)
            if kind is not None:
                return kind
        return None

    def functions(self) -> Iterator[tuple[ast.FunctionDef, str]]:
        """The operations and kernels of the text, each with its kind (``kernel_kind``)."""
        for node in self.symbols.scopes:
            if isinstance(node, ast.FunctionDef):
                kind = self.kernel_kind(node)
                if kind is not None:
                    yield node, kind


_DECORATED = {
    "ttl.operation": "operation",
    "ttl.kernel": "operation",
    "ttl.tile_operation": "operation",
    "ttl.compute": "compute",
    "ttl.datamovement": "data movement",
}


def _closes_at_end(text: str) -> bool:
    """Whether the parenthesis that a text begins with is closed by its last character."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            return at == len(text) - 1
    return False
