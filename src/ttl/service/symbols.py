"""The names of a text: where each is bound and used, by Python's rules of scopes."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ttl.service.syntax import Syntax, syntax_of
from ttl.session import FileText, Part, cached
from ttl.source.spans import Span

ScopeKind = Literal["module", "function", "class", "comprehension"]
Role = Literal["bound", "used"]


@dataclass(slots=True, eq=False)
class NameScope:
    """A scope, and what is bound in it."""

    kind: ScopeKind
    node: ast.AST
    parent: NameScope | None
    names: dict[str, BoundName] = field(default_factory=dict)
    elsewhere: dict[str, Literal["global", "nonlocal"]] = field(default_factory=dict)

    def functions(self) -> Iterator[NameScope]:
        """The functions around and including it, the innermost first."""
        scope: NameScope | None = self
        while scope is not None:
            if scope.kind == "function":
                yield scope
            scope = scope.parent

    def visible(self) -> Iterator[NameScope]:
        """The scopes whose names are seen here, the innermost first: not those of classes around."""
        scope: NameScope | None = self
        while scope is not None:
            if scope is self or scope.kind != "class":
                yield scope
            scope = scope.parent


@dataclass(slots=True, eq=False)
class BoundName:
    """A name in the scope that binds it."""

    name: str
    scope: NameScope
    occurrences: list[Occurrence] = field(default_factory=list)
    how: Literal["variable", "parameter", "import", "function", "class", "pattern"] = "variable"

    @property
    def definition(self) -> Occurrence | None:
        """Where it is bound first."""
        return next((item for item in self.occurrences if item.role == "bound"), None)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name at a place. ``exact``: the text has it there; in an f-string Python does not always say where it is."""

    span: Span
    role: Role
    symbol: BoundName
    scope: NameScope
    """Where it is written."""
    node: ast.AST
    exact: bool = True


