"""Attributes and types of the ``tt`` dialect, as text and in IR. Each holds a record of ``tt_model.layouts`` as ``data``.

Those that describe systems are in ``tt_system``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from xdsl.ir import (
    Attribute,
    Data,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tt_model.attributes.memory import (
    DATA_TYPE,
    InMemory,
    MemorySpaceAttr,
    TTTileType,
    alias_stem,
    parse_memref,
    print_memref,
)
from tt_model.attributes.text import (
    KeywordAttr,
    OpaqueKeywordAttr,
    comma,
    grid_text,
    numbers_text,
    parse_dims,
    parse_enum,
    parse_grid,
    parse_layout_map,
    parse_linear,
    parse_name,
    parse_number,
    parse_numbers,
    parse_short,
    parse_word,
    refuse,
    sharding_text,
)
from tt_model.layouts.device import DeviceRecord
from tt_model.layouts.enums import (
    BUFFER_ACCESS_WORDS,
    OPERAND_CONSTRAINT_WORDS,
    Arch,
    BufferAccess,
    CPURole,
    DataType,
    IteratorType,
    MemorySpace,
    OOBVal,
    OperandConstraint,
    ShardDirection,
    ShardType,
    TensorMemoryLayout,
)
from tt_model.layouts.layout import Grid, LayoutRecord
from tt_model.layouts.records import ArgAllocation, BufferRecord
from tt_model.layouts.values import LayoutError, dimensions_text
from ttl.ir.affine import map_text
from ttl.ir.syntax import Aliased, Nests, print_short

# Enumerations.


@irdl_attr_definition
class ArchAttr(KeywordAttr[Arch]):
    """``#tt.arch<wormhole_b0>``"""

    name = "tt.arch"
    ENUM, CPP = Arch, "::mlir::tt::Arch"


@irdl_attr_definition
class DataTypeAttr(KeywordAttr[DataType]):
    """``#tt.supportedDataTypes<bfp_bf8>``"""

    name = "tt.supportedDataTypes"
    ENUM, CPP = DataType, DATA_TYPE


@irdl_attr_definition
class TensorMemoryLayoutAttr(KeywordAttr[TensorMemoryLayout]):
    """``#tt.tensor_memory_layout<interleaved>``"""

    name = "tt.tensor_memory_layout"
    ENUM, CPP = TensorMemoryLayout, "::mlir::tt::TensorMemoryLayout"


@irdl_attr_definition
class OOBValAttr(KeywordAttr[OOBVal]):
    """``#tt.oob_val<neginf>``"""

    name = "tt.oob_val"
    ENUM, CPP = OOBVal, "::mlir::tt::OOBVal"


@irdl_attr_definition
class IteratorTypeAttr(KeywordAttr[IteratorType], Aliased):
    """``#tt.iterator_type<parallel>``"""

    name = "tt.iterator_type"
    ENUM, CPP = IteratorType, "::mlir::tt::IteratorType"

    def alias(self) -> str:
        return alias_stem(self.data.keyword)


@irdl_attr_definition
class ShardTypeAttr(KeywordAttr[ShardType]):
    """``#tt.shard_type<devices>``; an extension that is spelt as in later versions."""

    name = "tt.shard_type"
    ENUM, CPP = ShardType, "::mlir::tt::MeshShardType"


@irdl_attr_definition
class ShardDirectionAttr(KeywordAttr[ShardDirection]):
    """``#tt.shard_direction<full_to_shard>``; an extension that is spelt as in later versions."""

    name = "tt.shard_direction"
    ENUM, CPP = ShardDirection, "::mlir::tt::MeshShardDirection"


@irdl_attr_definition
class CPURoleAttr(OpaqueKeywordAttr[CPURole], SpacedOpaqueSyntaxAttribute):
    """``#tt<cpu_role host>``"""

    name = "tt.cpu_role"
    ENUM, CPP = CPURole, "::mlir::tt::CPURole"


@irdl_attr_definition
class OperandConstraintAttr(Data[OperandConstraint], Aliased):
    """``#tt.operand_constraint<dram|l1|tile>``: each single bit that is set, then each group whose bits are all set."""

    name = "tt.operand_constraint"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> OperandConstraint:
        with parser.in_angle_brackets():
            value: OperandConstraint = _parse_flag(parser, OperandConstraint)
            while parser.parse_optional_punctuation("|"):
                value |= _parse_flag(parser, OperandConstraint)
            return value

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.keyword}>")

    def alias(self) -> str:
        return self.data.alias


@irdl_attr_definition
class BufferAccessAttr(Data[BufferAccess], SpacedOpaqueSyntaxAttribute):
    """``#tt<buffer_access alias|stream>``"""

    name = "tt.buffer_access"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> BufferAccess:
        value: BufferAccess = _parse_flag(parser, BufferAccess)
        while parser.parse_optional_punctuation("|"):
            value |= _parse_flag(parser, BufferAccess)
        return value

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data.keyword)


def _parse_flag(parser: AttrParser, enum: type[Any]) -> Any:
    start = parser.pos
    word = parse_word(parser)
    try:
        return enum.from_keyword(word)
    except ValueError:
        words = OPERAND_CONSTRAINT_WORDS if enum is OperandConstraint else BUFFER_ACCESS_WORDS
        legal = ", ".join(known for _, known in words)
        parser.raise_error(
            f"expected ::mlir::tt::{enum.__name__} to be one of: {legal}", start, start + len(word)
        )


