"""A report as one HTML file: the data, and the page that shows them, which was built from ``web/report``.

The file needs no network and asks for none: its Content-Security-Policy allows only its own content. The page treats
the data as text and never as code.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ttl.diag import ProgramError, error
from ttl.report.pack import as_json

FOLDER = Path(__file__).parent / "page"
"""The folder in which ``make report-page`` puts the page."""
_FILES = ("report.js", "report.css")


def page(report: Mapping[str, Any]) -> str:
    """Return the HTML file of a report. Raises ``ProgramError`` TTL0140 where the page was not built."""
    script, style = _built()
    # In a script element of data, only the end of the element and the beginning of a comment are special.
    data = as_json(report).replace("<", "\\u003c")
    script = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src 'unsafe-inline'; img-src data: blob:"
    )
    title = html.escape(str(report.get("title") or "report"))
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>{style}</style></head>\n"
        f'<body><script type="application/json" id="report">{data}</script>\n<script>{script}</script></body></html>\n'
    )


def is_built() -> bool:
    """Whether the page was built."""
    return all((FOLDER / name).is_file() for name in _FILES)


def require_page() -> None:
    """Raise ``ProgramError`` TTL0140 where the page was not built."""
    if not is_built():
        raise ProgramError(
            error(
                "TTL0140",
                "the page of reports is not built in this installation",
                notes=("it is built from web/report with Node.js 20 or newer and npm; wheels have it",),
                help=(
                    "run 'make report-page' in the clone of the project",
                    "or write the data alone: --report FILE.json",
                ),
            )
        )


def _built() -> tuple[str, str]:
    require_page()
    script, style = ((FOLDER / name).read_text(encoding="utf-8") for name in _FILES)
    return script, style


def _digest(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
