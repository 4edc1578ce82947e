"""Points that all kernels of a node reach before any continues, and at which buffers are empty."""

from __future__ import annotations

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument
from ttl.rules.words import describe

_ALL = "(ttl.KernelKind.COMPUTE, ttl.KernelKind.DATA_MOVEMENT, ttl.KernelKind.DATA_MOVEMENT)"
WRONG_RESET, NOT_EMPTY = "TTL0248", "TTL0249"
ROUNDS = 2
"""Tokens that a data movement kernel gives the compute kernel at a reset. It has room for one of them: that there is room again
says that the compute kernel has had all first ones, so that all kernels have come."""


def token_name(mover: str, number: int) -> str:
    """The name of the buffer by which a kernel says that it has come to a reset, ``number`` of them in the operation."""
    return f"reset of {mover}" if number == 0 else f"reset {number + 1} of {mover}"


def mover_of(token: str) -> str:
    """The kernel by the name of its buffer."""
    return token.partition(" of ")[2]


def no_participants(value: object) -> Diagnostic:
    """The error for values that are not participants (TTL0248)."""
    return error(
        WRONG_RESET,
        f"participants of a ttl.DFBReset are the three kernels of a node, not {describe(value)}",
        help=f"write ttl.DFBReset(participants={_ALL}), or ttl.Kernel of them",
    ).remedied_by(Argument(description="name all three", name="participants", value=_ALL, position=0))


def no_reset(function: str, value: object) -> Diagnostic:
    """The error for a value that is not a reset (TTL0248)."""
    return error(
        WRONG_RESET,
        f"{function}() takes what ttl.DFBReset(...) gives, not {describe(value)}",
        help="make one outside of the operation: reset = ttl.DFBReset(participants=(...))",
    )


def no_buffers(value: object) -> Diagnostic:
    """The error for values that are not buffers of a reset (TTL0248)."""
    return error(
        WRONG_RESET,
        f"dfbs of ttl.reset_dfbs() is a list of dataflow buffers, not {describe(value)}",
        help="write dfbs=[a_dfb, b_dfb], or ttl.reset_all_dfbs(reset) for all of them",
    )


def outside_kernel(function: str) -> Diagnostic:
    """The error for a reset in the operation's body (TTL0248)."""
    return error(
        WRONG_RESET,
        f"{function}() outside a kernel function",
        help="call it in each of the kernels, at the place where all of them have finished with the buffers",
    )


def missing_kernel(what: str) -> Diagnostic:
    """The error for a reset in an operation that has not the kernels for it (TTL0248)."""
    return error(
        WRONG_RESET,
        f"a reset in an operation without a {what} kernel",
        notes=("at a reset, the compute kernel and the data movement kernels of a node wait for each other",),
        help="remove the reset: a single kernel does not need it",
    )


def other_buffers(kernel: str) -> Diagnostic:
    """The error for a reset of other buffers than before (TTL0248)."""
    return error(
        WRONG_RESET,
        f"a reset of other buffers than in kernel {kernel}",
        help="name the same buffers in all kernels, or make a ttl.DFBReset for each set of them",
    )


def not_empty(buffer: str, *, filled: int, held: bool) -> Diagnostic:
    """The error for a buffer that is not empty where it is reset (TTL0249)."""
    what = (
        "a kernel holds a block of it"
        if held
        else f"{filled} of its blocks {'was' if filled == 1 else 'were'} pushed and not popped"
    )
    return error(
        NOT_EMPTY,
        f"reset of {buffer}, but {what}",
        notes=("a reset would drop the block, and its data would be lost",),
        help=f"pop what is pushed, and release what is acquired, before the reset of {buffer}",
    )
