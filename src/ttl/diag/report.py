"""The output of diagnostics on standard error as text, JSON or annotations, depending on the settings."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TextIO

from ttl import session
from ttl.diag.grouping import grouped, is_spelling
from ttl.diag.model import Diagnostic
from ttl.session.switches import CHOSEN, Settings, WrongSystemError, WrongValueError

# Gets the warnings and notes passed to ``emit``; if None, they are written to standard error.
COLLECTOR: session.Part[Callable[[Diagnostic], None] | None] = session.Part(lambda: None)


class ReportedDiagnostics:
    """The findings and notes that a session has reported."""

    def __init__(self) -> None:
        # Keys of reports that are not repeated, each with the objects whose identity the key depends on.
        self.keys: dict[object, object] = {}
        # Notes that are not reported yet.
        self.kept: list[Diagnostic] = []

    def first_time(self, key: object, kept: object = None) -> bool:
        """Record a key; return whether it is new. ``kept`` stays alive with it."""
        if key in self.keys:
            return False
        self.keys[key] = kept
        return True

    def emit_kept(self) -> None:
        """Write the postponed notes."""
        kept = grouped(self.kept)
        self.kept.clear()
        atexit.unregister(self.emit_kept)
        for diagnostic in kept:
            emit(diagnostic)


SAID: session.Part[ReportedDiagnostics] = session.Part(ReportedDiagnostics)


def rendered(diagnostic: Diagnostic, *, stream: TextIO | None = None) -> str:
    """The diagnostic in the format of the settings, coloured if they say so (``auto``: if ``stream`` is a terminal)."""
    # Imported when a diagnostic is shown, so that a program without a mistake never pays for it.
    from ttl.diag import github, json, text

    match chosen().format:
        case "json":
            return json.render(diagnostic)
        case "github":
            return github.render(diagnostic)
        case "text":
            return text.render(diagnostic, color=colored(stream))


def emit(diagnostic: Diagnostic, *, once: bool = False) -> None:
    """Write a warning or a note to standard error; with ``once``, only once for the same code and location.

    With ``once``, a note about an older spelling is postponed until the program, or a test, ends, or an error is shown,
    and combined with similar notes. In an interactive session, which has no end, it is written at once. A ``COLLECTOR``
    gets each warning and note instead, also repeated ones.
    """
    collector = COLLECTOR.get()
    if collector is not None:
        collector(diagnostic)
        return
    if once and not first_time(
        (diagnostic.code, None if diagnostic.primary is None else diagnostic.primary.span)
    ):
        return
    if once and is_spelling(diagnostic) and not hasattr(sys, "ps1"):
        said = SAID.get()
        if not said.kept:
            atexit.register(said.emit_kept)
        said.kept.append(diagnostic)
        return
    write(rendered(diagnostic, stream=sys.stderr) + _separator())


def emit_kept() -> None:
    """Write the postponed notes."""
    SAID.get().emit_kept()


def show_errors(findings: Sequence[Diagnostic], *, stream: TextIO | None = None) -> None:
    """Write all findings of an error, to standard error by default, after the postponed notes."""
    emit_kept()
    target = sys.stderr if stream is None else stream
    reports = (rendered(diagnostic, stream=target) for diagnostic in findings)
    write(("\n" + _separator()).join(reports), stream=target)


def write(text: str, *, stream: TextIO | None = None) -> None:
    """Write a report, to standard error by default, after the output that the program has printed so far.

    Standard output is flushed first. Python buffers it if it is a file or pipe, and it would otherwise come after the
    report.
    """
    target = sys.stderr if stream is None else stream
    if target is not sys.stdout:
        with suppress(
            OSError, ValueError, AttributeError
        ):  # no process reads it, it is closed, or it does not exist
            sys.stdout.flush()
    print(text, file=target, flush=True)


def _separator() -> str:
    """Text reports are separated by an empty line; in the other formats each report is one line."""
    return "\n" if chosen().format == "text" else ""


def chosen() -> Settings:
    """The settings in effect; the default settings if the environment holds a wrong value, which is being reported."""
    try:
        return session.current()[CHOSEN]
    except (WrongValueError, WrongSystemError):
        return Settings()


def colored(stream: TextIO | None) -> bool:
    """Whether text written to ``stream`` is coloured."""
    match chosen().color:
        case "on":
            return True
        case "off":
            return False
        case "auto":
            return stream is not None and stream.isatty()


def first_time(key: object, kept: object = None) -> bool:
    """Record a key; return whether it is new. ``kept`` stays alive as long, so that its identity may be part of the key."""
    return SAID.get().first_time(key, kept)
