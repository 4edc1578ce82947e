"""The interface of a watcher that follows the analyses for more than their findings: an editor.

A check looks for a watcher once for each operation. Without a watcher nothing is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ttl.session import Part

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from ttl.dialects import ttl as dialect
    from ttl.protocol.blocks import State


class CheckWatcher(Protocol):
    """Is notified of the states of blocks on every path, and in every iteration of a loop, that an analysis follows."""

    def inferred(self, operation: dialect.OperationOp) -> None:
        """An operation has the pushes, pops and waits that the language infers, marked ``inferred``."""

    def step(self, op: Operation, acquire: dialect.AcquireOp, before: State | None, after: State) -> None:
        """An operation of a kernel changes the state of a block that was acquired before; None if it has no state yet."""


WATCHER: Part[CheckWatcher | None] = Part(lambda: None)
