"""Cancellation: long work checks now and then whether its result is still needed.

An editor cancels work when newer text arrives. Without a callback, work is never cancelled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ttl.session.session import Part


class Cancelled(BaseException):
    """The result is not needed any more.

    It is no ``Exception``, because code that treats mistakes in a user's program as values must not catch it.
    """


class Unavailable(Exception):
    """A needed object does not exist: a value is not known, or there is no such kernel or reference.

    The text says why; the caller continues without the object. ``at`` is the place of the problem, if there is one; its
    type, such as an operation, depends on the function that raises it.
    """

    def __init__(self, why: str = "", at: Any = None) -> None:
        super().__init__(why)
        self.at = at


class LimitReached(Unavailable):
    """Something takes more steps, or is larger, than allowed. The code that set the limit catches it."""


CANCELLED: Part[Callable[[], bool] | None] = Part(lambda: None)
"""The callback that returns True when the result of the current work is not needed any more."""


def go_on() -> None:
    """Raise ``Cancelled`` if the result is not needed any more."""
    cancelled = CANCELLED.get()
    if cancelled is not None and cancelled():
        raise Cancelled
