"""Attributes of the ``ttl`` dialect: where memory is and how it is laid out, grids, ranges of nodes, pipes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr
from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from ttl.dialects.syntax import (
    dimensions_text,
    extents_text,
    integers,
    numbers,
    parse_dimensions,
    parse_extents,
)


class MemorySpace(StrEnum):
    """Where data is: in a node's L1, in DRAM, in the register file of the math engine, in the host's memory."""

    L1 = "l1"
    DRAM = "dram"
    DST = "dst"
    SYSTEM = "system"


class TensorOrder(StrEnum):
    """How the elements of a tensor follow each other: tile by tile, or row by row."""

    TILED = "tiled"
    ROW_MAJOR = "row_major"


class TensorMemoryLayout(StrEnum):
    """How a tensor is spread over banks or nodes."""

    INTERLEAVED = "interleaved"
    HEIGHT_SHARDED = "height_sharded"
    WIDTH_SHARDED = "width_sharded"
    BLOCK_SHARDED = "block_sharded"
    ND_SHARDED = "nd_sharded"


@irdl_attr_definition
class MemorySpaceAttr(Data[MemorySpace]):
    """A memory space: ``#ttl.memory_space<l1>``."""

    name = "ttl.memory_space"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> MemorySpace:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(MemorySpace)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.value}>")


@irdl_attr_definition
class GridAttr(ParametrizedAttribute):
    """Extents of a grid of nodes: ``#ttl.grid<8x8>``."""

    name = "ttl.grid"
    shape: ArrayAttr[IntAttr]

    def __init__(self, extents: Sequence[int]) -> None:
        super().__init__(integers(extents))

    @property
    def extents(self) -> tuple[int, ...]:
        """Nodes along each dimension."""
        return numbers(self.shape)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (parse_dimensions(parser),)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{dimensions_text(self.extents)}>")

    def verify(self) -> None:
        if not self.extents or min(self.extents) < 1:
            raise VerifyException(f"a grid has at least one node along each dimension, not {self.extents}")


@irdl_attr_definition
class LayoutAttr(ParametrizedAttribute):
    """How a tensor is stored: ``#ttl.layout<tiled, interleaved>``.

    A sharded one can say the shape of a shard, in elements, and the grid of the nodes that hold the shards:
    ``#ttl.layout<tiled, block_sharded, [64, 64], 2x2>``.
    """

    name = "ttl.layout"
    order: Attribute
    memory: Attribute
    shard: Attribute
    grid: Attribute

    def __init__(
        self,
        order: TensorOrder | str,
        memory: TensorMemoryLayout | str = TensorMemoryLayout.INTERLEAVED,
        *,
        shard_shape: Sequence[int] | None = None,
        shard_grid: Sequence[int] | None = None,
    ) -> None:
        super().__init__(
            OrderAttr(TensorOrder(order)),
            TensorMemoryLayoutAttr(TensorMemoryLayout(memory)),
            NoneAttr() if shard_shape is None else integers(shard_shape),
            NoneAttr() if shard_grid is None else integers(shard_grid),
        )

    @property
    def tensor_order(self) -> TensorOrder:
        """Tiled or row-major."""
        assert isinstance(self.order, OrderAttr)
        return self.order.data

    @property
    def memory_layout(self) -> TensorMemoryLayout:
        """Interleaved or one of the sharded ones."""
        assert isinstance(self.memory, TensorMemoryLayoutAttr)
        return self.memory.data

    @property
    def shard_shape(self) -> tuple[int, ...] | None:
        """Elements of one shard, where the layout says it."""
        return numbers(self.shard) if isinstance(self.shard, ArrayAttr) else None

    @property
    def shard_grid(self) -> tuple[int, ...] | None:
        """Extents of the nodes that hold shards, where the layout says it."""
        return numbers(self.grid) if isinstance(self.grid, ArrayAttr) else None

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        shard: Attribute = NoneAttr()
        grid: Attribute = NoneAttr()
        with parser.in_angle_brackets():
            order = parser.parse_str_enum(TensorOrder)
            parser.parse_punctuation(",")
            memory = parser.parse_str_enum(TensorMemoryLayout)
            if parser.parse_optional_punctuation(","):
                shard = parse_extents(parser)
                if parser.parse_optional_punctuation(","):
                    grid = parse_dimensions(parser)
        return (OrderAttr(order), TensorMemoryLayoutAttr(memory), shard, grid)

    def print_parameters(self, printer: Printer) -> None:
        text = f"<{self.tensor_order.value}, {self.memory_layout.value}"
        if isinstance(self.shard, ArrayAttr):
            text += f", {extents_text(self.shard)}"
            if self.shard_grid is not None:
                text += f", {dimensions_text(self.shard_grid)}"
        printer.print_string(f"{text}>")

    def verify(self) -> None:
        if self.memory_layout is TensorMemoryLayout.INTERLEAVED and self.shard_shape is not None:
            raise VerifyException("an interleaved layout has no shards, so it has no shard shape")
        if self.shard_shape is None and self.shard_grid is not None:
            raise VerifyException(f"the shard grid {self.shard_grid} needs a shard shape")


@irdl_attr_definition
class OrderAttr(Data[TensorOrder]):
    """Tiled or row-major, as a parameter of a layout: ``#ttl.order<tiled>``."""

    name = "ttl.order"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> TensorOrder:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(TensorOrder)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.value}>")


@irdl_attr_definition
class TensorMemoryLayoutAttr(Data[TensorMemoryLayout]):
    """Interleaved or sharded, as a parameter of a layout: ``#ttl.tensor_memory_layout<interleaved>``."""

    name = "ttl.tensor_memory_layout"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> TensorMemoryLayout:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(TensorMemoryLayout)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.value}>")


