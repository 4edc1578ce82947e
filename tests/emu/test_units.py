"""Each processor of compute keeps its own configuration, and two that write one bit need an order (codegen-pitfalls, 17 to 20).

Point 19, a header that does not compile for the mathematics alone, is in tests/kernel_api/test_headers.py.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from emu.harness import OUT, compute
from support.example_runs import run_example
from ttl.codegen import compile as compiling
from ttl.diag import ProgramError
from ttl.emu import Kernel, Program, memory_of, run_program, target
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.row import Generation

ROOT = Path(__file__).resolve().parent.parent.parent
Values = Any
RANDOM = np.random.default_rng(11)
ADDRESS = "MATH((math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>({})));"
DIRECT = (
    "UNPACK((llk_unpack_A_init<BroadcastType::{0}, false, EltwiseBinaryReuseDestType::NONE, true>(false, false, {1}))); "
    "MATH((llk_math_eltwise_unary_datacopy_init<A2D, DST_ACCUM_MODE, BroadcastType::{0}>({1})));"
)
SPREAD = {"ROW": np.s_[:1], "COL": np.s_[:, :1], "SCALAR": np.s_[:1, :1]}


def numbers(dtype: str, *shape: int) -> Values:
    """Of which every bit counts."""
    if dtype == "int32":
        return RANDOM.integers(-(2**30), 2**30, shape, dtype=np.int32)
    return RANDOM.standard_normal(shape).astype(np.float32)


def packed(tiles: int) -> str:
    """A section's end: its tiles go to the output."""
    packs = " ".join(f"pack_tile({tile}, {OUT});" for tile in range(tiles))
    return (
        f"tile_regs_commit(); cb_reserve_back({OUT}, {tiles}); tile_regs_wait(); {packs} tile_regs_release(); "
        f"cb_push_back({OUT}, {tiles});"
    )


def wide(generation: Generation, body: str, inputs: list[Values], tiles: int, dtype: str) -> Values:
    """What a kernel with 32-bit registers makes of inputs that are unpacked straight to them."""
    start = f"compute_kernel_hw_startup(0, {OUT}); "
    return compute(
        generation, start + body, inputs, (32 * tiles, 32), dtype, unpack_to_dst=True, fp32_dst=True
    )


def refused(body: str, inputs: list[Values], tiles: int, dtype: str = "float32") -> str:
    """What is said about a kernel of 0.69, in one line."""
    with pytest.raises(ProgramError) as caught:
        wide("0.69", body, inputs, tiles, dtype)
    return str(caught.value).splitlines()[0]


# --- 17: the mathematics repeats where it addressed DST last


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("kind", SPREAD)
def test_a_broadcast_of_32_bits_into_two_registers(kind: str, dtype: str) -> None:
    a = numbers(dtype, 32, 32)
    steps = f"unary_bcast<BroadcastType::{kind}>(0, 0, 0); unary_bcast<BroadcastType::{kind}>(0, 0, 1);"
    begin = "cb_wait_front(0, 1); tile_regs_acquire(); "
    said = refused(begin + DIRECT.format(kind, 0) + steps + packed(2), [a], 2, dtype)
    assert "TTL1519" in said and "tile 1 of DST" in said
    addressed = re.sub(r"unary_bcast<[^;]*?(\d)\);", lambda found: ADDRESS.format(found[1]) + found[0], steps)
    expected = np.broadcast_to(a[SPREAD[kind]], (32, 32))
    old = wide("0.69", begin + DIRECT.format(kind, 0) + addressed + packed(2), [a], 2, dtype)
    new = wide(
        "0.81", begin + f"unary_bcast_init<BroadcastType::{kind}>(0);" + steps + packed(2), [a], 2, dtype
    )
    for found in (old, new):
        np.testing.assert_array_equal(found, np.concatenate([expected, expected]))


@pytest.mark.parametrize(
    ("before", "left"),
    [
        ("fill_tile_init(); fill_tile(1, 1.0f);", 1),
        ("fill_tile_init(); fill_tile(1, 1.0f); add_binary_tile_init(); add_binary_tile(1, 1, 1);", 0),
        (ADDRESS.format(3), 3),
    ],
)
def test_the_tile_that_another_function_addressed_is_not_that_of_a_broadcast(before: str, left: int) -> None:
    body = f"cb_wait_front(0, 1); tile_regs_acquire(); {before} {DIRECT.format('ROW', 0)}"
    said = refused(
        f"{body} unary_bcast<BroadcastType::ROW>(0, 0, 2); {packed(3)}", [numbers("float32", 32, 32)], 3
    )
    assert f"puts into tile 2 of DST, and the mathematics addresses tile {left} in line" in said


