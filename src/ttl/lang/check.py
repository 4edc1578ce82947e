"""Checks of plain arguments, shared by the public functions. Each raises a ``ProgramError`` at the user's line."""

from __future__ import annotations

from typing import NoReturn

from ttl.diag import Diagnostic, ProgramError
from ttl.source.spans import user_span


def fail(diagnostic: Diagnostic, label: str = "") -> NoReturn:
    """Raise a diagnostic at the place the user's code is at."""
    raise ProgramError(diagnostic.at(user_span(), label))


def is_int(value: object) -> bool:
    """Whether a value can serve as an integer (Python or NumPy), not counting bool."""
    return hasattr(value, "__index__") and not isinstance(value, bool)


def describe(value: object) -> str:
    """What a wrong argument is, for messages: its kind and, when short, its value."""
    text = repr(value)
    kind = type(value).__name__
    return f"{kind} {text}" if len(text) <= 40 and "\n" not in text else kind
