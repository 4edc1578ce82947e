"""The machine: every row of the operations' table and programs of them, on every instruction set, against the table."""

from __future__ import annotations

import ctypes
import importlib.util
import itertools
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from native.machine_programs import Operand, Program, empty, in_rows, load, stored
from rows import oracle
from rows.test_semantics import values
from support.random_programs.machine import JUMPS, RandomProgram
from ttl.rows.comparison import same, within
from ttl.rows.dtypes import (
    BFLOAT4_B,
    BFLOAT8_B,
    BFLOAT16,
    DTYPES,
    FLOAT32,
    INT32,
    Array,
    DType,
)
from ttl.rows.row import Op, Params
from ttl.rows.table import OPS
from ttl.rows.types import TILE, Layout
from ttl.sim.native import lowering

if importlib.util.find_spec("ttl._machine") is None:
    pytest.skip("the native core is not built: python native/build.py", allow_module_level=True)

from ttl import _machine as machine

FLOATS = tuple(dtype for dtype in DTYPES if dtype.is_float)
ELEMENTWISE = tuple(row for row in OPS if row.name in oracle.ELEMENTWISE)
# Rows whose last bits are the machine's own, and how many units in the last place they are off at most; all others
# are equal to the bit.
INEXACT = {
    "exp": 2, "exp2": 2, "expm1": 3, "log": 3, "logp1": 3, "pow": 2, "tan": 2, "tanh": 3, "atan": 2, "atanh": 3,
    "sin": 2, "asin": 3, "asinh": 3, "cos": 2, "acos": 3, "acosh": 3, "elu": 4, "gelu": 8, "sigmoid": 3, "celu": 4,
    "silu": 3, "softplus": 5, "selu": 4,
}  # fmt: skip


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave the instruction set behind that was in use."""
    before = machine.isa()
    yield
    machine.set_isa(before)


def run(program: Program, arrays: list[Array], stored_as: DType, *, threads: int = 1) -> Array:
    """The result of one task, in float32."""
    code = program.lowered(stored_as)
    assert code is not None
    out = empty(program, stored_as)
    machine.run(machine.compile(code), [(arrays, out)], threads)
    return load(stored_as, out)


def on_every_isa(compute: Callable[[], Array]) -> Array:
    """The result, which has the same bits on every instruction set."""
    machine.set_isa("plain")
    expected = compute()
    for isa in machine.isas():
        machine.set_isa(isa)
        assert_same(compute(), expected)
    return expected


def assert_same(actual: Array, expected: Array) -> None:
    """Equal to the bit, but for what a NaN carries."""
    nan = np.isnan(actual) & np.isnan(expected)
    assert (nan | (actual.view(np.uint32) == expected.view(np.uint32))).all()


def units_off(actual: Array, expected: Array) -> float:
    """The largest distance in units in the last place; infinite where one is infinite or NaN and the other is not."""
    with np.errstate(all="ignore"):
        off = np.abs(actual.astype(np.float64) - expected) / np.spacing(np.abs(expected)).astype(np.float64)
    return float(
        np.max(np.where(same(actual, expected), 0, np.where(np.isfinite(off), off, np.inf)), initial=0)
    )


def operands(row: Op, dtype: DType) -> list[Array]:
    """Values for every operand of a row, those at which something happens among them."""
    arrays = [values(dtype, seed) for seed in range(len(row.operands))]
    if row.name in ("mask", "mask_posinf"):
        arrays[1] = (np.arange(arrays[0].size) % 3 == 0).astype(np.float32)
    if row.name == "where":
        arrays[0] = (np.arange(arrays[1].size) % 3).astype(np.float32)
    if row.name == "pow":
        arrays[1] = np.resize(np.array([2, 0, 1, 3, 4, 0.5, -1, -2.5], np.float32), arrays[0].size)
    if row.name in ("eq", "ne", "le", "ge"):
        arrays[1][::3] = arrays[0][::3]
    return arrays


def cases(row: Op) -> tuple[Params, ...]:
    """Values of a row's parameters."""
    more: tuple[Params, ...] = ((45,), (-39,)) if row.name == "round" else ()
    return (*oracle.CASES.get(row.name, ((),)), *more)


