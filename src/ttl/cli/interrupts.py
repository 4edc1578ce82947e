"""What Ctrl-C does before a verb works: it ends the process with its exit code and nothing else, while modules are imported."""

from __future__ import annotations

import os
import signal
from types import FrameType

_INTERRUPTED = 130


def leave() -> None:
    """From now on, Ctrl-C ends the process; not where somebody has it ignored, as a shell does for what runs in the background."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def listen() -> None:
    """From now on, Ctrl-C raises ``KeyboardInterrupt`` again: whoever works now knows what that is to them."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)
