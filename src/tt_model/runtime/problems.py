"""Errors of a program's run, with the operation at which they happened."""

from __future__ import annotations

from dataclasses import dataclass

# Exceptions of Python and torch for fields that no writer makes: dimensions out of range, kernels of no extent, too much memory.
UNREADABLE = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)


def reason_of(problem: BaseException) -> str:
    """Return the message of an exception of Python or torch, in one line."""
    text = str(problem).strip().partition("\n")[0]
    if isinstance(problem, KeyError):
        return f"{text} is not known"
    return text or type(problem).__name__


@dataclass(frozen=True, slots=True)
class At:
    """An operation of a program: its number in it, its kind, and its location in the model, where the binary has one.

    ``what`` the program has: operations, or commands.
    """

    index: int
    kind: str
    location: str = ""
    what: str = "operation"

    def __str__(self) -> str:
        place = f" at {self.location}" if self.location else ""
        return f"{self.what} {self.index} ({self.kind}){place}"


class RuntimeProblem(Exception):
    """A program cannot be run, or did what no program may. The text says what, where, and what to do.

    ``code`` is that of a problem which has one of its own; it begins the text.
    """

    def __init__(
        self, message: str, *, at: At | None = None, notes: tuple[str, ...] = (), code: str = ""
    ) -> None:
        first = message if at is None else f"{at}: {message}"
        super().__init__("\n".join((f"{code}: {first}" if code else first, *notes)))
        self.message = message
        self.at = at
        self.notes = notes
        self.code = code


def beyond_limits(message: str) -> RuntimeProblem:
    """An integer of an input is one for which the program is not compiled: 32 bits, which the device has, may not be enough."""
    return RuntimeProblem(message, code="TTL1711")


class OutOfMemory(RuntimeProblem):
    """A tensor does not fit; the notes are a table of what is there."""
