"""The choice of the operations of a chain that gain by their shards.

The policy of the real project takes the shards with the most cores, but divides the last two dimensions only: a stack
of small matrices gets few cores, while an operation on an interleaved tensor uses all cores of the chip. So the cost
model compares the shards of a chain with DRAM. A chain is a path, and the cycles of an operation depend on its own
layout and on that of the operation before: the choice of shards or DRAM for each operation that takes the fewest cycles
in total is found from the first operation to the last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from math import inf

from xdsl.ir import Operation

from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.lying import stated_layout
from tt_model.operations.tensors import shape_of
from ttmlir.transforms.optimizer.chains import Edge, relaid
from ttmlir.transforms.optimizer.cost import CostModel, Laid
from ttmlir.transforms.optimizer.legality import cannot_take, keeps_place


@dataclass(frozen=True, kw_only=True, slots=True)
class SolvedChain:
    """A chain with the shards that the solver chose for its operations, and their layouts without shards (``plain``).

    ``positions``: the positions of the operands that come from the operation before; ``anew``: the operands that get a
    new layout; ``kept``: whether the chain keeps all its shards because of a user's request.
    """

    operations: Sequence[Operation]
    shards: Sequence[TTNNLayout]
    plain: Sequence[TTNNLayout]
    positions: Sequence[int]
    anew: Set[Edge]
    kept: bool


@dataclass(frozen=True, slots=True)
class PaidChain:
    """Which operations keep their shards, and the estimated cycles of the chain and of its user.

    ``cycles`` is the estimate for this choice; the other two are for shards everywhere and nowhere.
    """

    in_shards: tuple[bool, ...]
    cycles: int
    all_in_shards: int
    none_in_shards: int


class ChainCost:
    """The cycles of the operations of a chain, by the layout of each operation and of the one before.

    ``operand`` and ``now`` return the layouts of all other tensors: of an operand by its position, and of an
    operation's result.
    """

    def __init__(
        self,
        chain: SolvedChain,
        model: CostModel,
        operand: Callable[[Operation, int], TTNNLayout | None],
        now: Callable[[Operation], TTNNLayout | None],
    ) -> None:
        self._chain, self._model, self._operand, self._now = chain, model, operand, now
        self._last = len(chain.operations)

    def cheapest(self) -> PaidChain:
        """Return the choice with the fewest cycles; among equals, the one with shards."""
        if self._chain.kept:
            cycles = round(self._alike(True))
            return PaidChain((True,) * self._last, cycles, cycles, round(self._alike(False)))
        best = {True: 0.0, False: inf}  # before the first operation there is nothing to choose
        came_from: list[dict[bool, bool]] = []
        for index in range(self._last):
            reached, previous = {}, {}
            for state in (True, False):
                totals = {before: best[before] + self._step(index, before, state) for before in (True, False)}
                before = min(totals, key=lambda one: (totals[one], not one))
                reached[state], previous[state] = totals[before], before
            best = reached
            came_from.append(previous)
        totals = {state: best[state] + self._after(state) for state in (True, False)}
        state = min(totals, key=lambda one: (totals[one], not one))
        states = [state]
        for previous in reversed(came_from[1:]):
            states.append(previous[states[-1]])
        return PaidChain(
            tuple(reversed(states)),
            round(totals[state]),
            round(self._alike(True)),
            round(self._alike(False)),
        )

    def _alike(self, state: bool) -> float:
        steps = (self._step(index, index == 0 or state, state) for index in range(self._last))
        return sum(steps) + self._after(state)

    def _step(self, index: int, before: bool, state: bool) -> float:
        chain, op = self._chain, self._chain.operations[index]
        result = chain.shards[index] if state else chain.plain[index]
        if index == 0:
            return self._of(op, result, {})
        if keeps_place(op) and before != state:
            return inf
        position = chain.positions[index - 1]
        shape = shape_of(op.operands[position])
        source = chain.shards[index - 1] if before else chain.plain[index - 1]
        target = source
        if before and state and (op, position) in chain.anew:
            target = relaid(source, shape, result)
        elif before and cannot_take(op, position, source, result, source) is not None:
            target = chain.plain[index - 1]
        moved = 0 if target == source else self._model.of_move((source, shape), (target, shape)).cycles
        return moved + self._of(op, result, {position: target})

    def _after(self, state: bool) -> float:
        """The cycles of the user of the last result, which is not in the chain."""
        chain, last = self._chain, self._chain.operations[-1]
        use = next(iter(last.results[0].uses))
        user, position, shape = use.operation, use.index, shape_of(last.results[0])
        result = self._now(user)
        if result is None or result.buffer_type.is_host:
            return 0
        source = chain.shards[-1] if state else chain.plain[-1]
        target = source
        if state and cannot_take(user, position, source, result, source) is not None:
            target = chain.plain[-1]
        moved = 0 if target == source else self._model.of_move((source, shape), (target, shape)).cycles
        return moved + self._of(user, result, {position: target})

    def _of(self, op: Operation, result: TTNNLayout, laid: dict[int, TTNNLayout]) -> float:
        inits = set(getattr(op, "inits", ()))
        operands: list[Laid] = []
        for position, value in enumerate(op.operands):
            if value in inits or stated_layout(value) is None:
                continue
            layout = laid.get(position) or self._operand(op, position)
            if layout is not None:
                operands.append((layout, shape_of(value)))
        cost = self._model.of(op, operands, (result, shape_of(op.results[0])))
        return 0 if cost is None else cost.cycles
