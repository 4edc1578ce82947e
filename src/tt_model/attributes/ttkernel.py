"""Attributes and types of the ``ttkernel`` and ``ttmetal`` dialects, as text and in IR."""

from __future__ import annotations

from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tt_model.attributes.memory import InMemory, parse_memref, print_memref
from tt_model.attributes.text import (
    KeywordAttr,
    bool_text,
    comma,
    parse_bool,
    parse_enum,
    parse_list,
    parse_number,
)
from tt_model.layouts.enums import (
    CBPort,
    EthernetType,
    MathFidelity,
    NocIndex,
    ReduceDim,
    ReduceType,
    ThreadType,
    UnpackToDestMode,
)
from tt_model.layouts.records import CircularBufferRecord, EthernetConfig, TensixConfig
from ttl.dialects.kernel.types import CircularBufferType, L1AddrPtrType, NocAddrType

_CPP = "::mlir::tt::ttkernel::"


@irdl_attr_definition
class ReduceTypeAttr(KeywordAttr[ReduceType]):
    """``#ttkernel.reduce_type<reduce_sum>``"""

    name = "ttkernel.reduce_type"
    ENUM, CPP = ReduceType, f"{_CPP}ReduceType"


@irdl_attr_definition
class ReduceDimAttr(KeywordAttr[ReduceDim]):
    """``#ttkernel.reduce_dim<reduce_dim_row>``"""

    name = "ttkernel.reduce_dim"
    ENUM, CPP = ReduceDim, f"{_CPP}ReduceDim"


@irdl_attr_definition
class ThreadTypeAttr(KeywordAttr[ThreadType]):
    """``#ttkernel.thread<noc>``"""

    name = "ttkernel.thread"
    ENUM, CPP = ThreadType, f"{_CPP}ThreadType"


@irdl_attr_definition
class NocConfigAttr(KeywordAttr[NocIndex]):
    """``#ttkernel.noc_config<noc0>``"""

    name = "ttkernel.noc_config"
    ENUM, CPP = NocIndex, f"{_CPP}NocIndex"


@irdl_attr_definition
class EthernetConfigAttr(Data[EthernetConfig]):
    """``#ttkernel.ethernet_config<sender, noc0>``"""

    name = "ttkernel.ethernet_config"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> EthernetConfig:
        with parser.in_angle_brackets():
            end = parse_enum(parser, EthernetType, f"{_CPP}EthType")
            comma(parser)
            return EthernetConfig(end, parse_enum(parser, NocIndex, f"{_CPP}NocIndex"))

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.eth_type.keyword}, {self.data.noc_index.keyword}>")


@irdl_attr_definition
class TensixConfigAttr(Data[TensixConfig]):
    """``#ttkernel.tensix_config<hifi4, false, false, [default, fp32]>``"""

    name = "ttkernel.tensix_config"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> TensixConfig:
        with parser.in_angle_brackets():
            fidelity = parse_enum(parser, MathFidelity, f"{_CPP}MathFidelity")
            comma(parser)
            fp32_dest = parse_bool(parser)
            comma(parser)
            approximate = parse_bool(parser)
            comma(parser)
            cpp = f"{_CPP}UnpackToDestMode"
            modes = parse_list(parser, lambda: parse_enum(parser, UnpackToDestMode, cpp))
            return TensixConfig(fidelity, fp32_dest, approximate, modes)

    def print_parameter(self, printer: Printer) -> None:
        config = self.data
        modes = ", ".join(mode.keyword for mode in config.unpack_to_dest_mode)
        printer.print_string(
            f"<{config.math_fidelity.keyword}, {bool_text(config.fp32_dest_acc_en)}, "
            f"{bool_text(config.math_approx_mode)}, [{modes}]>"
        )


@irdl_attr_definition
class PlacedCBType(Data[CircularBufferRecord], CircularBufferType, InMemory):
    """``!ttkernel.cb<cb_in0, 1024, memref<1x1x!tt.tile<32x32, f32>, #l1_>, 4096, 1>``"""

    name = "ttkernel.cb"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> CircularBufferRecord:
        with parser.in_angle_brackets():
            port = parse_enum(parser, CBPort, f"{_CPP}CBPort")
            comma(parser)
            address = parse_number(parser)
            comma(parser)
            memref = parse_memref(parser)
            comma(parser)
            page_size = parse_number(parser)
            comma(parser)
            return CircularBufferRecord(port, address, memref, page_size, parse_number(parser))

    def print_parameter(self, printer: Printer) -> None:
        buffer = self.data
        printer.print_string(f"<{buffer.port.keyword}, {buffer.address}, ")
        print_memref(printer, buffer.memref)
        printer.print_string(f", {buffer.page_size}, {buffer.num_buffers}>")


@irdl_attr_definition
class L1AddrType(ParametrizedAttribute, TypeAttribute):
    """``!ttkernel.l1_addr``: an address in L1."""

    name = "ttkernel.l1_addr"


ATTRIBUTES: tuple[type[Attribute], ...] = (
    ReduceTypeAttr,
    ReduceDimAttr,
    ThreadTypeAttr,
    NocConfigAttr,
    EthernetConfigAttr,
    TensixConfigAttr,
    PlacedCBType,
    L1AddrType,
    L1AddrPtrType,
    NocAddrType,
)
