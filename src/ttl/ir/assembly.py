"""The printer of text that MLIR's own tools would print, to the byte.

Differs from ``ttl.ir.printer``, which keeps the names of the program: values are numbered, attributes are sorted by name,
``return`` and ``call`` have no dialect in a function, and aliases (``ttl.ir.aliases``) are in MLIR's order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import affine
from xdsl.dialects.builtin import FunctionType, UnregisteredAttr, UnregisteredOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.printer import Printer

from ttl.ir.attribute_text import ELIDED, PLACES, SPELLERS, dictionary, entry, function_type, unregistered
from ttl.ir.literals import HEX_FROM, keyword, quoted_bytes
from ttl.ir.numbering import Numbering
from ttl.ir.syntax import PrintsAliases


@dataclass(frozen=True, kw_only=True, slots=True)
class Style:
    """How a module is printed."""

    # Whether every operation is in the generic form.
    generic: bool = False
    # Whether locations are printed.
    locations: bool = False
    # Whether aliases are left out, as for an operation that is printed on its own.
    local_scope: bool = False
    # Tables with more elements than this are left out, unless all elements are equal; None for no limit.
    elide_from: int | None = None
    # Tables with more elements than this are printed as their bytes, unless all elements are equal.
    hex_from: int = HEX_FROM
    # Whether the regions of operations are printed.
    regions: bool = True


# A function that prints the text of an operation after its name.
Assembly = Callable[[Any, Any], None]


class AssemblyPrinter(Printer, PrintsAliases):
    """Prints one operation with everything nested in it. Use ``ttl.ir.mlir_text``."""

    def __init__(
        self,
        style: Style,
        numbering: Numbering,
        aliases: Mapping[Attribute, str],
        forms: Mapping[str, Assembly],
    ) -> None:
        """``forms`` are the forms of operations, by name, that replace the class's own."""
        super().__init__(print_generic_format=style.generic, print_debuginfo=style.locations)
        self._forms = forms
        self.elide_from = style.elide_from
        self.hex_from = style.hex_from
        self._with_regions = style.regions
        self.resources: dict[str, set[str]] = {}
        self._numbering = numbering
        self._aliases = aliases
        self._output: list[str] = []
        # Texts by the identity of the attribute, which is stored, too, so that its identity is not reused.
        self._texts: dict[int, tuple[Attribute, str]] = {}
        self._short_texts: dict[int, tuple[Attribute, str]] = {}
        # The dialects whose operations are printed without the dialect's name, innermost last.
        self._dialects = ["builtin"]

    def take(self) -> str:
        """Return the printed text, and clear it."""
        text = "".join(self._output)
        self._output.clear()
        return text

    # Characters.

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text and indent != 0:
            text = text.replace("\n", f"\n{' ' * (2 * self._indent)}")
        self._output.append(text)

    def _print_new_line(self, indent: int | None = None, print_message: bool = True) -> None:
        self._output.append(f"\n{' ' * (2 * (self._indent if indent is None else indent))}")

    def print_identifier_or_string_literal(self, string: str) -> None:
        self.print_string(keyword(string))

    def print_bytes_literal(self, bytestring: bytes) -> None:
        self._output.append(quoted_bytes(bytestring))

    # Attributes.

    def text_of(self, attribute: Attribute) -> str:
        """Return an attribute or type as text, or its alias."""
        known = self._texts.get(id(attribute))
        if known is not None:
            return known[1]
        alias = self._aliases.get(attribute) if self._aliases else None
        text = self.spelled(attribute) if alias is None else alias
        self._texts[id(attribute)] = (attribute, text)
        return text

    def short_text_of(self, attribute: Attribute) -> str:
        """Return the text of an attribute in a list, where ``64``-bit numbers have no type."""
        spell = ELIDED.get(attribute.__class__)
        return self.text_of(attribute) if spell is None else spell(attribute, self)

    def spelled(self, attribute: Attribute) -> str:
        """Return an attribute or type as text, without its own alias."""
        spell = SPELLERS.get(attribute.__class__)
        if spell is not None:
            return spell(attribute, self)
        if isinstance(attribute, UnregisteredAttr):
            return unregistered(attribute)
        output, self._output = self._output, []
        super().print_attribute(attribute)
        parts, self._output = self._output, output
        return "".join(parts)

    def place_of(self, location: Attribute) -> str:
        """Return a location without ``loc(...)``, or its alias."""
        alias = self._aliases.get(location) if self._aliases else None
        return PLACES[location.__class__](location, self) if alias is None else alias

    def uses_resource(self, dialect: str, key: str) -> None:
        self.resources.setdefault(dialect, set()).add(key)

    def print_attribute(self, attribute: Attribute) -> None:
        self._output.append(self.text_of(attribute))

    def print_short_attribute(self, attribute: Attribute) -> None:
        """Print an attribute in its short form for lists."""
        self._output.append(self.short_text_of(attribute))

    def print_alias(self, attribute: Attribute) -> bool:
        alias = self._aliases.get(attribute) if self._aliases else None
        if alias is None:
            return False
        self._output.append(alias)
        return True

    def print_attr_dict(self, attr_dict: Mapping[str, Attribute]) -> None:
        self._output.append(dictionary(attr_dict, self))

    def print_op_attributes(
        self,
        attributes: Mapping[str, Attribute],
        *,
        reserved_attr_names: Iterable[str] = (),
        print_keyword: bool = False,
    ) -> bool:
        reserved = set(reserved_attr_names)
        entries = [(name, value) for name, value in attributes.items() if name not in reserved]
        if not entries:
            return False
        self._output.append(" attributes {" if print_keyword else " {")
        self.print_entries(entries)
        self._output.append("}")
        return True

    def print_entries(self, entries: list[tuple[str, Attribute]]) -> None:
        """Print ``a = 1 : i32, b``, sorted by name."""
        entries.sort(key=lambda item: item[0])
        self._output.append(", ".join([entry(name, value, self) for name, value in entries]))

    def print_function_type(
        self, input_types: Iterable[Attribute], output_types: Iterable[Attribute]
    ) -> None:
        outputs = list(output_types)
        self._output.append(
            function_type(
                ", ".join([self.text_of(type) for type in input_types]),
                [self.text_of(type) for type in outputs],
                wrapped=len(outputs) == 1 and isinstance(outputs[0], FunctionType),
            )
        )

    def print_resource_handle(self, dialect: str, handle: str) -> None:
        self.uses_resource(dialect, handle)
        self.print_string(keyword(handle))

    # Values and blocks.

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self._numbering.values.get(value, "<<UNKNOWN SSA VALUE>>")
        self._output.append(name)
        return name.removeprefix("%")

    def print_operands(self, operands: Sequence[SSAValue]) -> None:
        names = self._numbering.values
        self._output.append(
            f"({', '.join([names.get(operand, '<<UNKNOWN SSA VALUE>>') for operand in operands])})"
        )

    def print_block_name(self, block: Block) -> str:
        name = self._numbering.blocks.get(block, "^INVALIDBLOCK")
        self._output.append(name)
        return name.removeprefix("^")

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        self.print_argument(arg, {}, with_type=print_type)

    def print_argument(
        self, argument: BlockArgument, attributes: Mapping[str, Attribute], *, with_type: bool = True
    ) -> None:
        """Print ``%arg0: type {attributes} loc(...)``."""
        self.print_ssa_value(argument)
        if with_type:
            self.print_string(": ")
            self.print_attribute(argument.type)
        self.print_op_attributes(attributes)
        # Loop-carried values are printed beside the operands that they begin with, without type and location; so is
        # the variable of scf.for.
        if self.print_debuginfo and (with_type or _is_affine_variable(argument)):
            self.print_string(f" loc({PLACES[argument.location.__class__](argument.location, self)})")

    def print_location(self, op: Operation) -> None:
        """Print `` loc(...)`` after an operation, if locations are printed."""
        if self.print_debuginfo:
            self._output.append(f" loc({self.place_of(op.location)})")

    # Operations and regions.

    def print_op(self, op: Operation) -> None:
        if op.results:
            self._output.append(f"{self._numbering.results[op]} = ")
        self.print_op_without_results(op)
        self.print_location(op)

    def print_op_without_results(self, op: Operation) -> None:
        """Print an operation from its name on."""
        assembly = None if self.print_generic_format else self._form_of(op)
        if assembly is None:
            self.print_op_with_default_format(op)
            return
        name, dialect = op.name, self._dialects[-1]
        short = name.startswith(f"{dialect}.") and name.count(".") == 1
        self._output.append(name[len(dialect) + 1 :] if short else name)
        assembly(op, self)

    def _form_of(self, op: Operation) -> Assembly | None:
        known = self._forms.get(op.name)
        if known is not None:
            return known
        written = op.__class__.print
        return None if written is Operation.print or isinstance(op, UnregisteredOp) else written

    def print_op_with_default_format(self, op: Operation) -> None:
        output = self._output
        attributes = op.attributes
        if isinstance(op, UnregisteredOp):
            output.append(f'"{op.op_name.data}"')
            attributes = {name: value for name, value in attributes.items() if name != "op_name__"}
        else:
            output.append(f'"{op.name}"')
        self.print_operands(op.operands)
        if op.successors:
            output.append(f"[{', '.join(self._numbering.blocks.get(to, '^') for to in op.successors)}]")
        if op.properties:
            output.append(f" <{dictionary(op.properties, self)}>")
        if self._with_regions:
            self.print_regions(op.regions)
        if attributes:
            output.append(f" {dictionary(attributes, self)}")
        output.append(" : ")
        self.print_function_type(op.operand_types, op.result_types)

    def print_operation_type(self, op: Operation) -> None:
        self.print_function_type(op.operand_types, op.result_types)

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        self._dialects.append(self._default_dialect(region.parent))
        self.print_string("{")
        for index, block in enumerate(region.blocks):
            entry = index == 0
            labelled = not entry or (bool(block.args) and print_entry_block_args)
            if entry and not labelled:
                labelled = (not block.ops and print_empty_block) or _is_target(block)
            self.print_block(block, labelled, print_block_terminators)
        self._print_new_line()
        self.print_string("}")
        self._dialects.pop()

    def _default_dialect(self, op: Operation | None) -> str:
        if self.print_generic_format or op is None:
            return ""
        return {"builtin.module": "builtin", "func.func": "func"}.get(op.name, "")

    def print_block(
        self, block: Block, print_block_args: bool = True, print_block_terminator: bool = True
    ) -> None:
        if print_block_args:
            self._print_new_line()
            self.print_block_name(block)
            if block.args:
                self.print_string("(")
                self.print_list(block.args, self.print_block_argument)
                self.print_string(")")
            self.print_string(":")
            self._print_predecessors(block)
        last = None if print_block_terminator else block.last_op
        self._indent += 1
        for op in block.ops:
            if op is not last:
                self._print_new_line()
                self.print_op(op)
        self._indent -= 1

    def _print_predecessors(self, block: Block) -> None:
        region = block.parent
        if region is None or (block is region.blocks.first and not _is_target(block)):
            return
        blocks = self._numbering.blocks
        before = [blocks.get(other, "^") for other in _predecessors(block)]
        # MLIR lists the latest use first.
        names = ", ".join(sorted(set(before), key=lambda name: (len(name), name)))
        match len(before):
            case 0:
                self.print_string("  // no predecessors")
            case 1:
                self.print_string(f"  // pred: {names}")
            case count:
                self.print_string(f"  // {count} preds: {names}")


def _predecessors(block: Block) -> list[Block]:
    region = block.parent
    return (
        []
        if region is None
        else [
            other
            for other in region.blocks
            for op in (other.last_op,)
            if op is not None
            for to in op.successors
            if to is block
        ]
    )


def _is_target(block: Block) -> bool:
    return bool(_predecessors(block))


def _is_affine_variable(argument: BlockArgument) -> bool:
    """Return whether a value is the variable of an ``affine.for``, which MLIR prints without its type, but with its place."""
    loop = argument.block.parent_op()
    return argument.index == 0 and isinstance(loop, affine.ForOp)
