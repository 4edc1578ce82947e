"""What passes choose can be chosen otherwise: every legal value gives the results of the rule, every other one an error.

What a value changes in the IR, and which values a pass refuses, is in ``lit/*_asked.mlir``: ``arrivals``, ``noc``, ``protocol``, and
``subblock`` with ``registers`` and ``sync``. ``order`` is in ``lit/allocate.mlir``, ``narrow`` in ``lit/narrow.mlir``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttl
from emu.harness import tensor_of, values_of
from support.compiled import complaints_about, emitted
from support.kernel_check import needs_compiler
from support.programs import run_ttl
from ttl import settings
from ttl.codegen.choices import ChoicePoint, choices_of_call
from ttl.codegen.compiled_calls import compile_read, read_call
from ttl.host.tensor import Tensor
from ttl.session.compile_options import for_operation, read_options, written

Call = tuple[Any, list[Tensor]]
# Values that only say otherwise what happens when: also tried while processors and transfers are delayed at random.
_ABOUT_ORDER = ("arrivals", "protocol", "noc")


def normalized() -> Call:
    """Rows divided by the sum of their exponentials."""

    @ttl.operation(grid=(1, 2))
    def softmax(x: Any, y: Any) -> None:
        columns = x.shape[1] // 32
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, columns))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, columns))
        rows = range(ttl.node(dims=1), x.shape[0] // 32, ttl.grid_size(dims=1))

        @ttl.datamovement()
        def read() -> None:
            for row in rows:
                with x_dfb.reserve() as x_blk:
                    ttl.copy(x[row, :], x_blk).wait()

        @ttl.compute()
        def compute() -> None:
            for _ in rows:
                with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                    largest = ttl.math.reduce_max(x_blk, dims=[-1], shape=(1, 1))
                    powers = ttl.math.exp(x_blk - ttl.block.broadcast(largest, dims=[-1], shape=(1, columns)))
                    total = ttl.math.reduce_sum(powers, dims=[-1], shape=(1, 1))
                    y_blk.store(
                        powers * ttl.block.broadcast(ttl.math.recip(total), dims=[-1], shape=(1, columns))
                    )

        @ttl.datamovement()
        def write() -> None:
            for row in rows:
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[row, :]).wait()

    return softmax, [_random(128, 256, 1), _zeros(128, 256)]


def multicast() -> Call:
    """A product whose operands come over pipes: the first column and row send to the others."""

    @ttl.operation(grid=(3, 3))
    def product(a: Any, b: Any, y: Any) -> None:
        x_size, y_size = ttl.grid_size(dims=2)
        column, row = ttl.node(dims=2)
        turns = a.shape[1] // 32 // 2
        a_net = ttl.PipeNet([ttl.Pipe(src=(0, n), dst=(slice(1, x_size), n)) for n in range(y_size)])
        b_net = ttl.PipeNet([ttl.Pipe(src=(n, 0), dst=(n, slice(1, y_size))) for n in range(x_size)])
        a_dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 2))
        b_dfb = ttl.make_dataflow_buffer_like(b, shape=(2, 2))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(2, 2))
        rows, columns = slice(row * 2, row * 2 + 2), slice(column * 2, column * 2 + 2)

        @ttl.datamovement()
        def read() -> None:
            for turn in range(turns):
                with b_dfb.reserve() as b_blk:

                    def send(pipe: Any) -> None:
                        ttl.copy(b[turn * 2 : turn * 2 + 2, columns], b_blk).wait()
                        ttl.copy(b_blk, pipe).wait()

                    def receive(pipe: Any) -> None:
                        ttl.copy(pipe, b_blk).wait()

                    b_net.if_src(send)
                    b_net.if_dst(receive)

        @ttl.compute()
        def compute() -> None:
            with y_dfb.reserve() as y_blk:
                total = ttl.block.fill(0, shape=(2, 2))
                for _ in range(turns):
                    with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                        total += a_blk @ b_blk
                y_blk.store(total)

        @ttl.datamovement()
        def read_and_write() -> None:
            for turn in range(turns):
                with a_dfb.reserve() as a_blk:

                    def send(pipe: Any) -> None:
                        ttl.copy(a[rows, turn * 2 : turn * 2 + 2], a_blk).wait()
                        ttl.copy(a_blk, pipe).wait()

                    def receive(pipe: Any) -> None:
                        ttl.copy(pipe, a_blk).wait()

                    a_net.if_src(send)
                    a_net.if_dst(receive)
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[rows, columns]).wait()

    return product, [_random(192, 320, 2), _random(320, 192, 3), _zeros(192, 192)]


def scores() -> Call:
    """Products with blocks that arrive in parts, transposed, and a row added to each of their rows."""

    @ttl.operation(grid=(1, 1))
    def attend(q: Any, k: Any, bias: Any, y: Any) -> None:
        q_dfb = ttl.make_dataflow_buffer_like(q, shape=(2, 2))
        k_dfb = ttl.make_dataflow_buffer_like(k, shape=(4, 2))
        bias_dfb = ttl.make_dataflow_buffer_like(bias, shape=(1, 4))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(2, 4))

        @ttl.datamovement()
        def read() -> None:
            with q_dfb.reserve() as q_blk, bias_dfb.reserve() as bias_blk:
                q_xf = ttl.copy(q[0:2, 0:2], q_blk)
                bias_xf = ttl.copy(bias[0, 0:4], bias_blk)
                q_xf.wait()
                bias_xf.wait()
            for turn in range(3):
                with k_dfb.reserve() as k_blk:
                    ttl.copy(k[turn * 4 : turn * 4 + 4, 0:2], k_blk).wait()

        @ttl.compute()
        def compute() -> None:
            with q_dfb.wait() as q_blk, bias_dfb.wait() as bias_blk:
                for _ in range(3):
                    with k_dfb.wait() as k_blk, y_dfb.reserve() as y_blk:
                        product = q_blk @ ttl.block.transpose(k_blk)
                        y_blk.store(
                            ttl.math.relu(product + ttl.block.broadcast(bias_blk, dims=[0], shape=(2, 4)))
                        )

        @ttl.datamovement()
        def write() -> None:
            for turn in range(3):
                with y_dfb.wait() as y_blk:
                    ttl.copy(y_blk, y[0:2, turn * 4 : turn * 4 + 4]).wait()

    return attend, [_random(64, 64, 4), _random(384, 64, 5), _random(32, 128, 6), _zeros(64, 384)]


PROGRAMS: dict[str, Callable[[], Call]] = {
    "softmax": normalized,
    "multicast product": multicast,
    "scores": scores,
}


def _random(rows: int, columns: int, seed: int) -> Tensor:
    return tensor_of(np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32))


def _zeros(rows: int, columns: int) -> Tensor:
    return tensor_of(np.zeros((rows, columns), np.float32))


@cache
def points_of(name: str) -> tuple[ChoicePoint, ...]:
    operation, tensors = PROGRAMS[name]()
    return choices_of_call(operation, tuple(tensors), {}, settings.current())


def result(name: str, options: str = "", seed: int | None = None) -> Any:
    operation, tensors = PROGRAMS[name]()
    with settings.override(target="emu", compile_option=options, emu_seed=seed, check="off"):
        operation(*tensors)
    return values_of(tensors[-1])


def values(name: str) -> Iterator[tuple[ChoicePoint, str]]:
    return ((point, value) for point in points_of(name) for value in point.legal if value != point.chosen)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_legal_value_gives_the_results_of_the_rule(name: str) -> None:
    expected = result(name)
    tried = set()
    for point, value in values(name):
        kind = point.name.partition(".")[0]
        tried.add(kind)
        got = result(name, f"{point.name}={value}", 1 if kind in _ABOUT_ORDER else None)
        if point.exact:
            np.testing.assert_array_equal(got, expected, f"{point.name}={value}")
        else:
            # Every partial sum may be rounded to bfloat16.
            limit = 2.0**-6 * np.abs(expected).max()
            np.testing.assert_allclose(got, expected, rtol=0, atol=limit, err_msg=f"{point.name}={value}")
    assert {"registers", "sync", "order", "noc"} <= tried


def test_the_programs_have_every_kind_of_choice() -> None:
    kinds = {point.name.partition(".")[0] for name in PROGRAMS for point in points_of(name)}
    assert kinds >= {"registers", "sync", "narrow", "subblock", "arrivals", "protocol", "order", "noc"}
    protocols = {point.legal for point in points_of("multicast product") if point.name.startswith("protocol")}
    assert protocols == {("early", "eager", "staged")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_value_that_the_rule_chose_changes_nothing(name: str) -> None:
    operation, tensors = PROGRAMS[name]()
    lowered = read_call(operation, tuple(tensors), {})
    asked = " ".join(f"{point.name}={point.chosen}" for point in points_of(name))
    with settings.override(compile_option=asked):
        assert compile_read(lowered, settings.current()) == compile_read(lowered, settings.current())
        as_asked = [kernel.source for kernel in compile_read(lowered, settings.current()).kernels]
    assert as_asked == [kernel.source for kernel in compile_read(lowered, settings.current()).kernels]


@needs_compiler
@pytest.mark.headers
def test_kernels_of_other_values_are_those_of_the_real_api() -> None:
    compiled = []
    for name in PROGRAMS:
        operation, tensors = PROGRAMS[name]()
        lowered = read_call(operation, tuple(tensors), {})
        for point, value in values(name):
            if point.name.partition(".")[0] in ("arrivals", "protocol", "sync"):
                with settings.override(compile_option=f"{point.name}={value}"):
                    compiled.append(emitted(lowered.module))
    assert len(compiled) > 10 and complaints_about(compiled) == []


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ("registers=17", "TTL1461", "auto or 16 or 32, not 17"),
        ("sync=none", "TTL1461", "auto or half or full, not none"),
        ("narrow=few", "TTL1461", "a whole number from 0 on, not few"),
        ("order=random", "TTL1461", "program or largest or smallest, not random"),
        ("noc.write=1", "TTL1460", "the data movement kernel write"),
        ("arrivals.a_dfb=2", "TTL1460", "the buffer filled from a tensor a_dfb"),
        ("product:noc.read=2", "TTL1461", "two networks"),
    ],
)
def test_what_is_not_possible_is_an_error_with_the_reason(options: str, code: str, words: str) -> None:
    with pytest.raises(ttl.ProgramError) as caught:
        result("multicast product", options)
    assert caught.value.code == code and words in str(caught.value)


def test_an_option_of_another_operation_is_not_for_this_one() -> None:
    np.testing.assert_array_equal(result("softmax", "other:noc.nothing=1"), result("softmax"))


def test_a_kept_program_is_that_of_its_options() -> None:
    operation, tensors = PROGRAMS["softmax"]()
    texts = []
    for options in ("", "registers=16", ""):
        with settings.override(target="emu", compile_option=options, check="off"):
            operation(*tensors)
        texts.append(values_of(tensors[-1]).copy())
    np.testing.assert_array_equal(texts[0], texts[2])
    assert (texts[0] != texts[1]).any()


def test_equal_options_are_equal_text() -> None:
    options = read_options("noc.read=1,registers=16  f:registers=32")
    assert written(options) == "f:registers=32 noc.read=1 registers=16"
    assert for_operation(options, "f") == {"noc.read": "1", "registers": "32"}
    assert for_operation(options, "g") == {"noc.read": "1", "registers": "16"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("registers", "registers is not [OPERATION:]NAME=VALUE"),
        ("colour=red", "there is no compile option colour"),
        ("subblock=2x2", "subblock is of one thing, subblock.WHICH=VALUE"),
        ("order.x=program", "order is of an operation as a whole"),
        ("registers=16 registers=32", "registers=32 is the second value for registers"),
    ],
)
def test_what_is_no_option_is_refused_where_it_is_written(text: str, words: str) -> None:
    with pytest.raises(ttl.ProgramError) as caught, settings.override(compile_option=text):
        pass
    assert caught.value.code == "TTL0101" and words in str(caught.value)


def test_a_program_read_from_its_file_has_the_options_too(tmp_path: Path) -> None:
    program = Path(__file__).resolve().parents[2] / "examples" / "softmax.py"
    flags = ["--compile-option", "registers=16", "--compile-option", "noc.read=1"]
    outcome = run_ttl(["compile", "--emit", "cpp", *flags, str(program)], folder=tmp_path)
    assert outcome.status == 0 and "data movement on NCRISC with NoC 0" in outcome.stdout
    wrong = run_ttl(
        ["compile", "--emit", "cpp", "--compile-option", "nobody:registers=16", str(program)], folder=tmp_path
    )
    assert wrong.status == 1 and "TTL1460" in wrong.stderr
