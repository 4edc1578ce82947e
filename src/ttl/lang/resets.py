"""Resets of dataflow buffers: points at which the kernels of a node wait for each other, and buffers are empty."""

from __future__ import annotations

from typing import Any

from ttl.lang.buffer import DataflowBuffer
from ttl.lang.check import fail, public
from ttl.lang.context import current
from ttl.lang.extern_calls import KINDS
from ttl.rules import resets as rules

_KINDS = ["compute", "data movement", "data movement"]


class DFBReset:
    """A point in a launch that the kernels of a node reach together.

    It is an argument of ``ttl.reset_dfbs`` and ``ttl.reset_all_dfbs``. ``participants`` are the three kernels of a
    node, a ``ttl.Kernel`` or ``ttl.KernelKind`` each. Made outside of operations.

    Raises ``ProgramError``: TTL0248 other participants.
    """

    __slots__ = ("participants",)

    def __init__(self, participants: Any) -> None:
        given = participants if isinstance(participants, tuple | list) else ()
        kinds = [KINDS.get(getattr(kernel, "kind", kernel)) for kernel in given]
        if sorted(map(str, kinds)) != _KINDS:
            fail(rules.no_participants(participants))
        self.participants = tuple(given)


@public
def reset_dfbs(reset: Any, dfbs: Any) -> None:
    """Wait until every kernel of the node has reached this point. The named buffers must then be empty: all pushed blocks are popped.

    Every kernel of the operation must call it equally often and with the same buffers, in any order.

    Raises ``ProgramError``: TTL0248 no reset, no buffers, or outside a kernel; TTL0249 a buffer that is not empty.
    ``DeadlockError`` if a kernel does not reach it.
    """
    _reset("ttl.reset_dfbs", reset, dfbs if isinstance(dfbs, tuple | list) else (dfbs,))


@public
def reset_all_dfbs(reset: Any) -> None:
    """Wait as ``ttl.reset_dfbs`` does, for all buffers of the operation."""
    _reset("ttl.reset_all_dfbs", reset, None)


def _reset(function: str, reset: Any, dfbs: tuple[Any, ...] | list[Any] | None) -> None:
    execution = current(f"{function}()")
    if not isinstance(reset, DFBReset):
        fail(rules.no_reset(function, reset))
    for buffer in dfbs or ():
        if not isinstance(buffer, DataflowBuffer):
            fail(rules.no_buffers(buffer))
    if not execution.in_kernel():
        fail(rules.outside_kernel(function))
    execution.reset(reset, dfbs)
