"""Dataflow buffers (specification, "Dataflow buffer")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ttl.diag.remedies import Callee
from ttl.lang.check import not_constructed

if TYPE_CHECKING:
    from ttl.lang.block import Block
    from ttl.rows.dtypes import DType


class DataflowBuffer:
    """Passes blocks, in order, from one producer kernel to one consumer kernel of the same node.

    It is a ring of ``block_count`` blocks in the node's L1. The kernel that calls ``reserve`` is the producer, the one
    that calls ``wait`` the consumer; a compute kernel may be both. Made in an operation's body, used in kernels.
    Specification: "Dataflow buffer".
    """

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed(
            "a dataflow buffer",
            "write ttl.make_dataflow_buffer_like(tensor, shape=...) in the body of the operation",
            Callee(function="ttl.make_dataflow_buffer_like"),
        )

    def reserve(self) -> Block:
        """Reserve a free block to write to, and wait until there is one. Release it with ``push`` or ``with``.

        A kernel may hold several blocks of a buffer and releases them in order. The block holds garbage.

        Raises ``ProgramError``: TTL0314 outside a kernel, TTL0315 another kernel reserves too, TTL0322 the kernel
        holds all blocks already, TTL0328 a buffer of another launch. ``DeadlockError`` when it can never continue.
        """
        raise NotImplementedError

    def wait(self) -> Block:
        """Wait for the next filled block. Release it with ``pop`` or ``with``.

        Blocks come in the order in which they were pushed.

        Raises ``ProgramError``: TTL0314 outside a kernel, TTL0316 another kernel waits too, TTL0329 the kernel holds
        all blocks already, TTL0328 a buffer of another launch. ``DeadlockError`` when it can never continue.
        """
        raise NotImplementedError

    def push(self) -> None:
        """Older spelling of ``Block.push`` on the oldest block reserved."""
        raise NotImplementedError

    def pop(self) -> None:
        """Older spelling of ``Block.pop`` on the oldest block waited for."""
        raise NotImplementedError

    def publish(self) -> None:
        """Fill all blocks of the buffer at once, without a copy, with the data of the tensor whose memory it uses.

        Call it once in a launch, in a data movement kernel, before any other use of the buffer
        (``ttl.make_tensor_backed_dfb``). The kernel that waits for the blocks pops them as usual.

        Raises ``ProgramError``: TTL0349 the buffer does not use a tensor's memory, is in use already, or the kernel is of another kind.
        """
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a block, in tiles (tiled) or elements (row-major)."""
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """Element type."""
        raise NotImplementedError

    @property
    def block_count(self) -> int:
        """The number of blocks in the buffer."""
        raise NotImplementedError


# Newer programs annotate buffer parameters, of operations that are called in other operations, with this name.
DFB = DataflowBuffer
