"""Appendix B, reduction, broadcast and transpose functions: tiles, lanes, padding, stacks; matrix products."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttl.rows.dtypes import BFLOAT16, FLOAT32, INT32
from ttl.rows.table import op
from ttl.rows.types import TILE, BlockType, Layout

SHAPES = st.lists(st.integers(1, 3), min_size=2, max_size=4).map(tuple)
BATCHES = st.lists(st.integers(1, 2), max_size=2).map(tuple)


def numbers(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float32)


def by_hand(
    x: np.ndarray, kind: BlockType, dims: tuple[int, ...], combine: object
) -> dict[tuple[int, ...], float]:
    """The defined lanes of a reduction, element by element: place in the result to value."""
    rank = len(kind.shape)
    reduced = {dim % rank for dim in dims}
    groups: dict[tuple[int, ...], list[float]] = {}
    for place in np.ndindex(*x.shape):
        target = list(place)
        for dim in reduced:
            target[dim] = 0
        groups.setdefault(tuple(target), []).append(float(x[place]))
    return {place: combine(group) for place, group in groups.items()}  # type: ignore[operator]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 2), min_size=2, max_size=3).map(tuple), st.data())
def test_reduce_leaves_its_result_in_column_0_row_0_or_element_0_0(
    shape: tuple[int, ...], data: st.DataObject
) -> None:
    rank = len(shape)
    dims = tuple(data.draw(st.sets(st.integers(-rank, -1), min_size=1)))
    spelled = tuple(dim + rank if data.draw(st.booleans()) else dim for dim in dims)
    kind = BlockType.of(shape, FLOAT32)
    x = numbers(kind.elements)
    for name, combine in (("reduce_sum", math.fsum), ("reduce_max", max)):
        row = op(name)
        wanted = tuple(1 if dim - rank in dims else extent for dim, extent in enumerate(shape))
        result = row.infer((kind,), (spelled, wanted))
        assert result is row.infer((kind,), (spelled, None)) is kind.with_shape(wanted)
        actual = row.evaluate([x], (spelled, wanted), result)
        expected = np.zeros(result.elements, np.float32)
        defined = by_hand(x, kind, dims, combine)
        for place, value in defined.items():
            expected[place] = value
        np.testing.assert_array_equal(actual, expected)
        mask = row.undefined_lanes((spelled, wanted), result)
        if mask is None:
            assert not {-1, -2} & set(dims)
            continue
        assert mask.shape == result.elements[-2:]
        assert {tuple(map(int, place)) for place in np.argwhere(~mask)} == {place[-2:] for place in defined}


def test_two_steps_only_reduce_what_is_named() -> None:
    """A dimension of one tile still has 32 elements to combine: step 2 happens, step 1 has nothing to do."""
    kind = BlockType.of((1, 1), FLOAT32)
    x = numbers(kind.elements)
    rows = op("reduce_sum").evaluate([x], ((-1,), None), kind)
    np.testing.assert_array_equal(rows[:, 0], x.sum(1))
    assert not rows[:, 1:].any()
    columns = op("reduce_sum").evaluate([x], ((0,), None), kind)
    np.testing.assert_array_equal(columns[0], x.sum(0))
    assert not columns[1:].any()


@settings(max_examples=40, deadline=None)
@given(SHAPES, BATCHES, st.data())
def test_broadcast_reads_what_reduce_leaves(
    shape: tuple[int, ...], batch: tuple[int, ...], data: st.DataObject
) -> None:
    rank = len(shape)
    dims = tuple(data.draw(st.sets(st.integers(-rank, -1), min_size=1)))
    kind = BlockType.of(shape, FLOAT32)
    x = numbers((*batch, *kind.elements))
    total = op("reduce_sum").infer((kind,), (dims, None))
    assert isinstance(total, BlockType)
    reduced = op("reduce_sum").evaluate([x], (dims, None), total)
    garbage = op("reduce_sum").undefined_lanes((dims, None), total)
    if garbage is not None:
        reduced[..., garbage] = np.nan
    result = op("broadcast").infer((total,), (dims, shape))
    assert result is kind
    actual = op("broadcast").evaluate([reduced], (dims, shape), result)
    expected = np.broadcast_to(x.sum(axis=dims, keepdims=True), x.shape)
    np.testing.assert_array_equal(actual, expected)


def test_broadcast_over_dims_0_repeats_row_0() -> None:
    """The specification's example b: (N, 1) sits in column 0, c: (M,) in row 0, d: () in element (0, 0)."""
    kind = BlockType.of((1, 2), BFLOAT16)
    x = numbers(kind.elements)
    result = op("broadcast").infer((kind,), ((0,), (3, 2)))
    assert result is BlockType.of((3, 2), BFLOAT16)
    np.testing.assert_array_equal(
        op("broadcast").evaluate([x], ((0,), (3, 2)), result), np.tile(x[0], (96, 1))
    )
    single = BlockType.of((1, 1), BFLOAT16)
    full = op("broadcast").infer((single,), ((0, 1), (3, 2)))
    assert isinstance(full, BlockType)
    value = op("broadcast").evaluate([x[:, :TILE]], ((0, 1), (3, 2)), full)
    np.testing.assert_array_equal(value, np.full((96, 64), x[0, 0]))


