"""The elements of constants, and facts about a function's arguments that its text states: values, limits, results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, SSAValue

from tt_model.operations.ttir import TTIRConstantOp, TTIRFillOp
from ttl.ir.dense import first_of, is_splat

# Marks an argument that is a constant: TTNN fills tensors with one number only, and a file includes other constants.
_VALUE = "ttir.value"
# The smallest and the largest number in an argument: integers of 64 bits have 32 on the device.
_LIMITS = "ttir.limits"
# The result that an argument holds afterwards, if the function writes into it, such as a cache.
_WRITTEN = "ttir.written"
# The same in text of StableHLO.
_ALIASED = "tf.aliasing_output"


def splat_of(op: TTIRConstantOp | TTIRFillOp) -> float | None:
    """The number that all elements of a constant have; None if they differ.

    None, too, for integers whose width is not 1, 8, 16, 32 or 64 bits.
    """
    value = op.value
    if not (isinstance(value, DenseIntOrFPElementsAttr) and is_splat(value)):
        return None
    element = value.type.element_type
    if isinstance(element, IntegerType) and element.width.data not in (1, 8, 16, 32, 64):
        return None
    number = first_of(value)
    return float(number) if isinstance(number, int | float) else None


def give_values(function: FuncOp, values: Mapping[int, DenseIntOrFPElementsAttr[Any]]) -> None:
    """Record in the text of a function which of its arguments, by position, are constants."""
    _say(function, _VALUE, values)


def values_of_arguments(function: FuncOp) -> dict[int, DenseIntOrFPElementsAttr[Any]]:
    """The arguments of a function, by position, that are constants according to its text."""
    given = _said(function, _VALUE).items()
    return {index: value for index, value in given if isinstance(value, DenseIntOrFPElementsAttr)}


def give_limits(function: FuncOp, limits: Mapping[int, tuple[int, int]]) -> None:
    """Record the limits (inclusive) of the elements of a function's arguments, by position, in its text."""
    _say(function, _LIMITS, {index: DenseArrayBase.from_list(i64, pair) for index, pair in limits.items()})


def limits_of_arguments(function: FuncOp) -> dict[int, tuple[int, int]]:
    """The smallest and the largest number of a function's arguments, by position, where its text states them."""
    limits: dict[int, tuple[int, int]] = {}
    for index, written in _said(function, _LIMITS).items():
        if isinstance(written, DenseArrayBase) and len(written) == 2:
            least, most = written.get_values()
            limits[index] = int(least), int(most)
    return limits


def give_written(function: FuncOp, results: Mapping[int, int]) -> None:
    """Record in the text of a function which arguments it writes results into; both are by position."""
    _say(function, _WRITTEN, {index: IntegerAttr(result, i64) for index, result in results.items()})


def written_arguments(function: FuncOp) -> dict[int, int]:
    """The arguments that a function writes into according to its text, each with the result that it holds afterwards.

    Both are by position.
    """
    said = (_said(function, _ALIASED) | _said(function, _WRITTEN)).items()
    outputs = len(function.function_type.outputs)
    return {
        index: result.value.data
        for index, result in said
        if isinstance(result, IntegerAttr) and 0 <= result.value.data < outputs
    }


def add_argument(function: FuncOp, type: Attribute, like: SSAValue | None = None) -> BlockArgument:
    """Add an argument to a function, with the attributes of ``like`` if that is an argument, too."""
    block, held = function.body.block, _attributes(function)
    own = held[like.index] if isinstance(like, BlockArgument) and held else {}
    argument = block.insert_arg(type, len(block.args))
    old = function.function_type
    function.properties["function_type"] = FunctionType.from_lists([*old.inputs, type], list(old.outputs))
    if held:
        _write(function, [*held, own])
    return argument


def erase_argument(function: FuncOp, argument: BlockArgument) -> None:
    """Erase an unused argument of a function, and its attributes in the text."""
    held, old, index = _attributes(function), function.function_type, argument.index
    if held:
        del held[index]
        _write(function, held)
    function.body.block.erase_arg(argument)
    inputs = [one for at, one in enumerate(old.inputs) if at != index]
    function.properties["function_type"] = FunctionType.from_lists(inputs, list(old.outputs))


def _say(function: FuncOp, name: str, values: Mapping[int, Attribute]) -> None:
    held = _attributes(function)
    held += [{} for _ in range(len(function.function_type.inputs) - len(held))]
    for index, value in values.items():
        held[index][name] = value
    _write(function, held)


def _write(function: FuncOp, held: Sequence[dict[str, Attribute]]) -> None:
    function.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(one) for one in held])


def _said(function: FuncOp, name: str) -> dict[int, Attribute]:
    return {index: one[name] for index, one in enumerate(_attributes(function)) if name in one}


def _attributes(function: FuncOp) -> list[dict[str, Attribute]]:
    return [dict(one.data) for one in function.arg_attrs.data] if function.arg_attrs is not None else []
