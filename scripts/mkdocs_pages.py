"""Hook of mkdocs: the pages of the error codes, which live in the package, and those of the dialect's operations, which are made from
their classes, as pages of the documentation; and pictures that ``scripts/update_pictures.py`` has just taken, in place of those
that are kept; and the history of releases."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
# What the information behind ``` means to our tests, and what it means to a highlighter.
_FENCE = re.compile(r"^```(python|console|text|diff) (?:error|expected|ok|checked)$", re.MULTILINE)

sys.path[:0] = [str(ROOT / "src"), str(ROOT / "scripts"), str(ROOT / "benchmarks")]

import history  # noqa: E402

import dialect_operations  # noqa: E402
import update_pictures  # noqa: E402
from ttl.diag import catalog  # noqa: E402


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add ``errors/TTLnnnn.md`` for every code and the list of them, and ``reference/ttl/`` for the dialect's operations."""
    for code in catalog.codes():
        text = _FENCE.sub(r"```\1", catalog.page(code).text)
        # The list leads to them; a hundred entries in the menu would bury the rest.
        hidden = InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, f"errors/{code}.md", content=text, inclusion=hidden))
    files.append(File.generated(config, "errors/index.md", content=index()))
    for name, text in dialect_operations.pages().items():
        files.append(
            File.generated(
                config, f"reference/ttl/{name}.md", content=text, inclusion=InclusionLevel.NOT_IN_NAV
            )
        )
    drawn = history.drawing(history.versions())
    files.append(File.generated(config, "assets/history.svg", content=drawn))
    for group in update_pictures.GROUPS:
        for place, path in update_pictures.taken(group).items():
            if (kept := files.get_file_from_path(place)) is not None:
                files.remove(kept)
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The table and the drawing of all releases, where the page of them has a place for it."""
    if history.HERE not in markdown:
        return markdown
    picture = "![every ratio by version](../assets/history.svg)"
    return markdown.replace(history.HERE, f"{picture}\n\n{history.table(history.versions())}")


def index() -> str:
    """All codes, by what they are about, as Markdown."""
    parts = [
        "# Errors\n\nEvery code, by what it is about. `ttl explain CODE` shows the same pages in a terminal; "
        "[reading errors](../guides/errors.md) says how a report is read.\n"
    ]
    for about, codes in catalog.by_heading():
        parts.append(f"## {about[0].upper()}{about[1:].removesuffix('. Please report it')}\n")
        parts.append("| code | what it says |\n| --- | --- |")
        parts += [f"| [{code}]({code}.md) | {catalog.page(code).title} |" for code in codes]
        parts.append("")
    return "\n".join(parts)
