"""Attributes of the ``ttnn`` dialect, as text and in IR. Each holds a record of ``tt_model.layouts`` as ``data``."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Data, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tt_model.attributes.memory import InMemory, TTNNBufferTypeAttr, parse_memref, print_memref
from tt_model.attributes.text import (
    CoordinatesAttr,
    DimensionsAttr,
    KeywordAttr,
    comma,
    parse_dims,
    parse_enum,
    parse_layout_map,
    parse_short,
    sharding_text,
)
from tt_model.attributes.tt import GridAttr
from tt_model.layouts.enums import BufferType, PageLayout, TensorMemoryLayout
from tt_model.layouts.layout import MemoryConfigRecord, TTNNLayout
from tt_model.layouts.records import CoreRangeRecord
from tt_model.layouts.values import dimensions_text
from ttl.ir.syntax import Aliased, Nests, print_short


@irdl_attr_definition
class TTNNPageLayoutAttr(KeywordAttr[PageLayout]):
    """``#ttnn.layout<tile>``"""

    name = "ttnn.layout"
    ENUM, CPP = PageLayout, "::mlir::tt::ttnn::Layout"


@irdl_attr_definition
class TTNNTensorMemoryLayoutAttr(KeywordAttr[TensorMemoryLayout]):
    """``#ttnn.tensor_memory_layout<interleaved>``"""

    name = "ttnn.tensor_memory_layout"
    ENUM, CPP = TensorMemoryLayout, "::mlir::tt::ttnn::TensorMemoryLayout"


@irdl_attr_definition
class TTNNShapeAttr(DimensionsAttr):
    """``#ttnn.shape<64x128>``"""

    name = "ttnn.shape"


@irdl_attr_definition
class TTNNMeshShapeAttr(CoordinatesAttr, SpacedOpaqueSyntaxAttribute):
    """``#ttnn<mesh_shape 1x2>``: (y, x)."""

    name = "ttnn.mesh_shape"


@irdl_attr_definition
class TTNNShardSpecAttr(Data[tuple[int, ...]]):
    """``#ttnn.shard_spec<<32x32>>``"""

    name = "ttnn.shard_spec"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, ...]:
        with parser.in_angle_brackets():
            return parse_short(parser, TTNNShapeAttr).data

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<<{dimensions_text(self.data)}>>")


@irdl_attr_definition
class TTNNMemoryConfigAttr(Data[MemoryConfigRecord], Nests):
    """``#ttnn.memory_config<<interleaved>, <dram>, <<64x128>>>``"""

    name = "ttnn.memory_config"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> MemoryConfigRecord:
        with parser.in_angle_brackets():
            memory_layout = parse_short(parser, TTNNTensorMemoryLayoutAttr).data
            comma(parser)
            buffer_type = parse_short(parser, TTNNBufferTypeAttr).data
            comma(parser)
            return MemoryConfigRecord(memory_layout, buffer_type, parse_short(parser, TTNNShardSpecAttr).data)

    def print_parameter(self, printer: Printer) -> None:
        config = self.data
        printer.print_string(f"<<{config.memory_layout.keyword}>, ")
        print_short(printer, TTNNBufferTypeAttr.of(config.buffer_type))
        printer.print_string(f", <<{dimensions_text(config.shard_shape)}>>>")

    def nested(self) -> tuple[Attribute, ...]:
        return (TTNNBufferTypeAttr.of(self.data.buffer_type),)


@irdl_attr_definition
class TTNNCoreRangeAttr(Data[CoreRangeRecord]):
    """``#ttnn.core_range<0x0, 8x8>``: offset and size, (y, x) each."""

    name = "ttnn.core_range"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> CoreRangeRecord:
        return parse_core_range(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(core_range_text(self.data))


def parse_core_range(parser: AttrParser) -> CoreRangeRecord:
    """``<0x0, 8x8>``."""
    with parser.in_angle_brackets():
        offset = parse_dims(parser)
        comma(parser)
        return CoreRangeRecord(offset, parse_dims(parser))


def core_range_text(cores: CoreRangeRecord) -> str:
    """The inverse of ``parse_core_range``."""
    return f"<{dimensions_text(cores.offset)}, {dimensions_text(cores.size)}>"


@irdl_attr_definition
class TTNNLayoutAttr(Data[TTNNLayout], Aliased, InMemory):
    """``#ttnn.ttnn_layout<(d0) -> (0, d0), <1x1>, memref<1x1x!tt.tile<32x32, f32>, #dram>, interleaved>``"""

    name = "ttnn.ttnn_layout"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> TTNNLayout:
        with parser.in_angle_brackets():
            linear = parse_layout_map(parser)
            comma(parser)
            grid = parse_short(parser, GridAttr).data
            comma(parser)
            memref = parse_memref(parser, BufferType)
            memory_layout = TensorMemoryLayout.None_
            if parser.parse_optional_punctuation(","):
                memory_layout = parse_enum(parser, TensorMemoryLayout, TTNNTensorMemoryLayoutAttr.CPP)
            return TTNNLayout(linear, grid, memref, memory_layout)

    def print_parameter(self, printer: Printer) -> None:
        layout = self.data
        linear, grid = sharding_text(layout)
        printer.print_string(f"<{linear}, <{grid}>, ")
        print_memref(printer, layout.memref)
        if layout.memory_layout is not TensorMemoryLayout.None_:
            printer.print_string(f", {layout.memory_layout.keyword}")
        printer.print_string(">")

    def alias(self) -> str:
        return "ttnn_layout"


@irdl_attr_definition
class TTNNComputeKernelAttr(ParametrizedAttribute):
    """``#ttnn.compute_kernel<{name = "compute", source = "..."}>``: a kernel of the processors that compute."""

    name = "ttnn.compute_kernel"
    fields: DictionaryAttr


@irdl_attr_definition
class TTNNReadKernelAttr(ParametrizedAttribute):
    """``#ttnn.read_kernel<{...}>``: a kernel of the processor that reads, NCRISC."""

    name = "ttnn.read_kernel"
    fields: DictionaryAttr


@irdl_attr_definition
class TTNNWriteKernelAttr(ParametrizedAttribute):
    """``#ttnn.write_kernel<{...}>``: a kernel of the processor that writes, BRISC."""

    name = "ttnn.write_kernel"
    fields: DictionaryAttr


@irdl_attr_definition
class TTNNKernelCBAttr(ParametrizedAttribute):
    """``#ttnn.kernel_cb<{buffer_index = 0 : i64, data_format = "bf16", ...}>``: a circular buffer of every core."""

    name = "ttnn.kernel_cb"
    fields: DictionaryAttr


@irdl_attr_definition
class TTNNProgramAttr(ParametrizedAttribute):
    """``#ttnn.program<[kernels], [circular buffers], {core_range = ..., ...}>``"""

    name = "ttnn.program"
    kernels: ArrayAttr[Attribute]
    circular_buffers: ArrayAttr[Attribute]
    fields: DictionaryAttr


ATTRIBUTES: tuple[type[Attribute], ...] = (
    TTNNPageLayoutAttr,
    TTNNTensorMemoryLayoutAttr,
    TTNNBufferTypeAttr,
    TTNNShapeAttr,
    TTNNMeshShapeAttr,
    TTNNShardSpecAttr,
    TTNNMemoryConfigAttr,
    TTNNCoreRangeAttr,
    TTNNLayoutAttr,
    TTNNComputeKernelAttr,
    TTNNReadKernelAttr,
    TTNNWriteKernelAttr,
    TTNNKernelCBAttr,
    TTNNProgramAttr,
)
