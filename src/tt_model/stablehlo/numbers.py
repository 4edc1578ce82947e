"""Element types and tables of elements, in NumPy and in TTIR after the conversion."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    TensorType,
    bf16,
    f32,
    i32,
)
from xdsl.ir import Attribute, SSAValue

from tt_model.integers.bounds import CODE
from ttl.ir.dense import dense_of_bytes
from ttl.ir.refusals import Refused
from ttl.rows.dtypes import Array

Tensor = TensorType[Any]

_TYPES = "what works: tensors of known shape, of i1, integers of 8 to 64 bits, bf16, f16, f32 and f64"


def tensor_type(value: SSAValue | Attribute) -> Tensor:
    """Return a type, or that of a value, if it is a tensor's of known shape. Raises ``Refused`` for other types."""
    type = value.type if isinstance(value, SSAValue) else value
    if not isinstance(type, TensorType):
        raise Refused(f"{type} is not a tensor of known rank", _TYPES)
    if any(extent < 0 for extent in type.get_shape()):
        raise Refused(f"{type} has a dimension of unknown extent", _TYPES)
    return type


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The extents of a tensor. Raises ``Refused``."""
    return tensor_type(value).get_shape()


def is_truth(element: Attribute) -> bool:
    """Whether an element type is i1."""
    return isinstance(element, IntegerType) and element.width.data == 1


def is_unsigned(element: Attribute) -> bool:
    """Whether an element type is an integer marked as unsigned."""
    return isinstance(element, IntegerType) and element.signedness.data is Signedness.UNSIGNED


def dtype_of(element: Attribute) -> np.dtype[Any] | None:
    """The type in which NumPy computes with an element type: float32 for bf16; None if NumPy has no such type."""
    match element:
        case IntegerType() if is_truth(element):
            return np.dtype(np.bool_)
        case IntegerType() if element.width.data in (8, 16, 32, 64):
            return np.dtype(f"{'u' if is_unsigned(element) else ''}int{element.width.data}")
        case Float32Type() | BFloat16Type():
            return np.dtype(np.float32)
        case Float16Type():
            return np.dtype(np.float16)
        case Float64Type():
            return np.dtype(np.float64)
    return None


def converted_element(element: Attribute) -> Attribute:
    """Return TTIR's element type for one of StableHLO: bf16 for i1, i32 for i64, f32 for f64.

    Raises ``Refused`` for types without an equivalent.
    """
    match element:
        case IntegerType() if is_truth(element):
            return bf16
        case IntegerType() if element.width.data == 64:
            return i32
        case IntegerType() if element.width.data in (8, 16, 32):
            return element
        case Float64Type():
            return f32
        case Float32Type() | Float16Type() | BFloat16Type():
            return element
    code = f" [{CODE}]" if isinstance(element, IntegerType) else ""
    raise Refused(f"there are no numbers of the type {element} in TTIR{code}", _TYPES)


def converted_type(type: Attribute) -> Tensor:
    """Return the tensor type in TTIR: with a converted element type and at least one dimension. Raises ``Refused``."""
    known = tensor_type(type)
    element = converted_element(known.element_type)
    if element == known.element_type and known.get_shape():
        return known
    return TensorType(element, known.get_shape() or (1,))


def array_of(attribute: Attribute | None) -> Array | None:
    """The elements of ``dense<...>``; None for other attributes.

    If one value is repeated, the result is a view of it.
    """
    if not isinstance(attribute, DenseIntOrFPElementsAttr):
        return None
    element, shape = attribute.type.element_type, attribute.type.get_shape()
    dtype = dtype_of(element)
    if dtype is None:
        return None
    data = attribute.data.data
    if is_truth(element):
        values: Array = np.frombuffer(data, np.uint8) != 0
    elif isinstance(element, BFloat16Type):
        values = (np.frombuffer(data, "<u2").astype(np.uint32) << np.uint32(16)).view(np.float32)
    else:
        values = np.frombuffer(data, dtype.newbyteorder("<")).astype(dtype, copy=False)
    return np.broadcast_to(values.reshape(()), shape) if values.size == 1 else values.reshape(shape)


def dense_of(values: Array, element: Attribute) -> DenseIntOrFPElementsAttr[Any]:
    """A table of elements in a type of TTIR, with the shape of the array, but at least one dimension.

    Whole numbers are taken modulo the width of their type.
    """
    type: Tensor = TensorType(element, values.shape or (1,))
    if values.size and all(stride == 0 for stride, extent in zip(values.strides, values.shape) if extent > 1):
        values = values.reshape(-1)[:1] if values.ndim == 0 else values[(slice(0, 1),) * values.ndim]
    if isinstance(element, IntegerType):
        whole = values.astype(np.int64) if values.dtype.kind != "u" else values.astype(np.uint64)
        return dense_of_bytes(type, whole.astype(f"<i{element.width.data // 8}").tobytes())
    if isinstance(element, BFloat16Type):
        return dense_of_bytes(type, _bits_of_bf16(values.astype(np.float32)).tobytes())
    size = 2 if isinstance(element, Float16Type) else 4
    with np.errstate(over="ignore"):
        return dense_of_bytes(type, values.astype(f"<f{size}").tobytes())


def _bits_of_bf16(values: Array) -> Array:
    """Round to nearest, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(values).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(values), np.uint32(0x7FC0), rounded).astype("<u2")


def rounded_to(values: Array, element: Attribute) -> Array:
    """Convert values to an element type: floats are rounded, whole numbers are taken modulo its width."""
    dtype = dtype_of(element)
    assert dtype is not None
    with np.errstate(all="ignore"):
        if isinstance(element, BFloat16Type):
            single = np.ascontiguousarray(values, np.float32)
            bits = _bits_of_bf16(single).astype(np.uint32) << np.uint32(16)
            return bits.view(np.float32).reshape(values.shape)
        if dtype.kind == "b":
            return np.asarray(values != 0)
        if dtype.kind in "iu" and values.dtype.kind == "f":
            # Numbers out of range become the nearest number of the type, and NaN becomes 0, as in XLA.
            limits = np.iinfo(dtype)
            whole = np.nan_to_num(np.trunc(values), nan=0.0, posinf=np.inf, neginf=-np.inf)
            clipped = np.clip(whole.astype(np.float64), limits.min, limits.max)
            return np.where(clipped >= limits.max, limits.max, clipped.astype(dtype)).astype(dtype)
        return values.astype(dtype)
