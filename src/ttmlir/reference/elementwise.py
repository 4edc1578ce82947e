"""Elementwise operations. Their arithmetic is that of the language's rows (``ttl.ops``), in float64 in place of float32.

``ARITHMETIC`` names the row of each operation. Where TTIR means something else, or the row stands for float32 only, the
entry has a function of its own and says why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ttl.ops.dtypes import FLOAT32, INT32
from ttl.ops.table import op
from ttl.ops.types import BlockType, Layout
from ttmlir.reference.formats import NumberFormat, Values, converted, wrapped

# What a row is told its result is: the shape does not matter element by element.
_REAL = BlockType.of((1, 1), FLOAT32, Layout.ROW_MAJOR)
_WHOLE = BlockType.of((1, 1), INT32, Layout.ROW_MAJOR)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Where an operation's arithmetic is: a row of ``ttl.ops`` with its parameters, or a function and the reason for it.

    ``modular``: on integers it is computed in integers, modulo their width; else in float64 and converted.
    """

    row: str = ""
    params: tuple[Any, ...] = ()
    function: Callable[..., npt.NDArray[Any]] | None = None
    why: str = ""
    modular: bool = False


def _gelu(x: Values) -> Values:
    scaled = np.frompyfunc(math.erfc, 1, 1)(x * -math.sqrt(0.5))
    # Minus infinity times the zero that is left of the integral is the limit, 0.
    value: Values = np.where(np.isneginf(x), 0.0, 0.5 * x * np.asarray(scaled, np.float64))
    return value


def _where(condition: Values, chosen: Values, other: Values) -> Values:
    value: Values = np.where(condition != 0, chosen, other)
    return value


_LOGICAL = "the language has no operation on truth values: what is not 0 is true"

ARITHMETIC: MappingProxyType[str, Arithmetic] = MappingProxyType(
    {
        "abs": Arithmetic("abs", modular=True),
        "add": Arithmetic("add", modular=True),
        "cbrt": Arithmetic(function=np.cbrt, why="the language has no cube root"),
        "ceil": Arithmetic("ceil"),
        "cos": Arithmetic("cos"),
        "div": Arithmetic("truediv"),
        "eq": Arithmetic("eq", modular=True),
        "exp": Arithmetic("exp", (False, 1.0)),
        "expm1": Arithmetic("expm1"),
        "floor": Arithmetic("floor"),
        "ge": Arithmetic("ge", modular=True),
        "gelu": Arithmetic(function=_gelu, why="the row's error function has the precision of float32"),
        "gt": Arithmetic("gt", modular=True),
        "isfinite": Arithmetic(function=np.isfinite, why="the language does not ask what kind of number a value is"),
        "le": Arithmetic("le", modular=True),
        "leaky_relu": Arithmetic("leaky_relu"),
        "log": Arithmetic("log"),
        "log1p": Arithmetic("logp1"),
        "logical_and": Arithmetic(function=np.logical_and, why=_LOGICAL, modular=True),
        "logical_not": Arithmetic(function=np.logical_not, why=_LOGICAL, modular=True),
        "logical_or": Arithmetic(function=np.logical_or, why=_LOGICAL, modular=True),
        "logical_xor": Arithmetic(function=np.logical_xor, why=_LOGICAL, modular=True),
        "lt": Arithmetic("lt", modular=True),
        "maximum": Arithmetic("max", modular=True),
        "minimum": Arithmetic("min", modular=True),
        "multiply": Arithmetic("mul", modular=True),
        "ne": Arithmetic("ne", modular=True),
        "neg": Arithmetic("neg", modular=True),
        "reciprocal": Arithmetic("recip"),
        "relu": Arithmetic("relu", modular=True),
        "remainder": Arithmetic(
            function=np.fmod,
            why="the operation's text gives -17 and 3 the remainder -2, the sign of the dividend; the row, as Python, 1",
            modular=True,
        ),
        "rsqrt": Arithmetic("rsqrt"),
        "sigmoid": Arithmetic("sigmoid"),
        "sign": Arithmetic("sign", modular=True),
        "sin": Arithmetic("sin"),
        "sqrt": Arithmetic("sqrt"),
        "subtract": Arithmetic("sub", modular=True),
        "where": Arithmetic(function=_where, why="the row rounds what it chooses to float32", modular=True),
        "clamp": Arithmetic("clamp"),
    }
)  # fmt: skip


def elementwise(
    name: str, inputs: Sequence[Values], result: NumberFormat, params: Sequence[float] = ()
) -> Values:
    """The value of an elementwise operation, its operands broadcast against each other as NumPy does.

    ``name`` is a key of ``ARITHMETIC``, ``params`` the numbers the operation has (``leaky_relu``: the slope; ``clamp``:
    smallest, largest). A result of an integer type is wrapped to its width, or truncated and saturated where the function
    is one of real numbers. Comparisons give 1 and 0 in the type of the result.
    """
    arithmetic = ARITHMETIC[name]
    in_integers = arithmetic.modular and result.is_integer and all(_is_whole(array) for array in inputs)
    operands: list[npt.NDArray[Any]] = (
        [array.astype(np.int64) for array in inputs] if in_integers else list(inputs)
    )
    with np.errstate(all="ignore"):
        if arithmetic.function is not None:
            value = arithmetic.function(*operands)
        else:
            known = _WHOLE if in_integers else _REAL
            value = op(arithmetic.row).reference(operands, (*arithmetic.params, *params), known)
    if not result.is_integer:
        return value.astype(np.float64)
    return (
        wrapped(value.astype(np.int64), result)
        if in_integers
        else converted(value.astype(np.float64), result)
    )


def _is_whole(array: Values) -> bool:
    return bool(
        np.all(np.isfinite(array)) and np.all(np.abs(array) < 2.0**63) and np.all(array == np.trunc(array))
    )
