"""Element types: storage, the one rounding at store, wrapping of integers, block floats."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from ttl.rows.dtypes import BFLOAT4_B, BFLOAT8_B, BFLOAT16, DTYPES, FLOAT16, FLOAT32, DType

FLOATS = arrays.arrays(np.float32, st.integers(1, 64), elements=st.floats(width=32))
INTEGERS = tuple(dtype for dtype in DTYPES if not dtype.is_float)


def test_bfloat16_rounds_as_torch_does_on_patterns_of_every_exponent() -> None:
    upper = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    for lower in (0x0000, 0x0001, 0x7FFF, 0x8000, 0x8001, 0xFFFF):
        values = (upper | np.uint32(lower)).view(np.float32)
        expected = torch.from_numpy(values.copy()).bfloat16().float().numpy()
        actual = BFLOAT16.load(BFLOAT16.store(values))
        np.testing.assert_array_equal(actual, expected)


@settings(max_examples=200, deadline=None)
@given(FLOATS)
def test_bfloat16_is_stable(values: np.ndarray) -> None:
    once = BFLOAT16.load(BFLOAT16.store(values))
    np.testing.assert_array_equal(BFLOAT16.load(BFLOAT16.store(once)), once)
    np.testing.assert_array_equal(np.signbit(once), np.signbit(values))


@settings(max_examples=200, deadline=None)
@given(FLOATS)
def test_float16_and_float32(values: np.ndarray) -> None:
    expected = torch.from_numpy(values.copy()).half().float().numpy()
    np.testing.assert_array_equal(FLOAT16.load(FLOAT16.store(values)), expected)
    np.testing.assert_array_equal(FLOAT32.load(FLOAT32.store(values)), values)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from((BFLOAT8_B, BFLOAT4_B)),
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 3), st.sampled_from((5, 16, 32, 40))),
        elements=st.floats(-(2.0**100), 2.0**100, width=32),
    ),
)
def test_block_floats_round_to_the_step_of_their_group(dtype: DType, values: np.ndarray) -> None:
    """16 neighbours of a row share an exponent; none is off by more than half a step, or a step at the top."""
    stored = dtype.load(dtype.store(values))
    assert stored.shape == values.shape
    for start in range(0, values.shape[1], 16):
        group, result = values[:, start : start + 16].astype(np.float64), stored[:, start : start + 16]
        largest = np.abs(group).max(axis=1, keepdims=True)
        step = np.where(largest > 0, 2.0 ** (np.frexp(largest)[1] - float(dtype.mantissa_bits)), 0)
        top = np.abs(group) > largest - step
        assert (np.abs(result - group) <= np.where(top, step, step / 2)).all()
    np.testing.assert_array_equal(dtype.load(dtype.store(stored)), stored)


def test_block_floats_keep_infinities_and_nan_apart_from_their_neighbours() -> None:
    values = np.array([1.0, np.inf, -np.inf, np.nan, 0.5] + [0.25] * 11, np.float32)
    np.testing.assert_array_equal(BFLOAT8_B.load(BFLOAT8_B.store(values)), values)


@pytest.mark.parametrize("dtype", INTEGERS, ids=repr)
def test_integers_wrap(dtype: DType) -> None:
    exact = [0, 1, -1, 255, 256, 65535, 65536, 2**31, 2**32 - 1, 2**32, -(2**31), 2**40 + 7]
    stored = dtype.store(np.array(exact, np.int64))
    assert stored.dtype == dtype.storage
    modulus = 1 << dtype.bits
    assert [int(value) % modulus for value in stored] == [value % modulus for value in exact]
    np.testing.assert_array_equal(dtype.load(stored), stored.astype(np.int64))
    assert dtype.load(stored).dtype == np.int64


def test_floats_become_integers_by_dropping_the_fraction() -> None:
    values = np.array([1.9, -1.9, np.nan, 7.0], np.float32)
    assert [int(value) for value in DTYPES[5].store(values)] == [1, -1, 0, 7]


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
def test_sizes_of_a_tile(dtype: DType) -> None:
    sizes = {
        "float32": 4096, "int32": 4096, "uint32": 4096, "bfloat16": 2048, "float16": 2048, "uint16": 2048,
        "bfloat8_b": 1088, "bfloat4_b": 576, "uint8": 1024,
    }  # fmt: skip
    assert dtype.tile_bytes == sizes[dtype.name]


def test_storing_a_broadcast_view_works() -> None:
    view = np.broadcast_to(np.float32(1.5), (2, 32, 32))
    for dtype in DTYPES:
        assert dtype.store(view).shape == (2, 32, 32)
