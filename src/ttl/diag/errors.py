"""The exceptions that carry a diagnostic.

There are three separate kinds: the user's program is wrong, the chip is too small for it, or this package has a defect.
"""

from __future__ import annotations

import sys
from types import TracebackType

from ttl.diag import report
from ttl.diag.model import Diagnostic, error
from ttl.diag.remedies import Callee
from ttl.diag.values import short
from ttl.source.spans import user_span


class TTLError(Exception):
    """A diagnostic as an exception. ``str()`` of it is the whole report, as on a terminal without colour."""

    def __init__(self, diagnostic: Diagnostic, *others: Diagnostic) -> None:
        if not all(isinstance(finding, Diagnostic) for finding in (diagnostic, *others)):
            diagnostic, others = _own_message(type(self).__name__, diagnostic), ()
        super().__init__(diagnostic.message)
        self.diagnostics: tuple[Diagnostic, ...] = (diagnostic, *others)
        report_when_uncaught()

    @property
    def diagnostic(self) -> Diagnostic:
        """The first, usually the only, finding."""
        return self.diagnostics[0]

    @property
    def code(self) -> str:
        """Code of the first finding: ``TTL0301``, say."""
        return self.diagnostics[0].code

    def __str__(self) -> str:
        from ttl.diag.text import render

        return "\n\n".join(render(diagnostic) for diagnostic in self.diagnostics)

    def __reduce__(self) -> tuple[type[TTLError], tuple[Diagnostic, ...]]:
        """Return how to pickle the error whole, so that it can cross process borders (in pytest-xdist, say)."""
        return type(self), self.diagnostics

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows instead of a traceback (a protocol of IPython)."""
        return str(self).splitlines()


class ProgramError(TTLError):
    """The user's program, file, flag or environment variable is wrong."""


class WrongRequest(Exception):
    """An unusable request: a command line, a pipeline, a setting, a file. The text says what to write instead."""


class ResourceError(TTLError):
    """The program asks for more than the chip has."""


class DeadlockError(ProgramError):
    """No kernel can continue."""


class KernelInterrupted(KeyboardInterrupt):
    """Ctrl-C during an operation; the report says where every kernel was."""

    def __init__(self, report: str) -> None:
        super().__init__(report)
        self.report = report
        report_when_uncaught()


class InternalError(TTLError):
    """A defect of this package. The text says how to report it."""


class TTLWarning(UserWarning):
    """Category of the warnings this package issues."""


def _own_message(name: str, given: object) -> Diagnostic:
    """The diagnostic for an error of this package that the program itself raises with a text, at the program's line."""
    return (
        error(
            "TTL0231",
            f"ttl.{name} raised by the program: {short(given)}",
            help="raise ValueError, RuntimeError or a class of your own; the errors of ttl are there to be caught",
        )
        .remedied_by(Callee(description="raise RuntimeError", function="RuntimeError"))
        .at(user_span())
    )


def report_when_uncaught() -> None:
    """Take over ``sys.excepthook``, unless it has been replaced already (by a debugger, a notebook).

    Python's traceback through the code of this package would hide the report.
    """
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = show_uncaught


def show_uncaught(kind: type[BaseException], raised: BaseException, trace: TracebackType | None) -> None:
    """The hook for ``sys.excepthook``: reports for errors of this package, Python's traceback for all others."""
    match raised:
        case TTLError():
            report.show_errors(raised.diagnostics)
        case KernelInterrupted():
            report.write(raised.report)
        case _:
            sys.__excepthook__(kind, raised, trace)
