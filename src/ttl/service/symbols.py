"""The names of a text: where each is bound and used, by Python's rules of scopes.

The names of the module are known at once. Names in a statement of the top level are resolved when a query needs them.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property

from ttl.service.scopes import (
    BoundName,
    NameScope,
    Occurrence,
    PendingName,
    StatementNames,
    home_of,
    names_of,
)
from ttl.service.syntax import Syntax, syntax_of
from ttl.session import FileText, Part
from ttl.source.spans import Span


class Symbols:
    """All names of a text."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.module = NameScope("module", syntax.file.tree, None)
        self._statements = _known_names(syntax)
        self._resolved: dict[ast.stmt, _Resolved] = {}
        for names in self._statements.values():
            self.module.elsewhere.update(names.module.elsewhere)
            for name, how in names.exported:
                symbol = self.module.names.get(name)
                if symbol is None:
                    symbol = self.module.names[name] = BoundName(
                        name, self.module, search=self._occurrences_of
                    )
                if how != "variable":
                    symbol.how = how  # type: ignore[assignment]

    # --- statements -----------------------------------------------------------------------------------------------

    def _part(self, statement: ast.stmt) -> _Resolved:
        part = self._resolved.get(statement)
        if part is None:
            part = self._resolved[statement] = _Resolved(self.module, statement, self._statements[statement])
        return part

    def _parts(self, statements: Iterable[ast.stmt]) -> Iterator[_Resolved]:
        return map(self._part, statements)

    def _occurrences_of(self, symbol: BoundName) -> list[Occurrence]:
        using = (statement for statement, names in self._statements.items() if symbol.name in names.names)
        return [
            occurrence
            for part in self._parts(using)
            for occurrence in part.occurrences
            if occurrence.symbol is symbol
        ]

    @cached_property
    def scopes(self) -> dict[ast.AST, NameScope]:
        """The scopes of the whole text, by the nodes that open them."""
        scopes: dict[ast.AST, NameScope] = {self.syntax.file.tree: self.module}
        for part in self._parts(self._statements):
            scopes.update(part.scopes)
        return scopes

    @cached_property
    def unbound(self) -> dict[str, list[Occurrence]]:
        """Uses of names that are not bound in the text: Python's own names, and mistakes."""
        unbound: dict[str, list[Occurrence]] = {}
        for part in self._parts(self._statements):
            for occurrence in part.unbound:
                unbound.setdefault(occurrence.symbol.name, []).append(occurrence)
        return unbound

    def end(self) -> None:
        """Release the names of this text.

        Names and scopes refer to each other: without this, Python's garbage collector has to find them, after every keystroke.
        """
        scopes = [self.module, *(scope for part in self._resolved.values() for scope in part.scopes.values())]
        for scope in scopes:
            for symbol in scope.names.values():
                symbol.known, symbol.search = [], None
            scope.names.clear()

    # --- by place -------------------------------------------------------------------------------------------------

    def at(self, line: int, column: int) -> Occurrence | None:
        """The name at a position, or the name that ends there."""
        near = self.on_lines(line, line)
        index = bisect_right(near, (line, column), key=_begin) - 1
        if index < 0 or column > near[index].span.end_column:
            return None
        return near[index]

    def on_lines(self, first: int, last: int) -> list[Occurrence]:
        """The names on some lines, in order."""
        statements = (
            statement
            for chunk in self.syntax.file.chunks
            if chunk.first <= last and chunk.last >= first
            for statement in chunk.statements
        )
        occurrences = (
            occurrence
            for part in self._parts(statements)
            for occurrence in part.occurrences
            if first <= occurrence.span.line <= last
        )
        return sorted(occurrences, key=_begin)

    def scope_of(self, node: ast.stmt) -> NameScope:
        """The scope that a function or a class opens."""
        chunk = self.syntax.file.chunk_at(node.lineno)
        for part in self._parts(chunk.statements if chunk is not None else ()):
            if node in part.scopes:
                return part.scopes[node]
        return self.scopes[node]

    def scope_at(self, line: int, indent: int) -> NameScope:
        """The scope at a line that is indented by ``indent`` columns; the line may be empty."""
        scope, node = self.module, self.module.node
        while True:
            inner = next(
                (
                    child
                    for child in self._definitions(node)
                    if child.lineno <= line and line <= self._last(child) and indent > child.col_offset
                ),
                None,
            )
            if inner is None:
                return scope
            node, scope = inner, self.scope_of(inner)

    def _last(self, node: ast.stmt) -> int:
        """The last line that may belong to a definition: empty and deeper indented lines below it count."""
        last = node.end_lineno or node.lineno
        lines = self.syntax.text.lines
        while last < len(lines):
            text = lines[last]
            if text.strip() and len(text) - len(text.lstrip()) <= node.col_offset:
                break
            last += 1
        return last

    def _definitions(self, node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
        waiting = list(ast.iter_child_nodes(node))
        while waiting:
            child = waiting.pop()
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield child
            elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                waiting.extend(ast.iter_child_nodes(child))


def symbols_of(path: str, text: FileText) -> Symbols:
    """The names in the valid lines of a text. The names of an earlier text of the file are released."""
    files = _OF_FILES.get()
    known = files.pop(path, None)
    if known is None or known.syntax.text is not text:
        if known is not None:
            known.end()
        known = Symbols(syntax_of(path, text))
    files[path] = known
    while len(files) > _MOST_FILES:
        files.pop(next(iter(files))).end()
    return known


def _begin(occurrence: Occurrence) -> tuple[int, int]:
    return occurrence.span.line, occurrence.span.column


# For each file, the statements of its last text: the next text shares most of these objects.
_KNOWN: Part[dict[str, dict[ast.stmt, StatementNames]]] = Part(dict)
# The names of the last text of each file.
_OF_FILES: Part[dict[str, Symbols]] = Part(dict)
# The number of files whose names are kept.
_MOST_FILES = 4


def _known_names(syntax: Syntax) -> dict[ast.stmt, StatementNames]:
    """The names of a text, statement by statement."""
    files = _KNOWN.get()
    known = files.pop(syntax.path, {})
    now = files[syntax.path] = {
        statement: known.get(statement) or names_of(syntax, statement) for statement in syntax.file.tree.body
    }
    while len(files) > _MOST_FILES:
        del files[next(iter(files))]
    return now


class _Resolved:
    """The names of one statement of a text, resolved to the scopes that bind them."""

    def __init__(self, module: NameScope, statement: ast.stmt, names: StatementNames) -> None:
        self._module = module
        self.scopes: dict[ast.AST, NameScope] = {}
        self.occurrences: list[Occurrence] = []
        self.unbound: list[Occurrence] = []
        by = statement.lineno - names.line
        own = {id(names.module): module}
        for scope in names.scopes:
            copied = NameScope(scope.kind, scope.node, own[id(scope.parent)], elsewhere=scope.elsewhere)
            own[id(scope)] = self.scopes[scope.node] = copied
        for item in names.pending:
            if item.role == "bound":
                self._bind(item, own[id(item.scope)])
        for item in names.pending:
            self._note(item, own[id(item.scope)], by)

    def _bind(self, item: PendingName, written: NameScope) -> None:
        scope = home_of(written, item.name, self._module)
        if scope is self._module:
            return  # the names of the module are known
        symbol = scope.names.get(item.name)
        if symbol is None:
            symbol = scope.names[item.name] = BoundName(item.name, scope)
        if item.how != "variable":
            symbol.how = item.how  # type: ignore[assignment]

    def _note(self, item: PendingName, scope: NameScope, by: int) -> None:
        span = item.span
        if by:
            span = Span(
                file=span.file,
                line=span.line + by,
                column=span.column,
                end_line=span.end_line + by,
                end_column=span.end_column,
            )
        symbol = self._symbol(scope, item.name)
        if symbol is None:
            symbol = BoundName(item.name, self._module)
            self.unbound.append(Occurrence(span, item.role, symbol, scope, item.node, item.exact))
            return
        occurrence = Occurrence(span, item.role, symbol, scope, item.node, item.exact)
        self.occurrences.append(occurrence)
        if symbol.scope is not self._module:
            symbol.known.append(occurrence)

    def _symbol(self, scope: NameScope, name: str) -> BoundName | None:
        if name in scope.elsewhere:
            return home_of(scope, name, self._module).names.get(name)
        for visible in scope.visible():
            if name in visible.elsewhere:
                return home_of(visible, name, self._module).names.get(name)
            if name in visible.names:
                return visible.names[name]
        return None
