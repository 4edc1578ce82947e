"""Copies (specification, "Copy")."""

from __future__ import annotations

from typing import Any

from ttl import control
from ttl.lang.context import CURRENT, current
from ttl.lang.transfers import DeferredSlice, ReadyReceive, ReceiveRequest, Transfer


class _Answer(ReadyReceive):
    __slots__ = ("_index",)

    def __init__(self, index: int) -> None:
        self._index = index

    def index(self) -> int:
        return self._index


def wait_any(requests: tuple[ReceiveRequest, ...], start: int = 0) -> ReadyReceive:
    """Wait until one of several receives is complete; ``ttl.wait_any((left, right), start=0).index()`` is its position.

    Receives are checked from number ``start`` on, modulo their count; the first that is complete is
    the result, and if none is complete, the kernel waits. This receive counts as waited for; the others continue. With
    ``start=(index + 1) % n`` for the next call, no receive waits forever while others complete. The receives were started by the
    kernel that waits, each into its own buffer and over its own net. Only in data movement kernels. Which one is first depends on
    the order in which messages arrive: a program whose results depend on it has no certain results.

    Raises ``ProgramError``: TTL0501 not in a data movement kernel, TTL0503 a receive that was waited for, TTL0504 one of
    another kernel, TTL0614 ``requests`` is not a tuple of receives or ``start`` is not an integer, TTL0615 receives that cannot be distinguished.
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
