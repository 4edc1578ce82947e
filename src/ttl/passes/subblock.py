"""``ttl-subblock``: how many tiles of a region's space one section of DST computes.

Expects: regions with places (``ttl-assign-dst``). Guarantees: every region has ``subblock``: one number of tiles in
linear order where every block is read and written in the order of the space, else rows and columns of the last two
dimensions, which divide the extents there.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from ttl.dialects import ttl as dialect
from ttl.dialects.tiles import TileFoldOp, TileMatmulOp, TileOp, TileReadOp, TileReduceOp, space_of
from ttl.ir.syntax import i64_array, ints_of
from ttl.passes.compute.matrix_unit import by_column
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.places import held_inputs
from ttl.passes.compute.views import strides_of
from ttl.passes.marks import WHY


@dataclass(frozen=True)
class Subblock(ModulePass):
    """How many tiles of a region one section of the registers computes."""

    name = "ttl-subblock"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in op.walk():
            if isinstance(operation, dialect.OperationOp):
                capacity = compute_mode(operation).capacity
                for region in operation.walk():
                    if isinstance(region, dialect.ComputeRegionOp):
                        choose(region, capacity)


def places_of(region: dialect.ComputeRegionOp) -> int:
    """Places of DST that the region uses."""
    ops = list(region.body.block.ops)
    placed = [op.place + 1 for op in ops if isinstance(op, TileOp) and op.place is not None]
    beside = [op.beside + 1 for op in ops if isinstance(op, TileFoldOp) and op.beside is not None]
    return max([len(held_inputs(region)), 1, *placed, *beside])


def choose(region: dialect.ComputeRegionOp, capacity: int) -> None:
    """Decide and write down the sub-block of a region."""
    space = space_of(region)
    assert space is not None
    room = capacity // places_of(region)
    tiles = prod(space)
    if is_linear(region):
        chosen: tuple[int, ...] = (tiles if is_carried(region) or tiles <= room else _even(tiles, room),)
    else:
        chosen = space[-2:] if is_carried(region) else _rectangle(region, space, room)
    region.attributes["subblock"] = i64_array(chosen)
    sections = 1 if is_carried(region) else -(-tiles // prod(chosen))
    if sections > 1:
        shape = " x ".join(map(str, chosen))
        region.attributes[WHY] = StringAttr(
            f"{tiles} tiles in {sections} sections of {shape}: the registers hold {capacity} tiles, and each point "
            f"needs {places_of(region)}"
        )


def subblock_of(region: dialect.ComputeRegionOp) -> tuple[int, ...]:
    """The sub-block that was chosen."""
    return ints_of(region.attributes["subblock"])  # type: ignore[arg-type]


def is_carried(region: dialect.ComputeRegionOp) -> bool:
    """Whether values are in the registers when a region begins, or stay there when it ends."""
    return bool(region.values) or bool(held_inputs(region))


def is_linear(region: dialect.ComputeRegionOp) -> bool:
    """Whether every tile is read in the order of the space, so that its dimensions do not matter."""
    space = space_of(region)
    assert space is not None
    order = strides_of(space, tuple(range(len(space))), len(space))
    for op in region.body.block.ops:
        if isinstance(op, TileMatmulOp | TileReduceOp | TileFoldOp):
            return False
        if isinstance(op, TileReadOp) and op.strides != order:
            return False
    return True


def _even(tiles: int, room: int) -> int:
    """As many as fit; fewer, where that makes equal sections and not more of them."""
    sections = -(-tiles // room)
    return tiles // sections if tiles % sections == 0 else room


def _rectangle(region: dialect.ComputeRegionOp, space: tuple[int, ...], room: int) -> tuple[int, int]:
    rows, columns = space[-2:]
    ops = list(region.body.block.ops)
    product = any(isinstance(op, TileMatmulOp) for op in ops)
    tall = by_column(ops)
    best = (1, 1)
    score = (0, 0, 0)
    for height in _divisors(rows):
        for width in _divisors(columns):
            if height * width > room:
                continue
            # A product of many tiles reads a row and a column for each of them: the squarer, the less.
            square = -abs(height - width) if product and not tall else 0
            result = (height * width, square, height if tall else width)
            if result > score:
                best, score = (height, width), result
    return best


def _divisors(extent: int) -> list[int]:
    return [number for number in range(1, extent + 1) if extent % number == 0]