# --- 18 and 20: a bit that two processors write


def _section(kind: str, tile: int) -> str:
    return f"tile_regs_acquire(); {DIRECT.format(kind, 0)} {ADDRESS.format(0)} unary_bcast<BroadcastType::{kind}>(0, {tile}, 0); "


def test_a_bit_that_is_cleared_between_two_sections() -> None:
    a = numbers("float32", 64, 32)
    uninit = "unary_bcast_uninit<BroadcastType::ROW>(0);"
    first, second = (_section("ROW", tile) + packed(1) for tile in range(2))
    said = refused(f"cb_wait_front(0, 2); {first}\n{uninit}\n{second} {uninit}", [a], 2)
    assert "TTL1519" in said and "their order is not defined" in said
    assert re.search(r"which the (unpacker sets|mathematics clears) in line \d+", said)
    kept = wide("0.69", f"cb_wait_front(0, 2); {first} {second} {uninit}", [a], 2, "float32")
    np.testing.assert_array_equal(kept, np.repeat(a[[0, 32]], 32, axis=0))


def test_a_bit_that_is_cleared_in_order() -> None:
    """The unpacker waits for a page that the packer pushes after the mathematics has cleared the bit."""
    a = numbers("float32", 32, 32)
    body = (
        f"cb_wait_front(0, 1); {_section('ROW', 0)} unary_bcast_uninit<BroadcastType::ROW>(0); "
        "tile_regs_commit(); cb_reserve_back(5, 1); tile_regs_wait(); pack_tile(0, 5); tile_regs_release(); cb_push_back(5, 1); "
        "cb_wait_front(5, 1); " + _section("COL", 0)
    )
    used = "copy_tile_to_dst_init_short(5); copy_tile(5, 0, 1); "
    found = compute(
        "0.69", f"compute_kernel_hw_startup(0, {OUT}); {body}{used}{packed(2)} cb_pop_front(5, 1);", [a], (64, 32), "float32",
        unpack_to_dst=True, fp32_dst=True, scratch=(5,),
    )  # fmt: skip
    np.testing.assert_array_equal(found[:32], np.broadcast_to(a[:, :1], (32, 32)))


# --- each processor has a view of its own


def test_an_init_that_another_one_undid_is_named_with_both_lines() -> None:
    a = numbers("float32", 32, 32)
    body = (
        f"cb_wait_front(0, 1); tile_regs_acquire();\ncopy_tile_to_dst_init_short(0);\n{DIRECT.format('ROW', 0)}\n"
        f"copy_tile(0, 0, 0);\n{packed(1)}"
    )
    with pytest.raises(ProgramError) as caught:
        wide("0.69", body, [a], 1, "float32")
    said = str(caught.value)
    lines = re.search(
        r"needs the (?:unpacker|matrix unit) .*? in line (\d+)\n.* at compute.cpp:(\d+)", said, re.DOTALL
    )
    assert lines is not None and "set up for copies straight to DST" in said
    assert int(lines[2]) == int(lines[1]) + 1


def test_the_mathematics_has_formats_of_its_own() -> None:
    a, b = numbers("float32", 32, 32), RANDOM.integers(-4, 5, (32, 32)).astype(np.float32)
    change = "UNPACK((llk_unpack_reconfig_data_format_srca(0, 1)));"
    body = (
        f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); cb_wait_front(1, 1); tile_regs_acquire(); "
        f"{{}} copy_tile_to_dst_init_short(1); copy_tile(1, 0, 0); {packed(1)} cb_pop_front(0, 1); cb_pop_front(1, 1);"
    )
    options: dict[str, Any] = {"dtypes": ("float32", "bfloat16"), "out_dtype": "float32", "fp32_dst": True}
    with pytest.raises(ProgramError, match="the mathematics is set up for float32 in line"):
        compute("0.69", body.format(change), [a, b], (32, 32), **options)
    found = compute("0.69", body.format("reconfig_data_format_srca(1);"), [a, b], (32, 32), **options)
    np.testing.assert_array_equal(found, b)


