"""The layout of every result of a function: the user's override, the choice of a policy, or the need of an operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation

from tt_model.layouts.enums import BufferType, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.lying import stated_layout
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttnn import TTNNEmptyOp
from ttl.ir.refusals import Refused
from ttmlir.transforms.optimizer.candidates import divides_evenly, interleaved
from ttmlir.transforms.optimizer.chains import Chain, Edge, Policy, operand_bytes, relaid, walk
from ttmlir.transforms.optimizer.chip import TargetChip
from ttmlir.transforms.optimizer.cost import CostModel
from ttmlir.transforms.optimizer.legality import (
    cannot_take,
    chosen_result,
    is_kernel,
    keeps_place,
    keeps_type,
    legal_layouts,
    same_place,
)
from ttmlir.transforms.optimizer.paying import ChainCost, SolvedChain
from ttmlir.transforms.optimizer.requests import Requests
from ttmlir.transforms.optimizer.schedule import is_schedulable
from ttmlir.transforms.optimizer.solver import ChainEdge, ShardSolver, pairs_of


@dataclass(kw_only=True, slots=True)
class Decisions:
    """The decisions about a function.

    ``legal`` are the layouts that results may have, ``chosen`` those that they get, ``edges`` the new layouts of operands.
    ``unpaid`` are operations that could be in a chain and are in DRAM, because their shards do not pay. ``order`` is the order of
    the operations, empty if it does not change; ``why`` has the reasons for each result, in order.
    """

    legal: dict[Operation, tuple[TTNNLayout, ...]] = field(default_factory=dict)
    chosen: dict[Operation, TTNNLayout] = field(default_factory=dict)
    edges: dict[Edge, TTNNLayout] = field(default_factory=dict)
    order: tuple[Operation, ...] = ()
    why: dict[Operation, list[str]] = field(default_factory=dict)
    overridden: frozenset[Operation] = frozenset()
    asked: frozenset[Edge] = frozenset()
    usage: dict[Operation, dict[TTNNLayout, int]] = field(default_factory=dict)
    unpaid: set[Operation] = field(default_factory=set)

    def because(self, op: Operation, reason: str) -> None:
        """Record a reason for the layout of a result."""
        self.why.setdefault(op, []).append(reason)

    def now(self, op: Operation) -> TTNNLayout | None:
        """The layout that the first result of an operation gets."""
        if (chosen := self.chosen.get(op)) is not None:
            return chosen
        return stated_layout(op.results[0]) if op.results else None

    def operand(self, op: Operation, position: int) -> TTNNLayout | None:
        """The layout in which an operation gets an operand."""
        if (laid := self.edges.get((op, position))) is not None:
            return laid
        value = op.operands[position]
        if isinstance(value.owner, Operation) and value.owner.results[0] is value:
            return self.now(value.owner)
        return stated_layout(value)


def decide(
    block: Block,
    chip: TargetChip,
    requests: Requests,
    policy: Policy | None,
    *,
    most: int,
    reconfigure: bool,
) -> Decisions:
    """Decide about the function of a block. Without a policy every result gets the first of its legal layouts.

    ``most`` limits the number of sharded layouts of a result; without ``reconfigure`` a result that an operation does
    not take moves to DRAM, instead of getting a new layout for this operation.
    """
    decisions = Decisions(overridden=frozenset(requests.layouts))
    for op in block.ops:
        if op in requests.layouts:
            decisions.legal[op] = (requests.layouts[op],)
            decisions.because(op, "override-output-layout asks for it")
        elif is_schedulable(op) and stated_layout(op.results[0]) is not None:
            decisions.legal[op] = legal_layouts(op, chip, most)
    for op, layouts in decisions.legal.items():
        decisions.chosen[op] = layouts[0]
        if op in requests.left:
            decisions.because(
                op, f"another operation of this name has the requested layout: {requests.left[op]}"
            )
    edges = frozenset(edge for edge in requests.edges if edge[0].parent is block)
    if policy is not None:
        decisions.asked = edges if reconfigure else frozenset()
        _analyse(block, chip, decisions, policy, decisions.asked)
    settle(block, chip, decisions, reconfigure=reconfigure)
    return decisions


# Policies


def _analyse(
    block: Block, chip: TargetChip, decisions: Decisions, policy: Policy, edges: frozenset[Edge]
) -> None:
    walked = walk(block, policy, decisions.legal, edges, chip)
    decisions.order = walked.order
    for op, reason in walked.ends.items():
        if op in decisions.chosen and op not in decisions.overridden:
            decisions.because(op, f"{policy}: in no chain, because {reason}")
    resharded: set[Edge] = set()
    for number, chain in enumerate(walked.chains):
        if policy == "DFSharding":
            resharded |= _solve(chain, number, chip, decisions, edges)
            continue
        for op in chain.operations:
            decisions.chosen[op] = chain.candidates[op][0]
            decisions.because(op, f"{policy}: chain {number}, which keeps its tensors in L1")
    if policy == "DFSharding" and walked.chains:
        for op, position in sorted(edges | resharded, key=_place_of(block)):
            _lay_anew(op, position, chip, decisions)


def _place_of(block: Block) -> Callable[[Edge], tuple[int, int]]:
    """Return the sort key of edges: the place of the operation, then the position of the operand."""
    places = {op: index for index, op in enumerate(block.ops)}
    return lambda edge: (places[edge[0]], edge[1])


def _solve(
    chain: Chain, number: int, chip: TargetChip, decisions: Decisions, edges: frozenset[Edge]
) -> set[Edge]:
    """Choose the layouts of a chain; return the edges of it that get a new layout."""
    operations, candidates = chain.operations, chain.candidates
    positions = [next(use.index for use in before.results[0].uses) for before in operations[:-1]]
    chain_edges = []
    for index, (op, position) in enumerate(zip(operations[1:], positions)):
        asked = (op, position) in edges
        pairs = _pairs(chip, operations[index], op, position, candidates, anew=asked)
        chain_edges.append(ChainEdge(producer=index, consumer=index + 1, pairs=pairs, resharded=asked))
    solver = ShardSolver(
        [[layout.grid.volume for layout in candidates[op]] for op in operations],
        [
            [layout.memory_layout is TensorMemoryLayout.BlockSharded for layout in candidates[op]]
            for op in operations
        ],
        chain_edges,
        _first_sets(chain, chip, decisions, edges),
    )
    solution = solver.solve()
    anew = {(operations[index + 1], positions[index]) for index in solution.resharded}
    solved = SolvedChain(
        operations=operations,
        shards=[candidates[op][chosen] for op, chosen in zip(operations, solution.chosen, strict=True)],
        plain=[decisions.legal[op][0] for op in operations],
        positions=positions,
        anew=anew | edges,
        # A chain with a request of a user keeps the choice of the policy, whether it pays or not.
        kept=bool(
            decisions.overridden.intersection(operations) or {op for op, _ in edges}.intersection(operations)
        ),
    )
    paid = ChainCost(solved, CostModel(chip), decisions.operand, decisions.now).cheapest()
    for position_in_chain, op in enumerate(operations):
        layout = solved.shards[position_in_chain]
        if not paid.in_shards[position_in_chain]:
            decisions.unpaid.add(op)
            decisions.because(
                op,
                f"DFSharding: in DRAM, because shards do not pay: chain {number} and its user are estimated to take "
                f"{paid.all_in_shards:,} cycles with all shards, {paid.none_in_shards:,} with none, {paid.cycles:,} so; it would be on "
                f"{layout.grid.volume} cores",
            )
            continue
        decisions.chosen[op] = layout
        decisions.usage[op] = dict(zip(candidates[op], solution.usage[position_in_chain]))
        if op in decisions.overridden:
            continue
        left = solution.allowed[position_in_chain].bit_count()
        usage = solution.usage[position_in_chain][solution.chosen[position_in_chain]]
        decisions.because(
            op,
            f"DFSharding: chain {number}; of {len(candidates[op])} layouts in shards {left} go with its neighbours, and this one "
            f"uses the most cores over the rest of the chain, {usage:,}",
        )
    in_shards = {op for op, kept in zip(operations, paid.in_shards, strict=True) if kept}
    return {
        (op, position)
        for op, position in anew
        if op in in_shards and op.operands[position].owner in in_shards
    }


def _pairs(
    chip: TargetChip,
    before: Operation,
    op: Operation,
    position: int,
    candidates: Mapping[Operation, tuple[TTNNLayout, ...]],
    *,
    anew: bool,
) -> tuple[int, ...]:
    """Return the compatible layouts of two neighbours: of one kind, small enough together, and legal for the operation.

    With ``anew``, the operand gets a new layout, so that all pairs are compatible.
    """
    mine, others = candidates[before], candidates[op]
    shape, result = shape_of(op.operands[position]), shape_of(op.results[0])
    if anew:
        everything = (1 << len(others)) - 1
        return (everything,) * len(mine)
    sizes = [chip.bytes_of(layout, shape) for layout in mine]
    other_sizes = [chip.bytes_of(layout, result) for layout in others]

    def compatible(one: int, other: int) -> bool:
        return (
            mine[one].memory_layout == others[other].memory_layout
            and chip.fits(sizes[one] + other_sizes[other])
            and cannot_take(op, position, mine[one], others[other], mine[one]) is None
        )

    return pairs_of(len(mine), len(others), compatible)


def _first_sets(chain: Chain, chip: TargetChip, decisions: Decisions, edges: frozenset[Edge]) -> list[int]:
    """Return the initial sets of candidates, without those that do not fit before or behind the chain."""
    sets = [(1 << len(chain.candidates[op])) - 1 for op in chain.operations]
    first, last = chain.operations[0], chain.operations[-1]
    if (first, 0) in edges:
        shape = shape_of(first.results[0])
        sets[0] = _kept(
            sets[0],
            chain.candidates[first],
            lambda layout: chip.fits(operand_bytes(first, layout, chip) + chip.bytes_of(layout, shape)),
        )
    use = next(iter(last.results[0].uses))  # an operation of a chain has one use
    user, position = use.operation, use.index
    if (user, position) not in edges:
        after = decisions.now(user)
        sets[-1] = _kept(
            sets[-1],
            chain.candidates[last],
            lambda layout: cannot_take(user, position, layout, after, layout) is None,
        )
    return sets


def _kept(of: int, layouts: tuple[TTNNLayout, ...], wanted: Callable[[TTNNLayout], bool]) -> int:
    """Return the members of a set that fulfil a condition; the whole set if none does, as the next operand gets a new layout."""
    kept = sum(1 << index for index, layout in enumerate(layouts) if of >> index & 1 and wanted(layout))
    return kept or of


# Layouts that operations need


def _lay_anew(op: Operation, position: int, chip: TargetChip, decisions: Decisions) -> None:
    """Give an operand the shards of the result if the operation takes them; else put it in DRAM."""
    before, after = decisions.operand(op, position), decisions.now(op)
    if before is None or after is None or before.buffer_type.is_host:
        return
    shape = shape_of(op.operands[position])
    wanted = relaid(before, shape, after)
    uneven = wanted.memory_layout.is_sharded and not divides_evenly(shape, wanted)
    if uneven or cannot_take(op, position, wanted, after, before) is not None:
        wanted = interleaved(before, shape, chip, BufferType.DRAM)
    decisions.edges[op, position] = wanted


def settle(block: Block, chip: TargetChip, decisions: Decisions, *, reconfigure: bool) -> None:
    """Give new layouts to operands that operations do not take, and to results in the memory of their operand."""
    for edge in [edge for edge in decisions.edges if edge not in decisions.asked]:
        _forget(edge, decisions)
    for op in decisions.order or tuple(block.ops):
        if isinstance(op, TTNNEmptyOp):
            continue
        inits = set(getattr(op, "inits", ()))
        for position, value in enumerate(op.operands):
            original = stated_layout(value)
            if original is None or value in inits:
                continue
            laid = decisions.operand(op, position)
            assert laid is not None
            after = decisions.now(op)
            reason = cannot_take(op, position, laid, after, original)
            if laid == original and (after is None or not after.memory_layout.is_sharded):
                reason = None  # the original layout, which is not a decision of the optimizer
            if reason is None and keeps_place(op) and op in decisions.overridden:
                reason = _elsewhere(op, laid, decisions)
            if reason is not None:
                _repair(op, position, reason, chip, decisions, reconfigure)
        if keeps_place(op) and chosen_result(op) is not None:
            _follow(op, chip, decisions)


def _forget(edge: Edge, decisions: Decisions) -> None:
    """Drop the new layout of an operand if the operation takes the operand without it."""
    op, position = edge
    laid = decisions.edges.pop(edge)
    plain, original = decisions.operand(op, position), stated_layout(op.operands[position])
    assert plain is not None and original is not None
    if cannot_take(op, position, plain, decisions.now(op), original) is not None:
        decisions.edges[edge] = laid


def _elsewhere(op: Operation, operand: TTNNLayout, decisions: Decisions) -> str | None:
    """Return why a result in the memory of its operand cannot have a requested layout; None if it has it."""
    wanted = decisions.chosen[op]
    same = operand == wanted if keeps_type(op) else same_place(operand, wanted)
    return None if same else f"{op.name} writes its result into the memory of its operand"


def _repair(
    op: Operation, position: int, reason: str, chip: TargetChip, decisions: Decisions, reconfigure: bool
) -> None:
    """Give an operand a layout that the operation takes; without ``reconfigure``, move a result to DRAM instead."""
    value = op.operands[position]
    owner, shape = value.owner, shape_of(value)
    original, laid = stated_layout(value), decisions.operand(op, position)
    assert original is not None and laid is not None
    if not reconfigure and isinstance(owner, Operation):
        if owner in decisions.overridden or op in decisions.overridden:
            text = f"operand {position} of '{op.name}' op needs a change of layout: {reason}"
            raise Refused(text, "what works: memreconfig-enabled=true, or no override of it", op)
        # An operand in its original layout keeps it, and the result moves instead.
        moved = op if laid == original else owner
        decisions.chosen[moved] = decisions.legal[moved][0]
        decisions.because(moved, f"back in DRAM, because {reason}, and memreconfig-enabled is false")
        return
    wanted = interleaved(laid, shape, chip, BufferType.DRAM)
    if is_kernel(op):
        wanted = original
    elif keeps_place(op) and op in decisions.overridden:
        wanted = relaid(laid, shape, decisions.chosen[op])
    decisions.edges[op, position] = wanted
    if isinstance(owner, Operation):
        decisions.because(owner, f"layout changed for operand {position} of {op.name}: {reason}")


def _follow(op: Operation, chip: TargetChip, decisions: Decisions) -> None:
    """Give a result the place of its operand, in whose memory the library leaves it."""
    operand, current = decisions.operand(op, 0), decisions.chosen[op]
    if operand is None or op in decisions.overridden:
        return
    shape = shape_of(op.results[0])
    if keeps_type(op):
        wanted = operand
    elif same_place(operand, current):
        return
    elif operand.memory_layout.is_sharded:
        wanted = relaid(current, shape, operand)
    else:
        wanted = interleaved(current, shape, chip, operand.buffer_type)
    if wanted != current:
        decisions.chosen[op] = wanted
        decisions.because(
            op, f"in the memory of its operand: in the library, {op.name} takes no memory configuration"
        )
