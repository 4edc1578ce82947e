"""Numerics of the simulator (DESIGN.md): where values are rounded, padding, undefined lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
import ttnn

import ttl
from support.moving import compute_one
from support.tensors import TILE, Values, bf16, blank, tiled, values
from ttl import settings

Precision = Literal["spec", "dst16", "fp32"]
PRECISIONS: tuple[Precision, ...] = ("spec", "dst16", "fp32")


def randoms(*shape: int, seed: int = 0) -> Values:
    return bf16(np.random.default_rng(seed).standard_normal(shape))


def computed(
    expression: Callable[..., Any],
    *arrays: Any,
    shape: tuple[int, int],
    precision: Precision = "spec",
    dtype: Any = ttnn.bfloat16,
    sanitize: bool = False,
) -> Values:
    out = blank(shape, dtype)
    with settings.override(precision=precision, sanitize=sanitize):
        compute_one(expression, *(tiled(array, dtype) for array in arrays), out=out)
    return values(out)


def test_bfloat16_really_is_bfloat16() -> None:
    """A value that bfloat16 has not is not there, on the way in and on the way out."""
    exact = np.full((32, 32), 1 + 2.0**-7, np.float32)
    between = np.full((32, 32), 1 + 2.0**-9, np.float32)
    assert np.all(values(tiled(between)) == 1)
    assert np.all(values(tiled(exact)) == exact)
    assert np.all(computed(lambda a: a + 2.0**-9, exact, shape=(32, 32)) == exact)


def test_rounding_is_to_nearest_with_ties_to_even() -> None:
    ties = np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, -1 - 2.0**-8, 1 + 2.0**-8 + 2.0**-20], np.float32)
    expected = [1, 1 + 2 * 2.0**-7, -1, 1 + 2.0**-7]
    tile = np.resize(ties, (32, 32))
    out = blank((32, 32))

    @ttl.operation(grid=(1, 1))
    def op(a: Any, y: Any) -> None:
        a_dfb, y_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (a, y))

        @ttl.datamovement()
        def read() -> None:
            with a_dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(ttl.math.typecast(a_blk, ttnn.bfloat16))

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()

    op(tiled(tile, ttnn.float32), out)
    assert values(out)[0, :4].tolist() == expected


def test_spec_rounds_once_at_the_store() -> None:
    a, b = randoms(32, 32), randoms(32, 32, seed=1)
    found = computed(lambda x, y: (x * y + x) * y, a, b, shape=(32, 32))
    assert np.array_equal(found, bf16((a * b + a) * b))


def test_dst16_rounds_every_result() -> None:
    a, b = randoms(32, 32), randoms(32, 32, seed=1)
    found = computed(lambda x, y: (x * y + x) * y, a, b, shape=(32, 32), precision="dst16")
    expected = bf16(bf16(bf16(a * b) + a) * b)
    assert np.array_equal(found, expected)
    assert not np.array_equal(found, bf16((a * b + a) * b)), "the test does not tell them apart"


def test_fp32_never_rounds_on_the_way() -> None:
    """A value passes through a bfloat16 buffer unrounded; only the tensor at the end has its own type."""
    a, b = randoms(32, 32), randoms(32, 32, seed=1)

    def two_stores(x: Any, y: Any) -> Any:
        x_value = x * y
        return x_value * y

    found = computed(two_stores, a, b, shape=(32, 32), precision="fp32")
    assert np.array_equal(found, bf16(a * b * b))

    out = blank((32, 32))

    @ttl.operation(grid=(1, 1))
    def through_a_buffer(x: Any, y: Any) -> None:
        x_dfb, mid_dfb, y_dfb = (ttl.make_dataflow_buffer_like(t, shape=(1, 1)) for t in (x, x, y))

        @ttl.datamovement()
        def read() -> None:
            with x_dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with x_dfb.wait() as x_blk, mid_dfb.reserve() as mid:
                mid.store(x_blk + 2.0**-12)
            with mid_dfb.wait() as mid, y_dfb.reserve() as y_blk:
                y_blk.store((mid - 1) * 4096)

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()

    ones = tiled(np.ones((32, 32)))
    for precision, expected in (("spec", 0), ("dst16", 0), ("fp32", 1)):
        with settings.override(precision=precision):
            through_a_buffer(ones, out)
        assert np.all(values(out) == expected), precision


def test_matmul_accumulates_in_float32() -> None:
    a, b = randoms(32, 32 * 8), randoms(32 * 8, 32, seed=1)
    found = computed(lambda x, y: x @ y, a, b, shape=(32, 32))
    np.testing.assert_array_equal(found, bf16(np.matmul(a, b)))


def test_dst16_rounds_the_accumulator_after_each_k_tile() -> None:
    tiles = 6
    a, b = randoms(32, TILE * tiles), randoms(TILE * tiles, 32, seed=1)
    found = computed(lambda x, y: x @ y, a, b, shape=(32, 32), precision="dst16")
    total = np.zeros((32, 32), np.float32)
    for k in range(tiles):
        part = slice(k * TILE, (k + 1) * TILE)
        total = bf16(total + a[:, part] @ b[part])
    assert np.array_equal(found, total)
    assert not np.array_equal(found, bf16(a @ b)), "the test does not tell them apart"


@pytest.mark.parametrize("precision", PRECISIONS)
def test_float32_is_never_rounded_to_bfloat16_by_spec_and_fp32(precision: Precision) -> None:
    a = np.full((32, 32), 1 + 2.0**-20, np.float32)
    found = computed(lambda x: x + 0, a, shape=(32, 32), precision=precision, dtype=ttnn.float32)
    assert np.all(found == (1 if precision == "dst16" else a))


def test_integers_are_exact_and_wrap() -> None:
    a = np.full((32, 32), 2**31 - 1, np.int32)
    for precision in PRECISIONS:
        out = ttnn.from_numpy(np.zeros((32, 32), np.int32), ttnn.int32, layout=ttnn.TILE_LAYOUT)
        with settings.override(precision=precision):
            compute_one(lambda x: x + 1, ttnn.from_numpy(a, ttnn.int32, layout=ttnn.TILE_LAYOUT), out=out)
        assert np.all(ttnn.to_numpy(out) == -(2**31))


# --- padding ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(40, 50), (32, 33), (1, 1), (31, 64), (2, 3, 5, 37)])
def test_a_value_in_padding_never_enters_a_reduce_or_to_torch(shape: tuple[int, ...]) -> None:
    """exp(0) is 1 in the padding and would be counted; exp(x) - 1 in the maximum of negative values is 0."""
    a = -np.abs(randoms(*shape)) - 1
    tiles = (*shape[:-2], -(-shape[-2] // TILE), -(-shape[-1] // TILE))
    rank = len(shape)
    out_elements = (*shape[:-2], 32, 32)

    def reduced(function: Any) -> Callable[..., Any]:
        return lambda x: function(ttl.math.exp(x), dims=[rank - 2, rank - 1], shape=(*tiles[:-2], 1, 1))

    for function, expected in (
        (ttl.math.reduce_sum, np.exp(a).sum(axis=(-1, -2))),
        (ttl.math.reduce_max, np.exp(a).max(axis=(-1, -2))),
    ):
        out = blank(out_elements, ttnn.float32)
        compute_one(reduced(function), tiled(a, ttnn.float32), out=out)
        np.testing.assert_allclose(values(out)[..., 0, 0], expected, rtol=1e-5)

    out = blank(shape, ttnn.float32)
    compute_one(lambda x: ttl.math.exp(x), tiled(a, ttnn.float32), out=out)
    assert out.shape == shape
    np.testing.assert_allclose(values(out), np.exp(a), rtol=1e-5)


def test_padding_does_not_enter_a_matmul() -> None:
    a, b = randoms(20, 40), randoms(40, 50, seed=1)
    out = blank((20, 50), ttnn.float32)
    compute_one(
        lambda x, y: ttl.math.exp(x) @ ttl.math.exp(y),
        tiled(a, ttnn.float32),
        tiled(b, ttnn.float32),
        out=out,
    )
    np.testing.assert_allclose(values(out), np.exp(a) @ np.exp(b), rtol=1e-4)


def test_padding_that_an_operation_wrote_does_not_enter_the_next_one() -> None:
    """ones + 1 in the padding of an output tensor stays there."""
    a = np.ones((20, 20), np.float32)
    middle, out = blank((20, 20)), blank((32, 32))
    compute_one(lambda x: x + 1, tiled(a), out=middle)
    compute_one(lambda x: ttl.math.reduce_sum(x, dims=[0, 1], shape=(1, 1)), middle, out=out)
    assert values(out)[0, 0] == 800


# --- undefined lanes ----------------------------------------------------------------------------------------


def test_sanitize_shows_undefined_lanes_of_a_reduction_as_nan() -> None:
    a = np.ones((32, 64), np.float32)
    found = computed(
        lambda x: ttl.math.reduce_sum(x, dims=[-1], shape=(1, 1)), a, shape=(32, 32), sanitize=True
    )
    assert np.all(found[:, 0] == 64)
    assert np.all(np.isnan(found[:, 1:]))
    rows = computed(
        lambda x: ttl.math.reduce_max(x, dims=[0], shape=(1, 2)), a, shape=(32, 64), sanitize=True
    )
    assert np.all(rows[0] == 1) and np.all(np.isnan(rows[1:]))
    one = computed(
        lambda x: ttl.math.reduce_max(x, dims=[0, 1], shape=(1, 1)), a, shape=(32, 32), sanitize=True
    )
    assert one[0, 0] == 1 and np.isnan(one).sum() == 1023


def test_sanitize_changes_nothing_for_a_program_that_reads_defined_lanes_only() -> None:
    a = randoms(64, 96)

    def softmax(x: Any) -> Any:
        wide = {"dims": [-1], "shape": (2, 3)}
        top = ttl.block.broadcast(ttl.math.reduce_max(x, dims=[-1], shape=(2, 1)), **wide)
        shifted = ttl.math.exp(x - top)
        total = ttl.block.broadcast(ttl.math.reduce_sum(shifted, dims=[-1], shape=(2, 1)), **wide)
        return shifted / total

    with settings.override(executor="numpy"):  # which is what computes with the sanitizer
        plain = computed(softmax, a, shape=(64, 96), dtype=ttnn.float32)
    poisoned = computed(softmax, a, shape=(64, 96), dtype=ttnn.float32, sanitize=True)
    assert np.array_equal(plain, poisoned)
    np.testing.assert_allclose(plain.sum(axis=1), 1, rtol=1e-5)


def test_sanitize_shows_a_reduction_used_without_a_broadcast() -> None:
    a = randoms(32, 32)
    found = computed(
        lambda x: x - ttl.math.reduce_max(x, dims=[-1], shape=(1, 1)), a, shape=(32, 32), sanitize=True
    )
    assert np.isnan(found[:, 1:]).all() and not np.isnan(found[:, 0]).any()
