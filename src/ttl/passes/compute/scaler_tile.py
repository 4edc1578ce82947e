"""``ttl.write_scaler``: zeros that the network copies, and stores to L1."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ttl.dialects.filled import WriteScalerOp
from ttl.ops.types import TILE
from ttl.passes.buffers.blocks import circular_buffer
from ttl.passes.building import Building, erase

# A tile of bfloat16 in words of 32 bits: four faces of 16 rows of eight words.
_FACES, _FACE, _ROW = 4, 128, 8
_BYTES = 2048
# How many zeros a node keeps, in bytes.
_ZEROS = 512
_ONE, _TWO_ONES = 0x3F80, 0x3F803F80


def write_scaler(op: WriteScalerOp) -> None:
    """Zeros everywhere, ones in the first row of every face (facts/kernel-api.md, "Reduce scaler tile")."""
    build = Building(op)
    buffer = circular_buffer(op, op.dfb)
    build.call("cb_reserve_back", buffer, 1)
    address = build.ask("get_write_ptr", buffer)
    _clear(build, address)
    tile = build.ask("reinterpret_l1", address)
    tile.name_hint = "tile"
    if op.count == TILE:
        _whole_rows(build, tile)
    else:
        _part_of_rows(build, tile, op.count, by_column=op.along == "columns")
    build.call("cb_push_back", buffer, 1)
    erase(op)


def _clear(build: Building, address: SSAValue) -> None:
    """Copy zeros to a tile: the network takes a tenth of the time of stores."""
    zeros = build.ask("get_noc_addr_local", build.ask("zeros_address"))
    zeros.name_hint = "zeros"

    def copy(within: Building, done: SSAValue, _: object) -> tuple[()]:
        within.call("noc_async_read", zeros, within.sum(address, done), _ZEROS)
        return ()

    build.loop(0, _BYTES, _ZEROS, (), copy, name="done")
    build.barrier("noc_async_read_barrier", "the tile is zero before ones are written to it")


def _whole_rows(build: Building, tile: SSAValue) -> None:
    def face(within: Building, number: SSAValue, _: object) -> tuple[()]:
        def row(inner: Building, word: SSAValue, __: object) -> tuple[()]:
            inner.call("store_to_l1", _TWO_ONES, tile, inner.sum(inner.product(number, _FACE), word))
            return ()

        within.loop(0, _ROW, 1, (), row, name="word")
        return ()

    build.loop(0, _FACES, 1, (), face, name="face")


def _part_of_rows(build: Building, tile: SSAValue, counted: int, *, by_column: bool) -> None:
    """The weights of 16 columns (or rows) are in each face, two in a word; the second 16 in the right (or lower) ones."""
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
