"""The display of notebooks: a profile as a table, a report as its page, findings with their places in the cell."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ttl.diag import Diagnostic
from ttl.emu.claim import CLAIM
from ttl.emu.headline import headline_of, hottest
from ttl.emu.profile import Profile, lines_together
from ttl.report.assembly import page
from ttl.report.text import write
from ttl.source.files import display_name

# Lines of a profile that a notebook shows.
_LINES = 12
_HEIGHT = 800
_TABLE = "border-collapse:collapse;font-family:monospace;font-size:90%"
_CELL = "padding:1px 8px;text-align:right;white-space:pre"
_TEXT = "padding:1px 8px;text-align:left;white-space:pre"
_BAR = "display:inline-block;height:0.7em;background:#2f7ed8;vertical-align:baseline"


class ReportPage:
    """A report: saved as a file, or shown by a notebook."""

    def __init__(self, report: Mapping[str, Any]) -> None:
        self._report = report

    def save(self, path: str | Path) -> None:
        """Write the page, or the data if the path ends in ``.json``.

        Raises ``OSError``, and ``ProgramError`` TTL0140 where the page was not built.
        """
        write(str(path), self._report)

    def to_object(self) -> dict[str, Any]:
        """Return the data as an object that ``json.dumps`` takes (docs/reference/report.md)."""
        return dict(self._report)

    def frame(self) -> str:
        """The page in a frame, as a notebook shows it."""
        text = html.escape(page(self._report), quote=True)
        return (
            f'<iframe srcdoc="{text}" sandbox="allow-scripts" title="report" '
            f'style="width:100%;height:{_HEIGHT}px;border:0"></iframe>'
        )

    _repr_html_ = frame

    def __repr__(self) -> str:
        return f"<report of {self._report.get('title')}; save('page.html') writes the page>"


def profile_html(verdict: str, launches: Sequence[Profile]) -> str:
    """A profile as a notebook shows it: the headline, the verdict, the lines with most of the critical path."""
    cycles = max(sum(launch.cycles for launch in launches), 1)
    parts = [f"<p><b>{html.escape(headline_of(launches))}</b></p>", f"<p>{html.escape(verdict)}</p>"]
    rows = []
    for place, cost in hottest(lines_together(launches))[:_LINES]:
        share = cost.path / cycles
        busy, waits = (sum(values.values()) for values in (cost.busy, cost.waits))
        where = html.escape(f"{display_name(place.file)}:{place.line}")
        rows.append(
            f'<tr><td style="{_CELL}">{cost.path:,}</td>'
            f'<td style="{_TEXT}"><span style="{_BAR};width:{100 * share:.0f}px"></span> {share:.0%}</td>'
            f'<td style="{_CELL}">{busy:,.0f}</td><td style="{_CELL}">{waits:,.0f}</td>'
            f'<td style="{_TEXT}" title="{where}">{place.line}</td>'
            f'<td style="{_TEXT}">{html.escape(cost.text.strip())}</td></tr>'
        )
    heads = ("path", "share", "busy", "waits", "line", "")
    head = "".join(f'<th style="{_TEXT}">{name}</th>' for name in heads)
    parts.append(
        f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
    )
    parts.append(f"<p><small>{html.escape(CLAIM)}</small></p>")
    return f"<div>{''.join(parts)}</div>"


def findings_html(findings: Sequence[Diagnostic], texts: Sequence[str]) -> str:
    """The texts of findings, one after the other."""
    colours = {"error": "#c00000", "warning": "#9a6700", "note": "#57606a"}
    blocks = []
    for finding, text in zip(findings, texts, strict=True):
        colour = colours.get(finding.severity.value, "#57606a")
        blocks.append(
            f'<pre style="border-left:3px solid {colour};padding-left:8px;margin:6px 0">'
            f"{html.escape(text)}</pre>"
        )
    return f"<div>{''.join(blocks)}</div>"
