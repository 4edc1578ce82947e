"""Elementwise operations and reductions in torch, by the words that binaries have for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

Unary = Callable[["torch.Tensor", Mapping[str, Any]], "torch.Tensor"]
Binary = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]

# Whose results are those of whole numbers where their inputs are.
_EXACT = frozenset({"Relu", "Abs", "Ceil", "Floor", "Sign", "Clamp", "Neg"})


@cache
def unary() -> Mapping[str, Unary]:
    """Of one input. The second argument are the parameters."""
    import torch
    from torch.nn import functional

    def of(function: Any) -> Unary:
        return lambda values, parameters: function(values)

    plain = {
        "Relu": torch.relu,
        "Sqrt": torch.sqrt,
        "Sigmoid": torch.sigmoid,
        "Reciprocal": torch.reciprocal,
        "Exp": torch.exp,
        "Abs": torch.abs,
        "Neg": torch.neg,
        "Rsqrt": torch.rsqrt,
        "LogicalNot": torch.logical_not,
        "Ceil": torch.ceil,
        "Sin": torch.sin,
        "Cos": torch.cos,
        "Log": torch.log,
        "Log1p": torch.log1p,
        "Expm1": torch.expm1,
        "Sign": _sign,
        "IsFinite": torch.isfinite,
        "Floor": torch.floor,
        "Gelu": _gelu,
        "Cbrt": lambda values: torch.sign(values) * torch.abs(values).pow(1 / 3),
    }
    with_parameters: dict[str, Unary] = {
        "LeakyRelu": lambda values, parameters: functional.leaky_relu(
            values, parameters.get("parameter", 0.0)
        ),
        "Clamp": lambda values, parameters: torch.clamp(
            values, parameters.get("min", 0.0), parameters.get("max", 0.0)
        ),
    }
    return MappingProxyType({word: of(function) for word, function in plain.items()} | with_parameters)


@cache
def binary() -> Mapping[str, Binary]:
    """Of two inputs, which repeat to one shape by NumPy's rule."""
    import torch

    return MappingProxyType(
        {
            "Add": torch.add,
            "Multiply": torch.mul,
            "Subtract": torch.sub,
            "Div": divide,
            "Maximum": torch.maximum,
            "Minimum": torch.minimum,
            "Remainder": remainder,
            "Equal": torch.eq,
            "NotEqual": torch.ne,
            "GreaterEqual": torch.ge,
            "GreaterThan": torch.gt,
            "LessEqual": torch.le,
            "LessThan": torch.lt,
            "LogicalAnd": torch.logical_and,
            "LogicalOr": torch.logical_or,
            "LogicalXor": torch.logical_xor,
        }
    )


def _gelu(values: torch.Tensor) -> torch.Tensor:
    """The function as torch has it, but for infinities, of which torch makes what is no number."""
    import torch

    result = torch.nn.functional.gelu(values)
    # One look at all of them is cheaper than asking each.
    if torch.isfinite(result.sum()):
        return result
    return torch.where(torch.isinf(values), torch.relu(values), result)


def _sign(values: torch.Tensor) -> torch.Tensor:
    """-1, 0 or 1; what is not a number stays so."""
    import torch

    return torch.where(values == values, torch.sign(values), values)


def divide(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """The quotient; of whole numbers in float64, which holds them all."""
    if left.is_floating_point() or right.is_floating_point():
        return left / right
    return left.double() / right.double()


def remainder(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """What division leaves, with the sign of the dividend; of a division of whole numbers by zero, zero."""
    import torch

    if left.is_floating_point() or right.is_floating_point():
        return torch.fmod(left, right)
    return torch.where(right == 0, 0, torch.fmod(left, torch.where(right == 0, 1, right)))


def apply_unary(word: str, values: torch.Tensor, parameters: Mapping[str, Any]) -> torch.Tensor:
    """One operation of one input; what has fractions is computed of whole numbers in float64, which holds them all."""
    import torch

    function = unary()[word]
    if values.dtype == torch.int64 and word not in _EXACT and word != "LogicalNot":
        return function(values.to(torch.float64), parameters)
    return function(values, parameters)


def apply_where(condition: torch.Tensor, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """The values of ``left`` where the condition is not zero, else those of ``right``."""
    import torch

    return torch.where(condition != 0, left, right)


def reduce(word: str, values: torch.Tensor, dims: tuple[int, ...] | None, keep_dim: bool) -> torch.Tensor:
    """``Sum``, ``Mean`` or ``Max`` along dimensions; along all where there are none."""
    import torch

    along = tuple(range(values.dim())) if dims is None else dims
    # The chip adds in its 32-bit registers and rounds once.
    wide = values.to(torch.float32) if values.is_floating_point() else values
    if word == "Max":
        return torch.amax(wide, along, keep_dim) if along else wide
    if word == "Sum":
        return torch.sum(wide, along, keep_dim) if along else wide
    if not along:
        return wide
    return torch.mean(wide if wide.is_floating_point() else wide.to(torch.float64), along, keep_dim)
