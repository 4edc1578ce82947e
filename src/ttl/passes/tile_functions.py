"""Tile operations of a region as calls of the kernel API: an init, then one call for each tile of the sub-block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.ir import SSAValue

from ttl.dialects.compute import constant_of
from ttl.dialects.elements import TileType
from ttl.dialects.tiles import TileComputeOp, TileMatmulOp, TileOp, TileReadOp, TileReduceOp, dtype_of
from ttl.kernel_api.tiles import Use, use_of
from ttl.ops.dtypes import BFLOAT16, FLOAT32, DType
from ttl.ops.lowering import conversion, tile_call
from ttl.ops.row import Form, TileCall
from ttl.passes.building import Building, Number
from ttl.passes.modes import is_wide
from ttl.passes.places import reused_operand, tile_operands
from ttl.passes.products import goes_by_column, multiplies_rows

_BROADCAST = {"row": "BroadcastType::ROW", "column": "BroadcastType::COL", "scalar": "BroadcastType::SCALAR"}
_BCAST_WORD = {"row": "rows", "column": "cols", "scalar": "scalar"}
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


@dataclass(frozen=True, slots=True)
class Source:
    """An input of a region: its circular buffer, and the page at which the point that is computed reads it."""

    buffer: SSAValue
    first: Number


@dataclass(frozen=True, slots=True)
class Points:
    """The points of the space that one section computes: a rectangle, or a number of them in linear order.

    ``outer`` are the positions in the other dimensions, of sections that hold all of a space.
    """

    outer: tuple[tuple[int, ...], ...]
    rows: int
    columns: Number
    # Tiles of one place of DST.
    size: int
    # Whether the registers hold the points column by column.
    by_column: bool = False

    def each(
        self,
        build: Building,
        strides: tuple[tuple[int, ...], ...],
        body: Callable[[Building, tuple[Number, ...], Number], None],
        *,
        skip: tuple[int, int] = (1, 1),
    ) -> None:
        """Call ``body`` for every point, with the page of each operand relative to the first, and the register.

        ``strides`` are those of the operands over the dimensions of the space; ``skip`` is how many rows and columns
        one call computes.
        """
        for number, outer in enumerate(self.outer):
            firsts = tuple(
                sum(position * step for position, step in zip(outer, each, strict=False)) for each in strides
            )
            columns = self.columns if isinstance(self.columns, int) else 1
            self._rectangle(build, strides, firsts, number * self.rows * columns, body, skip)

    def _rectangle(
        self,
        build: Building,
        strides: tuple[tuple[int, ...], ...],
        firsts: tuple[int, ...],
        register: int,
        body: Callable[[Building, tuple[Number, ...], Number], None],
        skip: tuple[int, int],
    ) -> None:
        slow = [each[-2] if len(each) > 1 else 0 for each in strides]
        fast = [each[-1] if each else 0 for each in strides]
        lines, points = self.rows, self.columns
        if skip != (1, 1):
            assert isinstance(points, int)
            lines, points = lines // skip[0], points // skip[1]
        per_line = self.rows if self.by_column else self.columns
        if self.by_column:
            assert isinstance(points, int)
            slow, fast, lines, points = fast, slow, points, lines
        if lines == 1:
            _count(build, points, firsts, fast, register, 1, body)
        elif points == 1:
            _count(build, lines, firsts, slow, register, per_line, body)
        elif isinstance(points, int) and all(
            line == points * step for line, step in zip(slow, fast, strict=True)
        ):
            _count(build, lines * points, firsts, fast, register, 1, body)
        else:

            def line(within: Building, starts: tuple[Number, ...], first: Number) -> None:
                _count(within, points, starts, fast, first, 1, body)

            _count(build, lines, firsts, slow, register, per_line, line, name="c" if self.by_column else "r")


def _count(
    build: Building,
    count: Number,
    firsts: tuple[Number, ...],
    steps: list[int],
    register: Number,
    register_step: Number,
    body: Callable[[Building, tuple[Number, ...], Number], None],
    *,
    name: str = "i",
) -> None:
    if count == 1:
        body(build, firsts, register)
        return

    def turn(within: Building, index: SSAValue, _: object) -> tuple[()]:
        pages = tuple(
            within.sum(first, within.product(index, step)) for first, step in zip(firsts, steps, strict=True)
        )
        body(within, pages, within.sum(register, within.product(index, register_step)))
        return ()

    build.loop(0, count, 1, (), turn, name=name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """What is computed between acquiring and releasing the registers: points from ``starts`` on."""

    points: Points
    starts: tuple[Number, ...]
    # Whether ``starts`` is one number, and so are all strides.
    is_linear: bool
    # The inputs in circular buffers, by their arguments of the region.
    sources: Mapping[SSAValue, Source]
    # The buffer that is packed to in the end.
    output: SSAValue | None
    fp32_dest: bool
    # Whether the buffers that the kernel reads differ in format.
    reconfigures: bool


class Functions:
    """Writes the tile functions of one section."""

    def __init__(self, build: Building, section: Section) -> None:
        self._build = build
        self._section = section
        self._points = section.points
        self._sources = section.sources
        self._output = section.output
        self._fp32 = section.fp32_dest
        self._reconfigures = section.reconfigures

    def _strides(self, strides: tuple[int, ...]) -> tuple[int, ...]:
        return (1,) if self._section.is_linear else strides

    def _page(self, source: Source, strides: tuple[int, ...], offset: int = 0) -> Number:
        """The page of an input that the first point of the section reads."""
        build = self._build
        moved = (
            build.product(start, step)
            for start, step in zip(self._section.starts, self._strides(strides), strict=True)
        )
        return build.sum(source.first, offset, *moved)

    def write(self, op: TileOp) -> None:
        """The calls for one operation of the body, over all points."""
        match op:
            case TileReadOp():
                if op.place is not None:
                    self._read(op)
            case TileMatmulOp():
                self._matmul(op)
            case TileReduceOp():
                self._reduce(op)
            case TileComputeOp() if op.unit == "zero":
                return
            case TileComputeOp() if op.unit in ("fpu", "fpu_bcast"):
                self._binary(op)
            case TileComputeOp() if op.unit == "reuse":
                self._reuse(op)
            case TileComputeOp():
                self._compute(op)

    def _register(self, op: TileOp) -> int:
        assert op.place is not None
        return op.place * self._points.size

    def _formats(self, first: SSAValue, second: SSAValue | None) -> None:
        """Let the unpackers read the formats of what comes next: source A, then source B."""
        if not self._reconfigures:
            return
        if second is None:
            self._build.call("reconfig_data_format_srca", first)
        else:
            self._build.call("reconfig_data_format", first, second)

    # --- from circular buffers ---

    def _read(self, op: TileReadOp) -> None:
        source = self._sources[op.source]
        base = self._register(op)
        build = self._build
        if op.mode in _BROADCAST:
            how = _BROADCAST[op.mode]
            self._formats(source.buffer, source.buffer)
            # The full init of the older API resets the registers: only buffers that are unpacked straight to them need it.
            init = (
                "unary_bcast_init"
                if is_wide(op.dtype) and not op.dtype.is_float
                else "unary_bcast_init_short"
            )
            build.call(init, source.buffer, self._output or source.buffer, how=how)
            self._tiles(
                op, lambda within, page, d: within.call("unary_bcast", source.buffer, page, d, how=how), base
            )
            build.call("unary_bcast_uninit", source.buffer, how=how)
            return
        if op.mode == "plain":
            self._copy(op, base)
            return
        self._formats(source.buffer, None)
        build.call("transpose_init", source.buffer)
        self._tiles(op, lambda within, page, d: within.call("transpose_tile", source.buffer, page, d), base)

    def _copy(self, op: TileReadOp, base: int) -> None:
        """Copy what is read as it is to registers."""
        buffer = self._sources[op.source].buffer
        self._formats(buffer, None)
        self._build.call("copy_tile_init", buffer)
        self._tiles(op, lambda within, page, d: within.call("copy_tile", buffer, page, d), base)

    def _tiles(self, op: TileReadOp, call: Callable[[Building, Number, Number], object], base: int) -> None:
        first = self._page(self._sources[op.source], op.strides, op.offset)

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            call(within, within.sum(first, pages[0]), within.sum(register, base))

        self._points.each(self._build, (self._strides(op.strides),), body)

    def _binary(self, op: TileComputeOp) -> None:
        left, right = (_read_of(operand) for operand in tile_operands(op))
        sources = self._sources[left.source], self._sources[right.source]
        name = op.row.name
        init, function = f"{name}_tiles_init", f"{name}_tiles"
        if op.unit == "fpu_bcast":
            word = _BCAST_WORD[right.mode]
            init, function = f"{name}_bcast_{word}_init", f"{name}_tiles_bcast_{word}"
        self._formats(sources[0].buffer, sources[1].buffer)
        self._build.call(init, sources[0].buffer, sources[1].buffer)
        base = self._register(op)
        firsts = [
            self._page(source, read.strides, read.offset)
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

        self._points.each(self._build, (self._strides(left.strides), self._strides(right.strides)), body)

    def _reuse(self, op: TileComputeOp) -> None:
        tiles = tile_operands(op)
        which = reused_operand(tiles)
        read = _read_of(tiles[which])
        source = self._sources[read.source]
        base = self._in_place(op, tiles[1 - which])
        words = {
            "operation": _ELTWISE[op.row.name],
            "reuse": f"EltwiseBinaryReuseDestType::DEST_TO_SRC{'A' if which == 1 else 'B'}",
        }
        self._formats(source.buffer, source.buffer)
        self._build.call("binary_dest_reuse_tiles_init", source.buffer, **words)

        first = self._page(source, read.strides, read.offset)

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            page = within.sum(first, pages[0])
            within.call("binary_dest_reuse_tiles", source.buffer, page, within.sum(register, base), **words)

        self._points.each(self._build, (self._strides(read.strides),), body)

    def _matmul(self, op: TileMatmulOp) -> None:
        left, right = self._sources[op.left], self._sources[op.right]
        base = self._in_place(op, *op.initial) if op.initial else self._register(op)
        points = self._points
        assert isinstance(points.columns, int)
        rt, ct = _product_of(op, points)
        kt = op.left_strides[-2] if rt > 1 else op.depth
        extents = {"transpose": int(op.is_transposed), "ct": ct, "rt": rt, "kt": kt}
        self._formats(right.buffer, left.buffer)
        self._build.call("matmul_block_init", left.buffer, right.buffer, **extents)
        first = self._page(left, op.left_strides)
        second = self._page(right, op.right_strides)

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

            def turn(inner: Building, k: SSAValue, _: object) -> tuple[()]:
                product(inner, k)
                return ()

            within.loop(0, op.depth, 1, (), turn, name="k")

        points.each(self._build, (op.left_strides, op.right_strides), body, skip=(rt, ct))

    def _reduce(self, op: TileReduceOp) -> None:
        scalers = [self._sources[each] for each in op.scalers]
        scaler = scalers[0]
        source = self._sources[op.source]
        words = {"pool": _POOL[op.pool], "dim": _REDUCE[op.within]}
        assert self._output is not None
        if self._reconfigures and (op.pool, op.within) == ("sum", "columns"):
            # The newer API exchanges the sources for this one.
            self._build.call("reconfig_data_format_reduce_row", source.buffer, scaler.buffer)
        else:
            self._formats(source.buffer, scaler.buffer)
        self._build.call("reduce_init", source.buffer, scaler.buffer, self._output, **words)
        base = self._register(op)
        first = self._page(source, op.strides)

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            def reduced(inner: Building, page: Number, weights: Source) -> None:
                inner.call(
                    "reduce_tile",
                    source.buffer,
                    weights.buffer,
                    page,
                    weights.first,
                    inner.sum(register, base),
                    **words,
                )

            def nest(inner: Building, dims: list[tuple[int, int]], page: Number) -> None:
                if not dims:
                    reduced(inner, page, scalers[-1])
                    return
                (extent, step), *rest = dims
                apart = not rest and len(scalers) > 1  # the last tile of a row has weights of its own
                count = extent - 1 if apart else extent

                def turn(deeper: Building, k: SSAValue, _: object) -> tuple[()]:
                    at = deeper.sum(page, deeper.product(k, step))
                    if apart:
                        reduced(deeper, at, scaler)
                    else:
                        nest(deeper, rest, at)
                    return ()

                if count > 1:
                    inner.loop(0, count, 1, (), turn, name="k")
                elif count == 1 and apart:
                    reduced(inner, page, scaler)
                elif count == 1:
                    nest(inner, rest, page)
                if apart:
                    reduced(inner, inner.sum(page, count * step), scalers[-1])

            nest(within, list(zip(op.extents, op.steps, strict=True)), within.sum(first, pages[0]))

        self._points.each(self._build, (op.strides,), body)

    # --- in the registers ---

    def _in_place(self, op: TileOp, operand: SSAValue) -> int:
        """The registers of a result that is computed in its operand's: copied there first where that lives on.

        What came from a buffer comes from there again: the unpacker has time, the vector unit has not.
        """
        base, own = self._base(operand), self._register(op)
        if base != own and isinstance(operand.owner, TileReadOp) and operand.owner.mode == "plain":
            self._copy(operand.owner, own)
        elif base != own:
            self._build.call("copy_dest_values_init")

            def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
                within.call(
                    "copy_dest_values",
                    within.sum(register, base),
                    within.sum(register, own),
                    format=self._held_format(dtype_of(operand)),
                )

            self._points.each(self._build, (), body)
        return own

    def _base(self, tile: SSAValue) -> int:
        op = tile.owner
        return self._register(op) if isinstance(op, TileOp) else 0

    def _held_format(self, dtype: DType) -> DType:
        if not dtype.is_float:
            return dtype
        return FLOAT32 if self._fp32 else BFLOAT16

    def _compute(self, op: TileComputeOp) -> None:
        tiles = tile_operands(op)
        form = _form_of(op)
        operand = dtype_of(tiles[-1]) if tiles else op.dtype
        if op.row.name == "typecast" and conversion(operand, op.dtype, wide=self._fp32) is None:
            self._in_place(op, tiles[0])
            return
        number = next(
            (constant_of(each) for each in op.operands if not isinstance(each.type, TileType)), None
        )
        found = tile_call(op.row, form, operand, op.params, number)
        assert found is not None, f"{op.row.name} of {operand} has no tile function: ttl-expand has not run"
        old, _ = found
        call, init = use_of(old.call), _init_of(old)
        if form in ("unary", "scalar"):
            own = self._in_place(op, tiles[0])
            registers = [own]
        else:
            registers = [*map(self._base, tiles), self._register(op)]
        if init is not None:
            self._build.call(init.call.name, **self._constants(op, init))
        constants = self._constants(op, call)

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            within.call(call.call.name, *(within.sum(register, base) for base in registers), **constants)

        self._points.each(self._build, (), body)

    def _named_formats(self, op: TileComputeOp) -> tuple[DType, DType]:
        """The types whose formats a function names for its operand and its result."""
        tiles = tile_operands(op)
        if op.row.name == "typecast":
            given = dtype_of(tiles[0])
            found = conversion(given, op.dtype, wide=self._fp32)
            return found or (given, op.dtype)
        return self._held_format(dtype_of(tiles[0]) if tiles else op.dtype), self._held_format(op.dtype)

    def _constants(self, op: TileComputeOp, use: Use) -> dict[str, Any]:
        names = [each.name for each in use.call.constants]
        values = (self._constant(op, source) for source in use.sources)
        return dict(zip(names, values, strict=True))

    def _constant(self, op: TileComputeOp, source: str) -> Any:
        kind, _, name = source.partition(":")
        if kind == "fmt":
            given, wanted = self._named_formats(op)
            return given if name == "in" else wanted
        for operand, value in zip(op.row.operands, op.operands, strict=True):
            if operand.name == name:
                return constant_of(value)
        for param, value in zip(op.row.params, op.params, strict=True):
            if param.name == name:
                return value
        raise KeyError(source)


def _form_of(op: TileComputeOp) -> Form:
    tiles = len(tile_operands(op))
    if tiles == 0:
        return "fill"
    if len(op.operands) > tiles:
        return "scalar"
    forms: dict[int, Form] = {1: "unary", 2: "dst", 3: "ternary"}
    return forms[tiles]


def _init_of(call: TileCall) -> Use | None:
    return use_of(call.init) if call.init else None


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
