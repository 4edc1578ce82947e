"""Errors of a command, a file or a run, with a message and a code."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from tt_model.flatbuffer.files import FlatbufferError
from tt_model.runtime.problems import RuntimeProblem
from ttl.diag import Diagnostic, ProgramError, error, warning


class Mismatch(Exception):
    """A binary that is not for this release or this system. It is skipped; for ``ttrt check`` it is an error."""

    def __init__(self, message: str, *, is_skipped: bool = True) -> None:
        super().__init__(message)
        self.is_skipped = is_skipped


class Divergence(RuntimeProblem):
    """A result differs from the expected one."""


class NoCard(ProgramError):
    """There is no card to describe."""


def wrong_option(message: str, help: str = "") -> ProgramError:
    """Return the error for a wrong flag, value of a flag, or variable of the environment (TTL1701)."""
    return ProgramError(error("TTL1701", message, help=help or ()))


def unreadable(message: str, help: str = "") -> ProgramError:
    """Return the error for a file or folder that does not exist, or has nothing that the command can read (TTL1702)."""
    return ProgramError(error("TTL1702", message, help=help or ()))


def unwritable(path: Path | str, reason: str | None) -> ProgramError:
    """Return the error for a file or folder that cannot be written (TTL1703)."""
    return ProgramError(
        error(
            "TTL1703",
            f"cannot write {path}: {reason or 'the system does not say why'}",
            help="choose another place: --artifact-dir, --result-file, --log-file",
        )
    )


def not_ours(folder: Path, foreign: Path) -> ProgramError:
    """Return the error for a folder with other files, which would be deleted with the artifacts (TTL1703)."""
    return ProgramError(
        error(
            "TTL1703",
            f"{folder} is not deleted: it has files that are not artifacts, such as {foreign}",
            help="name a folder that only has artifacts: --artifact-dir",
        )
    )


def no_card(why: str) -> NoCard:
    """Return the error for a machine without a card, with the way to simulate one (TTL1704)."""
    return NoCard(
        error(
            "TTL1704",
            f"no card was found: {why}",
            help="describe a simulated system: --sim n150, --sim n300, --sim t3000, or --sim PATH of a .ttsys file",
        )
    )


def no_capture(asked: str, given: str) -> Diagnostic:
    """Return the warning for an option that needs a profiler on a card (TTL1705)."""
    return warning(
        "TTL1705",
        f"{asked} needs a capture by Tracy, but nothing runs on a card here",
        notes=(given,),
        help="estimates need no profiler; measured times need a card and the runtime of TT-MLIR",
    )


def finding_of(place: Path | str, problem: Exception) -> Diagnostic:
    """Return the diagnostic of a file that was skipped or failed."""
    match problem:
        case Mismatch():
            code = "TTL1706"
        case Divergence():
            code = "TTL1708"
        case FlatbufferError():
            code = "TTL1702"
        case RuntimeProblem(code=own) if own:
            code = own
        case _:
            code = "TTL1707"
    first, *rest = str(problem).removeprefix(f"{code}: ").splitlines() or [""]
    named = first if str(place) in first else f"{place}: {first}"
    notes = (dedent("\n".join(rest)),) if rest else ()
    return (
        warning(code, named, notes=notes)
        if isinstance(problem, Mismatch) and problem.is_skipped
        else error(code, named, notes=notes)
    )
