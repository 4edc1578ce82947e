"""The types that operations require of values, and the locations of values."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import LocationAttr, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
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
    """Return the location of a value."""
    match value:
        case OpResult():
            return value.op.location
        case BlockArgument():
            return value.location
    raise TypeError(f"a value without a definition: {value}")


def types_of_function(op: ReturnOp | CallOp, functions: Mapping[str, FuncOp]) -> tuple[Attribute, ...]:
    """Return the types that a return must have, or that a call must pass; empty for an unknown function."""
    if isinstance(op, CallOp):
        callee = functions.get(op.callee.root_reference.data)
        return () if callee is None else tuple(callee.function_type.inputs)
    function = op.parent_op()
    return tuple(function.function_type.outputs) if isinstance(function, FuncOp) else ()
