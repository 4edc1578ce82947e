"""The functions of the vector unit, which compute tiles in registers from tiles in registers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir import SSAValue

from ttl.dialects.compute import constant_of, is_filled_later
from ttl.dialects.elements import TileType
from ttl.dialects.tiles import TileComputeOp, TileFoldOp, TileOp, TileReadOp, dtype_of
from ttl.kernel_api.tiles import Use, init_of, use_by_faces, use_by_value, use_of
from ttl.passes.building import Building, Number
from ttl.passes.compute.later_numbers import bits_of_float
from ttl.passes.compute.places import place_of, tile_operands
from ttl.passes.compute.points import Points, Section, Source
from ttl.passes.marks import lanes_of
from ttl.rows.dtypes import BFLOAT16, FLOAT32, DType
from ttl.rows.lowering import conversion, tile_call
from ttl.rows.row import Form, Params, Slot

_BROADCAST = {"row": "BroadcastType::ROW", "column": "BroadcastType::COL", "scalar": "BroadcastType::SCALAR"}


class Unpacking:
    """Writes the functions of one section that read blocks."""

    def __init__(self, build: Building, section: Section) -> None:
        self.build = build
        self.section = section

    @property
    def points(self) -> Points:
        """The points that the section computes."""
        return self.section.points

    @property
    def sources(self) -> Mapping[SSAValue, Source]:
        """The inputs in circular buffers."""
        return self.section.sources

    def register(self, op: TileOp) -> int:
        """The first register of the tiles of an operation."""
        assert op.place is not None
        return op.place * self.points.size

    def formats(self, first: SSAValue, second: SSAValue | None) -> None:
        """Set the formats of the unpackers to those of the buffers that are read next, by source A and source B."""
        if not self.section.reconfigures:
            return
        if second is None:
            self.build.call("reconfig_data_format_srca", first)
        else:
            self.build.call("reconfig_data_format", first, second)

    def read(self, op: TileReadOp) -> None:
        """Unpack tiles to registers, broadcast or transposed according to the mode of the read."""
        source = self.sources[op.source]
        base = self.register(op)
        build = self.build
        if op.mode in _BROADCAST:
            how = _BROADCAST[op.mode]
            self.formats(source.buffer, source.buffer)
            function = "unary_bcast_direct" if source.is_direct else "unary_bcast"
            build.call(f"{function}_init", source.buffer, self.section.output or source.buffer, how=how)
            self._tiles(
                op, lambda within, page, d: within.call(function, source.buffer, page, d, how=how), base
            )
            build.call(f"{function}_uninit", source.buffer, how=how)
            return
        if op.mode == "plain":
            self.copy(op, base)
            return
        self.formats(source.buffer, None)
        build.call("transpose_init", source.buffer)
        self._tiles(op, lambda within, page, d: within.call("transpose_tile", source.buffer, page, d), base)

    def copy(self, op: TileReadOp, base: int) -> None:
        """Unpack tiles to registers unchanged."""
        buffer = self.sources[op.source].buffer
        self.formats(buffer, None)
        self.build.call("copy_tile_init", buffer)
        self._tiles(op, lambda within, page, d: within.call("copy_tile", buffer, page, d), base)

    def _tiles(self, op: TileReadOp, call: Callable[[Building, Number, Number], object], base: int) -> None:
        first = self.section.page(self.build, self.sources[op.source], op.strides, op.offset)

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            call(within, within.sum(first, pages[0]), within.sum(register, base))

        self.points.each(self.build, (self.section.strides(op.strides),), body)


# The vector mode for the first column or row of a tile: the faces on the left, or the upper ones.
_FACES: dict[str | None, str] = {"column": "VectorMode::C", "row": "VectorMode::R"}


class VectorUnit(Unpacking):
    """Writes the functions of one section that read registers."""

    def in_place(self, op: TileOp, operand: SSAValue) -> int:
        """Return the first register of a result that is computed in place; copy its operand there if it is elsewhere.

        An operand that was read from a buffer is read again: the unpacker has time to spare, the vector unit has not.
        """
        base, own = self._base(operand), self.register(op)
        if base != own and isinstance(operand.owner, TileReadOp) and operand.owner.mode == "plain":
            self.copy(operand.owner, own)
        elif base != own:
            self.build.call("copy_dest_values_init")

            def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
                within.call(
                    "copy_dest_values",
                    within.sum(register, base),
                    within.sum(register, own),
                    format=self._held_format(dtype_of(operand)),
                )

            self.points.each(self.build, (), body)
        return own

    def _base(self, tile: SSAValue) -> int:
        return place_of(tile) * self.points.size

    def _held_format(self, dtype: DType) -> DType:
        if not dtype.is_float:
            return dtype
        return FLOAT32 if self.section.fp32_dest else BFLOAT16

    def compute(self, op: TileComputeOp) -> None:
        """Generate the calls of an operation that computes from registers."""
        tiles = tile_operands(op)
        form = _form_of(op)
        operand = dtype_of(tiles[-1]) if tiles else op.dtype
        if (
            op.row.family == "conversion"
            and conversion(operand, op.dtype, wide=self.section.fp32_dest) is None
        ):
            self.in_place(op, tiles[0])
            return
        number = next((value for value in op.operands if not isinstance(value.type, TileType)), None)
        # A fill whose number was not known when it was written takes it at run time, even if it is a constant by now.
        known = None if number is None or is_filled_later(op) else constant_of(number)
        result = tile_call(op.row, form, operand, _params_of(op), known)
        assert result is not None, f"{op.row.name} of {operand} has no tile function: ttl-expand has not run"
        old, _ = result
        call, init = use_of(old), init_of(old)
        bits: list[Number] = []
        if number is not None and known is None:
            call, source = use_by_value(old)
            bits = [number if source.kind == "int" else bits_of_float(self.build, number)]
        if old.by_faces and lanes_of(op) is not None:
            call = use_by_faces(old)
        if form in ("unary", "scalar"):
            own = self.in_place(op, tiles[0])
            registers = [own]
        else:
            registers = [*map(self._base, tiles), self.register(op)]
        if init is not None:
            self.build.call(init.call.name, **self._constants(op, init))
        constants = self._constants(op, call)

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            places = [within.sum(register, base) for base in registers]
            within.call(call.call.name, *places, *bits, **constants)

        self.points.each(self.build, (), body)

    def fold(self, op: TileFoldOp) -> None:
        """Combine tiles of a buffer in the registers: the first is copied to its place, each next one beside it."""
        source = self.sources[op.source]
        assert op.beside is not None
        base, beside = self.register(op), op.beside * self.points.size
        result = tile_call(op.row, "dst", op.dtype, ())
        assert result is not None, f"{op.row.name} of {op.dtype} has no tile function"
        call, init = use_of(result[0]), init_of(result[0])
        first = self.section.page(self.build, source, op.strides)

        def copied(build: Building, page: Number, to: int) -> None:
            build.call("copy_tile_init", source.buffer)

            def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
                within.call("copy_tile", source.buffer, within.sum(page, pages[0]), within.sum(register, to))

            self.points.each(build, (self.section.strides(op.strides),), body)

        def combined(build: Building, page: Number) -> None:
            copied(build, page, beside)
            if init is not None:
                build.call(init.call.name, **self._constants(op, init))

            def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
                into = within.sum(register, base)
                other = within.sum(register, beside)
                within.call(call.call.name, into, other, into, **self._constants(op, call))

            self.points.each(build, (), body)

        def tiles(build: Building, dims: Sequence[tuple[int, int]], page: Number, *, begins: bool) -> None:
            if not dims:
                if begins:
                    copied(build, page, base)
                else:
                    combined(build, page)
                return
            (extent, step), *rest = dims
            if begins:
                tiles(build, rest, page, begins=True)

            def iteration(within: Building, k: SSAValue, _: object) -> tuple[()]:
                tiles(within, rest, within.sum(page, within.product(k, step)), begins=False)
                return ()

            if extent > int(begins):
                build.loop(int(begins), extent, 1, (), iteration, name="k")

        self.formats(source.buffer, None)
        tiles(self.build, list(zip(op.extents, op.steps, strict=True)), first, begins=True)

    def _named_formats(self, op: TileComputeOp) -> tuple[DType, DType]:
        """The types whose formats a function names for its operand and its result."""
        tiles = tile_operands(op)
        if op.row.family == "conversion":
            given = dtype_of(tiles[0])
            result = conversion(given, op.dtype, wide=self.section.fp32_dest)
            return result or (given, op.dtype)
        return self._held_format(dtype_of(tiles[0]) if tiles else op.dtype), self._held_format(op.dtype)

    def _constants(self, op: TileComputeOp | TileFoldOp, use: Use) -> dict[str, Any]:
        names = [constant.name for constant in use.call.constants]
        values = (self._constant(op, source) for source in use.sources)
        return dict(zip(names, values, strict=True))

    def _constant(self, op: TileComputeOp | TileFoldOp, source: Slot) -> Any:
        if isinstance(op, TileFoldOp):
            return self._held_format(op.dtype)
        if source.kind == "faces":
            return _FACES[lanes_of(op)]
        if source.kind in ("format", "format_number"):
            given, wanted = self._named_formats(op)
            return given if source.name == "in" else wanted
        for operand, value in zip(op.row.operands, op.operands, strict=True):
            if operand.name == source.name:
                return constant_of(value)
        for param, value in zip(op.row.params, op.params, strict=True):
            if param.name == source.name:
                return value
        raise KeyError(source)


def _params_of(op: TileComputeOp) -> Params:
    """The parameters; NaN stands for a number that is known only when the kernel runs."""
    return (math.nan, *op.params[1:]) if is_filled_later(op) else op.params


def _form_of(op: TileComputeOp) -> Form:
    tiles = len(tile_operands(op))
    if tiles == 0:
        return "fill"
    if len(op.operands) > tiles:
        return "scalar"
    forms: dict[int, Form] = {1: "unary", 2: "dst", 3: "ternary"}
    return forms[tiles]
