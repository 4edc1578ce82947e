"""Copies and transfer handles (specification, "Copy" and "Group transfer")."""

from __future__ import annotations

from typing import Any

from ttl import control
from ttl.lang.check import fail, not_constructed
from ttl.lang.context import CURRENT, current
from ttl.rules.copies import Direction, added_after_wait, added_twice, group_waited_twice, no_transfer


class TensorSlice:
    """A view of a tensor, in tiles or elements: one end of a copy (specification, "Tensor slice")."""

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed("a tensor slice", "slice a tensor in a data movement kernel: a[row, column]")

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in tiles (tiled) or elements (row-major); an integer index counts 1."""
        raise NotImplementedError


class DeferredSlice:
    """What becomes a slice of a tensor when it is copied: the shard of a node (``ttl.distribute``)."""

    __slots__ = ()

    def as_slice(self, direction: Direction) -> TensorSlice:
        """The slice. ``direction``: copied ``into`` a block, or ``from`` one into the tensor."""
        raise NotImplementedError


class Transfer:
    """Handle of a copy under way."""

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
        """``wait``, for a group."""
        self.wait()


class ReceiveRequest(Transfer):
    """Handle of a receive: what ``ttl.copy(pipe, blk)`` returns. ``wait`` blocks until the message is in the block."""

    __slots__ = ()


class ReadyReceive:
    """Which of several receives was complete first: what ``ttl.wait_any`` returns."""

    __slots__ = ()

    def __init__(self, *arguments: Any) -> None:
        not_constructed("the answer of wait_any", "ttl.wait_any((left, right)) returns one")

    def index(self) -> int:
        """The place of the complete receive in the tuple that ``ttl.wait_any`` was given."""
        raise NotImplementedError


class _Answer(ReadyReceive):
    __slots__ = ("_index",)

    def __init__(self, index: int) -> None:
        self._index = index

    def index(self) -> int:
        return self._index


def wait_any(requests: tuple[ReceiveRequest, ...], start: int = 0) -> ReadyReceive:
    """Wait until one of several receives is complete: ``ttl.wait_any((left, right), start=0).index()`` says which.

    Receives are looked at from number ``start`` on, modulo how many there are, around the end; the first that is complete is
    the answer, and where none is, the kernel waits. That one counts as waited for; the others are under way as before. With
    ``start=(index + 1) % n`` for the next call no receive waits forever while others come. The receives were started by the
    kernel that waits, into buffers and over nets of their own. Only in data movement kernels. Which one is first depends on
    the order in which messages arrive: a program whose results depend on that has no certain ones.

    Raises ``ProgramError``: TTL0501 not in a data movement kernel, TTL0503 a receive that was waited for, TTL0504 one of
    another kernel, TTL0614 no tuple of receives or no integer to start at, TTL0615 receives that cannot be distinguished.
    """
    return _Answer(current("ttl.wait_any()").wait_any(requests, start))


def copy(src: Any, dst: Any) -> Transfer:
    """Start copying between a block and a tensor slice or a pipe; does not block.

    Forms: tensor slice to block, block to tensor slice, block to pipe, pipe to block. Shapes, element type and
    layout of the two ends must agree; nothing is converted. A copy with a pipe is made in the function given to
    ``if_src`` or ``if_dst``. Only in data movement kernels. Specification: "Copy".

    Raises ``ProgramError``: TTL0501 not in a data movement kernel, TTL0502 other ends than these, TTL0515 shapes
    differ, TTL0514 element types differ, TTL0510 layouts differ, TTL0607 a pipe outside its function, and those of
    block states.
    """
    execution = CURRENT.get()
    if execution is None:
        execution = current("ttl.copy()")
    if isinstance(src, DeferredSlice):
        src = src.as_slice("into")
    if isinstance(dst, DeferredSlice):
        dst = dst.as_slice("from")
    return execution.copy(src, dst)


copy = control.function("copy", copy)


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
