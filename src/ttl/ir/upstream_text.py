"""The assembly of operations of MLIR's own dialects that xDSL prints differently."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr
from xdsl.ir import Attribute, Operation

from ttl.ir.assembly import Assembly, AssemblyPrinter
from ttl.ir.literals import symbol


def _string(op: Operation, name: str) -> str | None:
    value = op.properties.get(name, op.attributes.get(name))
    return value.data if isinstance(value, StringAttr) else None


def _module(op: Operation, printer: AssemblyPrinter) -> None:
    name = _string(op, "sym_name")
    if name is not None:
        printer.print_string(f" {symbol(name)}")
    printer.print_op_attributes(
        {**op.attributes, **op.properties}, reserved_attr_names=("sym_name",), print_keyword=True
    )
    printer.print_string(" ")
    printer.print_region(op.regions[0], print_entry_block_args=False, print_empty_block=False)


def _dictionaries(op: Operation, name: str, count: int) -> list[Mapping[str, Attribute]]:
    value = op.properties.get(name)
    if not isinstance(value, ArrayAttr):
        return [{}] * count
    return [part.data if isinstance(part, DictionaryAttr) else {} for part in value.data]


def _function(op: Operation, printer: AssemblyPrinter) -> None:
    visibility, name = _string(op, "sym_visibility"), _string(op, "sym_name") or ""
    printer.print_string(f" {f'{visibility} ' if visibility else ''}{symbol(name)}(")
    type = op.properties["function_type"]
    assert isinstance(type, FunctionType)
    inputs, outputs = type.inputs.data, type.outputs.data
    of_inputs = _dictionaries(op, "arg_attrs", len(inputs))
    body = op.regions[0]
    entry = body.blocks.first
    for index, (input_type, attributes) in enumerate(zip(inputs, of_inputs)):
        if index:
            printer.print_string(", ")
        if entry is None:
            printer.print_attribute(input_type)
            printer.print_op_attributes(attributes)
        else:
            printer.print_argument(entry.args[index], attributes)
    printer.print_string(")")
    if outputs:
        _outputs(outputs, _dictionaries(op, "res_attrs", len(outputs)), printer)
    ours = ("sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs")
    printer.print_op_attributes(
        {**op.attributes, **op.properties}, reserved_attr_names=ours, print_keyword=True
    )
    if entry is not None:
        printer.print_string(" ")
        printer.print_region(body, print_entry_block_args=False, print_empty_block=False)


def _outputs(
    types: tuple[Attribute, ...], attributes: list[Mapping[str, Attribute]], printer: AssemblyPrinter
) -> None:
    bare = len(types) == 1 and not isinstance(types[0], FunctionType) and not attributes[0]
    printer.print_string(" -> " if bare else " -> (")
    for index, type in enumerate(types):
        if index:
            printer.print_string(", ")
        printer.print_attribute(type)
        printer.print_op_attributes(attributes[index])
    if not bare:
        printer.print_string(")")


def _return(op: Operation, printer: AssemblyPrinter) -> None:
    printer.print_op_attributes({**op.attributes, **op.properties})
    if op.operands:
        printer.print_string(" ")
        printer.print_list(op.operands, printer.print_operand)
        printer.print_string(" : ")
        printer.print_list(op.operand_types, printer.print_attribute)


def _call(op: Operation, printer: AssemblyPrinter) -> None:
    printer.print_string(" ")
    printer.print_attribute(op.properties["callee"])
    printer.print_operands(op.operands)
    printer.print_op_attributes(
        {**op.attributes, **op.properties}, reserved_attr_names=("callee", "no_inline")
    )
    printer.print_string(" : ")
    printer.print_operation_type(op)


def _constant(op: Operation, printer: AssemblyPrinter) -> None:
    printer.print_op_attributes({**op.attributes, **op.properties}, reserved_attr_names=("value",))
    printer.print_string(" ")
    printer.print_attribute(op.properties["value"])


def _empty(op: Operation, printer: AssemblyPrinter) -> None:
    printer.print_operands(op.operands)
    printer.print_op_attributes({**op.attributes, **op.properties})
    printer.print_string(" : ")
    printer.print_attribute(op.results[0].type)


def _apply(op: Any, printer: AssemblyPrinter) -> None:
    printer.print_string(" ")
    printer.print_attribute(op.properties["map"])
    dims = op.properties["map"].data.num_dims
    printer.print_operands(op.operands[:dims])
    if op.operands[dims:]:
        printer.print_string("[")
        printer.print_list(op.operands[dims:], printer.print_operand)
        printer.print_string("]")
    printer.print_op_attributes(op.attributes)


FORMS: Mapping[str, Assembly] = MappingProxyType(
    {
        "affine.apply": _apply,
        "arith.constant": _constant,
        "builtin.module": _module,
        "func.call": _call,
        "func.func": _function,
        "func.return": _return,
        "tensor.empty": _empty,
    }
)
