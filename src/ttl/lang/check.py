"""Checks of plain arguments, shared by the public functions. Each raises a ``ProgramError`` at the user's line."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import NoReturn, ParamSpec, TypeVar

from ttl.diag import Diagnostic, ProgramError, error
from ttl.diag.model import Remedy
from ttl.diag.values import is_int as is_int
from ttl.rules.kernel_definitions import Decorator, no_function
from ttl.rules.words import describe as describe
from ttl.source.spans import user_span

P = ParamSpec("P")
R = TypeVar("R")


def fail(diagnostic: Diagnostic, label: str = "") -> NoReturn:
    """Raise a diagnostic at the location of the user's code."""
    raise ProgramError(diagnostic.at(user_span(), label))


def right(value: R | Diagnostic) -> R:
    """Return a rule's result for an argument; raise it if it is a diagnostic."""
    if isinstance(value, Diagnostic):
        fail(value)
    return value


def public(function: Callable[P, R]) -> Callable[P, R]:
    """Report a call that does not fit the signature as an error of this package (TTL0223), not Python's.

    For functions that programs call outside operations. Inside an operation, its launch calls ``lang.mistakes``, which
    has no cost as long as no error is raised.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError as mistake:
            if mistake.__traceback__ is None or mistake.__traceback__.tb_next is not None:
                raise
            from ttl.lang.wrong_calls import wrong_call

            fail(wrong_call(function, str(mistake)))

    return call


def require_function(value: object, decorator: Decorator) -> FunctionType:
    """A decorated value as a function; an error for any other value."""
    if isinstance(value, FunctionType):
        return value
    fail(no_function(decorator, value))


def not_constructed(what: str, how: str, remedy: Remedy | None = None) -> NoReturn:
    """Refuse to construct an object that only an execution makes."""
    fail(error("TTL0338", f"{what} is not made by calling its class", help=how).remedied_by(remedy))
