"""From a call of a tile program to the explicit operation: designed once for each kind of arguments."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ttl.arch import Chip
from ttl.design.plan import Plan
from ttl.design.program import ProgramWriter, Source
from ttl.design.sizes import best
from ttl.diag import Diagnostic, ProgramError, Severity
from ttl.frontend.kernel.calling import in_source
from ttl.frontend.values import UserFunction
from ttl.host.tensor import Tensor
from ttl.lang.one_body.function import compiled
from ttl.lang.operation import Operation
from ttl.lang.tiles import TileOperation
from ttl.rows.types import Layout
from ttl.rules import design as rules
from ttl.settings import current_chip
from ttl.source.trees import SourceFile
from ttl.tuning.key import texts_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Design:
    """What became of a tile program for certain arguments."""

    plan: Plan
    source: Source
    definition: ast.FunctionDef
    """Of the explicit operation; its nodes are at the author's places."""
    findings: tuple[Diagnostic, ...]

    @property
    def text(self) -> str:
        """The explicit operation as source."""
        return self.source.text


def design(
    function: UserFunction, arguments: Mapping[str, Any], grid: Any, chip: Chip
) -> tuple[Design | None, tuple[Diagnostic, ...]]:
    """Design the explicit operation for arguments, or say why that cannot be."""
    for name, value in arguments.items():
        if isinstance(value, Tensor):
            if not all(isinstance(extent, int) for extent in value.shape):
                return None, (rules.shape_not_known(name).at(function.file.span(function.node)),)
            if value.layout is not Layout.TILE or len(value.shape) < 2:
                return None, (rules.not_tiled(name).at(function.file.span(function.node)),)
    limit = chip.grid if isinstance(grid, str) else tuple(grid)[-2:]
    plan, findings = best(function, arguments, limit, chip)
    if plan is None:
        return None, tuple(findings)
    source = ProgramWriter(plan, list(arguments)).operation()
    definition = located(source, function.file)
    return Design(plan=plan, source=source, definition=definition, findings=tuple(findings)), tuple(findings)


def located(source: Source, file: SourceFile) -> ast.FunctionDef:
    """The definition that a source has, each node at the author's place of its line."""
    (node,) = ast.parse(source.text).body
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


def explicit(operation: TileOperation, arguments: Mapping[str, Any]) -> Operation:
    """The explicit operation for a call, designed at the first call of its kind."""
    chip = current_chip()
    key = (chip.name, *texts_of(arguments))
    known = operation.designed.get(key)
    if known is None:
        known = operation.designed[key] = _made(operation, arguments, chip)
    return known


def _made(operation: TileOperation, arguments: Mapping[str, Any], chip: Chip) -> Operation:
    function: FunctionType = operation.written
    user = in_source(function)
    if user is None:
        raise ProgramError(rules.without_source(function.__name__))
    designed, findings = design(user, arguments, operation.grid, chip)
    if designed is None:
        raise ProgramError(*(finding for finding in findings if finding.severity is Severity.ERROR))
    import math

    import ttnn

    import ttl

    made = compiled(designed.definition, function, {"ttl": ttl, "math": math, "ttnn": ttnn})
    made.__dict__["__ttl_definition__"] = designed.definition, user.file
    result = Operation(made, designed.plan.grid, operation.options)
    result.design = designed
    return result


def explicit_function(function: UserFunction, designed: Design) -> UserFunction:
    """The explicit operation for the front end: in its scope are the names that every explicit operation uses."""
    import math
    from dataclasses import replace

    import ttnn

    import ttl
    from ttl.frontend.values import Scope

    scope = Scope(function.scope)
    scope.names.update({"ttl": ttl, "math": math, "ttnn": ttnn})
    return replace(function, node=designed.definition, scope=scope)
