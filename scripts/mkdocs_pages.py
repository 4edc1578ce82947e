"""Hook of mkdocs: the pages of the error codes, which live in the package, as pages of the documentation."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).resolve().parent.parent
CODES = ROOT / "src" / "ttl" / "diag" / "codes"
# What the information behind ``` means to our tests, and what it means to a highlighter.
_FENCE = re.compile(r"^```(python|console|text) (?:error|expected|ok)$", re.MULTILINE)

sys.path.insert(0, str(ROOT / "src"))

from ttl.diag.pages import parse  # noqa: E402


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add ``errors/TTLnnnn.md`` for every code and the list of them."""
    rows = ["# Errors", "", "| code | what it says |", "| --- | --- |"]
    for path in sorted(CODES.glob("TTL*.md")):
        page = parse(path.read_text(encoding="utf-8"))
        rows.append(f"| [{page.code}]({page.code}.md) | {page.title} |")
        text = _FENCE.sub(r"```\1", page.text)
        # The list leads to them; a hundred entries in the menu would bury the rest.
        hidden = InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, f"errors/{page.code}.md", content=text, inclusion=hidden))
    files.append(File.generated(config, "errors/index.md", content="\n".join(rows) + "\n"))
    return files
