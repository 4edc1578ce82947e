"""Memories and layouts of tensors: attributes of the ``ttl`` dialect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from ttl.ir.syntax import (
    Aliased,
    WordAttr,
    dimensions_text,
    extents_text,
    integers,
    numbers,
    parse_dimensions,
    parse_extents,
)

ShardOrder = Literal["row_major", "col_major"]
"""The order in which the nodes of a rectangle get shards: row by row, or column by column."""


class MemoryKind(StrEnum):
    """The memory that holds data: a node's L1, DRAM, the register file of the math engine, or the host's memory."""

    L1 = "l1"
    DRAM = "dram"
    DST = "dst"
    SYSTEM = "system"


class TensorOrder(StrEnum):
    """The order of a tensor's elements: tile by tile, or row by row."""

    TILED = "tiled"
    ROW_MAJOR = "row_major"


class MemoryLayout(StrEnum):
    """The distribution of a tensor over banks or nodes."""

    INTERLEAVED = "interleaved"
    HEIGHT_SHARDED = "height_sharded"
    WIDTH_SHARDED = "width_sharded"
    BLOCK_SHARDED = "block_sharded"
    ND_SHARDED = "nd_sharded"


class NodeRectangle(NamedTuple):
    """Nodes of a grid: ``columns`` and ``rows`` of them, the first one at (``x``, ``y``)."""

    x: int
    y: int
    columns: int
    rows: int


@irdl_attr_definition
class MemoryKindAttr(WordAttr[MemoryKind]):
    """A memory space: ``#ttl.memory_space<l1>``."""

    name = "ttl.memory_space"
    WORDS = MemoryKind


