"""Tiles of circular buffers to registers: the functions of the unpackers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.ir import SSAValue

from ttl.dialects.tiles import TileOp, TileReadOp
from ttl.passes.building import Building, Number
from ttl.passes.compute.points import Points, Section, Source

_BROADCAST = {"row": "BroadcastType::ROW", "column": "BroadcastType::COL", "scalar": "BroadcastType::SCALAR"}


class Unpacking:
    """Writes the functions of one section that read blocks."""

    def __init__(self, build: Building, section: Section) -> None:
        self.build = build
        self.section = section

    @property
    def points(self) -> Points:
        """What the section computes."""
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
        """Let the unpackers read the formats of what comes next: source A, then source B."""
        if not self.section.reconfigures:
            return
        if second is None:
            self.build.call("reconfig_data_format_srca", first)
        else:
            self.build.call("reconfig_data_format", first, second)

    def read(self, op: TileReadOp) -> None:
        """Tiles to registers, changed on their way as their mode says."""
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
        """Copy what is read as it is to registers."""
        buffer = self.sources[op.source].buffer
        self.formats(buffer, None)
        self.build.call("copy_tile_init", buffer)
        self._tiles(op, lambda within, page, d: within.call("copy_tile", buffer, page, d), base)

    def _tiles(self, op: TileReadOp, call: Callable[[Building, Number, Number], object], base: int) -> None:
        first = self.section.page(self.build, self.sources[op.source], op.strides, op.offset)

        def body(within: Building, pages: tuple[Number, ...], register: Number) -> None:
            call(within, within.sum(first, pages[0]), within.sum(register, base))

        self.points.each(self.build, (self.section.strides(op.strides),), body)
