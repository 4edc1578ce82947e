"""Attributes of the ``tt`` dialect that describe systems: coordinates, chips, host processors, and channels."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import (
    Attribute,
    Data,
    OpaqueSyntaxAttribute,
    SpacedOpaqueSyntaxAttribute,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tt_model.attributes.text import (
    CoordinatesAttr,
    comma,
    numbers_text,
    parse_dims,
    parse_enum,
    parse_list,
    parse_name,
    parse_number,
    parse_numbers,
    parse_short,
    print_list,
    refuse,
)
from tt_model.attributes.tt import ArchAttr, DataTypeAttr
from tt_model.layouts.elements import check_tile_shape
from tt_model.layouts.enums import (
    ChipCapability,
    CPURole,
)
from tt_model.layouts.kernel_request import USUAL_ARCH
from tt_model.layouts.system_desc import (
    CHIP_NUMBERS,
    ChipChannel,
    ChipCoord,
    ChipDesc,
    CPUDesc,
    PhysicalCores,
    SystemRecord,
)
from tt_model.layouts.values import LayoutError, dimensions_text
from ttl.ir.syntax import Aliased


@irdl_attr_definition
class CoreCoordAttr(CoordinatesAttr, SpacedOpaqueSyntaxAttribute):
    """``#tt<core_coord 3x4>``: (y, x)."""

    name = "tt.core_coord"


@irdl_attr_definition
class TileSizeAttr(CoordinatesAttr, SpacedOpaqueSyntaxAttribute):
    """``#tt<tile_size 32x16>``: (rows, columns)."""

    name = "tt.tile_size"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, ...]:
        start = parser.pos
        shape = super().parse_parameter(parser)
        try:
            check_tile_shape(shape)
        except LayoutError as problem:
            refuse(parser, problem, start)
        return shape


@irdl_attr_definition
class ChipCoordAttr(Data[ChipCoord], SpacedOpaqueSyntaxAttribute):
    """``#tt<chip_coord 0x0x0x0>``: rack, shelf, y, x."""

    name = "tt.chip_coord"
    COUNT: ClassVar[int] = 4

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ChipCoord:
        return ChipCoord(*parse_dims(parser, cls.COUNT))

    def print_parameter(self, printer: Printer) -> None:
        at = self.data
        printer.print_string(dimensions_text((at.rack, at.shelf, at.y, at.x)))


@irdl_attr_definition
class ChipChannelAttr(Data[ChipChannel]):
    """``#tt.chip_channel<[0, 9, 0], [1, 0, 0]>``: chip and ethernet core at both ends."""

    name = "tt.chip_channel"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ChipChannel:
        with parser.in_angle_brackets():
            chip, *core = _parse_end(parser)
            comma(parser)
            other, *other_core = _parse_end(parser)
            return ChipChannel(chip, tuple(core), other, tuple(other_core))

    def print_parameter(self, printer: Printer) -> None:
        ends = self.data
        first = numbers_text((ends.device_id0, *ends.ethernet_core_coord0))
        second = numbers_text((ends.device_id1, *ends.ethernet_core_coord1))
        printer.print_string(f"<{first}, {second}>")


def _parse_end(parser: AttrParser) -> tuple[int, ...]:
    start = parser.pos
    numbers = parse_numbers(parser)
    if len(numbers) != 3:
        parser.raise_error("expected [chip, y, x]", start, parser.pos)
    return numbers


# Systems.


@irdl_attr_definition
class ChipPhysicalCoresAttr(Data[PhysicalCores], OpaqueSyntaxAttribute):
    """``#tt<chip_physical_cores{worker = [ 0x0,  0x1] dram = [ 8x0]}>``"""

    name = "tt.chip_physical_cores"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> PhysicalCores:
        with parser.in_braces():
            parse_name(parser, "worker")
            worker = _parse_cores(parser)
            parse_name(parser, "dram")
            dram = _parse_cores(parser)
            rest = {}
            for name in ("eth", "eth_inactive"):
                if parser.parse_optional_keyword(name) is not None:
                    parser.parse_punctuation("=")
                    rest[name] = _parse_cores(parser)
            return PhysicalCores(worker, dram, **rest)

    def print_parameter(self, printer: Printer) -> None:
        cores = self.data
        groups = (
            ("worker", cores.worker),
            ("dram", cores.dram),
            ("eth", cores.eth),
            ("eth_inactive", cores.eth_inactive),
        )
        parts = (
            f"{name} = [{', '.join(f' {dimensions_text(core)}' for core in group)}]"
            for name, group in groups
            if group or name in ("worker", "dram")
        )
        printer.print_string("{" + " ".join(parts) + "}")


def _parse_cores(parser: AttrParser) -> tuple[tuple[int, int], ...]:
    return parse_list(parser, lambda: _pair(parse_short(parser, CoreCoordAttr).data))


def _pair(values: tuple[int, ...]) -> tuple[int, int]:
    y, x = values
    return y, x


