"""The matrix unit against NumPy, through compute kernels in the names of both generations of the kernel API."""

from __future__ import annotations

import re

import numpy as np
import pytest

from emu.harness import GENERATIONS, OUT, Values, compute
from ttl import settings
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.row import Generation

RNG = np.random.default_rng(7)
both = pytest.mark.parametrize("generation", GENERATIONS)


def bf16(values: Values) -> Values:
    return BFLOAT16.load(BFLOAT16.store(values))


def normal(*shape: int) -> Values:
    return bf16(RNG.standard_normal(shape).astype(np.float32))


def names(generation: Generation, text: str) -> str:
    """The newer names of inits in the spelling of a generation."""
    if generation == "0.81":
        return text
    for new, old in (
        ("add_init(", "add_tiles_init("), ("sub_init(", "sub_tiles_init("), ("mul_init(", "mul_tiles_init("),
        ("copy_init(", "copy_tile_init("), ("matmul_init(", "mm_init_short("), ("matmul_block_init(", "mm_block_init_short("),
        *((f"{op}_bcast_{part}_init(", f"{op}_bcast_{part}_init_short(") for op in ("add", "sub", "mul") for part in ("rows", "cols")),
        ("add_bcast_scalar_init(", "add_bcast_scalar_init_short("), ("sub_bcast_scalar_init(", "sub_tiles_bcast_scalar_init_short("),
        ("mul_bcast_scalar_init(", "mul_tiles_bcast_scalar_init_short("),
        ("transpose_init(", "transpose_wh_init_short("), ("transpose_tile(", "transpose_wh_tile("),
        ("hw_startup<SrcOrder::Reverse>(0, 1,", "hw_startup(1, 0,"),
    ):  # fmt: skip
        text = re.sub(rf"\b{re.escape(new)}", old, text)
    return text


def section(body: str, tiles: int = 1) -> str:
    """Statements on DST, and what packs the first tiles of it."""
    packs = "".join(f"pack_tile({tile}, {OUT});" for tile in range(tiles))
    return (
        f"tile_regs_acquire(); {body} tile_regs_commit(); cb_reserve_back({OUT}, {tiles}); tile_regs_wait(); {packs}"
        f"tile_regs_release(); cb_push_back({OUT}, {tiles});"
    )


START = f"compute_kernel_hw_startup(0, 1, {OUT}); cb_wait_front(0, 1); cb_wait_front(1, 1);"


@both
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_two_tiles_are_combined(generation: Generation, name: str) -> None:
    a, b = normal(32, 32), normal(32, 32)
    body = names(generation, START + f"{name}_init(0, 1);") + section(f"{name}_tiles(0, 1, 0, 0, 0);")
    expected = {"add": a + b, "sub": a - b, "mul": a * b}[name]
    np.testing.assert_array_equal(compute(generation, body, [a, b]), bf16(expected))


@both
def test_products_add_to_dst_and_sums_do_not(generation: Generation) -> None:
    a, b = normal(32, 32), normal(32, 32)
    twice = "mul_tiles(0, 1, 0, 0, 0); mul_tiles(0, 1, 0, 0, 0);"
    found = compute(generation, names(generation, START + "mul_init(0, 1);") + section(twice), [a, b])
    np.testing.assert_allclose(found, 2 * a * b, rtol=2**-7)
    twice = twice.replace("mul", "add")
    found = compute(generation, names(generation, START + "add_init(0, 1);") + section(twice), [a, b])
    np.testing.assert_array_equal(found, bf16(a + b))


@both
@pytest.mark.parametrize("fp32_dst", [False, True])
def test_a_product_of_matrices(generation: Generation, fp32_dst: bool) -> None:
    a, b = normal(64, 96), normal(96, 64)
    steps = "for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) for (int k = 0; k < 3; ++k) matmul_tiles(0, 1, i * 3 + k, k * 2 + j, i * 2 + j);"
    body = f"compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, {OUT}); cb_wait_front(0, 6); cb_wait_front(1, 6); matmul_init(0, 1);"
    found = compute(
        generation, names(generation, body) + section(steps, 4), [a, b], (64, 64), fp32_dst=fp32_dst
    )
    exact = a @ b
    tolerance = 2**-8 * np.abs(exact).max()
    np.testing.assert_allclose(found, exact, atol=tolerance * (1 if fp32_dst else 4))
    if fp32_dst:
        np.testing.assert_allclose(found, exact, rtol=2**-7, atol=1e-2)


@both
@pytest.mark.parametrize(("rt", "ct"), [(2, 2), (1, 4), (4, 1)])
def test_a_block_of_products(generation: Generation, rt: int, ct: int) -> None:
    a, b = normal(32 * rt, 64), normal(64, 32 * ct)
    body = (
        f"compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, {OUT}); cb_wait_front(0, {2 * rt}); cb_wait_front(1, {2 * ct});"
        f"matmul_block_init(0, 1, 0, {ct}, {rt}, 2);"
    )
    steps = f"for (int k = 0; k < 2; ++k) matmul_block(0, 1, k, k * {ct}, 0, 0, {ct}, {rt}, 2);"
    found = compute(
        generation,
        names(generation, body) + section(steps, rt * ct),
        [a, b],
        (32 * rt, 32 * ct),
        fp32_dst=True,
    )
    np.testing.assert_allclose(found, a @ b, rtol=2**-7, atol=1e-2)


