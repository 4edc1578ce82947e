"""Work that nobody wants any more ends: what takes long asks now and then.

An editor gives it up when newer text arrives. Nothing is asked where nobody said so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ttl.session.session import Part


class Cancelled(BaseException):
    """Nobody wants the result any more. No ``Exception``: who takes mistakes in a user's program for values must not take this."""


class Unavailable(Exception):
    """Something that is needed does not exist: a value is not known, or there is no such kernel or reference. The text says why; the caller continues without it.

    ``at`` is the place in the terms of who raises it, an operation for example, where there is one.
    """

    def __init__(self, why: str = "", at: Any = None) -> None:
        super().__init__(why)
        self.at = at


class LimitReached(Unavailable):
    """Something takes more steps, or is larger, than allowed. The code that set the limit catches it."""


CANCELLED: Part[Callable[[], bool] | None] = Part(lambda: None)
"""Says whether nobody wants the result of what is being done any more."""


def go_on() -> None:
    """Raise ``Cancelled`` where nobody wants the result any more."""
    cancelled = CANCELLED.get()
    if cancelled is not None and cancelled():
        raise Cancelled
