"""How this package reports that a program is wrong: a diagnostic with a code, at the user's line."""

from __future__ import annotations

from typing import NoReturn

from ttl.diag.errors import ProgramError
from ttl.diag.model import Diagnostic, error
from ttl.source.spans import user_span


class MissingNameError(ProgramError, AttributeError):
    """A name that does not exist. Also an ``AttributeError``, so that ``hasattr`` and ``getattr`` work."""


class MissingModuleError(ProgramError, ModuleNotFoundError):
    """A module that does not exist. Also a ``ModuleNotFoundError``, so that programs can fall back."""


def fail(code: str, message: str, *, notes: tuple[str, ...] = (), help: tuple[str, ...] | str = ()) -> NoReturn:
    """Raise the error at the line of the user's program that runs now."""
    raise ProgramError(placed(code, message, notes=notes, help=help))


def placed(
    code: str, message: str, *, notes: tuple[str, ...] = (), help: tuple[str, ...] | str = ()
) -> Diagnostic:
    """The error as a diagnostic at the line of the user's program that runs now."""
    return error(code, message, notes=notes, help=help).at(user_span())


def describe(value: object) -> str:
    """A value as messages show it: short, with its type."""
    if isinstance(value, (int, float, str)) or value is None:
        return repr(value)
    shape = getattr(value, "shape", None)
    kind = f"{type(value).__module__.split('.')[0]}.{type(value).__name__}".removeprefix("builtins.")
    kind = kind.replace("ttl.", "ttnn.")
    if isinstance(shape, tuple):
        return f"a {kind} of shape {tuple(shape)}"
    text = repr(value)
    return f"{text} ({kind})" if len(text) <= 40 else f"a {kind}"