@settings(max_examples=30, deadline=None)
@given(
    BATCHES, st.lists(st.integers(1, 2), max_size=2), st.tuples(*[st.integers(1, 3)] * 3), st.integers(0, 99)
)
def test_matmul_multiplies_stacks(
    batch: tuple[int, ...], outer: list[int], mnk: tuple[int, int, int], seed: int
) -> None:
    m, n, k = mnk
    a, b = BlockType.of((*outer, m, k), BFLOAT16), BlockType.of((*outer, k, n), FLOAT32)
    x, y = numbers((*batch, *a.elements), seed), numbers((*batch, *b.elements), seed + 1)
    result = op("matmul").infer((a, b), ())
    assert result is BlockType.of((*outer, m, n), FLOAT32)
    expected = np.einsum("...ij,...jk->...ik", x.astype(np.float64), y.astype(np.float64))
    np.testing.assert_array_equal(op("matmul").evaluate([x, y], (), result), expected.astype(np.float32))


def test_transpose_moves_elements_within_tiles_too() -> None:
    kind = BlockType.of((2, 3), BFLOAT16)
    x = numbers((4, *kind.elements))
    result = op("transpose").infer((kind,), ())
    assert result is BlockType.of((3, 2), BFLOAT16)
    actual = op("transpose").evaluate([x], (), result)
    for place in ((0, 0, 0), (1, 5, 40), (3, 63, 95)):
        assert actual[place[0], place[2], place[1]] == x[place]


