"""Labels of the related locations of diagnostics."""

from __future__ import annotations

from ttl.protocol.blocks import Acquired

BUFFER_MADE = "the buffer is made here"
PIPE_MADE = "the pipe is made here"
NET_MADE = "the net is made here"
COPY_STARTED = "the copy was started here"
SENT = "sent here"
FIRST_KERNEL = "the first one is defined here"
OLDER_BLOCK = "the older block was acquired here"
OLDEST_HELD = "the oldest of them was acquired here"
RELEASED_BY_WITH = "released by the end of its with statement"
ACQUIRED_IN_WITH = "acquired here, released by its with statement"
UNUSED_VALUE = "this value"
COPIED_INTO = "this copy"
PUBLISHED = "published here"
WRITTEN_NOT_PUSHED = "this block is written and not pushed yet"


def sent_by(where: str) -> str:
    """Return the label of the send of a message; ``where`` is a ``words.kernel_where``."""
    return f"sent here by {where}"


def does_so(kernel: str) -> str:
    """Return the label of the first of two kernels at one end of a buffer."""
    return f"{kernel} does so here"


def reserves(kernel: str) -> str:
    """Return the label of the last reserve of a kernel that pushes too few blocks."""
    return f"{kernel} reserves here"


def takes_blocks(kernel: str) -> str:
    """Return the label of the last wait of a kernel that takes too few blocks."""
    return f"{kernel} takes blocks here"


def starts_at(value: int) -> str:
    """Return the label of the creation of a semaphore for which a kernel waits forever."""
    return f"the semaphore starts at {value}"


def held(acquired: Acquired) -> str:
    """Return the label of the acquisition of a block that is not released yet."""
    return "reserved here" if acquired == "reserve" else "acquired with wait() here"


def held_to_the_end(acquired: Acquired) -> str:
    """Return the label of the acquisition of a block that the language releases when its kernel ends."""
    return f"{held(acquired)}; nothing releases it before the kernel ends"


def released(acquired: Acquired) -> str:
    """Return the label of a push or pop."""
    return f"{_released(acquired)} here"


def released_by_language(acquired: Acquired) -> str:
    """Return the label of the acquisition of a block whose release is inferred."""
    release = "push" if acquired == "reserve" else "pop"
    return (
        f"acquired here; the program has no {release}() for it, so the language has {_released(acquired)} it"
    )


def release_left_out(acquired: Acquired) -> str:
    """Return the label of the acquisition of a block that a deadlocked kernel does not release."""
    return f"this block is not {_released(acquired)} on every path"


def _released(acquired: Acquired) -> str:
    return "pushed" if acquired == "reserve" else "popped"
