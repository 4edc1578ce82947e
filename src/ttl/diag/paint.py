"""The colours of a report."""

from __future__ import annotations

from dataclasses import dataclass

from ttl.diag.model import Severity

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_FRAME = "\x1b[1;34m"
_SECONDARY = "\x1b[1;34m"
_HELP = "\x1b[1;36m"
_SEVERITY = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.NOTE: "\x1b[1;32m"}


@dataclass(frozen=True, slots=True)
class Painter:
    """Colours for the parts of the report of a diagnostic with a certain severity."""

    color: bool
    severity: Severity

    def _paint(self, text: str, style: str) -> str:
        return f"{style}{text}{_RESET}" if self.color and text.strip() else text

    def heading(self, text: str) -> str:
        """Colour a heading: ``error[TTL0301]``."""
        return self._paint(text, _SEVERITY[self.severity])

    def message(self, text: str) -> str:
        """Colour the message line."""
        return self._paint(text, _BOLD)

    def frame(self, text: str) -> str:
        """Colour line numbers, bars and arrows."""
        return self._paint(text, _FRAME)

    def mark(self, text: str, primary: bool) -> str:
        """Colour underlines and labels."""
        return self._paint(text, _SEVERITY[self.severity] if primary else _SECONDARY)

    def aside(self, text: str) -> str:
        """Colour the words ``note:`` and ``help:``."""
        return self._paint(text, _HELP)

    def removed(self, text: str) -> str:
        """Colour a line that a fix removes."""
        return self._paint(text, _SEVERITY[Severity.ERROR])

    def added(self, text: str) -> str:
        """Colour a line that a fix adds."""
        return self._paint(text, _SEVERITY[Severity.NOTE])
