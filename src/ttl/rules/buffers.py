"""Dataflow buffers: their arguments, and which kernels may acquire their blocks (specification, "Dataflow buffer")."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ttl.diag import Diagnostic, error
from ttl.diag.families import Subject
from ttl.diag.model import Remedy
from ttl.diag.remedies import Argument, BufferCreation, Callee, RoundedUp, WholeDivision
from ttl.diag.values import is_int
from ttl.protocol.blocks import Acquired
from ttl.rows.params import NO_DTYPE
from ttl.rows.types import TILE_HEIGHTS, TILE_WIDTHS, Layout, Tile
from ttl.rules.backing import Backing, other_member, overlapping
from ttl.rules.blocks import HOLDS_ALL, SECOND_USER
from ttl.rules.words import describe

Scope = Literal["local", "remote_uniform"]
"""Whether a buffer may lie at a different address on each node, or has the same address on all of them."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class BufferPlacement:
    """The place in L1 that a program requests for a buffer."""

    scope: Scope = "local"
    group: object | None = None
    """The group of buffers that use the same memory, one after the other."""
    backing: Backing | None = None
    """The tensor pages that are the memory of the buffer."""

    def conflict(self, others: Iterable[tuple[str, BufferPlacement]]) -> Diagnostic | None:
        """The error for a buffer whose memory conflicts with that of other buffers of the node, or None.

        Either bytes of a tensor already belong to another buffer (TTL0356), or a member of an allocation group does not
        lie in the same bytes as the other members (TTL0346).
        """
        mine = self.backing
        for name, other in others:
            theirs = other.backing
            if self.group is not None and self.group is other.group:
                if (mine and mine.key) != (theirs and theirs.key):
                    return other_member(name)
            elif mine is not None and theirs is not None and mine.overlaps(theirs):
                return overlapping(name, mine, theirs)
        return None


ANYWHERE = BufferPlacement()


def no_likeness(value: object) -> Diagnostic:
    """The error for a buffer that is made like a value that is not a TT-NN tensor (TTL0319)."""
    return error(
        "TTL0319",
        f"make_dataflow_buffer_like takes a TT-NN tensor, not {describe(value)}",
        help="pass one of the operation's tensor arguments: ttl.make_dataflow_buffer_like(x, shape=(1, 1))"
        if type(value).__module__.partition(".")[0] not in ("torch", "numpy")
        else "make it a TT-NN tensor on the host, ttnn.from_torch(...), and pass that to the operation",
    )


def dtype_is_tensor() -> Diagnostic:
    """The error for a tensor where an element type is expected (TTL0417)."""
    return error(
        NO_DTYPE,
        "ttl.make_dfb takes an element type, not a tensor",
        help="write ttl.make_dfb(x.dtype, shape=...), or ttl.make_dataflow_buffer_like(x, shape=...), which has its layout, too",
    ).remedied_by(Callee(function="ttl.make_dataflow_buffer_like"))


def block_shape(shape: object, layout: Layout) -> tuple[int, ...] | Diagnostic:
    """The shape of a block, in tiles or elements, from the user's value, or an error (TTL0323, TTL0320)."""
    if isinstance(shape, tuple | list):
        extents = tuple(shape)
    else:
        extents = (shape,) if is_int(shape) else ()
    if not extents or not all(is_int(extent) and extent > 0 for extent in extents):
        rounded_down = layout is Layout.TILE and any(is_int(extent) and extent == 0 for extent in extents)
        return error(
            "TTL0323",
            f"a block shape must be a positive int or a tuple of them, not {describe(shape)}",
            help="fewer than 32 elements are one tile: divide rounding up, -(-n // 32), or take padded_shape"
            if rounded_down
            else "write shape=(rows, columns), in tiles for a tiled tensor, in elements for a row-major one",
        ).remedied_by(RoundedUp() if rounded_down else WholeDivision(description="divide with //"))
    extents = tuple(int(extent) for extent in extents)
    if layout is Layout.TILE and len(extents) < 2:
        return error(
            "TTL0320",
            f"block shape {extents} has {len(extents)} dimension, and the tensor is tiled",
            notes=("a block of tiles needs at least two dimensions, rows and columns of tiles",),
            help=f"write shape=(1, {extents[0]}) for a row of tiles",
        ).remedied_by(Argument(name="shape", value=str((1, extents[0])), position=1))
    return extents


def block_count(count: object, most: int | None = None) -> int | Diagnostic:
    """The number of blocks from the user's value, at most ``most``, or an error (TTL0321)."""
    number = int(count) if is_int(count) else 0  # type: ignore[call-overload]
    if number >= 1 and (most is None or number <= most):
        return number
    if number >= 1:
        return error(
            "TTL0321",
            f"block_count must be at most {most} here, not {number}",
            help="make the blocks larger, or make the buffer like a tensor, which has no such limit",
        )
    return error(
        "TTL0321",
        f"block_count must be a positive int, not {describe(count)}",
        help="2 lets the producer fill one block while the consumer reads the other",
    ).remedied_by(Argument(description="write block_count=2", name="block_count", value="2", position=2))


