"""Attributes of the ``ttmetal`` dialect, as text and in IR."""

from __future__ import annotations

from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tt_model.attributes.ttnn import core_range_text, parse_core_range
from tt_model.layouts.records import CoreRangeRecord


@irdl_attr_definition
class MetalCoreRangeAttr(Data[CoreRangeRecord]):
    """``#ttmetal.core_range<0x0, 8x8>``: offset and size, (y, x) each."""

    name = "ttmetal.core_range"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> CoreRangeRecord:
        return parse_core_range(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(core_range_text(self.data))


ATTRIBUTES: tuple[type[Attribute], ...] = (MetalCoreRangeAttr,)
