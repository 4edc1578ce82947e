"""Prints and zones of the profiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from xdsl.dialects.builtin import ArrayAttr, Float32Type, Float64Type, IndexType, IntegerType, StringAttr
from xdsl.ir import Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.effects import RUNS
from ttl.dialects.kernel.declarations import strings
from ttl.dialects.structure import with_block
from ttl.ir.syntax import word_of

PrintProcessor = Literal["unpack", "math", "pack"]


@irdl_op_definition
class DPrintOp(IRDLOperation):
    """Prints pieces of text around numbers, from the device.

    ``on "unpack"`` names the processor of a compute kernel that prints; the default is the one for mathematics.
    """

    name = "ttkernel.dprint"
    texts = prop_def(ArrayAttr[StringAttr], prop_name="pieces")
    values = var_operand_def()
    on = opt_prop_def(StringAttr, prop_name="processor")
    assembly_format = "$pieces (`(` $values^ `:` type($values) `)`)? (`on` $processor^)? attr-dict"
    traits = traits_def(RUNS)

    def __init__(
        self,
        pieces: Sequence[str],
        operands: Sequence[SSAValue] = (),
        *,
        processor: PrintProcessor | None = None,
    ) -> None:
        on = None if processor is None else StringAttr(processor)
        super().__init__(operands=[operands], properties={"pieces": strings(pieces), "processor": on})

    @property
    def pieces(self) -> tuple[str, ...]:
        """Text before, between and after the operands."""
        return tuple(piece.data for piece in self.texts)

    @property
    def processor(self) -> PrintProcessor:
        """The processor of a compute kernel that prints."""
        return "math" if self.on is None else cast("PrintProcessor", self.on.data)

    def verify_(self) -> None:
        if len(self.pieces) != len(self.operands) + 1:
            raise VerifyException(
                f"there is text around {len(self.operands)} operands: {len(self.operands) + 1} pieces, not {len(self.pieces)}"
            )
        if self.processor not in ("unpack", "math", "pack"):
            raise VerifyException(f"unpack, math or pack prints, not {self.processor}")
        for operand in self.operands:
            if not isinstance(operand.type, IndexType | IntegerType | Float32Type | Float64Type):
                raise VerifyException(f"a number is printed, not {operand.type}")


@irdl_op_definition
class ZoneOp(IRDLOperation):
    """A named zone that the profiler measures, from here to the end of the region."""

    name = "ttkernel.zone"
    zone = prop_def(StringAttr)
    zone_name = word_of("zone", "The name that the profiler shows.")
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RUNS, RecursiveMemoryEffect())

    def __init__(self, name: str, body: Region) -> None:
        super().__init__(properties={"zone": StringAttr(name)}, regions=[with_block(body)])

    @classmethod
    def parse(cls, parser: Parser) -> ZoneOp:
        name = parser.parse_str_literal()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(name, parser.parse_region())
        op.attributes |= attributes.data if attributes is not None else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.zone_name)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_empty_block=False)
