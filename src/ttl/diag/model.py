"""The data of a diagnostic. All rules create it, and all outputs (terminal, JSON, editor) show it.

A rule knows the mistake but not its location: it makes a ``Diagnostic`` without a location. The caller of the rule adds
the location with ``at`` and ``also``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol, TypedDict, Unpack

from ttl.diag.families import Family, Subject, family_of
from ttl.source.spans import OPERATIONS_FOLDER, Span


class Severity(StrEnum):
    """The severity of a finding. An error stops the program; a warning and a note do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """A location and a text about it."""

    span: Span
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """Replace the text of ``span`` by ``replacement``."""

    span: Span
    replacement: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """A change of the program that resolves a diagnostic.

    ``shown`` is the number of edits that a report for people shows; None means all.
    """

    description: str
    edits: tuple[Edit, ...] = ()
    shown: int | None = None


class Remedy(Protocol):
    """A repair that a rule describes without a location (``ttl.diag.remedies``)."""

    def fix(self, span: Span) -> Fix | None:
        """The fix of a diagnostic at ``span``; None if the source there is not as the rule expects."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnostic:
    """One finding.

    ``message`` is one line, lower case, without a full stop, with the values in it. ``notes`` are facts, ``help`` is
    advice. ``code`` names a page in ``ttl/diag/codes``. ``subject`` is set if other rules search for it, and ``about``
    has the locations of the subject other than the primary one.
    """

    code: str
    message: str
    severity: Severity = Severity.ERROR
    primary: Label | None = None
    secondary: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    fix: Fix | None = None
    remedy: Remedy | None = None
    subject: Subject | None = None
    about: tuple[Span, ...] = ()

    @property
    def family(self) -> Family:
        """The subject of the findings with this code."""
        return family_of(self.code)

    def at(self, span: Span | None, text: str = "") -> Diagnostic:
        """Return the finding with a primary location, unless it has one. A remedy becomes the fix at that location."""
        if span is None or self.primary is not None:
            return self
        fix = self.fix if self.fix is not None or self.remedy is None else self.remedy.fix(span)
        if fix is not None and not fix.description:
            fix = replace(fix, description=self.help[0])
        return replace(self, primary=Label(span=span, text=text), fix=fix, remedy=None)

    def also(self, span: Span | None, text: str) -> Diagnostic:
        """Return the finding with a further location that explains it."""
        if span is None:
            return self
        return replace(self, secondary=(*self.secondary, Label(span=span, text=text)))

    def called_from(self, calls: Iterable[Span | None]) -> Diagnostic:
        """Return the finding with the calls that led to its location, innermost first.

        A finding inside an operation of the library is moved to the user's call of it, without its fix, because users
        do not change the library.
        """
        spans = [call for call in calls if call is not None]
        placed = self
        if self.primary is not None and self.primary.span.file.startswith(OPERATIONS_FOLDER):
            outside = [at for at, span in enumerate(spans) if not span.file.startswith(OPERATIONS_FOLDER)]
            if outside:
                placed = replace(self, primary=replace(self.primary, span=spans[outside[0]]), fix=None)
                spans = spans[outside[0] + 1 :]
        labels = tuple(Label(span=span, text="called from here") for span in spans)
        return replace(placed, secondary=(*placed.secondary, *labels))

    def concerning(self, span: Span | None) -> Diagnostic:
        """Return the finding with a further location of its subject."""
        return self if span is None else replace(self, about=(*self.about, span))

    def noting(self, *notes: str) -> Diagnostic:
        """Return the finding with further facts."""
        return replace(self, notes=(*self.notes, *notes))

    def helping(self, *text: str) -> Diagnostic:
        """Return the finding with further advice."""
        return replace(self, help=(*self.help, *text))

    def remedied_by(self, remedy: Remedy | None) -> Diagnostic:
        """Return the finding with a remedy, which becomes a fix when the location is known."""
        return self if remedy is None else replace(self, remedy=remedy)

    def fixed_by(self, fix: Fix | None) -> Diagnostic:
        """Return the finding with a machine-applicable fix."""
        return self if fix is None else replace(self, fix=fix)


class _DiagnosticExtras(TypedDict, total=False):
    notes: tuple[str, ...]
    help: tuple[str, ...] | str
    subject: Subject | None


def error(code: str, message: str, **told: Unpack[_DiagnosticExtras]) -> Diagnostic:
    """An error without a location."""
    return _without_place(Severity.ERROR, code, message, **told)


def warning(code: str, message: str, **told: Unpack[_DiagnosticExtras]) -> Diagnostic:
    """A warning without a location."""
    return _without_place(Severity.WARNING, code, message, **told)


def note(code: str, message: str, **told: Unpack[_DiagnosticExtras]) -> Diagnostic:
    """A note (about an older spelling, say) without a location."""
    return _without_place(Severity.NOTE, code, message, **told)


def _without_place(
    severity: Severity,
    code: str,
    message: str,
    notes: tuple[str, ...] = (),
    help: tuple[str, ...] | str = (),
    subject: Subject | None = None,
) -> Diagnostic:
    several = (help,) if isinstance(help, str) else help
    return Diagnostic(
        code=code, message=message, severity=severity, notes=notes, help=several, subject=subject
    )
