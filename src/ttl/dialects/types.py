"""Types of the ``ttl`` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IntAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ttl.dialects.elements import TileType, block_type, check_element, dtype_and_layout, element_type
from ttl.dialects.layouts import EncodingAttr, MemoryKind, TensorOrder
from ttl.ir.syntax import DYNAMIC, Strippable, extents_text, integers, numbers, parse_extents
from ttl.rows.dtypes import DType
from ttl.rows.types import BlockType, Layout


@irdl_attr_definition
class DataflowBufferType(Strippable, TypeAttribute):
    """A dataflow buffer: shape of one block, its elements, number of blocks.

    ``!ttl.dfb<[2, 1], !ttl.tile<32x32, bf16>, 2>``; the shape is in tiles, or in elements where row-major.
    """

    name = "ttl.dfb"
    extents: ArrayAttr[IntAttr]
    element_type: Attribute
    count: IntAttr

    def __init__(self, shape: Sequence[int], element_type: Attribute, block_count: int) -> None:
        super().__init__(integers(shape), element_type, IntAttr(block_count))

    @staticmethod
    def of(block: BlockType, block_count: int) -> DataflowBufferType:
        """The type of a buffer of blocks."""
        return DataflowBufferType(
            block.shape, element_type(block.dtype, block.layout, block.tile), block_count
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of one block."""
        return numbers(self.extents)

    @property
    def block_count(self) -> int:
        """The number of blocks."""
        return self.count.data

    @property
    def block_type(self) -> BlockType:
        """The type of one block, for the rules of the language."""
        return block_type(self.shape, self.element_type)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> Sequence[Attribute]:
        """The parameters, without the brackets."""
        extents = parse_extents(parser)
        parser.parse_punctuation(",")
        element = parser.parse_type()
        parser.parse_punctuation(",")
        return (extents, element, IntAttr(parser.parse_integer(allow_boolean=False)))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{extents_text(self.extents)}, ")
        printer.print_attribute(self.element_type)
        printer.print_string(f", {self.block_count}>")

    def verify(self) -> None:
        _check(self.shape, self.element_type)
        if self.block_count < 1:
            raise VerifyException(f"a dataflow buffer holds at least one block, not {self.block_count}")


class BufferLike(Attribute):
    """Interface of a type whose values are memory of a node, and can be represented as memrefs."""

    def buffer_type(self) -> MemRefType[Attribute]:
        """The memref with the same elements and shape. Its memory space is a string, which MLIR's own tools accept."""
        raise NotImplementedError


@irdl_attr_definition
class BlockMemoryType(Strippable, TypeAttribute, BufferLike):
    """An acquired block of a dataflow buffer: ``!ttl.block<[2, 1], !ttl.tile<32x32, bf16>>``."""

    name = "ttl.block"
    extents: ArrayAttr[IntAttr]
    element_type: Attribute

    def __init__(self, shape: Sequence[int], element_type: Attribute) -> None:
        super().__init__(integers(shape), element_type)

    @staticmethod
    def of(block: BlockType) -> BlockMemoryType:
        """The type of a block in memory."""
        return BlockMemoryType(block.shape, element_type(block.dtype, block.layout, block.tile))

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents, in tiles or elements."""
        return numbers(self.extents)

    @property
    def block_type(self) -> BlockType:
        """The type of the block, for the rules of the language."""
        return block_type(self.shape, self.element_type)

    def buffer_type(self) -> MemRefType[Attribute]:
        """The memref of the block in L1, also for the value that is read from it, if the value has memory."""
        return MemRefType(self.element_type, self.shape, NoneAttr(), StringAttr(MemoryKind.L1.value))

    @classmethod
    def parse_body(cls, parser: AttrParser) -> Sequence[Attribute]:
        """The parameters, without the brackets."""
        return _parse_shaped(parser)

    def print_parameters(self, printer: Printer) -> None:
        _print_shaped(printer, self.extents, self.element_type)

    def verify(self) -> None:
        _check(self.shape, self.element_type)


@irdl_attr_definition
class SliceType(Strippable, TypeAttribute):
    """A slice of a tensor, one end of a copy: ``!ttl.slice<[2, ?], !ttl.tile<32x32, bf16>>``.

    The shape is in tiles, or in elements where row-major; ``?`` where it is known only when the program runs.
    """

    name = "ttl.slice"
    extents: ArrayAttr[IntAttr]
    element_type: Attribute

    def __init__(self, shape: Sequence[int], element_type: Attribute) -> None:
        super().__init__(integers(shape), element_type)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents, in tiles or elements; -1 where unknown."""
        return numbers(self.extents)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> Sequence[Attribute]:
        """The parameters, without the brackets."""
        return _parse_shaped(parser)

    def print_parameters(self, printer: Printer) -> None:
        _print_shaped(printer, self.extents, self.element_type)

    def verify(self) -> None:
        _check(self.shape, self.element_type, "a slice", DYNAMIC)


