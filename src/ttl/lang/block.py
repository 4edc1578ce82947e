"""Blocks (specification, "Block" and "Block states")."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from ttl.lang.check import not_constructed
from ttl.lang.expr import BlockExpr

if TYPE_CHECKING:
    from typing import Self


class Block(BlockExpr):
    """Memory acquired from a dataflow buffer; an operand of expressions and a target of ``store`` and ``copy``."""

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed(
            "a block", "acquire one in a kernel: with dfb.reserve() as blk: or with dfb.wait() as blk:"
        )

    def store(self, expr: Any, acc: bool = False) -> None:
        """Compute an expression and write its value here, rounded once to the buffer's element type.

        The expression has this block's shape. ``acc=True`` is the older spelling of ``+=``.
        """
        raise NotImplementedError

    def push(self) -> None:
        """Hand a reserved and written block to the consumer."""
        raise NotImplementedError

    def pop(self) -> None:
        """Give a waited block, which was read, back to the producer."""
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
