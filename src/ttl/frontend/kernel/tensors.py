"""Tensors of the host library as types of the dialect, and tensors whose extents are values of the IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute, SSAValue

from ttl.dialects import ttl as ir
from ttl.host.cores import CoreRangeSet
from ttl.host.dataless import make
from ttl.host.memory import BufferType, MemoryConfig, ShardOrientation
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import DType
from ttl.rows.types import TILE, Layout
from ttl.rules.distribution import Distribution
from ttl.session import cached

if TYPE_CHECKING:
    from xdsl.ir import Block

    from ttl.frontend.kernel.builder import Builder

_SPACE = {
    BufferType.DRAM: "dram",
    BufferType.TRACE: "dram",  # a region of DRAM
    BufferType.L1: "l1",
    BufferType.L1_SMALL: "l1",
    BufferType.SYSTEM_MEMORY: "system",
}


class Shards(NamedTuple):
    """The shape of a shard in elements, and the nodes (in DRAM the banks) that get the shards, in this order."""

    shape: tuple[int, ...]
    nodes: tuple[ir.NodeRectangle, ...]
    order: ir.ShardOrder


class SymbolicTensor(Tensor):
    """A tensor with a known number of dimensions. Its extents are known when it is an argument, its padding never."""

    __slots__ = ()

    def __init__(self, rank: int) -> None:
        self._become(make((TILE,) * rank, layout=Layout.TILE))
        self.shape = self.padded_shape = (None,) * rank  # type: ignore[assignment]

    def bind(self, builder: Builder, body: Block, argument: SSAValue) -> None:
        """Set the extents to those of an argument of the operation."""
        extents: list[Any] = []
        for axis in range(len(self.shape)):
            value = builder.emit_first(body, ir.DimOp(argument, axis)).result
            extents.append(builder.atom(value, 1, None, frozenset()))
        self.shape = tuple(extents)  # type: ignore[assignment]


def extents_of(tensor: Tensor) -> tuple[int, ...]:
    """Extents in the unit of slices: tiles in the last two dimensions of a tiled tensor, elements elsewhere."""
    shape = tuple(tensor.shape)
    if tensor.layout is not Layout.TILE:
        return shape or (1,)
    whole = (1,) * (2 - len(shape)) + shape
    return (*whole[:-2], *(-(-extent // TILE) for extent in whole[-2:]))


def distributed_type(tensor: Tensor, distribution: Distribution) -> ir.DistTensorType:
    """The type of a distributed tensor."""
    element = ir.element_type(tensor.dtype, tensor.layout)
    return ir.DistTensorType.of(distribution, element, _SPACE[tensor.memory_config().buffer_type])


def tensor_type(tensor: Tensor) -> TensorType[Attribute]:
    """The type of an argument: shape in elements, element type, memory."""
    # A symbolic tensor has no extents before it is an argument.
    shape = tuple(extent if isinstance(extent, int) else DYNAMIC_INDEX for extent in tensor.shape)
    # A tiled tensor has at least two dimensions, a row-major tensor at least one.
    shape = (1,) * ((2 if tensor.layout is Layout.TILE else 1) - len(shape)) + shape
    return _tensor_type(shape, tensor.dtype, tensor.layout, tensor.memory_config())


@cached(maxsize=1024)
def _tensor_type(
    shape: tuple[int, ...], dtype: DType, layout: Layout, config: MemoryConfig
) -> TensorType[Attribute]:
    return TensorType(ir.element_type(dtype, Layout.ROW_MAJOR), shape, _encoding(layout, config))


def shards_of(config: MemoryConfig) -> Shards | None:
    """Return how a memory configuration shards a tensor, and which nodes get the shards.

    None if it does not shard it, or does not say how.
    """
    spec, nd = config.shard_spec, config.nd_shard_spec
    if spec is not None:
        return Shards(spec.shape, _rectangles(spec.grid), _order(spec.orientation))
    if nd is not None:
        return Shards(nd.shard_shape, _rectangles(nd.grid), _order(nd.orientation))
    return None


def _order(orientation: ShardOrientation) -> ir.ShardOrder:
    return "row_major" if orientation is ShardOrientation.ROW_MAJOR else "col_major"


def _encoding(layout: Layout, config: MemoryConfig) -> ir.EncodingAttr:
    order = "tiled" if layout is Layout.TILE else "row_major"
    spread, shards = config.memory_layout.name.lower(), shards_of(config)
    if shards is None:
        attribute = ir.LayoutAttr(order, spread)
    else:
        attribute = ir.LayoutAttr(
            order, spread, shard_shape=shards.shape, shard_nodes=shards.nodes, shard_order=shards.order
        )
    return ir.EncodingAttr(_SPACE[config.buffer_type], attribute)


def _rectangles(cores: CoreRangeSet) -> tuple[ir.NodeRectangle, ...]:
    return tuple(ir.NodeRectangle(*range_.start, *range_.grid_size()) for range_ in cores.ranges())