def tile(value: object) -> Tile | Diagnostic:
    """The size of a tile from the user's value, a pair or an object with ``tile_shape``, or an error (TTL0343)."""
    value = getattr(value, "tile_shape", value)
    if isinstance(value, tuple | list) and len(value) == 2 and all(map(is_int, value)):
        height, width = map(int, value)
        if height in TILE_HEIGHTS and width in TILE_WIDTHS:
            return height, width
    return error(
        "TTL0343",
        f"a tile is 1, 2, 4, 8, 16 or 32 elements high and 16 or 32 wide, not {describe(value)}",
        help="write tile=(16, 32), rows first; the default of tensors is tile=(32, 32)",
    ).remedied_by(Argument(description="leave it out: write tile=(32, 32)", name="tile", value="(32, 32)"))


def address_scope(value: object) -> Scope | Diagnostic:
    """The address scope of a buffer from the user's value, or an error (TTL0344)."""
    for scope in ("local", "remote_uniform"):
        if value == scope:
            return scope
    if value is None:
        return "local"
    return error(
        "TTL0344",
        f'address_scope is None, "local" or "remote_uniform", not {describe(value)}',
        help='"local" allows a different address on each node, "remote_uniform" is the same address on all nodes, so '
        "that other nodes can write to it",
    ).remedied_by(Argument(description="leave it local", name="address_scope", value="None"))


def no_group(value: object) -> Diagnostic:
    """The error for a value that is not an allocation group (TTL0345)."""
    return error(
        "TTL0345",
        f"allocation_group must be the result of ttl.make_dfb_allocation_group(), not {describe(value)}",
        help="make one in the body, group = ttl.make_dfb_allocation_group(), and pass it to all members",
    ).remedied_by(Argument(name="allocation_group", value="ttl.make_dfb_allocation_group()"))


def outside_kernel(acquired: Acquired | Literal["publish"], buffer: str) -> Diagnostic:
    """The error for a block acquired in the operation's body (TTL0314)."""
    return error(
        "TTL0314",
        f"{_call(acquired)} on {buffer} outside a kernel function",
        notes=("blocks are acquired by kernels; the operation's body only describes the node",),
        help="move it into a function decorated with @ttl.compute() or @ttl.datamovement()",
    )


def after_the_end(acquired: Acquired | Literal["publish"], buffer: str) -> Diagnostic:
    """The error for a block acquired from a buffer of an operation that has ended (TTL0328)."""
    return error(
        "TTL0328",
        f"{_call(acquired)} on {buffer} after its operation ended",
        notes=("a dataflow buffer lives as long as the launch that made it",),
        help="make the buffer in the body of the operation that uses it",
    )


def of_another_node(acquired: Acquired | Literal["publish"], buffer: str) -> Diagnostic:
    """The error for a block acquired from another node's buffer (TTL0325)."""
    return error(
        "TTL0325",
        f"{_call(acquired)} on {buffer} of another node",
        notes=("each node has its own buffers, which the operation's body makes once per node",),
        help="make the buffer in the body of the operation that uses it",
    )


def second_user(acquired: Acquired, buffer: str, first: str, second: str) -> Diagnostic:
    """The error for two kernels at one end of a buffer (TTL0315, TTL0316)."""
    code, end = (SECOND_USER[0], "producer") if acquired == "reserve" else (SECOND_USER[1], "consumer")
    return error(
        code,
        f"{buffer} has two {end}s: kernels {first} and {second} both call {_call(acquired)} on it",
        notes=("a dataflow buffer has one producer kernel and one consumer kernel per node",),
        help="use one buffer per pair of kernels",
        # A second consumer may be a producer that calls wait.
        subject=Subject.ACQUISITION if acquired == "wait" else None,
    )


def holds_all(acquired: Acquired, buffer: str, block_count: int) -> Diagnostic:
    """The error for acquiring a block in a kernel that already holds all blocks of the buffer (TTL0322, TTL0329)."""
    code, release = (HOLDS_ALL[0], "push") if acquired == "reserve" else (HOLDS_ALL[1], "pop")
    return error(
        code,
        f"{_call(acquired)} on {buffer} can never succeed: this kernel already holds all {block_count} of its blocks",
        help=f"{release} a block first, or make the buffer with block_count={block_count + 1}",
        subject=Subject.RELEASE,
    ).remedied_by(with_blocks(block_count + 1))


def with_blocks(block_count: int) -> Remedy:
    """The remedy that makes a buffer, whose method is called at the location, with ``block_count`` blocks."""
    count = Argument(
        name="block_count", value=str(block_count), position=2, function="make_dataflow_buffer_like"
    )
    return BufferCreation(description=f"make it with block_count={block_count}", remedy=count)


def nothing_to_push(buffer: str) -> Diagnostic:
    """The error for the older ``dfb.push()`` without a reserved block (TTL0326)."""
    return error(
        "TTL0326",
        f"push on {buffer}, but no block of it is reserved",
        help="reserve a block, write it, then push it: blk = dfb.reserve(); ...; blk.push()",
    )


def nothing_to_pop(buffer: str) -> Diagnostic:
    """The error for the older ``dfb.pop()`` without a block waited for (TTL0327)."""
    return error(
        "TTL0327",
        f"pop on {buffer}, but no block of it was waited for",
        help="wait for a block, read it, then pop it: blk = dfb.wait(); ...; blk.pop()",
    )


def _call(acquired: str) -> str:
    return f"{acquired}()"