@pytest.mark.parametrize("change", ["", "reconfig_data_format(1, 1);"])
def test_a_matrix_unit_that_is_started_for_integers_stays_so(change: str) -> None:
    """In 0.69, whose changes of format leave it at that unless they are told: `to_from_int8`."""
    i, f = (
        RANDOM.integers(-9, 9, (32, 32), dtype=np.int32),
        RANDOM.integers(-4, 5, (32, 32)).astype(np.float32),
    )
    body = (
        f"compute_kernel_hw_startup(0, 0, {OUT}); cb_wait_front(0, 1); cb_wait_front(1, 1); tile_regs_acquire(); "
        f"copy_tile_to_dst_init_short(0); copy_tile(0, 0, 1); {change or 'reconfig_data_format<true>(1, 1);'} mul_tiles_init(1, 1); "
        f"mul_tiles(1, 1, 0, 0, 0); {packed(1)} cb_pop_front(0, 1); cb_pop_front(1, 1);"
    )
    options: dict[str, Any] = {"dtypes": ("int32", "bfloat16"), "out_dtype": "float32", "fp32_dst": True}
    if change:
        with pytest.raises(ProgramError, match="the matrix unit was set up for integers in line"):
            compute("0.69", body, [i, f], (32, 32), **options)
        found = compute("0.81", body.replace("copy_tile_to_dst_init_short", "copy_init").replace("mul_tiles_init", "mul_init"),
                        [i, f], (32, 32), **options)  # fmt: skip
    else:
        found = compute("0.69", body, [i, f], (32, 32), **options)
    np.testing.assert_array_equal(found, f * f)


# --- three examples that a simulator of the whole chip ran wrong


