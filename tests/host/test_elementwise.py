"""Elementwise operations of the host library: torch and NumPy agree, results are rounded once, types are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from ttl.diag import ProgramError
from ttl.host import api as ttnn
from ttl.host import storage
from ttl.host.table import BINARY, IN_PLACE, REQUIRED, TERNARY, UNARY, HostFunction

ROWS = [*((row, 1) for row in UNARY), *((row, 2) for row in BINARY), *((row, 3) for row in TERNARY)]
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 3.0, 20.0, -20.0, 1e-3, 100.0, 0.25, 7.0, -7.0]
# Within these the function is defined; outside, torch and NumPy differ in which NaN or infinity they give.
DOMAINS: dict[str, tuple[float, float]] = {
    "acosh": (1.0, 50.0),
    "atanh": (-0.9, 0.9),
    "asin": (-1.0, 1.0),
    "acos": (-1.0, 1.0),
    "erfinv": (-0.99, 0.99),
    "logit": (0.01, 0.99),
    "log": (0.01, 50.0),
    "log2": (0.01, 50.0),
    "log10": (0.01, 50.0),
    "log1p": (-0.9, 50.0),
    "sqrt": (0.0, 50.0),
    "rsqrt": (0.01, 50.0),
    "xlogy": (0.1, 50.0),
    "digamma": (0.1, 50.0),
    "lgamma": (0.1, 50.0),
    "i0": (-10.0, 10.0),
    "rpow": (-5.0, 5.0),
    "pow": (0.1, 5.0),
    "tan": (-1.5, 1.5),
    "cosh": (-20.0, 20.0),
    "sinh": (-20.0, 20.0),
    "exp": (-20.0, 20.0),
    "exp2": (-20.0, 20.0),
    "expm1": (-20.0, 20.0),
}


def operands(row: HostFunction, count: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(7)
    low, high = DOMAINS.get(row.name, (-20.0, 20.0))
    found = []
    for _ in range(count):
        values = torch.rand((5, 33), generator=generator) * (high - low) + low
        edges = [each for each in EDGES if low <= each <= high]
        values[0, : len(edges)] = torch.tensor(edges)
        if row.kind == "int":
            values = values.abs().to(torch.int32) % 8
        found.append(values)
    if count > 1 and row.name not in DOMAINS and row.kind != "int":
        found[1] = torch.where(found[1] == 0, 1.5, found[1])
    return found


def parameters(row: HostFunction) -> dict[str, Any]:
    return {name: 0.75 for name, default in row.params if default is REQUIRED}


def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "torch_or_none", lambda: None)
    monkeypatch.setattr(storage, "torch_if_imported", lambda: None)


@pytest.mark.parametrize(
    ("row", "count"), ROWS, ids=lambda value: value.name if isinstance(value, HostFunction) else ""
)
def test_numpy_agrees_with_torch(row: HostFunction, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = operands(row, count)
    function = getattr(ttnn, row.name)
    given = [ttnn.from_numpy(each.numpy()) for each in values]
    in_torch = ttnn.to_numpy(function(*given, **parameters(row)))
    without_torch(monkeypatch)
    in_numpy = ttnn.to_numpy(function(*given, **parameters(row)))
    np.testing.assert_allclose(in_numpy, in_torch, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("row", UNARY, ids=lambda row: row.name)
def test_unary_keeps_type_layout_and_shape(row: HostFunction) -> None:
    (values,) = operands(row, 1)
    dtype = ttnn.int32 if row.kind == "int" else ttnn.bfloat16
    given = ttnn.from_torch(values, dtype, layout=ttnn.TILE_LAYOUT)
    result = getattr(ttnn, row.name)(given, **parameters(row))
    assert (result.shape, result.dtype, result.layout) == (given.shape, given.dtype, given.layout)


def test_result_is_rounded_once() -> None:
    a = torch.randn(64, 64).bfloat16()
    b = torch.randn(64, 64).bfloat16()
    result = ttnn.to_torch(ttnn.multiply(ttnn.from_torch(a), ttnn.from_torch(b)))
    assert torch.equal(result, (a.float() * b.float()).bfloat16())


def test_exp_against_torch() -> None:
    x = torch.randn(3, 5)
    assert torch.equal(ttnn.to_torch(ttnn.exp(ttnn.from_torch(x))), torch.exp(x))


def test_program_example_writes_its_first_tensor() -> None:
    """Specification, "Program example": ``ttnn.exp(y, foo(ttnn.abs(x)), fast_and_approximate_mode=True)``."""
    x = ttnn.rand(ttnn.Shape([128, 128]), layout=ttnn.TILE_LAYOUT)
    y = ttnn.zeros(x.shape, layout=ttnn.TILE_LAYOUT)
    result = ttnn.exp(y, ttnn.abs(x), fast_and_approximate_mode=True)
    assert result is y
    assert torch.equal(ttnn.to_torch(y), torch.exp(ttnn.to_torch(x).float()).bfloat16())


def test_output_tensor_is_written_in_its_own_type() -> None:
    x = ttnn.from_torch(torch.tensor([[1.2345678, 2.0]]))
    y = ttnn.zeros((1, 2), dtype=ttnn.bfloat16)
    assert ttnn.add(x, 1.0, output_tensor=y) is y
    assert torch.equal(ttnn.to_torch(y), torch.tensor([[2.2345678, 3.0]]).bfloat16())


def test_output_tensor_of_another_shape() -> None:
    with pytest.raises(ProgramError) as caught:
        ttnn.exp(ttnn.ones((2, 2)), output_tensor=ttnn.ones((2, 3)))
    assert caught.value.code == "TTL1016"


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_form_writes_its_first_operand(name: str) -> None:
    a, b = torch.tensor([[3.0, -1.0]]), torch.tensor([[2.0, -1.0]])
    given = ttnn.from_torch(a)
    result = getattr(ttnn, f"{name}_")(given, ttnn.from_torch(b))
    assert result is given
    expected = getattr(ttnn, name)(ttnn.from_torch(a), ttnn.from_torch(b))
    assert torch.equal(ttnn.to_torch(given), ttnn.to_torch(expected))


def test_operators() -> None:
    a, b = torch.rand(4, 4) + 1, torch.rand(4, 4) + 1
    x, y = ttnn.from_torch(a), ttnn.from_torch(b)
    for got, expected in [
        (x + y, a + b), (x - y, a - b), (x * y, a * b), (x / y, a / b), (x**2, a**2), (x @ y, a @ b), (-x, -a),
        (2 + x, 2 + a), (2 - x, 2 - a), (2 * x, 2 * a), (2 / x, 2 / a), (x == x, a == a), (x != y, a != b),
        (x < y, a < b), (x <= 1.5, a <= 1.5), (x > y, a > b), (x >= y, a >= b), (abs(-x), a),
    ]:  # fmt: skip
        torch.testing.assert_close(ttnn.to_torch(got), expected.to(torch.float32))


def test_comparison_with_something_else_is_python_s() -> None:
    x = ttnn.ones((2, 2))
    assert (x == None) is False  # noqa: E711
    assert x in [None, "a", x]


def test_broadcast_and_type_of_the_result() -> None:
    a = ttnn.ones((4, 1, 3), dtype=ttnn.float32)
    b = ttnn.full((2, 1), 2, dtype=ttnn.bfloat16)
    assert (a + b).shape == [4, 2, 3]
    assert (a + b).dtype is ttnn.float32
    assert (b + a).dtype is ttnn.bfloat16
    assert ttnn.add(b, a, dtype=ttnn.float32).dtype is ttnn.float32


def test_integers_stay_exact_and_wrap() -> None:
    big = ttnn.from_torch(torch.tensor([[2**31 - 1, 16777217]], dtype=torch.int32))
    assert ttnn.to_torch(big + 1).tolist() == [[-(2**31), 16777218]]


def test_shapes_that_do_not_go_together() -> None:
    with pytest.raises(ProgramError) as caught:
        ttnn.ones((2, 3)) + ttnn.ones((2, 4))
    assert caught.value.code == "TTL1006"
    assert "(2, 3) and (2, 4)" in caught.value.diagnostic.message


@pytest.mark.parametrize(("name", "dtype"), [("exp", "int32"), ("bitwise_not", "bfloat16")])
def test_wrong_type(name: str, dtype: str) -> None:
    with pytest.raises(ProgramError) as caught:
        getattr(ttnn, name)(ttnn.ones((2, 2), dtype=getattr(ttnn, dtype)))
    assert caught.value.code == "TTL1008"


def test_options_without_effect_are_accepted_and_others_are_not() -> None:
    x = ttnn.ones((2, 2))
    ttnn.exp(x, fast_and_approximate_mode=True, queue_id=0, memory_config=ttnn.L1_MEMORY_CONFIG)
    with pytest.raises(ProgramError) as caught:
        ttnn.exp(x, fast_and_aproximate_mode=True)
    assert caught.value.code == "TTL1003"
    assert "did you mean 'fast_and_approximate_mode'?" in caught.value.diagnostic.help


@pytest.mark.parametrize("wrong", ["text", None, torch.ones(2), [1, 2]])
def test_operand_that_is_no_tensor(wrong: Any) -> None:
    with pytest.raises(ProgramError) as caught:
        ttnn.add(ttnn.ones((2, 2)), wrong)
    assert caught.value.code == "TTL1004"


def test_clamp() -> None:
    x = torch.randn(8, 8)
    t = ttnn.from_torch(x)
    assert torch.equal(ttnn.to_torch(ttnn.clamp(t, -0.5, 0.5)), x.clamp(-0.5, 0.5))
    assert torch.equal(ttnn.to_torch(ttnn.clamp(t, min=0)), x.clamp(min=0))
    low = torch.zeros(8, 8)
    assert torch.equal(ttnn.to_torch(ttnn.clip(t, min=ttnn.from_torch(low))), torch.maximum(x, low))
    with pytest.raises(ProgramError) as caught:
        ttnn.clamp(t)
    assert caught.value.code == "TTL1003"


def test_where_keeps_whole_numbers_under_a_condition_of_floats() -> None:
    """More bits than a float32 has, and numbers below zero by their bits."""
    condition = ttnn.from_torch(torch.tensor([[1.0, 0.0, 1.0]]), layout=ttnn.TILE_LAYOUT)
    first = ttnn.from_torch(torch.tensor([[7, 9, 2**25 + 1]]), dtype=ttnn.uint32, layout=ttnn.TILE_LAYOUT)
    below = ttnn.subtract(ttnn.subtract(first, first), first)
    result = ttnn.where(condition, below, first)
    assert result.dtype == ttnn.uint32
    assert ttnn.to_torch(result).tolist() == [[-7, 9, -(2**25) - 1]]


def test_where_with_numbers() -> None:
    mask = ttnn.from_torch(torch.tensor([[1.0, 0.0]]))
    assert ttnn.to_torch(ttnn.where(mask, 5.0, -1.0)).tolist() == [[5.0, -1.0]]
