"""Resets: points that all kernels of a node reach before any continues, and at which buffers are empty."""

from __future__ import annotations

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument
from ttl.rules.words import describe

_ALL = "(ttl.KernelKind.COMPUTE, ttl.KernelKind.DATA_MOVEMENT, ttl.KernelKind.DATA_MOVEMENT)"
WRONG_RESET, NOT_EMPTY = "TTL0248", "TTL0249"
ROUNDS = 2
"""The number of tokens that a data movement kernel pushes to the compute kernel at a reset.

Their buffer has room for one token. The compute kernel waits for the first tokens of all kernels before it
pops them, so room for the second token means that all kernels have reached the reset.
"""


def token_name(mover: str, number: int) -> str:
    """The name of the buffer by which kernel ``mover`` signals that it has reached reset ``number``, from 0."""
    return f"reset of {mover}" if number == 0 else f"reset {number + 1} of {mover}"


def mover_of(token: str) -> str:
    """The kernel to which the buffer ``token`` belongs."""
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
    """The error for a value that is not a list of buffers to reset (TTL0248)."""
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
    """The error for a reset in an operation that lacks the kernels for it (TTL0248)."""
    return error(
        WRONG_RESET,
        f"a reset in an operation without a {what} kernel",
        notes=("at a reset, the compute kernel and the data movement kernels of a node wait for each other",),
        help="remove the reset: a single kernel does not need it",
    )


def other_buffers(kernel: str) -> Diagnostic:
    """The error for a reset with different buffers than in another kernel (TTL0248)."""
    return error(
        WRONG_RESET,
        f"a reset of other buffers than in kernel {kernel}",
        help="name the same buffers in all kernels, or make a ttl.DFBReset for each set of them",
    )


def not_empty(buffer: str, *, filled: int, held: bool) -> Diagnostic:
    """The error for a buffer that is not empty at its reset (TTL0249)."""
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
