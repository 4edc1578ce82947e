"""From one body to kernels: the statements that stay in the body, the threads, and the errors."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ttl.diag import Diagnostic
from ttl.lang.one_body.composing import ComposedCall, names_in
from ttl.lang.one_body.expressions import BodyStep
from ttl.lang.one_body.movers import movers
from ttl.lang.one_body.names import ComposedOperation, DefinedFunction
from ttl.lang.one_body.projected_kernels import COMPUTE, DATAMOVEMENT, Projection, Thread
from ttl.lang.one_body.reading import BodyReading, ReadBody
from ttl.lang.one_body.setup import (
    BodySetup,
    CallAhead,
    SetupReading,
    binds,
    check_constructions,
    parameters_of,
)
from ttl.rules import one_body as rules
from ttl.source.scopes import assigned
from ttl.source.spans import Span

N = TypeVar("N", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class CalledPart:
    """The function that makes the buffers of a called operation, and returns its part of each kernel."""

    composed: ComposedCall
    definition: ast.FunctionDef


@dataclass(frozen=True, kw_only=True, slots=True)
class SeparatedKernels:
    """One body as kernels. ``operation`` is None if findings give the reasons why it cannot be divided."""

    operation: ast.FunctionDef | None
    findings: tuple[Diagnostic, ...]
    threads: tuple[Projection, ...] = ()
    setup: tuple[ast.stmt, ...] = ()
    called: tuple[CalledPart, ...] = ()
    """The functions of called operations, inner ones first."""
    operations: tuple[tuple[ComposedOperation, Span], ...] = ()
    """The called operations, even where such calls are not allowed, each with the location of the call."""


def separated(defined: DefinedFunction) -> SeparatedKernels | None:
    """Return the kernels of one body.

    None for an operation that defines its kernels, or has no statement for a thread.
    """
    if not isinstance(defined.node, ast.FunctionDef):
        return None
    read = BodyReading(defined).body()
    if read is None:
        return None
    leaves = [leaf for several in read.leaves.values() for leaf in several]
    if not any(leaf.tied for leaf in leaves) and not read.calls_operations:
        return None
    return _Separating(read, defined.node, leaves).result()


class CallsAhead:
    """The calls before kernels, and the called functions."""

    def __init__(self, projections: Sequence[Projection]) -> None:
        self._projections = projections
        self.parts: list[CalledPart] = []

    def statements(self, setup: BodySetup) -> list[ast.stmt]:
        """The statements before kernels."""
        result: list[ast.stmt] = []
        for item in setup.before:
            if isinstance(item, CallAhead):
                result += self._call(item)
            else:
                result.append(item)
        return result

    def _call(self, ahead: CallAhead) -> list[ast.stmt]:
        composed = ahead.composed
        parts = [part for projection in self._projections for part in projection.part(composed)]
        if not parts:
            return []
        place = composed.call
        definition = composed.definition
        returned = ast.Return(ast.Tuple([ast.Name(part.name, ast.Load()) for part in parts], ast.Load()))
        names = [ast.arg(name) for name in ahead.setup.parameters]
        function = ast.FunctionDef(
            composed.name,
            ast.arguments([], names, None, [], [], None, []),
            [*self.statements(ahead.setup), *parts, _placed(returned, definition)],
            [],
            None,
        )
        self.parts.append(CalledPart(composed, _placed(function, definition)))
        targets = ast.Tuple([ast.Name(part.name, ast.Store()) for part in parts], ast.Store())
        given = [composed.argument(name) for name in ahead.setup.parameters]
        call = ast.Call(ast.Name(composed.name, ast.Load()), given, [])
        statement: ast.stmt = _placed(ast.Assign([targets], call), place)
        for test, holds in reversed(ahead.tests):
            condition = test if holds else _placed(ast.UnaryOp(ast.Not(), test), test)
            statement = _placed(ast.If(condition, [statement], []), place)
        return [statement]


class _Separating:
    """The division of a body that was read."""

    def __init__(self, read: ReadBody, operation: ast.FunctionDef, leaves: list[BodyStep]) -> None:
        self._read = read
        self._operation = operation
        self._leaves = leaves
        self._findings = read.threads.findings

    def result(self) -> SeparatedKernels:
        for block, name, file in () if self._findings else self._read.blocks_without_thread():
            self._findings.append(rules.unused_block(name, block.what).at(file.span(block.node)))
        setup = SetupReading(self._read, self._operation).result()
        check_constructions(self._read, setup)
        if self._findings:
            return self._failed()
        threads = self._threads()
        self._place_effects(setup.body, threads)
        self._check_parameters(self._operation, setup)
        projections = [Projection(self._read, thread, setup.body) for thread in threads]
        kernels = [projection.kernel(self._operation) for projection in projections]
        for projection in projections:
            for statement in projection.missing():
                name = ", ".join(assigned(statement)) or "this"
                finding = rules.value_of_other(name, _Side("other", ""), _Side(projection.thread.name, ""))
                self._findings.append(finding.at(self._read.file_of(statement).span(statement)))
        if self._findings:
            return self._failed()
        ahead = CallsAhead(projections)
        before = ahead.statements(setup)
        divided = ast.FunctionDef(
            self._operation.name,
            self._operation.args,
            [*before, *(kernel for kernel in kernels if kernel is not None)],
            self._operation.decorator_list,
            self._operation.returns,
        )
        return SeparatedKernels(
            operation=ast.copy_location(divided, self._operation),
            findings=(),
            threads=tuple(projections),
            setup=tuple(item for item in setup.before if not isinstance(item, CallAhead)),
            called=tuple(ahead.parts),
            operations=self._operations(),
        )

    def _check_parameters(self, operation: ast.FunctionDef, setup: BodySetup) -> None:
        """Refuse an assignment to a parameter, here and in called operations."""
        parameters = parameters_of(operation)
        for statement in setup.body:
            for name in sorted(parameters & binds(self._read, statement)):
                finding = rules.no_place(f"an assignment to the parameter {name}", "give it another name")
                self._findings.append(finding.at(self._read.file_of(statement).span(statement)))
        for item in setup.before:
            if isinstance(item, CallAhead):
                self._check_parameters(item.composed.definition, item.setup)

    def _failed(self) -> SeparatedKernels:
        return SeparatedKernels(operation=None, findings=tuple(self._findings), operations=self._operations())

    def _operations(self) -> tuple[tuple[ComposedOperation, Span], ...]:
        return tuple(
            (composed.called, composed.file.span(composed.call)) for composed in self._read.composed.values()
        )

    # --- threads ----------------------------------------------------------------------------------------------------

    def _threads(self) -> list[Thread]:
        """The kernels to be made, in the order in which they are registered."""
        used = [leaf.cell for leaf in self._leaves if leaf.tied]
        computing = frozenset(cell.root for cell in used if cell.kind == "compute")
        moving = movers(self._read.threads, used)
        taken = frozenset(names_in(self._operation))
        threads = [
            Thread(name=_free_name(name, taken), decorator=DATAMOVEMENT, cells=cells)
            for name, cells in moving
        ]
        if computing:
            name = _free_name("compute", taken)
            threads.insert(1, Thread(name=name, decorator=COMPUTE, cells=computing))
        return threads

    def _place_effects(self, body: list[ast.stmt], threads: list[Thread]) -> None:
        """Put statements with an effect and without a thread on the thread of the code around them."""
        for statement, around in _with_surroundings(self._read, body, ()):
            for leaf in self._read.of(statement):
                asserts = isinstance(statement, ast.Assert | ast.Raise)
                if leaf.tied or not (asserts or leaf.effect is not None):
                    continue
                for outer in (*reversed(around), self._operation):
                    cells = {
                        other.cell.root
                        for inner in self._read.below(outer)
                        for part in range(len(inner.items) if isinstance(inner, ast.With) else 1)
                        for other in self._read.of(inner, part)
                        if other.tied
                    }
                    owners = [thread for thread in threads if thread.cells & cells]
                    if len(owners) == 1 or (owners and asserts):
                        root = min(owners[0].cells, key=lambda cell: cell.place)
                        leaf.tied, leaf.cell.joined = True, root
                        break
                    if owners:
                        break
                if not leaf.tied and not asserts:
                    node = leaf.effect or statement
                    finding = rules.effect(ast.unparse(node), [thread.name for thread in threads])
                    self._findings.append(finding.at(leaf.file.span(node)))


@dataclass(frozen=True, slots=True)
class _Side:
    kind: str
    what: str


def _with_surroundings(
    read: ReadBody, statements: list[ast.stmt], around: tuple[ast.stmt, ...]
) -> Iterator[tuple[ast.stmt, tuple[ast.stmt, ...]]]:
    for statement in statements:
        yield statement, around
        yield from _with_surroundings(read, read.inside(statement), (*around, statement))


def _free_name(name: str, taken: frozenset[str]) -> str:
    while name in taken:
        name += "_kernel"
    return name


def _placed(node: N, place: ast.AST) -> N:
    """Return syntax at the location of a node; parts that have a location keep it."""
    return ast.fix_missing_locations(ast.copy_location(node, place))