def test_every_row_on_floats_is_known() -> None:
    """Whoever adds a row says what it is to the machine, or that it stays with NumPy and why."""
    floats = {row.name for row in OPS if row.accepts != "integer"}
    computed = {row.name for row in OPS if lowering.builder_of(row) is not None}
    assert floats <= computed | lowering.FALLBACK.keys()
    assert not computed & lowering.FALLBACK.keys()
    assert lowering.FALLBACK.keys() <= {row.name for row in OPS}
    assert all(lowering.FALLBACK.values())


LOOKED_UP = [row for row in ELEMENTWISE if row.name in machine.TABLED]


@pytest.mark.parametrize("row", LOOKED_UP, ids=lambda row: row.name)
def test_what_is_looked_up_is_what_is_computed(row: Op) -> None:
    """Every bfloat16: of some of them, which are computed, and of all; stored as float32 and rounded."""
    every = np.arange(1 << 16, dtype=np.uint16)
    for params, part, stored_as in itertools.product(cases(row), (every[::64], every), (FLOAT32, BFLOAT16)):
        values_of = {BFLOAT16: BFLOAT16.store(load(BFLOAT16, part)), FLOAT32: load(BFLOAT16, part)}
        results = []
        for dtype, memory in values_of.items():
            program = Program()
            program.apply(
                row.name, program.leaf(part.size, dtype=dtype, layout=Layout.ROW_MAJOR), params=params
            )
            results.append([])
            for isa in machine.isas():
                machine.set_isa(isa)
                results[-1].append(run(program, [memory], stored_as))
        for looked_up, computed in zip(*results, strict=True):
            assert_same(looked_up, computed)


def test_functions_are_looked_up() -> None:
    assert {"gelu", "sin", "tan"} <= {row.name for row in LOOKED_UP}


@pytest.mark.parametrize("dtype", FLOATS, ids=repr)
@pytest.mark.parametrize("row", ELEMENTWISE, ids=lambda row: row.name)
def test_element_by_element(row: Op, dtype: DType) -> None:
    """Edge values and random ones, each format, each instruction set."""
    memory = [dtype.store(array) for array in operands(row, dtype)]
    arrays = [load(dtype, each) for each in memory]
    for params in cases(row):
        program = Program()
        leaves = [program.leaf(array.size, dtype=dtype, layout=Layout.ROW_MAJOR) for array in arrays]
        program.apply(row.name, *leaves, params=params)
        actual = on_every_isa(lambda: run(program, memory, FLOAT32))
        expected = program.expected(arrays)
        if row.name == "gelu" and params[0]:  # 1 + tanh, which cancels
            np.testing.assert_allclose(actual, expected, 1e-5, 1e-6)
            continue
        assert units_off(actual, expected) <= INEXACT.get(row.name, 0)


@pytest.mark.parametrize(
    "row", [row for row in ELEMENTWISE if len(row.operands) > 1], ids=lambda row: row.name
)
def test_numbers_among_the_operands(row: Op) -> None:
    arrays = operands(row, FLOAT32)
    for numbers in itertools.product((False, True), repeat=len(arrays)):
        allowed = all(operand.scalar for operand, number in zip(row.operands, numbers) if number)
        if all(numbers) or not any(numbers) or not allowed:
            continue
        program = Program()
        given: list[Operand | float] = [
            2.5 if number else program.leaf(array.size, dtype=FLOAT32, layout=Layout.ROW_MAJOR)
            for array, number in zip(arrays, numbers)
        ]
        program.apply(row.name, *given)
        blocks = [array for array, number in zip(arrays, numbers) if not number]
        actual = on_every_isa(lambda: run(program, blocks, FLOAT32))
        assert units_off(actual, program.expected(blocks)) <= INEXACT.get(row.name, 0)


@pytest.mark.parametrize("exponent", [1, 2, 3, 4, 2.0, 3.0])
def test_small_whole_powers_are_products(exponent: float) -> None:
    x = values(FLOAT32, 1)
    program = Program()
    program.apply("pow", program.leaf(x.size, dtype=FLOAT32, layout=Layout.ROW_MAJOR), exponent)
    assert units_off(run(program, [x], FLOAT32), program.expected([x])) == 0