@irdl_attr_definition
class ChipDescAttr(Data[ChipDesc], OpaqueSyntaxAttribute):
    """``#tt<chip_desc{arch = <wormhole_b0>, grid = 8x8, ...}>``"""

    name = "tt.chip_desc"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ChipDesc:
        with parser.in_braces():
            parse_name(parser, "arch")
            arch = parse_short(parser, ArchAttr).data
            comma(parser)
            parse_name(parser, "grid")
            grid = parse_dims(parser)
            numbers = {}
            for name in CHIP_NUMBERS:
                comma(parser)
                parse_name(parser, name)
                numbers[name] = parse_number(parser, 32)
            comma(parser)
            parse_name(parser, "physical_cores")
            cores = parse_short(parser, ChipPhysicalCoresAttr).data
            comma(parser)
            parse_name(parser, "supported_data_types")
            data_types = parse_list(parser, lambda: parse_short(parser, DataTypeAttr).data)
            comma(parser)
            parse_name(parser, "supported_tile_sizes")
            tile_sizes = parse_list(parser, lambda: _pair(parse_short(parser, TileSizeAttr).data))
            comma(parser)
            parse_name(parser, "num_cbs")
            return ChipDesc(
                arch,
                grid,
                **numbers,
                physical_cores=cores,
                supported_data_types=data_types,
                supported_tile_sizes=tile_sizes,
                num_cbs=parse_number(parser, 32),
            )

    def print_parameter(self, printer: Printer) -> None:
        chip = self.data
        printer.print_string(f"{{arch = <{chip.arch.keyword}>, grid = {dimensions_text(chip.grid)}")
        for name in CHIP_NUMBERS:
            printer.print_string(f", {name} = {getattr(chip, name)}")
        printer.print_string(", physical_cores = ")
        ChipPhysicalCoresAttr(chip.physical_cores).print_parameter(printer)
        data_types = ", ".join(f"<{data_type.keyword}>" for data_type in chip.supported_data_types)
        tile_sizes = ", ".join(f" {dimensions_text(size)}" for size in chip.supported_tile_sizes)
        printer.print_string(
            f", supported_data_types = [{data_types}], supported_tile_sizes = [{tile_sizes}], num_cbs = {chip.num_cbs}}}"
        )


@irdl_attr_definition
class CPUDescAttr(Data[CPUDesc], OpaqueSyntaxAttribute):
    """``#tt<cpu_desc{role = host, target_triple = "x86_64-pc-linux-gnu"}>``"""

    name = "tt.cpu_desc"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> CPUDesc:
        with parser.in_braces():
            parse_name(parser, "role")
            role = parse_enum(parser, CPURole, "::mlir::tt::CPURole")
            comma(parser)
            parse_name(parser, "target_triple")
            return CPUDesc(role, parser.parse_str_literal())

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"{{role = {self.data.role.keyword}, target_triple = ")
        printer.print_string_literal(self.data.target_triple)
        printer.print_string("}")


@irdl_attr_definition
class SystemDescAttr(Data[SystemRecord], Aliased):
    """``#tt.system_desc<[cpus], [chips], [indices], [capabilities], [ coordinates], [channels]>``"""

    name = "tt.system_desc"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> SystemRecord:
        with parser.in_angle_brackets():
            cpus = parse_list(parser, lambda: parse_short(parser, CPUDescAttr).data)
            comma(parser)
            chips = parse_list(parser, lambda: parse_short(parser, ChipDescAttr).data)
            comma(parser)
            indices = parse_list(parser, lambda: parse_number(parser, 32))
            comma(parser)
            capabilities = parse_list(parser, lambda: _parse_capability(parser))
            comma(parser)
            coords = parse_list(parser, lambda: parse_short(parser, ChipCoordAttr).data)
            channels: tuple[ChipChannel, ...] = ()
            if parser.parse_optional_punctuation(","):
                channels = parse_list(parser, lambda: parse_short(parser, ChipChannelAttr).data)
            return SystemRecord(cpus, chips, indices, capabilities, coords, channels)

    def print_parameter(self, printer: Printer) -> None:
        desc = self.data
        printer.print_string("<")
        print_list(printer, [CPUDescAttr(cpu) for cpu in desc.cpu_descs])
        printer.print_string(", ")
        print_list(printer, [ChipDescAttr(chip) for chip in desc.chip_descs])
        capabilities = ", ".join(f"{int(capability)} : i32" for capability in desc.chip_capabilities)
        printer.print_string(f", {numbers_text(desc.chip_desc_indices)}, [{capabilities}], ")
        print_list(printer, [ChipCoordAttr(coord) for coord in desc.chip_coords], spaced=True)
        if desc.chip_channels:
            printer.print_string(", ")
            print_list(printer, [ChipChannelAttr(channel) for channel in desc.chip_channels])
        printer.print_string(">")

    def alias(self) -> str:
        return "system_desc"


def _parse_capability(parser: AttrParser) -> ChipCapability:
    start = parser.pos
    written = parser.parse_attribute()
    if not (
        isinstance(written, IntegerAttr)
        and isinstance(written.type, IntegerType)
        and written.type.width.data == 32
        and 0 <= written.value.data <= 3
    ):
        parser.raise_error(
            "expected a chip capability, such as 3 : i32 (1 is pcie, 2 is host_mmio)", start, parser.pos
        )
    return ChipCapability(written.value.data)


ATTRIBUTES: tuple[type[Attribute], ...] = (
    CoreCoordAttr,
    TileSizeAttr,
    ChipCoordAttr,
    ChipChannelAttr,
    ChipPhysicalCoresAttr,
    ChipDescAttr,
    CPUDescAttr,
    SystemDescAttr,
)


def arch_of(module: ModuleOp) -> str:
    """The architecture of the first chip in a module's system description; without a description, the default one."""
    desc = module.attributes.get("tt.system_desc")
    return desc.data.chips[0].arch.keyword if isinstance(desc, SystemDescAttr) else USUAL_ARCH
