"""Memories in the text of types: memory spaces and buffer types, tiles, and the ``memref`` types made of both."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import AffineMapAttr, MemRefType, NoneAttr
from xdsl.ir import Attribute, Data, TypeAttribute
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tt_model.attributes.text import KeywordAttr, comma, parse_dims, parse_enum, refuse
from tt_model.layouts.elements import TileRecord
from tt_model.layouts.enums import BufferType, DataType, KeywordEnum, MemorySpace
from tt_model.layouts.layout import MemRef
from tt_model.layouts.values import LayoutError, dimensions_text
from ttl.ir.syntax import Aliased, Nests

# The C++ name of the enumeration of element types.
DATA_TYPE = "::mlir::tt::DataType"


def alias_stem(word: str) -> str:
    """The stem of an alias: a word that ends in a digit gets an underscore, since MLIR appends numbers to stems."""
    return f"{word}_" if word[-1].isdigit() else word


@irdl_attr_definition
class MemorySpaceAttr(KeywordAttr[MemorySpace], Aliased):
    """``#tt.memory_space<l1>``"""

    name = "tt.memory_space"
    ENUM, CPP = MemorySpace, "::mlir::tt::MemorySpace"

    def alias(self) -> str:
        return alias_stem(self.data.keyword)


@irdl_attr_definition
class TTNNBufferTypeAttr(KeywordAttr[BufferType], Aliased):
    """``#ttnn.buffer_type<l1_small>``"""

    name = "ttnn.buffer_type"
    ENUM, CPP = BufferType, "::mlir::tt::ttnn::BufferType"

    def alias(self) -> str:
        return alias_stem(self.data.keyword)


@irdl_attr_definition
class TTTileType(Data[TileRecord], TypeAttribute):
    """``!tt.tile<32x32, bf16>``"""

    name = "tt.tile"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> TileRecord:
        start = parser.pos
        with parser.in_angle_brackets():
            shape = parse_dims(parser)
            comma(parser)
            data_type = parse_enum(parser, DataType, DATA_TYPE)
        try:
            return TileRecord(shape, data_type)
        except LayoutError as problem:
            refuse(parser, problem, start)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{dimensions_text(self.data.shape)}, {self.data.data_type.keyword}>")


def memref_of_type(written: Attribute) -> MemRef:
    """The memory that a ``memref`` type of MLIR describes. Raises ``LayoutError``."""

    if not isinstance(written, MemRefType):
        raise LayoutError(f"expected a memref, not {written}")
    shape = written.get_shape()
    layout = written.layout
    if not isinstance(layout, NoneAttr):
        identity = AffineMap.identity(len(shape))
        if not (isinstance(layout, AffineMapAttr) and layout.data == identity):
            raise LayoutError("expected a memref with the identity layout")
    if any(extent < 0 for extent in shape):
        raise LayoutError("expected a memref of static shape")
    element = written.element_type
    said = written.memory_space
    if not isinstance(said, MemorySpaceAttr | TTNNBufferTypeAttr | NoneAttr):
        raise LayoutError(f"expected a memref in a tt.memory_space or ttnn.buffer_type, not {said}")
    space = None if isinstance(said, NoneAttr) else said.data
    return MemRef(tuple(shape), element.data if isinstance(element, TTTileType) else element, space)


def type_of_memref(memref: MemRef) -> MemRefType[Attribute]:
    """The ``memref`` type of MLIR that describes a memory."""

    element = memref.element
    space = space_attribute(memref)
    return MemRefType(
        element if isinstance(element, Attribute) else TTTileType(element),
        memref.shape,
        memory_space=NoneAttr() if space is None else space,
    )


def space_attribute(memref: MemRef) -> Data[Any] | None:
    """The attribute that names the memory space."""

    if memref.space is None:
        return None
    if isinstance(memref.space, BufferType):
        return TTNNBufferTypeAttr.of(memref.space)
    return MemorySpaceAttr.of(memref.space)


class InMemory(Nests):
    """An attribute whose record has a memory."""

    data: Any

    def nested(self) -> tuple[Attribute, ...]:
        space = space_attribute(self.data.memref)
        return () if space is None else (space,)


def parse_memref(parser: AttrParser, space: type[KeywordEnum] | None = None) -> MemRef:
    """Parse ``memref<1x1x!tt.tile<32x32, f32>, #dram>``.

    ``space`` is the enumeration that its memory space must belong to.
    """
    start = parser.pos
    try:
        memref = memref_of_type(parser.parse_type())
    except LayoutError as problem:
        refuse(parser, problem, start)
    if space is not None and not isinstance(memref.space, space):
        kind = "tt.memory_space" if space.__name__ == "MemorySpace" else "ttnn.buffer_type"
        said = "none" if memref.space is None else f"#{space_attribute(memref).name}"  # type: ignore[union-attr]
        parser.raise_error(f"expected a memref in a #{kind}, got {said}", start, parser.pos)
    return memref


@lru_cache(maxsize=4096)
def memref_text(memref: MemRef) -> str:
    """The text of a memory up to its memory space: ``memref<1x1x!tt.tile<32x32, f32>``."""
    extents = "".join(f"{extent}x" for extent in memref.shape)
    return f"memref<{extents}{memref.element}"


def print_memref(printer: Printer, memref: MemRef) -> None:
    """The inverse of ``parse_memref``."""
    printer.print_string(memref_text(memref))
    space = space_attribute(memref)
    if space is not None:
        printer.print_string(", ")
        printer.print_attribute(space)
    printer.print_string(">")
