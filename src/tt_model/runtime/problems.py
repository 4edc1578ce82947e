"""Errors of a program's run, with the operation at which they occurred."""

from __future__ import annotations

from dataclasses import dataclass

# Exceptions of Python and torch for fields that no writer makes: dimensions out of range, empty kernels, too much
# memory.
UNREADABLE = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)


def reason_of(problem: BaseException) -> str:
    """Return the message of an exception of Python or torch, in one line."""
    text = str(problem).strip().partition("\n")[0]
    if isinstance(problem, KeyError):
        return f"{text} is not known"
    return text or type(problem).__name__


@dataclass(frozen=True, slots=True)
class At:
    """An operation of a program: its number and kind, and its location in the model, if the binary has it.

    ``what`` is the word for such entries in the program: operation, or command.
    """

    index: int
    kind: str
    location: str = ""
    what: str = "operation"

    def __str__(self) -> str:
        place = f" at {self.location}" if self.location else ""
        return f"{self.what} {self.index} ({self.kind}){place}"


class RuntimeProblem(Exception):
    """An error of a program that cannot be run, or that is invalid. The text says what is wrong, where, and what to do.

    ``code`` is the error's code, if it has one; it is at the beginning of the text.
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
    """The error for an integer of an input that the program is not compiled for: 32 bits may not be enough."""
    return RuntimeProblem(message, code="TTL1711")


class OutOfMemory(RuntimeProblem):
    """A tensor does not fit into memory; the notes are a table of the memory's contents."""
