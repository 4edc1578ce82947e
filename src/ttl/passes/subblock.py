"""``ttl-subblock``: how many tiles of a region's space one section of DST computes.

Expects: regions with places (``ttl-assign-dst``). Guarantees: every region has ``subblock``: one number of tiles in
linear order where every block is read and written in the order of the space, else rows and columns of the last two
dimensions. The compile option ``subblock`` sets it for regions by number, in the order of the operation. A sub-block
that is chosen without the option divides the extents; if the requested rows or columns do not, there are sub-blocks of
two sizes, none of them larger than requested (``structured/sizes.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from ttl.analysis.dominance import outermost
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.tiles import TileFoldOp, TileMatmulOp, TileReadOp, TileReduceOp, space_of
from ttl.ir.failure import NotLowered
from ttl.ir.syntax import i64_array, ints_of
from ttl.passes.choices import (
    ChoicePoint,
    ChoosingPass,
    illegal,
    named,
    operations_of,
    point,
    unknown_names,
)
from ttl.passes.compute.matrix_unit import by_column
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.requirements import is_carried, largest_subblock, peak_of
from ttl.passes.compute.views import shape_around, strides_of
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import WHY

Shape = tuple[int, ...]
"""One number of tiles in linear order, or rows and columns."""


@dataclass(frozen=True)
class Subblock(ChoosingPass):
    """Choose how many tiles of a region one section of the registers computes.

    ``shapes`` sets it for some regions: ``0:8,2:2x4`` are eight tiles in a row for the first, and two rows of four for
    the third.
    """

    name = "ttl-subblock"
    contract: ClassVar = Contract(needs=(PassFact.PLACES,), gives=(PassFact.SECTIONS,))
    shapes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        named("subblock", self.shapes)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        asked = named("subblock", self.shapes)
        problems: list[Diagnostic] = []
        for operation in operations_of(op):
            capacity = compute_mode(operation).capacity
            regions = _regions(operation)
            problems += unknown_names("subblock", "region", asked, list(regions), operation)
            for number, region in regions.items():
                if number not in asked:
                    choose(region, capacity)
                    continue
                problem = _choose_as_asked(number, region, capacity, asked[number])
                problems += [] if problem is None else [problem]
        if problems:
            raise NotLowered(problems)

    def choices(self, module: ModuleOp) -> Iterator[ChoicePoint]:
        asked = named("subblock", self.shapes)
        for operation in operations_of(module):
            capacity = compute_mode(operation).capacity
            for number, region in _regions(operation).items():
                shapes = [*map(_text, _legal(region, capacity))]
                if len(shapes) > 1:
                    why = "asked for" if number in asked else "the most tiles that the registers hold, evenly"
                    yield point(f"subblock.{number}", _text(subblock_of(region)), shapes, why, region)


def _regions(operation: dialect.OperationOp) -> dict[str, dialect.ComputeRegionOp]:
    regions = outermost(operation, dialect.ComputeRegionOp)
    return {str(number): region for number, region in enumerate(regions)}


def _text(shape: Shape) -> str:
    return "x".join(map(str, shape))


def _legal(region: dialect.ComputeRegionOp, capacity: int) -> list[Shape]:
    """Every sub-block that a region can have, the smallest first."""
    space = space_of(region)
    assert space is not None
    room = largest_subblock(region, capacity, peak_of(region))
    linear = is_linear(region)
    if is_carried(region):
        return [(prod(space),) if linear else space[-2:]]
    if linear:
        return [(tiles,) for tiles in range(1, min(room, prod(space)) + 1)]
    rows, columns = space[-2:]
    shapes = ((height, width) for height in _divisors(rows) for width in _divisors(columns))
    return sorted((shape for shape in shapes if prod(shape) <= room), key=lambda shape: (prod(shape), shape))


def _choose_as_asked(
    number: str, region: dialect.ComputeRegionOp, capacity: int, text: str
) -> Diagnostic | None:
    legal = _legal(region, capacity)
    shape = tuple(map(int, text.split("x"))) if re.fullmatch(r"[1-9]\d{0,5}(x[1-9]\d{0,5})?", text) else None
    if shape is None or not (shape in legal or _fits(region, capacity, shape)):
        reason = _refusal(region, capacity, shape)
        return illegal(f"subblock.{number}", text, reason, [*map(_text, legal)], region)
    _write(region, shape, capacity)
    return None


def _fits(region: dialect.ComputeRegionOp, capacity: int, shape: Shape) -> bool:
    """Whether the registers hold sub-blocks of so many rows and columns, which need not divide the extents."""
    space = space_of(region)
    assert space is not None
    if is_carried(region) or is_linear(region) or len(shape) != 2:
        return False
    within = all(size <= extent for size, extent in zip(shape, space[-2:], strict=True))
    return within and prod(shape) <= largest_subblock(region, capacity, peak_of(region))


def _refusal(region: dialect.ComputeRegionOp, capacity: int, shape: Shape | None) -> str:
    space = space_of(region)
    assert space is not None
    linear = is_linear(region)
    if is_carried(region):
        return "a loop keeps the whole of it in the registers"
    if shape is None or (len(shape) == 1) != linear:
        how = (
            "tiles in a row, such as 4"
            if linear
            else "rows and columns of tiles in its last two dimensions, such as 2x4"
        )
        return f"the sub-block of this region is {how}"
    if prod(shape) > capacity // peak_of(region):
        needs = peak_of(region)
        return f"its {prod(shape)} points need {needs} tiles of the registers each, which hold {capacity}"
    if linear:
        return f"the region has {prod(space)} tiles"
    return f"the region has {space[-2]} x {space[-1]} tiles"


def choose(region: dialect.ComputeRegionOp, capacity: int) -> None:
    """Decide and write down the sub-block of a region."""
    space = space_of(region)
    assert space is not None
    room = largest_subblock(region, capacity, peak_of(region))
    tiles = prod(space)
    if is_linear(region):
        chosen: tuple[int, ...] = (tiles if is_carried(region) or tiles <= room else _even(tiles, room),)
    else:
        chosen = space[-2:] if is_carried(region) else _rectangle(region, space, room)
    _write(region, chosen, capacity)


def _write(region: dialect.ComputeRegionOp, chosen: Shape, capacity: int) -> None:
    """Write a sub-block down, with the reason for it."""
    space = space_of(region)
    assert space is not None
    tiles = prod(space)
    region.attributes["subblock"] = i64_array(chosen)
    sections = 1 if is_carried(region) else _sections(space, chosen)
    if sections > 1:
        shape = " x ".join(map(str, chosen))
        region.attributes[WHY] = StringAttr(
            f"{tiles} tiles in {sections} sections of {shape}: the registers hold {capacity} tiles, and each point "
            f"needs {peak_of(region)}"
        )


def _sections(space: Shape, chosen: Shape) -> int:
    extents = (prod(space),) if len(chosen) == 1 else space[-2:]
    return prod(space) // prod(extents) * prod(-(-extent // size) for extent, size in zip(extents, chosen))


def subblock_of(region: dialect.ComputeRegionOp) -> tuple[int, ...]:
    """The sub-block that was chosen."""
    return ints_of(region.attributes["subblock"])  # type: ignore[arg-type]


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
    return all(
        strides_of(space, tuple(range(len(space))), len(space), shape_around(block)) == order
        for block in region.outputs
    )


def _even(tiles: int, room: int) -> int:
    """Return the number of tiles of a section: as many as fit, or fewer if as many sections can be of equal size."""
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
            # A product reads a row and a column of tiles for each tile of the result: the squarer the sub-block, the
            # fewer reads.
            square = -abs(height - width) if product and not tall else 0
            result = (height * width, square, height if tall else width)
            if result > score:
                best, score = (height, width), result
    return best


def _divisors(extent: int) -> list[int]:
    return [number for number in range(1, extent + 1) if extent % number == 0]