@irdl_attr_definition
class EncodingAttr(ParametrizedAttribute):
    """Memory space and layout of a tensor: ``#ttl.encoding<dram, #ttl.layout<tiled, interleaved>>``."""

    name = "ttl.encoding"
    space: MemorySpaceAttr
    layout: LayoutAttr

    def __init__(self, memory_space: MemorySpace | str | MemorySpaceAttr, layout: LayoutAttr) -> None:
        if not isinstance(memory_space, MemorySpaceAttr):
            memory_space = MemorySpaceAttr(MemorySpace(memory_space))
        super().__init__(memory_space, layout)

    @property
    def memory_space(self) -> MemorySpace:
        """Where the tensor is."""
        return self.space.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            space = parser.parse_str_enum(MemorySpace)
            parser.parse_punctuation(",")
            return (MemorySpaceAttr(space), parser.parse_attribute())

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.memory_space.value}, ")
            printer.print_attribute(self.layout)


@irdl_attr_definition
class SliceAttr(ParametrizedAttribute):
    """A range of nodes along one dimension, without its end: ``#ttl.range<0, 4, 1>``."""

    name = "ttl.range"
    bounds: ArrayAttr[IntAttr]

    def __init__(self, start: int, stop: int, step: int = 1) -> None:
        super().__init__(integers((start, stop, step)))

    @property
    def start(self) -> int:
        """The first node."""
        return self.bounds.data[0].data

    @property
    def stop(self) -> int:
        """One past the last node."""
        return self.bounds.data[1].data

    @property
    def step(self) -> int:
        """The distance between nodes."""
        return self.bounds.data[2].data

    @property
    def indices(self) -> range:
        """The nodes it names."""
        return range(self.start, self.stop, self.step)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        bounds = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_integer)
        return (integers(bounds),)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.start}, {self.stop}, {self.step}>")

    def verify(self) -> None:
        if len(self.bounds) != 3:
            raise VerifyException(f"a range is start, stop and step, not {len(self.bounds)} numbers")
        if self.step < 1:
            raise VerifyException(f"the step of a range is at least 1, not {self.step}")


@irdl_attr_definition
class PipeAttr(ParametrizedAttribute):
    """From one node to one, or to a range of nodes: ``#ttl.pipe<[0, 0] -> [0, 1:4]>``.

    The two may be written with different numbers of coordinates, as those of ``ttl.node(dims=...)`` may.
    """

    name = "ttl.pipe"
    source: ArrayAttr[IntAttr]
    destination: ArrayAttr[Attribute]

    def __init__(self, src: Sequence[int], dst: Sequence[int | SliceAttr]) -> None:
        super().__init__(
            integers(src),
            ArrayAttr([each if isinstance(each, SliceAttr) else IntAttr(each) for each in dst]),
        )

    @property
    def src(self) -> tuple[int, ...]:
        """The node that sends."""
        return numbers(self.source)

    @property
    def dst(self) -> tuple[int | SliceAttr, ...]:
        """The node or nodes that receive."""
        return tuple(each.data if isinstance(each, IntAttr) else each for each in self.destination)  # type: ignore[misc]

    @property
    def is_multicast(self) -> bool:
        """Whether the destination is written as a range, even of one node."""
        return any(isinstance(each, SliceAttr) for each in self.destination)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def coordinate() -> Attribute:
            first = parser.parse_integer()
            if parser.parse_optional_punctuation(":") is None:
                return IntAttr(first)
            stop = parser.parse_integer()
            step = parser.parse_integer() if parser.parse_optional_punctuation(":") else 1
            return SliceAttr(first, stop, step)

        with parser.in_angle_brackets():
            source = parse_extents(parser)
            parser.parse_punctuation("->")
            destination = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, coordinate)
        return (source, ArrayAttr(destination))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{list(self.src)} -> [{', '.join(map(_coordinate_text, self.dst))}]>")

    def verify(self) -> None:
        if not self.src or not self.dst:
            raise VerifyException("source and destination of a pipe have one coordinate at least")


def _coordinate_text(coordinate: int | SliceAttr) -> str:
    if isinstance(coordinate, int):
        return str(coordinate)
    step = f":{coordinate.step}" if coordinate.step != 1 else ""
    return f"{coordinate.start}:{coordinate.stop}{step}"


@irdl_attr_definition
class NodeMaskAttr(ParametrizedAttribute):
    """Which nodes of a grid take part, in row-major order: ``#ttl.node_mask<2x2, [1, 0, 1, 1]>``."""

    name = "ttl.node_mask"
    shape: ArrayAttr[IntAttr]
    mask: ArrayAttr[IntAttr]

    def __init__(self, extents: Sequence[int], mask: Sequence[int | bool]) -> None:
        super().__init__(integers(extents), integers(int(bit) for bit in mask))

    @property
    def extents(self) -> tuple[int, ...]:
        """Extents of the grid."""
        return numbers(self.shape)

    @property
    def bits(self) -> tuple[int, ...]:
        """1 for a node that takes part, 0 for one that does not."""
        return numbers(self.mask)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            extents = parse_dimensions(parser)
            parser.parse_punctuation(",")
            return (extents, parse_extents(parser))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{dimensions_text(self.extents)}, {extents_text(self.mask)}>")

    def verify(self) -> None:
        if len(self.bits) != prod(self.extents):
            raise VerifyException(
                f"a mask of a {dimensions_text(self.extents)} grid has {prod(self.extents)} bits, not {len(self.bits)}"
            )
        if not set(self.bits) <= {0, 1}:
            raise VerifyException(f"a mask is made of 0 and 1, not {sorted(set(self.bits) - {0, 1})[0]}")
