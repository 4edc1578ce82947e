"""A constant list of integers, indexed by an integer that is known only on the node."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IndexType, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, operand_def, prop_def, result_def, traits_def
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.compute import constant_of
from ttl.ir.rewriting import Foldable, Folds, replace_by_numbers
from ttl.ir.syntax import I64_ARRAY, i64_array, ints_of, numbers_of, operation_definition

# Kernels compute with 32 bits, with or without a sign.
_LEAST, _MOST = -(2**31), 2**32 - 1
_NAME = "list"


@irdl_custom_directive
class Members(CustomDirective):
    """``custom<Members>($members)``: an ``array<i64: ...>`` property, printed as ``[2, -1]``."""

    members: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        numbers = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        self.members.set(state, i64_array(numbers))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        attribute = self.members.get(op)
        assert isinstance(attribute, DenseArrayBase)
        printer.print_string(f"[{', '.join(map(str, ints_of(attribute)))}]")


class LookupOp(IRDLOperation, ABC):
    """The member of a constant list at an index. An index beyond the list is undefined, so it may not run early."""

    list_attr = prop_def(I64_ARRAY, prop_name="members")
    members = numbers_of("members", "The list.")
    index = operand_def(IndexType())
    result = result_def(IndexType())
    assembly_format = "custom<Members>($members) `at` $index attr-dict"
    custom_directives = (Members,)
    traits = traits_def(Pure())

    def __init__(self, members: Sequence[int], index: SSAValue, list_name: str | None = None) -> None:
        super().__init__(
            operands=[index], result_types=[IndexType()], properties={"members": i64_array(members)}
        )
        if list_name is not None:
            self.attributes[_NAME] = StringAttr(list_name)

    @property
    def list_name(self) -> str | None:
        """The name of the list in the program; None for a list without a name."""
        name = self.attributes.get(_NAME)
        return name.data if isinstance(name, StringAttr) else None

    def verify_(self) -> None:
        members = self.members
        if not members:
            raise VerifyException("there is nothing to look up in an empty list")
        if min(members) < _LEAST or max(members) > _MOST or (min(members) < 0 and max(members) >= 2**31):
            raise VerifyException(
                "the members of a list have to fit 32 bits together, with or without a sign"
            )


@operation_definition
class ConstantLookupOp(LookupOp, Foldable):
    """The member of a list of integers at an index: ``COLUMNS[i]``. Kernels have the list as a constant."""

    name = "ttl.lookup"
    traits = traits_def(Pure(), Folds())

    def fold_by(self, rewriter: PatternRewriter) -> None:
        """Fold to the member if the index is constant, or all members are equal."""
        index = 0 if len(set(self.members)) == 1 else constant_of(self.index)
        if isinstance(index, int) and 0 <= index < len(self.members):
            replace_by_numbers(self, (self.members[index],), rewriter)