@irdl_attr_definition
class GridAttr(Data[Grid]):
    """``#tt.grid<8x8, (d0, d1) -> (0, d0, d1)>``"""

    name = "tt.grid"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Grid:
        with parser.in_angle_brackets():
            return parse_grid(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{grid_text(self.data)}>")


# Layouts, buffers, devices.


@irdl_attr_definition
class TTLayoutAttr(Data[LayoutRecord], Aliased, InMemory):
    """``#tt.layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, #l1_>, interleaved>``"""

    name = "tt.layout"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> LayoutRecord:
        with parser.in_angle_brackets():
            linear = parse_layout_map(parser)
            comma(parser)
            oob = parse_enum(parser, OOBVal, OOBValAttr.CPP)
            comma(parser)
            grid = parse_short(parser, GridAttr).data
            comma(parser)
            memref = parse_memref(parser, MemorySpace)
            memory_layout = TensorMemoryLayout.None_
            if parser.parse_optional_punctuation(","):
                memory_layout = parse_enum(parser, TensorMemoryLayout, TensorMemoryLayoutAttr.CPP)
            return LayoutRecord(linear, grid, memref, memory_layout, oob)

    def problem_with_tensor(self, shape: tuple[int, ...]) -> str | None:
        """Return why the layout cannot be the encoding of a tensor of this shape, or None if it can."""
        try:
            return self.data.problem_with_tensor(shape)
        except LayoutError as problem:
            return str(problem)

    def print_parameter(self, printer: Printer) -> None:
        layout = self.data
        linear, grid = sharding_text(layout)
        printer.print_string(f"<{linear}, {layout.oob.keyword}, <{grid}>, ")
        print_memref(printer, layout.memref)
        if layout.memory_layout is not TensorMemoryLayout.None_:
            printer.print_string(f", {layout.memory_layout.keyword}")
        printer.print_string(">")

    def alias(self) -> str:
        return "layout"


@irdl_attr_definition
class BufferAttr(Data[BufferRecord], InMemory):
    """``#tt.buffer<memref<2x2xf32, #l1_>, alias>``"""

    name = "tt.buffer"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> BufferRecord:
        with parser.in_angle_brackets():
            memref = parse_memref(parser)
            comma(parser)
            return BufferRecord(memref, BufferAccessAttr.parse_parameter(parser))

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string("<")
        print_memref(printer, self.data.memref)
        printer.print_string(f", {self.data.access.keyword}>")


@irdl_attr_definition
class ArgAllocationAttr(Data[ArgAllocation]):
    """``#tt.arg_alloc<1024, 4096, l1>``: address and size in bytes."""

    name = "tt.arg_alloc"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ArgAllocation:
        with parser.in_angle_brackets():
            address = parse_number(parser)
            comma(parser)
            size = parse_number(parser)
            comma(parser)
            return ArgAllocation(address, size, parse_enum(parser, MemorySpace, MemorySpaceAttr.CPP))

    def print_parameter(self, printer: Printer) -> None:
        at = self.data
        printer.print_string(f"<{at.address}, {at.size}, {at.memory_space.keyword}>")


@irdl_attr_definition
class DeviceAttr(Data[DeviceRecord], Aliased):
    """``#tt.device<workerGrid = #tt.grid<...>, l1Map = ..., dramMap = ..., meshShape = , chipIds = [0]>``"""

    name = "tt.device"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> DeviceRecord:
        start = parser.pos
        with parser.in_angle_brackets():
            parse_name(parser, "workerGrid")
            grid = parse_short(parser, GridAttr).data
            comma(parser)
            parse_name(parser, "l1Map")
            l1 = parse_linear(parser)
            comma(parser)
            parse_name(parser, "dramMap")
            dram = parse_linear(parser)
            comma(parser)
            parse_name(parser, "meshShape")
            mesh = parse_dims(parser)
            comma(parser)
            parse_name(parser, "chipIds")
            chips = parse_numbers(parser)
        try:
            return DeviceRecord(grid, l1, dram, mesh, chips)
        except LayoutError as problem:
            refuse(parser, problem, start)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(_device_text(self.data))

    def alias(self) -> str:
        return "device"


@lru_cache(maxsize=64)
def _device_text(device: DeviceRecord) -> str:
    return (
        f"<workerGrid = #tt.grid<{grid_text(device.worker_grid)}>, l1Map = {map_text(device.l1_map)}, "
        f"dramMap = {map_text(device.dram_map)}, meshShape = {dimensions_text(device.mesh_shape)}, "
        f"chipIds = {numbers_text(device.chip_ids)}>"
    )


@irdl_attr_definition
class DeviceType(Data[DeviceRecord], TypeAttribute, Nests):
    """``!tt.device<#device>``"""

    name = "tt.device"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> DeviceRecord:
        with parser.in_angle_brackets():
            return parse_short(parser, DeviceAttr).data

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string("<")
        print_short(printer, DeviceAttr(self.data))
        printer.print_string(">")

    def nested(self) -> tuple[Attribute, ...]:
        return (DeviceAttr(self.data),)


ATTRIBUTES: tuple[type[Attribute], ...] = (
    ArchAttr,
    DataTypeAttr,
    MemorySpaceAttr,
    TensorMemoryLayoutAttr,
    OOBValAttr,
    IteratorTypeAttr,
    ShardTypeAttr,
    ShardDirectionAttr,
    CPURoleAttr,
    OperandConstraintAttr,
    BufferAccessAttr,
    GridAttr,
    TTLayoutAttr,
    BufferAttr,
    ArgAllocationAttr,
    DeviceAttr,
    TTTileType,
    DeviceType,
)
