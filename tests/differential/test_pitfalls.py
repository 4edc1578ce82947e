"""Mistakes that generators of kernels make: each gives a wrong number or a hang on the chip, so each runs on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from differential.expressions import run
from ttl.diag import TTLError

Array = Any
RANDOM = np.random.default_rng(7)


def whole(*shape: int) -> Array:
    """Small whole numbers: sums and products of them are exact."""
    return RANDOM.integers(-3, 4, shape).astype(np.float32)


def close(simulated: Array, found: Array, relative: float = 2.0**-7) -> None:
    largest = float(np.abs(simulated).max())
    np.testing.assert_allclose(found, simulated, rtol=relative, atol=relative * largest / 8)


@pytest.mark.parametrize(
    "text", ["(a @ b) * c", "a @ b - c", "ttl.math.relu(a @ b) + c", "c - a @ b", "a @ b + c @ d"]
)
def test_a_product_does_not_overwrite_what_it_is_combined_with(text: str, tmp_path: Path) -> None:
    inputs = {"a": whole(64, 96), "b": whole(96, 64), "c": whole(64, 64)}
    if "d" in text.split():
        inputs["d"] = whole(64, 64)
    simulated, found = run(f"y.store({text})", inputs, {"y": (64, 64)}, tmp_path)
    np.testing.assert_array_equal(found["y"], simulated["y"])


def test_an_accumulating_function_starts_from_zero(tmp_path: Path) -> None:
    inputs = {name: np.abs(whole(64, 64)) for name in "abcd"}
    text = "y.store(ttl.math.sqrt(ttl.math.exp(a) + ttl.math.exp(b)) + c * d)"
    simulated, found = run(text, inputs, {"y": (64, 64)}, tmp_path)
    close(simulated["y"], found["y"])


@pytest.mark.parametrize(
    ("dims", "kept"), [([-1], np.s_[:, :1]), ([-2], np.s_[:1]), ([-2, -1], np.s_[:1, :1])]
)
def test_a_reduction_is_packed_before_the_mask_is_taken_off(
    dims: list[int], kept: Any, tmp_path: Path
) -> None:
    body = f"y.store(ttl.math.reduce_sum(a, dims={dims}))\nz.store(a + a)"
    shape = tuple(32 if axis - 2 in dims else 64 for axis in range(2))
    simulated, found = run(body, {"a": whole(64, 64)}, {"y": shape, "z": (64, 64)}, tmp_path)
    np.testing.assert_array_equal(found["y"][kept], simulated["y"][kept])
    np.testing.assert_array_equal(found["z"], simulated["z"])


@pytest.mark.parametrize("fp32", [False, True])
def test_a_long_sum_of_products_keeps_its_bits(fp32: bool, tmp_path: Path) -> None:
    a, b = (RANDOM.standard_normal((32, 2048)).astype(np.float32) for _ in range(2))
    simulated, found = run(
        "y.store(a @ b)",
        {"a": a, "b": np.ascontiguousarray(b.T)},
        {"y": (32, 32)},
        tmp_path,
        dtypes={"y": "float32"} if fp32 else {},
    )
    error = np.abs(found["y"] - simulated["y"]).max() / np.abs(simulated["y"]).max()
    assert error < (1e-5 if fp32 else 2.0**-8)


def test_a_copy_of_float32_keeps_all_its_bits(tmp_path: Path) -> None:
    a = RANDOM.standard_normal((64, 64)).astype(np.float32)
    simulated, found = run(
        "y.store(a)", {"a": a}, {"y": (64, 64)}, tmp_path, dtypes={"a": "float32", "y": "float32"}
    )
    np.testing.assert_array_equal(found["y"], a)
    np.testing.assert_array_equal(simulated["y"], a)


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_more_values_than_the_registers_hold(dtype: str, tmp_path: Path) -> None:
    names = "abcdefghij"
    inputs = {name: whole(32, 64) for name in names}
    text = " + ".join(f"ttl.math.abs({name})" for name in names)
    simulated, found = run(
        f"y.store({text})", inputs, {"y": (32, 64)}, tmp_path, dtypes=dict.fromkeys((*names, "y"), dtype)
    )
    np.testing.assert_array_equal(found["y"], simulated["y"])


@pytest.mark.parametrize(
    "text",
    [
        "-a",
        "a * 2.0",
        "a ** 2",
        "ttl.math.silu(a @ b) * (a @ c)",
        "a * ttl.block.broadcast(ttl.math.rsqrt(ttl.math.reduce_sum(a * a, dims=[-1]) + 1), dims=[-1], shape=(2, 2))",
    ],
    ids=["negation", "times a number", "square", "gated products", "root mean square norm"],
)
def test_ordinary_programs(text: str, tmp_path: Path) -> None:
    inputs = {name: whole(64, 64) for name in "abc" if name in text.replace("abs", "")}
    inputs = {
        name: inputs[name] for name in inputs if f"{name} " in text or f"{name})" in text or text == "-a"
    }
    simulated, found = run(f"y.store({text})", inputs, {"y": (64, 64)}, tmp_path)
    close(simulated["y"], found["y"])


def test_mixed_element_types_in_one_expression(tmp_path: Path) -> None:
    inputs = {name: whole(32, 64) for name in "abc"}
    simulated, found = run(
        "y.store(a * b + c)", inputs, {"y": (32, 64)}, tmp_path, dtypes={"b": "float32", "c": "bfloat8_b"}
    )
    np.testing.assert_array_equal(found["y"], simulated["y"])


def test_a_value_that_is_stored_twice(tmp_path: Path) -> None:
    body = "t = ttl.math.exp(a) * b\ny.store(t)\nz.store(t + a)"
    simulated, found = run(
        body, {"a": whole(64, 64), "b": whole(64, 64)}, {"y": (64, 64), "z": (64, 64)}, tmp_path
    )
    for name in "yz":
        close(simulated[name], found[name])


def test_integers_keep_all_their_bits(tmp_path: Path) -> None:
    a, b = (RANDOM.integers(-(2**30), 2**30, (32, 64)).astype(np.int32) for _ in range(2))
    simulated, found = run(
        "y.store(a + b)\nz.store(ttl.math.max(a, b))",
        {"a": a, "b": b},
        {"y": (32, 64), "z": (32, 64)},
        tmp_path,
        dtypes=dict.fromkeys("abyz", "int32"),
    )
    for name in "yz":
        np.testing.assert_array_equal(found[name], simulated[name])


def test_integers_are_not_reduced_by_the_matrix_unit(tmp_path: Path) -> None:
    """The vector unit adds them, with all their bits; for the largest there is nothing that both generations have."""
    a = RANDOM.integers(-(2**24), 2**24, (32, 64)).astype(np.int32)
    dtypes = {"a": "int32", "y": "int32"}
    simulated, found = run(
        "y.store(ttl.math.reduce_sum(a, dims=[-1]))", {"a": a}, {"y": (32, 32)}, tmp_path, dtypes=dtypes
    )
    np.testing.assert_array_equal(found["y"][:, 0], simulated["y"][:, 0])
    np.testing.assert_array_equal(found["y"][:, 0], a.sum(axis=1))
    with pytest.raises(TTLError) as raised:
        run("y.store(ttl.math.reduce_max(a, dims=[-1]))", {"a": a}, {"y": (32, 32)}, tmp_path, dtypes=dtypes)
    assert raised.value.code == "TTL1450"


def test_a_broadcast_of_equal_shapes_repeats_within_the_tile(tmp_path: Path) -> None:
    body = "y.store(ttl.block.broadcast(a, dims=[-1], shape=(2, 1)) * b)"
    simulated, found = run(body, {"a": whole(64, 32), "b": whole(64, 32)}, {"y": (64, 32)}, tmp_path)
    np.testing.assert_array_equal(found["y"], simulated["y"])


def test_padding_does_not_enter_a_sum(tmp_path: Path) -> None:
    body = "y.store(ttl.math.reduce_sum(a - 5, dims=[-1]))"
    simulated, found = run(body, {"a": whole(64, 40)}, {"y": (64, 32)}, tmp_path)
    np.testing.assert_array_equal(found["y"][:, :1], simulated["y"][:, :1])


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize(
    ("dims", "shape", "kept"),
    [([-1], (40, 1), np.s_[:, :1]), ([-2], (1, 45), np.s_[:1]), ([-2, -1], (1, 1), np.s_[:1, :1])],
    ids=["columns", "rows", "all"],
)
@pytest.mark.parametrize("text", ["a", "a + 9", "1 / a"], ids=["zeros", "numbers", "infinite"])
def test_padding_does_not_enter_a_maximum(
    text: str, dims: list[int], shape: tuple[int, int], kept: Any, dtype: str, tmp_path: Path
) -> None:
    """All elements are negative: any padding would be the maximum."""
    body = f"y.store(ttl.math.reduce_max({text}, dims={dims}))"
    a = -np.exp2(RANDOM.integers(4, 7, (40, 45))).astype(np.float32)
    simulated, found = run(body, {"a": a}, {"y": shape}, tmp_path, dtypes={"a": dtype, "y": dtype})
    assert (simulated["y"][kept] < 0).all()
    np.testing.assert_array_equal(found["y"][kept], simulated["y"][kept])


def test_padding_does_not_enter_a_sum_over_both_dimensions(tmp_path: Path) -> None:
    body = "y.store(ttl.math.reduce_sum(a - 5, dims=[-2, -1]))"
    simulated, found = run(body, {"a": np.full((40, 45), 6.0)}, {"y": (1, 1)}, tmp_path)
    assert simulated["y"][0, 0] == 40 * 45
    assert found["y"][0, 0] == 40 * 45


@pytest.mark.parametrize("text", ["(a + 5) @ (b + 5)", "(1 / a) @ b", "a @ ttl.math.log(b)"])
def test_padding_does_not_enter_a_product_of_what_is_computed(text: str, tmp_path: Path) -> None:
    """Not even where the other factor has zeros: times infinity they are no number."""
    inputs = {"a": np.full((40, 45), 2.0), "b": whole(45, 33) + 4}
    simulated, found = run(f"y.store({text})", inputs, {"y": (40, 33)}, tmp_path)
    close(simulated["y"], found["y"])


def test_infinite_padding_is_not_weighted_with_zero(tmp_path: Path) -> None:
    inputs = {"a": np.full((40, 45), 2.0)}
    simulated, found = run("y.store(ttl.math.reduce_sum(1 / a, dims=[-1]))", inputs, {"y": (40, 1)}, tmp_path)
    np.testing.assert_array_equal(found["y"], simulated["y"])


def test_rows_of_a_normalisation_may_end_anywhere(tmp_path: Path) -> None:
    """Also where the exponential of padding, which is far above the maximum, is infinite."""
    body = """
