"""Mistakes that generators of kernels make, each a program that computes something else with them.

Each test has the body of a compute kernel and lines of the C++ that it becomes, in their order; ``compiled`` executes both.
"""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64

from passes.written import compiled
from ttl.dialects.compute import BlockComputeOp
from ttl.ir.failure import NotLowered
from ttl.passes.marks import COUNTED
from ttl.rows.dtypes import Array
from ttl.rows.types import BlockType

FORMATS = pytest.mark.parametrize("dtype", ["bfloat16", "float32"])


def fractions(random: np.random.Generator, block: BlockType) -> Array:
    """Numbers of which every bit counts."""
    return random.uniform(-4, 4, block.elements).astype(np.float32)


# --- products beside other tiles ---

BESIDE = {
    "(a @ b) * c": """
        matmul_block(a_dfb, b_dfb, row * 3 + k, k * 2, 0, 0, 2, 1, 3);
        copy_tile(c_dfb, t + i, i + 2);
        mul_binary_tile(i, i + 2, i);
        pack_tile<true>(i, y_dfb, t + i);
    """,
    "a @ b - c": """
        matmul_block(a_dfb, b_dfb, row * 3 + k, k * 2, 0, 0, 2, 1, 3);
        copy_tile(c_dfb, t + i, i + 2);
        sub_binary_tile(i, i + 2, i);
    """,
    "c - a @ b": """
        copy_tile(c_dfb, t + i, i);
        matmul_block(a_dfb, b_dfb, row * 3 + k, k * 2, 2, 0, 2, 1, 3);
        sub_binary_tile(i, i + 2, i);
    """,
    "ttl.math.relu(a @ b) + c": """
        matmul_block(a_dfb, b_dfb, row * 3 + k, k * 2, 0, 0, 2, 1, 3);
        relu_tile(i);
        copy_tile(c_dfb, t + i, i + 2);
        add_binary_tile(i, i + 2, i);
    """,
    "-c * (a @ b)": """
        copy_tile(c_dfb, t + i, i);
        negative_tile(i);
        matmul_block(a_dfb, b_dfb, row * 3 + k, k * 2, 2, 0, 2, 1, 3);
        mul_binary_tile(i, i + 2, i);
    """,
    "(a @ b) * (a @ b + c)": """
        matmul_block(a_dfb, b_dfb, row * 3 + k, k * 2, 0, 0, 2, 1, 3);
        copy_tile(c_dfb, t + i, i + 2);
        const uint32_t t_1 = i + 2;
        add_binary_tile(i, t_1, t_1);
        mul_binary_tile(i, i + 2, i);
    """,
}


@FORMATS
@pytest.mark.parametrize("expression", BESIDE)
def test_a_product_of_several_tiles_overwrites_nothing(expression: str, dtype: str) -> None:
    compiled("a[2, 3] b[3, 2] c[2, 2] -> y[2, 2]", f"y.store({expression})", BESIDE[expression], dtype=dtype)


def test_what_a_product_is_added_to_may_be_needed_again() -> None:
    compiled(
        "a[2, 1] b[1, 2] c[2, 2] -> y[2, 2]",
        "y.store(c + a @ b - ttl.math.abs(c))",
        """
        copy_tile(c_dfb, t + i, i);
        copy_tile(c_dfb, t + i, i + 2);
        matmul_block(a_dfb, b_dfb, row, 0, 2, 0, 2, 1, 1);
        abs_tile(i);
        sub_binary_tile(i + 2, i, i);
        """,
        fp32_dest_acc_en=True,
    )


# --- functions that add to their register ---