@pytest.mark.parametrize("second", FLOATS, ids=repr)
@pytest.mark.parametrize("first", FLOATS, ids=repr)
def test_formats_are_read_and_rounded_once(first: DType, second: DType) -> None:
    """A value of one format stored in another, and cast to it on the way."""
    x = values(first, 4)
    program = Program()
    program.apply("abs", program.leaf(x.size, dtype=first, layout=Layout.ROW_MAJOR))
    with np.errstate(all="ignore"):
        expected = second.load(second.store(np.abs(x))).astype(np.float32)
    assert_same(on_every_isa(lambda: run(program, [first.store(x)], second)), expected)
    program.apply("typecast", ("result", 0), params=(second,))
    assert_same(on_every_isa(lambda: run(program, [first.store(x)], FLOAT32)), expected)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "max", "min"])
@pytest.mark.parametrize("out", [BFLOAT16, FLOAT32], ids=repr)
@pytest.mark.parametrize("dtype", [BFLOAT16, FLOAT32], ids=repr)
def test_rows_with_one_number_each(name: str, dtype: DType, out: DType) -> None:
    """The second operand is a column that stands for all, on either side; results in both formats."""
    generator = np.random.default_rng(3)
    for swapped, rows, columns in ((False, 1, 3), (True, 2, 1)):
        program = Program()
        x, column = program.leaf(rows, columns, dtype=dtype), program.leaf(rows, 1, dtype=dtype)
        spread = program.apply("broadcast", column, params=((-1,), (rows, columns)))
        program.apply(name, *((spread, x) if swapped else (x, spread)))
        blocks = [stored(leaf, generator.standard_normal(leaf.type.elements)) for leaf in program.leaves]
        actual = on_every_isa(lambda: run(program, [memory for memory, _ in blocks], out))
        expected = program.expected([array for _, array in blocks])
        assert_same(actual, load(out, out.store(expected)))


@pytest.mark.parametrize("dtype", [BFLOAT16, FLOAT32], ids=repr)
@pytest.mark.parametrize("name", ["reduce_sum", "reduce_max"])
def test_reductions_of_several_rows_at_a_time(name: str, dtype: DType) -> None:
    """NaN, infinities and zeros of both signs in one row of those that are computed together, and not in the others."""
    generator = np.random.default_rng(8)
    for columns in (1, 3, 40):
        program = Program()
        program.apply(name, program.leaf(1, columns, dtype=dtype), params=((-1,), None))
        x = generator.standard_normal((TILE, columns * TILE)).astype(np.float32)
        for row, value in enumerate((np.nan, np.inf, -np.inf, 0.0, -0.0)):
            x[5 * row] = 0.0 if row >= 3 else x[5 * row]
            x[5 * row, generator.integers(x.shape[1])] = value
        x[27] = -np.inf
        x[30] = np.nan
        memory, values = stored(program.leaves[0], x)
        actual = on_every_isa(lambda: run(program, [memory], FLOAT32))
        np.testing.assert_allclose(actual, program.expected([values]), 1e-5, 1e-4)


@pytest.mark.parametrize("square", ["square", "mul"])
def test_a_sum_of_squares_has_the_bits_of_squares_summed_up(square: str) -> None:
    generator = np.random.default_rng(9)
    results = []
    for kept in (False, True):
        program = Program()
        x, y = program.leaf(1, 3, dtype=FLOAT32), program.leaf(1, 1, dtype=FLOAT32)
        squares = program.apply(square, *((x, x) if square == "mul" else (x,)))
        total = program.apply("reduce_sum", squares, params=((-1,), None))
        if kept:  # something else looks at the squares: they are computed
            spread = program.apply("broadcast", total, params=((-1,), (1, 3)))
            more = program.apply("mul", program.apply("sub", spread, squares), 0.0)
            total = program.apply("sub", spread, more)
        else:
            total = program.apply("broadcast", total, params=((-1,), (1, 3)))
        total = program.apply("add", total, program.apply("broadcast", y, params=((-1,), (1, 3))))
        arrays = [
            np.random.default_rng(9).standard_normal((TILE, n * TILE)).astype(np.float32) for n in (3, 1)
        ]
        arrays[1] = generator.standard_normal(arrays[1].shape).astype(np.float32) * 0
        results.append(on_every_isa(lambda: run(program, arrays, FLOAT32)))
        np.testing.assert_allclose(results[-1], program.expected(arrays), 1e-5)
    assert_same(results[0], results[1])


