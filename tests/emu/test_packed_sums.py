"""Sums by the packer (``accumulation=packer``): values on both chips, what the headers say, cycles, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ttl
from emu.harness import Values, tensor_of, values_of
from support.compiled import complaints_about, emitted
from support.kernel_check import needs_compiler
from ttl import settings
from ttl.codegen.choices import choices_of_call
from ttl.codegen.compiled_calls import compile_read, read_call
from ttl.rows.dtypes import BFLOAT16

TURNS = 6


def adding(rows: int, columns: int, expression: str = "x_blk", **options: Any) -> Any:
    """An operation that adds an expression of blocks of ``rows`` x ``columns`` tiles in two loops."""
    outer, inner = 2, TURNS // 2

    @ttl.operation(grid=(1, 1), **options)
    def add_up(x: Any, y: Any) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(rows, columns))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(rows, columns))

        @ttl.datamovement()
        def read() -> None:
            for turn in range(outer * inner):
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[turn * rows : (turn + 1) * rows, 0:columns], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            with y_dfb.reserve() as y_blk:
                for _ in range(outer):
                    for _ in range(inner):
                        with x_dfb.wait() as x_blk:
                            if expression == "x_blk":
                                y_blk += x_blk
                            elif expression == "square":
                                y_blk += x_blk * x_blk
                            elif expression == "sigmoid":
                                y_blk += ttl.math.sigmoid(x_blk) * x_blk
                            else:
                                y_blk += ttl.block.broadcast(
                                    ttl.math.reduce_sum(x_blk, dims=[-1], shape=(rows, 1)),
                                    dims=[-1],
                                    shape=(rows, columns),
                                )

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[0:rows, 0:columns]).wait()

    return add_up


def given(rows: int, columns: int, dtype: str = "bfloat16") -> tuple[Any, Any]:
    x = np.random.default_rng(5).uniform(-2, 2, (TURNS * rows * 32, columns * 32)).astype(np.float32)
    return tensor_of(x, dtype), tensor_of(np.zeros((rows * 32, columns * 32), np.float32), dtype)


def run(
    chip: str, rows: int, columns: int, asked: str, target: str = "emu", **more: Any
) -> tuple[Values, Values]:
    """What is added, turn by turn, and what comes out."""
    x, y = given(rows, columns)
    with settings.override(target=target, arch=chip, compile_option=asked, check="off"):
        adding(rows, columns, **more)(x, y)
    return values_of(x).reshape(TURNS, rows * 32, columns * 32), values_of(y)


def rounded(values: Values) -> Values:
    result: Values = BFLOAT16.load(BFLOAT16.store(values.astype(np.float32)))
    return result


@pytest.mark.parametrize(
    ("chip", "rows", "columns"),
    [("wormhole", 1, 1), ("blackhole", 1, 1), ("blackhole", 2, 3), ("blackhole", 4, 5)],
)
@pytest.mark.parametrize("expression", ["x_blk", "square"])
def test_what_is_packed_is_rounded_at_each_addition(
    chip: str, rows: int, columns: int, expression: str
) -> None:
    """By NumPy: to the bit, where what is added has no error of its own. And the bound that the page states."""
    x, got = run(chip, rows, columns, "accumulation=packer", expression=expression)
    terms = x if expression == "x_blk" else rounded(x * x)
    total, largest = terms[0], np.abs(terms[0])
    for term in terms[1:]:
        total = rounded(total + term)
        largest = np.maximum(largest, np.abs(total))
    np.testing.assert_array_equal(got, total)
    _, simulated = run(chip, rows, columns, "", "sim", expression=expression)
    if expression == "x_blk":
        np.testing.assert_array_equal(got, simulated)  # a block of bfloat16 is rounded there, too
    assert (np.abs(got - simulated) <= 2.0**-8 * TURNS * largest).all()


def _carried(x_dfb: Any, y_dfb: Any, shape: tuple[int, int]) -> None:
    with y_dfb.reserve() as y_blk:
        total = ttl.block.fill(0, shape=shape)
        for _ in range(2):
            for _ in range(TURNS // 2):
                with x_dfb.wait() as x_blk:
                    total = x_blk + total
        y_blk.store(total)


def _carried_from_a_block(x_dfb: Any, y_dfb: Any, shape: tuple[int, int]) -> None:
    with y_dfb.reserve() as y_blk:
        with x_dfb.wait() as x_blk:
            total = x_blk + x_blk
        for _ in range(TURNS - 3):
            with x_dfb.wait() as x_blk:
                total += x_blk
        y_blk.store(total)
    for _ in range(2):
        with x_dfb.wait():
            pass


def _carried_by_several(x_dfb: Any, y_dfb: Any, shape: tuple[int, int]) -> None:
    with y_dfb.reserve() as y_blk:
        total = ttl.block.fill(0, shape=shape)
        for _ in range(2):
            with x_dfb.wait() as x_blk:
                total += x_blk
            for _ in range(TURNS // 2 - 1):
                with x_dfb.wait() as x_blk:
                    total += x_blk
        y_blk.store(total)


def _carried_where_no_turn_is_certain(x_dfb: Any, y_dfb: Any, shape: tuple[int, int]) -> None:
    with y_dfb.reserve() as y_blk:
        total = ttl.block.fill(2, shape=shape)
        for _ in range(TURNS - ttl.node(dims=1)):
            with x_dfb.wait() as x_blk:
                total += x_blk
        y_blk.store(total)


def _stored_before(x_dfb: Any, y_dfb: Any, shape: tuple[int, int]) -> None:
    with y_dfb.reserve() as y_blk:
        y_blk.store(ttl.block.fill(1, shape=shape))
        for turn in range(TURNS):
            with x_dfb.wait() as x_blk:
                if turn + ttl.node(dims=1) > 2:
                    y_blk += x_blk


# What the packer begins with, and what it adds one after the other.
FORMS: dict[Any, Callable[[Values], list[Values]]] = {
    _carried: list,
    _carried_from_a_block: lambda x: [2 * x[0], *x[1 : TURNS - 2]],
    _carried_by_several: list,
    _carried_where_no_turn_is_certain: lambda x: [np.full_like(x[0], 2), *x],
    _stored_before: lambda x: [np.full_like(x[0], 1), *x[3:]],
}


def _operation(body: Any, rows: int, columns: int) -> Any:
    @ttl.operation(grid=(1, 1))
    def other(x: Any, y: Any) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(rows, columns))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(rows, columns))

        @ttl.datamovement()
        def read() -> None:
            for turn in range(TURNS):
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[turn * rows : (turn + 1) * rows, 0:columns], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            body(x_dfb, y_dfb, (rows, columns))

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[0:rows, 0:columns]).wait()

    return other


@pytest.mark.parametrize("body", FORMS)
@pytest.mark.parametrize(("chip", "rows", "columns"), [("wormhole", 1, 1), ("blackhole", 2, 3)])
def test_sums_that_loops_carry_are_rounded_at_each_addition(
    chip: str, rows: int, columns: int, body: Any
) -> None:
    """By NumPy, to the bit: ``total = total + expression`` as ``y_blk += expression``, from what it begins with."""
    x, y = given(rows, columns)
    with settings.override(target="emu", arch=chip, compile_option="accumulation=packer", check="off"):
        _operation(body, rows, columns)(x, y)
    total, *terms = FORMS[body](values_of(x).reshape(TURNS, rows * 32, columns * 32))
    for term in terms:
        total = rounded(total + term)
    np.testing.assert_array_equal(values_of(y), total)


def test_a_carried_sum_is_emitted_as_one_in_a_block() -> None:
    def calls(body: Any, asked: str, size: int) -> list[str]:
        with settings.override(arch="blackhole", compile_option=asked):
            lowered = read_call(_operation(body, size, size), given(size, size), {})
            texts = [kernel.source for kernel in compile_read(lowered, settings.current()).kernels]
        return [
            line.strip() for line in "".join(texts).splitlines() if ";" in line and "pack" in line + texts[0]
        ]

    def added(x_dfb: Any, y_dfb: Any, shape: tuple[int, int]) -> None:
        with y_dfb.reserve() as y_blk:
            for _ in range(2):
                for _ in range(TURNS // 2):
                    with x_dfb.wait() as x_blk:
                        y_blk += x_blk

    packed = calls(_carried, "accumulation=packer", 2)
    assert packed == calls(added, "accumulation=packer", 2)
    assert sum("pack_reconfig_l1_acc" in call for call in packed) == 2
    # The registers hold four tiles, not twenty-five; what the packer does is the same.
    assert not any("l1_acc" in call for call in calls(_carried, "accumulation=auto registers=16", 2))
    assert calls(_carried, "accumulation=auto registers=16", 5) == calls(
        _carried, "accumulation=packer registers=16", 5
    )


def test_a_longer_expression_is_added_up() -> None:
    x, got = run("blackhole", 2, 2, "accumulation=packer registers=16", expression="sigmoid")
    exact = (x / (1 + np.exp(-x.astype(np.float64)))).sum(axis=0)
    assert np.abs(got - exact).max() < 2.0**-8 * TURNS * 8


def sources(asked: str, rows: int = 2, **more: Any) -> list[str]:
    operation = adding(rows, rows, **more)
    with settings.override(arch="blackhole", compile_option=asked):
        lowered = read_call(operation, given(rows, rows), {})
        return [kernel.source for kernel in compile_read(lowered, settings.current()).kernels]


def test_without_being_asked_nothing_changes() -> None:
    assert sources("") == sources("accumulation=registers")
    assert not any("l1_acc" in text for text in sources(""))
    # The registers hold it, or are 32 bits wide; else it is the packer's.
    assert sources("accumulation=auto") == sources("")
    assert sources("accumulation=auto registers=16") == sources("registers=16")
    packed = "accumulation=packer registers=16"
    assert sources("accumulation=auto registers=16", rows=5) == sources(packed, rows=5)


def test_the_first_contribution_is_stored_and_later_ones_are_added() -> None:
    (text,) = [text for text in sources("accumulation=packer") if "pack_tile" in text]
    calls = [line.strip() for line in text.splitlines() if "pack_" in line]
    first, *packs, last = calls
    assert first.startswith("pack_reconfig_l1_acc(") and "!= 0" in first + text.split(first)[0][-400:]
    assert last == "pack_reconfig_l1_acc(0);" and all(call.startswith("pack_tile") for call in packs)


@needs_compiler
@pytest.mark.headers
def test_the_headers_of_both_releases_take_it() -> None:
    compiled = []
    for chip, rows in (("wormhole", 1), ("blackhole", 3)):
        with settings.override(arch=chip, compile_option="accumulation=packer"):
            compiled.append(emitted(read_call(adding(rows, rows), given(rows, rows), {}).module))
        for body in (_carried_from_a_block, _stored_before) if rows == 1 else ():
            with settings.override(arch=chip, compile_option="accumulation=packer"):
                module = read_call(_operation(body, rows, rows), given(rows, rows), {}).module
                compiled.append(emitted(module))
    assert not any(each.refused for each in compiled) and complaints_about(compiled) == []


def test_cycles_are_in_the_order_of_the_measured_kernels() -> None:
    """MB2, Blackhole, dram, add, four tiles, 4 and 8 contributions: by the packer 0.89 and 0.94 of the time in registers."""
    cycles = {}
    for who in ("packer", "registers"):
        with settings.override(arch="blackhole", compile_option=f"accumulation={who} registers=16"):
            cycles[who] = ttl.profile(adding(2, 2), *given(2, 2), target="emu").cycles
    assert 0.8 < cycles["packer"] / cycles["registers"] < 1, cycles


@pytest.mark.parametrize(
    ("chip", "rows", "asked", "dtype", "expression", "words"),
    [
        ("wormhole", 2, "accumulation=packer", "bfloat16", "x_blk", "the block has 4 tiles"),
        ("blackhole", 1, "accumulation=packer registers=32", "bfloat16", "x_blk", "32 bits wide"),
        ("blackhole", 1, "accumulation=packer", "float32", "x_blk", "32 bits wide"),
        ("blackhole", 1, "accumulation=packer", "bfloat8_b", "x_blk", "the block is of bfloat8_b"),
        ("blackhole", 1, "accumulation=packer registers=16", "bfloat16", "reduction", "a reduction is added"),
        ("blackhole", 1, "accumulation=l1", "bfloat16", "x_blk", "registers or packer or auto, not l1"),
    ],
)
def test_what_is_not_known_to_be_right_is_refused(
    chip: str, rows: int, asked: str, dtype: str, expression: str, words: str
) -> None:
    with (
        settings.override(target="emu", arch=chip, compile_option=asked, check="off"),
        pytest.raises(ttl.ProgramError) as caught,
    ):
        adding(rows, rows, expression)(*given(rows, rows, dtype))
    assert caught.value.code == "TTL1461" and words in str(caught.value)


def test_places_that_are_not_known_to_be_right_are_refused() -> None:
    def refused(body: Any) -> str:
        asked = settings.override(
            target="emu", arch="blackhole", compile_option="accumulation=packer", check="off"
        )
        with asked, pytest.raises(ttl.ProgramError) as caught:
            _operation(body, 1, 1)(*given(1, 1))
        assert caught.value.code == "TTL1461"
        return str(caught.value)

    def last(x_dfb: Any, y_dfb: Any, shape: Any) -> None:
        with y_dfb.reserve() as y_blk:
            for _ in range(TURNS):
                with x_dfb.wait() as x_blk:
                    y_blk += x_blk
            y_blk.store(ttl.block.fill(1, shape=shape))

    def sometimes(x_dfb: Any, y_dfb: Any, shape: Any) -> None:
        with y_dfb.reserve() as y_blk:
            for turn in range(TURNS):
                with x_dfb.wait() as x_blk:
                    if turn + ttl.node(dims=1) > 2:
                        y_blk += x_blk

    def late(x_dfb: Any, y_dfb: Any, shape: Any) -> None:
        total = ttl.block.fill(0, shape=shape)
        for _ in range(TURNS):
            with x_dfb.wait() as x_blk:
                total += x_blk
        with y_dfb.reserve() as y_blk:
            y_blk.store(total)

    def begun(x_dfb: Any, y_dfb: Any, shape: Any) -> None:
        with x_dfb.wait() as x_blk:
            total = x_blk + x_blk
        with y_dfb.reserve() as y_blk:
            for _ in range(TURNS - 1):
                with x_dfb.wait() as x_blk:
                    total += x_blk
            y_blk.store(total)

    def used(x_dfb: Any, y_dfb: Any, shape: Any) -> None:
        with y_dfb.reserve() as y_blk:
            total = ttl.block.fill(0, shape=shape)
            for _ in range(TURNS):
                with x_dfb.wait() as x_blk:
                    total += x_blk
            y_blk.store(total * total)

    assert "also stored into" in refused(last)
    assert "not certain that there is a first contribution" in refused(sometimes)
    assert "reserved after the loop that makes the sum" in refused(late)
    assert "initial value of the sum is computed before the block is reserved" in refused(begun)
    assert "no loop adds to a block" in refused(used)


def test_it_is_a_choice_where_it_can_be_made() -> None:
    def legal(asked: str) -> dict[str, tuple[str, tuple[str, ...], bool]]:
        with settings.override(arch="blackhole", compile_option=asked):
            points = choices_of_call(adding(1, 1), given(1, 1), {}, settings.current())
        return {point.name: (point.chosen, point.legal, point.exact) for point in points}

    every = ("registers", "packer", "auto")
    assert "accumulation" not in legal("")
    assert legal("registers=16")["accumulation"] == ("registers", every, False)
    assert legal("accumulation=packer")["accumulation"] == ("packer", every, False)


def test_older_flags_ask_for_the_same() -> None:
    for option in ({"options": "--ttl-accumulation-strategy=l1-pack"}, {"accumulation": "packer"}):
        assert sources("", **option) == sources("accumulation=packer")
        assert sources("accumulation=registers", **option) == sources("")
    assert sources("", options="--ttl-accumulation-strategy=dst --ttl-strict-f32-acc") == sources("")
    strict = {"options": "--ttl-strict-f32-acc"}
    assert sources("", **strict) == sources("")
    for asked in ("registers=16", "accumulation=packer"):
        with pytest.raises(ttl.ProgramError) as caught:
            run("blackhole", 1, 1, asked, **strict)
        assert caught.value.code == "TTL1461" and "--ttl-strict-f32-acc" in str(caught.value)


def test_what_else_a_turn_packs_is_not_added_up() -> None:
    """A value that goes through a buffer of the compiler's, a product of it that is added up, and a second block."""

    @ttl.operation(grid=(1, 1))
    def both(x: Any, y: Any, z: Any) -> None:
        x_dfb, y_dfb, z_dfb = (ttl.make_dataflow_buffer_like(each, shape=(2, 2)) for each in (x, y, z))

        @ttl.datamovement()
        def read() -> None:
            for turn in range(TURNS):
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[turn * 2 : turn * 2 + 2, 0:2], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            with y_dfb.reserve() as y_blk:
                for _ in range(TURNS):
                    with x_dfb.wait() as x_blk, z_dfb.reserve() as z_blk:
                        twice = x_blk + x_blk
                        y_blk += twice @ x_blk
                        z_blk.store(twice)

        @ttl.datamovement()
        def write() -> None:
            for turn in range(TURNS):
                with z_dfb.wait() as z_blk:
                    ttl.copy(z_blk, z[turn * 2 : turn * 2 + 2, 0:2]).wait()
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[0:2, 0:2]).wait()

    x, y = given(2, 2)
    z = tensor_of(np.zeros((TURNS * 64, 64), np.float32))
    with settings.override(
        target="emu", arch="blackhole", compile_option="accumulation=packer registers=16", check="off"
    ):
        both(x, y, z)
    blocks = values_of(x).reshape(TURNS, 64, 64).astype(np.float64)
    np.testing.assert_array_equal(values_of(z), 2 * values_of(x))
    products = 2 * blocks @ blocks
    largest = np.maximum(np.abs(products).max(axis=0), np.abs(products.cumsum(axis=0)).max(axis=0))
    # Registers of 16 bits round at both steps of a product, too.
    assert (np.abs(values_of(y) - products.sum(axis=0)) <= 2.0**-8 * 3 * TURNS * largest).all()
