"""The conditions that MLIR verifies for every operation before the operation's own, in the same order and words.

They are: counts of regions, results, successors and operands; sizes of operand groups; presence and kinds of
attributes; kinds of operands and results; and then the conditions that ``verify`` is called with. They are prepared
once for each row, so that verifying takes a few comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Operation

from tt_model.layouts.values import LayoutError
from tt_model.operations.row import SEGMENTS, Arity, Check, Row
from ttl.ir.verifier import Violation


class Structure:
    """The structural conditions that a row sets for its operations."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self._groups = len(row.operands)
        self._fixed = row.fixed_operands
        self._dynamic = row.dynamic_group
        self._by_results = row.inits_by_results
        self._counts = _count_check("operand", [operand.arity for operand in row.operands], row.segments)
        self._result_counts = _count_check("result", [result.arity for result in row.results], False)
        # MLIR checks attributes sorted by name.
        self._attributes = sorted(
            ((attribute.name, attribute.optional, attribute.kind) for attribute in row.attributes),
            key=lambda item: item[0],
        )

    def bounds(self, op: StructuredOperation, group: int) -> tuple[int, int]:
        """The position of a group's first operand, and the position after its last one."""
        if self.row.segments:
            return _segment_bounds(op.properties[SEGMENTS])[group]
        if self._by_results:
            count = len(op._operands)
            first = max(count - len(op.results), 0)
            return (0, first) if group == 0 else (first, count)
        dynamic = self._dynamic
        if dynamic is None or group < dynamic:
            return group, group + 1
        extra = len(op._operands) - self._fixed
        if group == dynamic:
            return group, group + extra
        return group + extra - 1, group + extra

    def verify(self, op: StructuredOperation, conditions: Iterable[Check]) -> None:
        """Raise ``Violation`` with the first problem, either of the structure or of a condition."""
        problem = self._structure(op)
        if problem is None:
            problem = _first_problem(op, conditions)
        if problem is not None:
            raise Violation(problem)

    def _structure(self, op: StructuredOperation) -> str | None:
        row = self.row
        regions = row.regions
        if regions is not None and len(op.regions) != regions:
            return _regions_text(regions)
        if (problem := self._result_counts(len(op.results))) is not None:
            return problem
        if op._successors:
            return f"requires 0 successors but found {len(op._successors)}"
        if (problem := self._counts(len(op._operands))) is not None:
            return problem
        if row.segments and (problem := _segments_problem(op, self._groups)) is not None:
            return problem
        properties = op.properties
        for name, optional, _ in self._attributes:
            if not optional and name not in properties:
                return f"requires attribute '{name}'"
        for name, _, kind in self._attributes:
            attribute = properties.get(name)
            if attribute is not None and not kind.holds(attribute):
                return f"attribute '{name}' failed to satisfy constraint: {kind.summary}"
        return self._operand_kinds(op) or self._result_kinds(op)

    def _operand_kinds(self, op: StructuredOperation) -> str | None:
        operands = op._operands
        for index, group in enumerate(self.row.operands):
            start, end = self.bounds(op, index)
            if group.arity == "optional" and end - start > 1:
                return f"operand group starting at #{start} requires 0 or 1 element, but found {end - start}"
            if group.arity == "one" and end - start != 1:
                return f"operand group starting at #{start} requires 1 element, but found {end - start}"
            for position in range(start, end):
                type = operands[position].type
                if not group.kind.holds(type):
                    summary = _summary(group.kind.summary, group.arity)
                    return f"operand #{position} must be {summary}, but got '{type}'"
        return None

    def _result_kinds(self, op: StructuredOperation) -> str | None:
        position = 0
        for group in self.row.results:
            end = position + 1 if group.arity == "one" else len(op.results)
            for result in op.results[position:end]:
                if not group.kind.holds(result.type):
                    summary = _summary(group.kind.summary, group.arity)
                    return f"result #{result.index} must be {summary}, but got '{result.type}'"
            position = end
        return None


class StructuredOperation(Operation):
    """An operation that a row describes."""

    ROW: ClassVar[Row]
    STRUCTURE: ClassVar[Structure]


def _first_problem(op: StructuredOperation, conditions: Iterable[Check]) -> str | None:
    try:
        for check in conditions:
            problem = check(op)
            if problem is not None:
                return problem
    except LayoutError as problem:  # a layout that lacks a value that a condition asks for
        return str(problem)
    return None


def _summary(summary: str, arity: Arity) -> str:
    return f"variadic of {summary}" if arity == "variadic" else summary


def _regions_text(count: int) -> str:
    match count:
        case 0:
            return "requires zero regions"
        case 1:
            return "requires one region"
    return f"expected {count} regions"


def _count_check(what: str, arities: list[Arity], given: bool) -> Callable[[int], str | None]:
    """Return a function that takes a number of operands or results, and returns the problem with it, or None."""
    least = sum(arity == "one" for arity in arities)
    is_exact = least == len(arities)
    if not is_exact:
        more = "" if what == "result" else ", but found {}"

        def at_least(count: int) -> str | None:
            if count >= least:
                return None
            return f"expected {least} or more {what}s" + more.format(count)

        return at_least
    text = {
        ("operand", 0): "requires zero operands",
        ("operand", 1): "requires a single operand",
        ("result", 0): "requires zero results",
        ("result", 1): "requires one result",
    }.get((what, least))

    def exactly(count: int) -> str | None:
        if count == least:
            return None
        if text is not None:
            return text
        return f"expected {least} {what}s" + (f", but found {count}" if what == "operand" else "")

    return exactly


@lru_cache(maxsize=256)
def _segment_bounds(attribute: DenseArrayBase[IntegerType]) -> tuple[tuple[int, int], ...]:
    bounds, start = [], 0
    for size in attribute.get_values():
        bounds.append((start, start + int(size)))
        start += int(size)
    return tuple(bounds)


def _segments_problem(op: StructuredOperation, groups: int) -> str | None:
    attribute = op.properties.get(SEGMENTS)
    if not isinstance(attribute, DenseArrayBase):
        return f"requires dense i32 array attribute '{SEGMENTS}'"
    bounds = _segment_bounds(attribute)
    if any(end < start for start, end in bounds):
        return f"'{SEGMENTS}' attribute cannot have negative elements"
    total = bounds[-1][1] if bounds else 0
    if len(bounds) != groups:
        return f"'{SEGMENTS}' attribute for specifying operand segments must have {groups} elements, but got {len(bounds)}"
    if total != len(op._operands):
        return (
            f"operand count ({len(op._operands)}) does not match with the total size ({total}) "
            f"specified in attribute '{SEGMENTS}'"
        )
    return None
