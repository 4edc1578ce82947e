"""Elementwise operations against torch in float64, and what integers do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tt_model.operations.dialects import operation_class, rows_of
from tt_model.reference.elementwise import OWN
from tt_model.reference.elementwise import elementwise as of_class
from tt_model.reference.formats import FORMATS
from ttl.rows.table import op

torch = pytest.importorskip("torch")

F32, I32, U8 = FORMATS["f32"], FORMATS["i32"], FORMATS["u8"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 17.0, -17.0, 1e-3, 40.0, -40.0, math.inf, -math.inf, math.nan]
UNARY = {
    "abs": torch.abs, "ceil": torch.ceil, "cos": torch.cos, "exp": torch.exp, "expm1": torch.expm1,
    "floor": torch.floor, "gelu": torch.nn.functional.gelu, "isfinite": torch.isfinite, "log": torch.log,
    "log1p": torch.log1p, "logical_not": torch.logical_not, "neg": torch.neg, "reciprocal": torch.reciprocal,
    "relu": torch.relu, "rsqrt": torch.rsqrt, "sigmoid": torch.sigmoid, "sin": torch.sin, "sqrt": torch.sqrt,
}  # fmt: skip
BINARY = {
    "add": torch.add, "div": torch.div, "eq": torch.eq, "ge": torch.ge, "gt": torch.gt, "le": torch.le,
    "logical_and": torch.logical_and, "logical_or": torch.logical_or, "logical_xor": torch.logical_xor,
    "lt": torch.lt, "maximum": torch.maximum, "minimum": torch.minimum, "multiply": torch.mul, "ne": torch.ne,
    "remainder": torch.fmod, "subtract": torch.sub,
}  # fmt: skip


def elementwise(name: str, *arguments: Any) -> np.ndarray:
    return of_class(operation_class(f"ttir.{name}"), *arguments)


def same(ours: np.ndarray, theirs: object) -> None:
    np.testing.assert_allclose(ours, theirs.to(torch.float64).numpy(), rtol=1e-14, atol=1e-60)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", sorted(UNARY))
def test_of_one_operand(name: str) -> None:
    values = np.array(SPECIAL)
    if name == "gelu":
        values = values[:-3]  # torch gives NaN for minus infinity
    same(elementwise(name, [values], F32), UNARY[name](torch.from_numpy(values)))


@pytest.mark.parametrize("name", sorted(BINARY))
def test_of_two_operands_broadcast(name: str) -> None:
    left, right = np.array(SPECIAL).reshape(-1, 1), np.array([*SPECIAL, 3.0, -3.0])
    same(elementwise(name, [left, right], F32), BINARY[name](torch.from_numpy(left), torch.from_numpy(right)))


def test_the_others() -> None:
    values = np.array(SPECIAL)
    tensor = torch.from_numpy(values)
    same(elementwise("sign", [values[:-1]], F32), torch.sign(tensor[:-1]))
    same(elementwise("leaky_relu", [values], F32, [0.25]), torch.nn.functional.leaky_relu(tensor, 0.25))
    same(elementwise("clamp", [values], F32, [-1.5, 2.0]), torch.clamp(tensor, -1.5, 2.0))
    same(elementwise("where", [values, -values, values], F32), torch.where(tensor != 0, -tensor, tensor))
    np.testing.assert_allclose(elementwise("cbrt", [np.array([-8.0, 27.0])], F32), [-2.0, 3.0], rtol=1e-15)
    assert elementwise("gelu", [np.array([-math.inf])], F32)[0] == 0
    known = {row.mnemonic for row in rows_of("ttir").rows if row.elementwise or row.function}
    assert {*UNARY, *BINARY, "sign", "leaky_relu", "clamp", "where", "cbrt", "typecast"} == known


def test_the_documented_examples() -> None:
    dividend, divisor = np.array([17.0, -17, 17, -17]), np.array([3.0, 3, -3, -3])
    assert elementwise("remainder", [dividend, divisor], I32).tolist() == [2, -2, 2, -2]
    assert elementwise("clamp", [np.arange(8.0)], F32, [2, 5]).tolist() == [2, 2, 2, 3, 4, 5, 5, 5]
    assert elementwise("sign", [np.array([3.0, -2, 0, 1, -4, 4])], F32).tolist() == [1, -1, 0, 1, -1, 1]


def test_integers_are_exact_modulo_their_width() -> None:
    large = np.array([2.0**31 - 1, -(2.0**31), 46341, 123456789])
    whole = torch.from_numpy(large.astype(np.int32))
    for name in ("add", "subtract", "multiply"):
        same(elementwise(name, [large, large], I32), BINARY[name](whole, whole))
    same(elementwise("neg", [large], I32), torch.neg(whole))
    assert elementwise("subtract", [np.array([1.0]), np.array([2.0])], U8).tolist() == [255]
    assert elementwise("div", [np.array([7.0, -7.0, 1.0]), np.array([2.0, 2.0, 0.0])], I32).tolist() == [
        3,
        -3,
        2**31 - 1,
    ]
    assert elementwise("exp", [np.array([1.0])], I32).tolist() == [2]


@pytest.mark.parametrize("dialect", ["ttir", "ttnn"])
def test_a_class_names_a_row_of_the_language_or_the_reference_says_why_not(dialect: str) -> None:
    for row in rows_of(dialect).rows:
        own = OWN.of(operation_class(row.name))
        if row.function:
            assert len(op(row.function).operands) == row.takes, row.name
        elif row.elementwise:
            assert own is not None, row.name
        assert own is None or own.why, row.name
