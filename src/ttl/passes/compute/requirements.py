"""The demand of a region on the registers: places per tile, lifetimes of tiles, and the most places at once.

A place holds one sub-block of tiles. Allocation (``places.py``) reads the lifetimes here, the code that chooses a sub-block reads
how many of its tiles fit, and ``ttl-infer-dst-requirements`` writes the figures into the IR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import TensorType
from xdsl.ir import BlockArgument, SSAValue

from ttl.dialects import ttl as dialect
from ttl.dialects.tiles import TileFoldOp, TileOp, space_of


class TileLifetime(NamedTuple):
    """The places that a tile needs, from one step of the order to the last step that reads it.

    A tile that the region begins with is there from step -1 on; for a tile that is packed or kept at the end, the last step is
    the number of operations.
    """

    cost: int
    first: int
    last: int


def cost_of(op: TileOp) -> int:
    """The places that an operation takes: for its result, and for intermediate tiles while it runs."""
    return 2 if isinstance(op, TileFoldOp) else 1


def needs_of(
    order: Sequence[TileOp],
    held: Iterable[SSAValue],
    kept: Iterable[SSAValue],
    operands: Callable[[TileOp], Iterable[SSAValue]],
) -> dict[SSAValue, TileLifetime]:
    """Return the lifetime of each tile in the registers, for operations in an order.

    ``held`` tiles are there before, ``kept`` tiles are needed until the end, and ``operands`` says which tiles an
    operation reads in the registers.
    """
    first = dict.fromkeys(held, -1)
    last: dict[SSAValue, int] = {}
    for step, op in enumerate(order):
        first[op.result] = last[op.result] = step
        last |= dict.fromkeys(operands(op), step)
    last |= dict.fromkeys(kept, len(order))
    return {
        tile: TileLifetime(
            cost_of(tile.owner) if isinstance(tile.owner, TileOp) else 1, step, last.get(tile, step)
        )
        for tile, step in first.items()
    }


def held_inputs(region: dialect.ComputeRegionOp) -> list[BlockArgument]:
    """The arguments that are in the registers when the region begins, in the order of their places."""
    return [
        argument
        for value, argument in zip(region.inputs, region.body.block.args, strict=False)
        if isinstance(value.type, TensorType)
    ]


def is_carried(region: dialect.ComputeRegionOp) -> bool:
    """Whether values are in the registers when a region begins, or stay there when it ends."""
    return bool(region.values) or bool(held_inputs(region))


def peak_of(region: dialect.ComputeRegionOp) -> int:
    """Places of DST that a region with places uses."""
    ops = [*region.body.block.ops]
    placed = [op.place + 1 for op in ops if isinstance(op, TileOp) and op.place is not None]
    beside = [op.beside + 1 for op in ops if isinstance(op, TileFoldOp) and op.beside is not None]
    return max([len(held_inputs(region)), 1, *placed, *beside])


def largest_subblock(region: dialect.ComputeRegionOp, capacity: int, peak: int) -> int:
    """The tiles of the space, at most all of them, that registers for ``capacity`` tiles hold at once."""
    space = space_of(region)
    assert space is not None
    return prod(space) if is_carried(region) else min(capacity // peak, prod(space))