e = ttl.math.exp(a - ttl.block.broadcast(ttl.math.reduce_max(a, dims=[-1]), dims=[-1], shape=(2, 3)))
y.store(e / ttl.block.broadcast(ttl.math.reduce_sum(e, dims=[-1]), dims=[-1], shape=(2, 3)))
"""
    simulated, found = run(body, {"a": whole(40, 77) - 100}, {"y": (40, 77)}, tmp_path)
    close(simulated["y"], found["y"])


def test_a_block_that_was_stored_and_is_read_back(tmp_path: Path) -> None:
    body = "y.store(a + b)\nz.store(y * 2)"
    simulated, found = run(
        body, {"a": whole(32, 32), "b": whole(32, 32)}, {"y": (32, 32), "z": (32, 32)}, tmp_path
    )
    for name in "yz":
        np.testing.assert_array_equal(found[name], simulated[name])


def test_a_block_that_was_waited_for_and_is_stored_into(tmp_path: Path) -> None:
    body = "t = a + 1\na.store(a * b)\ny.store(a + t)"
    simulated, found = run(body, {"a": whole(64, 64), "b": whole(64, 64)}, {"y": (64, 64)}, tmp_path)
    np.testing.assert_array_equal(found["y"], simulated["y"])


def test_unsigned_numbers_are_compared_without_a_sign(tmp_path: Path) -> None:
    a = RANDOM.integers(0, 2**32, (32, 64), dtype=np.uint64).astype(np.uint32)
    simulated, found = run(
        "y.store(ttl.math.max(a, 5))",
        {"a": a},
        {"y": (32, 64)},
        tmp_path,
        dtypes={"a": "uint32", "y": "uint32"},
    )
    np.testing.assert_array_equal(found["y"], simulated["y"])
