"""Dense elements from and to NumPy's arrays. bfloat16 has no type in NumPy: its arrays are of float32."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects import builtin
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, Signedness, TensorType

from ttl.ir.dense import dense, values_of

_FLOATS = {"float16": builtin.f16, "float32": builtin.f32, "float64": builtin.f64}


def from_values(shaped: Any, values: Sequence[Any]) -> DenseIntOrFPElementsAttr[Any]:
    """Make elements of a tensor type; a single value stands for all elements."""
    return dense(shaped, values)


def from_array(
    array: Any, signless: bool, element: Any, shape: Sequence[int] | None
) -> DenseIntOrFPElementsAttr[Any]:
    """Make elements from an array.

    ``element`` is the element type, the whole shaped type, or None for the array's own type.
    """
    values = np.asarray(array)
    if element is None:
        element = _element_of(values.dtype, signless)
    shaped = element if isinstance(element, TensorType) else TensorType(element, shape or values.shape)
    values = _numbers_of_bits(values, shaped.element_type)
    if values.size > 1 and _is_one_value(values):
        # Only for the array's own shape: a surplus value must not be taken for a splat.
        _check_count(shaped, values.size)
        values = values.reshape(-1)[:1]
    flat = values.reshape(-1).tolist()
    if isinstance(shaped.element_type, builtin.IntegerType) and values.dtype == np.bool_:
        flat = [int(value) for value in flat]
    return dense(shaped, flat)


def _is_one_value(values: Any) -> bool:
    raw = np.ascontiguousarray(values).reshape(-1)
    raw = raw.view(f"u{raw.itemsize}") if raw.itemsize in (1, 2, 4, 8) else raw
    return bool((raw == raw[0]).all())


def _check_count(shaped: Any, count: int) -> None:
    expected = math.prod(shaped.get_shape())
    if count != expected:
        raise ValueError(
            f"expected {expected} elements for '{shaped}', or one for all of them, but got {count}"
        )


def _numbers_of_bits(values: Any, element: Any) -> Any:
    """Take unsigned integers as the bits of floats of the same width: this is how bfloat16 is passed."""
    if values.dtype.kind != "u":
        return values
    match element:
        case builtin.BFloat16Type() if values.dtype == np.uint16:
            return (values.astype(np.uint32) << 16).view(np.float32)
        case builtin.Float16Type() if values.dtype == np.uint16:
            return values.view(np.float16)
        case builtin.Float32Type() if values.dtype == np.uint32:
            return values.view(np.float32)
        case builtin.Float64Type() if values.dtype == np.uint64:
            return values.view(np.float64)
    return values


def _element_of(dtype: Any, signless: bool) -> Any:
    if dtype == np.bool_:
        return builtin.i1
    if dtype.name in _FLOATS:
        return _FLOATS[dtype.name]
    if dtype.kind in "iu":
        signedness = Signedness.SIGNED if dtype.kind == "i" else Signedness.UNSIGNED
        return builtin.IntegerType(8 * dtype.itemsize, Signedness.SIGNLESS if signless else signedness)
    raise ValueError(f"unimplemented array format conversion from format: {dtype}; convert it with astype")


def to_array(attribute: DenseIntOrFPElementsAttr[Any]) -> Any:
    """The values as an array of the tensor's shape."""
    values = np.array(values_of(attribute), dtype=_dtype_of(attribute.get_element_type()))
    shape = attribute.get_shape()
    return np.broadcast_to(values[0], shape) if values.size == 1 else values.reshape(shape)


def _dtype_of(element: Any) -> Any:
    match element:
        case builtin.Float16Type():
            return np.float16
        case builtin.Float64Type():
            return np.float64
        case builtin.IndexType():
            return np.int64
        case builtin.IntegerType():
            width = element.width.data
            if width == 1:
                return np.bool_
            kind = "uint" if element.signedness.data is Signedness.UNSIGNED else "int"
            return np.dtype(f"{kind}{max(8, 1 << (width - 1).bit_length())}")
    return np.float32
