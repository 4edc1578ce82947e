"""Which sizes: every choice of steps and spreading is a plan; the cheapest that fits in L1 is the one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from ttl.arch import Chip
from ttl.design.cost import estimated
from ttl.design.graph import Graph, Knob, Value, items, Compute
from ttl.design.plan import Plan, Spreading, decide_kinds, plan, require_plannable, spreadings
from ttl.design.reading import read
from ttl.diag import Diagnostic, Severity
from ttl.frontend.values import UserFunction
from ttl.rules import design as rules

_MOST_GRAPHS = 160


def best(
    function: UserFunction, arguments: Mapping[str, Any], limit: tuple[int, int], chip: Chip
) -> tuple[Plan | None, list[Diagnostic]]:
    """The best plan for arguments, or why there is none."""
    grid = (limit[0], limit[1])
    first, findings = read(function, arguments, grid, chip, {})
    if first is None:
        return None, findings
    if any(finding.severity is Severity.ERROR for finding in findings):
        return None, findings
    decide_kinds(first)
    wrong = require_plannable(first)
    if wrong is not None:
        return None, [*findings, wrong]
    candidates: list[Plan] = []
    smallest: Plan | None = None
    for choices in _choices(first.knobs):
        graph, _ = read(function, arguments, grid, chip, choices) if choices != first.choices else (first, findings)
        if graph is None:
            continue
        decide_kinds(graph)
        for spreading in spreadings(graph):
            made = plan(graph, spreading, grid, chip)
            taken = made.nbytes + _temporaries(graph)
            if smallest is None or taken < smallest.nbytes + _temporaries(smallest.graph):
                smallest = made
            if taken > chip.l1_available_bytes or not _in_shares(made, chip):
                continue
            made.estimate, made.limited_by = estimated(made, chip)
            candidates.append(made)
    if not candidates:
        assert smallest is not None
        largest = sorted(smallest.buffers.values(), key=lambda buffer: -buffer.nbytes)[:3]
        finding = rules.does_not_fit(
            smallest.nbytes + _temporaries(smallest.graph), chip.l1_available_bytes, [(b.name, b.nbytes) for b in largest]
        )
        return None, [*findings, finding.at(first.span)]
    chosen = min(candidates, key=lambda made: made.estimate)
    return chosen, findings


def _choices(knobs: tuple[Knob, ...]) -> Iterator[dict[Any, int]]:
    """Choices of all knobs: every combination where they are few, else the values that are powers of two or whole."""
    values = [knob.values for knob in knobs]
    for most in (12, 6, 4, 3, 2):
        count = 1
        for own in values:
            count *= len(own)
        if count <= _MOST_GRAPHS:
            break
        values = [_thinned(own, most) for own in values]
    for combination in product(*values):
        yield {knob.key: value for knob, value in zip(knobs, combination, strict=True)}


def _thinned(values: tuple[int, ...], most: int) -> tuple[int, ...]:
    """The smallest values: blocks that are larger than some tiles bring nothing more."""
    return values[:most]


def _temporaries(graph: Graph) -> int:
    """What the compiler may put into buffers of its own: factors and operands of reductions that are computed."""
    computed: dict[Value, Compute] = {item.value: item for item in items(graph.body) if isinstance(item, Compute)}
    total = 0
    for item in computed.values():
        if item.op.family in ("product", "reduction", "transposition", "repetition"):
            total += sum(
                operand.type.nbytes for operand in item.operands if isinstance(operand, Value) and operand in computed
            )
    return total


def _in_shares(made: Plan, chip: Chip) -> bool:
    """Whether steps with a share of the memory keep to it."""
    for knob in made.graph.knobs:
        if knob.share is not None and made.nbytes > knob.share * chip.l1_available_bytes:
            return False
    return True


__all__ = ["Spreading", "best"]
