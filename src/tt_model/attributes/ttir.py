"""Attributes of the ``ttir`` dialect, as text and in IR."""

from __future__ import annotations

from xdsl.ir import Attribute, Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tt_model.attributes.text import OpaqueKeywordAttr, comma, parse_dims, parse_name, parse_number
from tt_model.layouts.enums import PoolingMethod
from tt_model.layouts.records import ConvolutionLayout
from tt_model.layouts.values import dimensions_text

_FIELDS = tuple(ConvolutionLayout.__slots__)


@irdl_attr_definition
class PoolingMethodAttr(OpaqueKeywordAttr[PoolingMethod], SpacedOpaqueSyntaxAttribute):
    """``#ttir<pooling_method Max>``"""

    name = "ttir.pooling_method"
    ENUM, CPP = PoolingMethod, "::mlir::tt::ttir::PoolingMethod"


@irdl_attr_definition
class ConvolutionLayoutAttr(Data[ConvolutionLayout], SpacedOpaqueSyntaxAttribute):
    """``#ttir<convolution_layout input_batch = 0, ..., output_spatial_dimensions = 2x3>``"""

    name = "ttir.convolution_layout"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ConvolutionLayout:
        values = []
        for index, name in enumerate(_FIELDS):
            if index:
                comma(parser)
            parse_name(parser, name)
            spatial = name.endswith("spatial_dimensions")
            values.append(parse_dims(parser) if spatial else parse_number(parser))
        return ConvolutionLayout(*values)  # type: ignore[arg-type]

    def print_parameter(self, printer: Printer) -> None:
        texts = []
        for name in _FIELDS:
            value = getattr(self.data, name)
            texts.append(f"{name} = {dimensions_text(value) if isinstance(value, tuple) else value}")
        printer.print_string(", ".join(texts))


ATTRIBUTES: tuple[type[Attribute], ...] = (PoolingMethodAttr, ConvolutionLayoutAttr)
