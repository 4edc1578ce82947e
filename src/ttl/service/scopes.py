"""The scopes and names in one statement of a text's top level, as far as they follow from the statement alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from ttl.service.syntax import Syntax
from ttl.source.spans import Span

ScopeKind = Literal["module", "function", "class", "comprehension"]
Role = Literal["bound", "used"]


@dataclass(slots=True, eq=False)
class NameScope:
    """A scope and the names bound in it; ``elsewhere`` has the names that it declares ``global`` or ``nonlocal``."""

    kind: ScopeKind
    node: ast.AST
    parent: NameScope | None
    names: dict[str, BoundName] = field(default_factory=dict)
    elsewhere: dict[str, Literal["global", "nonlocal"]] = field(default_factory=dict)

    def functions(self) -> Iterator[NameScope]:
        """The function scopes that contain this scope, and itself if it is a function; the innermost first."""
        scope: NameScope | None = self
        while scope is not None:
            if scope.kind == "function":
                yield scope
            scope = scope.parent

    def visible(self) -> Iterator[NameScope]:
        """The scopes whose names are visible here, the innermost first; enclosing classes are left out."""
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
    how: Literal["variable", "parameter", "import", "function", "class", "pattern"] = "variable"
    known: list[Occurrence] = field(default_factory=list)
    search: Callable[[BoundName], list[Occurrence]] | None = None
    """For a name of the module, which any statement may use: finds its occurrences when they are first needed."""

    @property
    def occurrences(self) -> list[Occurrence]:
        """The places where the name is bound and used, in the order of the statements of the text."""
        if self.search is not None:
            self.known, self.search = self.search(self), None
        return self.known

    @property
    def definition(self) -> Occurrence | None:
        """The place where the name is first bound."""
        return next((item for item in self.occurrences if item.role == "bound"), None)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name at a place. ``exact`` says whether the text has it there: in an f-string Python's columns may be wrong."""

    span: Span
    role: Role
    symbol: BoundName
    scope: NameScope
    """The scope that the place is in."""
    node: ast.AST
    exact: bool = True


@dataclass(frozen=True, slots=True)
class PendingName:
    """A name at a place; the scope that binds it is not known yet."""

    name: str
    span: Span
    role: Role
    scope: NameScope
    node: ast.AST
    how: str = "variable"
    exact: bool = True


@dataclass(frozen=True, slots=True)
class StatementNames:
    """The names in one statement of the top level, and its scopes, the outer ones first.

    ``module`` stands for the module scope of any text that has the statement. Lines are counted in a text in which the
    statement begins on ``line``.
    """

    line: int
    module: NameScope
    pending: list[PendingName]
    scopes: list[NameScope]
    names: frozenset[str]
    """All names in the statement, bound or used."""
    exported: tuple[tuple[str, str], ...]
    """The names that the statement binds in the module, each with how (``BoundName.how``)."""


def names_of(syntax: Syntax, statement: ast.stmt) -> StatementNames:
    """The names in a statement of the top level of a text."""
    collector = _Collector(syntax, statement)
    module = collector.module
    exported = (
        (item.name, item.how)
        for item in collector.pending
        if item.role == "bound" and home_of(item.scope, item.name, module) is module
    )
    return StatementNames(
        statement.lineno,
        module,
        collector.pending,
        collector.scopes,
        frozenset(item.name for item in collector.pending),
        tuple(exported),
    )


def home_of(scope: NameScope, name: str, module: NameScope) -> NameScope:
    """The scope to which a binding of a name in ``scope`` belongs: another one if it is declared global or nonlocal."""
    match scope.elsewhere.get(name):
        case "global":
            return module
        case "nonlocal":
            outer = scope.parent
            while outer is not None:
                if outer.kind == "function" and name not in outer.elsewhere:
                    return outer
                outer = outer.parent
    return scope


class _Collector:
    """Visits a statement once and collects names and scopes; names are resolved when those of the text are known."""

    def __init__(self, syntax: Syntax, statement: ast.stmt) -> None:
        self._syntax = syntax
        self.pending: list[PendingName] = []
        self.scopes: list[NameScope] = []
        self.module = NameScope("module", statement, None)
        # In a statement with an expression that is nested hundreds deep, names from there on stay unknown.
        with suppress(RecursionError):
            self.visit(statement, self.module)

    # --- scopes ---------------------------------------------------------------------------------------------------

    def body(self, node: ast.AST, scope: NameScope) -> None:
        """Visit the children of a node."""
        for child in ast.iter_child_nodes(node):
            self.visit(child, scope)

    def visit(self, node: ast.AST, scope: NameScope) -> None:
        """Visit a node and its children."""
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
        self.scopes.append(scope)
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
        """Note a name whose place the tree does not have: the first such word in the first line of the node."""
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
        self.pending.append(PendingName(name, span, role, scope, node, how, exact))
