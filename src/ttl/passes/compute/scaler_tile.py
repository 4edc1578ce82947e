"""``ttl.write_scaler`` as stores to L1."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ttl.dialects.scaler import WriteScalerOp
from ttl.ops.types import TILE
from ttl.passes.buffers.blocks import circular_buffer
from ttl.passes.building import Building, erase

# A tile of bfloat16 in words of 32 bits: four faces of 16 rows of eight words.
_WORDS, _FACES, _FACE, _ROW = 512, 4, 128, 8
_ONE, _TWO_ONES = 0x3F80, 0x3F803F80


def write_scaler(op: WriteScalerOp) -> None:
    """Zeros everywhere, ones in the first row of every face (facts/kernel-api.md, "Reduce scaler tile")."""
    build = Building(op)
    buffer = circular_buffer(op, op.dfb)
    build.call("cb_reserve_back", buffer, 1)
    tile = build.ask("reinterpret_l1", build.ask("get_write_ptr", buffer))
    tile.name_hint = "tile"

    def clear(within: Building, word: SSAValue, _: object) -> tuple[()]:
        within.call("store_to_l1", 0, tile, word)
        return ()

    build.loop(0, _WORDS, 1, (), clear, name="word")

    if op.count == TILE:
        _whole_rows(build, tile)
    else:
        _part_of_rows(build, tile, op.count, by_column=op.along == "columns")
    build.call("cb_push_back", buffer, 1)
    erase(op)


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