@pytest.mark.parametrize(("fp32", "second"), [(False, "i + 4"), (True, "i + 2")])
def test_a_product_begins_in_a_register_that_is_zero(fp32: bool, second: str) -> None:
    compiled(
        "a[2, 2] b[2, 2] c[2, 2] d[2, 2] -> y[2, 2]",
        "y.store(ttl.math.sqrt(ttl.math.exp(a) + ttl.math.exp(b)) + c * d)",
        f"""
        exp_tile<false>(i);
        exp_tile<false>({second});
        add_binary_tile(i, {second}, i);
        sqrt_tile(i);
        mul_tiles(c_dfb, d_dfb,
        """,
        exactly=False,
        fp32_dest_acc_en=fp32,
    )


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("a @ b", "matmul_block(a_dfb, b_dfb, 0, 0, 1, 0, 1, 1, 1);\nbinary_min_tile(0, 1, 0);"),
        ("a * b", "mul_binary_tile(1, 2, 1);\nbinary_min_tile(0, 1, 0);"),
        (
            "ttl.math.reduce_sum(a, dims=[-2, -1]) + b * 0",
            "reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(a_dfb, ones, 0, 0,",
        ),
    ],
)
def test_an_iteration_does_not_add_to_what_the_one_before_left(term: str, expected: str) -> None:
    compiled(
        "first[1, 1] a[1, 1] b[1, 1] -> y[1, 1]",
        f"""
        with first_dfb.wait() as first, y_dfb.reserve() as y:
            least = first
            for _ in range(4):
                with a_dfb.wait() as a, b_dfb.wait() as b:
                    least = ttl.math.min(least, {term})
            y.store(least)
        """,
        f"for (uint32_t i = 0; i < 4; ++i) {{\n{expected}",
    )


@FORMATS
def test_a_sum_of_products_is_not_stored_between_its_steps(dtype: str) -> None:
    """Through memory, in bfloat16, it would lose bits at each of 64 steps."""
    found = compiled(
        "a[1, 1] b[1, 1] -> y[1, 1]",
        """
        with y_dfb.reserve() as y:
            for _ in range(64):
                with a_dfb.wait() as a, b_dfb.wait() as b:
                    y += a @ b
        """,
        """
        tile_regs_acquire();
        for (uint32_t i = 0; i < 64; ++i) {
            matmul_block(a_dfb, b_dfb, 0, 0, 0, 0, 1, 1, 1);
        }
        pack_tile<true>(0, y_dfb, 0);
        """,
        dtype=dtype,
        exactly=False,
        values=fractions,
        fp32_dest_acc_en=True,
    )
    assert not found.made
    assert found.calls["pack_tile"] == 1 and "pack_reconfig_l1_acc" not in found.calls


# The vector unit reads what an earlier program left in a register that nothing wrote; ``kernel_results`` refuses that.
_TERMS = {
    "a": "a[2, 2] -> y[2, 2]",
    "ttl.math.abs(a)": "a[2, 2] -> y[2, 2]",
    "ttl.block.broadcast(a, dims=[-1], shape=(2, 2))": "a[2, 1] -> y[2, 2]",
    "ttl.block.transpose(a)": "a[2, 2] -> y[2, 2]",
    "a * a": "a[2, 2] -> y[2, 2]",
}


@pytest.mark.parametrize("fp32", [True, False])
@pytest.mark.parametrize("term", _TERMS)
def test_terms_are_added_to_zeros_that_were_written(term: str, fp32: bool) -> None:
    body = f"""
        with y_dfb.reserve() as y:
            for _ in range(3):
                with a_dfb.wait() as a:
                    y += {term}
    """
    compiled(_TERMS[term], body, fp32_dest_acc_en=fp32)


@pytest.mark.parametrize("value", ["zeros + a", "ttl.math.max(zeros, a)", "zeros - a"])
def test_a_value_is_combined_with_zeros_that_were_written(value: str) -> None:
    body = f"""
        zeros = ttl.block.fill(0.0, shape=(2, 2))
        y.store({value})
        """
    compiled("a[2, 2] -> y[2, 2]", body, fp32_dest_acc_en=True)


def test_products_are_added_to_registers_that_nothing_wrote() -> None:
    """The matrix unit takes them for zero: no register is filled."""
    body = """
        with y_dfb.reserve() as y:
            for _ in range(3):
                with a_dfb.wait() as a, b_dfb.wait() as b:
                    y += a @ b
        """
    calls = compiled("a[1, 1] b[1, 1] -> y[1, 1]", body, fp32_dest_acc_en=True).calls
    assert calls["matmul_block"] == 3
    assert not {"fill_tile", "fill_tile_bitcast"} & calls.keys()


# --- reductions ---


