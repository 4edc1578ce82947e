"""The table itself: names, spellings, constants in C++, and the rows made from the table of operations."""

from __future__ import annotations

import math
from typing import Any, get_args

import pytest

from ttl.kernel_api import CALLS, call
from ttl.kernel_api.function_rows import Applied
from ttl.kernel_api.literals import bits_of, literal
from ttl.kernel_api.tiles import init_of, use_of
from ttl.rows import dtypes
from ttl.rows.row import Generation, TileCall
from ttl.rows.table import OPS

GENERATIONS: tuple[Generation, ...] = get_args(Generation)
# What one generation has no init or no function for.
ONE_GENERATION = {"sub_bcast_rows_init": {"0.81"}, "sub_tiles_bcast_rows": {"0.81"}}

ON_REGISTERS = [
    pytest.param(row, generation, tile, id=f"{row.name} {generation} {tile.function.name}")
    for row in OPS
    for generation, tiles in row.hardware.items()
    for tile in tiles
    if tile.form not in ("fpu", "cb")
]


def test_a_row_is_found_by_its_name() -> None:
    assert all(call(name).name == name for name in CALLS)
    with pytest.raises(KeyError):
        call("frobnicate")


def test_what_only_one_generation_has() -> None:
    found = {row.name: set(row.spelling) for row in CALLS.values() if set(row.spelling) != set(GENERATIONS)}
    assert found == ONE_GENERATION


def test_a_row_says_what_it_is_and_where() -> None:
    assert [row.name for row in CALLS.values() if not row.doc.endswith(".")] == []
    assert [row.name for row in CALLS.values() if row.headers.keys() != row.spelling.keys()] == []


def test_operands_come_before_constants() -> None:
    for row in CALLS.values():
        assert row.arguments == (*row.operands, *row.constants), row.name
        assert len({each.name for each in row.arguments}) == len(row.arguments), row.name


def test_no_two_rows_are_the_same_function() -> None:
    """A function that the table of operations spells in two ways would get a second row."""
    assert [name for name in CALLS if name.endswith("_2")] == []


@pytest.mark.parametrize(
    ("name", "operands", "constants", "old", "new"),
    [
        ("add_tiles_init", "ab", {}, "add_tiles_init(a, b)", "add_init(a, b)"),
        ("cb_push_back", "cn", {}, "cb_push_back(c, n)", "cb_push_back(c, n)"),
        (
            "matmul_block_init",
            "ab",
            {"transpose": 0, "ct": 2, "rt": 1, "kt": 4},
            "mm_block_init_short(a, b, 0, 2, 1, 4)",
            "matmul_block_init(a, b, 0, 2, 1, 4)",
        ),
        ("pack_tile", "dci", {}, "pack_tile<true>(d, c, i)", "pack_tile<true>(d, c, i)"),
        (
            "binary_dest_reuse_tiles",
            "cid",
            {"operation": "EltwiseBinaryType::ELWSUB", "reuse": "EltwiseBinaryReuseDestType::DEST_TO_SRCB"},
            "binary_dest_reuse_tiles<EltwiseBinaryType::ELWSUB, EltwiseBinaryReuseDestType::DEST_TO_SRCB>(c, i, d)",
            "sub_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCB>(c, i, d)",
        ),
        ("leaky_relu_tile", "d", {"slope": 0.5}, *["leaky_relu_tile(d, 0x3f000000)"] * 2),
        ("unary_bcast_direct_init", "io", {"how": "BroadcastType::COL"},
         "UNPACK((llk_unpack_A_init<BroadcastType::COL, false, EltwiseBinaryReuseDestType::NONE, true>(false, false, i))); "
         "MATH((llk_math_eltwise_unary_datacopy_init<A2D, DST_ACCUM_MODE, BroadcastType::COL>(i)))",
         "unary_bcast_init<BroadcastType::COL>(i)"),
        (
            "unary_bcast_init", "io", {"how": "BroadcastType::COL"},
            "reconfigure_unary_bcast<BroadcastType::NONE, BroadcastType::COL>(i, i, o, o)",
            "unary_bcast_init<BroadcastType::COL>(i)",
        ),
        ("unary_bcast_direct", "iad", {"how": "BroadcastType::COL"},
         "MATH((math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(d))); "
         "unary_bcast<BroadcastType::COL>(i, a, d)",
         "unary_bcast<BroadcastType::COL>(i, a, d)"),
        ("unary_bcast_direct_uninit", "i", {"how": "BroadcastType::COL"}, "", "unary_bcast_uninit<BroadcastType::COL>(i)"),
        ("row_sum_tile", "asijd", {}, "matmul_block(a, s, i, j, d, 1, 1, 1, 1)",
         "reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(a, s, i, j, d)"),
        ("row_sum_uninit", "", {}, "PACK((llk_pack_reduce_mask_clear()))", "reduce_uninit()"),
        ("lt_int32_tile", "abd", {}, "lt_int32_tile(a, b, d)", "lt_int_tile<DataFormat::Int32>(a, b, d)"),
        ("store_to_l1", "vpi", {}, *["p[i] = v"] * 2),
    ],
)  # fmt: skip
def test_spelling(name: str, operands: str, constants: dict[str, Any], old: str, new: str) -> None:
    spelled = [CALLS[name].spell(generation, list(operands), constants) for generation in GENERATIONS]
    assert ["; ".join(statements) for statements in spelled] == [old, new]


