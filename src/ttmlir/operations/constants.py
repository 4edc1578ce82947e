"""What constants consist of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, DictionaryAttr, IntegerType
from xdsl.dialects.func import FuncOp

from ttl.ir.dense import first_of, is_splat
from ttmlir.operations.ttir import TTIRConstantOp, TTIRFillOp

# What an argument is that is no input: TTNN fills tensors with one number only, and a file brings other constants along.
_VALUE = "ttir.value"


def splat_of(op: TTIRConstantOp | TTIRFillOp) -> float | None:
    """The number of which a constant consists; None where there are several, or one of a type without numbers."""
    value = op.value
    if not (isinstance(value, DenseIntOrFPElementsAttr) and is_splat(value)):
        return None
    element = value.type.element_type
    if isinstance(element, IntegerType) and element.width.data not in (1, 8, 16, 32, 64):
        return None
    number = first_of(value)
    return float(number) if isinstance(number, int | float) else None


def give_values(function: FuncOp, values: Mapping[int, DenseIntOrFPElementsAttr[Any]]) -> None:
    """Say in the text of a function which of its arguments, by position, are constants."""
    held = [
        DictionaryAttr({_VALUE: values[index]} if index in values else {})
        for index in range(len(function.function_type.inputs))
    ]
    function.properties["arg_attrs"] = ArrayAttr(held)


def values_of_arguments(function: FuncOp) -> dict[int, DenseIntOrFPElementsAttr[Any]]:
    """The arguments of a function, by position, that its text says to be constants."""
    held = function.arg_attrs.data if function.arg_attrs is not None else ()
    given = ((index, one.data.get(_VALUE)) for index, one in enumerate(held))
    return {index: value for index, value in given if isinstance(value, DenseIntOrFPElementsAttr)}
