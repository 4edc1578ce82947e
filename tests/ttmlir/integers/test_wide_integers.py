"""Integers of 64 bits, of which the device has 32: computed within limits that go with the file, or refused at the line."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.ttrt_models import power
from tt_model.runtime.problems import RuntimeProblem
from ttmlir.opt.main import TTMLIR_OPT

SMALL = np.array([-3, 0, 7, 100], np.int64)
STABLEHLO = "--stablehlo-to-ttir-pipeline"


def optimised(text: str, *arguments: str) -> tuple[int, str, str]:
    output, errors = io.StringIO(), io.StringIO()
    status = TTMLIR_OPT.run(arguments, io.StringIO(text), output, errors)
    return status, output.getvalue(), errors.getvalue()


def test_limits_of_arguments_are_in_the_text_of_every_stage() -> None:
    said = "{ttir.limits = array<i64: -16384, 16383>}"
    for stages in ((STABLEHLO,), (STABLEHLO, "--ttir-to-ttnn-backend-pipeline")):
        status, output, errors = optimised(power(64), *stages)
        assert (status, errors) == (0, "")
        assert said in output
    assert "ttir.limits" not in optimised(power(32), STABLEHLO)[1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (power(64, factors=5), "<stdin>:4:8: note: its int64 may need more than 32 bits, which is what the device has: it may be numbers from -4,278,190,080"),
        (power(64).replace("(%x, %x)", "(%x, %c)").replace("{\n  %0", '{\n  %c = "stablehlo.constant"() <{value = dense<4294967301> : '
                           'tensor<4xi64>}> : () -> tensor<4xi64>\n  %0'), "<stdin>:3:8: note: its int64 may need more"),
        (power(64).replace('"stablehlo.multiply"(%x, %x)', '"stablehlo.custom_call"(%x, %x) {call_target_name = "f"}'), "[TTL1710]"),
        (power(4), "there are no numbers of the type i4 in TTIR [TTL1710]"),
    ],
)  # fmt: skip
def test_text_of_stablehlo_is_refused_at_its_line(text: str, why: str) -> None:
    status, _, errors = optimised(text, STABLEHLO)
    assert status == 1
    assert why in errors and "[TTL1710]" in errors and "what works: " in errors


def test_calls_are_followed_into_their_functions() -> None:
    product = power(64).replace("@main", "private @square")
    text = """func.func @main(%x: tensor<4xi64>) -> tensor<4xi64> {
  %0 = func.call @square(%x) : (tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
"""
    status, output, errors = optimised(text + product, STABLEHLO)
    assert (status, errors) == (0, "")
    assert "@main(%arg0: tensor<4xi32> {ttir.limits = array<i64: -16384, 16383>})" in output


def test_text_of_ttir_has_no_integers_of_64_bits() -> None:
    from support.ttmlir_programs import T, function, operation, refused

    shape = "32x32xi64"
    text = function(
        f"%a: tensor<{shape}>", shape, operation("%0", "add", "%a %a", [shape] * 2, shape, T), "%0"
    )
    (report,) = refused(text)
    assert "no data type of the chip holds i64; there are f32, f16, bf16, i32, i16 and i8 [TTL1710]" in (
        report.message
    )
    assert report.span is not None and report.span.line == 5


def test_a_file_keeps_the_limits(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    import ttmlir.torch

    class Square(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(4))

        def forward(self, x: Any) -> Any:
            return x**2, x * self.weight

    large = torch.tensor([1, 2, 3, 1 << 20])
    model = ttmlir.torch.compile(Square(), ((4,), "i64"))
    model.save(tmp_path / "square.ttnn")
    torch.export.save(torch.export.export(Square(), (large,)), tmp_path / "square.pt2")
    again = ttmlir.compile(str(tmp_path / "square.pt2"))
    loaded = ttmlir.load(tmp_path / "square.ttnn")
    assert [one.integer_bound for one in (model, again, loaded)] == [1 << 14] * 3
    bits = large.to(torch.uint32)
    for run, inputs in (
        (model, (large,)),
        (again, (large,)),
        (loaded, (bits, torch.ones(4))),
    ):
        with pytest.raises(
            RuntimeProblem, match=r"TTL1711: input 0 \(x\) of Square.*to 1048576|TTL1711: input"
        ):
            run(*inputs)
    negative = torch.tensor([-3, -16384, 0, 1]).to(torch.uint32)
    assert loaded(negative, torch.ones(4))[0].tolist() == [9, 1 << 28, 0, 1]


@pytest.mark.parametrize("factor", ["x - 100_000 * y", "x + 100_000 * y", "100_000 * y - x"])
def test_the_factor_of_a_sum_counts(factor: str) -> None:
    torch = pytest.importorskip("torch")
    import ttmlir.torch

    class Sum(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any, y: Any) -> Any:
            if factor == "100_000 * y - x":
                return torch.rsub(x, 100_000 * y)
            if factor == "x - 100_000 * y":
                return torch.rsub(y, x, alpha=100_000)
            return torch.add(x, y, alpha=100_000)

    model = ttmlir.torch.compile(Sum(), ((4,), "i64"), ((4,), "i64"))
    bound = model.integer_bound
    assert bound is not None and bound <= 2**31 / 100_001
    largest = torch.tensor([bound - 1, -bound, bound - 1, -bound]), torch.tensor([-bound, bound - 1, 1, 0])
    assert torch.equal(model(*largest), Sum()(*largest))


@pytest.mark.parametrize("factor", [1e9 + 0.5, 1_000_000_000])
@pytest.mark.parametrize("function", ["add", "addmm"])
def test_the_factor_of_floats_that_become_integers_counts(factor: float, function: str) -> None:
    torch = pytest.importorskip("torch")
    import ttmlir.torch
    from ttmlir import CompileError

    class Converted(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            given = x.float()
            if function == "add":
                return torch.add(given, given, alpha=factor).long()
            return torch.addmm(given, given, given, alpha=factor).long()

    with pytest.raises(CompileError, match="may need more than 32 bits"):
        ttmlir.torch.compile(Converted(), ((4, 4), "i8"))


def _of_jax() -> Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]:
    import jax
    from jax import numpy as jnp

    def counted(x: Any) -> Any:
        return jax.lax.fori_loop(0, 5, lambda n, total: total + n, x)

    table = jnp.arange(4) * (2**40) // (2**39)
    return [
        (lambda x: (x * x, jnp.sum(x), jnp.dot(x, x), jnp.cumsum(x), x + table, counted(x)), (SMALL,)),
        (lambda x: (jnp.sort(x), jnp.argmax(x), jnp.max(x), jnp.min(x), jax.lax.cummax(x)), (SMALL,)),
        (lambda x: ((x & 0xFF) | 3, x >> 3, ~x, x // 7, x % 5, x ^ -2), (SMALL,)),
        (lambda x, i: (x[i], jnp.take(x, i, mode="clip"), x.at[i].add(x[:2])), (jax.numpy.asarray(SMALL), np.array([1, -1]))),
        (lambda x: ((x * 10).astype(int) + 1, jnp.tanh(x).astype(int) * 1000), (np.array([1.5, -2.5, 1e6]),)),
        (lambda x: x.astype(jnp.int64) * 3, (np.array([0, 4000], np.uint32),)),
        # The bound of one argument says nothing of another one.
        (lambda x, y: (x * x, y[y]), (SMALL, jnp.array([5, 4016689277, 1], "uint32"))),
    ]  # fmt: skip


def test_jax_with_64_bits_is_jax_within_limits() -> None:
    jax = pytest.importorskip("jax")
    import ttmlir.jax

    with jax.enable_x64(True):
        for function, arrays in _of_jax():
            model = ttmlir.jax.compile(function, *arrays)
            for wanted, got in zip(
                jax.tree.leaves(jax.jit(function)(*arrays)), jax.tree.leaves(model(*arrays)), strict=True
            ):
                assert wanted.dtype == got.dtype
                np.testing.assert_array_equal(np.asarray(got), np.asarray(wanted))


def test_jax_with_64_bits_is_refused_where_32_are_not_enough() -> None:
    jax = pytest.importorskip("jax")
    from jax import numpy as jnp

    import ttmlir.jax

    with jax.enable_x64(True):
        for function in (
            lambda x: x * x * x * x * x,
            lambda x: x < 5_000_000_000,
            lambda x: jnp.prod(x),
            lambda x: jnp.exp(x).astype(int),
        ):
            line = function.__code__.co_firstlineno
            with pytest.raises(ttmlir.CompileError, match=rf'"{__file__}":{line}:(.|\n)*\[TTL1710\]'):
                ttmlir.jax.compile(function, SMALL)
        square = ttmlir.jax.compile(lambda x: x * x, SMALL)
        assert square.integer_bound == 1 << 14
        with pytest.raises(RuntimeProblem, match=r"TTL1711: .*inputs from -16384 to 16383"):
            square(SMALL << 10)
        halves = ttmlir.jax.compile(lambda x: x.astype(int), ((4,), "f32"))
        with pytest.raises(RuntimeProblem, match=r"TTL1711: .*inputs from -2147483648 to 2147483647"):
            halves(np.full(4, 3e9, np.float32))
        large = np.arange(4) + (1 << 20)
        table = np.repeat(large, 1000)
        with pytest.raises(ttmlir.CompileError, match=r"closes over an array, int64\[4000\]: TTL1711"):
            ttmlir.jax.compile(lambda x: jnp.asarray(table) * x, ((4000,), "i64"))


@pytest.mark.parametrize(
    ("operation", "attributes", "is_taken"),
    [
        ("maximum", "", True),
        ("add", "", False),
        ("clamp_scalar", "min = -5 : i64, max = 5 : i64", True),
    ],
)
def test_later_text_of_ttir_with_64_bits_moves_and_chooses(
    operation: str, attributes: str, is_taken: bool
) -> None:
    count = 1 if attributes else 2
    type_ = "tensor<2x3xi64>"
    text = (
        f"module {{\n  func.func @main(%a: {type_}) -> {type_} {{\n"
        f'    %0 = "ttir.{operation}"({", ".join(["%a"] * count)}) <{{{attributes}}}> : ({", ".join([type_] * count)}) -> {type_}\n'
        f"    return %0 : {type_}\n  }}\n}}\n"
    )
    status, output, errors = optimised(text, "--upgrade")
    assert (status == 0) is is_taken, errors
    if is_taken:
        assert "tensor<2x3xi32>" in output
    else:
        assert "<stdin>:3:10" in errors and "[TTL1710]" in errors
