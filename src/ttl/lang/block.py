"""Blocks (specification, "Block" and "Block states")."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from ttl.lang.check import fail, not_constructed
from ttl.lang.expr import BlockExpr
from ttl.rules.views import released_in_part

if TYPE_CHECKING:
    from typing import Self


class Block(BlockExpr):
    """Memory acquired from a dataflow buffer, of the buffer's shape, element type and layout.

    In the compute kernel it is an operand of expressions and a target of ``store``; in a data movement kernel it
    is an end of ``ttl.copy``. ``with dfb.reserve() as blk:`` pushes it at the end, ``with dfb.wait() as blk:`` pops
    it. The tables of block states say which operations may follow each other. Specification: "Block", "Block states".
    """

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed(
            "a block", "acquire one in a kernel: with dfb.reserve() as blk: or with dfb.wait() as blk:"
        )

    def store(self, expr: Any, acc: bool = False) -> None:
        """Compute an expression and write its value here, rounded once to the buffer's element type.

        ``expr`` is a block expression, or a block, of this block's shape and layout; floats are stored into
        floats and integers into integers. ``blk += expr`` stores into a block just reserved and adds afterwards.
        The block may be used at once. ``acc=True`` is the older spelling of ``+=``. Only in the compute kernel.

        Raises ``ProgramError``: TTL0332 other shape, TTL0333 other layout, TTL0334 float and integer, TTL0330 not
        an expression, TTL0304 data nobody read, TTL0307 block released, TTL0313 in a data movement kernel.
        """
        raise NotImplementedError

    def __getitem__(self, index: Any) -> BlockView:
        """The sub-view ``blk[0:2, 1:2]``: a part of the block in tiles, without data of its own.

        The index has one slice for each dimension; ``...`` and missing slices take the whole dimension. The starts of
        slices may be known only when the kernel runs. Only in the compute kernel, and of tiled blocks.

        Raises ``ProgramError``: TTL0363 empty or outside of the block, TTL0364 no slice, a step, or another number of
        them, TTL0365 a row-major block.
        """
        raise NotImplementedError

    def __setitem__(self, index: Any, value: Any) -> None:
        """Only allowed as the end of ``blk[0:1, 0:1] += expr``; any other value is an error (TTL0366)."""
        raise NotImplementedError

    # Python would iterate by trying indices until one fails.
    __iter__ = None
    __contains__ = None

    def push(self) -> None:
        """Hand a reserved and written block to the consumer. Does not wait. Specification: "Dataflow buffer".

        Raises ``ProgramError``: TTL0302 nothing was written, TTL0310 a copy is under way, TTL0308 the block was
        waited for, TTL0311 pushed twice, TTL0317 an older block comes first.
        """
        raise NotImplementedError

    def pop(self) -> None:
        """Give a block that was waited for and read back to the producer. Does not wait.

        Raises ``ProgramError``: TTL0303 nothing read it, TTL0310 a copy is under way, TTL0309 the block was
        reserved, TTL0311 popped twice, TTL0318 an older block comes first. Specification: "Dataflow buffer".
        """
        raise NotImplementedError

    def __enter__(self) -> Self:
        raise NotImplementedError

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        raise NotImplementedError


class BlockView(BlockExpr):
    """A part of a block, in tiles: an operand of expressions and a target of ``store``, like the block itself.

    A stored value is stored in the block, whose push or pop covers all of its sub-views. Each tile must be written
    before it is read, and all of them before the push.
    """

    __slots__ = ()

    __iter__ = None
    __contains__ = None

    def __init__(self, *arguments: Any) -> None:
        not_constructed("a sub-view of a block", "index a block in the compute kernel: blk[0:1, 0:2]")

    def __getitem__(self, index: Any) -> BlockView:
        """A sub-view of this sub-view; see ``Block.__getitem__``."""
        raise NotImplementedError

    def __setitem__(self, index: Any, value: Any) -> None:
        """See ``Block.__setitem__``."""
        raise NotImplementedError

    def store(self, expr: Any) -> None:
        """Compute an expression and write its value to these tiles of the block, as ``Block.store`` does to all of them.

        ``view += expr`` stores into tiles that have not been written, and adds to others.

        Raises ``ProgramError``: TTL0332 other shape, and the errors of ``Block.store``.
        """
        raise NotImplementedError

    def push(self) -> None:
        """Always an error: the block itself must be pushed (TTL0365)."""
        fail(released_in_part("push"))

    def pop(self) -> None:
        """Always an error: the block itself must be popped (TTL0365)."""
        fail(released_in_part("pop"))
