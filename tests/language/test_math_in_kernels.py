"""Specification, Appendix B, used where programs use it: in compute kernels, through buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import ttnn

import ttl
from rows import oracle
from support.failing import fails
from support.moving import compute_one
from support.tensors import blank, numbers, row_major, tiled, values
from ttl.rows.row import Op
from ttl.rows.table import OPS

FLOAT = [row for row in OPS if row.name in oracle.ELEMENTWISE]
INTEGER = [row for row in OPS if row.name in oracle.INTEGER]


def as_written(row: Op, params: tuple[Any, ...]) -> Callable[..., Any]:
    """The row applied to blocks by its first spelling, as a program writes it."""
    names = [operand.name for operand in row.operands]
    if row.namespace == "operator":
        return lambda *blocks: eval(row.spellings[0], dict(zip(names, blocks, strict=True)))
    return lambda *blocks: getattr(getattr(ttl, row.namespace), row.name)(*blocks, *params)


def operands(row: Op, shape: tuple[int, ...]) -> list[Any]:
    """Values in the domain of every function, 0 and 1 where a mask or condition is wanted."""
    generator = np.random.default_rng(len(row.name))
    low, high = (1.1, 4) if row.name == "acosh" else (0.1, 0.9)
    arrays = [generator.uniform(low, high, shape).astype(np.float32) for _ in row.operands]
    if row.name in ("eq", "ne", "le", "ge"):
        arrays[1][..., ::2] = arrays[0][..., ::2]
    if row.name in ("mask", "mask_posinf"):
        arrays[1] = np.round(arrays[1])
    if row.name == "where":
        arrays[0] = np.round(arrays[0])
    return arrays


@pytest.mark.parametrize("tile", [True, False], ids=["tiled", "row-major"])
@pytest.mark.parametrize("row", FLOAT, ids=repr)
def test_float_functions(row: Op, tile: bool) -> None:
    shape = (32, 64) if tile else (3, 7)
    arrays = operands(row, shape)
    make = tiled if tile else row_major
    layout = ttnn.TILE_LAYOUT if tile else ttnn.ROW_MAJOR_LAYOUT
    for params in oracle.CASES.get(row.name, ((),)):
        out = blank(shape, ttnn.float32, layout)
        compute_one(as_written(row, params), *(make(array, ttnn.float32) for array in arrays), out=out)
        expected = oracle.ELEMENTWISE[row.name](
            *(torch.from_numpy(array).double() for array in arrays), *params
        )
        np.testing.assert_allclose(values(out), expected.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("row", INTEGER, ids=repr)
def test_integer_functions(row: Op) -> None:
    arrays = [
        np.random.default_rng(seed).integers(0, 5, (32, 32)).astype(np.int32)
        for seed in range(len(row.operands))
    ]
    for params in oracle.INTEGER_CASES.get(row.name, ((),)):
        inputs = [ttnn.from_numpy(array, ttnn.int32, layout=ttnn.TILE_LAYOUT) for array in arrays]
        out = ttnn.from_numpy(np.full((32, 32), -77, np.int32), ttnn.int32, layout=ttnn.TILE_LAYOUT)
        compute_one(as_written(row, params), *inputs, out=out)
        expected = [
            oracle.INTEGER[row.name](*(int(array.flat[i]) for array in arrays), *params) for i in range(1024)
        ]
        assert ttnn.to_numpy(out).flatten().tolist() == expected


A = numbers(64, 96, seed=9)


def through(expression: Callable[..., Any], *arrays: Any, shape: tuple[int, ...]) -> Any:
    """``expression`` of float32 blocks that hold ``arrays``; ``shape`` is the result's, in elements."""
    out = blank(shape, ttnn.float32)
    compute_one(expression, *(tiled(array, ttnn.float32) for array in arrays), out=out)
    return values(out)


@pytest.mark.parametrize(
    ("function", "reference"),
    [(ttl.math.reduce_sum, np.sum), (ttl.math.reduce_max, np.max)],
    ids=["sum", "max"],
)
def test_reductions_leave_their_result_in_row_0_column_0_or_element_0_0(
    function: Callable[..., Any], reference: Callable[..., Any]
) -> None:
    columns = through(lambda a: function(a, dims=[-1], shape=(2, 1)), A, shape=(64, 32))
    assert np.array_equal(columns[:, 0], reference(A, axis=1))
    rows = through(lambda a: function(a, dims=[0], shape=(1, 3)), A, shape=(32, 96))
    assert np.array_equal(rows[0], reference(A, axis=0))
    one = through(lambda a: function(a, dims=[-1, -2], shape=(1, 1)), A, shape=(32, 32))
    assert one[0, 0] == reference(A)


def test_the_shape_of_a_reduction_is_inferred() -> None:
    columns = through(lambda a: ttl.math.reduce_sum(a, dims=[-1]), A, shape=(64, 32))
    assert np.array_equal(columns[:, 0], A.sum(axis=1))


def test_reduction_over_an_outer_dimension() -> None:
    a = numbers(3, 32, 64)
    summed = through(lambda x: ttl.math.reduce_sum(x, dims=[0], shape=(1, 1, 2)), a, shape=(1, 32, 64))
    assert np.array_equal(summed[0], a.sum(axis=0))


