"""An independent statement of what every element-wise operation computes: torch in float64, or plain Python.

Nothing here imports the operation table. ``CASES`` gives, for each operation, parameter values to test with.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

Tensor = torch.Tensor


def _pairwise(function: Callable[[float, float], float]) -> Callable[[Tensor, Tensor], Tensor]:
    def compute(a: Tensor, b: Tensor) -> Tensor:
        values = [function(x, y) for x, y in zip(a.flatten().tolist(), b.flatten().tolist())]
        return torch.tensor(values, dtype=a.dtype).reshape(a.shape)

    return compute


def _floordiv(x: float, y: float) -> float:
    """Rounded down, as IEEE 754 divides for the special values."""
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if y == 0:
        return math.nan if x == 0 else math.copysign(math.inf, x) * math.copysign(1, y)
    return math.nan if math.isinf(x) else x // y


def _remainder(x: float, y: float) -> float:
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return math.nan
    return x % y


def _where(condition: Tensor, a: Any, b: Any) -> Tensor:
    return torch.where(
        condition, torch.as_tensor(a, dtype=torch.float64), torch.as_tensor(b, dtype=torch.float64)
    )


def _comparison(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda a, b: function(a, b).double()


def _gelu(x: Tensor) -> Tensor:
    """By the complementary error function, which keeps the small values of the negative side."""
    values = [0.5 * each * math.erfc(-each / math.sqrt(2)) for each in x.flatten().tolist()]
    return torch.tensor(values, dtype=x.dtype).reshape(x.shape)


def _signbit(x: Tensor) -> Tensor:
    return (~torch.signbit(x) & ~torch.isnan(x)).double()


ELEMENTWISE: dict[str, Callable[..., Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "truediv": torch.div,
    "floordiv": _pairwise(_floordiv),
    "mod": _pairwise(_remainder),
    "max": torch.maximum,
    "min": torch.minimum,
    "pow": torch.pow,
    "rsub": lambda a, b: b - a,
    "eq": _comparison(torch.eq),
    "ne": _comparison(torch.ne),
    "lt": _comparison(torch.lt),
    "le": _comparison(torch.le),
    "gt": _comparison(torch.gt),
    "ge": _comparison(torch.ge),
    "abs": torch.abs,
    "neg": torch.neg,
    "exp": lambda x, approx, scale: torch.exp(x * scale),
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "log": torch.log,
    "logp1": torch.log1p,
    "sqrt": torch.sqrt,
    "square": lambda x: x * x,
    "rsqrt": torch.rsqrt,
    "recip": torch.reciprocal,
    "tan": torch.tan,
    "tanh": torch.tanh,
    "atan": torch.atan,
    "atanh": torch.atanh,
    "sin": torch.sin,
    "asin": torch.asin,
    "asinh": torch.asinh,
    "cos": torch.cos,
    "acos": torch.acos,
    "acosh": torch.acosh,
    "relu": torch.relu,
    "relu_max": lambda x, upper: torch.relu(torch.minimum(x, torch.full_like(x, upper))),
    "relu_min": lambda x, lower: torch.relu(torch.maximum(x, torch.full_like(x, lower))),
    "leaky_relu": lambda x, slope: functional.leaky_relu(x, slope),
    "elu": lambda x, slope: functional.elu(x, slope),
    "gelu": lambda x, approximate: functional.gelu(x, approximate="tanh") if approximate else _gelu(x),
    "sigmoid": torch.sigmoid,
    "celu": lambda x, alpha, recip: functional.celu(x, alpha),
    "silu": functional.silu,
    "prelu": lambda x, alpha: functional.prelu(x, torch.tensor([alpha], dtype=x.dtype)),
    "softplus": lambda x, beta, recip, threshold: functional.softplus(x, beta, threshold),
    "softsign": functional.softsign,
    "hardsigmoid": functional.hardsigmoid,
    "hardtanh": lambda x, low, high: functional.hardtanh(x, low, high),
    "selu": lambda x, scale, alpha: scale * functional.elu(x, alpha),
    "frac": torch.frac,
    "trunc": torch.trunc,
    "round": lambda x, decimals: torch.round(x, decimals=decimals),
    "floor": torch.floor,
    "ceil": torch.ceil,
    "clamp": lambda x, low, high: torch.clamp(x, low, high),
    "threshold": lambda x, limit, value: _where(x > limit, value, x),
    "sign": lambda x: _where(torch.isnan(x), math.nan, torch.sign(x)),
    "signbit": _signbit,
    "mask": lambda x, mask: _where(mask == 1, 0.0, x),
    "mask_posinf": lambda x, mask: _where(mask == 1, math.inf, x),
    "where": lambda condition, a, b: _where(condition != 0, a, b),
}

# Parameter values; operations without parameters are tested with none.
CASES: dict[str, tuple[tuple[Any, ...], ...]] = {
    "exp": ((False, 1.0), (True, 1.0), (False, -0.5)),
    "relu_max": ((6,), (0.5,)),
    "relu_min": ((1,), (-1,)),
    "leaky_relu": ((0.01,), (2,)),
    "elu": ((1.0,), (0.5,)),
    "gelu": ((False,), (True,)),
    "celu": ((2.0, 0.5), (0.25, 4.0)),
    "prelu": ((0.25,),),
    "softplus": ((1.0, 1.0, 20.0), (2.0, 0.5, 1.0)),
    "hardtanh": ((-1, 1), (-0.5, 2.5)),
    "selu": ((1.0507, 1.67326),),
    "round": ((0,), (1,), (-1,)),
    "clamp": ((-1, 1), (0, 0)),
    "threshold": ((0.5, -3), (-1, 7)),
}

# On integers: plain Python on exact numbers. Operations that are not here are not defined on integers.
INTEGER: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b if b else 0,
    "mod": lambda a, b: a % b if b else 0,
    "xor": lambda a, b: a ^ b,
    "max": max,
    "min": min,
    "pow": lambda a, b: a**b,
    "rsub": lambda a, b: b - a,
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
    "abs": abs,
    "neg": lambda a: -a,
    "square": lambda a: a * a,
    "relu": lambda a: max(a, 0),
    "relu_max": lambda a, upper: max(min(a, upper), 0),
    "relu_min": lambda a, lower: max(a, lower, 0),
    "clamp": lambda a, low, high: max(low, min(a, high)),
    "threshold": lambda a, limit, value: value if a > limit else a,
    "sign": lambda a: (a > 0) - (a < 0),
    "signbit": lambda a: int(a >= 0),
    "mask": lambda a, mask: 0 if mask == 1 else a,
    "where": lambda condition, a, b: a if condition else b,
}
INTEGER_CASES: dict[str, tuple[tuple[int, ...], ...]] = {
    "relu_max": ((6,),),
    "relu_min": ((1,),),
    "clamp": ((-5, 9),),
    "threshold": ((3, -3),),
}