@pytest.mark.parametrize("function", ["reduce_sum", "reduce_max"])
@pytest.mark.parametrize(
    ("dims", "out", "expected"),
    [
        ((-1,), (2, 1), "reduce_tile<PoolType::{0}, ReduceDim::REDUCE_ROW>(a_dfb, ones, i * 2 + k, 0, i);"),
        ((-2,), (1, 2), "reduce_tile<PoolType::{0}, ReduceDim::REDUCE_COL>(a_dfb, ones, i + k * 2, 0, i);"),
        ((-2, -1), (1, 1), "reduce_tile<PoolType::{0}, ReduceDim::REDUCE_"),
    ],
    ids=str,
)
def test_what_a_reduction_leaves_beside_its_result_is_not_stored(
    function: str, dims: tuple[int, ...], out: tuple[int, int], expected: str
) -> None:
    found = compiled(
        f"a[2, 2] -> y[{out[0]}, {out[1]}]",
        f"y.store(ttl.math.{function}(a, dims={list(dims)}))",
        f"""
        {expected.format(function[-3:].upper())}
        pack_tile<true>(
        reduce_uninit();
        """,
    )
    assert found.calls["pack_tile"] == out[0] * out[1]
    (block,) = found.blocks["y_dfb"]
    kept = np.zeros(block.shape, np.bool_)
    kept[
        np.ix_(
            *(
                range(0, extent, 32 if dim in dims else 1)
                for dim, extent in zip((-2, -1), block.shape, strict=True)
            )
        )
    ] = True
    assert not block[~kept].any()


def test_a_maximum_of_negative_numbers_is_negative() -> None:
    compiled(
        "a[1, 3] -> y[1, 1]",
        "y.store(ttl.math.reduce_max(a - 10, dims=[-1]))",
        """
        sub_unary_tile(i, 0x41200000);
        pack_tile<true>(i, temporary, i);
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(temporary, ones, k, 0, 0);
        """,
    )


def test_a_reduction_and_something_else_do_not_share_a_packer() -> None:
    """The packer writes the lanes of the reduction only, until ``reduce_uninit``."""
    compiled(
        "a[1, 1] -> sums[1, 1] all[1, 1] columns[1, 1]",
        """
        twice = a * 2
        sums.store(ttl.math.reduce_sum(twice, dims=[-1]))
        all.store(ttl.math.exp(twice))
        columns.store(ttl.math.reduce_sum(twice, dims=[-2]))
        """,
        """
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(twice, ones, sums_dfb);
        pack_tile<true>(0, sums_dfb, 0);
        reduce_uninit();
        pack_tile<true>(0, all_dfb, 0);
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(twice, ones, columns_dfb);
        pack_tile<true>(0, columns_dfb, 0);
        reduce_uninit();
        """,
        exactly=False,
    )


@pytest.mark.parametrize(("dim", "out", "kept"), [(-1, "2, 1", 20), (-2, "1, 2", 7)])
def test_padding_does_not_enter_a_sum(dim: int, out: str, kept: int) -> None:
    """The scaler of the last tile along the sum has ones for what is no padding."""

    def count(module: ModuleOp) -> None:
        (sums,) = (op for op in module.walk() if isinstance(op, BlockComputeOp))
        sums.attributes[COUNTED] = IntegerAttr(kept, i64)

    found = compiled(f"a[2, 2] -> y[{out}]", f"y.store(ttl.math.reduce_sum(a, dims=[{dim}]))", prepare=count)
    (block,), (sums,) = found.inputs["a_dfb"], found.blocks["y_dfb"]
    if dim == -1:
        np.testing.assert_array_equal(sums[:, 0], block[:, : 32 + kept].sum(axis=1))
    else:
        np.testing.assert_array_equal(sums[0], block[: 32 + kept].sum(axis=0))


def test_a_choice_keeps_its_lanes_beside_a_reduction() -> None:
    compiled(
        "a[1, 1] b[1, 1] -> y[1, 1]",
        "y.store(ttl.block.where(b > 0, b, ttl.math.reduce_sum(a, dims=[-1])))",
        """
        pack_tile<true>(0, temporary, 0);
        reduce_uninit();
        copy_tile(b_dfb, 0, 0);
        copy_tile(temporary, 0, 2);
        where_tile<DataFormat::Float32>(1, 0, 2, 0);
        pack_tile<true>(0, y_dfb, 0);
        """,
    )


# --- the life of the hardware ---