def test_broadcast_reads_column_0_row_0_or_element_0_0() -> None:
    column, row, one = A[:, :32], A[:32], A[:32, :32]
    wide = through(lambda a: ttl.block.broadcast(a, dims=[-1], shape=(2, 3)), column, shape=(64, 96))
    assert np.array_equal(wide, np.repeat(column[:, :1], 96, axis=1))
    tall = through(lambda a: ttl.block.broadcast(a, dims=[0], shape=(2, 3)), row, shape=(64, 96))
    assert np.array_equal(tall, np.repeat(row[:1], 64, axis=0))
    both = through(lambda a: ttl.block.broadcast(a, dims=[0, 1], shape=(2, 3)), one, shape=(64, 96))
    assert np.all(both == one[0, 0])


def test_broadcast_of_a_reduction_is_its_value_everywhere() -> None:
    def centred(a: Any) -> Any:
        total = ttl.math.reduce_sum(a, dims=[-1], shape=(2, 1))
        return a - ttl.block.broadcast(total, dims=[-1], shape=(2, 3))

    assert np.array_equal(through(centred, A, shape=(64, 96)), A - A.sum(axis=1, keepdims=True))


def test_broadcast_over_an_outer_dimension_after_unsqueeze() -> None:
    """As in the specification's batched matmul."""

    def expression(b: Any) -> Any:
        return ttl.block.broadcast(ttl.block.unsqueeze(b, dims=[0]), dims=[0], shape=(4, 2, 3))

    assert np.array_equal(through(expression, A, shape=(4, 64, 96)), np.broadcast_to(A, (4, 64, 96)))


def test_transpose() -> None:
    assert np.array_equal(through(ttl.block.transpose, A, shape=(96, 64)), A.T)


def test_squeeze_and_unsqueeze() -> None:
    a = numbers(1, 2, 32, 64)
    assert np.array_equal(
        through(lambda x: ttl.block.squeeze(x, dims=[0]), a, shape=(2, 32, 64)), a.reshape(2, 32, 64)
    )
    assert np.array_equal(
        through(lambda x: ttl.block.unsqueeze(x, dims=[0, 1]), A, shape=(1, 1, 64, 96)),
        A.reshape(1, 1, 64, 96),
    )


def test_fill() -> None:
    assert np.all(through(lambda a: a * 0 + ttl.block.fill(2.5, shape=(2, 3)), A, shape=(64, 96)) == 2.5)


def test_typecast_between_float_and_integer() -> None:
    counts = ttnn.from_numpy(
        np.arange(1024, dtype=np.int32).reshape(32, 32), ttnn.int32, layout=ttnn.TILE_LAYOUT
    )
    out = blank((32, 32), ttnn.float32)
    compute_one(lambda x: ttl.math.typecast(x, ttnn.float32) / 2, counts, out=out)
    assert np.array_equal(values(out).flatten(), np.arange(1024) / 2)


@pytest.mark.parametrize(
    "expression",
    [
        lambda a: ttl.math.reduce_sum(a, dims=[2], shape=(2, 1)),
        lambda a: ttl.math.reduce_sum(a, dims=[], shape=(2, 3)),
        lambda a: ttl.math.reduce_sum(a, dims=[-1], shape=(2, 3)),
        lambda a: ttl.math.reduce_sum(a, dims=[-1], shape=(2, 1, 1)),
        lambda a: ttl.block.broadcast(a, dims=[0], shape=(4, 3)),
        lambda a: ttl.block.broadcast(a, dims=[5], shape=(2, 3)),
        lambda a: ttl.block.squeeze(a, dims=[0]),
        lambda a: ttl.block.unsqueeze(a, dims=[7]),
        lambda a: ttl.block.transpose(ttl.block.unsqueeze(a, dims=[0])),
        lambda a: a @ a,
        lambda a: a + ttl.block.fill(1, shape=(2, 2)),
        lambda a: a + "x",
        lambda a: a**-1.5 if False else ttl.math.clamp(a, "low", 1),
        lambda a: ttl.math.exp(1),
        lambda a: ttl.math.max(1, 2),
        lambda a: bool(a),
    ],
)
def test_wrong_dims_shapes_and_arguments_are_errors_of_the_program(expression: Callable[[Any], Any]) -> None:
    with pytest.raises(ttl.ProgramError) as caught:
        through(expression, A, shape=(64, 96))
    assert caught.value.code.startswith("TTL04")
    assert caught.value.diagnostic.primary is not None
    assert caught.value.diagnostic.primary.span.file == __file__


def test_reductions_and_broadcasts_are_for_tiled_blocks() -> None:
    for expression in (
        lambda a: ttl.math.reduce_sum(a, dims=[-1], shape=(4, 1)),
        lambda a: ttl.block.broadcast(a, dims=[-1], shape=(4, 4)),
    ):
        with pytest.raises(ttl.ProgramError) as caught:
            out = blank((4, 4), layout=ttnn.ROW_MAJOR_LAYOUT)
            compute_one(expression, row_major(numbers(4, 1)), out=out)
        assert caught.value.code.startswith("TTL04")


def test_arithmetic_is_for_compute_kernels() -> None:
    @ttl.operation(grid=(1, 1))
    def op(a: Any, what: str) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def kernel() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()
                if what == "operator":
                    blk + 1
                elif what == "function":
                    ttl.math.exp(blk)
                elif what == "fill":
                    ttl.block.fill(1, shape=(1, 1))

    a = tiled(numbers(32, 32))
    for what, code in (("operator", "TTL0312"), ("function", "TTL0312"), ("fill", "TTL0331")):
        with fails(code):
            op(a, what)
