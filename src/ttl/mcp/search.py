"""Searching the documentation and the examples, by section: SQLite's full-text index, made when it is first asked."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ttl.diag import catalog
from ttl.mcp.results import Hit

_HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
_WORD = re.compile(r"\w+")
_MOST_CHARACTERS = 1_500
# Where the pages are: in the package as it is installed, and in a copy of the project.
_PACKAGE = Path(__file__).parent
_PLACES = (_PACKAGE / "pages", _PACKAGE.parent.parent.parent)
_FOLDERS = ("docs/guides", "docs/reference", "docs/tutorial")


class SearchIndex:
    """The sections of all pages."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute(
            "create virtual table sections using fts5(page, section, text, tokenize = 'porter unicode61')"
        )
        self._database.executemany("insert into sections values (?, ?, ?)", _sections())

    def search(self, query: str, most: int) -> list[Hit]:
        """The sections that fit best, the best first; nothing where no word of the query is known."""
        words = [word for word in _WORD.findall(query) if word.strip("_")]
        if not words:
            return []
        quoted = [f'"{word}"' for word in words]
        for joined in (" ".join(quoted), " OR ".join(quoted)):
            rows = self._database.execute(
                "select page, section, text from sections where sections match ? order by bm25(sections, 4, 6, 1), page limit ?",
                (joined, most),
            ).fetchall()
            if rows:
                return [
                    Hit(page=page, section=section, text=text[:_MOST_CHARACTERS])
                    for page, section, text in rows
                ]
        return []


def _sections() -> Iterator[tuple[str, str, str]]:
    for code in catalog.codes():
        page = catalog.page(code)
        yield f"ttl explain {code}", page.title, page.text
    root = next((place for place in _PLACES if (place / _FOLDERS[0]).is_dir()), None)
    if root is None:
        return
    for folder in _FOLDERS:
        for path in sorted((root / folder).glob("*.md")):
            yield from _of_page(str(path.relative_to(root)), path.read_text(encoding="utf-8"))
    for path in sorted((root / "examples").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield str(path.relative_to(root)), text.strip().strip('"').split("\n")[0], text


def _of_page(name: str, text: str) -> Iterator[tuple[str, str, str]]:
    heads = list(_HEADING.finditer(text))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        yield name, head[1], text[head.start() : following.start() if following else len(text)].strip()