def test_nothing_is_spelled_for_a_generation_that_lacks_it() -> None:
    with pytest.raises(KeyError):
        CALLS["sub_bcast_rows_init"].spell("0.69", ["a", "b"])


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("int", 3, "3"),
        ("int", -3, "-3"),
        ("bool", True, "true"),
        ("bool", False, "false"),
        ("float", 0.5, "0.5f"),
        ("float", 3.0, "3.0f"),
        ("float", 0.1, "0.1f"),
        ("float", 1e-30, "1e-30f"),
        ("float", 16777216.0, "16777216.0f"),
        ("float", -0.0, "-0.0f"),
        ("float", math.inf, "__builtin_inff()"),
        ("float", -1e39, "-__builtin_inff()"),
        ("float", math.nan, '__builtin_nanf("")'),
        ("bits", 1.0, "0x3f800000"),
        ("bits", -2.5, "0xc0200000"),
        ("bits", 0.0, "0x00000000"),
        ("bits", math.inf, "0x7f800000"),
        ("bits", -1e39, "0xff800000"),
        ("format", dtypes.BFLOAT8_B, "DataFormat::Bfp8_b"),
        ("format", dtypes.UINT16, "DataFormat::UInt16"),
        ("word", "PoolType::SUM", "PoolType::SUM"),
        ("text", 'a "b"\n', r'"a \"b\"\n"'),
        ("text", "\\ é7\0", r'"\\ \303\2517\000"'),
    ],
)
def test_constant(kind: str, value: Any, text: str) -> None:
    assert literal(kind, value) == text


def test_a_float_literal_is_the_float_it_was() -> None:
    for bits in range(0x00800000, 0x7F800000, 0x0012_3457):
        number = float(literal("float", _float32(bits)).removesuffix("f"))
        assert bits_of(number) == bits


def _float32(bits: int) -> float:
    import struct

    (found,) = struct.unpack(">f", bits.to_bytes(4, "big"))
    assert isinstance(found, float)
    return found


# 0.69's comparisons of integers use constants of another header (test_headers.py shows that they are refused alone).
NEEDED_BEFORE = {("0.69", "api/compute/binary_comp.h"): ("api/compute/binary_bitwise_sfpu.h",)}


@pytest.mark.parametrize(("row", "generation", "tile"), ON_REGISTERS)
def test_a_call_of_an_operation_is_a_row(row: Any, generation: Generation, tile: TileCall) -> None:
    """Its slots are the row's constants, and the row names it, for the generation that it is of."""
    for use, function in ((use_of(tile), tile.function), (init_of(tile), tile.init)):
        if use is None or function is None:
            continue
        slots = [slot for slot in (*function.template, *function.arguments) if slot.kind != "word"]
        assert list(use.sources) == slots
        assert len(use.call.constants) == len(slots)
        (applied,) = use.call.spelling[generation]
        assert isinstance(applied, Applied)
        assert applied.name == function.name
        assert [part for part in applied.template if isinstance(part, str) and "::" in part] == [
            slot.name for slot in function.template if slot.kind == "word"
        ]
        needed = NEEDED_BEFORE.get((generation, tile.header), ())
        assert use.call.headers[generation] == (*needed, tile.header)
    assert use_of(tile).call.configures is None


def test_inits_configure_the_vector_unit() -> None:
    inits = [
        init_of(tile)
        for row in OPS
        for tiles in row.hardware.values()
        for tile in tiles
        if tile.reads_registers
    ]
    assert {init.call.configures for init in inits if init is not None} == {"sfpu"}
    assert CALLS["rounding_op_tile_init"].doc.startswith("Before frac_tile, trunc_tile, ")


def test_what_a_row_of_buffers_is_called_is_in_the_table() -> None:
    spelled = {
        statement.name
        for row in CALLS.values()
        for statements in row.spelling.values()
        for statement in statements
        if isinstance(statement, Applied)
    }
    named = {
        tile.function.name
        for row in OPS
        for tiles in row.hardware.values()
        for tile in tiles
        if not tile.reads_registers
    }
    assert named <= spelled


def test_an_offset_of_none_is_left_out() -> None:
    address = CALLS["get_noc_addr"]
    assert address.spell("0.81", ["3", "tensor", "0"]) == ["tensor.get_noc_addr(3)"]
    assert address.spell("0.81", ["3", "tensor", "64"]) == ["tensor.get_noc_addr(3, 64)"]
