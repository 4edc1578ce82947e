"""Planning a region: the unit that computes each tile, the order, and the places of DST the tiles are in.

A place holds one sub-block of tiles, whatever the size of that turns out to be; the fewer places, the larger the
sub-block. Operations on few values are scheduled last (Sethi and Ullman, "The generation of optimal code for
arithmetic expressions", 1970), a place is free after the last use of its tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import get_args

from xdsl.dialects import affine, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from ttl.analysis.loops import runs_at_least_once
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import TileType
from ttl.dialects.tiles import (
    TileComputeOp,
    TileFoldOp,
    TileMatmulOp,
    TileOp,
    TileReadOp,
    TileReduceOp,
    dtype_of,
)
from ttl.kernel_api import call
from ttl.passes.building import detach
from ttl.passes.compute.carried import LOOPS, carried
from ttl.passes.compute.modes import is_wide
from ttl.passes.compute.requirements import TileLifetime, cost_of, held_inputs, needs_of
from ttl.passes.marks import INTERMEDIATE
from ttl.rows.row import Generation, Op
from ttl.rows.table import ADD, MUL


@dataclass(slots=True)
class Plan:
    """The decisions about a region: the order of its operations, their units and the places of their tiles."""

    order: list[TileOp] = field(default_factory=list)
    units: dict[TileOp, str] = field(default_factory=dict)
    places: dict[TileOp, int] = field(default_factory=dict)
    # Places that operations need beside that of their result.
    beside: dict[TileFoldOp, int] = field(default_factory=dict)
    # Whether the section has to begin with the region, which relies on registers that are zero, or empties them.
    begins: bool = False
    # Places that one section of the region needs, and that computing each tile needs.
    count: int = 1
    needs: dict[TileOp, int] = field(default_factory=dict)
    # How long each tile is in its place.
    lives: dict[SSAValue, TileLifetime] = field(default_factory=dict)

    def apply(self, region: dialect.ComputeRegionOp) -> None:
        """Write the plan into a region: units and places as attributes, and the operations in their order."""
        block = region.body.block
        last = block.last_op
        assert last is not None
        written: set[Operation] = set()
        for op in self.order:
            op.unit = self.units[op]
            op.place = self.places.get(op)
            for index, operand in enumerate(op.operands):
                read = operand.owner
                if isinstance(read, TileReadOp) and read not in written:
                    op.operands[index] = self._read_beside(read, last).result
            detach(op)
            block.insert_op_before(op, last)
            written.add(op)
            if isinstance(op, TileFoldOp):
                op.beside = self.beside[op]

    def _read_beside(self, read: TileReadOp, last: Operation) -> TileReadOp:
        """Insert another read of a tile for an operation that reads it from the buffer, before the read into a register."""
        copy = read.clone()
        copy.location = read.location
        copy.unit, copy.place = self.units[read], None
        assert last.parent is not None
        last.parent.insert_op_before(copy, last)
        return copy


def place_of(tile: SSAValue) -> int:
    """The place of DST that a tile of a planned region is in."""
    owner = tile.owner
    if isinstance(owner, TileOp):
        assert owner.place is not None
        return owner.place
    assert isinstance(tile, BlockArgument)
    region = tile.block.parent_op()
    assert isinstance(region, dialect.ComputeRegionOp)
    return held_inputs(region).index(tile)


def plan(region: dialect.ComputeRegionOp, *, fp32_dest: bool) -> Plan:
    """Plan a region.

    A region that begins or ends with values in the registers is part of a section that continues around it.
    """
    return _Planner(region, fp32_dest).plan()


class _Planner:
    def __init__(self, region: dialect.ComputeRegionOp, fp32_dest: bool) -> None:
        self._block = region.body.block
        self._fp32 = fp32_dest
        self._held = held_inputs(region)
        # Where a section repeats, a register may hold a tile that an earlier iteration left in it.
        self._is_fresh = not self._held
        self._plan = Plan()
        # For each product that is computed in the place of another tile: the tile that it is added to.
        self._onto: dict[Operation, SSAValue] = {}

    def plan(self) -> Plan:
        result = self._plan
        for op in self._block.ops:
            if isinstance(op, TileComputeOp):
                self._exchange(op)
                self._add_in_place(op)
        for op in self._block.ops:
            if isinstance(op, TileOp):
                result.units[op] = self._unit(op)
        yielded = self._block.last_op
        assert isinstance(yielded, dialect.YieldTilesOp)
        for value in sorted(yielded.values, key=self._need, reverse=True):
            self._schedule(value)
        self._allocate(yielded)
        result.begins = any(
            accumulates(op, result.units[op]) and not self.in_registers(op) for op in result.order
        )
        # Reads of tiles that their user reads from the buffer are put before the user, without a place.
        for op in [*self._block.ops]:
            if isinstance(op, TileReadOp) and op not in result.order:
                users = [use.operation for use in op.result.uses]
                result.order.insert(
                    min(result.order.index(user) for user in users if user in result.order), op
                )
        return result

    def _exchange(self, op: TileComputeOp) -> None:
        """Make the broadcast operand of a sum or a product the right one."""
        if op.row.reads_buffers and "commutative" in op.row.traits and len(op.operands) == 2:
            left, right = op.operands
            if _mode(left) not in (None, "plain") and _mode(right) == "plain":
                op.operands[0], op.operands[1] = right, left

    def _add_in_place(self, op: TileComputeOp) -> None:
        """Add a product of two blocks to a tile in the registers as it is computed, where neither has another use."""
        if op.row is not ADD or not op.dtype.is_float:
            return
        for product, other in ((op.operands[1], op.operands[0]), (op.operands[0], op.operands[1])):
            if self._is_multiplied(product) and self._is_replaced(other):
                assert isinstance(product.owner, Operation)
                self._onto[product.owner] = other
                return

    def _is_multiplied(self, tile: SSAValue) -> bool:
        """Whether a tile is a product that the matrix unit computes from two buffers, and has only one use."""
        op = tile.owner
        if not isinstance(op, TileComputeOp) or op.row is not MUL or not op.dtype.is_float:
            return False
        tiles = tile_operands(op)
        return (
            tile.has_one_use()
            and [_mode(operand) for operand in tiles] == ["plain", "plain"]
            and not any(map(_keeps_all_bits, tiles))
        )

    def _is_replaced(self, tile: SSAValue) -> bool:
        """Whether a tile is in the registers, and a sum that it is a part of can take its place.

        A tile that the matrix unit can read from a buffer for that sum, while the product is in the registers, stays
        there.
        """
        if not isinstance(tile.type, TileType) or not tile.has_one_use():
            return False
        if isinstance(tile.owner, Operation) and is_zero(tile.owner):
            return False
        return self._fp32 or _mode(tile) != "plain"

    def _is_added(self, op: TileComputeOp) -> bool:
        """Whether a sum is computed together with the product that is added."""
        return any(
            tile.owner in self._onto and self._onto[tile.owner] in op.operands
            for tile in op.operands
            if isinstance(tile.owner, Operation)
        )

    def _unit(self, op: TileOp) -> str:
        if isinstance(op, TileReadOp):
            return "unpack"
        if isinstance(op, TileFoldOp):
            return "sfpu"
        if not isinstance(op, TileComputeOp):
            return "fpu"
        if self._is_added(op):
            return "added"
        if not op.row.reads_buffers or len(tiles := tile_operands(op)) != 2:
            return "sfpu"
        if not op.dtype.is_float or any(map(_keeps_all_bits, tiles)):
            return "sfpu"
        left, right = (_mode(value) for value in tiles)
        if left == "plain" and right is not None and right != "transposed" and self._may_start(op):
            if right == "plain":
                return "fpu"
            if has_broadcast(op.row, right):
                return "fpu_bcast"
        if not self._fp32 and "plain" in (left, right):
            return "reuse"
        return "sfpu"

    def _may_start(self, op: TileComputeOp) -> bool:
        return self._is_fresh or op in self._onto or not op.row.accumulates

    def in_registers(self, op: TileOp) -> list[SSAValue]:
        """The operands that have to be in DST."""
        unit = self._plan.units[op]
        if isinstance(op, TileComputeOp):
            tiles = tile_operands(op)
            if unit in ("fpu", "fpu_bcast"):
                return [self._onto[op]] if op in self._onto else []
            if unit == "added":
                return [tile for tile in tiles if tile.owner in self._onto]
            if unit == "reuse":
                read = reused_operand(tiles)
                return [tiles[1 - read]]
            return list(dict.fromkeys(tiles))
        return [*op.initial] if isinstance(op, TileMatmulOp) else []

    def _need(self, value: SSAValue) -> int:
        op = value.owner
        if not isinstance(op, TileOp):
            return 1
        if op not in self._plan.needs:
            needs = sorted(map(self._need, self.in_registers(op)), reverse=True)
            self._plan.needs[op] = max(
                [cost_of(op), *(need + position for position, need in enumerate(needs))]
            )
        return self._plan.needs[op]

    def _schedule(self, value: SSAValue) -> None:
        op = value.owner
        if not isinstance(op, TileOp) or op in self._plan.places:
            return
        self._plan.places[op] = -1  # scheduled
        for operand in sorted(self.in_registers(op), key=self._need, reverse=True):
            self._schedule(operand)
        self._plan.order.append(op)

    def _allocate(self, yielded: dialect.YieldTilesOp) -> None:
        result = self._plan
        lives = result.lives = needs_of(result.order, self._held, yielded.values, self.in_registers)
        where: dict[SSAValue, int] = {argument: place for place, argument in enumerate(self._held)}
        used = set(where.values())
        for position, op in enumerate(result.order):
            operands = self.in_registers(op)
            dying = [operand for operand in operands if lives[operand].last == position]
            busy = {place for value, place in where.items() if lives[value].last >= position}
            place = self._place(op, operands, dying, where, busy, used)
            result.places[op] = where[op.result] = place
            used.add(place)
            if isinstance(op, TileFoldOp):
                result.beside[op] = _first_free(busy | {place})
                used.add(result.beside[op])
        result.count = max(used, default=0) + 1

    def _place(
        self,
        op: TileOp,
        operands: Sequence[SSAValue],
        dying: Sequence[SSAValue],
        where: dict[SSAValue, int],
        busy: set[int],
        used: set[int],
    ) -> int:
        """The place of a result: the place of an operand, if it is computed there, or a free one."""
        in_place = op in self._onto or writes_in_place(op, self._plan.units[op])
        if operands and operands[0] in dying and in_place:
            return where[operands[0]]
        if operands and not in_place and dying:
            return min(where[operand] for operand in dying)
        if accumulates(op, self._plan.units[op]) and not operands:
            return _first_free(used)
        if is_zero(op) and self._is_fresh and is_only_added_to(op.result):
            # To the matrix unit and the packer, a register that nothing wrote since it was acquired is zero.
            self._plan.units[op] = "zero"
            return _first_free(used)
        return _first_free(busy)


def broadcast_functions(row: Op, mode: str) -> tuple[str, str]:
    """The init and the function of the matrix unit whose right operand is broadcast according to a mode."""
    word = {"row": "rows", "column": "cols", "scalar": "scalar"}[mode]
    return f"{row.name}_bcast_{word}_init", f"{row.name}_tiles_bcast_{word}"


def has_broadcast(row: Op, mode: str) -> bool:
    """Whether every generation of the kernel API has the broadcast functions of an operation and a mode."""
    return all(
        len(call(name).spelling) == len(get_args(Generation)) for name in broadcast_functions(row, mode)
    )


def _first_free(taken: set[int]) -> int:
    place = 0
    while place in taken:
        place += 1
    return place


def tile_operands(op: TileComputeOp) -> list[SSAValue]:
    """The operands that are tiles and no numbers."""
    return [operand for operand in op.operands if isinstance(operand.type, TileType)]


def reused_operand(tiles: Sequence[SSAValue]) -> int:
    """Return which of two operands is read from its buffer, the other being in DST: the right one if both could be."""
    return 1 if _mode(tiles[1]) == "plain" else 0


def _keeps_all_bits(tile: SSAValue) -> bool:
    """Whether a tile has elements of 32 bits that the matrix unit would cut."""
    op = tile.owner
    brief = isinstance(op, TileReadOp) and INTERMEDIATE in op.attributes
    return is_wide(dtype_of(tile)) and not brief


def _mode(value: SSAValue) -> str | None:
    return value.owner.mode if isinstance(value.owner, TileReadOp) else None


def writes_in_place(op: TileOp, unit: str) -> bool:
    """Whether the tile function writes to the place of its first operand in DST."""
    if isinstance(op, TileComputeOp):
        return unit in ("reuse", "added") or len(tile_operands(op)) == 1
    return True


def accumulates(op: TileOp, unit: str) -> bool:
    """Whether the tile function adds to the contents of its place."""
    if isinstance(op, TileComputeOp):
        return unit in ("fpu", "fpu_bcast") and op.row.accumulates
    return isinstance(op, TileMatmulOp | TileReduceOp)


def is_only_added_to(tile: SSAValue) -> bool:
    """Whether a tile of zeros need not be written: only the packer reads it, or products are added to it.

    The vector unit would read values of earlier programs in half of the columns of a register that nothing wrote.
    """
    for use in tile.uses:
        user = use.operation
        match user:
            case TileMatmulOp():
                if tile not in user.initial:
                    return False
            case dialect.YieldTilesOp():
                region = user.parent_op()
                assert isinstance(region, dialect.ComputeRegionOp)
                kept = use.index - len(region.outputs)
                if kept >= 0 and not is_only_added_to(region.values[kept]):
                    return False
            case dialect.ComputeRegionOp():
                if not is_only_added_to(user.body.block.args[use.index]):
                    return False
            case scf.ForOp() | affine.ForOp():
                item = carried(user, use.index - (len(user.operands) - len(user.results)))
                if not is_only_added_to(item.argument):
                    return False
                if not runs_at_least_once(user) and not is_only_added_to(item.result):
                    return False
            case scf.YieldOp() | affine.YieldOp():
                # An iteration passes it on to the next one, which is checked with the loop, and to users of the result.
                loop = user.parent_op()
                if not isinstance(loop, LOOPS) or not is_only_added_to(loop.results[use.index]):
                    return False
            case _:
                return False
    return True


def is_zero(op: Operation) -> bool:
    """Whether a tile is nothing but zeros."""
    return isinstance(op, TileComputeOp) and op.row.family == "fill" and op.params[0] == 0
