"""Dataflow buffers whose memory is part of a tensor: which tensors are suitable, and which accesses are allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument, Callee, DropArguments, DropStatement
from ttl.diag.values import is_int
from ttl.diag.words import counted
from ttl.protocol.grid import coordinate
from ttl.rows.dtypes import DType
from ttl.rows.types import TILE, BlockType, Layout
from ttl.rules.tensor_pages import in_pages
from ttl.rules.words import describe

NO_BACKING, NO_RANGE, NOT_PUBLISHED, TOUCHED, OVERLAPPING = (
    "TTL0347",
    "TTL0348",
    "TTL0349",
    "TTL0355",
    "TTL0356",
)
OTHER_MEMBER = "TTL0346"
REPLACED = "TTL0362"
FORMATS = ("bfloat16", "float32", "bfloat8_b", "bfloat4_b")
_SPREADS = ("height_sharded", "width_sharded", "block_sharded")
_FROM_THE_START = Argument(description="begin at the shard's first tile", name="byte_offset", value="0")
_COPIES = "make the buffer with ttl.make_dataflow_buffer_like(tensor, shape=...) and copy its blocks"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlacedTensor:
    """A tensor and its memory layout.

    ``shape`` and ``shard`` are in elements; ``holders`` get the shards in this order.
    """

    tensor: object
    shape: tuple[int, ...]
    dtype: DType
    layout: Layout
    memory: str
    spread: str
    shard: tuple[int, ...] | None
    holders: tuple[tuple[int, int], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Backing:
    """The pages of a tensor that are the memory of a dataflow buffer, on every node."""

    placed: PlacedTensor
    byte_offset: int
    block: BlockType
    block_count: int

    @property
    def tensor(self) -> object:
        """The tensor."""
        return self.placed.tensor

    @cached_property
    def nbytes(self) -> int:
        """Bytes of the buffer."""
        return self.block.nbytes * self.block_count

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for buffers that use the same bytes with the same block type and block count."""
        return id(self.tensor), self.byte_offset, self.block, self.block_count

    def overlaps(self, other: Backing) -> bool:
        """Whether two buffers have bytes in common."""
        first, second = self.byte_offset, other.byte_offset
        return self.tensor is other.tensor and first < second + other.nbytes and second < first + self.nbytes

    def pages(self, node: Sequence[int], blocks: int | None = None) -> list[tuple[int, ...]] | None:
        """The tiles of the tensor that the buffer, or its first ``blocks``, covers on a node, as coordinates in tiles.

        None if the node has no shard. Tiles that the tensor does not have are beyond its extents.
        """
        place = (*node, 0)[:2] if len(node) < 2 else tuple(node[-2:])
        if place not in self._number:
            return None
        number, (rows, columns), (_, across) = self._number[place], self._shard, self._shards
        top, left = number // across * rows, number % across * columns
        first = self.byte_offset // self.block.dtype.tile_bytes
        count = prod(self.block.shape) * (self.block_count if blocks is None else blocks)
        return [
            self._tile(top + page // columns, left + page % columns) for page in range(first, first + count)
        ]

    @cached_property
    def _extents(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Extents of the tensor, seen as 2-D, and of a shard, in tiles."""
        placed = self.placed
        assert placed.shard is not None
        return in_pages(placed.shape, placed.layout, placed.shard)

    @property
    def _shard(self) -> tuple[int, ...]:
        return self._extents[1]

    @cached_property
    def _shards(self) -> tuple[int, ...]:
        """The numbers of shards below each other and beside each other."""
        return tuple(-(-whole // part) for whole, part in zip(*self._extents, strict=True))

    @cached_property
    def _number(self) -> dict[tuple[int, ...], int]:
        return {place: number for number, place in enumerate(self.placed.holders[: prod(self._shards)])}

    def _tile(self, row: int, column: int) -> tuple[int, ...]:
        leading = self.placed.shape[:-2]
        if not leading:
            return row, column
        rows = -(-self.placed.shape[-2] // TILE)
        # Tiles after the last row of the whole tensor belong to the last matrix, after its rows.
        matrix = min(row // rows, prod(leading) - 1)
        return (*coordinate(matrix, leading, len(leading)), row - matrix * rows, column)

    @property
    def shard_bytes(self) -> int:
        """Bytes of a shard."""
        return prod(self._shard) * self.block.dtype.tile_bytes

    def missing(self, node: tuple[int, ...]) -> Diagnostic | None:
        """The error for a node without a shard, or whose shard does not have all of these pages; None otherwise."""
        pages = self.pages(node)
        if pages is None:
            return _no_range(
                f"node {tuple(node)} has no shard of the tensor, and every node makes the buffer",
                f"the shards are on {_listed(tuple(self._number))}",
                help="give the operation the grid of the shards, or the tensor a shard for every node",
            )
        rows, columns = self._shard
        size = self.shard_bytes
        extents = tuple(-(-extent // TILE) for extent in self.placed.shape[-2:])
        behind = self.byte_offset + self.nbytes > size
        if behind or any(page[-2] >= extents[0] or page[-1] >= extents[1] for page in pages):
            return _no_range(
                f"bytes {self.byte_offset} to {self.byte_offset + self.nbytes} of a shard "
                + (f"of {size} bytes" if behind else f"on node {tuple(node)}, where the tensor ends before"),
                f"{counted(self.block_count, 'block')} of {self.block.shape} tiles: {self.nbytes} bytes; a shard has {rows}x{columns} "
                f"tiles of {self.block.dtype.tile_bytes} bytes; padding cannot be used",
                help="take smaller or fewer blocks, or a smaller byte_offset",
            ).remedied_by(_FROM_THE_START if behind and self.nbytes <= size else None)
        return None


def backing_of(
    placed: PlacedTensor, block: BlockType, block_count: int, byte_offset: object, grid: tuple[int, ...]
) -> Backing | Diagnostic:
    """The memory of a buffer that lies in a tensor, or an error (TTL0347, TTL0348)."""
    problem = _unfit(placed)
    if problem is not None:
        return error(
            NO_BACKING,
            f"a tensor that is the memory of a buffer must be tiled, in L1, and sharded by height, width or block; this one {problem}",
            help=(
                "convert it on the host: ttnn.to_memory_config(x, ttnn.create_sharded_memory_config(x.shape, ttnn.CoreGrid(...), "
                "ttnn.ShardStrategy.HEIGHT))",
                f"or {_COPIES}",
            ),
        ).remedied_by(Callee(function="ttl.make_dataflow_buffer_like"))
    page = block.dtype.tile_bytes
    if not is_int(byte_offset) or byte_offset < 0 or byte_offset % page:  # type: ignore[operator]
        return _no_range(
            f"byte_offset must be a multiple of the bytes of a tile, {page}, not {describe(byte_offset)}",
            "a page of the buffer is a tile of the tensor",
            help=f"write byte_offset=n * {page} for the n-th tile of the shard",
        ).remedied_by(_FROM_THE_START)
    backing = Backing(placed=placed, byte_offset=byte_offset, block=block, block_count=block_count)  # type: ignore[arg-type]
    for index in range(prod(grid)):
        missing = backing.missing(coordinate(index, grid, len(grid)))
        if missing is not None:
            return missing
    return backing


def no_tensor(value: object) -> Diagnostic:
    """The error for a buffer in the memory of a value that is not a TT-NN tensor (TTL0347)."""
    return error(
        NO_BACKING,
        f"ttl.make_tensor_backed_dfb takes a TT-NN tensor, not {describe(value)}",
        help="pass one of the operation's tensor arguments, sharded in L1; ttl.make_dfb makes a buffer of an element type",
    )


def _unfit(placed: PlacedTensor) -> str | None:
    """Return why a tensor cannot be a buffer, as the end of a sentence, or None."""
    if placed.layout is not Layout.TILE:
        return "is row-major"
    if placed.memory != "l1":
        return f"is in {placed.memory.upper()}"
    if placed.spread not in _SPREADS:
        return f"is {placed.spread.replace('_', ' ')}"
    if placed.shard is None or not placed.holders:
        return "does not name the nodes that have its shards"
    if placed.dtype.name not in FORMATS:
        return f"has elements of type {placed.dtype.name}, not {', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
    if any(extent % TILE for extent in placed.shape[-2:]):
        return f"has the shape {placed.shape}, whose last tiles are partly padding"
    return None


def _no_range(what: str, *notes: str, help: str) -> Diagnostic:
    return error(NO_RANGE, what, notes=notes, help=help)


def _listed(places: Sequence[tuple[int, ...]]) -> str:
    shown = ", ".join(map(str, places[:4]))
    return f"nodes {shown}{' and others' if len(places) > 4 else ''}"


def overlapping(buffer: str, mine: Backing, theirs: Backing) -> Diagnostic:
    """The error for a second buffer in bytes of a tensor that another buffer already uses (TTL0356)."""
    behind = theirs.byte_offset + theirs.nbytes
    own = Argument(description="begin behind it", name="byte_offset", value=str(behind))
    return error(
        OVERLAPPING,
        f"bytes of a tensor that are the memory of {buffer} already",
        notes=("two buffers would write and read the same memory in no defined order",),
        help=(
            "give both the same bytes and one group: group = ttl.make_dfb_allocation_group(), allocation_group=group; then it is "
            "checked that one ends before the other begins",
            "or give each its own bytes, with byte_offset and block_count",
        ),
    ).remedied_by(own if behind + mine.nbytes <= theirs.shard_bytes else None)


def other_member(buffer: str) -> Diagnostic:
    """The error for a member of an allocation group that lies in other memory than another member (TTL0346)."""
    return error(
        OTHER_MEMBER,
        f"a buffer in the allocation group of {buffer}, and not in the same memory of a tensor",
        notes=(
            "either all members of a group use the same blocks and bytes of one tensor, or no member uses a tensor's memory",
        ),
        help="give both the same tensor, shape, block_count and byte_offset, or take one of them out of the group",
    ).remedied_by(DropArguments(names=("allocation_group",)))


def replaced(buffer: str) -> Diagnostic:
    """The error for a write into a block that was waited for and is the memory of a tensor (TTL0362)."""
    return error(
        REPLACED,
        f"written into a block of {buffer} that was waited for and is the memory of a tensor",
        notes=(
            "values stored into a waited block belong to its kernel until the pop; it is undefined whether they reach the tensor",
        ),
        help="reserve a block of another buffer and write there; a buffer in the same memory must be in the same allocation group",
    )


def publish(buffer: str, *, is_backed: bool, moves_data: bool, what: str) -> Diagnostic | None:
    """Return the error of a ``publish()`` that is not allowed at its place (TTL0349), or None."""
    if not is_backed:
        return error(
            NOT_PUBLISHED,
            f"publish() on {buffer}, whose memory does not belong to a tensor",
            notes=("publish() lets other kernels read the data of a tensor; this buffer has no data yet",),
            help=f"reserve a block, copy into it and push it; or make {buffer} with ttl.make_tensor_backed_dfb(tensor, shape=...)",
        )
    if not moves_data:
        return error(
            NOT_PUBLISHED,
            f"publish() on {buffer} in {what}",
            notes=("only data movement kernels can publish, because only they copy",),
            help="move it into a function decorated with @ttl.datamovement()",
        )
    return None


def published_again(buffer: str, *, is_published: bool) -> Diagnostic:
    """The error for ``publish()`` of a buffer that was published, or had a block reserved, before (TTL0349)."""
    before = "it was published already" if is_published else "a block of it was reserved before"
    return error(
        NOT_PUBLISHED,
        f"publish() on {buffer}, but {before}",
        notes=(
            "it fills all blocks of the buffer at once, so it must come before every other use, once in a launch",
        ),
        help="publish once, outside of loops; later blocks are reserved, written and pushed",
    ).remedied_by(DropStatement(description="drop this one") if is_published else None)


def touched(buffer: str) -> Diagnostic:
    """The error for a copy into the part of a tensor that is the memory of a published buffer (TTL0355)."""
    return error(
        TOUCHED,
        f"copied into memory of the tensor that {buffer} has published",
        notes=(
            "a kernel that waits for blocks of the buffer reads this memory: it would read what was there before, or what is copied now",
        ),
        help=f"copy before {buffer}.publish(), in the kernel that publishes; or write through the buffer: reserve, store, push",
    )