@both
def test_the_right_operand_may_be_transposed(generation: Generation) -> None:
    a, b = normal(32, 32), normal(32, 32)
    body = f"compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, {OUT}); cb_wait_front(0, 1); cb_wait_front(1, 1); matmul_block_init(0, 1, 1);"
    found = compute(
        generation, names(generation, body) + section("matmul_block(0, 1, 0, 0, 0, 1, 1, 1, 1);"), [a, b]
    )
    np.testing.assert_allclose(found, a @ b.T, rtol=2**-6, atol=0.1)


def test_low_fidelity_sees_fewer_bits() -> None:
    a, b = normal(32, 32), normal(32, 32)
    body = START + "mul_init(0, 1);" + section("mul_tiles(0, 1, 0, 0, 0);")

    def cut(values: Values, bits: int) -> Values:
        kept = np.ascontiguousarray(values).view(np.uint32) & np.uint32(
            0xFFFFFFFF << (24 - bits) & 0xFFFFFFFF
        )
        return kept.view(np.float32)

    low = compute("0.81", body, [a, b], fidelity="LoFi")
    np.testing.assert_array_equal(low, bf16(cut(a, 5) * cut(b, 7)))
    two = compute("0.81", body, [a, b], fidelity="HiFi2")
    np.testing.assert_array_equal(two, bf16(a * cut(b, 7)))
    np.testing.assert_array_equal(compute("0.81", body, [a, b], fidelity="HiFi4"), bf16(a * b))


@both
@pytest.mark.parametrize("name", ["add", "sub", "mul"])
@pytest.mark.parametrize("part", ["rows", "cols", "scalar"])
def test_the_second_operand_is_broadcast(generation: Generation, name: str, part: str) -> None:
    if generation == "0.69" and (name, part) in {("sub", "rows")}:
        pytest.skip("0.69 has no such function")
    a, b = normal(32, 32), normal(32, 32)
    body = names(generation, START + f"{name}_bcast_{part}_init(0, 1);") + section(
        f"{name}_tiles_bcast_{part}(0, 1, 0, 0, 0);"
    )
    spread = {"rows": b[:1], "cols": b[:, :1], "scalar": b[:1, :1]}[part]
    expected = {"add": a + spread, "sub": a - spread, "mul": a * spread}[name]
    np.testing.assert_array_equal(compute(generation, body, [a, b]), bf16(expected))


@both
@pytest.mark.parametrize("kind", ["ROW", "COL", "SCALAR"])
def test_a_tile_is_broadcast(generation: Generation, kind: str) -> None:
    a = normal(32, 32)
    out = f", {OUT}" if generation == "0.69" else ""
    body = f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); unary_bcast_init<BroadcastType::{kind}>(0{out});"
    found = compute(generation, body + section(f"unary_bcast<BroadcastType::{kind}>(0, 0, 0);"), [a])
    spread = {"ROW": a[:1], "COL": a[:, :1], "SCALAR": a[:1, :1]}[kind]
    np.testing.assert_array_equal(found, np.broadcast_to(spread, (32, 32)))


@both
def test_a_tile_is_transposed(generation: Generation) -> None:
    a = normal(32, 32)
    body = names(generation, f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); transpose_init(0);")
    found = compute(generation, body + section(names(generation, "transpose_tile(0, 0, 0);")), [a])
    np.testing.assert_array_equal(found, a.T)


def scaler(value: float = 1.0) -> Values:
    """Row 0 of every face filled, as a reduction wants it."""
    tile = np.zeros((32, 32), np.float32)
    tile[[0, 16]] = value
    return tile


@both
@pytest.mark.parametrize("dim", ["REDUCE_ROW", "REDUCE_COL", "REDUCE_SCALAR"])
@pytest.mark.parametrize("pool", ["SUM", "MAX"])
def test_a_tile_is_reduced(generation: Generation, dim: str, pool: str) -> None:
    a = normal(32, 64) - (4 if pool == "MAX" else 0)
    a = bf16(a)
    words = f"PoolType::{pool}, ReduceDim::{dim}"
    body = f"compute_kernel_hw_startup(0, 1, {OUT}); cb_wait_front(0, 2); cb_wait_front(1, 1); reduce_init<{words}>(0, 1, {OUT});"
    steps = f"reduce_tile<{words}>(0, 1, 0, 0, 0); reduce_tile<{words}>(0, 1, 1, 0, 0);"
    with settings.override(emu_rounding="exact"):  # what the hardware loses: test_registers.py
        found = compute(generation, body + section(steps) + "reduce_uninit();", [a, scaler()], fp32_dst=True)
    combine = np.sum if pool == "SUM" else np.max
    expected = np.zeros((32, 32), np.float32)
    match dim:
        case "REDUCE_ROW":
            expected[:, 0] = combine(a, axis=1)
        case "REDUCE_COL":
            expected[0] = combine(np.stack([a[:, :32], a[:, 32:]]), axis=(0, 1))
        case _:
            expected[0, 0] = combine(a)
    np.testing.assert_allclose(found, expected, rtol=2**-7, atol=0.02)


