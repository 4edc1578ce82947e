"""Ctrl-C while an expression is being freed.

An exception in ``__del__`` goes nowhere: Python reports it and carries on. Expressions have a ``__del__``, which notices
those that were never stored, so an interrupt can arrive in it. It is raised again when ``__del__`` is over.
"""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Seconds.
_SOON = 0.01


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """A context that keeps an interrupt in a ``__del__``: it is raised at the end of the context at the latest."""
    former = sys.unraisablehook
    kept: list[threading.Timer] = []

    def raise_again(unraisable: Any) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            # From here it would be dropped again: let the function that freed the object continue first.
            kept.append(threading.Timer(_SOON, _thread.interrupt_main))
            kept[-1].start()
            return
        former(unraisable)

    sys.unraisablehook = raise_again
    try:
        yield
    finally:
        if sys.unraisablehook is raise_again:
            sys.unraisablehook = former
        waiting = [timer for timer in kept if not timer.finished.is_set()]
        for timer in waiting:
            timer.cancel()
    if waiting:
        raise KeyboardInterrupt