def test_columns_that_products_and_rows_read() -> None:
    """One number per row that goes through memory: narrow for segments, whole for a product, and read where written."""
    generator = np.random.default_rng(10)
    program = Program()
    x, column = program.leaf(1, 1), program.leaf(1, 1)
    spread = program.apply("broadcast", column, params=((-1,), (1, 1)))
    weights = program.apply("exp", program.apply("sub", x, spread), params=(False, 1.0))
    product = program.apply("matmul", weights, spread)
    total = program.apply(
        "broadcast", program.apply("reduce_sum", weights, params=((-1,), None)), params=((-1,), (1, 1))
    )
    program.apply("add", program.apply("mul", product, spread), program.apply("truediv", weights, total))
    blocks = [stored(leaf, generator.standard_normal(leaf.type.elements)) for leaf in program.leaves]
    for isa in machine.isas():
        machine.set_isa(isa)
        actual = run(program, [memory for memory, _ in blocks], FLOAT32)
        np.testing.assert_allclose(actual, program.expected([array for _, array in blocks]), 1e-4, 1e-4)


@pytest.mark.parametrize("seed", range(300))
def test_random_programs(seed: int) -> None:
    """Shapes, padding, gaps between rows, formats, threads: against the table, within what rounding explains."""
    made = RandomProgram(seed)
    program, stored_as = made.program, made.stored_as
    code = program.lowered(stored_as)
    assert code is not None
    compiled = machine.compile(code)
    machine.set_isa(machine.isas()[seed % len(machine.isas())])
    tasks: list[tuple[list[Array], Array]] = []
    wanted: list[Array] = []
    for _ in range(3):
        blocks = [stored(leaf, made.values(leaf.type.elements)) for leaf in program.leaves]
        gaps = made.random.integers(0, 3, len(blocks) + 1) * 8
        memory = [in_rows(array, gap) for (array, _), gap in zip(blocks, gaps)]
        tasks.append((memory, in_rows(empty(program, stored_as), gaps[-1])))
        wanted.append(program.expected([array for _, array in blocks]))
    machine.run(compiled, tasks, threads=1 + seed % 3)
    jumps = JUMPS & {instruction.op.name for instruction in program.instructions}
    for (_, out), expected in zip(tasks, wanted):
        actual = load(stored_as, out)
        if made.bound is not None:  # of whole numbers no bit depends on an order
            np.testing.assert_array_equal(actual, load(stored_as, stored_as.store(expected)))
            continue
        assert np.mean(far_off(actual, expected, stored_as)) <= (0.02 if jumps else 0), program.instructions


def far_off(actual: Array, expected: Array, stored_as: DType) -> Array:
    """Where a result differs by more than sums in another order do and a rounding that falls the other way."""
    with np.errstate(all="ignore"):
        rounded = load(stored_as, stored_as.store(expected)).astype(np.float64)
        largest = np.abs(rounded[np.isfinite(rounded)]).max(initial=0)
        size = largest if stored_as in (BFLOAT8_B, BFLOAT4_B) else np.abs(rounded)
        allowed = 2 * 2.0**-stored_as.mantissa_bits * size + 3e-4 * largest + 1e-5
    return np.asarray(~within(actual, rounded, 0.0, allowed))


def test_long_rows_are_taken_in_pieces() -> None:
    """A row-major block of one dimension, longer than a strip and not a multiple of anything."""
    x = values(FLOAT32, 2)
    x = np.resize(x, 100_003)
    program = Program()
    leaf = program.leaf(x.size, dtype=FLOAT32, layout=Layout.ROW_MAJOR)
    program.apply("mul", program.apply("add", leaf, 1.5), leaf)
    assert_same(on_every_isa(lambda: run(program, [x], FLOAT32)), program.expected([x]))


@pytest.mark.parametrize("shape", [(5,), (3, 7), (2, 3, 5), (2, 2, 3, 33)])
def test_row_major_blocks_of_any_extent(shape: tuple[int, ...]) -> None:
    generator = np.random.default_rng(1)
    for dtype, out in itertools.product((BFLOAT16, FLOAT32), repeat=2):
        program = Program()
        x, y = (program.leaf(*shape, dtype=dtype, layout=Layout.ROW_MAJOR) for _ in range(2))
        program.apply("sub", program.apply("mul", x, y), y)
        blocks = [stored(leaf, generator.standard_normal(shape)) for leaf in program.leaves]
        actual = on_every_isa(lambda: run(program, [memory for memory, _ in blocks], out))
        assert_same(actual, load(out, out.store(program.expected([array for _, array in blocks]))))