@pytest.mark.parametrize("name", ["flash_attention", "spec_elementwise_broadcast_reduce"])
def test_what_an_example_was_compiled_to_is_stopped(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both broadcast float32 into several registers, and did not address them: the others kept what was there before."""
    launched = target.launched

    def unaddressed(description: Any, *rest: Any) -> Any:
        pattern = re.escape(ADDRESS).replace(r"\{\}", r"[^;]*")
        kernels = [
            dataclasses.replace(kernel, source=re.sub(pattern, "", kernel.source))
            for kernel in description.kernels
        ]
        assert kernels != list(description.kernels)
        return launched(dataclasses.replace(description, kernels=tuple(kernels)), *rest)

    monkeypatch.setattr(compiling, "installed_generation", lambda: "0.69")
    monkeypatch.setattr(target, "launched", unaddressed)
    with pytest.raises(ProgramError) as caught:
        run_example(str(ROOT / "examples" / f"{name}.py"), {"target": "emu", "check": "off"})
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "TTL1519"


def test_the_third_example_asks_for_an_approximation(monkeypatch: pytest.MonkeyPatch) -> None:
    """spec_program: its kernel gives the rounded squares in both generations, and holds nothing that could go wrong.

    What it compares is exp(x * x) with `fast_and_approximate_mode`, a function of the library of the host. There it is exact;
    on a card it is the vector unit's approximation, which is off by more than the example allows.
    """
    monkeypatch.setattr(compiling, "installed_generation", lambda: "0.69")
    calls, _, _ = run_example(str(ROOT / "examples" / "spec_program.py"), {"target": "emu", "check": "off"})
    ((x, y),) = calls
    x, y = (BFLOAT16.load(np.asarray(each)) for each in (x, y))
    np.testing.assert_array_equal(y, BFLOAT16.load(BFLOAT16.store(x * x)))
    a = np.linspace(0, 1, 1024, dtype=np.float32).reshape(32, 32)
    body = (
        f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); tile_regs_acquire(); copy_init(0); copy_tile(0, 0, 0); "
        f"exp_tile_init<true>(); exp_tile<true>(0); {packed(1)} cb_pop_front(0, 1);"
    )
    found = wide("0.81", body.removeprefix(f"compute_kernel_hw_startup(0, {OUT}); "), [a], 1, "float32")
    allowed = 2.1 * 2.0**-8
    assert np.abs(found / np.exp(a) - 1).max() > allowed


@pytest.mark.parametrize("mended", [False, True])
def test_a_register_is_combined_with_whole_faces_after_a_product(mended: bool) -> None:
    """0.69's init does not set up the second unpacker, which a product leaves unpacking whole tiles."""
    a = RANDOM.integers(-4, 5, (32, 32)).astype(np.float32)
    words = "EltwiseBinaryType::ELWSUB, EltwiseBinaryReuseDestType::DEST_TO_SRCA"
    again = "UNPACK((llk_unpack_A_uninit<BroadcastType::ROW>(0)));" if mended else ""
    body = (
        f"mm_init(0, 0, {OUT}); cb_wait_front(0, 1); tile_regs_acquire(); matmul_tiles(0, 0, 0, 0, 0); "
        f"binary_dest_reuse_tiles_init<{words}>(0); {again} binary_dest_reuse_tiles<{words}>(0, 0, 0); {packed(1)}"
    )
    if not mended:
        with pytest.raises(ProgramError, match=r"was last set up for whole tiles in line \d+: in 0.69"):
            compute("0.69", body, [a], fp32_dst=True)
        return
    np.testing.assert_array_equal(
        compute("0.69", body, [a], dtype="bfloat16", out_dtype="float32", fp32_dst=True), a @ a - a
    )


# --- a flag that a reduction of 0.69 leaves set, and that moves of halves of words clear

EXACT = "PoolType::SUM, ReduceDim::REDUCE_ROW, true"
REDUCED = f"reduce_init<{EXACT}>(0, 1, {OUT}); reduce_tile<{EXACT}>(0, 1, 0, 0, 0); "
TURNED = "copy_tile_to_dst_init_short(0); copy_tile(0, 0, 0); transpose_wh_dest_init_short<true>(); transpose_wh_dest<true>(0); "
ONES = np.ones((32, 32), np.float32)


def exact(body: str, a: Values, tiles: int, **options: Any) -> Values:
    """What a kernel of 0.69 with 32-bit registers makes of a tile and the weights of a reduction."""
    start = f"compute_kernel_hw_startup(0, 1, {OUT}); cb_wait_front(0, 1); cb_wait_front(1, 1); "
    return compute("0.69", start + body, [a, ONES], (32 * tiles, 32), fp32_dst=True, **options)


def test_a_flag_that_is_cleared_beside_a_reduction() -> None:
    a = RANDOM.integers(-4, 5, (32, 32)).astype(np.float32)
    turned = f"tile_regs_acquire(); {TURNED}"
    with pytest.raises(ProgramError) as caught:
        exact(
            f"{turned}{packed(1)}\n tile_regs_acquire(); {REDUCED}{packed(1)} reduce_uninit<true>(0);", a, 2
        )
    said = str(caught.value).splitlines()[0]
    assert "TTL1519" in said and "ALU_ACC_CTRL_Zero_Flag_disabled_src, which the" in said
    assert "their order is not defined" in said
    # The unpacker waits for a page that the packer pushes after the transposition.
    ordered = (
        f"{turned}tile_regs_commit(); cb_reserve_back(5, 1); tile_regs_wait(); pack_tile(0, 5); tile_regs_release(); cb_push_back(5, 1); "
        f"cb_wait_front(5, 1); tile_regs_acquire(); {REDUCED}{packed(1)} reduce_uninit<true>(0); cb_pop_front(5, 1);"
    )
    found = exact(ordered, a, 1, scratch=(5,))
    np.testing.assert_array_equal(found[:, 0], a.sum(axis=1))


@pytest.mark.parametrize("small", [1e-40, 2e-38])
def test_numbers_that_are_not_normal_after_such_a_reduction(small: float) -> None:
    a = np.full((32, 32), small, np.float32)
    summed = f"tile_regs_acquire(); add_tiles_init(1, 1); add_tiles(1, 1, 0, 0, 0); add_tiles_init(0, 0); add_tiles(0, 0, 0, 0, 1); {packed(2)}"
    np.testing.assert_array_equal(exact(summed, a, 2)[:32], 2 * ONES)
    after = f"tile_regs_acquire(); {REDUCED}{packed(1)} reduce_uninit<true>(0); {summed}"
    if small > 1.2e-38:
        np.testing.assert_array_equal(exact(after, a, 3)[32:64], 2 * ONES)
        return
    with pytest.raises(ProgramError, match=r"not normal .*: in 0.69 the reduce_init .* in line \d+ sets it"):
        exact(after, a, 3)


# --- what is kinder than the chip, or may be


@pytest.mark.xfail(
    strict=True, reason="the chip takes numbers below the smallest normal one for zero in the matrix unit"
)
def test_numbers_that_are_not_normal_are_zero_for_the_matrix_unit() -> None:
    a, b = np.full((32, 32), 2.0**-130, np.float32), np.full((32, 32), 2.0**100, np.float32)
    body = f"binary_op_init_common(0, 1, {OUT}); mul_tiles_init(0, 1); cb_wait_front(0, 1); cb_wait_front(1, 1); tile_regs_acquire(); mul_tiles(0, 1, 0, 0, 0); {packed(1)}"
    np.testing.assert_array_equal(compute("0.69", body, [a, b]), 0)


@pytest.mark.xfail(
    strict=True,
    raises=pytest.fail.Exception,
    reason="which bits the matrix unit makes of infinities and NaN no source of ours says: they are those of IEEE 754",
)
def test_infinities_in_the_matrix_unit_are_noted() -> None:
    a, b = np.full((32, 32), np.inf, np.float32), -np.full((32, 32), np.inf, np.float32)
    body = f"binary_op_init_common(0, 1, {OUT}); add_tiles_init(0, 1); cb_wait_front(0, 1); cb_wait_front(1, 1); tile_regs_acquire(); add_tiles(0, 1, 0, 0, 0); {packed(1)}"
    with pytest.raises(ProgramError):
        compute("0.69", body, [a, b])


@pytest.mark.xfail(
    strict=True,
    reason="what the vector unit stores in 16-bit registers is rounded here, and cut off by the chip",
)
def test_a_square_in_registers_of_16_bits_is_cut_off() -> None:
    """``_calculate_square_`` stores what it computed as it is."""
    a = np.full((32, 32), 1.0390625, np.float32)  # its square is 1.07965, between 1.078125 and 1.0859375
    b = np.full((32, 32), 1.0546875, np.float32)  # 1.11237, between 1.109375 and 1.1171875
    c = np.full(
        (32, 32), 1.0703125, np.float32
    )  # 1.14557, between 1.140625 and 1.1484375, nearer to the second
    for given in (a, b, c):
        body = (
            f"compute_kernel_hw_startup(0, {OUT}); copy_tile_to_dst_init_short(0); cb_wait_front(0, 1); tile_regs_acquire(); "
            f"copy_tile(0, 0, 0); square_tile_init(); square_tile(0); {packed(1)}"
        )
        exactly = np.float32(given[0, 0]) ** 2
        cut = (exactly.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        np.testing.assert_array_equal(compute("0.69", body, [given]), cut)


# --- limits of kernels, which the host of the real chip checks


@pytest.mark.parametrize("more", [0, 1])
def test_run_time_arguments_of_a_kernel(more: int) -> None:
    core = ((0, 0),)
    kernel = Kernel(
        name="k", source="void kernel_main() {}", processor="brisc", cores=core,
        common_args=(0,) * 41, args={(0, 0): (0,) * (300 + more)},
    )  # fmt: skip
    program = Program(generation="0.81", kernels=(kernel,), circular_buffers=(), semaphores=())
    if more == 0:
        run_program(program, memory_of())
        return
    with pytest.raises(
        ProgramError, match=r"TTL1503\]: kernel k is given 342 run-time arguments, .* at most 341"
    ):
        run_program(program, memory_of())


@pytest.mark.xfail(
    strict=True, raises=pytest.fail.Exception, reason="the size of a kernel's code on the device is not known"
)
def test_code_that_is_larger_than_the_memory_for_it() -> None:
    calls = 'asm volatile("nop"); ' * 1_000
    source = (
        f"void f() {{ {calls} }} void kernel_main() {{ {'f(); ' * 10} for (;;) {{ {calls * 20} break; }} }}"
    )
    kernel = Kernel(name="k", source=source, processor="brisc", cores=((0, 0),))
    with pytest.raises(ProgramError):  # more than 80 KB of instructions on the device
        run_program(
            Program(generation="0.81", kernels=(kernel,), circular_buffers=(), semaphores=()), memory_of()
        )
