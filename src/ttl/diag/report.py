"""Where diagnostics go: standard error, as text or JSON as the settings say."""

from __future__ import annotations

import sys
from functools import cache
from typing import TextIO

from ttl import settings
from ttl.diag.errors import TTLError
from ttl.diag.model import Diagnostic
from ttl.source.spans import Span


def rendered(diagnostic: Diagnostic, *, stream: TextIO | None = None) -> str:
    """The diagnostic in the format of the settings, coloured if they (or ``stream``, a terminal) say so."""
    # Imported where something is shown: a program without a mistake never pays for it.
    from ttl.diag import json, text

    chosen = _chosen()
    if chosen.format == "json":
        return json.render(diagnostic)
    return text.render(diagnostic, color=_colored(chosen, stream))


def emit(diagnostic: Diagnostic, *, once: bool = False) -> None:
    """Write a warning or a note to standard error; ``once``: not again for the same code and place."""
    if once and not _first_time(diagnostic):
        return
    stream = sys.stderr
    print(rendered(diagnostic, stream=stream) + _separator(), file=stream, flush=True)


def show_error(raised: TTLError, *, stream: TextIO | None = None) -> None:
    """Write all findings of an error, to standard error by default."""
    target = sys.stderr if stream is None else stream
    reports = (rendered(diagnostic, stream=target) for diagnostic in raised.diagnostics)
    print(("\n" + _separator()).join(reports), file=target, flush=True)


def _separator() -> str:
    """Text reports have an empty line between them, JSON has one object per line."""
    return "" if _chosen().format == "json" else "\n"


def _chosen() -> settings.Settings:
    """The settings in effect; the table's when the environment holds a wrong value, which is being reported."""
    try:
        return settings.current()
    except TTLError:
        return settings.Settings()


def _colored(chosen: settings.Settings, stream: TextIO | None) -> bool:
    match chosen.color:
        case "on":
            return True
        case "off":
            return False
        case "auto":
            return stream is not None and stream.isatty()


@cache
def _said() -> set[tuple[str, Span | None]]:
    """What was said already. "Once per process" is state of the process by its nature; it is kept here,
    and ``_said.cache_clear()`` forgets it."""
    return set()


def _first_time(diagnostic: Diagnostic) -> bool:
    key = (diagnostic.code, None if diagnostic.primary is None else diagnostic.primary.span)
    if key in _said():
        return False
    _said().add(key)
    return True