def test_a_row_major_block_is_reshaped_without_regard_to_tiles() -> None:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    program = Program()
    leaf = program.leaf(4, 6, dtype=FLOAT32, layout=Layout.ROW_MAJOR)
    program.apply("neg", program.apply("unsqueeze", leaf, params=((1,),)))
    assert_same(run(program, [x], FLOAT32), -x[:, None])
    program.apply("squeeze", ("result", 1), params=((1,),))
    assert_same(run(program, [x], FLOAT32), -x)


@pytest.mark.parametrize("dims", [(-1,), (-2,), (-1, -2), (0,), (0, -1), (1, -2), (0, 1, 2, 3)])
def test_padding_never_enters_a_reduction(dims: tuple[int, ...]) -> None:
    """What a block holds beyond its data is no part of sums and maxima, whatever it is."""
    generator = np.random.default_rng(7)
    for name, spoiled in itertools.product(("reduce_sum", "reduce_max"), (100.0, np.nan)):
        program = Program()
        leaf = program.leaf(2, 1, 2, 2, dtype=FLOAT32, valid=(33, 50))
        program.apply(name, leaf, params=(dims, None))
        x = generator.standard_normal((2, 1, 64, 64)).astype(np.float32)
        x[..., 33:, :] = spoiled
        x[..., 50:] = spoiled
        actual = on_every_isa(lambda: run(program, [x], FLOAT32))
        inside = np.isfinite(program.expected([x]))
        np.testing.assert_allclose(actual[inside], program.expected([x])[inside], 1e-5, 1e-5)


def test_the_maximum_of_a_row_with_nan_is_nan() -> None:
    x = np.zeros((32, 64), np.float32)
    x[np.arange(32), np.arange(32) * 2] = np.nan
    x[5:, :] -= np.inf
    x[5, 10] = -np.inf
    program = Program()
    program.apply("reduce_max", program.leaf(1, 2, dtype=FLOAT32), params=((-1,), None))
    assert_same(on_every_isa(lambda: run(program, [x], FLOAT32)), program.expected([x]))


def softmax(program: Program, x: Operand, shape: tuple[int, int]) -> Operand:
    """Over rows, as one expression."""

    def spread(column: Operand) -> Operand:
        return program.apply("broadcast", column, params=((-1,), shape))

    largest = program.apply("reduce_max", x, params=((-1,), None))
    powers = program.apply("exp", program.apply("sub", x, spread(largest)), params=(False, 1.0))
    total = program.apply("reduce_sum", powers, params=((-1,), None))
    return program.apply("truediv", powers, spread(total))


def test_softmax() -> None:
    x = np.random.default_rng(0).standard_normal((64, 256)).astype(np.float32)
    program = Program()
    softmax(program, program.leaf(2, 8, dtype=FLOAT32), (2, 8))
    actual = on_every_isa(lambda: run(program, [x], FLOAT32))
    powers = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(actual, powers / powers.sum(1, keepdims=True), 2e-6)


@pytest.mark.parametrize("isa", machine.isas())
def test_attention(isa: str) -> None:
    """Products of what was computed, a transposition in memory, and steps that wait for one another."""
    generator = np.random.default_rng(2)
    program = Program()
    q, k, v = program.leaf(2, 2), program.leaf(3, 2), program.leaf(3, 1)
    scores = program.apply("mul", program.apply("matmul", q, program.apply("transpose", k)), 0.125)
    program.apply("matmul", softmax(program, scores, (2, 3)), v)
    blocks = [stored(leaf, generator.standard_normal(leaf.type.elements)) for leaf in program.leaves]
    machine.set_isa(isa)
    actual = run(program, [memory for memory, _ in blocks], FLOAT32)
    wide = [array.astype(np.float64) for _, array in blocks]
    weights = np.exp(wide[0] @ wide[1].T / 8)
    expected = weights / weights.sum(1, keepdims=True) @ wide[2]
    np.testing.assert_allclose(actual, expected, 1e-3, 1e-4)


