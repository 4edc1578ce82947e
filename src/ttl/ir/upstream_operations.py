"""Operations of MLIR's own dialects that xDSL supports only partly: here they are parsed and printed completely."""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.dialects.tensor import EmptyOp, Tensor
from xdsl.ir import Dialect
from xdsl.parser import Parser
from xdsl.printer import Printer


class EmptyTensorOp(EmptyOp):
    """``tensor.empty(%n) {a = 1 : i32} : tensor<?xf32>``, including attributes before the type."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        start = parser.pos
        extents = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        place = parser.pos
        type = parser.parse_type()
        if not isinstance(type, TensorType):
            text = f"invalid kind of type specified: expected builtin.tensor, but found '{type}'"
            parser.raise_error(text, place, parser.pos)
        values = parser.resolve_operands(extents, (IndexType(),) * len(extents), start)
        empty = cls(values, type)
        empty.attributes |= attributes
        return empty

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_list(self.dynamic_sizes, printer.print_ssa_value)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)


def tensor() -> Dialect:
    """The dialect ``tensor``."""
    operations = [EmptyTensorOp if operation is EmptyOp else operation for operation in Tensor.operations]
    return Dialect("tensor", operations, list(Tensor.attributes))
