"""Semaphores: their values, and the places where they may be used (specification, "Semaphore")."""

from __future__ import annotations

from ttl.diag import Diagnostic, error
from ttl.diag.values import is_int
from ttl.rules.words import describe

LARGEST = 2**32 - 1


def semaphore_value(value: object) -> int | Diagnostic:
    """The value of a semaphore from the user's argument, or an error (TTL0702)."""
    if is_int(value) and 0 <= int(value) <= LARGEST:  # type: ignore[call-overload]
        return int(value)  # type: ignore[call-overload, no-any-return]
    return error(
        "TTL0702",
        f"a semaphore value is an int from 0 to {LARGEST}, not {describe(value)}",
        help="semaphores are 32-bit unsigned counters",
    )


def multicast_increment() -> Diagnostic:
    """The error for an increment on several nodes at once (TTL0701)."""
    return error(
        "TTL0701",
        "a multicast semaphore can only be set, not incremented",
        notes=("the hardware's atomic increment has one destination",),
        help="call get_remote(node).inc(value) for each node, or set() a value on all of them",
    )


def semaphore_outside(call: str, what: str) -> Diagnostic:
    """The error for ``wait``, ``set`` or ``inc`` in ``what`` instead of a data movement kernel (TTL0703)."""
    return error(
        "TTL0703",
        f"semaphore {call} in {what}",
        notes=("semaphores synchronise data movement kernels",),
        help="move it into a data movement kernel; a compute kernel is synchronised by its dataflow buffers",
    )


def match_initial(value: int, other: int) -> Diagnostic | None:
    """The error for two nodes that start a semaphore at different values (TTL0704), or None."""
    if value == other:
        return None
    return _initial_differs(f"this node starts the semaphore at {value}, another node starts it at {other}")


def initial_varies() -> Diagnostic:
    """The error for an initial value that is computed from the node's coordinates (TTL0704)."""
    return _initial_differs("the initial value of this semaphore differs between nodes")


def _initial_differs(message: str) -> Diagnostic:
    return error(
        "TTL0704",
        message,
        notes=("a semaphore has one initial value, the same on every node",),
        help="give one initial value and set() others in a data movement kernel",
    )


def after_the_end(call: str) -> Diagnostic:
    """The error for a semaphore of an operation that has ended (TTL0705)."""
    return error(
        "TTL0705",
        f"{call} on a semaphore whose operation has ended",
        notes=("a semaphore lives as long as the launch that made it",),
        help="make the semaphore in the body of the operation that uses it",
    )
