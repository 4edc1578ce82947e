"""Tile operations of a region as calls of the kernel API: those of the matrix unit, which computes while it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Operation, SSAValue

from ttl.dialects.tiles import TileComputeOp, TileFoldOp, TileMatmulOp, TileOp, TileReadOp, TileReduceOp
from ttl.passes.building import Building, Number
from ttl.passes.compute.places import broadcast_functions, reused_operand, tile_operands
from ttl.passes.compute.points import Points, Source
from ttl.passes.compute.vector_unit import VectorUnit

_POOL = {"sum": "PoolType::SUM", "max": "PoolType::MAX"}
_REDUCE = {
    "columns": "ReduceDim::REDUCE_ROW",
    "rows": "ReduceDim::REDUCE_COL",
    "all": "ReduceDim::REDUCE_SCALAR",
}
_ELTWISE = {
    "add": "EltwiseBinaryType::ELWADD",
    "sub": "EltwiseBinaryType::ELWSUB",
    "mul": "EltwiseBinaryType::ELWMUL",
}


class TileFunctions(VectorUnit):
    """Writes the tile functions of one section: an init, then one call for each tile of the sub-block."""

    def write(self, op: TileOp) -> None:
        """Write the calls for one operation of the body, over all points."""
        match op:
            case TileReadOp():
                if op.place is not None:
                    self.read(op)
            case TileMatmulOp():
                self.matmul(op)
            case TileReduceOp():
                self.reduce(op)
            case TileFoldOp():
                self.fold(op)
            case TileComputeOp() if op.unit in ("zero", "added"):
                return
            case TileComputeOp() if op.unit in ("fpu", "fpu_bcast"):
                self.binary(op)
            case TileComputeOp() if op.unit == "reuse":
                self.reuse(op)
            case TileComputeOp():
                self.compute(op)

    def binary(self, op: TileComputeOp) -> None:
        """Write an operation whose operands are both read from buffers."""
        left, right = (_read_of(operand) for operand in tile_operands(op))
        sources = self.sources[left.source], self.sources[right.source]
        name = op.row.name
        init, function = f"{name}_tiles_init", f"{name}_tiles"
        if op.unit == "fpu_bcast":
            init, function = broadcast_functions(op.row, right.mode)
        self.formats(sources[0].buffer, sources[1].buffer)
        self.build.call(init, sources[0].buffer, sources[1].buffer)
        base = self.register(op)
        firsts = [
            self.section.page(self.build, source, read.strides, read.offset)
            for source, read in zip(sources, (left, right), strict=True)
        ]

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            within.call(
                function,
                sources[0].buffer,
                sources[1].buffer,
                *(within.sum(first, page) for first, page in zip(firsts, pages, strict=True)),
                within.sum(register, base),
            )

        self.points.each(
            self.build, (self.section.strides(left.strides), self.section.strides(right.strides)), body
        )

    def reuse(self, op: TileComputeOp) -> None:
        """Write an operation of which one operand is read from its buffer, and the other one is in the registers."""
        tiles = tile_operands(op)
        which = reused_operand(tiles)
        read = _read_of(tiles[which])
        source = self.sources[read.source]
        base = self.in_place(op, tiles[1 - which])
        words = {
            "operation": _ELTWISE[op.row.name],
            "reuse": f"EltwiseBinaryReuseDestType::DEST_TO_SRC{'A' if which == 1 else 'B'}",
        }
        self.formats(source.buffer, source.buffer)
        self.build.call("binary_dest_reuse_tiles_init", source.buffer, **words)

        first = self.section.page(self.build, source, read.strides, read.offset)

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            page = within.sum(first, pages[0])
            within.call("binary_dest_reuse_tiles", source.buffer, page, within.sum(register, base), **words)

        self.points.each(self.build, (self.section.strides(read.strides),), body)

    def matmul(self, op: TileMatmulOp) -> None:
        """Write products of tiles, added up in the registers."""
        left, right = self.sources[op.left], self.sources[op.right]
        base = self.in_place(op, *op.initial) if op.initial else self.register(op)
        points = self.points
        assert isinstance(points.columns, int)
        rt, ct = _product_of(op, points)
        kt = op.left_strides[-2] if rt > 1 else op.depth
        extents = {"transpose": int(op.is_transposed), "ct": ct, "rt": rt, "kt": kt}
        self.formats(right.buffer, left.buffer)
        self.build.call("matmul_block_init", left.buffer, right.buffer, **extents)
        first = self.section.page(self.build, left, op.left_strides)
        second = self.section.page(self.build, right, op.right_strides)

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            def product(inner: Building, k: Number) -> None:
                inner.call(
                    "matmul_block",
                    left.buffer,
                    right.buffer,
                    inner.sum(first, pages[0], inner.product(k, op.left_step.value.data)),
                    inner.sum(second, pages[1], inner.product(k, op.right_step.value.data)),
                    inner.sum(register, base),
                    **extents,
                )

            if op.depth == 1:
                product(within, 0)
                return

            def iteration(inner: Building, k: SSAValue, _: object) -> tuple[()]:
                product(inner, k)
                return ()

            within.loop(0, op.depth, 1, (), iteration, name="k")

        points.each(self.build, (op.left_strides, op.right_strides), body, skip=(rt, ct))

    def reduce(self, op: TileReduceOp) -> None:
        """Write reductions over tiles and within them."""
        scalers = [self.sources[value] for value in op.scalers]
        scaler = scalers[0]
        source = self.sources[op.source]
        words = {} if sums_rows(op) else {"pool": _POOL[op.pool], "dim": _REDUCE[op.within]}
        name = reduction_of(op)
        assert self.section.output is not None
        # Sums of rows are products, whose sources are exchanged.
        self.formats(*((scaler.buffer, source.buffer) if sums_rows(op) else (source.buffer, scaler.buffer)))
        self.build.call(f"{name}_init", source.buffer, scaler.buffer, self.section.output, **words)
        base = self.register(op)
        first = self.section.page(self.build, source, op.strides)

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            def tile(inner: Building, page: Number, weights: Source) -> None:
                into = inner.sum(register, base)
                inner.call(f"{name}_tile", source.buffer, weights.buffer, page, weights.first, into, **words)

            dims = list(zip(op.extents, op.steps, strict=True))
            _each_reduced(within, dims, within.sum(first, pages[0]), scalers, tile)

        self.points.each(self.build, (op.strides,), body)


def sums_rows(op: TileReduceOp) -> bool:
    """Whether a reduction adds up the rows of tiles."""
    return (op.pool, op.within) == ("sum", "columns")


def reduction_of(op: TileReduceOp) -> str:
    """Return the name that the functions of a reduction begin with."""
    return "row_sum" if sums_rows(op) else "reduce"


def lanes_by_vector_unit(ops: Sequence[Operation]) -> str | None:
    """Return the lanes that the packer writes for a section with reductions on the vector unit; None for others."""
    vector = [op for op in ops if isinstance(op, TileComputeOp) and op.row.family == "reduction"]
    if not vector:
        return None
    dims = {dim for op in vector for dim in op.params[0]}
    dims |= {-1 for op in ops if isinstance(op, TileReduceOp) and op.within != "rows"}
    dims |= {-2 for op in ops if isinstance(op, TileReduceOp) and op.within != "columns"}
    return _REDUCE[{(-1,): "columns", (-2,): "rows"}.get(tuple(dims), "all")]


def _each_reduced(
    build: Building,
    dims: Sequence[tuple[int, int]],
    page: Number,
    scalers: Sequence[Source],
    tile: Callable[[Building, Number, Source], None],
) -> None:
    """Call ``tile`` for all tiles that are reduced to one; ``dims`` has extents, and steps in pages.

    If there are two scalers, the second one has the weights of the last tile of a row.
    """
    if not dims:
        tile(build, page, scalers[-1])
        return
    (extent, step), *rest = dims
    apart = not rest and len(scalers) > 1
    count = extent - 1 if apart else extent

    def inside(within: Building, at: Number) -> None:
        if apart:
            tile(within, at, scalers[0])
        else:
            _each_reduced(within, rest, at, scalers, tile)

    def iteration(within: Building, k: SSAValue, _: object) -> tuple[()]:
        inside(within, within.sum(page, within.product(k, step)))
        return ()

    if count > 1:
        build.loop(0, count, 1, (), iteration, name="k")
    elif count == 1:
        inside(build, page)
    if apart:
        tile(build, build.sum(page, count * step), scalers[-1])


def _read_of(tile: SSAValue) -> TileReadOp:
    assert isinstance(tile.owner, TileReadOp)
    return tile.owner


def _product_of(op: TileMatmulOp, points: Points) -> tuple[int, int]:
    """Rows and columns of the tiles that one call multiplies and adds to consecutive registers."""
    assert isinstance(points.columns, int)
    if multiplies_rows(op) and not points.by_column:
        return points.rows, points.columns
    if (points.by_column or points.columns == 1) and goes_by_column(op):
        return points.rows, 1
    return 1, 1


def multiplies_rows(op: TileMatmulOp) -> bool:
    """Whether a call computes several rows and columns: the right tiles of a row are beside each other."""
    return (
        not op.is_transposed
        and op.left_strides[-1] == 0
        and _last_but_one(op.right_strides) == 0
        and op.right_strides[-1] in (0, 1)
    )


def goes_by_column(op: TileMatmulOp) -> bool:
    """Whether a call computes several rows of one column, wherever the right tiles lie."""
    return op.left_strides[-1] == 0 and _last_but_one(op.right_strides) == 0


def by_column(ops: Iterable[Operation]) -> bool:
    """Whether the products of a region are computed column by column."""
    products = [op for op in ops if isinstance(op, TileMatmulOp)]
    return bool(products) and not all(map(multiplies_rows, products)) and all(map(goes_by_column, products))


def _last_but_one(strides: tuple[int, ...]) -> int:
    return strides[-2] if len(strides) > 1 else 0