def test_the_hardware_is_started_up_once_and_first() -> None:
    found = compiled(
        "a[1, 1] -> y[1, 1]",
        """
        for _ in range(3):
            with a_dfb.wait() as a:
                with y_dfb.reserve() as y:
                    y.store(ttl.math.exp(a @ a))
                with y_dfb.reserve() as y:
                    y.store(ttl.math.reduce_sum(a, dims=[-1]))
        """,
        """
        compute_kernel_hw_startup<SrcOrder::Reverse>(a_dfb, a_dfb, y_dfb);
        exp_tile_init<false>();
        for (uint32_t i = 0; i < 3; ++i) {
            matmul_block_init(a_dfb, a_dfb, 0, 1, 1, 1);
            reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(a_dfb, ones, y_dfb);
        """,
        exactly=False,
    )
    starts = [op for op in found.text if op.call.configures == "startup"]
    assert starts == [op for op in found.text if op.call.thread == "tensix"][:1]
    assert starts[0].parent is found.kernel.body.block
    assert not any(op.call.name.endswith("_init_common") for op in found.text)


# --- formats ---


def test_float32_that_is_only_copied_keeps_all_its_bits() -> None:
    found = compiled("a[2, 2] -> y[2, 2]", "y.store(-a)", dtype="float32", rounds=True, values=fractions)
    assert found.kernel.config["unpack_to_dest_fp32"] == ["a_dfb"]
    np.testing.assert_array_equal(found.blocks["y_dfb"][0], -found.inputs["a_dfb"][0])


def test_float32_arithmetic_does_not_go_through_the_source_registers() -> None:
    compiled(
        "a[1, 1] b[1, 1] -> y[1, 1]",
        "y.store(a * b - b)",
        """
        copy_tile(a_dfb, 0, 0);
        copy_tile(b_dfb, 0, 1);
        mul_binary_tile(0, 1, 0);
        sub_binary_tile(0, 1, 0);
        """,
        dtype="float32",
        rounds=True,
        values=fractions,
    )


def test_a_buffer_that_the_matrix_unit_reads_is_not_unpacked_to_the_registers() -> None:
    found = compiled(
        "a[1, 1] b[1, 1] -> y[1, 1]",
        "y.store(a @ b + -a)",
        """
        copy_tile(a_dfb, 0, 0);
        negative_tile(0);
        matmul_block(a_dfb, b_dfb, 0, 0, 0, 0, 1, 1, 1);
        """,
        dtype="float32",
    )
    assert "unpack_to_dest_fp32" not in found.kernel.config


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a + b", "add_int_tile<DataFormat::Int32>(i, i + 2, i);"),
        ("a - b", "sub_int_tile<DataFormat::Int32>(i, i + 2, i);"),
        ("a * b", "mul_int_tile<DataFormat::Int32>(i, i + 2, i);"),
        ("ttl.math.max(a, b)", "binary_max_int32_tile(i, i + 2, i);"),
        ("a == b", "copy_tile(b_dfb, i, i + 2);"),
    ],
)
def test_integers_do_not_go_through_the_matrix_unit(expression: str, expected: str) -> None:
    found = compiled(
        "a[2, 1] b[2, 1] -> y[2, 1]",
        f"y.store({expression})",
        f"copy_tile(a_dfb, i, i);\n{expected}",
        dtype="int32",
        rounds=True,
        values=lambda random, block: random.integers(-(2**20), 2**20, block.elements),
    )
    assert not {"add_tiles", "sub_tiles", "mul_tiles"} & found.calls.keys()


def test_integers_that_are_repeated_within_tiles_lose_nothing_in_the_registers() -> None:
    compiled(
        "a[1, 2] b[2, 1] c[2, 2] -> y[2, 2]",
        """
        rows = ttl.block.broadcast(a, dims=[-2], shape=(2, 2))
        columns = ttl.block.broadcast(b, dims=[-1], shape=(2, 2))
        y.store(c * rows + columns)
        """,
        """
        copy_tile(c_dfb, t + i, i);
        unary_bcast<BroadcastType::ROW>(a_dfb, i, i + 2);
        mul_int_tile<DataFormat::Int32>(i, i + 2, i);
        unary_bcast<BroadcastType::COL>(b_dfb, row, i + 2);
        add_int_tile<DataFormat::Int32>(i, i + 2, i);
        """,
        dtype="int32",
        rounds=True,
    )


