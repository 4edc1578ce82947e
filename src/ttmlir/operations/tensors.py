"""The types of values that their operations require to be tensors, and where values come from."""

from __future__ import annotations

from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

Tensor = TensorType[Attribute]


def tensor_type_of(value: SSAValue) -> Tensor:
    """The type of a value that its operation requires to be a tensor."""
    type = value.type
    assert isinstance(type, TensorType)
    return type


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor."""
    return tensor_type_of(value).get_shape()


def location_of(value: SSAValue) -> LocationAttr:
    """Where a value comes from."""
    match value:
        case OpResult():
            return value.op.location
        case BlockArgument():
            return value.location
    raise TypeError(f"a value that comes from nowhere: {value}")
