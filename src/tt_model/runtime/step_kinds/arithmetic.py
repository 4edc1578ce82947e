"""Elementwise operations and reductions in torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING

from tt_model.operations import elementwise
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.shared import TTNNMaxOp, TTNNSumOp
from tt_model.operations.stages import PerClass
from tt_model.operations.ttnn import TTNNClampOp

if TYPE_CHECKING:
    import torch

Function = Callable[..., "torch.Tensor"]

# Operations whose results are whole numbers if their inputs are.
_OF_WHOLE_NUMBERS = (
    elementwise.TTNNReluOp,
    elementwise.TTNNAbsOp,
    elementwise.TTNNCeilOp,
    elementwise.TTNNFloorOp,
    elementwise.TTNNSignOp,
    elementwise.TTNNNegOp,
    elementwise.TTNNLogicalNotOp,
    TTNNClampOp,
)


def function_of(kind: type[TTNNOperation]) -> Function:
    """Return the function of an elementwise operation: our own, or else torch's function of its name.

    It takes the tensors, which repeat to one shape by NumPy's rule, and the parameters of the operation by name.
    """
    import torch

    own = _OWN.of(kind)
    if own is not None:
        return own
    function: Function = getattr(torch, kind.ROW.mnemonic)
    return function


def _cbrt(values: torch.Tensor) -> torch.Tensor:
    import torch

    return torch.sign(values) * torch.abs(values).pow(1 / 3)


def _leaky_relu(values: torch.Tensor, parameter: float = 0.0) -> torch.Tensor:
    import torch

    return torch.nn.functional.leaky_relu(values, parameter)


def _clamp(values: torch.Tensor, min: float = 0.0, max: float = 0.0) -> torch.Tensor:
    import torch

    return torch.clamp(values, min, max)


def _gelu(values: torch.Tensor) -> torch.Tensor:
    """torch's function, except for infinities, for which torch returns NaN."""
    import torch

    result = torch.nn.functional.gelu(values)
    # One check of all results takes less time than a check of each.
    if isfinite(result.sum().item()):
        return result
    return torch.where(torch.isinf(values), torch.relu(values), result)


def _sign(values: torch.Tensor) -> torch.Tensor:
    """The sign: -1, 0 or 1; NaN for NaN."""
    import torch

    return torch.where(values == values, torch.sign(values), values)


def divide(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """The quotient; for whole numbers in float64, which represents all of them."""
    if left.is_floating_point() or right.is_floating_point():
        return left / right
    return left.double() / right.double()


def remainder(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Compute the remainder with the sign of the dividend; zero where a whole number is divided by zero."""
    import torch

    if left.is_floating_point() or right.is_floating_point():
        return torch.fmod(left, right)
    return torch.where(right == 0, 0, torch.fmod(left, torch.where(right == 0, 1, right)))


def unary_of(kind: type[TTNNOperation], dtype: torch.dtype, parameters: Mapping[str, float]) -> Function:
    """Return the function of an operation on one input of a type.

    For whole numbers, a function whose results have fractions is computed in float64, which represents all of them.
    """
    import torch

    function = function_of(kind)
    if parameters:
        function = partial(function, **parameters)
    if dtype != torch.int64 or issubclass(kind, _OF_WHOLE_NUMBERS):
        return function
    return lambda values: function(values.to(torch.float64))


def _where(condition: torch.Tensor, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """The values of ``left`` where the condition is not zero, else those of ``right``."""
    import torch

    return torch.where(condition != 0, left, right)


# Functions that torch has under another name, or with another meaning.
_OWN = PerClass[Function](
    (elementwise.TTNNCbrtOp, _cbrt),
    (elementwise.TTNNDivOp, divide),
    (elementwise.TTNNGeluOp, _gelu),
    (elementwise.TTNNLeakyReluOp, _leaky_relu),
    (elementwise.TTNNRemainderOp, remainder),
    (elementwise.TTNNSignOp, _sign),
    (elementwise.TTNNWhereOp, _where),
    (TTNNClampOp, _clamp),
)


def reduction_of(
    kind: type[TTNNOperation], dtype: torch.dtype, along: tuple[int, ...], keep_dim: bool
) -> Function:
    """Return the function for the sum, mean or maximum along dimensions of values of a type."""
    import torch

    # The chip adds in its 32-bit registers and rounds once.
    wide = torch.float32 if dtype.is_floating_point else dtype
    function: Function = torch.sum if kind is TTNNSumOp else torch.amax
    if kind not in (TTNNMaxOp, TTNNSumOp):
        function = torch.mean
        wide = wide if dtype.is_floating_point or not along else torch.float64
    if not along:
        return lambda values: values.to(wide)
    if dtype == wide:
        return lambda values: function(values, along, keep_dim)
    return lambda values: function(values.to(wide), along, keep_dim)
