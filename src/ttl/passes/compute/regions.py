"""Building compute regions: from the stores of values to the tile operations that compute them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.dialects import ttl as dialect
from ttl.dialects.elements import SHORT_NAMES, RetypeOp, TileType
from ttl.dialects.tiles import (
    TileComputeOp,
    TileFoldOp,
    TileMatmulOp,
    TileOp,
    TileReadOp,
    TileReduceOp,
    dtype_of,
)
from ttl.ir.failure import NotReady
from ttl.ir.syntax import i64_array
from ttl.passes.compute.modes import is_wide
from ttl.passes.compute.scalers import ALL, Weights, weights_of
from ttl.passes.compute.trees import tree
from ttl.passes.compute.views import (
    Axes,
    ViewedRead,
    identity,
    number_as,
    read_of,
    reduced_in_registers,
    reduced_within,
    shape_around,
    strides_of,
    tile_shape,
    type_of,
    under,
)
from ttl.passes.marks import INTERMEDIATE, LANES
from ttl.rows.dtypes import INT32, REAL_NUMBER, UINT8, WHOLE_NUMBER, DType
from ttl.rows.rules import negative
from ttl.rows.table import ADD, FILL, MUL, TYPECAST, WHERE
from ttl.rows.types import TILE

_NUMBERS = (WHOLE_NUMBER, REAL_NUMBER)
# Up to so many tiles are combined one by one, without a loop.
_LEAST_FOLDED = 2


class Unbuildable(NotReady):
    """A value that no tile operation can compute where it is: it has to go through a buffer of its own."""

    def __init__(self, value: SSAValue, reader: str) -> None:
        op = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
        assert op is not None
        super().__init__(op, f"{reader} reads this from a circular buffer, where ttl-materialize puts it")
        self.value = value
        self.reader = reader


class RegionBuilder:
    """Builds one region, whose space is the shape of the values that it computes.

    ``held`` are the values that are in the registers already, in the order of their places; ``scalers`` are the blocks
    with the scaler tiles of reductions.
    """

    def __init__(
        self,
        space: tuple[int, ...],
        held: Sequence[SSAValue] = (),
        scalers: Mapping[Weights, SSAValue] | None = None,
    ) -> None:
        self._space = space
        self._block = Block()
        self._inputs: dict[SSAValue, SSAValue] = {}
        self._built: dict[tuple[SSAValue, Axes, DType | None], SSAValue] = {}
        self._held = tuple(held)
        self._scalers = scalers or {}
        # For each tile operation, the value of a block that it was built from.
        self.origins: dict[TileOp, SSAValue] = {}

    def build(
        self, stores: Sequence[tuple[SSAValue, SSAValue | None]], place: Operation
    ) -> dialect.ComputeRegionOp:
        """Return a region, not inserted yet, that computes values, each given with the block it is stored to.

        A value without a block stays in the registers, as a result of the region. Raises ``Unbuildable``.
        """
        tiles: list[SSAValue] = []
        kept: list[SSAValue] = []
        for value in self._held:
            self._input(value)
        for value, block in stores:
            dtype = memory_dtype(block) if block is not None else None
            tile = self._tile(value, identity(type_of(value)), dtype)
            if dtype is not None:
                tile = self._converted(tile, dtype, place)
            if block is not None:
                tiles.append(tile)
            else:
                kept.append(self._again(value) if tile in kept else tile)
        outputs = [block for _, block in stores if block is not None]
        arguments = list(self._inputs.items())
        for block in outputs:
            self._block.insert_arg(_tile_type(memory_dtype(block)), len(self._block.args))
        self._block.add_op(dialect.YieldTilesOp(*tiles, *kept))
        region = dialect.ComputeRegionOp(
            [value for value, _ in arguments],
            outputs,
            Region(self._block),
            [value.type for value, block in stores if block is None],
        )
        region.attributes["space"] = i64_array(self._space)
        region.location = place.location
        return region

    def _again(self, value: SSAValue) -> SSAValue:
        """Compute a value once more, in registers of its own."""
        axes, wanted = identity(type_of(value)), type_of(value).dtype
        while (step := under(value, axes)) is not None and step.mode == "plain":
            value, axes = step.value, step.axes
        tile = self._make(value, axes, wanted)
        if tile in self._built.values():
            raise Unbuildable(value, "the loop")
        return tile

    def _tile(self, value: SSAValue, axes: Axes, wanted: DType | None = None) -> SSAValue:
        key = (value, axes, wanted)
        if key not in self._built:
            tile = self._built[key] = self._make(value, axes, wanted)
            if isinstance(tile.owner, TileOp):
                self.origins.setdefault(tile.owner, value)
        return self._built[key]

    def _make(self, value: SSAValue, axes: Axes, wanted: DType | None) -> SSAValue:
        if value in self._held:
            if axes != tuple(range(len(self._space))):
                raise Unbuildable(value, "the expression")
            return self._input(value)
        if isinstance(value.owner, RetypeOp):
            dtype = type_of(value).dtype
            if dtype in _NUMBERS and wanted is not None:
                dtype = wanted
            if _converts(type_of(value.owner.value).dtype, dtype):
                return self._converted(self._tile(value.owner.value, axes), dtype, value.owner)
        if (read := read_of(value, axes)) is not None:
            block = read.read.block
            strides = _strides(read, len(self._space))
            new_op = TileReadOp(self._input(block), strides, read.mode)
            if _is_intermediate(block) and not is_wide(type_of(value).dtype):
                new_op.attributes[INTERMEDIATE] = UnitAttr()
            return self._add(new_op, read.read)
        if (step := under(value, axes)) is not None:
            if step.mode != "plain" or _repeats(value):
                raise Unbuildable(below_views(step.value), _name_of(value))
            return self._tile(step.value, step.axes, wanted or type_of(value).dtype)
        op = value.owner
        if not isinstance(op, dialect.BlockComputeOp):
            raise Unbuildable(value, "the expression")
        if op.row.family == "product":
            return self._matmul(op, axes, None)
        if op.row.family == "reduction":
            return self._reduce(op, axes)
        if op.row is ADD and (total := self._accumulated(op, axes)) is not None:
            return total
        is_square = "square" in op.row.traits and type_of(value).dtype.is_float
        if is_square and read_of(op.operands[0], axes) is not None:
            # The matrix unit multiplies tiles as it reads them, without copying them to the registers first.
            tile = self._tile(op.operands[0], axes)
            return self._add(TileComputeOp(MUL.name, (tile, tile), (), _tile_type(type_of(value).dtype)), op)
        return self._compute(op, axes, wanted)

    def _compute(self, op: dialect.BlockComputeOp, axes: Axes, wanted: DType | None) -> SSAValue:
        dtype = type_of(op.result).dtype
        if dtype in _NUMBERS and wanted is not None:
            dtype = wanted
        if op.row is WHERE:
            _check_lanes(op)
        if op.row.family == "fill" and dtype is UINT8:
            # No function fills with uint8, but one converts to it.
            filled = self._add(TileComputeOp(FILL.name, op.operands, op.params, _tile_type(INT32)), op)
            return self._add(TileComputeOp(TYPECAST.name, (filled,), (UINT8,), _tile_type(UINT8)), op)
        operands = [
            self._tile(operand, axes, number_as(operand, dtype))
            if isinstance(operand.type, TensorType)
            else operand
            for operand in op.operands
        ]
        new_op = TileComputeOp(op.row.name, operands, op.params, _tile_type(dtype))
        if LANES in op.attributes:
            new_op.attributes[LANES] = op.attributes[LANES]
        return self._add(new_op, op)

    def _accumulated(self, op: dialect.BlockComputeOp, axes: Axes) -> SSAValue | None:
        """Build a sum with a matrix product by adding the product to the tile of the other operand; else None."""
        for product_, other in (tuple(op.operands)[::-1], tuple(op.operands)):
            owner = product_.owner
            if (
                isinstance(owner, dialect.BlockComputeOp)
                and owner.row.family == "product"
                and owner.result.has_one_use()
                and isinstance(other.type, TensorType)
            ):
                return self._matmul(owner, axes, self._tile(other, axes, type_of(op.result).dtype))
        return None

    def _matmul(self, op: dialect.BlockComputeOp, axes: Axes, initial: SSAValue | None) -> SSAValue:
        rank = len(self._space)
        *outer, row, column = axes
        shape = type_of(op.operands[0]).shape
        # The dimension that is summed over is an additional dimension of the space.
        left = read_of(op.operands[0], (*outer, row, rank))
        right = read_of(op.operands[1], (*outer, rank, column))
        if left is None or left.mode != "plain":
            raise Unbuildable(below_views(op.operands[0]), "the matrix product")
        if right is None or right.mode not in ("plain", "transposed"):
            raise Unbuildable(below_views(op.operands[1]), "the matrix product")
        *left_strides, left_step = _strides(left, rank + 1)
        *right_strides, right_step = _strides(right, rank + 1)
        new_op = TileMatmulOp(
            self._input(left.read.block),
            self._input(right.read.block),
            initial,
            depth=shape[-1],
            left_strides=left_strides,
            right_strides=right_strides,
            left_step=left_step,
            right_step=right_step,
            transposed=right.mode == "transposed",
            result=_tile_type(type_of(op.result).dtype),
        )
        return self._add(new_op, op)

    def _reduce(self, op: dialect.BlockComputeOp, axes: Axes) -> SSAValue:
        (source,) = op.operands
        shape = type_of(source).shape
        rank = len(shape)
        reduced = negative(op.params[0], rank)
        within = -2 in reduced or -1 in reduced
        over = [dim for dim in range(rank) if dim - rank in reduced]
        extra = {dim: len(self._space) + position for position, dim in enumerate(over)}
        read = read_of(source, tuple(extra.get(dim, axis) for dim, axis in enumerate(axes)))
        if read is None or (within and read.mode != "plain"):
            raise Unbuildable(below_views(source), "a reduction")
        block = read.read.block
        numbers = _strides(read, len(self._space) + len(over))
        strides, steps = numbers[: len(self._space)], numbers[len(self._space) :]
        extents = [shape[dim] for dim in over]
        pool = op.row.pool
        assert pool is not None
        if not within or reduced_in_registers(op):
            tile = self._combined(op, self._input(block), strides, extents, steps, read.mode)
            return self._reduced_in_registers(op, tile, reduced)
        weights = dict.fromkeys((ALL, weights_of(op.result)))
        # When it reduces both dimensions, the function of the matrix unit cuts the sum of each column of a tile to
        # bfloat16. So the matrix unit only adds up rows, exactly, and the vector unit adds up the row that is left.
        rows_first = pool == "sum" and {-2, -1} <= set(reduced)
        new_op = TileReduceOp(
            self._input(block),
            [self._input(self._scalers[weight]) for weight in weights],
            pool=pool,
            within="columns"
            if rows_first
            else {(True, True): "all", (False, True): "columns"}.get((-2 in reduced, -1 in reduced), "rows"),
            strides=strides,
            extents=extents,
            steps=steps,
            result=_tile_type(type_of(op.result).dtype),
        )
        tile = self._add(new_op, op)
        return self._reduced_in_registers(op, tile, (-2,)) if rows_first else tile

    def _reduced_in_registers(
        self, op: dialect.BlockComputeOp, tile: SSAValue, reduced: tuple[int, ...]
    ) -> SSAValue:
        """Reduce within a tile by the vector unit: first its rows, then the columns, as far as ``reduced`` has them."""
        for dim in sorted({-2, -1} & set(reduced)):
            result = _tile_type(type_of(op.result).dtype)
            tile = self._add(TileComputeOp(op.row.name, (tile,), ((dim,), None), result), op)
        return tile

    def _combined(
        self,
        op: dialect.BlockComputeOp,
        source: SSAValue,
        strides: Sequence[int],
        extents: Sequence[int],
        steps: Sequence[int],
        mode: str,
    ) -> SSAValue:
        """Combine whole tiles, element by element."""
        value: SSAValue | None = None
        result = _tile_type(type_of(op.result).dtype)
        row = op.row.pairwise
        assert row is not None
        if mode == "plain" and reduced_in_registers(op) and prod(extents) > _LEAST_FOLDED:
            folded = TileFoldOp(source, row, strides=strides, extents=extents, steps=steps, result=result)
            return self._add(folded, op)
        for position in product(*map(range, extents)):
            offset = sum(index * step for index, step in zip(position, steps, strict=True))
            item = self._add(TileReadOp(source, strides, mode, offset), op)
            if value is None:
                value = item
                continue
            value = self._add(TileComputeOp(row, (value, item), (), result), op)
        assert value is not None
        return value

    def _converted(self, tile: SSAValue, dtype: DType, origin: Operation) -> SSAValue:
        """Convert a tile to an element type, if the packer does not do that by itself."""
        if not _converts(dtype_of(tile), dtype):
            return tile
        return self._add(TileComputeOp(TYPECAST.name, (tile,), (dtype,), _tile_type(dtype)), origin)

    def _input(self, value: SSAValue) -> SSAValue:
        if value not in self._inputs:
            type_ = (
                value.type.block_type.dtype
                if isinstance(value.type, dialect.BlockMemoryType)
                else type_of(value).dtype
            )
            self._inputs[value] = self._block.insert_arg(_tile_type(type_), len(self._inputs))
        return self._inputs[value]

    def _add(self, op: Operation, origin: Operation) -> SSAValue:
        op.location = origin.location
        self._block.add_op(op)
        return op.results[0]


def _check_lanes(op: dialect.BlockComputeOp) -> None:
    """Refuse a choice beside a reduction in one section: the packer would not write all lanes of the choice."""
    for operand in op.operands:
        for value in tree(operand) if isinstance(operand.type, TensorType) else ():
            if reduced_within(value) is not None:
                raise Unbuildable(value, "a choice beside a reduction")


def _strides(read: ViewedRead, rank: int) -> tuple[int, ...]:
    """The tiles from one point to the next along each dimension of a space, in the block of a read."""
    shape = tile_shape(type_of(read.read.result))
    return strides_of(shape, read.axes, rank, shape_around(read.read.block))


def _converts(given: DType, wanted: DType) -> bool:
    """Whether a conversion has to be computed: the packer only rounds floats, and stores integers as they are."""
    if given in _NUMBERS or wanted in _NUMBERS:
        return False  # a number has the type of the values it is combined with
    return given is not wanted and not (given.is_float and wanted.is_float)


def _is_intermediate(block: SSAValue) -> bool:
    dfb = dialect.dfb_of(block)
    return dfb is not None and isinstance(dfb.owner, Operation) and INTERMEDIATE in dfb.owner.attributes


def memory_dtype(block: SSAValue) -> DType:
    """The type of the elements of a block."""
    assert isinstance(block.type, dialect.BlockMemoryType)
    return block.type.block_type.dtype


def _tile_type(dtype: DType) -> TileType:
    return TileType(TILE, TILE, SHORT_NAMES[dtype])


def _name_of(value: SSAValue) -> str:
    op = value.owner
    return f"a {op.row.name}" if isinstance(op, dialect.BlockComputeOp) else "the expression"


def _repeats(value: SSAValue) -> bool:
    """Whether a view repeats whole tiles of a computed value, which would be computed again for each repetition."""
    op = value.owner
    if not isinstance(op, dialect.BlockComputeOp) or op.row.family != "repetition":
        return False
    base = below_views(op.operands[0]).owner
    is_fill = isinstance(base, dialect.BlockComputeOp) and base.row.family == "fill"
    return not is_fill and type_of(value).shape != type_of(op.operands[0]).shape


def below_views(value: SSAValue) -> SSAValue:
    """Return the value below plain views."""
    while (step := under(value, (None,) * len(type_of(value).shape))) is not None and step.mode == "plain":
        value = step.value
    return value