@pytest.mark.parametrize(
    ("shape", "dims", "expected"),
    [
        ((1, 3, 1, 2), (0, 2), (3, 2)),
        ((3, 1, 2, 1), (-1, -3), (3, 2)),
        ((1, 1, 2), (0,), (1, 2)),
        ((2, 3, 1), (2,), (2, 3)),
    ],
)
def test_squeeze_and_unsqueeze_keep_the_tiles_in_order(
    shape: tuple[int, ...], dims: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    kind = BlockType.of(shape, FLOAT32)
    x = numbers((2, *kind.elements))
    result = op("squeeze").infer((kind,), (dims,))
    assert result is BlockType.of(expected, FLOAT32)
    y = op("squeeze").evaluate([x], (dims,), result)
    assert y.shape == (2, *result.elements)
    for before, after in zip(tiles(x, shape), tiles(y, expected), strict=True):
        np.testing.assert_array_equal(before, after)
    rank = len(shape)
    positions = tuple(dim % rank for dim in dims)
    assert op("unsqueeze").infer((result,), (positions,)) is kind
    np.testing.assert_array_equal(op("unsqueeze").evaluate([y], (positions,), kind), x)


def tiles(x: np.ndarray, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Tiles of a stack of blocks, in row-major order."""
    found = []
    for index in np.ndindex(*x.shape[: x.ndim - len(shape)], *shape):
        *outer, row, column = index
        found.append(
            x[(*outer, slice(row * TILE, (row + 1) * TILE), slice(column * TILE, (column + 1) * TILE))]
        )
    return found


def test_squeeze_and_unsqueeze_of_row_major_blocks() -> None:
    kind = BlockType.of((1, 5, 1), FLOAT32, Layout.ROW_MAJOR)
    x = numbers((2, *kind.elements))
    flat = op("squeeze").infer((kind,), ((0, -1),))
    assert flat is BlockType.of((5,), FLOAT32, Layout.ROW_MAJOR)
    y = op("squeeze").evaluate([x], ((0, -1),), flat)
    np.testing.assert_array_equal(y, x.reshape(2, 5))
    assert op("unsqueeze").infer((flat,), ((0, 2),)) is kind
    np.testing.assert_array_equal(op("unsqueeze").evaluate([y], ((0, 2),), kind), x)


def test_unsqueeze_positions_are_of_the_result() -> None:
    kind = BlockType.of((3, 2), FLOAT32)
    assert op("unsqueeze").infer((kind,), ((0, 2),)) is kind.with_shape((1, 3, 1, 2))
    assert op("unsqueeze").infer((kind,), ((-1, -3),)) is kind.with_shape((3, 1, 2, 1))


# --- padding ---------------------------------------------------------------------------------------------------


def test_padding_of_elementwise_operands_is_joined() -> None:
    kind = BlockType.of((2, 2), FLOAT32)
    assert op("add").valid_rule([None, None], (), kind) is None
    assert op("add").valid_rule([(40, 64), None], (), kind) == (40, 64)
    assert op("add").valid_rule([(40, 64), (64, 50)], (), kind) == (40, 50)


def test_padding_never_enters_a_reduction_or_a_product() -> None:
    """What the executor does: overwrite padding by ``neutral``, then evaluate."""
    kind = BlockType.of((1, 2), FLOAT32)
    x = -np.abs(numbers(kind.elements)) - 1
    for name, expected in (("reduce_sum", x[:20, :40].sum(1)), ("reduce_max", x[:20, :40].max(1))):
        row = op(name)
        padded = x.copy()
        padded[20:], padded[:, 40:] = row.neutral, row.neutral
        result = row.infer((kind,), ((-1,), None))
        assert isinstance(result, BlockType)
        value = row.evaluate([padded], ((-1,), None), result)
        valid = row.valid_rule([(20, 40)], ((-1,), None), result)
        assert valid == (20, 32)  # the other lanes of column 0's tile are undefined, and no padding
        np.testing.assert_array_equal(value[:20, 0], expected)
        wide = op("broadcast").valid_rule([valid], ((-1,), (1, 2)), kind)
        assert wide == (20, 64)
    assert op("matmul").neutral == 0
    assert op("matmul").valid_rule([(20, 40), (40, 7)], (), BlockType.of((1, 1), FLOAT32)) == (20, 7)
    assert op("matmul").valid_rule([(20, 40), None], (), BlockType.of((1, 1), FLOAT32)) == (20, 32)
    assert op("matmul").valid_rule([(32, 40), None], (), BlockType.of((1, 1), FLOAT32)) is None


def test_padding_follows_transpose_and_reshapes() -> None:
    kind = BlockType.of((2, 1), FLOAT32)
    assert op("transpose").valid_rule([(40, 7)], (), kind.with_shape((1, 2))) == (7, 40)
    assert op("fill").valid_rule([], (0, (2, 1), None), kind) is None
    assert op("unsqueeze").valid_rule([(40, 7)], ((0,),), kind.with_shape((1, 2, 1))) == (40, 7)
    assert op("squeeze").valid_rule([(40, 7)], ((0,),), kind) == (40, 7)


# --- fill, typecast --------------------------------------------------------------------------------------------


def test_fill_takes_the_element_type_of_its_partner() -> None:
    whole = op("fill").infer((), (0, (1, 2), None))
    fraction = op("fill").infer((), (0.5, (1, 2), None))
    assert isinstance(whole, BlockType)
    assert isinstance(fraction, BlockType)
    for dtype in (BFLOAT16, FLOAT32, INT32):
        kind = BlockType.of((1, 2), dtype)
        assert op("add").infer((whole, kind), ()) is kind
        assert op("add").infer((kind, whole), ()) is kind
    assert op("add").infer((fraction, BlockType.of((1, 2), BFLOAT16)), ()) is BlockType.of((1, 2), BFLOAT16)
    refused = op("add").infer((fraction, BlockType.of((1, 2), INT32)), ())
    assert not isinstance(refused, BlockType)
    assert refused.code == "TTL0403"


def test_fill_is_exact_with_integers() -> None:
    kind = BlockType.of((1, 1), INT32)
    value = 2**24 + 1
    params = (value, (1, 1), None)
    filled = op("fill").evaluate([], params, op("fill").infer((), params))  # type: ignore[arg-type]
    total = op("add").evaluate([filled, np.ones((32, 32), np.int64)], (), kind)
    assert total.dtype == np.int64
    assert (total == value + 1).all()
    floats = op("add").evaluate([filled, np.ones((32, 32), np.float32)], (), kind.with_dtype(FLOAT32))
    assert floats.dtype == np.float32


def test_typecast_rounds_at_once_and_wraps() -> None:
    cast = op("typecast")
    x = np.array([1.00390625, -1.7, 300.9, 2.0**31], np.float32)
    row = BlockType.of((4,), BFLOAT16, Layout.ROW_MAJOR)
    assert cast.evaluate([x], (BFLOAT16,), row)[0] == 1.0
    assert cast.evaluate([x], (INT32,), row.with_dtype(INT32)).tolist() == [1, -1, 300, -(2**31)]
    back = cast.evaluate([np.array([7, -1], np.int64)], (FLOAT32,), row.with_dtype(FLOAT32))
    assert back.dtype == np.float32
    assert back.tolist() == [7.0, -1.0]