def test_numbers_that_are_chosen_are_kept_as_what_they_are_combined_with() -> None:
    """A choice between two numbers has no element type of its own."""
    found = compiled(
        "a[1, 2] b[1, 2] -> y[1, 2]",
        """
        with a_dfb.wait() as a:
            chosen = ttl.block.where(a, ttl.block.fill(1, shape=(1, 2)), ttl.block.fill(2, shape=(1, 2)))
            for _ in range(3):
                with b_dfb.wait() as b, y_dfb.reserve() as y:
                    y.store(b + chosen)
        """,
        """
        fill_tile_int<DataFormat::Int32>(1, 1);
        fill_tile_int<DataFormat::Int32>(2, 2);
        where_tile<DataFormat::Int32>(0, 1, 2, 0);
        pack_tile<true>(0, chosen, tile);
        for (uint32_t i = 0; i < 3; ++i) {
            add_int_tile<DataFormat::Int32>(j, j + 2, j);
        """,
        dtype="int32",
    )
    assert found.made == ["chosen"]


def test_different_formats_in_one_expression() -> None:
    compiled(
        "a[2, 2]:float32 b[2, 2] -> wide[2, 2]:float32 narrow[2, 2]",
        """
        wide.store(a @ b + b * b)
        narrow.store(-b)
        """,
        """
        mul_tiles(b_dfb, b_dfb, i, i, i);
        reconfig_data_format(b_dfb, a_dfb);
        matmul_block(a_dfb, b_dfb, k, k * 2, 0, 0, 2, 2, 2);
        pack_tile<true>(i, wide_dfb, i);
        copy_init(b_dfb);
        pack_reconfig_data_format(narrow_dfb);
        """,
    )


# --- more values than registers ---

_ALL = [f"a{number}" for number in range(16)]


def _tree(terms: list[str]) -> str:
    while len(terms) > 1:
        terms = [f"({one} + {other})" for one, other in zip(terms[::2], terms[1::2], strict=True)]
    return terms[0]


@FORMATS
def test_a_sum_of_sixteen_blocks(dtype: str) -> None:
    compiled(
        " ".join(f"{name}[1, 2]" for name in _ALL) + " -> y[1, 2]",
        f"y.store({_tree([f'ttl.math.abs({name})' for name in _ALL])})",
        dtype=dtype,
    )


@FORMATS
def test_more_values_than_the_registers_hold_go_through_a_buffer(dtype: str) -> None:
    kept = "\n".join(f"k{name} = ttl.math.abs({name})" for name in _ALL)
    mixed = [f"ttl.math.max(k{one}, k{other})" for one, other in zip(_ALL, _ALL[::-1], strict=True)]
    found = compiled(
        " ".join(f"{name}[1, 1]" for name in _ALL) + " -> y[1, 1]",
        f"{kept}\ny.store({_tree(mixed)} + {_tree([f'k{name}' for name in _ALL])})",
        "pack_tile<true>(0, temporary, 0);",
        dtype=dtype,
    )
    assert found.made


# --- programs that anybody writes ---

_ORDINARY = {
    "-a": "a[2, 2] -> y[2, 2]",
    "a @ b + c @ d": "a[2, 1] b[1, 2] c[2, 3] d[3, 2] -> y[2, 2]",
    "ttl.math.silu(a @ b) * (a @ c)": "a[2, 1] b[1, 2] c[1, 2] -> y[2, 2]",
    "a * 2.0": "a[2, 2] -> y[2, 2]",
    "a ** 2": "a[2, 2] -> y[2, 2]",
    "2 - a": "a[2, 2] -> y[2, 2]",
    "a @ ttl.block.transpose(b)": "a[2, 3] b[2, 3] -> y[2, 2]",
    "ttl.block.transpose(a) @ b": "a[3, 2] b[3, 2] -> y[2, 2]",
    "(a @ b) @ c": "a[2, 1] b[1, 2] c[2, 2] -> y[2, 2]",
    "a @ b": "a[5, 2] b[2, 7] -> y[5, 7]",
    "ttl.math.exp(a)": "a[5, 7] -> y[5, 7]",
}
"""The last two have more tiles than there are registers."""


