"""The functions that make dataflow buffers (specification, "Dataflow buffer")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ttl import control
from ttl.diag.remedies import RenameArgument
from ttl.host.memory import ShardOrientation
from ttl.host.tensor import Tensor
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.check import fail, public, right
from ttl.lang.context import current
from ttl.lang.deprecated import note_older
from ttl.rows.dtypes import dtype_named
from ttl.rows.params import no_dtype
from ttl.rows.types import WHOLE_TILE, BlockType, Layout
from ttl.rules import backing
from ttl.rules import buffers as rules
from ttl.rules.tensor_pages import shard_holders

if TYPE_CHECKING:
    pass


_DEFAULT_BLOCK_COUNT = 2
# The most blocks of a buffer that is made without a tensor.
MOST_BLOCKS = 32


@public
def make_dataflow_buffer_like(
    likeness_tensor: Any,
    shape: Any,
    block_count: int | None = None,
    *,
    buffer_factor: int | None = None,
) -> DataflowBuffer:
    """Create a dataflow buffer with the element type and layout of a tensor.

    ``shape`` is the shape of one block: in tiles for a tiled tensor (at least two dimensions), in elements
    for a row-major one; an int stands for one dimension. ``block_count`` (default 2: double buffering) is how
    many blocks fit. L1 taken is block size times ``block_count``. Specification: "Dataflow buffer".

    Raises ``ProgramError``: TTL0319 not a tensor, TTL0320 too few dimensions for tiles, TTL0321 wrong block count,
    TTL0323 wrong shape, TTL0211 in a kernel. ``ResourceError`` when the body has ended: TTL0801 too little L1,
    TTL0802 too many buffers.
    """
    execution = current("ttl.make_dataflow_buffer_like()")
    if not isinstance(likeness_tensor, Tensor):
        fail(rules.no_likeness(likeness_tensor))
    if buffer_factor is not None:
        note_older(
            "buffer_factor=",
            "block_count=",
            "TTL1201",
            RenameArgument(older="buffer_factor", current="block_count"),
        )
        block_count = buffer_factor if block_count is None else block_count
    extents = right(rules.block_shape(shape, likeness_tensor.layout))
    count = right(rules.block_count(_DEFAULT_BLOCK_COUNT if block_count is None else block_count))
    type_ = BlockType.of(extents, likeness_tensor.dtype, likeness_tensor.layout)
    return execution.make_buffer(type_, count, rules.ANYWHERE, likeness_tensor)


class AllocationGroup:
    """A promise about buffers: on every node, the use of each ends before the next is used. It does not synchronise."""

    __slots__ = ()


@public
def make_dfb_allocation_group() -> AllocationGroup:
    """Make a group for the argument ``allocation_group`` of ``ttl.make_dfb``, in the body of an operation."""
    current("ttl.make_dfb_allocation_group()")
    return AllocationGroup()


@public
def make_dfb(
    dtype: Any,
    shape: Any,
    block_count: int = _DEFAULT_BLOCK_COUNT,
    tile: Any = WHOLE_TILE,
    *,
    allocation_group: Any = None,
    address_scope: Any = None,
) -> DataflowBuffer:
    """Create a dataflow buffer of blocks of tiles.

    ``dtype`` is an element type: ttnn's or torch's, or the name of a format (``"bf16"``, ``"float32"``, ``"bfp8"``). ``shape``
    is the shape of one block in tiles, of two dimensions or more; ``block_count`` (1 to 32) how many blocks fit. ``tile``
    is the size of a tile, (rows, columns) of elements: 1, 2, 4, 8, 16 or 32 rows and 16 or 32 columns.

    Buffers of one ``allocation_group`` (``ttl.make_dfb_allocation_group()``) use the same memory, one after the other.
    ``address_scope="remote_uniform"`` puts it at one address on all nodes, so that other nodes can write to it.

    Raises ``ProgramError``: TTL0417 not an element type, TTL0320 too few dimensions, TTL0323 wrong shape, TTL0321 wrong block
    count, TTL0343 not a size of a tile, TTL0344 not an address scope, TTL0345 not a group, TTL0346 members of a group that differ or are in use at the same time, TTL0211 in a kernel. ``ResourceError`` when the body has ended: TTL0801
    too little L1, TTL0802 too many buffers.
    """
    execution = current("ttl.make_dfb()")
    if isinstance(dtype, Tensor):
        fail(rules.dtype_is_tensor())
    element = right(dtype_named(dtype) or no_dtype(dtype))
    extents = right(rules.block_shape(shape, Layout.TILE))
    count = right(rules.block_count(block_count, MOST_BLOCKS))
    type_ = BlockType.of(extents, element, Layout.TILE, right(rules.tile(tile)))
    return execution.make_buffer(type_, count, _placement(address_scope, allocation_group, None), None)


@public
def make_tensor_backed_dfb(
    tensor: Any,
    shape: Any,
    *,
    block_count: int = 1,
    byte_offset: int = 0,
    allocation_group: Any = None,
    address_scope: Any = None,
) -> DataflowBuffer:
    """Create a dataflow buffer whose memory is a part of the node's shard of a tensor: nothing is copied.

    The tensor is tiled, in L1, sharded by height, width or block, of bfloat16, float32, bfloat8_b or bfloat4_b. ``shape`` is
    the shape of one block in tiles; blocks are the tiles of the shard one after the other, row by row, from
    ``byte_offset`` on. ``dfb.publish()`` lets other kernels read the tensor's data; blocks that are reserved, stored and pushed are
    then in the tensor, and no kernel has to wait for them. The buffer takes no additional L1.

    Raises ``ProgramError``: TTL0347 an unsuitable tensor, TTL0348 bytes outside of the shard, TTL0356 bytes that another buffer
    uses, TTL0320, TTL0321, TTL0323, TTL0344, TTL0345 as ``ttl.make_dfb``, TTL0211 in a kernel.
    """
    execution = current("ttl.make_tensor_backed_dfb()")
    if not isinstance(tensor, Tensor):
        fail(backing.no_tensor(tensor))
    where = placed(tensor, execution.known_shape(tensor))
    extents = right(rules.block_shape(shape, Layout.TILE))
    count = right(rules.block_count(block_count))
    type_ = BlockType.of(extents, tensor.dtype, Layout.TILE)
    memory = right(backing.backing_of(where, type_, count, byte_offset, execution.grid))
    return execution.make_buffer(type_, count, _placement(address_scope, allocation_group, memory), tensor)


def _placement(
    address_scope: Any, allocation_group: Any, memory: backing.Backing | None
) -> rules.BufferPlacement:
    if allocation_group is not None and not isinstance(allocation_group, AllocationGroup):
        fail(rules.no_group(allocation_group))
    return rules.BufferPlacement(
        scope=right(rules.address_scope(address_scope)), group=allocation_group, backing=memory
    )


def placed(tensor: Tensor, shape: tuple[int, ...]) -> backing.PlacedTensor:
    """Return the memory layout of a tensor of ``shape``, in elements."""
    config = tensor.memory_config()
    spec, spread = config.shard_spec, config.memory_layout.name.lower()
    holders: list[tuple[int, int]] = []
    if spec is not None:
        rectangles = [(*range_.start, *range_.grid_size()) for range_ in spec.grid.ranges()]
        by_rows = spec.orientation is ShardOrientation.ROW_MAJOR
        holders = shard_holders(spread, shape, spec.shape, rectangles, by_rows=by_rows)
    return backing.PlacedTensor(
        tensor=tensor,
        shape=shape,
        dtype=tensor.dtype,
        layout=tensor.layout,
        memory=config.buffer_type.name.lower(),
        spread="spread over a mesh" if tensor.shards is not None else spread,
        shard=None if spec is None else spec.shape,
        holders=tuple(holders),
    )


make_dataflow_buffer_like = control.function("buffer", make_dataflow_buffer_like)
control.configure("types", BlockType.of, Layout.TILE)
