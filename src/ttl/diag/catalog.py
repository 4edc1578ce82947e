"""The pages of all codes, as installed with the package."""

from __future__ import annotations

import difflib
import re
from functools import cache
from importlib import resources

from ttl.diag.pages import Page, parse

_CODE = re.compile(r"\A(?:ttl)?[-_ ]?(\d{1,4})\Z", re.IGNORECASE)


@cache
def codes() -> tuple[str, ...]:
    """Every code that has a page, sorted."""
    folder = resources.files("ttl.diag") / "codes"
    if not folder.is_dir():
        return ()
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name[:-3] for name in names if re.fullmatch(r"TTL\d{4}\.md", name)))


@cache
def page(code: str) -> Page:
    """The page of ``code``. Raises ``KeyError`` when there is none."""
    if code not in codes():
        raise KeyError(code)
    return parse((resources.files("ttl.diag") / "codes" / f"{code}.md").read_text(encoding="utf-8"))


def explain(code: str) -> str:
    """The page of ``code`` as Markdown, without a line end after its last line. Raises ``KeyError``."""
    return page(code).text.rstrip("\n")


def normalized(text: str) -> str | None:
    """``301``, ``0301``, ``ttl0301`` as ``TTL0301``; None for what cannot be a code."""
    found = _CODE.match(text.strip())
    return None if found is None else f"TTL{int(found[1]):04}"


def nearest(text: str) -> tuple[str, ...]:
    """Up to three codes that ``text`` may have meant, nearest first."""
    wanted = normalized(text)
    if wanted is None:
        words = {page(code).title: code for code in codes()}
        titles = difflib.get_close_matches(text.lower(), words, n=3, cutoff=0.4)
        return tuple(words[title] for title in titles)
    number = int(wanted[3:])
    ordered = sorted(codes(), key=lambda code: (abs(int(code[3:]) - number), code))
    return tuple(ordered[:3])
