"""``ttl.write_scaler`` as stores to L1."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ttl.dialects.scaler import WriteScalerOp
from ttl.passes.blocks import circular_buffer
from ttl.passes.building import Building

# A tile of bfloat16 in words of 32 bits: four faces of 16 rows of eight words.
_WORDS, _FACES, _FACE, _ROW = 512, 4, 128, 8
_TWO_ONES = 0x3F803F80


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

    def face(within: Building, number: SSAValue, _: object) -> tuple[()]:
        def row(inner: Building, word: SSAValue, __: object) -> tuple[()]:
            inner.call("store_to_l1", _TWO_ONES, tile, inner.sum(inner.product(number, _FACE), word))
            return ()

        within.loop(0, _ROW, 1, (), row, name="word")
        return ()

    build.loop(0, _FACES, 1, (), face, name="face")
    build.call("cb_push_back", buffer, 1)
    op.detach()
    op.erase()
