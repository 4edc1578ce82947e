"""The evaluator of Python: its current place, its findings, and the dispatch of syntax nodes to their handlers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from xdsl.dialects.builtin import LocationAttr

from ttl.diag import Diagnostic
from ttl.frontend.domain import Domain
from ttl.frontend.liveness import Tail
from ttl.frontend.observing import OBSERVER, ValueObserver
from ttl.frontend.stop import Reject
from ttl.frontend.values import UNBOUND, GeneratorScope, Globals, Scope
from ttl.ir.locations import location
from ttl.source.spans import Span
from ttl.source.trees import SourceFile

# The most statements evaluated in one operation, including unrolled loops and inlined functions.
MOST_STATEMENTS = 60_000
DEEPEST_CALL = 40
# The number of expressions, about 2 ms, between two checks whether the result is still needed.
EXPRESSIONS_BETWEEN = 32

Change = tuple[Scope, str, Any]
"""A changed name: its scope, the name, and its value before the change; ``UNBOUND`` if it had no value."""
Handlers = Mapping[type[ast.AST], Callable[["Evaluator", Any], Any]]


class Evaluator:
    """Python's meaning over a domain. Public functions see it as the reader (``READING``).

    ``handlers`` implement each kind of node; ``domain`` implements the operations on values that they use.
    """

    def __init__(self, handlers: Handlers, domain_of: Callable[[Evaluator], Domain]) -> None:
        self.diagnostics: list[Diagnostic] = []
        # Whether a statement had to be given up.
        self.failed = False
        self.files: dict[str, str] = {}
        # Names that were looked up in a module and not found.
        self.missed: set[str] = set()
        self.file: SourceFile
        self.globals: Globals
        self.scope: Scope
        self.place: ast.AST
        # The definition of the function that is being evaluated.
        self.function: ast.AST
        # The definition of the outermost function that is being evaluated.
        self.root: ast.AST
        # The calls that are being evaluated, innermost first.
        self.chain: tuple[Span, ...] = ()
        # The code after the statement that is being evaluated.
        self.tail = Tail([], 0)
        self._scopes: list[Scope] = []
        # The number of scopes so far.
        self.births = 0
        # Every change of a name so far; see ``leave_way``.
        self._log: list[Change] = []
        self.steps = 0
        # The chain of calls for the function that is called next, if the language calls it and not the program.
        self._chain_of_next: tuple[Span, ...] | None = None
        self.domain = domain = domain_of(self)
        self._handlers = {**handlers, **domain.constructs}
        self.eval: Callable[[ast.expr], Any] = domain.eval
        self.lazy: Callable[[ast.expr], Any] = domain.lazy
        self.bind: Callable[[ast.Name, Any], None] = domain.bind
        observer = OBSERVER.get()
        if observer is not None:
            self._be_observed(observer)

    def _be_observed(self, observer: ValueObserver) -> None:
        """Notify an observer of the value of every expression and variable. Without an observer, this costs nothing."""
        evaluate, lazy, bind = self.eval, self.lazy, self.bind

        def observed(compute: Callable[[ast.expr], Any]) -> Callable[[ast.expr], Any]:
            def value_of(node: ast.expr) -> Any:
                value = compute(node)
                observer.value(self.file, node, value)
                return value

            return value_of

        def observed_bind(target: ast.Name, value: Any) -> None:
            bind(target, value)
            observer.value(self.file, target, value)

        self.eval, self.lazy, self.bind = observed(evaluate), observed(lazy), observed_bind

    # --- dispatch ---------------------------------------------------------------------------------------------

    def meaning(self, node: ast.AST) -> Any:
        """Evaluate an expression or statement by the handler for its kind of node.

        Only the domain calls this for an expression; other callers use ``eval`` or ``lazy``. Raises the domain's
        exception for a construct without a meaning.
        """
        handler = self._handlers.get(type(node))
        if handler is None:
            self.place = node
            raise self.domain.refused(node)
        return handler(self, node)

    def step(self) -> None:
        """Count a statement. Too many statements are an error."""
        self.steps += 1
        if self.steps > MOST_STATEMENTS:
            raise self.domain.too_long()

    # --- the Reading protocol ---------------------------------------------------------------------------------

    @property
    def span(self) -> Span:
        """The location that is being evaluated."""
        return self.file.span(self.place)

    @property
    def call(self) -> ast.Call | None:
        """The call that is being evaluated; None if the current place is not a call."""
        return self.place if isinstance(self.place, ast.Call) else None

    def location(self) -> LocationAttr:
        """The current location, as an attribute of the dialect."""
        return location(self.span, self.chain)

    def report(self, finding: Diagnostic) -> None:
        """Keep a finding. If it has no location, it gets the current one."""
        placed = finding.at(self.span)
        if placed.primary is not None and placed.primary.span == self.span:
            placed = placed.called_from(dict.fromkeys(self.chain))
        self.diagnostics.append(self.domain.noted(placed))

    # --- scopes -----------------------------------------------------------------------------------------------

    @contextmanager
    def within(
        self,
        scope: Scope,
        file: SourceFile,
        globals: Globals,
        chain: tuple[Span, ...],
        function: ast.AST | None = None,
    ) -> Iterator[None]:
        """Evaluate temporarily in another function, or in another scope of the same function."""
        before = self.scope, self.file, self.globals, self.place, self.chain, self.function
        if not scope.birth:
            self.births += 1
            scope.birth = self.births
        self._scopes.append(scope)
        self.scope, self.file, self.globals, self.chain = scope, file, globals, chain
        if function is not None:
            self.function = function
        self.files.setdefault(file.path, file.text)
        try:
            yield
        except Reject as rejected:
            rejected.finding = rejected.finding.at(self.span)
            raise
        finally:
            self._scopes.pop()
            self.scope, self.file, self.globals, self.place, self.chain, self.function = before

    def begin(self, scope: Scope, file: SourceFile, globals: Globals, place: ast.AST) -> None:
        """Start the evaluation in a function."""
        self.scope, self.file, self.globals, self.place, self.function = scope, file, globals, place, place
        self.root = place
        self._scopes.append(scope)
        self.files[file.path] = file.text

    @contextmanager
    def called_by_the_language(self) -> Iterator[None]:
        """Mark the next call as one by the language instead of the program."""
        chain, self._chain_of_next = self._chain_of_next, self.chain
        try:
            yield
        finally:
            self._chain_of_next = chain

    def chain_of_call(self) -> tuple[Span, ...]:
        """Return the chain of calls for the function that is being called."""
        chain, self._chain_of_next = self._chain_of_next, None
        return (self.span, *self.chain) if chain is None else chain

    # --- names ------------------------------------------------------------------------------------------------

    def assign(self, scope: Scope, name: str, value: Any) -> None:
        """Assign a value to a name, and log the value before."""
        self._log.append((scope, name, scope.names.get(name, UNBOUND)))
        scope.names[name] = value

    def delete(self, scope: Scope, name: str) -> Any:
        """Unbind a name, log that, and return its value; ``UNBOUND`` if it had no value."""
        before = scope.names.pop(name, UNBOUND)
        self._log.append((scope, name, before))
        return before

    def mark(self) -> int:
        """Return the current position in the log of changes."""
        return len(self._log)

    def has_changed(self, mark: int, births: int, read: type) -> bool:
        """Whether a name has changed since a mark.

        Names of scopes with a birth after ``births``, and of generators, do not count, and neither do names whose value
        before the change is of the class ``read``: such values are replaced where they are read.
        """
        return any(
            scope.birth <= births and type(value) is not read and not isinstance(scope, GeneratorScope)
            for scope, _, value in self._log[mark:]
        )

    def changed_since(self, mark: int) -> dict[tuple[int, str], Change]:
        """Return the names that have changed since a mark, in order, with their values at the mark."""
        changed: dict[tuple[int, str], Change] = {}
        for change in self._log[mark:]:
            changed.setdefault((id(change[0]), change[1]), change)
        return changed

    def leave_way(self, mark: int) -> None:
        """Restore the values that all names had at a mark. Objects made since then stay: a selection may refer to them."""
        for scope, name, before in reversed(self._log[mark:]):
            if before is UNBOUND:
                scope.names.pop(name, None)
            else:
                scope.names[name] = before
        del self._log[mark:]

    def reachable(self) -> list[Scope]:
        """Every scope that the code under evaluation can change."""
        scopes: dict[int, Scope] = {}
        for inner in self._scopes:
            scope: Scope | None = inner
            while scope is not None and id(scope) not in scopes:
                scopes[id(scope)] = scope
                scope = scope.parent
        return list(scopes.values())
