"""Appendix B: what every element-wise operation computes, against an independent oracle, on every element type."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rows import oracle
from ttl.diag.model import Diagnostic
from ttl.rows.dtypes import BFLOAT16, DTYPES, FLOAT16, FLOAT32, INT32, DType
from ttl.rows.row import Op
from ttl.rows.table import OPS, op
from ttl.rows.types import BlockType, Layout

FLOATS = tuple(dtype for dtype in DTYPES if dtype.is_float)
INTEGERS = tuple(dtype for dtype in DTYPES if not dtype.is_float)
ELEMENTWISE = tuple(row for row in OPS if row.name in oracle.ELEMENTWISE or row.name in oracle.INTEGER)
# Shape, matmul, reductions, fill and typecast have tests of their own.
ELSEWHERE = {
    "matmul",
    "reduce_sum",
    "reduce_max",
    "fill",
    "typecast",
    "broadcast",
    "transpose",
    "squeeze",
    "unsqueeze",
}

EDGES = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 1e-3, 6.0, 88.0, -88.0, 100.0, -100.0, 1e-30, -1e-30, 1e30,
     -1e30, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 0.99999994, 1.0000001, -0.99999994, -1.0000001, 3.4e38, 20.0,
     0.25, 2.5, -2.5, 1.5, 0.05, 127.0, -126.0, 3.1415927, 1.5707964, 7.999999],
    np.float32,
)  # fmt: skip


def values(dtype: DType, seed: int) -> np.ndarray:
    """Edge and random values that an element type can hold, as arithmetic sees them."""
    generator = np.random.default_rng(seed)
    spread = generator.standard_normal(200) * 10.0 ** generator.integers(-6, 7, 200)
    parts = [EDGES, generator.standard_normal(400), generator.uniform(-2, 2, 200), spread]
    flat = generator.permutation(np.concatenate(parts).astype(np.float32))
    with np.errstate(all="ignore"):
        return dtype.load(dtype.store(flat[: flat.size // 16 * 16]))


def assert_close(actual: np.ndarray, expected: torch.Tensor, relative: float, absolute: float) -> None:
    """Equal within a tolerance; NaN equals NaN, an infinity itself or what overflows float32."""
    assert actual.dtype == np.float32
    with np.errstate(all="ignore"):
        wanted = expected.numpy().astype(np.float32)
    both_nan = np.isnan(actual) & np.isnan(wanted)
    same = actual == wanted
    with np.errstate(all="ignore"):
        near = np.abs(actual.astype(np.float64) - expected.numpy()) <= absolute + relative * np.abs(
            expected.numpy()
        )
    wrong = ~(both_nan | same | (near & np.isfinite(wanted)))
    index = np.flatnonzero(wrong)[:5]
    assert not wrong.any(), [(index[0], actual.flat[i], expected.flatten()[i].item()) for i in index]


def test_every_operation_has_an_oracle() -> None:
    assert {row.name for row in OPS} == {row.name for row in ELEMENTWISE} | ELSEWHERE


@pytest.mark.parametrize("dtype", FLOATS, ids=repr)
@pytest.mark.parametrize("row", [row for row in ELEMENTWISE if row.name in oracle.ELEMENTWISE], ids=repr)
def test_float_elements(row: Op, dtype: DType) -> None:
    arrays = [values(dtype, seed) for seed in range(len(row.operands))]
    if row.name in ("mask", "mask_posinf"):
        arrays[1] = (np.arange(arrays[0].size) % 3 == 0).astype(np.float32)
    if row.name == "where":
        arrays[0] = (np.arange(arrays[1].size) % 3).astype(np.float32)
    if row.name == "pow":
        arrays[1] = np.resize(np.array([2, 0, 1, 3, 4, 0.5, -1, -2.5], np.float32), arrays[0].size)
    if row.name in ("eq", "ne", "le", "ge"):
        arrays[1][::3] = arrays[0][::3]
    kinds = tuple(BlockType.of(array.shape, dtype, Layout.ROW_MAJOR) for array in arrays)
    wide = [torch.from_numpy(array.astype(np.float64)) for array in arrays]
    for params in oracle.CASES.get(row.name, ((),)):
        result = row.infer(kinds, params)
        assert isinstance(result, BlockType)
        assert result.dtype is dtype
        with np.errstate(all="ignore"):
            actual = row.evaluate(arrays, params, result)
        expected = oracle.ELEMENTWISE[row.name](*wide, *params)
        relative, absolute = 2e-6, 1e-37
        if row.name in ("sin", "cos", "tan"):
            # The float32 argument is exact; only its reduction by multiples of pi may lose something.
            relative, absolute = 1e-5, 1e-6
        if row.name == "round":
            relative, absolute = 2e-6, 1e-6
            with np.errstate(all="ignore"):
                # Whether a value is half-way between two decimals depends on how its scaling rounds.
                keep = ~(np.abs(arrays[0] * 10.0 ** params[0] % 1 - 0.5) <= 1e-3)
            actual, expected = actual[keep], expected[torch.from_numpy(keep)]
        if row.name == "gelu":
            relative, absolute = 1e-5, 1e-6 if params[0] else 1e-37
        if row.name == "hardsigmoid":
            absolute = 1e-7  # x / 6 + 1/2 cancels near -3
        assert_close(actual, expected, relative, absolute)


@pytest.mark.parametrize("row", [row for row in ELEMENTWISE if len(row.operands) == 2], ids=repr)
def test_a_number_on_either_side_is_like_a_block_of_it(row: Op) -> None:
    dtype = INT32 if row.accepts == "integer" else FLOAT32
    x = np.arange(1, 33, dtype=np.int64 if dtype is INT32 else np.float32)
    kind = BlockType.of(x.shape, dtype, Layout.ROW_MAJOR)
    for position in (0, 1):
        if not row.operands[position].scalar:
            continue
        numbers: list[object] = [x, x]
        kinds: list[object] = [kind, kind]
        numbers[position], kinds[position] = 3, 3
        blocks = [x, x]
        blocks[position] = np.full_like(x, 3)
        scalar_type = row.infer(tuple(kinds), ())  # type: ignore[arg-type]
        assert scalar_type is row.infer((kind, kind), ()) is kind
        np.testing.assert_allclose(row.evaluate(numbers, (), kind), row.evaluate(blocks, (), kind), rtol=1e-6)


@pytest.mark.parametrize("dtype", INTEGERS, ids=repr)
@pytest.mark.parametrize("row", [row for row in ELEMENTWISE if row.name in oracle.INTEGER], ids=repr)
def test_integer_elements_are_exact(row: Op, dtype: DType) -> None:
    info = np.iinfo(dtype.storage)
    edges = [0, 1, 2, 3, 7, int(info.max), int(info.max) - 1, int(info.min), 100, -1, -7, -100]
    numbers = [value for value in edges if info.min <= value <= info.max]
    columns = [list(column) for column in zip(*itertools.product(numbers, repeat=len(row.operands)))]
    if row.name == "pow":
        columns[1] = [value % 4 for value in columns[1]]
        columns[0] = [value % 1000 for value in columns[0]]
    arrays = [np.array(column, np.int64) for column in columns]
    kinds = tuple(BlockType.of(array.shape, dtype, Layout.ROW_MAJOR) for array in arrays)
    for params in oracle.INTEGER_CASES.get(row.name, ((),)):
        result = row.infer(kinds, params)
        assert isinstance(result, BlockType)
        assert result.dtype is dtype
        with np.errstate(all="ignore"):
            actual = dtype.store(row.evaluate(arrays, params, result))
        exact = [oracle.INTEGER[row.name](*each, *params) for each in zip(*columns)]
        wrapped = [value % (1 << dtype.bits) for value in exact]
        assert [int(value) % (1 << dtype.bits) for value in actual] == wrapped


@pytest.mark.parametrize("row", OPS, ids=repr)
def test_not_defined_on_integers_says_so(row: Op) -> None:
    if row.accepts != "float":
        assert row.name in oracle.INTEGER or row.name in ELSEWHERE
        return
    kinds = tuple(BlockType.of((1, 1), INT32) for _ in row.operands)
    params = oracle.CASES.get(row.name, ((),))[0]
    found = row.infer(kinds, params)
    assert isinstance(found, Diagnostic)
    assert found.code == "TTL0404"
    assert "int32" in found.message


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(ELEMENTWISE),
    st.lists(st.integers(1, 3), min_size=1, max_size=2),
    st.integers(0, 2**32 - 1),
)
def test_a_stack_is_evaluated_like_its_blocks_one_by_one(row: Op, batch: list[int], seed: int) -> None:
    dtype = INT32 if row.accepts == "integer" else FLOAT32
    generator = np.random.default_rng(seed)
    shape = (*batch, 32, 64)
    arrays = [
        generator.uniform(0.5, 8, shape).astype(np.float32 if dtype.is_float else np.int64)
        for _ in row.operands
    ]
    kinds = tuple(BlockType.of((1, 2), dtype) for _ in row.operands)
    params = oracle.CASES.get(row.name, ((),))[0]
    result = row.infer(kinds, params)
    assert isinstance(result, BlockType)
    before = [array.copy() for array in arrays]
    with np.errstate(all="ignore"):
        together = row.evaluate(arrays, params, result)
        for index in np.ndindex(*batch):
            alone = row.evaluate([array[index] for array in arrays], params, result)
            np.testing.assert_array_equal(together[index], alone)
    for array, copy in zip(arrays, before):
        np.testing.assert_array_equal(array, copy)


@settings(max_examples=200, deadline=None)
@given(
    st.floats(width=32), st.floats(width=32), st.sampled_from(("add", "sub", "mul", "truediv", "max", "min"))
)
def test_arithmetic_is_ieee_float32(x: float, y: float, name: str) -> None:
    kind = BlockType.of((1,), FLOAT32, Layout.ROW_MAJOR)
    with np.errstate(all="ignore"):
        actual = op(name).evaluate([np.array([x], np.float32), np.array([y], np.float32)], (), kind)
    expected = oracle.ELEMENTWISE[name](
        torch.tensor([x], dtype=torch.float32), torch.tensor([y], dtype=torch.float32)
    )
    np.testing.assert_array_equal(actual, expected.numpy())


@pytest.mark.parametrize("dtype", [BFLOAT16, FLOAT16, FLOAT32], ids=repr)
@pytest.mark.parametrize("row", [row for row in ELEMENTWISE if row.name in oracle.ELEMENTWISE], ids=repr)
def test_what_is_stored_is_within_the_tolerance_of_the_row(row: Op, dtype: DType) -> None:
    """The tolerance allows at least for the rounding of the element type: the simulator itself keeps to it."""
    generator = np.random.default_rng(5)
    low = 1.0 if row.name == "acosh" else 0.0
    high = 1.0 if row.name in ("asin", "acos", "atanh") else 4.0
    arrays = [
        dtype.load(dtype.store(generator.uniform(low, high, 512).astype(np.float32))) for _ in row.operands
    ]
    params = oracle.CASES.get(row.name, ((),))[0]
    result = row.infer(tuple(BlockType.of((512,), dtype, Layout.ROW_MAJOR) for _ in arrays), params)
    assert isinstance(result, BlockType)
    with np.errstate(all="ignore"):
        stored = dtype.load(dtype.store(row.evaluate(arrays, params, result))).astype(np.float64)
    expected = oracle.ELEMENTWISE[row.name](
        *(torch.from_numpy(array.astype(np.float64)) for array in arrays), *params
    )
    tolerance = row.tolerance[dtype.name]
    largest = float(np.finfo(np.float16).max) if dtype is FLOAT16 else 1e38
    inside = np.abs(expected.numpy()) < largest
    with np.errstate(invalid="ignore"):  # inf - inf, outside what is compared
        difference = np.abs(stored - expected.numpy())[inside]
    allowed = (tolerance.absolute + tolerance.relative * np.abs(expected.numpy()))[inside]
    assert (difference <= allowed).all(), (difference / allowed).max()


def test_a_block_of_exponents_may_have_elements_below_zero() -> None:
    kind = BlockType.of((5,), INT32, Layout.ROW_MAJOR)
    exponents = np.array([-1, -2, -3, 2, 0])
    assert list(op("pow").evaluate([np.array([2, 1, -1, 3, 0]), exponents], (), kind)) == [0, 1, -1, 9, 1]
    assert list(op("pow").evaluate([2, exponents], (), kind)) == [0, 0, 0, 4, 1]
