"""The type of a tensor that is distributed over nodes, ``!ttl.dist_tensor``, and its strategy."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import ArrayAttr, IntAttr, MemRefType, NoneAttr, StringAttr, TensorType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from ttl.diag import Diagnostic
from ttl.dialects.elements import check_element, dtype_and_layout, element_type
from ttl.dialects.layouts import EncodingAttr, MemoryKind, MemoryKindAttr, TensorOrder
from ttl.dialects.types import BufferLike, tensor_shape
from ttl.ir.syntax import WordAttr, extents_text, integers, numbers, parse_extents
from ttl.rows.types import Layout
from ttl.rules import distribution as rules
from ttl.rules.tensor_pages import shard_holders


class DistributionStrategy(StrEnum):
    """The distribution of a tensor: cut into a shard for each node, interleaved over banks, or whole for every node."""

    SHARDED = "sharded"
    INTERLEAVED = "interleaved"
    REPLICATED = "replicated"


@irdl_attr_definition
class DistributionStrategyAttr(WordAttr[DistributionStrategy]):
    """The strategy by which a tensor is distributed over the nodes of a grid: ``#ttl.distribution_strategy<sharded>``."""

    name = "ttl.distribution_strategy"
    WORDS = DistributionStrategy


@irdl_attr_definition
class DistTensorType(ParametrizedAttribute, TypeAttribute, BufferLike):
    """A distributed tensor: ``!ttl.dist_tensor<grid=[2, 4], shard=[1, 2], !ttl.tile<32x32, bf16>, sharded, l1>``.

    ``grid`` has the numbers of shards along each dimension, ``shard`` the extents of a shard, in tiles, or in elements
    where the tensor is row-major. The extents of the tensor are ``grid`` times ``shard``. Shards are counted row by
    row, and the nodes of an operation get them row by row, or with ``col_major`` at the end column by column. A
    replicated or interleaved tensor has a single shard, which is the whole tensor.
    """

    name = "ttl.dist_tensor"
    grid: ArrayAttr[IntAttr]
    shard: ArrayAttr[IntAttr]
    element_type: Attribute
    strategy_attr: DistributionStrategyAttr
    space: MemoryKindAttr
    along: StringAttr

    def __init__(
        self,
        grid: Sequence[int],
        shard: Sequence[int],
        element: Attribute,
        strategy: DistributionStrategy | str,
        space: MemoryKind | str,
        order: rules.Order = "row_major",
    ) -> None:
        super().__init__(
            integers(grid),
            integers(shard),
            element,
            DistributionStrategyAttr(DistributionStrategy(strategy)),
            MemoryKindAttr(MemoryKind(space)),
            StringAttr(order),
        )

    @staticmethod
    def of(distribution: rules.Distribution, element: Attribute, space: MemoryKind | str) -> DistTensorType:
        """The type of a distribution."""
        shards = distribution.shards if distribution.strategy == "sharded" else (1,) * len(distribution.shard)
        return DistTensorType(
            shards, distribution.shard, element, distribution.strategy, space, distribution.order
        )

    @property
    def strategy(self) -> DistributionStrategy:
        """The strategy of the distribution."""
        return self.strategy_attr.data

    @property
    def shard_shape(self) -> tuple[int, ...]:
        """Extents of a shard, in tiles or elements."""
        return numbers(self.shard)

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the tensor, in tiles or elements."""
        return tuple(count * size for count, size in zip(numbers(self.grid), self.shard_shape, strict=True))

    @property
    def layout(self) -> Layout:
        """The layout: tiled or row-major."""
        return dtype_and_layout(self.element_type)[1]

    def buffer_type(self) -> MemRefType[Attribute]:
        """The memref of a node's shard. Its memory space is a string, which MLIR's own tools accept."""
        return MemRefType(self.element_type, self.shard_shape, NoneAttr(), StringAttr(self.space.data.value))

    def over(
        self, nodes: Sequence[int], lying: rules.MemoryDistribution | None = None
    ) -> rules.Distribution | Diagnostic:
        """Return the parts of the tensor by node of a grid, or an error (TTL0531 to TTL0533).

        ``lying`` is the distribution of the tensor in memory, if that is known.
        """
        columns, rows = (*nodes, 1)[:2]
        if lying is None or not lying.is_on_nodes:
            holders = rules.in_order(
                (columns, rows), "col_major" if self.along.data == "col_major" else "row_major"
            )
            lying = rules.MemoryDistribution(
                memory="l1", spread="block_sharded", shard=self.shard_shape, holders=holders
            )
        if self.strategy is not DistributionStrategy.SHARDED:
            lying = rules.MemoryDistribution(memory="dram", spread="interleaved")
        part = (
            (self.shard_shape[0], self.shard_shape[1])
            if self.strategy is DistributionStrategy.SHARDED
            else None
        )
        return rules.distribution(self.strategy.value, self.shape, self.layout, tuple(nodes), part, lying)

    def require_same_tensor(self, tensor: TensorType[Attribute]) -> None:
        """Raise ``VerifyException`` if shape, element type, layout or memory differ from those of a tensor."""
        encoding = tensor.encoding
        assert isinstance(encoding, EncodingAttr)
        layout = Layout.TILE if encoding.layout.tensor_order is TensorOrder.TILED else Layout.ROW_MAJOR
        element = element_type(dtype_and_layout(tensor.element_type)[0], layout)
        extents = rules.in_units(tensor_shape(tensor), layout)
        if (extents, element, encoding.memory_space) != (self.shape, self.element_type, self.space.data):
            raise VerifyException(
                f"a tensor of {list(extents)} x {element} in {encoding.memory_space} "
                f"is not a distributed tensor of {list(self.shape)} x {self.element_type} in {self.space.data}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            extents = []
            for word in ("grid", "shard"):
                parser.parse_keyword(word)
                parser.parse_punctuation("=")
                extents.append(parse_extents(parser))
                parser.parse_punctuation(",")
            element = parser.parse_type()
            parser.parse_punctuation(",")
            strategy = parser.parse_str_enum(DistributionStrategy)
            parser.parse_punctuation(",")
            position = parser.pos
            # The design document of the dialect writes L1 in capitals.
            word = parser.parse_identifier().lower()
            if word not in tuple(MemoryKind):
                parser.raise_error(f"expected {' or '.join(MemoryKind)}, not {word}", position, parser.pos)
            order = "row_major"
            if parser.parse_optional_punctuation(","):
                parser.parse_keyword("col_major")
                order = "col_major"
        space = MemoryKindAttr(MemoryKind(word))
        return (*extents, element, DistributionStrategyAttr(strategy), space, StringAttr(order))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<grid={extents_text(self.grid)}, shard={extents_text(self.shard)}, ")
        printer.print_attribute(self.element_type)
        order = "" if self.along.data == "row_major" else f", {self.along.data}"
        printer.print_string(f", {self.strategy.value}, {self.space.data.value}{order}>")

    def verify(self) -> None:
        check_element(self.element_type)
        grid, shard = numbers(self.grid), self.shard_shape
        if len(grid) != len(shard):
            raise VerifyException(
                f"grid and shard have as many dimensions, not {list(grid)} and {list(shard)}"
            )
        if min((*grid, *shard), default=0) < 1:
            raise VerifyException(
                f"every extent of grid and shard is at least 1, not {list(grid)} and {list(shard)}"
            )
        if self.strategy is DistributionStrategy.SHARDED and len(grid) != 2:
            raise VerifyException(
                f"shards are rows and columns of a tensor of two dimensions, not {len(grid)}"
            )
        if self.strategy is not DistributionStrategy.SHARDED and prod(grid) > 1:
            raise VerifyException(
                f"a tensor that is {self.strategy.value} has one shard, the whole tensor, not a grid of {list(grid)}"
            )
        if self.space.data not in (MemoryKind.L1, MemoryKind.DRAM):
            raise VerifyException(f"a distributed tensor is in l1 or dram, not {self.space.data.value}")
        if self.along.data not in ("row_major", "col_major"):
            raise VerifyException(f"nodes get shards row_major or col_major, not {self.along.data}")


def lying_of(encoding: EncodingAttr, shape: tuple[int, ...]) -> rules.MemoryDistribution:
    """Return the distribution in memory of a tensor of ``shape``, in elements."""
    layout = encoding.layout
    unit = Layout.TILE if layout.tensor_order is TensorOrder.TILED else Layout.ROW_MAJOR
    spread, shard = layout.memory_layout.value, layout.shard_shape
    holders: list[tuple[int, int]] = []
    if shard is not None and len(shard) == 2 and layout.shard_nodes is not None:
        by_rows = layout.shard_order == "row_major"
        holders = shard_holders(spread, shape, shard, layout.shard_nodes, by_rows=by_rows)
    return rules.MemoryDistribution(
        memory=encoding.memory_space.value,
        spread=spread,
        shard=None if shard is None else rules.in_units(shard, unit),
        holders=tuple(holders),
    )