class Symbols:
    """All names of a text."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        self.module = NameScope("module", syntax.file.tree, None)
        self.scopes: dict[ast.AST, NameScope] = {syntax.file.tree: self.module}
        # Names that are used and bound nowhere in the text: Python's own, and mistakes.
        self.unbound: dict[str, list[Occurrence]] = {}
        _Resolver(self).resolve(_collected(syntax))
        self._sorted = sorted(
            (
                occurrence
                for scope in self.scopes.values()
                for symbol in scope.names.values()
                for occurrence in symbol.occurrences
            ),
            key=_begin,
        )

    def at(self, line: int, column: int) -> Occurrence | None:
        """The name at a position, or one that ends there."""
        index = bisect_right(self._sorted, (line, column), key=_begin) - 1
        for occurrence in (self._sorted[index],) if index >= 0 else ():
            if occurrence.span.line == line and column <= occurrence.span.end_column:
                return occurrence
        return None

    def on_lines(self, first: int, last: int) -> list[Occurrence]:
        """The names on some lines, in order."""
        begin = bisect_right(self._sorted, (first, 0), key=_begin)
        return self._sorted[begin : bisect_right(self._sorted, (last + 1, 0), key=_begin)]

    def scope_at(self, line: int, indent: int) -> NameScope:
        """The scope of a line, by its indentation where nothing is written yet."""
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
            node, scope = inner, self.scopes[inner]

    def _last(self, node: ast.stmt) -> int:
        """The last line that still belongs to a definition: what is indented below it may go on."""
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


@cached(maxsize=3)
def symbols_of(path: str, text: FileText) -> Symbols:
    """The names of a text, of its readable lines."""
    return Symbols(syntax_of(path, text))


def _begin(occurrence: Occurrence) -> tuple[int, int]:
    return occurrence.span.line, occurrence.span.column


@dataclass(frozen=True, slots=True)
class _Pending:
    name: str
    span: Span
    role: Role
    scope: NameScope
    node: ast.AST
    how: str = "variable"
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _Collected:
    """The names in one statement of the top level, and its scopes, the outer ones first.

    ``module`` stands for the scope of whatever text the statement is in.
    """

    module: NameScope
    pending: list[_Pending]
    scopes: list[NameScope]


# Of each file the statements of its last text: the next one has most of them again, the very same objects.
_COLLECTED: Part[dict[str, dict[ast.stmt, _Collected]]] = Part(dict)
# Files of which they are kept.
_MOST_FILES = 4


def _collected(syntax: Syntax) -> list[_Collected]:
    """The names of a text, statement by statement."""
    files = _COLLECTED.get()
    known = files.pop(syntax.path, {})
    now = files[syntax.path] = {
        statement: known.get(statement) or _Collector(syntax, statement).collected
        for statement in syntax.file.tree.body
    }
    while len(files) > _MOST_FILES:
        del files[next(iter(files))]
    return list(now.values())


class _Collector:
    """Goes over a statement once and notes names; what they belong to is known when those of the text are bound."""

    def __init__(self, syntax: Syntax, statement: ast.stmt) -> None:
        self._syntax = syntax
        self._pending: list[_Pending] = []
        self._scopes: list[NameScope] = []
        self.collected = _Collected(NameScope("module", statement, None), self._pending, self._scopes)
        self.visit(statement, self.collected.module)

    # --- scopes ---------------------------------------------------------------------------------------------------

    def body(self, node: ast.AST, scope: NameScope) -> None:
        """What is in a node."""
        for child in ast.iter_child_nodes(node):
            self.visit(child, scope)

    def visit(self, node: ast.AST, scope: NameScope) -> None:
        """A node and what is in it."""
        match node:
            case ast.Name():
                self._note(node.id, node, "used" if isinstance(node.ctx, ast.Load) else "bound", scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._function(node, scope)
            case ast.ClassDef():
                self._named(node, scope, "class")
                for part in (*node.decorator_list, *node.bases, *node.keywords):
                    self.visit(part, scope)
                inner = self._open("class", node, scope)
                for statement in node.body:
                    self.visit(statement, inner)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self._comprehension(node, scope)
            case ast.NamedExpr():
                target = scope
                while target.kind == "comprehension" and target.parent is not None:
                    target = target.parent
                self._note(node.target.id, node.target, "bound", target)
                self.visit(node.value, scope)
            case ast.Global() | ast.Nonlocal():
                for name in node.names:
                    scope.elsewhere[name] = "global" if isinstance(node, ast.Global) else "nonlocal"
                    self._search(name, node, "used", scope)
            case ast.alias():
                self._alias(node, scope)
            case ast.ExceptHandler():
                if node.name is not None:
                    self._search(node.name, node, "bound", scope, skip=node.type)
                self.body(node, scope)
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                self._search(name, node, "bound", scope, how="pattern")
                self.body(node, scope)
            case ast.MatchMapping(rest=str() as name):
                self._search(name, node, "bound", scope, how="pattern")
                self.body(node, scope)
            case _:
                self.body(node, scope)

    def _open(self, kind: ScopeKind, node: ast.AST, parent: NameScope) -> NameScope:
        scope = NameScope(kind, node, parent)
        self._scopes.append(scope)
        return scope

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: NameScope) -> None:
        arguments = node.args
        if not isinstance(node, ast.Lambda):
            self._named(node, scope, "function")
            for part in node.decorator_list:
                self.visit(part, scope)
            if node.returns is not None:
                self.visit(node.returns, scope)
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default, scope)
        inner = self._open("function", node, scope)
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        given += [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
        for parameter in given:
            if parameter.annotation is not None:
                self.visit(parameter.annotation, scope)
            span = self._syntax.file.extent(parameter)
            self._at(parameter.arg, span.line, span.column, parameter, "bound", inner, "parameter")
        body: list[ast.stmt] | list[ast.expr] = node.body if isinstance(node.body, list) else [node.body]
        for inside in body:
            self.visit(inside, inner)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: NameScope
    ) -> None:
        first, *others = node.generators
        self.visit(first.iter, scope)
        inner = self._open("comprehension", node, scope)
        for part in (first.target, *first.ifs):
            self.visit(part, inner)
        for generator in others:
            self.body(generator, inner)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part, inner)

    # --- names ----------------------------------------------------------------------------------------------------

    def _alias(self, node: ast.alias, scope: NameScope) -> None:
        if node.name == "*":
            return
        span = self._syntax.file.extent(node)
        name = node.asname or node.name.partition(".")[0]
        if node.asname is None:
            self._at(name, span.line, span.column, node, "bound", scope, "import")
        else:
            self._at(name, span.end_line, span.end_column - len(name), node, "bound", scope, "import")

    def _named(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, scope: NameScope, how: str
    ) -> None:
        if isinstance(node, ast.ClassDef):
            self._search(node.name, node, "bound", scope, how=how)
            return
        span = self._syntax.file.span(node)
        self._at(node.name, span.line, span.column, node, "bound", scope, how)

    def _note(self, name: str, node: ast.expr, role: Role, scope: NameScope) -> None:
        span = self._syntax.file.extent(node)
        self._at(name, span.line, span.column, node, role, scope, "variable")

    def _search(
        self,
        name: str,
        node: ast.AST,
        role: Role,
        scope: NameScope,
        *,
        how: str = "variable",
        skip: ast.expr | None = None,
    ) -> None:
        """A name that the tree has without its place: the first one in the first line of the node that is a whole word."""
        extent = self._syntax.file.extent(node)
        begin = extent.column - 1
        if skip is not None:
            begin = self._syntax.file.extent(skip).end_column - 1
        match_ = re.compile(rf"\b{re.escape(name)}\b").search(self._syntax.line(extent.line), begin)
        column = extent.column if match_ is None else match_.start() + 1
        self._at(name, extent.line, column, node, role, scope, how)

    def _at(
        self, name: str, line: int, column: int, node: ast.AST, role: Role, scope: NameScope, how: str
    ) -> None:
        exact = self._syntax.line(line)[column - 1 : column - 1 + len(name)] == name
        span = Span(
            file=self._syntax.path, line=line, column=column, end_line=line, end_column=column + len(name)
        )
        self._pending.append(_Pending(name, span, role, scope, node, how, exact))


class _Resolver:
    """Gives names what they belong to, in one text."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols

    def resolve(self, statements: list[_Collected]) -> None:
        """Give every name its symbol."""
        pending: list[tuple[_Pending, NameScope]] = []
        for statement in statements:
            own = {id(statement.module): self._symbols.module}
            self._symbols.module.elsewhere.update(statement.module.elsewhere)
            for scope in statement.scopes:
                copied = NameScope(scope.kind, scope.node, own[id(scope.parent)], elsewhere=scope.elsewhere)
                own[id(scope)] = self._symbols.scopes[scope.node] = copied
            pending += [(item, own[id(item.scope)]) for item in statement.pending]
        for item, scope in pending:
            if item.role == "bound":
                self._binding(item, scope)
        for item, scope in pending:
            symbol = self._symbol(scope, item.name)
            if symbol is None:
                symbol = BoundName(item.name, self._symbols.module)
                occurrence = Occurrence(item.span, item.role, symbol, scope, item.node, item.exact)
                self._symbols.unbound.setdefault(item.name, []).append(occurrence)
                continue
            symbol.occurrences.append(Occurrence(item.span, item.role, symbol, scope, item.node, item.exact))

    def _binding(self, item: _Pending, written: NameScope) -> None:
        scope = self._home(written, item.name)
        symbol = scope.names.get(item.name)
        if symbol is None:
            symbol = scope.names[item.name] = BoundName(item.name, scope)
        if item.how != "variable":
            symbol.how = item.how  # type: ignore[assignment]

    def _home(self, scope: NameScope, name: str) -> NameScope:
        """The scope that binds a name which is bound in ``scope``: another one where it is declared so."""
        match scope.elsewhere.get(name):
            case "global":
                return self._symbols.module
            case "nonlocal":
                outer = scope.parent
                while outer is not None:
                    if outer.kind == "function" and name not in outer.elsewhere:
                        return outer
                    outer = outer.parent
        return scope

    def _symbol(self, scope: NameScope, name: str) -> BoundName | None:
        if name in scope.elsewhere:
            return self._home(scope, name).names.get(name)
        for visible in scope.visible():
            if name in visible.elsewhere:
                return self._home(visible, name).names.get(name)
            if name in visible.names:
                return visible.names[name]
        return None
