"""Chains of operations that keep their tensors in L1, found by a walk over a function that both policies do.

A chain is a path: every operation of it is used once, by the next. The operation before a fork, before a join that waits for
another branch, and before a tensor leaves the device ends its chain and stays in DRAM.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import Literal, get_args

from xdsl.ir import Block, Operation

from tt_model.layouts.enums import BufferType
from tt_model.layouts.layout import TTNNLayout
from tt_model.operations.lying import stated_layout
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttnn import TTNNToLayoutOp
from ttmlir.transforms.optimizer.chip import TargetChip
from ttmlir.transforms.optimizer.legality import cannot_take, chosen_result, keeps_place
from ttmlir.transforms.optimizer.schedule import Schedule

Policy = Literal["DFSharding", "L1Interleaved"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
# An extension: of both policies and no analysis, the choice that is estimated to take the fewest cycles.
FASTEST = "Fastest"

Legal = Mapping[Operation, tuple[TTNNLayout, ...]]
# An operand that gets a new layout before its operation: the operation, and the position of the operand.
Edge = tuple[Operation, int]


@dataclass(slots=True)
class Chain:
    """Operations whose results stay in L1 for the next one, with the layouts that each may choose from."""

    operations: list[Operation] = field(default_factory=list)
    candidates: dict[Operation, tuple[TTNNLayout, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Walk:
    """The result of a policy for a function: its chains, the order of its operations, and why chains end."""

    chains: tuple[Chain, ...]
    order: tuple[Operation, ...]
    ends: Mapping[Operation, str]


def walk(block: Block, policy: Policy, legal: Legal, edges: Set[Edge], chip: TargetChip) -> Walk:
    """The chains of a function of one block."""
    wanted = {op: tuple(filter(_filter_of(policy), layouts)) for op, layouts in legal.items()}
    schedule = Schedule(block)
    chains: list[Chain] = []
    ends: dict[Operation, str] = {}
    chain, current = Chain(), None
    while schedule:
        if not chain.operations and (change := schedule.first_change()) is not None:
            current = change
        elif current is None:
            current = schedule.first()
        schedule.take(current)
        if not chain.operations and isinstance(current, TTNNToLayoutOp):
            current = None
            continue
        following = schedule.last_ready_user(current) if schedule else None
        why = _why_not(current, following, chain, wanted, edges, chip)
        if why is None:
            chain.operations.append(current)
            chain.candidates[current] = wanted[current]
            current = following
            continue
        ends[current] = why
        current = None
        if chain.operations:
            chains.append(chain)
            chain = Chain()
    if chain.operations:
        chains.append(chain)
    return Walk(tuple(chains), tuple(schedule.order), ends)


def _filter_of(policy: Policy) -> Callable[[TTNNLayout], bool]:
    if policy == "DFSharding":
        return lambda layout: layout.memory_layout.is_sharded
    return lambda layout: layout.buffer_type is BufferType.L1 and not layout.memory_layout.is_sharded


def _why_not(
    current: Operation,
    following: Operation | None,
    chain: Chain,
    wanted: Legal,
    edges: Set[Edge],
    chip: TargetChip,
) -> str | None:
    """Return why an operation does not join its chain; None if it does."""
    result = chosen_result(current)
    if result is None:
        return "the optimizer does not change it"
    if following is None:
        users = sorted({use.operation.name for use in result.uses})
        if not users:
            return "no operation uses it"
        return f"{users[0]}, which uses it, needs another operand that is computed later"
    uses = list(result.uses)
    if len(uses) != 1:
        return f"it is used {len(uses)} times, but operations of a chain must be used once"
    mine, others = wanted[current], wanted.get(following, ())
    if not mine:
        return f"{current.name} has no such layout in L1"
    if not others:
        return f"{following.name}, which uses it, has no such layout in L1"
    if keeps_place(current) and not chain.operations:
        return f"{current.name} writes its result into its operand, which is not in a chain"
    size = chip.bytes_of(mine[0], shape_of(result)) + chip.bytes_of(others[0], shape_of(following.results[0]))
    if not chip.fits(size):
        return f"it and {following.name} take {size:,} bytes of L1, which is not less than 0.8 of {chip.usable_l1:,}"
    position = uses[0].index
    if (refused := _takes_none(following, position, mine[0], others)) is not None:
        return refused
    if not chain.operations and (current, 0) in edges:
        together = operand_bytes(current, mine[0], chip) + chip.bytes_of(mine[0], shape_of(result))
        if not chip.fits(together):
            return f"it and its operand in the new layout take {together:,} bytes of L1, which is not less than 0.8 of {chip.usable_l1:,}"
    return None


def _takes_none(op: Operation, position: int, mine: TTNNLayout, others: tuple[TTNNLayout, ...]) -> str | None:
    """Return why an operation takes an operand in the shards of no candidate of its result; None if it takes one."""
    shape, refused = shape_of(op.operands[position]), None
    for other in others:
        operand = relaid(mine, shape, other)
        refused = cannot_take(op, position, operand, other, operand)
        if refused is None:
            return None
    return refused


def operand_bytes(op: Operation, layout: TTNNLayout, chip: TargetChip) -> int:
    """Bytes of the first operand in the grid and the memory of a result's layout."""
    operand = op.operands[0]
    current = stated_layout(operand)
    if current is None:
        return 0
    return chip.bytes_of(relaid(current, shape_of(operand), layout), shape_of(operand))


def relaid(current: TTNNLayout, shape: tuple[int, ...], like: TTNNLayout) -> TTNNLayout:
    """Return a layout with the grid, memory and pages of another one; its data type stays."""
    element = current.tiled().element if like.is_tiled else current.row_major().element
    layout = current.with_grid(shape, like.grid.shape).with_element(element)
    return layout.with_buffer_type(like.buffer_type).with_memory_layout(like.memory_layout)
