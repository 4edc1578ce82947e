"""The explicit operation for a call of a tile program: designed once for each kind of arguments."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ttl.arch import Chip
from ttl.design.graph import Graph
from ttl.design.padding import may_enter
from ttl.design.plan import DesignPlan
from ttl.design.program import ProgramSource, ProgramWriter
from ttl.design.sizes import ranked
from ttl.diag import Diagnostic, ProgramError, Severity
from ttl.diag.words import counted
from ttl.frontend.kernel.calling import in_source
from ttl.frontend.values import Scope, TileProgram, UserFunction
from ttl.host.tensor import Tensor
from ttl.lang.choices import TO_BE_CHOSEN, Tunable
from ttl.lang.nests import BODY, LoopNest
from ttl.lang.one_body.function import compiled
from ttl.lang.operation import Operation
from ttl.lang.tiles import TileOperation
from ttl.rows.types import Layout
from ttl.rules import design as rules
from ttl.session import Session
from ttl.settings import Settings
from ttl.source.parsing import parse
from ttl.source.trees import SourceFile
from ttl.tuning.key import texts_of

# The parameter of a call that selects the design.
_DESIGN = "design"


@dataclass(frozen=True, kw_only=True, slots=True)
class Design:
    """The explicit operation designed from a tile program for certain arguments."""

    plan: DesignPlan
    source: ProgramSource
    definition: ast.FunctionDef
    """The definition of the explicit operation; its nodes have the places of the author's program."""
    others: tuple[DesignPlan, ...] = ()
    """The plans that were compared, the best first."""

    @property
    def summary(self) -> str:
        """``64 nodes (8 x 8), about 12,345 cycles, most of them mathematics``."""
        columns, rows = self.plan.grid
        nodes = f"{counted(columns * rows, 'node')} ({columns} x {rows})"
        return f"{nodes}, about {self.plan.estimate:,} cycles, most of them {self.plan.limited_by}"

    @property
    def text(self) -> str:
        """The explicit operation as source."""
        return self.source.text


def design(
    function: UserFunction, arguments: Mapping[str, Any], grid: Any, chip: Chip
) -> tuple[Design | None, tuple[Diagnostic, ...]]:
    """Design the explicit operation for arguments, or return the reason why that is not possible."""
    plans, findings = plans_for(function, arguments, grid, chip)
    return (written(plans[0], function, arguments, plans) if plans else None), findings


def plans_for(
    function: UserFunction,
    arguments: Mapping[str, Any],
    grid: Any,
    chip: Chip,
    fixed: Mapping[str, int] = MappingProxyType({}),
    allowed: Callable[[DesignPlan], bool] = lambda candidate: True,
) -> tuple[tuple[DesignPlan, ...], tuple[Diagnostic, ...]]:
    """Return the plans for arguments, the best first; if there are no plans, also the reason.

    ``fixed`` and ``allowed`` restrict the plans, see ``ranked``.
    """
    if isinstance(function, TileProgram) and function.nest is not None:
        function = within_nest(function, function.nest, list(arguments))
    for name, value in arguments.items():
        if isinstance(value, Tensor):
            if not all(isinstance(extent, int) for extent in value.shape):
                return (), (rules.shape_not_known(name).at(function.file.span(function.node)),)
            if value.layout is not Layout.TILE or len(value.shape) < 2:
                return (), (rules.not_tiled(name).at(function.file.span(function.node)),)
    limit = chip.grid if isinstance(grid, str) else tuple(grid)[-2:]
    padded: dict[Graph, bool] = {}

    def without_padding(candidate: DesignPlan) -> bool:
        if candidate.graph not in padded:
            padded[candidate.graph] = may_enter(candidate.graph)
        return allowed(candidate) and not padded[candidate.graph]

    plans, findings = ranked(function, arguments, (limit[0], limit[1]), chip, fixed, without_padding)
    if not plans and any(padded.values()):
        # Without such plans, padding is left to the simulator, which keeps it out, and to the compiler, which reports
        # it.
        plans, findings = ranked(function, arguments, (limit[0], limit[1]), chip, fixed, allowed)
    names = {
        id(value): name for name, value in reversed(list(arguments.items())) if isinstance(value, Tensor)
    }
    for name, value in arguments.items():
        first = names.get(id(value), name)
        if first != name:
            findings = [
                finding.noting(f"{first} and {name} are the same tensor in this call") for finding in findings
            ]
    return tuple(plans), tuple(findings)


def within_nest(function: UserFunction, nest: LoopNest, parameters: list[str]) -> UserFunction:
    """Return a function of blocks together with the loops around it, at the place of its definition."""
    (node,) = parse(nest.text(function.name, parameters), "<design>").body
    for inner in ast.walk(node):
        if isinstance(inner, ast.stmt | ast.expr | ast.arg | ast.keyword):
            ast.copy_location(inner, function.node)
    scope = Scope(function.scope)
    body = UserFunction(
        function.node,
        function.file,
        function.scope,
        function.globals,
        function.defaults,
        function.keyword_defaults,
    )
    scope.names.update({**names_of_programs(), BODY: body})
    assert isinstance(node, ast.FunctionDef)
    return UserFunction(node, function.file, scope, function.globals)


