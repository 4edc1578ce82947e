"""What the evaluation of source knows at a moment: scopes, open regions, where it is, what it found."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from xdsl.dialects.builtin import LocationAttr

from ttl.arch import Chip
from ttl.diag import Diagnostic
from ttl.frontend import refusals
from ttl.frontend.builder import Builder
from ttl.frontend.stop import Reject, StaticNeeded
from ttl.frontend.tracer import Tracer
from ttl.frontend.values import Globals, KernelFunction, Scope
from ttl.ir.locations import location
from ttl.rules.words import kernel_where
from ttl.source.spans import Span
from ttl.source.trees import SourceFile

# Statements evaluated in one operation, unrolled loops and inlined functions included.
MOST_STATEMENTS = 60_000
DEEPEST_CALL = 40

Snapshot = tuple[list[tuple[Scope, dict[str, Any]]], list[tuple[list[Any], list[Any]]], int, bool]


class State:
    """One operation while its source is evaluated. It is the reader that public functions see (``READING``)."""

    def __init__(self, grid: tuple[int, ...], chip: Chip) -> None:
        self.builder = Builder(self.location)
        self.tracer = Tracer(
            self.builder,
            grid,
            chip,
            lambda: self.span,
            lambda: self.place,
            lambda node: self.file.span(node),
        )
        self.diagnostics: list[Diagnostic] = []
        # Whether a statement had to be given up: what was built is not the program then.
        self.failed = False
        self.kernels: list[KernelFunction] = []
        self.files: dict[str, str] = {}
        self.file: SourceFile
        self.globals: Globals
        self.scope: Scope
        self.place: ast.AST
        # The definition of the function that is being evaluated.
        self.function: ast.AST
        # The definition of the operation.
        self.root: ast.AST
        # The calls that are being evaluated, innermost first.
        self.chain: tuple[Span, ...] = ()
        self._scopes: list[Scope] = []
        # Open regions whose code runs an unknown number of times: the number of a loop, 0 of a kernel, None of a condition.
        self.regions: list[int | None] = []
        self.tracer.conditional = lambda: bool(self.regions)
        self._births: dict[int, tuple[Any, int]] = {}
        self.spoiled: dict[int, Any] = {}
        self._steps = 0
        # Branches and loops that can still be evaluated in another way, and those that are.
        self.open_statements: list[ast.stmt] = []
        # What the last return statement returns.
        self.returned: ast.expr | None = None
        self.unrolled: set[ast.stmt] = set()
        # Conditional expressions of which one side is evaluated.
        self.decided: dict[ast.IfExp, bool] = {}
        # Statements whose conditional expressions can still be decided for what follows, too.
        self.open_choices: list[ast.stmt] = []
        # Whether a value was selected on the node, whether the statement can be evaluated for each part, and for which it is.
        self.selecting = False
        self.splittable = False
        self.parts_decided: list[tuple[Any, int]] = []
        # Branches that are being evaluated, and the names that are read after them.
        self.read_after: list[tuple[ast.stmt, frozenset[str]]] = []
        # Conditions that hold or do not where the evaluation is.
        self.assumed: dict[Any, bool] = {}

    # --- the Reading protocol ---------------------------------------------------------------------------------

    @property
    def span(self) -> Span:
        """The place that is being evaluated."""
        return self.file.span(self.place)

    @property
    def call(self) -> ast.Call | None:
        """The call that is being evaluated."""
        return self.place if isinstance(self.place, ast.Call) else None

    def location(self) -> LocationAttr:
        """The place, for an operation of the dialect."""
        return location(self.span, self.chain)

    # --- findings ---------------------------------------------------------------------------------------------

    def report(self, finding: Diagnostic) -> None:
        """Keep a finding, at the place that is being evaluated unless it has one."""
        placed = finding.at(self.span)
        if placed.primary is not None and placed.primary.span == self.span:
            for site in dict.fromkeys(self.chain):
                placed = placed.also(site, "called from here")
        if self.tracer.kernel is not None and not any(note.startswith("in ") for note in placed.notes):
            placed = placed.noting(f"in {self._where(self.tracer.kernel)}")
        self.diagnostics.append(placed)

    def _where(self, kernel: str) -> str:
        """The kernel that is being read, on the first node where no condition of the node decides."""
        if None in self.regions:
            return f"kernel {kernel}"
        return kernel_where(self.tracer.kind, kernel, (0,) * len(self.tracer.grid))

    def step(self) -> None:
        """Count a statement; too many are an error."""
        self._steps += 1
        if self._steps > MOST_STATEMENTS:
            self._steps = 0
            raise Reject(
                refusals.too_large(
                    f"more than {MOST_STATEMENTS} statements when loops are unrolled and functions inlined",
                    help="loop over a range and compute with its number, so that the loop need not be unrolled",
                )
            )

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
        """Evaluate in another function, or in a scope of the same one, for a while."""
        before = self.scope, self.file, self.globals, self.place, self.chain, self.function
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
        except StaticNeeded as needed:
            needed.span = needed.span or self.span
            raise
        finally:
            self._scopes.pop()
            self.scope, self.file, self.globals, self.place, self.chain, self.function = before

    def begin(self, scope: Scope, file: SourceFile, globals: Globals, place: ast.AST) -> None:
        """Start in a function."""
        self.scope, self.file, self.globals, self.place, self.function = scope, file, globals, place, place
        self.root = place
        self._scopes.append(scope)
        self.files[file.path] = file.text

    def reachable(self) -> list[Scope]:
        """Every scope that code evaluated now can change."""
        found: dict[int, Scope] = {}
        for scope in self._scopes:
            each: Scope | None = scope
            while each is not None and id(each) not in found:
                found[id(each)] = each
                each = each.parent
        return list(found.values())

    def snapshot(self) -> Snapshot:
        """What ``restore`` needs to undo an evaluation."""
        held = [(buffer.held, list(buffer.held)) for buffer in self.tracer.buffers]
        scopes = [(scope, dict(scope.names)) for scope in self.reachable()]
        return scopes, held, len(self.diagnostics), self.failed

    def restore(self, snapshot: Snapshot) -> None:
        """Names, findings and held blocks as they were. Operations made since are the caller's to drop."""
        scopes, held, found, self.failed = snapshot
        for scope, names in scopes:
            scope.names = dict(names)
        for blocks, before in held:
            blocks[:] = before
        del self.diagnostics[found:]

    # --- containers -------------------------------------------------------------------------------------------

    def born(self, container: Any) -> Any:
        """Note where a list, dictionary or set was made, and return it."""
        self._births[id(container)] = (container, len(self.regions))
        return container

    def spoil(self, container: Any) -> None:
        """From here on it is not known what is in a container."""
        self.spoiled[id(container)] = container

    def require_mutable(self, container: Any) -> None:
        """An error, or a wish to unroll, where code that may run any number of times changes a Python container."""
        known = self._births.get(id(container))
        depth = known[1] if known is not None and known[0] is container else 0
        crossed = self.regions[depth:]
        if not crossed:
            return
        kind = type(container).__name__
        loops = frozenset(loop for loop in crossed if loop)
        if not loops:
            # What is in it afterwards is not known.
            self.spoiled[id(container)] = container
        if loops:
            finding = refusals.changed_on_a_node(kind, "by a loop", refusals.COUNTED)
            raise StaticNeeded(loops, finding=finding.also(self.span, "changed here"))
        where = "by a kernel" if crossed == [0] else "under a condition that is known on the node only"
        raise Reject(refusals.changed_on_a_node(kind, where))


def at_place(finding: Diagnostic, span: Span) -> Diagnostic:
    """A finding moved to another place."""
    return replace(finding, primary=None).at(span)
