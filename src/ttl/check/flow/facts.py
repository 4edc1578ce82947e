"""The conditions that a path through a kernel assumes, and the findings on paths.

A finding is certain where every path to the operation fails, else possible, with the conditions that tell the paths apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects import arith
from xdsl.ir import Operation, OpResult, SSAValue

from ttl.analysis.arithmetic import negated_of
from ttl.diag.model import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of

Key = Any
"""Identifies a condition: within one iteration of the loops around, equal keys mean the same condition."""
Facts = dict[Key, bool]

# Predicates of ``arith.cmpi`` that are the negation of a predicate with a smaller number: ``ne`` of ``eq``, ``sge`` of
# ``slt``, ...
_OPPOSITE = {1: 0, 5: 2, 4: 3, 9: 6, 8: 7}


@dataclass(frozen=True, slots=True)
class Runs:
    """The fact that a loop, or a function passed to ``if_src`` or ``if_dst``, runs at all."""

    op: Operation


@dataclass(frozen=True, slots=True)
class ConditionFact:
    """A condition in a form in which equal conditions are equal."""

    form: Any


@dataclass(frozen=True, slots=True)
class PathCondition:
    """The assumption that ``key`` holds or, if ``negated``, does not. ``leaves`` are the values in the condition."""

    key: ConditionFact
    negated: bool
    leaves: tuple[SSAValue, ...]


class ConditionForms:
    """The conditions of one kernel. A value that several others are computed from is looked at once."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, tuple[int, tuple[SSAValue, ...]]] = {}
        self._numbers: dict[Any, int] = {}

    def condition_of(self, value: SSAValue) -> PathCondition:
        """Return a truth value as a condition."""
        negated = False
        while True:
            inner = negated_of(value.owner) if isinstance(value, OpResult) else None
            if inner is None:
                break
            value, negated = inner, not negated
        form, leaves = self._form(value)
        if isinstance(value, OpResult) and isinstance(value.op, arith.CmpiOp):
            opposite = _OPPOSITE.get(value.op.predicate.value.data)
            if opposite is not None:
                form, negated = (form[0], opposite, *form[2:]), not negated
        return PathCondition(ConditionFact(form), negated, leaves)

    def _number(self, value: SSAValue) -> tuple[int, tuple[SSAValue, ...]]:
        """Return the number of a value, which equal values share, and its leaves."""
        known = self._known.get(value)
        if known is None:
            form, leaves = self._form(value)
            known = self._known[value] = self._numbers.setdefault(form, len(self._numbers)), leaves
        return known

    def _form(self, value: SSAValue) -> tuple[tuple[Any, ...], tuple[SSAValue, ...]]:
        """Return a value in a form in which equal values are equal, and the values that it is computed from."""
        op = value.op if isinstance(value, OpResult) else None
        if isinstance(op, arith.ConstantOp):
            return (op.name, op.value), ()
        own: tuple[Any, ...]
        if isinstance(op, arith.CmpiOp):
            own = op.name, op.predicate.value.data
        elif op is not None and op.name.startswith("arith."):
            own = (op.name,)
        elif isinstance(op, dialect.NodeOp | dialect.DimOp | dialect.IsPipeSrcOp | dialect.IsPipeDstOp):
            assert isinstance(value, OpResult)
            own = op.name, tuple(op.properties.values()), len(op.results), value.index
        else:
            return ("value", value), (value,)
        operands = [self._number(operand) for operand in op.operands]
        leaves = dict.fromkeys(leaf for _, those in operands for leaf in those)
        return (*own, *(number for number, _ in operands)), tuple(leaves)


def agreed(facts: Sequence[Facts]) -> Facts:
    """Return the assumptions that all of several paths share."""
    first, *others = facts
    if not others:
        return dict(first)
    return {key: value for key, value in first.items() if all(other.get(key) is value for other in others)}


def difference(failing: Sequence[Facts], others: Sequence[Facts]) -> list[tuple[Key, bool]]:
    """Return the assumptions that distinguish failing paths from the others: a single one if one suffices."""
    common = agreed(failing)
    telling = [
        (key, value) for key, value in common.items() if all(other.get(key) is not value for other in others)
    ]
    if telling:
        return telling[-1:]
    return [
        (key, value) for key, value in common.items() if any(other.get(key) is not value for other in others)
    ]


def describe(assumed: Iterable[tuple[Key, bool]], places: dict[Key, Operation]) -> str:
    """``when the condition at line 12 is false``; empty if nothing can be said."""
    return " and ".join(filter(None, (_described(key, value, places) for key, value in assumed)))


def _described(key: Key, value: bool, places: dict[Key, Operation]) -> str:
    op = key.op if isinstance(key, Runs) else places.get(key)
    span = None if op is None else span_of(op)
    if span is None:
        return ""
    if isinstance(op, dialect.IfPipeSrcOp | dialect.IfPipeDstOp):
        what = f"the function given to {'if_src' if isinstance(op, dialect.IfPipeSrcOp) else 'if_dst'} at line {span.line}"
        return f"when {what} is {'' if value else 'not '}called"
    if isinstance(key, Runs):
        return f"when the loop at line {span.line} {'runs' if value else 'does not run'}"
    return f"when the condition at line {span.line} is {'true' if value else 'false'}"


# --- findings --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PathFinding:
    """A finding at an operation. ``certain``: whenever the operation is reached."""

    op: Operation
    diagnostic: Diagnostic
    certain: bool


def note(
    findings: dict[tuple[str, Operation], PathFinding],
    op: Operation,
    failed: Sequence[tuple[Facts, Diagnostic]],
    others: Sequence[Facts],
    places: dict[Key, Operation],
    again: Sequence[Operation],
) -> None:
    """Add a finding about ``op`` on some paths and not on ``others``, unless a finding as certain is there.

    ``again`` are loops that may not come to this iteration at all.
    """
    for code in {result.code for _, result in failed}:
        same = [(facts, result) for facts, result in failed if result.code == code]
        fine = [*others, *(facts for facts, result in failed if result.code != code)]
        finding = same[0][1]
        certain = not fine and not again
        known = findings.get((code, op))
        if known is not None and (known.certain or not certain):
            continue
        if not certain:
            said = describe(difference([facts for facts, _ in same], fine), places) if fine else ""
            told = [said] if said else []
            told += [_again(loop) for loop in again]
            finding = replace(finding, severity=Severity.WARNING).noting(*told)
        findings[code, op] = PathFinding(op, finding, certain)


def of_ways(
    op: Operation, ways: Sequence[dict[tuple[str, Operation], PathFinding]]
) -> dict[tuple[str, Operation], PathFinding]:
    """Merge the findings behind a ``ttl.wait_any``: one is certain if its code is found whichever receive is first."""
    result: dict[tuple[str, Operation], PathFinding] = {}
    span = span_of(op)
    certain = set.intersection(*({key[0] for key, finding in way.items() if finding.certain} for way in ways))
    for number, way in enumerate(ways):
        for key, finding in way.items():
            if key in result:
                continue
            if key[0] not in certain and not all(key in other for other in ways):
                when = f"when receive {number}{'' if span is None else f' of those at line {span.line}'} is complete first"
                warned = replace(finding.diagnostic, severity=Severity.WARNING).noting(when)
                finding = PathFinding(finding.op, warned, False)
            result[key] = finding
    return result


def _again(loop: Operation) -> str:
    span = span_of(loop)
    return (
        "when the loop runs more than once"
        if span is None
        else f"when the loop at line {span.line} runs more than once"
    )