def written(
    plan: DesignPlan, function: UserFunction, arguments: Mapping[str, Any], plans: tuple[DesignPlan, ...] = ()
) -> Design:
    """Write a plan as an explicit operation."""
    source = ProgramWriter(plan, list(arguments)).operation()
    return Design(plan=plan, source=source, definition=located(source, function.file), others=plans)


def located(source: ProgramSource, file: SourceFile) -> ast.FunctionDef:
    """Parse a source, and give each node the author's place of its line."""
    (node,) = parse(source.text, "<design>").body
    assert isinstance(node, ast.FunctionDef)
    node.decorator_list = []
    lines = file.text.splitlines()
    for inner in ast.walk(node):
        if isinstance(inner, ast.stmt | ast.expr | ast.arg | ast.keyword):
            span = source.lines[inner.lineno - 1][1]
            assert span is not None, source.lines[inner.lineno - 1]
            inner.lineno, inner.end_lineno = span.line, span.end_line
            inner.col_offset = _bytes(lines, span.line, span.column)
            inner.end_col_offset = _bytes(lines, span.end_line, span.end_column)
    return node


def _bytes(lines: list[str], line: int, column: int) -> int:
    return len(lines[line - 1][: column - 1].encode()) if line <= len(lines) else 0


class DesignedCall(Operation):
    """A tile program for one kind of arguments: an operation with one tunable parameter, its design.

    The plan with the best estimate is the preferred one; ``ttl tune`` measures them, and the file of tuned
    configurations has the fastest.
    """

    chooses_itself = True

    def __init__(self, operation: TileOperation, arguments: Mapping[str, Any], chip: Chip) -> None:
        super().__init__(operation.written, operation.grid, operation.options)
        self.has_kernels = True
        user = in_source(operation.written)
        if user is not None and operation.nest is not None:
            user = TileProgram.of(user, operation.nest)
        if user is None:
            raise ProgramError(rules.without_source(operation.written.__name__))
        plans, findings = plans_for(user, arguments, operation.grid, chip)
        if not plans:
            raise ProgramError(*(finding for finding in findings if finding.severity is Severity.ERROR))
        self._user, self._arguments = user, dict(arguments)
        self.plans = {plan.label: plan for plan in plans}
        self.labels = tuple(self.plans)
        self._best = self.labels[0]
        self._made: dict[str, Operation] = {}
        parameter = inspect.Parameter(_DESIGN, inspect.Parameter.KEYWORD_ONLY, default=TO_BE_CHOSEN)
        self.signature = self.signature.replace(parameters=[*self.signature.parameters.values(), parameter])
        self._plain = -1
        self.tunable = Tunable(names=(_DESIGN,), values={chip.name: {_DESIGN: self.labels}})
        self.own_defaults = {_DESIGN: self._best}

    def explicit(self, label: Any = TO_BE_CHOSEN) -> Operation:
        """Return the explicit operation of one of the plans."""
        label = self._best if label is TO_BE_CHOSEN else label
        if label not in self._made:
            designed = written(self.plans[label], self._user, self._arguments, tuple(self.plans.values()))
            program = compiled(designed.definition, self.written, names_of_programs())
            program.__dict__["__ttl_definition__"] = designed.definition, self._user.file
            operation = Operation(program, designed.plan.grid, self.options)
            operation.design = designed
            self._made[label] = operation
        return self._made[label]

    def resolved(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Operation, tuple[Any, ...], dict[str, Any]]:
        others = {name: value for name, value in kwargs.items() if name != _DESIGN}
        return self.explicit(kwargs.get(_DESIGN, TO_BE_CHOSEN)), args, others

    def _launched(
        self, session: Session, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings
    ) -> None:
        operation, args, kwargs = self.resolved(args, kwargs)
        operation._launched(session, args, kwargs, chosen)


def call_of(operation: TileOperation, arguments: Mapping[str, Any], chip: Chip) -> DesignedCall:
    """Return a tile program for arguments; it is designed at the first call of its kind."""
    values = list(arguments.values())
    once = (next(at for at, other in enumerate(values) if other is value) for value in values)
    key = (chip.name, *texts_of(arguments), *once)  # passing a tensor twice is another call
    known: DesignedCall | None = operation.designed.get(key)
    if known is None:
        known = operation.designed[key] = DesignedCall(operation, arguments, chip)
    return known


def names_of_programs() -> dict[str, Any]:
    """The names that every explicit operation uses."""
    return {name: importlib.import_module(name) for name in ("ttl", "math", "ttnn")}


def explicit_function(function: UserFunction, designed: Design) -> UserFunction:
    """Return the explicit operation for the front end."""
    scope = Scope(function.scope)
    scope.names.update(names_of_programs())
    return UserFunction(designed.definition, function.file, scope, function.globals)
