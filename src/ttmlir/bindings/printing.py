"""Operations, types and attributes to text, and the errors of their verification."""

from __future__ import annotations

from xdsl.dialects.builtin import LocationAttr, ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from ttl.ir.aliases import Aliases
from ttl.ir.assembly import AssemblyPrinter, Style
from ttl.ir.context import ToolContext
from ttl.ir.locations import is_location
from ttl.ir.mlir_text import print_as_mlir
from ttl.ir.numbering import Numbering
from ttl.ir.reports import Report
from ttl.ir.upstream_text import FORMS
from ttl.ir.verifier import verify


def operation_text(
    operation: Operation,
    context: ToolContext,
    *,
    generic: bool = False,
    locations: bool = False,
    local_scope: bool = False,
    elide_above: int | None = None,
    skip_regions: bool = False,
) -> str:
    """The text of an operation, as MLIR's bindings print it.

    Unless ``local_scope`` is set, values of a nested operation are numbered as in the text of the outer one, and
    aliases are used but not defined.
    """
    shown = operation.clone_without_regions() if skip_regions and operation.parent is None else operation
    style = Style(generic=generic, locations=locations, local_scope=local_scope, elide_from=elide_above)
    if shown.parent is None:
        text = print_as_mlir(shown, style, context)
        return text if isinstance(shown, ModuleOp) else text.removesuffix("\n")
    top = _numbered_from(operation) if local_scope else _outermost(operation)
    numbering = Numbering(top, unique=generic)
    aliases = {} if local_scope else Aliases(top, style, numbering, FORMS).names
    printer = AssemblyPrinter(style, numbering, aliases, FORMS)
    printer.print_op(shown)
    return printer.take()


def _outermost(operation: Operation) -> Operation:
    while (above := operation.parent_op()) is not None:
        operation = above
    return operation


def _numbered_from(operation: Operation) -> Operation:
    """Return the enclosing operation at which the numbering of values starts."""
    while (above := operation.parent_op()) is not None:
        operation = above
        if operation.has_trait(IsolatedFromAbove, value_if_unregistered=False):
            break
    return operation


def attribute_text(attribute: Attribute) -> str:
    """The text of an attribute, a type or a location, without aliases."""
    style = Style(local_scope=True)
    printer = AssemblyPrinter(style, Numbering(ModuleOp([]), unique=True), {}, FORMS)
    if isinstance(attribute, LocationAttr) or is_location(attribute):
        return f"loc({printer.place_of(attribute)})"
    return printer.text_of(attribute)


def value_name(value: SSAValue) -> str:
    """Return the name of a value, such as ``%0``, as it is printed in its function."""
    owner = value.owner
    inside = owner if isinstance(owner, Operation) else owner.parent_op()
    if inside is None:
        return "<<UNKNOWN SSA VALUE>>"
    return Numbering(_outermost(inside), unique=False).values[value]


def value_text(value: SSAValue, context: ToolContext) -> str:
    """The text of the operation that defines a value; for a block argument its type and number."""
    if isinstance(value, BlockArgument):
        return f"<block argument> of type '{attribute_text(value.type)}' at index: {value.index}"
    owner = value.owner
    assert isinstance(owner, Operation)
    return operation_text(owner, context)


def verify_operation(operation: Operation) -> list[Report]:
    """Return the errors of an operation and of the operations in it."""
    return list(verify(operation))