@pytest.mark.parametrize("isa", machine.isas())
def test_packed_operands_are_not_kept_from_task_to_task(isa: str) -> None:
    """The second operand of a product is computed by every task in the same memory."""
    generator = np.random.default_rng(8)
    program = Program()
    x, y = program.leaf(1, 1, dtype=FLOAT32), program.leaf(1, 1, dtype=FLOAT32)
    program.apply("matmul", x, program.apply("add", y, 1.0))
    tasks: list[tuple[list[Array], Array]] = []
    for _ in range(5):
        arrays = [generator.standard_normal((32, 32)).astype(np.float32) for _ in range(2)]
        tasks.append((arrays, np.zeros((32, 32), np.float32)))
    machine.set_isa(isa)
    code = program.lowered(FLOAT32)
    assert code is not None
    machine.run(machine.compile(code), tasks)
    for (a, b), out in tasks:
        np.testing.assert_allclose(out, a @ (b + 1), 1e-4, 1e-4)


@pytest.mark.parametrize("isa", machine.isas())
def test_products_are_summed_before_their_base_is_added(isa: str) -> None:
    """Whatever the order of the terms: the machine makes one step of all products."""
    program = Program()
    leaves = [program.leaf(1, 1, dtype=FLOAT32) for _ in range(7)]
    products = [program.apply("matmul", leaves[i], leaves[i + 1]) for i in (0, 2, 4)]
    total = program.apply("add", products[0], leaves[6])
    total = program.apply("add", products[1], total)
    program.apply("add", total, products[2])
    factors = [np.full((32, 32), 2.0**-5 if i % 2 else 1.0, np.float32) for i in range(6)]
    base = np.full((32, 32), 2.0**24, np.float32)
    machine.set_isa(isa)
    # Each product is 1 everywhere, and 2^24 + 1 is rounded to 2^24.
    np.testing.assert_array_equal(run(program, [*factors, base], FLOAT32), np.float32(2.0**24 + 4))


@pytest.mark.parametrize("threads", [2, 3, 0])
@pytest.mark.parametrize("products", [False, True])
def test_results_do_not_depend_on_threads(products: bool, threads: int) -> None:
    expected = many_tasks(1, products)
    for _ in range(5):
        np.testing.assert_array_equal(many_tasks(threads, products), expected)


def test_every_task_runs_once_whatever_their_order() -> None:
    generator = np.random.default_rng(5)
    a, b = (load(BFLOAT16, BFLOAT16.store(generator.standard_normal((512, 512)))) for _ in range(2))
    np.testing.assert_array_equal(many_tasks(1, False), a * b + np.float32(1))
    wide = np.tanh(a.astype(np.float64) @ b * 0.05)
    np.testing.assert_allclose(many_tasks(1), wide, 1e-4, 1e-4)


