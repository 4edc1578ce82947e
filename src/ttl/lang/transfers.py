"""The ends of copies in tensors, and handles of copies (specification, "Copy", "Group transfer", "Tensor slice")."""

from __future__ import annotations

from typing import Any

from ttl.lang.check import fail, not_constructed
from ttl.rules.copies import Direction, added_after_wait, added_twice, group_waited_twice, no_transfer


class TensorSlice:
    """A view of a tensor, in tiles or elements: one end of a copy (specification, "Tensor slice")."""

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed("a tensor slice", "slice a tensor in a data movement kernel: a[row, column]")

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in tiles (tiled) or elements (row-major); the extent of an integer index is 1."""
        raise NotImplementedError


class DeferredSlice:
    """An object that becomes a slice of a tensor when it is copied: the shard of a node (``ttl.distribute``)."""

    __slots__ = ()

    def as_slice(self, direction: Direction) -> TensorSlice:
        """The slice. ``direction``: copied ``into`` a block, or ``from`` one into the tensor."""
        raise NotImplementedError


class Transfer:
    """Handle of a copy in progress."""

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed("a transfer handle", "ttl.copy(src, dst) returns one")

    def wait(self) -> None:
        """Block until the transfer is complete and the block, or the data in the tensor, can be used.

        The send of a pipe is complete when the data have left the block, a receive when a message has arrived. The
        handle cannot be used afterwards (TTL0503). Specification: "Copy".
        """
        raise NotImplementedError

    def _wait_in_group(self) -> None:
        """``wait``, called by a group."""
        self.wait()


class ReceiveRequest(Transfer):
    """Handle of a receive, returned by ``ttl.copy(pipe, blk)``. ``wait`` blocks until the message is in the block."""

    __slots__ = ()


class ReadyReceive:
    """The first of several receives that was complete, returned by ``ttl.wait_any``."""

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed("the answer of wait_any", "ttl.wait_any((left, right)) returns one")

    def index(self) -> int:
        """The position of the complete receive in the argument of ``ttl.wait_any``."""
        raise NotImplementedError


class GroupTransfer:
    """Waits for several transfers at once (specification, "Group transfer")."""

    __slots__ = ("_done", "_transfers")

    def __init__(self) -> None:
        self._transfers: dict[Transfer, None] = {}
        self._done = False

    def add(self, xf: Transfer) -> None:
        """Add a transfer that is not in the group (TTL0518). An error after ``wait_all`` (TTL0511)."""
        if self._done:
            fail(added_after_wait())
        if not isinstance(xf, Transfer):
            fail(no_transfer(xf))
        if xf in self._transfers:
            fail(added_twice())
        self._transfers[xf] = None

    def wait_all(self) -> None:
        """Block until all transfers are complete. The group cannot be used afterwards."""
        if self._done:
            fail(group_waited_twice())
        self._done = True
        for transfer in self._transfers:
            transfer._wait_in_group()
        self._transfers.clear()
