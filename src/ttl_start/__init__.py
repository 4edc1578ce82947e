"""Where the commands begin: before anything is imported, the packages they are made of included.

Ctrl-C ends a process that still imports its modules with the exit code for that, and no traceback. What comes before this
module is Python's own start, and the few lines of the script that an installer writes.
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

_INTERRUPTED = 130


def leave() -> None:
    """From now on, Ctrl-C ends the process; not where somebody has it ignored, as a shell does for what runs in the background."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def listen() -> None:
    """From now on, Ctrl-C raises ``KeyboardInterrupt`` again: the code that runs from here on handles it."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)


def ttl() -> int:
    """The command ``ttl``, which listens once its verb is known."""
    leave()
    from ttl_start.kept_code import code_kept

    with code_kept():
        from ttl.cli.main import main

    status = main()
    leave()
    return status


def ttl_opt() -> NoReturn:
    """The command ``ttl-opt``."""
    leave()
    from ttl_start.kept_code import code_kept

    with code_kept():
        from ttl.opt.main import main

    listen()
    main()
