"""The choice of sizes: each combination of steps and spreading is a plan; the cheapest one that fits in L1 is chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import permutations
from types import MappingProxyType
from typing import Any

from ttl.arch import Chip
from ttl.design.cost import estimated
from ttl.design.dependences import conflict
from ttl.design.graph import Compute, Graph, GraphValue, Knob, items
from ttl.design.plan import DesignPlan, others_like, plans, require_plannable
from ttl.design.reading import read
from ttl.design.spread import decide_kinds, spreadings
from ttl.design.sums import summable
from ttl.diag import Diagnostic, Severity
from ttl.frontend.values import UserFunction
from ttl.rules import design as rules

# Steps, in tiles, with which the search begins.
_STARTS = (1, 4)
# The number of plans beyond which changes of two knobs are not tried.
_ENOUGH = 500
# The number of best plans whose neighbours are considered.
_WIDENED = 32
# The number of plans from which the tuner may choose.
_KEPT = 32
_NONE = 1 << 30
# The cost per byte of a plan that does not fit: above the cost of all that fit, and lower for smaller plans.
_TOO_LARGE = 1e9


def ranked(
    function: UserFunction,
    arguments: Mapping[str, Any],
    limit: tuple[int, int],
    chip: Chip,
    fixed: Mapping[str, int] = MappingProxyType({}),
    allowed: Callable[[DesignPlan], bool] = lambda candidate: True,
) -> tuple[list[DesignPlan], list[Diagnostic]]:
    """Return the plans that were considered and fit, the best first; if no plan fits, an empty list and the reason.

    ``fixed`` has the only value to consider of a knob, by the name of the knob; ``allowed`` is False for plans to
    exclude.
    """
    grid = (limit[0], limit[1])
    first, findings = read(function, arguments, grid, chip, {})
    if first is None:
        return [], findings
    if any(finding.severity is Severity.ERROR for finding in findings):
        return [], findings
    decide_kinds(first)
    # A program must not depend on the sizes: it is refused if it is wrong with the first ones, even if it is right with
    # others.
    wrong = require_plannable(first) or conflict(first)
    if wrong is not None:
        return [], [*findings, wrong]
    knobs = tuple(
        replace(knob, values=(fixed[knob.name],)) if fixed.get(knob.name) in knob.values else knob
        for knob in first.knobs
    )
    search = _Search(function, arguments, grid, chip, knobs, allowed)
    for start in _STARTS:
        search.descend(
            {
                knob.key: max((value for value in knob.values if value <= start), default=knob.values[0])
                for knob in knobs
            }
        )
    if not search.plans:
        # Small steps alone would not lead to blocks that are whole dimensions.
        search.descend({knob.key: knob.values[-1] for knob in knobs})
    search.widen()
    if not search.plans and search.smallest is None:
        return [], findings
    if not search.plans and search.fewest > chip.dataflow_buffers:
        return [], [*findings, rules.too_many_buffers(search.fewest, chip.dataflow_buffers).at(first.span)]
    if not search.plans:
        smallest = search.smallest
        assert smallest is not None
        largest = sorted(smallest.streams, key=lambda buffer: -buffer.nbytes)[:3]
        finding = rules.does_not_fit(
            smallest.nbytes + _temporaries(smallest.graph),
            chip.l1_available_bytes,
            [(b.name, b.nbytes) for b in largest],
        )
        return [], [*findings, finding.at(first.span)]
    return sorted(search.plans.values(), key=lambda candidate: candidate.estimate)[:_KEPT], findings


class _Search:
    """A descent along one knob after the other, from several starts; costs are computed once."""

    def __init__(
        self,
        function: UserFunction,
        arguments: Mapping[str, Any],
        grid: tuple[int, int],
        chip: Chip,
        knobs: tuple[Knob, ...],
        allowed: Callable[[DesignPlan], bool],
    ) -> None:
        self._function, self._arguments, self._grid, self._chip = function, arguments, grid, chip
        self._knobs, self._allowed = knobs, allowed
        self._costs: dict[tuple[int, ...], float] = {}
        self.plans: dict[str, DesignPlan] = {}
        self.smallest: DesignPlan | None = None
        self.fewest = _NONE

    def descend(self, choices: dict[Any, int]) -> None:
        """Change one knob, or two in opposite directions, as long as that lowers the cost."""
        cost, improved = self._cost(choices), True
        while improved:
            improved = False
            for changed in self._moves(choices):
                tried = {**choices, **changed}
                own = self._cost(tried)
                if own < cost:
                    choices, cost, improved = tried, own, True
                    break

    def _moves(self, choices: dict[Any, int]) -> Iterator[dict[Any, int]]:
        """Yield changes of one knob or two."""
        for knob in self._knobs:
            yield from ({knob.key: value} for value in _near(knob.values, choices[knob.key]))
        for up, down in permutations(self._knobs, 2):
            at, below = up.values.index(choices[up.key]), down.values.index(choices[down.key])
            if at + 1 < len(up.values) and below > 0 and len(self.plans) < _ENOUGH:
                yield {up.key: up.values[at + 1], down.key: down.values[below - 1]}

    def _cost(self, choices: dict[Any, int]) -> float:
        """Return the cycles of the best plan for some choices.

        If no plan fits, return a larger number, which grows with the bytes of the smallest plan; infinity if the
        program is refused, or all plans are excluded or have too many buffers.
        """
        key = tuple(choices.values())
        if key not in self._costs:
            self._costs[key] = self._planned(choices)
        return self._costs[key]

    def _planned(self, choices: dict[Any, int]) -> float:
        graph, _ = read(self._function, self._arguments, self._grid, self._chip, choices)
        if graph is None:
            return math.inf
        decide_kinds(graph)
        if conflict(graph) is not None:
            return math.inf
        temporaries = _temporaries(graph)
        return min(
            self._considered(candidate, temporaries)
            for spreading in spreadings(graph, summable(graph), self._grid)
            for candidate in plans(graph, spreading, self._grid)
        )

    def widen(self) -> None:
        """Consider variants of the best plans, too."""
        for known in sorted(self.plans.values(), key=lambda candidate: candidate.estimate)[:_WIDENED]:
            temporaries = _temporaries(known.graph)
            for candidate in others_like(known, self._grid):
                self._considered(candidate, temporaries)

    def _considered(self, candidate: DesignPlan, temporaries: int) -> float:
        """Return the cost of a plan, infinity if it is excluded or has too many buffers; a plan that fits is stored."""
        if candidate.label in self.plans:
            return self.plans[candidate.label].estimate
        if not self._allowed(candidate):
            return math.inf
        taken = candidate.nbytes + temporaries
        if self.smallest is None or taken < self.smallest.nbytes + _temporaries(self.smallest.graph):
            self.smallest = candidate
        self.fewest = min(self.fewest, candidate.rings)
        if candidate.rings > self._chip.dataflow_buffers:
            return math.inf
        if taken > self._chip.l1_available_bytes or not _in_shares(candidate, self._chip):
            return _TOO_LARGE * taken
        candidate.estimate, candidate.limited_by = estimated(candidate, self._chip)
        self.plans[candidate.label] = candidate
        return candidate.estimate


def _near(values: tuple[int, ...], now: int) -> tuple[int, ...]:
    """Return the values next to ``now``, two on each side."""
    at = values.index(now)
    return (*values[at + 1 : at + 3], *reversed(values[max(at - 2, 0) : at]))


def _temporaries(graph: Graph) -> int:
    """Return an upper bound of the bytes of the compiler's own buffers.

    They hold computed operands of products, reductions, transpositions and repetitions.
    """
    computed: dict[GraphValue, Compute] = {
        item.value: item for item in items(graph.body) if isinstance(item, Compute)
    }
    total = 0
    for item in computed.values():
        if item.op.family in ("product", "reduction", "transposition", "repetition"):
            total += sum(
                operand.type.nbytes
                for operand in item.operands
                if isinstance(operand, GraphValue) and operand in computed
            )
    return total


def _in_shares(candidate: DesignPlan, chip: Chip) -> bool:
    """Whether the buffers of a plan take at most the share of L1 of each of its knobs."""
    for knob in candidate.graph.knobs:
        if knob.share is not None and candidate.nbytes > knob.share * chip.l1_available_bytes:
            return False
    return True