@FORMATS
@pytest.mark.parametrize("expression", _ORDINARY)
def test_ordinary_expressions(expression: str, dtype: str) -> None:
    compiled(_ORDINARY[expression], f"y.store({expression})", dtype=dtype, exactly=False)


@FORMATS
def test_root_mean_square_norm_in_one_expression(dtype: str) -> None:
    compiled(
        "x[2, 3] weight[1, 3] -> y[2, 3]",
        """
        mean = ttl.math.reduce_sum(x * x, dims=[-1]) * (1 / 96)
        scale = ttl.block.broadcast(ttl.math.rsqrt(mean + 1e-5), dims=[-1], shape=(2, 3))
        y.store(x * scale * ttl.block.broadcast(weight, dims=[-2], shape=(2, 3)))
        """,
        """
        mul_unary_tile(i, 0x3c2aaaab);
        add_unary_tile(i, 0x3727c5ac);
        rsqrt_tile(i);
        """,
        dtype=dtype,
        exactly=False,
    )


@FORMATS
def test_softmax_in_one_expression(dtype: str) -> None:
    compiled(
        "x[2, 3] -> y[2, 3]",
        """
        largest = ttl.math.reduce_max(x, dims=[-1])
        powers = ttl.math.exp(x - ttl.block.broadcast(largest, dims=[-1], shape=(2, 3)))
        sums = ttl.math.reduce_sum(powers, dims=[-1])
        y.store(powers / ttl.block.broadcast(sums, dims=[-1], shape=(2, 3)))
        """,
        """
        exp_tile<false>(i);
        pack_tile<true>(i, powers,
        div_binary_tile(i, i + 2, i);
        """,
        dtype=dtype,
        exactly=False,
    )


def test_a_value_that_is_stored_twice_is_computed_once() -> None:
    found = compiled(
        "a[2, 2] -> one[2, 2] other[2, 2]:float32",
        """
        value = ttl.math.exp(a)
        one.store(value)
        other.store(value + 1)
        """,
        """
        exp_tile<false>(i);
        copy_dest_values<DataFormat::Float32>(i, i + 2);
        add_unary_tile(i + 2, 0x3f800000);
        pack_tile<true>(i, one_dfb, tile + i);
        pack_tile<true>(i + 2, other_dfb, tile + i);
        """,
        exactly=False,
    )
    assert found.calls["exp_tile"] == 4


@pytest.mark.parametrize(
    ("dims", "expected"),
    [
        ("[-1]", "unary_bcast<BroadcastType::COL>(a_dfb, 0, 0);"),
        ("[-2]", "unary_bcast<BroadcastType::ROW>(a_dfb, 0, 0);"),
        ("[-2, -1]", "unary_bcast<BroadcastType::SCALAR>(a_dfb, 0, 0);"),
    ],
)
def test_a_broadcast_of_equal_shapes_still_repeats_within_tiles(dims: str, expected: str) -> None:
    compiled("a[1, 1] -> y[1, 1]", f"y.store(ttl.block.broadcast(a, dims={dims}, shape=(1, 1)))", expected)


def test_a_reserved_block_can_be_read_back() -> None:
    compiled(
        "a[2, 1] -> y[2, 1]",
        """
        y.store(a * 2)
        y.store(y + a)
        """,
        """
        mul_unary_tile(i, 0x40000000);
        add_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(a_dfb, i, i);
        pack_tile<true>(i, y_dfb, i);
        """,
    )


def test_a_block_may_be_given_back_before_its_value_is_used() -> None:
    compiled(
        "a[2, 1]*1 -> y[2, 1]",
        """
        first = a_dfb.wait()
        value = first + 1
        first.pop()
        with a_dfb.wait() as a, y_dfb.reserve() as y:
            y.store(value - a)
        """,
        """
        cb_wait_front(a_dfb, 2);
        pack_tile<true>(i, value, i);
        cb_pop_front(a_dfb, 2);
        cb_wait_front(a_dfb, 2);
        sub_tiles(value, a_dfb, i, i, i);
        """,
    )