@irdl_attr_definition
class LayoutAttr(ParametrizedAttribute):
    """The layout of a tensor: ``#ttl.layout<tiled, interleaved>``.

    A sharded layout can have the shape of a shard, in elements, and the columns and rows of the nodes that hold the
    shards: ``#ttl.layout<tiled, block_sharded, [64, 64], 2x2>``. For a rectangle of nodes that does not begin at
    (0, 0), the text names its first node. There may be several rectangles, filled one after the other, and shards may
    be assigned column by column:
    ``#ttl.layout<tiled, height_sharded, [64, 64], 2x2 at [1, 2], 1x1 at [5, 0], col_major>``.
    """

    name = "ttl.layout"
    order: Attribute
    memory: Attribute
    shard: Attribute
    nodes: Attribute
    along: StringAttr

    def __init__(
        self,
        order: TensorOrder | str,
        memory: MemoryLayout | str = MemoryLayout.INTERLEAVED,
        *,
        shard_shape: Sequence[int] | None = None,
        shard_nodes: Sequence[tuple[int, int, int, int]] | None = None,
        shard_order: ShardOrder = "row_major",
    ) -> None:
        super().__init__(
            OrderAttr(TensorOrder(order)),
            MemoryLayoutAttr(MemoryLayout(memory)),
            NoneAttr() if shard_shape is None else integers(shard_shape),
            NoneAttr() if shard_nodes is None else _rectangles(shard_nodes),
            StringAttr(shard_order),
        )

    @property
    def tensor_order(self) -> TensorOrder:
        """The order of elements: tiled or row-major."""
        assert isinstance(self.order, OrderAttr)
        return self.order.data

    @property
    def memory_layout(self) -> MemoryLayout:
        """The distribution: interleaved or a kind of sharding."""
        assert isinstance(self.memory, MemoryLayoutAttr)
        return self.memory.data

    @property
    def shard_shape(self) -> tuple[int, ...] | None:
        """The shape of a shard in elements; None where the layout does not have it."""
        return numbers(self.shard) if isinstance(self.shard, ArrayAttr) else None

    @property
    def shard_nodes(self) -> tuple[NodeRectangle, ...] | None:
        """The nodes, or in DRAM the banks, that hold shards: rectangles in order; None if the layout has no nodes."""
        if not isinstance(self.nodes, ArrayAttr):
            return None
        return tuple(NodeRectangle(*numbers(rectangle)) for rectangle in self.nodes)

    @property
    def shard_order(self) -> ShardOrder:
        """The order in which the nodes of a rectangle get shards."""
        return cast("ShardOrder", self.along.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        shard: Attribute = NoneAttr()
        rectangles: list[NodeRectangle] = []
        along: ShardOrder = "row_major"
        with parser.in_angle_brackets():
            order = parser.parse_str_enum(TensorOrder)
            parser.parse_punctuation(",")
            memory = parser.parse_str_enum(MemoryLayout)
            if parser.parse_optional_punctuation(","):
                shard = parse_extents(parser)
            while parser.parse_optional_punctuation(","):
                if parser.parse_optional_keyword("col_major"):
                    along = "col_major"
                    break
                rectangles.append(_parse_rectangle(parser))
        nodes = _rectangles(rectangles) if rectangles else NoneAttr()
        return (OrderAttr(order), MemoryLayoutAttr(memory), shard, nodes, StringAttr(along))

    def print_parameters(self, printer: Printer) -> None:
        parts: list[str] = [self.tensor_order.value, self.memory_layout.value]
        if isinstance(self.shard, ArrayAttr):
            parts.append(extents_text(self.shard))
        parts += map(_rectangle_text, self.shard_nodes or ())
        if self.shard_order != "row_major":
            parts.append(self.shard_order)
        printer.print_string(f"<{', '.join(parts)}>")

    def verify(self) -> None:
        nodes = self.shard_nodes
        if self.memory_layout is MemoryLayout.INTERLEAVED and self.shard_shape is not None:
            raise VerifyException("an interleaved layout has no shards, so it has no shard shape")
        if self.shard_shape is not None and min(self.shard_shape, default=0) < 1:
            raise VerifyException(
                f"a shard has at least one element along each dimension, not {list(self.shard_shape)}"
            )
        if self.shard_shape is None and nodes is not None:
            raise VerifyException(f"nodes with shards, {_rectangle_text(nodes[0])}, need a shard shape")
        if self.shard_order not in ("row_major", "col_major"):
            raise VerifyException(f"nodes get shards row_major or col_major, not {self.shard_order}")
        if nodes is None and self.shard_order != "row_major":
            raise VerifyException(f"shards given out {self.shard_order} need the nodes that get them")
        for rectangle in nodes or ():
            if min(rectangle) < 0 or not rectangle.columns or not rectangle.rows:
                raise VerifyException(f"no nodes: {_rectangle_text(rectangle)}")


def _rectangles(nodes: Iterable[tuple[int, int, int, int]]) -> ArrayAttr[ArrayAttr[IntAttr]]:
    return ArrayAttr([integers(rectangle) for rectangle in nodes])


def _parse_rectangle(parser: AttrParser) -> NodeRectangle:
    position = parser.pos
    extents = numbers(parse_dimensions(parser))
    first = numbers(parse_extents(parser)) if parser.parse_optional_keyword("at") else (0, 0)
    if len(extents) > 2 or len(first) != 2:
        parser.raise_error("expected columns and rows of nodes, such as 2x4 at [1, 0]", position, parser.pos)
    return NodeRectangle(*first, extents[0], extents[1] if len(extents) == 2 else 1)


def _rectangle_text(nodes: NodeRectangle) -> str:
    start = f" at [{nodes.x}, {nodes.y}]" if nodes[:2] != (0, 0) else ""
    return f"{dimensions_text(nodes[2:])}{start}"


@irdl_attr_definition
class OrderAttr(WordAttr[TensorOrder]):
    """Tiled or row-major, as a parameter of a layout: ``#ttl.order<tiled>``."""

    name = "ttl.order"
    WORDS = TensorOrder


@irdl_attr_definition
class MemoryLayoutAttr(WordAttr[MemoryLayout]):
    """Interleaved or sharded, as a parameter of a layout: ``#ttl.tensor_memory_layout<interleaved>``."""

    name = "ttl.tensor_memory_layout"
    WORDS = MemoryLayout


@irdl_attr_definition
class EncodingAttr(ParametrizedAttribute, Aliased):
    """Memory space and layout of a tensor: ``#ttl.encoding<dram, #ttl.layout<tiled, interleaved>>``."""

    name = "ttl.encoding"
    space: MemoryKindAttr
    layout: LayoutAttr

    ALIASED_FROM = 2

    def __init__(self, memory_space: MemoryKind | str | MemoryKindAttr, layout: LayoutAttr) -> None:
        if not isinstance(memory_space, MemoryKindAttr):
            memory_space = MemoryKindAttr(MemoryKind(memory_space))
        super().__init__(memory_space, layout)

    def alias(self) -> str:
        return "encoding"

    @property
    def memory_space(self) -> MemoryKind:
        """The memory that holds the tensor."""
        return self.space.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            space = parser.parse_str_enum(MemoryKind)
            parser.parse_punctuation(",")
            return (MemoryKindAttr(space), parser.parse_attribute())

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.memory_space.value}, ")
            printer.print_attribute(self.layout)