@irdl_attr_definition
class AccessorType(Strippable, TypeAttribute):
    """The type of a tensor from which a kernel takes slices, with its encoding.

    ``!ttl.accessor<tensor<64x64xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>>``; the shape is
    the logical one, in elements.
    """

    name = "ttl.accessor"
    tensor: TensorType[Attribute]

    @property
    def shape(self) -> tuple[int, ...]:
        """Logical shape, in elements; -1 where symbolic."""
        return tensor_shape(self.tensor)

    @property
    def encoding(self) -> EncodingAttr:
        """The memory and layout of the tensor."""
        assert isinstance(self.tensor.encoding, EncodingAttr)
        return self.tensor.encoding

    @property
    def dtype(self) -> DType:
        """Element type."""
        return dtype_and_layout(self.tensor.element_type)[0]

    @property
    def layout(self) -> Layout:
        """The layout: tiled or row-major."""
        return Layout.TILE if self.encoding.layout.tensor_order is TensorOrder.TILED else Layout.ROW_MAJOR

    @property
    def element_type(self) -> Attribute:
        """The type of a slice's elements: tiles, or numbers."""
        return element_type(self.dtype, self.layout)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> Sequence[Attribute]:
        """The parameters, without the brackets."""
        return (parser.parse_type(),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.tensor)

    def verify(self) -> None:
        if not isinstance(self.tensor.encoding, EncodingAttr):
            raise VerifyException(
                f"the tensor of an accessor has a #ttl.encoding, not {self.tensor.encoding}"
            )
        check_element(self.tensor.element_type)
        if self.encoding.memory_space is MemoryKind.DST:
            raise VerifyException("a tensor is in DRAM, in L1 or on the host, not in the registers")


def tensor_type(shape: Sequence[int], dtype: DType, encoding: EncodingAttr) -> TensorType[Attribute]:
    """Return the type of a tensor on a device: logical shape in elements, -1 for symbolic extents."""
    extents = [DYNAMIC_INDEX if extent == DYNAMIC else extent for extent in shape]
    return TensorType(element_type(dtype, Layout.ROW_MAJOR), extents, encoding)


def tensor_shape(tensor: TensorType[Attribute]) -> tuple[int, ...]:
    """Return the shape of a tensor type: extents in elements, -1 for symbolic ones."""
    return tuple(DYNAMIC if extent == DYNAMIC_INDEX else extent for extent in tensor.get_shape())


@irdl_attr_definition
class TransferType(ParametrizedAttribute, TypeAttribute):
    """The handle of a copy that may be in progress: ``!ttl.transfer``."""

    name = "ttl.transfer"


@irdl_attr_definition
class GroupType(ParametrizedAttribute, TypeAttribute):
    """Transfers that are waited for together: ``!ttl.group``."""

    name = "ttl.group"


@irdl_attr_definition
class PipeNetType(ParametrizedAttribute, TypeAttribute):
    """A list of pipes: ``!ttl.pipe_net``."""

    name = "ttl.pipe_net"


@irdl_attr_definition
class PipeType(ParametrizedAttribute, TypeAttribute):
    """The end of a pipe in the body of an ``IfPipeOp``: ``!ttl.pipe<src>`` or ``!ttl.pipe<dst>``."""

    name = "ttl.pipe"
    which: StringAttr

    def __init__(self, end: Literal["src", "dst"]) -> None:
        super().__init__(StringAttr(end))

    @property
    def end(self) -> Literal["src", "dst"]:
        """The end of the pipe."""
        return "src" if self.which.data == "src" else "dst"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return (_parse_word(parser, ("src", "dst")),)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.end}>")


@irdl_attr_definition
class SemaphoreType(ParametrizedAttribute, TypeAttribute):
    """A semaphore of this node: ``!ttl.semaphore``."""

    name = "ttl.semaphore"


@irdl_attr_definition
class RemoteSemaphoreType(ParametrizedAttribute, TypeAttribute):
    """A semaphore of another node or of several: ``!ttl.remote_semaphore<unicast>`` or ``<multicast>``."""

    name = "ttl.remote_semaphore"
    which: StringAttr

    def __init__(self, reach: Literal["unicast", "multicast"]) -> None:
        super().__init__(StringAttr(reach))

    @property
    def reach(self) -> Literal["unicast", "multicast"]:
        """Whether it reaches one node or several."""
        return "unicast" if self.which.data == "unicast" else "multicast"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return (_parse_word(parser, ("unicast", "multicast")),)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.reach}>")


def _parse_word(parser: AttrParser, words: tuple[str, ...]) -> StringAttr:
    with parser.in_angle_brackets():
        position = parser.pos
        word = parser.parse_identifier()
        if word not in words:
            parser.raise_error(f"expected {' or '.join(words)}, not {word}", position, parser.pos)
        return StringAttr(word)


def _parse_shaped(parser: AttrParser) -> Sequence[Attribute]:
    extents = parse_extents(parser)
    parser.parse_punctuation(",")
    return (extents, parser.parse_type())


def _print_shaped(printer: Printer, extents: ArrayAttr[IntAttr], element: Attribute) -> None:
    printer.print_string(f"<{extents_text(extents)}, ")
    printer.print_attribute(element)
    printer.print_string(">")


def _check(shape: tuple[int, ...], element: Attribute, what: str = "a block", least: int = 1) -> None:
    tiled = isinstance(element, TileType)
    if len(shape) < 1 + tiled:
        raise VerifyException(
            f"{what} of {'tiles' if tiled else 'elements'} has {1 + tiled} dimensions or more, not {list(shape)}"
        )
    if any(extent < 1 and extent != least for extent in shape):
        raise VerifyException(f"every extent of {what} is at least 1, not {list(shape)}")
    check_element(element)
