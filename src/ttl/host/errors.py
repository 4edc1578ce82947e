"""How this package reports that a program is wrong: a diagnostic with a code, at the user's line."""

from __future__ import annotations

from enum import StrEnum
from typing import NoReturn

from ttl.diag.errors import ProgramError, report_when_uncaught
from ttl.diag.model import Diagnostic, Remedy, error
from ttl.diag.values import kind_of, short
from ttl.source.spans import user_span


class Code(StrEnum):
    """The kinds of mistake this package finds. Each has a page, ``ttl explain TTL1001``."""

    ABSENT_NAME = "TTL1001"
    UNKNOWN_NAME = "TTL1002"
    SIGNATURE = "TTL1003"
    WRONG_KIND = "TTL1004"
    NO_SHAPE = "TTL1005"
    SHAPES = "TTL1006"
    DIMENSION = "TTL1007"
    ELEMENT_TYPE = "TTL1008"
    DEALLOCATED = "TTL1009"
    CLOSED = "TTL1010"
    NO_DEVICE = "TTL1011"
    MESH = "TTL1012"
    SHARDS = "TTL1013"
    INDEX = "TTL1014"
    NO_TORCH = "TTL1015"
    OUTPUT = "TTL1016"
    NO_MODULE = "TTL1017"
    REFUSED = "TTL1018"
    BLOCK_FLOAT = "TTL1019"
    UNSUPPORTED = "TTL1020"
    CORES = "TTL1021"
    OUT_OF_RANGE = "TTL1022"
    TOO_LARGE = "TTL1023"
    IN_OPERATION = "TTL1024"
    TRACE = "TTL1025"
    PROGRAM_BUFFERS = "TTL1026"
    PROGRAM_KERNELS = "TTL1027"
    PROGRAM_ARGUMENTS = "TTL1028"
    PROGRAM_SEMAPHORES = "TTL1029"
    PROGRAM_TENSORS = "TTL1030"
    LINKS = "TTL1031"


class MissingNameError(ProgramError, AttributeError):
    """A name that does not exist. Also an ``AttributeError``, so that ``hasattr`` and ``getattr`` work."""


class MissingModuleError(ProgramError, ModuleNotFoundError):
    """A module that does not exist. Also a ``ModuleNotFoundError``, so that programs can fall back."""


def fail(
    code: Code,
    message: str,
    *,
    notes: tuple[str, ...] = (),
    help: tuple[str, ...] | str = (),
    remedy: Remedy | None = None,
) -> NoReturn:
    """Raise the error at the line of the user's program that runs now."""
    report_when_uncaught()
    raise ProgramError(placed(code, message, notes=notes, help=help, remedy=remedy))


def placed(
    code: Code,
    message: str,
    *,
    notes: tuple[str, ...] = (),
    help: tuple[str, ...] | str = (),
    remedy: Remedy | None = None,
) -> Diagnostic:
    """The error as a diagnostic at the line of the user's program that runs now."""
    return error(code.value, message, notes=notes, help=help).remedied_by(remedy).at(user_span())


def describe(value: object) -> str:
    """A value as messages show it: short, with its type."""
    if isinstance(value, type) or value is None or isinstance(value, (int, float, str, list, tuple, dict)):
        return short(value)
    if type(value).__module__.startswith("ttl.") and not type(value).__module__.startswith("ttl.host."):
        return kind_of(value)
    shape = getattr(value, "shape", None)
    kind = f"{type(value).__module__.split('.')[0]}.{type(value).__name__}".removeprefix("builtins.")
    kind = kind.replace("ttl.", "ttnn.")
    if isinstance(shape, tuple) and not isinstance(value, type) and "dtype" not in kind.lower():
        return f"a {kind} of shape {tuple(shape)}"
    text = short(value)
    return f"a {kind}" if text == kind_of(value) else f"{text} ({kind})"