def test_without_the_edges_of_a_reduction_what_lies_beside_the_result_is_packed() -> None:
    """Item 3 of the mistakes of code generators: the end of a reduction comes after packing."""
    a = normal(32, 32)
    words = "PoolType::SUM, ReduceDim::REDUCE_ROW"
    body = (
        f"compute_kernel_hw_startup(0, 1, {OUT}); cb_wait_front(0, 1); cb_wait_front(1, 1); reduce_init<{words}>(0, 1, {OUT});"
        f"tile_regs_acquire(); reduce_tile<{words}>(0, 1, 0, 0, 0); reduce_uninit(); tile_regs_commit(); cb_reserve_back({OUT}, 1);"
        f"tile_regs_wait(); pack_tile(0, {OUT}); tile_regs_release(); cb_push_back({OUT}, 1);"
    )
    found = compute("0.81", body, [a, scaler()])
    assert np.abs(found[:, 1:16]).max() > 0
    np.testing.assert_allclose(found[:, 0], a.sum(axis=1), rtol=2**-6, atol=0.1)


def test_an_operand_in_dst_is_used_again() -> None:
    a, b = normal(32, 32), normal(32, 32)
    for which, expected in (("DEST_TO_SRCA", a - b), ("DEST_TO_SRCB", b - a)):
        reuse = f"EltwiseBinaryReuseDestType::{which}"
        old = f"binary_dest_reuse_tiles_init<ELWSUB, {reuse}>(1); binary_dest_reuse_tiles<ELWSUB, {reuse}>(1, 0, 0);"
        new = f"sub_reuse_dest_init<{reuse}>(1); sub_reuse_dest_tiles<{reuse}>(1, 0, 0);"
        for generation, text in (("0.69", old), ("0.81", new)):
            copy = names(generation, "copy_init(0);")  # type: ignore[arg-type]
            body = START + section(f"{copy} copy_tile(0, 0, 0); {text}")
            found = compute(generation, body, [a, b])  # type: ignore[arg-type]
            np.testing.assert_array_equal(found, bf16(expected))


def test_float32_loses_bits_in_source_registers_and_keeps_them_on_the_way_to_dst() -> None:
    a = RNG.standard_normal((32, 32)).astype(np.float32)
    body = f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); copy_init(0);" + section(
        "copy_tile(0, 0, 0);"
    )
    through = compute("0.81", body, [a], dtype="float32", fp32_dst=True)
    np.testing.assert_array_equal(through, (a.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32))
    direct = compute("0.81", body, [a], dtype="float32", fp32_dst=True, unpack_to_dst=True)
    np.testing.assert_array_equal(direct, a)


@pytest.mark.parametrize(
    "dtype",
    ["bfloat16", "float16", "float32", "bfloat8_b", "bfloat4_b", "int32", "uint32", "uint16", "uint8"],
)
def test_a_copy_keeps_every_element_type(dtype: str) -> None:
    if dtype.startswith(("u", "i")):
        a = RNG.integers(0, 200, (32, 64)).astype(np.int32)
    else:
        a = np.round(normal(32, 64) * 64) / 64
    body = f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 2); copy_init(0);" + section(
        "copy_tile(0, 0, 0); copy_tile(0, 1, 1);", 2
    )
    found = compute(
        "0.81", body, [a], (32, 64), dtype=dtype, fp32_dst=dtype in ("int32", "uint32", "float32")
    )
    if dtype in ("bfloat8_b", "bfloat4_b"):
        from ttl.rows.dtypes import BFLOAT4_B, BFLOAT8_B

        kind = BFLOAT8_B if dtype == "bfloat8_b" else BFLOAT4_B
        np.testing.assert_array_equal(found, kind.store(a))
    else:
        np.testing.assert_array_equal(found, a)


@both
def test_an_exponential_may_scale_its_operand(generation: Generation) -> None:
    a = normal(32, 32)
    scale = int(np.float32(0.5).view(np.uint32)) >> 16
    copy = names(
        generation,
        f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); copy_init(0); exp_tile_init();",
    )
    mode = "VectorMode::RC" if generation == "0.81" else "(int)VectorMode::RC"
    body = copy + section(f"copy_tile(0, 0, 0); exp_tile<false, true>(0, {mode}, {scale});")
    np.testing.assert_allclose(compute(generation, body, [a]), np.exp(a / 2), rtol=2**-7)
