"""Semaphores (specification, "Semaphore")."""

from __future__ import annotations

from typing import Any

from ttl.diag import Diagnostic
from ttl.lang.check import fail
from ttl.lang.context import SemaphoreState, current
from ttl.rules.semaphores import multicast_increment, semaphore_value


class Semaphore:
    """A 32-bit unsigned value on every node, to wait on locally and to change from any node.

    Constructed in an operation's body; ``value`` is the initial value, which must be the same on every node (TTL0704).
    Values are from 0 to 2**32 - 1 (TTL0702). Used in data movement kernels (TTL0703). Specification: "Semaphore".
    """

    __slots__ = ("_state",)

    def __init__(self, value: int = 0) -> None:
        self._state: SemaphoreState = current("ttl.Semaphore()").new_semaphore(_count(value))

    def wait_eq(self, value: int) -> None:
        """Block until the local value equals ``value``. Only in data movement kernels."""
        self._state.wait(_count(value), True)

    def wait_ge(self, value: int) -> None:
        """Block until the local value is at least ``value``. Only in data movement kernels."""
        self._state.wait(_count(value), False)

    def set(self, value: int) -> None:
        """Set the local value. Only in data movement kernels."""
        self._state.set(None, _count(value))

    def get_remote(self, node: Any) -> UnicastRemoteSemaphore:
        """The semaphore on another node."""
        return UnicastRemoteSemaphore(self._state, self._state.resolve(node))

    def get_remote_multicast(self, node_range: Any = None) -> MulticastRemoteSemaphore:
        """The semaphore on a range of nodes; without an argument on the entire grid."""
        return MulticastRemoteSemaphore(self._state, self._state.resolve_range(node_range))


class UnicastRemoteSemaphore:
    """A semaphore on one other node."""

    __slots__ = ("_node", "_state")

    def __init__(self, state: SemaphoreState, node: int) -> None:
        self._state = state
        self._node = node

    def set(self, value: int) -> None:
        """Set the value there. Only in data movement kernels."""
        self._state.set((self._node,), _count(value))

    def inc(self, value: int) -> None:
        """Add to the value there, atomically, modulo 2**32. Only in data movement kernels."""
        self._state.inc(self._node, _count(value))


class MulticastRemoteSemaphore:
    """A semaphore on a range of nodes."""

    __slots__ = ("_nodes", "_state")

    def __init__(self, state: SemaphoreState, nodes: tuple[int, ...]) -> None:
        self._state = state
        self._nodes = nodes

    def set(self, value: int) -> None:
        """Set the value on every node of the range. Only in data movement kernels."""
        self._state.set(self._nodes, _count(value))

    def inc(self, value: int) -> None:
        """Not supported by the hardware: raises an error that advises what to write instead."""
        fail(multicast_increment())


def _count(value: object) -> int:
    count = semaphore_value(value)
    if isinstance(count, Diagnostic):
        fail(count)
    return count
