"""Operations, types and attributes to text, and what verification says of an operation."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from ttl.ir.printer import TextPrinter, print_module

if TYPE_CHECKING:
    from ttl.ir.reports import Report


def operation_text(
    operation: Operation,
    *,
    generic: bool = False,
    locations: bool = False,
    local_scope: bool = False,
    elide_above: int | None = None,
    skip_regions: bool = False,
) -> str:
    """The text of an operation, as its bindings print it."""
    assert isinstance(operation, ModuleOp)
    return print_module(operation, generic=generic, locations=locations)


def attribute_text(attribute: Attribute) -> str:
    """The text of an attribute, a type or a location, without aliases."""
    stream = StringIO()
    TextPrinter(stream=stream).print_attribute(attribute)
    return stream.getvalue()


def value_name(value: SSAValue) -> str:
    """``%0``, as the function that it is in prints it."""
    raise NotImplementedError


def value_text(value: SSAValue) -> str:
    """The operation that makes a value; of an argument of a block its type and number."""
    if isinstance(value, BlockArgument):
        return f"<block argument> of type '{attribute_text(value.type)}' at index: {value.index}"
    owner = value.owner
    assert isinstance(owner, Operation)
    return operation_text(owner)


def verify_operation(operation: Operation) -> list[Report]:
    """What is wrong with an operation and what is in it."""
    from ttl.ir.verifier import verify

    return list(verify(operation))
