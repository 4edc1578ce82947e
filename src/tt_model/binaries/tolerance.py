"""The error that a result may have, which depends on the operation and on the data type that the result is stored in.

An operation that moves or chooses elements has no error. One that computes an element from a few others has the error
of its function and of one rounding. A sum of many terms has an error in proportion to the sum of their magnitudes,
which may be much larger than the result.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from tt_model.layouts.enums import DataType
from tt_model.operations.elementwise import TTNNCosOp, TTNNGeluOp, TTNNLog1pOp, TTNNSinOp
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.shared import TTNNReductionOp, TTNNSoftmaxOp
from tt_model.operations.ttnn import TTNNReduceScatterOp

Values = npt.NDArray[np.float64]
# Bits of a mantissa, including the leading one; they determine one unit in the last place.
_PRECISION = MappingProxyType(
    {
        DataType.Float32: 24,
        DataType.Float16: 11,
        DataType.BFloat16: 8,
        DataType.BFP_BFloat8: 7,
        DataType.BFP_Float8: 7,
        DataType.BFP_BFloat4: 3,
        DataType.BFP_Float4: 3,
        DataType.BFP_BFloat2: 1,
        DataType.BFP_Float2: 1,
    }
)
_SMALLEST_EXPONENT = MappingProxyType({DataType.Float16: -14})
_BLOCKS = frozenset(data_type for data_type in DataType if data_type.name.startswith("BFP"))
_INTEGERS = frozenset({DataType.UInt32, DataType.UInt16, DataType.UInt8})
# Elements that share an exponent in a block float.
_SHARED = 16
_FLOAT32 = 2.0**-24

# Functions that are computed as the difference of two numbers, or of a reduced argument.
_OF_DIFFERENCES = (TTNNSinOp, TTNNCosOp, TTNNLog1pOp)
# The largest error after many operations, as a fraction of the largest result.
_ADDED_UP = MappingProxyType(
    {DataType.Float32: 1e-3, DataType.Float16: 1e-2, DataType.BFloat16: 5e-2}
    | {data_type: 2.0 ** (2 - _PRECISION[data_type]) for data_type in _BLOCKS}
)


def units(values: Values, data_type: DataType) -> Values:
    """One unit in the last place of each value; for a block float, that of the largest value of its block."""
    size = np.abs(values)
    if data_type in _INTEGERS:
        return np.ones_like(size)
    if data_type in _BLOCKS and size.size:
        size = _largest_of_blocks(size)
    smallest = _SMALLEST_EXPONENT.get(data_type, -126)
    with np.errstate(all="ignore"):
        exponent = np.floor(np.log2(np.where(np.isfinite(size) & (size > 0), size, 0.0)))
    unit: Values = np.exp2(np.maximum(exponent, smallest) - _PRECISION[data_type] + 1)
    return unit


def _largest_of_blocks(size: Values) -> Values:
    columns = size.shape[-1]
    padded = np.pad(size, [(0, 0)] * (size.ndim - 1) + [(0, -columns % _SHARED)])
    blocks = padded.reshape(*size.shape[:-1], -1, _SHARED).max(axis=-1, keepdims=True)
    spread: Values = np.broadcast_to(blocks, (*blocks.shape[:-1], _SHARED)).reshape(padded.shape)[
        ..., :columns
    ]
    return spread


def own_tolerance(
    kind: type[TTNNOperation], data_type: DataType, wanted: Values, magnitude: Values | None
) -> Values:
    """The error that an operation may add to each element of its result.

    ``wanted`` is the exact result; ``magnitude``, for an operation that adds up, the sum of the magnitudes of its
    terms.
    """
    row = kind.ROW
    if data_type in _INTEGERS or (row.exact and data_type not in _BLOCKS):
        return np.zeros_like(wanted)
    unit = units(wanted, data_type)
    if row.exact:
        return unit
    # One unit of the result (eight for float32), and the smallest normal float32, as smaller numbers may become zero.
    allowed = unit * (1.0 if data_type is not DataType.Float32 else 8.0) + 2.0**-126
    if kind is TTNNReduceScatterOp and magnitude is not None:
        # Chips in a ring add one after the other, each rounding the sum it passes on: half a unit for each of up to
        # eight.
        return allowed + 4 * units(magnitude, data_type)
    if row.adds_up and magnitude is not None:
        return allowed + 64 * _FLOAT32 * magnitude
    if row.runs_kernels:
        # A kernel may consist of many operations, which are not known here.
        largest = float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0))
        return allowed + adds_up_to(data_type) * largest
    if kind is TTNNGeluOp:
        # Far below zero, the result is the difference of two numbers that are almost one.
        return allowed + 32 * _FLOAT32
    if kind in _OF_DIFFERENCES:
        return allowed + 2 * _FLOAT32
    if kind is TTNNSoftmaxOp:
        # Differences to the largest value are rounded before the exponential function is applied to them.
        with np.errstate(all="ignore"):
            exponent = np.abs(np.log(np.maximum(wanted, 2.0**-126)))
        return 4 * allowed + 2 * _FLOAT32 * exponent * wanted
    return allowed


def moves(kind: type[TTNNOperation]) -> bool:
    """Whether the result consists of elements of the inputs, in another place or shape."""
    return kind.ROW.exact and not kind.ROW.elementwise and not issubclass(kind, TTNNReductionOp)


def adds_up_to(data_type: DataType) -> float:
    """The error that all operations together may have, as a fraction of the largest result; 0 for whole numbers."""
    return _ADDED_UP.get(data_type, 0.0)