def test_what_does_not_fit_into_the_registers_whole_goes_through_memory() -> None:
    """A sum over the iterations of a loop, of more tiles than there are registers."""
    found = compiled(
        "a[4, 1] b[1, 4] -> y[4, 4]",
        """
        with y_dfb.reserve() as y:
            for _ in range(3):
                with a_dfb.wait() as a, b_dfb.wait() as b:
                    y += a @ b
        """,
        """
        for (uint32_t i = 0; i < 3; ++i) {
            copy_tile(carried, t + r * 4 + j, r * 2 + j);
            matmul_block(a_dfb, b_dfb, row, column, 0, 0, 2, 2, 1);
            pack_tile<true>(r * 2 + j, carried, t + r * 4 + j);
        copy_tile(carried, tile + i, i);
        pack_tile<true>(i, y_dfb, tile + i);
        """,
        dst_full_sync_en=False,
    )
    assert found.made == ["carried"]


@pytest.mark.parametrize("node", [0, 1])
def test_what_a_branch_chooses(node: int) -> None:
    """The kernel is executed on node 0."""
    compiled(
        "a[2, 1] -> y[2, 1]",
        f"""
        with a_dfb.wait() as a, y_dfb.reserve() as y:
            chosen = -a if ttl.node(dims=1) == {node} else ttl.math.abs(a)
            y.store(chosen + 1)
        """,
        f"""
        if (get_absolute_logical_x() == {node}) {{
            negative_tile(i);
            pack_tile<true>(i, chosen, i);
        }} else {{
            abs_tile(i);
            pack_tile<true>(i, chosen, i);
        copy_tile(chosen, i, i);
        """,
    )


HELD = {
    """
    a_dfb.wait().pop()
    first = a_dfb.wait()
    second = a_dfb.wait()
    with y_dfb.reserve() as y:
        y.store(first + second)
    first.pop()
    second.pop()
    """: "give the buffer block_count=3: the ring then ends where blocks that are held together end",
    """
    held = a_dfb.wait()
    for _ in range(8):
        following = a_dfb.wait()
        with y_dfb.reserve() as y:
            y.store(following - held)
        held.pop()
        held = following
    held.pop()
    """: "release all blocks that are held together before acquiring the next ones, or copy the block that is kept into a "
    "buffer of its own",
}


@pytest.mark.parametrize("body", HELD, ids=["three of two", "always one"])
def test_blocks_that_are_held_beyond_the_end_of_the_ring_are_refused(body: str) -> None:
    """More blocks help the first program, and not the second one, which always holds one."""
    with pytest.raises(NotLowered) as refusal:
        compiled("a[1, 1] -> y[1, 1]", body)
    assert {(found.code, found.help) for found in refusal.value.diagnostics} == {("TTL1402", (HELD[body],))}


def test_a_block_that_is_needed_twice_is_read_twice() -> None:
    """The unpacker copies it again: the vector unit, which is the one that is short of time, need not."""
    found = compiled(
        "a[2, 1] -> y[2, 1]",
        "y.store(ttl.math.exp2(a) + a)",
        """
        copy_tile(a_dfb, i, i);
        copy_tile(a_dfb, i, i + 2);
        exp2_tile(i + 2);
        add_binary_tile(i + 2, i, i);
        """,
        exactly=False,
    )
    assert found.calls["copy_tile"] == 4
    assert "copy_dest_values" not in found.calls


def test_a_value_that_is_stored_and_broadcast_is_packed_twice_from_the_registers() -> None:
    found = compiled(
        "a[2, 2] -> largest[2, 1] y[2, 2]",
        """
        top = ttl.math.reduce_max(a, dims=[-1])
        largest.store(top)
        y.store(a - ttl.block.broadcast(top, dims=[-1], shape=(2, 2)))
        """,
        """
        pack_tile<true>(i, largest_dfb, i);
        pack_tile<true>(i, top, i);
        reduce_uninit();
        sub_tiles_bcast_cols(a_dfb, top, t, r, t);
        """,
    )
    assert found.calls["tile_regs_acquire"] == 2
    assert found.calls["pack_tile"] == 2 + 2 + 4


def test_float32_keeps_its_bits_where_it_is_transposed() -> None:
    found = compiled(
        "a[2, 1] -> y[1, 2]",
        "y.store(ttl.block.transpose(a))",
        "transpose_tile(a_dfb, i, i);",
        dtype="float32",
    )
    assert found.kernel.config["unpack_to_dest_fp32"] == ["a_dfb"]
