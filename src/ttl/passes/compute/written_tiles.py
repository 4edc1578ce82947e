"""``ttl.write_scaler`` and ``ttl.write_mask``: tiles of bfloat16 that a data movement kernel writes, as stores to L1."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ttl.dialects import ttl as dialect
from ttl.dialects.filled import WriteMaskOp, WriteScalerOp
from ttl.passes.buffers.blocks import circular_buffer
from ttl.passes.building import Building, erase
from ttl.rows.types import TILE

# A tile of bfloat16 in words of 32 bits: four faces of 16 rows of eight words.
_WORDS, _FACES, _FACE, _ROW, _ROWS = 512, 4, 128, 8, 16
_BYTES = 4 * _WORDS
# How many zeros a node keeps, in bytes.
_ZEROS = 512
_ONE, _TWO_ONES = 0x3F80, 0x3F803F80
# The values that stand for padding, as bfloat16: 1, or minus infinity. Zeros stand for elements.
_PADDING = {"select": 0x3F80, "lowest": 0xFF80}

# Rows and columns of a tile that are no padding.
_Extent = tuple[int, int]


def write_scaler(op: WriteScalerOp) -> None:
    """Write zeros, with ones in the first row of every face: a factor of ``reduce_tile`` (``compute/reduce.h``)."""
    build = Building(op)
    buffer = circular_buffer(op, op.dfb)
    build.call("cb_reserve_back", buffer, 1)
    address = build.ask("get_write_ptr", buffer)
    _zero(build, address, 1)
    tile = build.ask("reinterpret_l1", address)
    tile.name_hint = "tile"
    if op.count == TILE:
        _whole_rows(build, tile)
    else:
        _part_of_rows(build, tile, op.count, by_column=op.along == "columns")
    build.call("cb_push_back", buffer, 1)
    erase(op)


def _zero(build: Building, address: SSAValue, tiles: int) -> None:
    """Copy zeros to tiles: the network takes a tenth of the time of stores."""
    zeros = build.ask("get_noc_addr_local", build.ask("zeros_address"))
    zeros.name_hint = "zeros"

    def copy(within: Building, done: SSAValue, _: object) -> tuple[()]:
        within.call("noc_async_read", zeros, within.sum(address, done), _ZEROS)
        return ()

    build.loop(0, tiles * _BYTES, _ZEROS, (), copy, name="done")
    which = "the tile is" if tiles == 1 else "the tiles are"
    build.barrier("noc_async_read_barrier", f"{which} zero before anything else is written")


def _whole_rows(build: Building, tile: SSAValue) -> None:
    def face(within: Building, number: SSAValue, _: object) -> tuple[()]:
        def row(inner: Building, word: SSAValue, __: object) -> tuple[()]:
            inner.call("store_to_l1", _TWO_ONES, tile, inner.sum(inner.product(number, _FACE), word))
            return ()

        within.loop(0, _ROW, 1, (), row, name="word")
        return ()

    build.loop(0, _FACES, 1, (), face, name="face")


def _part_of_rows(build: Building, tile: SSAValue, counted: int, *, by_column: bool) -> None:
    """Write weights of 16 columns (or rows) per face, two in a word; right (or lower) faces have the second 16."""
    for face in range(_FACES):
        second = face % 2 if by_column else face // 2
        count = min(max(counted - second * 2 * _ROW, 0), 2 * _ROW)

        def row(within: Building, word: SSAValue, _: object, face: int = face) -> tuple[()]:
            within.call("store_to_l1", _TWO_ONES, tile, within.sum(word, face * _FACE))
            return ()

        if count >= 2:
            build.loop(0, count // 2, 1, (), row, name="word")
        if count % 2:
            build.call("store_to_l1", _ONE, tile, face * _FACE + count // 2)


def write_mask(op: WriteMaskOp) -> None:
    """Write zeros everywhere, then the padding, face by face."""
    assert isinstance(op.dfb.type, dialect.DataflowBufferType)
    rows, columns = op.dfb.type.block_type.shape
    build = Building(op)
    buffer = circular_buffer(op, op.dfb)
    build.call("cb_reserve_back", buffer, rows * columns)
    address = build.ask("get_write_ptr", buffer)
    _zero(build, address, rows * columns)
    mask = build.ask("reinterpret_l1", address)
    mask.name_hint = "mask"
    for extent, pages in _padded(rows, columns, op).items():
        writer = _Tile(mask, extent, _PADDING[op.kind])
        step = pages[1] - pages[0] if len(pages) > 1 else 1
        if len(pages) < 2 or pages != [*range(pages[0], pages[-1] + 1, step)]:
            for page in pages:
                writer.write(build, page)
        else:

            def tile(within: Building, page: SSAValue, _: object, writer: _Tile = writer) -> tuple[()]:
                writer.write(within, page)
                return ()

            build.loop(pages[0], pages[-1] + 1, step, (), tile, name="page")
    build.call("cb_push_back", buffer, rows * columns)
    erase(op)


def _padded(rows: int, columns: int, op: WriteMaskOp) -> dict[_Extent, list[int]]:
    """The tiles that have padding, by how much of each is not padding."""
    padded: dict[_Extent, list[int]] = {}
    for row in range(rows):
        for column in range(columns):
            extent = (_within(op.rows, row, TILE), _within(op.columns, column, TILE))
            if extent != (TILE, TILE):
                padded.setdefault(extent, []).append(row * columns + column)
    return padded


def _within(extent: int, number: int, size: int) -> int:
    """Return how much of an extent is in a part."""
    return min(max(extent - number * size, 0), size)


class _Tile:
    """Writes the padding of one tile."""

    def __init__(self, mask: SSAValue, extent: _Extent, padding: int) -> None:
        self._mask = mask
        self._extent = extent
        self._padding = padding << 16 | padding
        # An element, which is zero, is the lower half of a word, the padding right of it the upper half.
        self._mixed = padding << 16

    def write(self, build: Building, page: int | SSAValue) -> None:
        """Write the padding of the tile on a page."""
        for face in range(_FACES):
            rows = _within(self._extent[0], face // 2, _ROWS)
            columns = _within(self._extent[1], face % 2, _ROWS)
            start = build.sum(build.product(page, _WORDS), face * _FACE)
            if columns == 0:
                rows = 0
            self._rows(build, start, rows, columns)
            if rows < _ROWS:
                _fill(build, self._mask, build.sum(start, rows * _ROW), (_ROWS - rows) * _ROW, self._padding)

    def _rows(self, build: Building, start: int | SSAValue, rows: int, columns: int) -> None:
        """Write the padding at the end of rows that have elements."""
        if rows == 0 or columns == _ROWS:
            return

        def row(within: Building, number: SSAValue, _: object) -> tuple[()]:
            first = within.sum(start, within.product(number, _ROW))
            if columns % 2:
                within.call("store_to_l1", self._mixed, self._mask, within.sum(first, columns // 2))
            begin = -(-columns // 2)
            if begin < _ROW:
                _fill(within, self._mask, within.sum(first, begin), _ROW - begin, self._padding)
            return ()

        build.loop(0, rows, 1, (), row, name="row")


def _fill(build: Building, pointer: SSAValue, start: int | SSAValue, count: int, word: int) -> None:
    """Fill ``count`` words of L1, from ``start`` on, with one word."""

    def store(within: Building, index: SSAValue, _: Sequence[SSAValue]) -> tuple[()]:
        within.call("store_to_l1", word, pointer, within.sum(start, index))
        return ()

    build.loop(0, count, 1, (), store, name="word")
