"""The colours of a report, or none."""

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
    """Colours text by the part it plays in the report of a diagnostic of one severity."""

    color: bool
    severity: Severity

    def _paint(self, text: str, style: str) -> str:
        return f"{style}{text}{_RESET}" if self.color and text.strip() else text

    def heading(self, text: str) -> str:
        """``error[TTL0301]``."""
        return self._paint(text, _SEVERITY[self.severity])

    def message(self, text: str) -> str:
        """The line that says it."""
        return self._paint(text, _BOLD)

    def frame(self, text: str) -> str:
        """Line numbers, bars and arrows."""
        return self._paint(text, _FRAME)

    def mark(self, text: str, primary: bool) -> str:
        """Underlines and labels."""
        return self._paint(text, _SEVERITY[self.severity] if primary else _SECONDARY)

    def aside(self, text: str) -> str:
        """``note:``, ``help:``."""
        return self._paint(text, _HELP)

    def removed(self, text: str) -> str:
        """A line that a fix takes away."""
        return self._paint(text, _SEVERITY[Severity.ERROR])

    def added(self, text: str) -> str:
        """A line that a fix puts in."""
        return self._paint(text, _SEVERITY[Severity.NOTE])
