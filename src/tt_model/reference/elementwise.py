"""Elementwise operations, with the arithmetic of the language's rows (``ttl.rows``), but in float64.

The class of an operation names its row. If the operation of TTIR differs from the row, or the row is for float32 only,
``OWN`` has a function and the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tt_model.operations import elementwise as eltwise
from tt_model.operations.operation import RowOperation
from tt_model.operations.stages import PerClass
from tt_model.reference.formats import NumberFormat, Values, converted, wrapped
from ttl.rows.dtypes import FLOAT32, INT32
from ttl.rows.table import op
from ttl.rows.types import BlockType, Layout

# The type of the result that is passed to a row; the shape does not matter element by element.
_REAL = BlockType.of((1, 1), FLOAT32, Layout.ROW_MAJOR)
_WHOLE = BlockType.of((1, 1), INT32, Layout.ROW_MAJOR)


@dataclass(frozen=True, slots=True)
class OwnArithmetic:
    """A function instead of a row of the language, and the reason for it.

    ``modular``: on integers it is computed in integers, modulo their width; otherwise in float64 and converted.
    """

    function: Callable[..., npt.NDArray[Any]]
    why: str
    modular: bool = False


def _gelu(x: Values) -> Values:
    scaled = np.frompyfunc(math.erfc, 1, 1)(x * -math.sqrt(0.5))
    # The limit of minus infinity times the remaining integral, which is zero, is 0.
    value: Values = np.where(np.isneginf(x), 0.0, 0.5 * x * np.asarray(scaled, np.float64))
    return value


def _where(condition: Values, chosen: Values, other: Values) -> Values:
    value: Values = np.where(condition != 0, chosen, other)
    return value


_LOGICAL = "the language has no operation on truth values: what is not 0 is true"

OWN = PerClass[OwnArithmetic](
    ((eltwise.TTIRCbrtOp, eltwise.TTNNCbrtOp), OwnArithmetic(np.cbrt, "the language has no cube root")),
    (
        (eltwise.TTIRGeluOp, eltwise.TTNNGeluOp),
        OwnArithmetic(_gelu, "the row's error function has the precision of float32"),
    ),
    (
        (eltwise.TTIRIsFiniteOp, eltwise.TTNNIsFiniteOp),
        OwnArithmetic(np.isfinite, "the language cannot test for infinities and NaN"),
    ),
    (
        (eltwise.TTIRLogicalAndOp, eltwise.TTNNLogicalAndOp),
        OwnArithmetic(np.logical_and, _LOGICAL, modular=True),
    ),
    (
        (eltwise.TTIRLogicalNotOp, eltwise.TTNNLogicalNotOp),
        OwnArithmetic(np.logical_not, _LOGICAL, modular=True),
    ),
    (
        (eltwise.TTIRLogicalOrOp, eltwise.TTNNLogicalOrOp),
        OwnArithmetic(np.logical_or, _LOGICAL, modular=True),
    ),
    (
        (eltwise.TTIRLogicalXorOp, eltwise.TTNNLogicalXorOp),
        OwnArithmetic(np.logical_xor, _LOGICAL, modular=True),
    ),
    (
        (eltwise.TTIRRemainderOp, eltwise.TTNNRemainderOp),
        OwnArithmetic(
            np.fmod,
            "by its definition the operation gives -2 for -17 and 3, with the sign of the dividend; the row gives 1, as Python does",
            modular=True,
        ),
    ),
    (
        (eltwise.TTIRWhereOp, eltwise.TTNNWhereOp),
        OwnArithmetic(_where, "the row rounds the chosen value to float32", modular=True),
    ),
)


def elementwise(
    kind: type[RowOperation], inputs: Sequence[Values], result: NumberFormat, params: Sequence[float] = ()
) -> Values:
    """The value of an elementwise operation of a class; operands are broadcast against each other as in NumPy.

    ``params`` are the operation's numbers (``leaky_relu``: the slope; ``clamp``: smallest, largest). A result of an
    integer type is wrapped to its width, or truncated and saturated if the function is one of real numbers. Comparisons
    give 1 and 0 in the type of the result.
    """
    own = OWN.of(kind)
    row = None if own is not None else op(kind.ROW.function)
    modular = own.modular if own is not None else row is not None and row.accepts == "all" and not params
    in_integers = modular and result.is_integer and all(_is_whole(array) for array in inputs)
    operands: list[npt.NDArray[Any]] = (
        [array.astype(np.int64) for array in inputs] if in_integers else list(inputs)
    )
    with np.errstate(all="ignore"):
        if own is not None:
            value = own.function(*operands)
        else:
            assert row is not None
            known = _WHOLE if in_integers else _REAL
            value = row.reference(operands, tuple(params or (one.default for one in row.params)), known)
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
