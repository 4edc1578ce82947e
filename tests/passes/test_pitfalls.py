"""Mistakes that generators of kernels make, each a program that computes something else with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from passes.written import Written, executed
from support.block_kernels import Author
from ttl.ir.failure import NotLowered
from ttl.passes.marks import COUNTED
from ttl.rows.dtypes import BFLOAT16, FLOAT32, INT32, DType

Expression = Callable[..., SSAValue]
FORMATS = pytest.mark.parametrize("dtype", [BFLOAT16, FLOAT32], ids=str)


def written(
    expression: Expression,
    shapes: Sequence[tuple[int, ...]],
    out: tuple[int, ...],
    *,
    dtype: DType = BFLOAT16,
    fp32: bool | None = None,
    **options: object,
) -> Written:
    """One expression of blocks that arrive, stored into one block."""
    author = Author(fp32=fp32)
    names = [f"in_{number}" for number in range(len(shapes))]
    blocks = [author.wait(author.dfb(name, shape, dtype)) for name, shape in zip(names, shapes, strict=True)]
    value = expression(author, *map(author.read, blocks))
    author.send(value, author.dfb("out", out, dtype))
    for block in blocks:
        author.pop(block)
    return executed(author, dict.fromkeys(names, 1), **options)  # type: ignore[arg-type]


# --- products beside other tiles ---

BESIDE: dict[str, Expression] = {
    "(a @ b) * c": lambda k, a, b, c: k.apply("mul", k.apply("matmul", a, b), c),
    "a @ b - c": lambda k, a, b, c: k.apply("sub", k.apply("matmul", a, b), c),
    "c - a @ b": lambda k, a, b, c: k.apply("sub", c, k.apply("matmul", a, b)),
    "relu(a @ b) + c": lambda k, a, b, c: k.apply("add", k.apply("relu", k.apply("matmul", a, b)), c),
    "neg(c) * (a @ b)": lambda k, a, b, c: k.apply("mul", k.apply("neg", c), k.apply("matmul", a, b)),
    "(a @ b) * (a @ b + c)": lambda k, a, b, c: k.apply(
        "mul", k.apply("matmul", a, b), k.apply("add", k.apply("matmul", a, b), c)
    ),
}


@FORMATS
@pytest.mark.parametrize("text", BESIDE)
def test_a_product_of_several_tiles_overwrites_nothing(text: str, dtype: DType) -> None:
    written(BESIDE[text], [(2, 3), (3, 2), (2, 2)], (2, 2), dtype=dtype)


def test_what_a_product_is_added_to_may_be_needed_again() -> None:
    def expression(k: Author, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        sums = k.apply("add", c, k.apply("matmul", a, b))
        return k.apply("sub", sums, k.apply("abs", c))

    written(expression, [(2, 1), (1, 2), (2, 2)], (2, 2), fp32=True)


# --- functions that add to their register ---


@pytest.mark.parametrize("fp32", [False, True])
def test_a_product_begins_in_a_register_that_is_zero(fp32: bool) -> None:
    def expression(k: Author, a: SSAValue, b: SSAValue, c: SSAValue, d: SSAValue) -> SSAValue:
        root = k.apply("sqrt", k.apply("add", k.apply("exp", a), k.apply("exp", b)))
        return k.apply("add", root, k.apply("mul", c, d))

    written(expression, [(2, 2)] * 4, (2, 2), fp32=fp32, exactly=False)


@pytest.mark.parametrize("row", ["matmul", "reduce_sum", "mul"])
def test_a_turn_of_a_loop_does_not_add_to_what_the_turn_before_left(row: str) -> None:
    author = Author()
    a, b = author.dfb("a", (1, 1)), author.dfb("b", (1, 1))
    first = author.wait(author.dfb("first", (1, 1)))

    def turn(carried: SSAValue) -> list[SSAValue]:
        blocks = [author.wait(a), author.wait(b)]
        values = [author.read(block) for block in blocks]
        made = (
            author.apply(row, values[0], dims=(-2, -1), shape=None)
            if row == "reduce_sum"
            else author.apply(row, *values)
        )
        result = author.apply("min", carried, made)
        for block in blocks:
            author.pop(block)
        return [author.retype(result, carried)]

    (result,) = author.loop(4, [author.read(first)], turn)
    author.send(result, author.dfb("out", (1, 1)))
    author.pop(first)
    executed(author, {"first": 1, "a": 4, "b": 4})


@FORMATS
def test_a_sum_of_products_is_not_stored_between_its_steps(dtype: DType) -> None:
    """Through memory, in bfloat16, it would lose bits at each of 64 steps."""
    author = Author(fp32=True)
    a, b = author.dfb("a", (1, 1), dtype), author.dfb("b", (1, 1), dtype)
    out = author.reserve(author.dfb("out", (1, 1), dtype))

    def turn() -> list[SSAValue]:
        blocks = [author.wait(a), author.wait(b)]
        author.accumulate(author.apply("matmul", *map(author.read, blocks)), out)
        for block in blocks:
            author.pop(block)
        return []

    author.loop(64, [], turn)
    author.push(out)
    random = np.random.default_rng(0)
    inputs = {
        name: [random.uniform(0, 1, (32, 32)).astype(np.float32) for _ in range(64)] for name in ("a", "b")
    }
    inputs = {
        name: [BFLOAT16.load(BFLOAT16.store(each)) for each in blocks] for name, blocks in inputs.items()
    }
    found = executed(author, {}, inputs=inputs, rounds=False, exactly=False)
    assert not found.made
    assert found.calls["pack_tile"] == 1 and "pack_reconfig_l1_acc" not in found.calls


# --- reductions ---

_DIMS = pytest.mark.parametrize("dims", [(-1,), (-2,), (-2, -1)], ids=str)


@_DIMS
@pytest.mark.parametrize("row", ["reduce_sum", "reduce_max"])
def test_what_a_reduction_leaves_beside_its_result_is_not_stored(row: str, dims: tuple[int, ...]) -> None:
    out = tuple(1 if dim in dims else 2 for dim in (-2, -1))
    found = written(lambda k, a: k.apply(row, a, dims=dims, shape=None), [(2, 2)], out)
    order = [
        op.call.name for op in found.text if op.call.name in ("pack_tile", "reduce_uninit", "row_sum_uninit")
    ]
    assert order in (["pack_tile", "reduce_uninit"], ["pack_tile", "row_sum_uninit"])
    (block,) = found.blocks["out"]
    rows, columns = (
        range(0, extent, 32 if dim in dims else 1) for dim, extent in zip((-2, -1), block.shape, strict=True)
    )
    beside = np.ones(block.shape, np.bool_)
    beside[np.ix_(rows, columns)] = False
    assert not block[beside].any()


def test_a_maximum_of_negative_numbers_is_negative() -> None:
    written(
        lambda k, a: k.apply("reduce_max", k.apply("sub", a, 10), dims=(-1,), shape=None), [(1, 3)], (1, 1)
    )


def test_a_reduction_and_something_else_do_not_share_a_packer() -> None:
    """The packer writes the lanes of the reduction only, until it is told otherwise."""
    author = Author()
    block = author.wait(author.dfb("a", (1, 1)))
    twice = author.apply("mul", author.read(block), 2)
    author.send(author.apply("reduce_sum", twice, dims=(-1,), shape=None), author.dfb("sums", (1, 1)))
    author.send(author.apply("exp", twice), author.dfb("all", (1, 1)))
    author.send(author.apply("reduce_sum", twice, dims=(-2,), shape=None), author.dfb("columns", (1, 1)))
    author.pop(block)
    executed(author, {"a": 1}, exactly=False)


@pytest.mark.parametrize(("dims", "kept"), [((-1,), 20), ((-2,), 7)], ids=str)
def test_padding_does_not_enter_a_sum(dims: tuple[int, ...], kept: int) -> None:
    """The scaler of the last tile along the sum has ones for what is no padding."""

    def expression(k: Author, a: SSAValue) -> SSAValue:
        made = k.apply("reduce_sum", a, dims=dims, shape=None)
        assert isinstance(made.owner, Operation)
        made.owner.attributes[COUNTED] = IntegerAttr(kept, i64)
        return made

    found = written(expression, [(2, 2)], (2, 1) if dims == (-1,) else (1, 2))
    elements = found.inputs["in_0"][0]
    (sums,) = found.blocks["out"]
    if dims == (-1,):
        np.testing.assert_array_equal(sums[:, 0], elements[:, : 32 + kept].sum(axis=1))
    else:
        np.testing.assert_array_equal(sums[0], elements[: 32 + kept].sum(axis=0))


def test_a_choice_keeps_its_lanes_beside_a_reduction() -> None:
    def expression(k: Author, a: SSAValue, b: SSAValue) -> SSAValue:
        sums = k.apply("reduce_sum", a, dims=(-1,), shape=None)
        return k.apply("where", k.apply("gt", b, 0), b, sums)

    written(expression, [(1, 1), (1, 1)], (1, 1))


# --- the life of the hardware ---


def test_the_hardware_is_started_up_once_and_first() -> None:
    author = Author()
    dfb, out = author.dfb("a", (1, 1)), author.dfb("out", (1, 1))

    def turn() -> list[SSAValue]:
        block = author.wait(dfb)
        author.send(author.apply("exp", author.apply("matmul", *[author.read(block)] * 2)), out)
        author.send(author.apply("reduce_sum", author.read(block), dims=(-1,), shape=None), out)
        author.pop(block)
        return []

    author.loop(3, [], turn)
    found = executed(author, {"a": 3}, exactly=False)
    starts = [op for op in found.text if op.call.configures == "startup"]
    assert starts == [op for op in found.text if op.call.thread == "tensix"][:1]
    assert starts[0].parent is found.kernel.body.block
    assert not any(op.call.name.endswith("_init_common") for op in found.text)


# --- formats ---


def test_float32_that_is_only_copied_keeps_all_its_bits() -> None:
    random = np.random.default_rng(0)
    values = random.uniform(-4, 4, (64, 64)).astype(np.float32)
    found = written(
        lambda k, a: k.apply("neg", a),
        [(2, 2)],
        (2, 2),
        dtype=FLOAT32,
        rounds=True,
        inputs={"in_0": [values]},
    )
    assert found.kernel.config["unpack_to_dest_fp32"] == ["in_0"]
    np.testing.assert_array_equal(found.blocks["out"][0], -values)


def test_float32_arithmetic_does_not_go_through_the_source_registers() -> None:
    random = np.random.default_rng(0)
    values = {f"in_{number}": [random.uniform(-4, 4, (32, 32)).astype(np.float32)] for number in range(2)}
    written(
        lambda k, a, b: k.apply("sub", k.apply("mul", a, b), b),
        [(1, 1)] * 2,
        (1, 1),
        dtype=FLOAT32,
        rounds=True,
        inputs=values,
    )


def test_a_buffer_that_the_matrix_unit_reads_is_not_unpacked_to_the_registers() -> None:
    def expression(k: Author, a: SSAValue, b: SSAValue) -> SSAValue:
        return k.apply("add", k.apply("matmul", a, b), k.apply("neg", a))

    found = written(expression, [(1, 1)] * 2, (1, 1), dtype=FLOAT32)
    assert "unpack_to_dest_fp32" not in found.kernel.config


@pytest.mark.parametrize("row", ["add", "sub", "mul", "max", "eq"])
def test_integers_do_not_go_through_the_matrix_unit(row: str) -> None:
    values = {
        f"in_{number}": [np.random.default_rng(number).integers(-(2**20), 2**20, (64, 32))]
        for number in range(2)
    }
    found = written(
        lambda k, a, b: k.apply(row, a, b), [(2, 1)] * 2, (2, 1), dtype=INT32, rounds=True, inputs=values
    )
    assert f"{row}_tiles" not in found.calls


def test_integers_that_are_repeated_within_tiles_lose_nothing_in_the_registers() -> None:
    def expression(k: Author, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        rows = k.apply("broadcast", a, dims=(-2,), shape=(2, 2))
        columns = k.apply("broadcast", b, dims=(-1,), shape=(2, 2))
        return k.apply("add", k.apply("mul", c, rows), columns)

    written(expression, [(1, 2), (2, 1), (2, 2)], (2, 2), dtype=INT32, rounds=True)


def test_numbers_that_are_chosen_are_kept_as_what_they_are_combined_with() -> None:
    """A choice between two numbers has no element type of its own."""
    author = Author()
    a = author.wait(author.dfb("a", (1, 2), INT32))
    chosen = author.apply("where", author.read(a), author.fill(1, (1, 2)), author.fill(2, (1, 2)))
    dfb, out = author.dfb("b", (1, 2), INT32), author.dfb("out", (1, 2), INT32)

    def turn() -> list[SSAValue]:
        block = author.wait(dfb)
        author.send(author.apply("add", author.read(block), chosen), out)
        author.pop(block)
        return []

    author.loop(3, [], turn)
    author.pop(a)
    found = executed(author, {"a": 1, "b": 3})
    assert found.made


def test_different_formats_in_one_expression() -> None:
    author = Author()
    a = author.wait(author.dfb("a", (2, 2), FLOAT32))
    b = author.wait(author.dfb("b", (2, 2), BFLOAT16))
    product = author.apply("matmul", author.read(a), author.read(b))
    value = author.apply("add", product, author.apply("mul", author.read(b), author.read(b)))
    author.send(value, author.dfb("wide", (2, 2), FLOAT32))
    author.send(author.apply("neg", author.read(b)), author.dfb("narrow", (2, 2), BFLOAT16))
    author.pop(a)
    author.pop(b)
    executed(author, {"a": 1, "b": 1})


# --- more values than registers ---


def _tree(k: Author, values: list[SSAValue]) -> SSAValue:
    while len(values) > 1:
        values = [k.apply("add", one, other) for one, other in zip(values[::2], values[1::2], strict=True)]
    return values[0]


@FORMATS
def test_a_sum_of_sixteen_blocks(dtype: DType) -> None:
    def expression(k: Author, *blocks: SSAValue) -> SSAValue:
        return _tree(k, [k.apply("abs", each) for each in blocks])

    written(expression, [(1, 2)] * 16, (1, 2), dtype=dtype)


@FORMATS
def test_more_values_than_the_registers_hold_go_through_a_buffer(dtype: DType) -> None:
    def expression(k: Author, *blocks: SSAValue) -> SSAValue:
        kept = [k.apply("abs", each) for each in blocks]
        mixed = [k.apply("max", one, other) for one, other in zip(kept, kept[::-1], strict=True)]
        return k.apply("add", _tree(k, mixed), _tree(k, kept))

    found = written(expression, [(1, 1)] * 16, (1, 1), dtype=dtype)
    assert found.made


# --- programs that anybody writes ---

_ORDINARY: dict[str, tuple[Expression, list[tuple[int, ...]], tuple[int, ...]]] = {
    "-a": (lambda k, a: k.apply("neg", a), [(2, 2)], (2, 2)),
    "a @ b + c @ d": (
        lambda k, a, b, c, d: k.apply("add", k.apply("matmul", a, b), k.apply("matmul", c, d)),
        [(2, 1), (1, 2), (2, 3), (3, 2)],
        (2, 2),
    ),
    "silu(a @ b) * (a @ c)": (
        lambda k, a, b, c: k.apply("mul", k.apply("silu", k.apply("matmul", a, b)), k.apply("matmul", a, c)),
        [(2, 1), (1, 2), (1, 2)],
        (2, 2),
    ),
    "a * 2.0": (lambda k, a: k.apply("mul", a, 2.0), [(2, 2)], (2, 2)),
    "a ** 2": (lambda k, a: k.apply("pow", a, 2), [(2, 2)], (2, 2)),
    "2 - a": (lambda k, a: k.apply("sub", 2, a), [(2, 2)], (2, 2)),
    "a @ b.T": (
        lambda k, a, b: k.apply("matmul", a, k.apply("transpose", b)),
        [(2, 3), (2, 3)],
        (2, 2),
    ),
    "a.T @ b": (
        lambda k, a, b: k.apply("matmul", k.apply("transpose", a), b),
        [(3, 2), (3, 2)],
        (2, 2),
    ),
    "(a @ b) @ c": (
        lambda k, a, b, c: k.apply("matmul", k.apply("matmul", a, b), c),
        [(2, 1), (1, 2), (2, 2)],
        (2, 2),
    ),
    "a @ b, more tiles than registers": (lambda k, a, b: k.apply("matmul", a, b), [(5, 2), (2, 7)], (5, 7)),
    "exp(a), more tiles than registers": (lambda k, a: k.apply("exp", a), [(5, 7)], (5, 7)),
}


@FORMATS
@pytest.mark.parametrize("text", _ORDINARY)
def test_ordinary_expressions(text: str, dtype: DType) -> None:
    expression, shapes, out = _ORDINARY[text]
    written(expression, shapes, out, dtype=dtype, exactly=False)


@FORMATS
def test_root_mean_square_norm_in_one_expression(dtype: DType) -> None:
    def expression(k: Author, x: SSAValue, weight: SSAValue) -> SSAValue:
        mean = k.apply("mul", k.apply("reduce_sum", k.apply("mul", x, x), dims=(-1,), shape=None), 1 / 96)
        scale = k.apply("rsqrt", k.apply("add", mean, 1e-5))
        spread = k.apply("broadcast", scale, dims=(-1,), shape=(2, 3))
        weights = k.apply("broadcast", weight, dims=(-2,), shape=(2, 3))
        return k.apply("mul", k.apply("mul", x, spread), weights)

    written(expression, [(2, 3), (1, 3)], (2, 3), dtype=dtype, exactly=False)


@FORMATS
def test_softmax_in_one_expression(dtype: DType) -> None:
    def expression(k: Author, x: SSAValue) -> SSAValue:
        largest = k.apply("reduce_max", x, dims=(-1,), shape=None)
        powers = k.apply("exp", k.apply("sub", x, k.apply("broadcast", largest, dims=(-1,), shape=(2, 3))))
        sums = k.apply("reduce_sum", powers, dims=(-1,), shape=None)
        return k.apply("truediv", powers, k.apply("broadcast", sums, dims=(-1,), shape=(2, 3)))

    written(expression, [(2, 3)], (2, 3), dtype=dtype, exactly=False)


def test_a_value_that_is_stored_twice_is_computed_once() -> None:
    author = Author()
    block = author.wait(author.dfb("a", (2, 2)))
    value = author.apply("exp", author.read(block))
    author.send(value, author.dfb("one", (2, 2)))
    author.send(author.apply("add", value, 1), author.dfb("other", (2, 2), FLOAT32))
    author.pop(block)
    assert executed(author, {"a": 1}, exactly=False).calls["exp_tile"] == 4


@pytest.mark.parametrize("dims", [(-1,), (-2,), (-2, -1)], ids=str)
def test_a_broadcast_of_equal_shapes_still_repeats_within_tiles(dims: tuple[int, ...]) -> None:
    written(lambda k, a: k.apply("broadcast", a, dims=dims, shape=(1, 1)), [(1, 1)], (1, 1))


def test_a_reserved_block_can_be_read_back() -> None:
    author = Author()
    block = author.wait(author.dfb("a", (2, 1)))
    out = author.reserve(author.dfb("out", (2, 1)))
    author.store(author.apply("mul", author.read(block), 2), out)
    author.store(author.apply("add", author.read(out), author.read(block)), out)
    author.push(out)
    author.pop(block)
    executed(author, {"a": 1})


def test_a_block_may_be_given_back_before_its_value_is_used() -> None:
    author = Author()
    a, b = author.dfb("a", (2, 1), count=1), author.dfb("b", (2, 1))
    block = author.wait(a)
    first = author.read(block)
    author.pop(block)
    block = author.wait(a)
    author.send(author.apply("sub", first, author.read(block)), b)
    author.pop(block)
    executed(author, {"a": 2})


def test_what_does_not_fit_into_the_registers_whole_goes_through_memory() -> None:
    """A sum over the turns of a loop, of more tiles than there are registers."""
    author = Author(full_sync=False)
    a, b = author.dfb("a", (4, 1)), author.dfb("b", (1, 4))
    out = author.reserve(author.dfb("out", (4, 4)))

    def turn() -> list[SSAValue]:
        blocks = [author.wait(a), author.wait(b)]
        author.accumulate(author.apply("matmul", *map(author.read, blocks)), out)
        for block in blocks:
            author.pop(block)
        return []

    author.loop(3, [], turn)
    author.push(out)
    assert executed(author, {"a": 3, "b": 3}).made


@pytest.mark.parametrize("condition", [False, True])
def test_what_a_branch_chooses(condition: bool) -> None:
    author = Author()
    block = author.wait(author.dfb("a", (2, 1)))
    value = author.read(block)
    (chosen,) = author.when(
        condition, lambda: [author.apply("neg", value)], lambda: [author.apply("abs", value)]
    )
    author.send(author.apply("add", chosen, 1), author.dfb("out", (2, 1)))
    author.pop(block)
    executed(author, {"a": 1})


def test_blocks_that_are_held_beyond_the_end_of_the_ring_are_refused() -> None:
    author = Author()
    a, out = author.dfb("a", (1, 1), count=2), author.dfb("out", (1, 1))
    author.pop(author.wait(a))
    first, second = author.wait(a), author.wait(a)
    author.send(author.apply("add", author.read(first), author.read(second)), out)
    author.pop(first)
    author.pop(second)
    with pytest.raises(NotLowered) as refusal:
        executed(author, {"a": 3})
    (found,) = refusal.value.diagnostics
    assert found.code == "TTL1402"
    assert found.help == (
        "give the buffer block_count=3: the ring then ends where blocks that are held together end",
    )


def test_more_blocks_do_not_help_what_always_holds_one() -> None:
    author = Author()
    a, out = author.dfb("a", (1, 1), count=2), author.dfb("out", (1, 1))
    held = author.wait(a)
    for _ in range(8):
        following = author.wait(a)
        author.send(author.apply("sub", author.read(following), author.read(held)), out)
        author.pop(held)
        held = following
    author.pop(held)
    with pytest.raises(NotLowered) as refusal:
        executed(author, {"a": 9})
    assert {each.code for each in refusal.value.diagnostics} == {"TTL1402"}
    assert all("buffer of its own" in each.help[0] for each in refusal.value.diagnostics)


def test_a_block_that_is_needed_twice_is_read_twice() -> None:
    """The unpacker copies it again: the vector unit, which is the one that is short of time, need not."""
    author = Author()
    block = author.wait(author.dfb("a", (2, 1)))
    value = author.read(block)
    author.send(author.apply("add", author.apply("exp2", value), value), author.dfb("out", (2, 1)))
    author.pop(block)
    found = executed(author, {"a": 1}, exactly=False)
    assert found.calls["copy_tile"] == 4
    assert "copy_dest_values" not in found.calls


def test_a_value_that_is_stored_and_broadcast_is_packed_twice_from_the_registers() -> None:
    author = Author()
    largest = author.reserve(author.dfb("largest", (2, 1)))
    block = author.wait(author.dfb("a", (2, 2)))
    value = author.read(block)
    top = author.apply("reduce_max", value, dims=(-1,), shape=None)
    author.store(top, largest)
    author.push(largest)
    every = author.apply("broadcast", top, dims=(-1,), shape=(2, 2))
    author.send(author.apply("sub", value, every), author.dfb("out", (2, 2)))
    author.pop(block)
    found = executed(author, {"a": 1})
    assert found.calls["tile_regs_acquire"] == 2
    assert found.calls["pack_tile"] == 2 + 2 + 4


def test_float32_keeps_its_bits_where_it_is_transposed() -> None:
    author = Author()
    block = author.wait(author.dfb("a", (2, 1), dtype=FLOAT32))
    author.send(author.apply("transpose", author.read(block)), author.dfb("out", (1, 2), dtype=FLOAT32))
    author.pop(block)
    assert executed(author, {"a": 1}).kernel.config["unpack_to_dest_fp32"] == ["a"]