def many_tasks(threads: int, products: bool = True) -> Array:
    """Products with something behind them, or element by element: over many tasks in no order."""
    generator = np.random.default_rng(5)
    a, b = (BFLOAT16.store(generator.standard_normal((512, 512))) for _ in range(2))
    program = Program()
    places = list(itertools.product(range(0, 512, 32), repeat=2))
    generator.shuffle(places)
    if products:
        x, y = program.leaf(1, 16), program.leaf(16, 1)
        program.apply("tanh", program.apply("mul", program.apply("matmul", x, y), 0.05))
        leaves = [[a[i : i + 32], b[:, j : j + 32]] for i, j in places]
    else:
        x, y = program.leaf(1, 1), program.leaf(1, 1)
        program.apply("add", program.apply("mul", x, y), 1.0)
        leaves = [[each[i : i + 32, j : j + 32] for each in (a, b)] for i, j in places]
    out = np.zeros((512, 512), np.float32)
    tasks = [(each, out[i : i + 32, j : j + 32]) for each, (i, j) in zip(leaves, places)]
    code = program.lowered(FLOAT32)
    assert code is not None
    machine.run(machine.compile(code), tasks, threads)
    return out


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("stored_as", [BFLOAT16, FLOAT32, BFLOAT8_B], ids=repr)
def test_blocks_side_by_side_have_the_bits_of_blocks_alone(stored_as: DType, threads: int) -> None:
    """Blocks in a tensor with gaps between its rows, of which the last row of blocks is shorter; a row that all rows have."""
    program = Program()
    x, row = program.leaf(2, 2), program.leaf(1, 2)
    wide = program.apply("broadcast", row, params=((-2,), (2, 2)))
    program.apply("tanh", program.apply("add", program.apply("mul", x, x), wide))
    code = program.lowered(stored_as)
    assert code is not None
    compiled = machine.compile(code)
    tensor = BFLOAT16.store(np.resize(values(BFLOAT16, 1), (64 * 5, 64 * 12 + 8)))
    rows = BFLOAT16.store(np.resize(values(BFLOAT16, 2), (2, 32, 64 * 12)))

    def tasks(out: Array, different: int) -> list[tuple[list[Array], Array]]:
        places = [(down, across) for down in range(5) for across in range(12 if down < 4 else 9)]
        parts = [
            (slice(64 * down, 64 * down + 64), slice(64 * across, 64 * across + 64))
            for down, across in places
        ]
        return [
            ([tensor[part], rows[number // 7 % different][:, part[1]]], out[part])
            for number, part in enumerate(parts)
        ]

    for different in (1, 2):
        together, alone = (np.zeros((64 * 5, 64 * 12), stored_as.storage) for _ in range(2))
        machine.run(compiled, tasks(together, different), threads)
        for task in tasks(alone, different):
            machine.run(compiled, [task], 1)
        assert np.array_equal(together.view(np.uint8), alone.view(np.uint8))
        assert alone.any()


def test_several_runs_at_a_time() -> None:
    expected = many_tasks(1)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(many_tasks(2))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for each in found:
        np.testing.assert_array_equal(each, expected)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    expected = many_tasks(2)
    child = os.fork()
    if child == 0:
        os._exit(0 if (many_tasks(2) == expected).all() else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0


def test_what_the_machine_lacks_is_left_to_numpy() -> None:
    integers = Program()
    leaf = integers.leaf(1, 1, dtype=INT32)
    integers.apply("add", leaf, leaf)
    assert integers.lowered(INT32) is None
    condition = Program()
    chosen = condition.apply("gt", condition.leaf(1, 1, dtype=INT32), 0)
    condition.apply("where", chosen, condition.leaf(1, 1), 1.0)
    assert condition.lowered(BFLOAT16) is None
    number = Program()
    number.apply("fill", params=((1 << 24) + 1, (1, 1), None))
    assert number.lowered(FLOAT32) is None


def test_bytes_that_are_no_program_are_refused() -> None:
    """Nothing that is not a program runs; no change of single bytes makes the reader stumble."""
    code = RandomProgram(0).program.lowered(FLOAT32)
    assert code is not None
    for wrong in (b"", b"TTLP", code[:-1], code + b"\0", bytes(len(code))):
        with pytest.raises(ValueError, match="not a program"):
            machine.compile(wrong)
    generator = np.random.default_rng(0)
    refused = 0
    for _ in range(2000):
        changed = bytearray(code)
        changed[generator.integers(len(changed))] = generator.integers(256)
        try:
            machine.compile(bytes(changed))
        except ValueError:
            refused += 1
    assert refused > 100


def test_arrays_that_do_not_fit_are_refused() -> None:
    program = Program()
    program.apply("neg", program.leaf(1, 1, dtype=FLOAT32))
    code = program.lowered(FLOAT32)
    assert code is not None
    compiled = machine.compile(code)
    good = np.zeros((32, 32), np.float32)
    for leaf, out in (
        (good[:, :31], good),
        (good.astype(np.float16), good),
        (good[None, :, :1], good),
        (np.zeros((32, 64), np.float32)[:, ::2], good),
    ):
        with pytest.raises(ValueError, match="does not fit"):
            machine.run(compiled, [([leaf], out)])
    with pytest.raises(ValueError, match="1 leaves, the task 2"):
        machine.run(compiled, [([good, good], good)])
    frozen = good.copy()
    frozen.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        machine.run(compiled, [([good], frozen)])


def test_the_interface_for_the_control_plane() -> None:
    """The capsule holds the version of machine.h, and functions."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = get(machine._api, b"ttl._machine._api")
    assert ctypes.c_int32.from_address(address).value == 1
    assert all((ctypes.c_void_p * 4).from_address(address)[1:])


def test_an_instruction_set_the_processor_lacks_is_refused() -> None:
    machine.set_isa("plain")
    assert machine.isa() == "plain" and machine.isas()[0] == "plain"
    for name in ("mmx", *({"avx2", "neonbf16"} - set(machine.isas()))):
        with pytest.raises(ValueError, match=f"this processor has no instruction set '{name}'"):
            machine.set_isa(name)
    assert machine.isa() == "plain"
