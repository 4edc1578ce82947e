"""Phrases that make a reader guess, which the source and the pages that people write do without.

The pages are those of error codes, guides, references and records.

A phrase is a regular expression, searched in prose only: blocks of code and code within a line are left out. A space in
it also matches the end of a line. In the source it is searched in docstrings, comments and messages; a space there also
matches the gap between two parts of a string. A new phrase goes into ``PHRASES`` once pages and source are free of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from docs.blocks import ROOT

CODES = sorted((ROOT / "src" / "ttl" / "diag" / "codes").glob("TTL*.md"))
SOURCES = sorted((ROOT / "src").rglob("*.py"))
# A page that a script writes has the words of tables and docstrings of the source.
MADE = re.compile(r"<!-- Made by .*-->")
TOP = ("README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY")
PAGES = [
    path
    for path in (*(ROOT / f"{name}.md" for name in TOP), *sorted((ROOT / "docs").rglob("*.md")))
    if MADE.search(path.read_text(encoding="utf-8")) is None
]

_FENCE = re.compile(r"^(?P<ticks>`{3,})[^\n]*\n.*?^(?P=ticks)[ ]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_GAP = r"(?:\s|#|\"\s*f?\")+"
"""What is between two words of a comment or a string that continue on the next line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Phrase:
    """What not to write, and what to write instead."""

    pattern: str
    instead: str
    example: str
    """A text that has the phrase."""
    source: bool = True
    """Whether the source is free of it, too."""

    @property
    def found_by(self) -> re.Pattern[str]:
        """The pattern, in which a space also matches the end of a line."""
        return re.compile(self.pattern.replace(" ", r"\s+"))

    @property
    def found_in_source_by(self) -> re.Pattern[str]:
        """The pattern, in which a space also matches the gap between two lines of a comment, or two parts of a string."""
        return re.compile(self.pattern.replace(" ", _GAP))


PHRASES = (
    Phrase(
        pattern=r"\b(?:is|are|was|were|makes?|has|have) none\b",
        instead="the noun again: 'is not a buffer', 'has no buffers'",
        example="reset that is none",
    ),
    Phrase(
        pattern=r"\bwhat is one\b",
        instead="the noun: 'a value that is a buffer'",
        example="takes only what is one",
    ),
    Phrase(
        pattern=r"\b[Ww]hoever\b",
        instead="the program, kernel or user that does it",
        example="whoever reads it waits",
    ),
    Phrase(
        pattern=r"\b(?:[Ss]ome|[Nn]o|[Aa]ny)(?:body|one)\b",
        instead="what it is: a kernel, a node, a user, a program",
        example="a block that nobody reads",
        source=False,
    ),
    Phrase(
        pattern=r"\b(?:turn by turn|from turn to turn|in (?:a|one|each|every|another|the same) turn)\b",
        instead="'in each iteration', 'from one iteration to the next'",
        example="carried from turn to turn",
    ),
    Phrase(
        pattern=r"\bturns? of (?:a|an|the|this|that)\b",
        instead="'iterations of the loop'",
        example="all turns of a loop",
    ),
    Phrase(
        pattern=r"\b(?:has|have|had)(?: not|n't) got\b",
        instead="'does not have'",
        example="a node has not got it",
    ),
    Phrase(
        pattern=r"\b[Nn]othing is said\b",
        instead="'there is no warning'",
        example="Nothing is said where it is full",
    ),
    Phrase(
        pattern=r"\bwithout a word\b",
        instead="'without a warning', 'silently'",
        example="it fails without a word",
    ),
    Phrase(
        pattern=r"\ball the same\b(?! \w)",
        instead="'anyway', 'still'",
        example="the program runs all the same",
    ),
    Phrase(
        pattern=r"\bfor you to say\b",
        instead="'only you know'",
        example="where it belongs is for you to say",
    ),
    Phrase(
        pattern=r"\b(?:has|have) to be said\b",
        instead="who has to state it: 'the program must name it'",
        example="which one has to be said",
    ),
    Phrase(
        pattern=r"\b(?:is|are) told\b",
        instead="'gets', or the argument that passes it",
        example="the function is told its shape",
    ),
    Phrase(
        pattern=r"\bthe one\b[^.]{0,60}\bthe other\b",
        instead="the names of the two",
        example="the one waits for the other",
    ),
    Phrase(
        pattern=r"\bof which (?:there|nothing|none|nobody)\b",
        instead="a sentence of its own",
        example="buffers of which nothing is known",
    ),
    Phrase(
        pattern=r"\b(?:go|goes|going) on\b",
        instead="'continue'",
        example="the kernel goes on",
    ),
    Phrase(
        pattern=r"\bfor ever\b",
        instead="'forever'",
        example="it waits for ever",
    ),
    Phrase(pattern=r"\bdearer\b", instead="'slower', 'costs more cycles'", example="a dearer copy"),
    Phrase(pattern=r"\bin rungs\b", instead="'step by step'", example="in rungs of eight"),
    Phrase(pattern=r"\blaid out anew\b", instead="'gets a new layout'", example="a tensor is laid out anew"),
    Phrase(
        pattern=r"\bin the likeness of\b", instead="'like'", example="a buffer in the likeness of a tensor"
    ),
    Phrase(
        pattern=r"\bwhat lies there\b", instead="the tensors, or data, in it", example="what lies there then"
    ),
    Phrase(pattern=r"\bcomes? about\b", instead="'happens'", example="how a deadlock comes about"),
    Phrase(
        pattern=r'"{3}What ',
        instead="a verb or a noun at the start of a docstring: 'Return the events ...', 'The events of a node'",
        example='"""What a node does',
    ),
    Phrase(
        pattern=r"\bon the way to TT(?:NN|Metal)\b",
        instead="'in the TTNN pipeline', 'in the conversion to TTNN'",
        example="operations on the way to TTNN",
    ),
)


def prose(text: str) -> str:
    """``text`` with spaces in the place of code, so that lines and columns stay."""
    without_blocks = _FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return _CODE.sub(lambda found: "_" * len(found[0]), without_blocks)


@cache
def texts() -> tuple[tuple[Path, str], ...]:
    """The prose of every page."""
    return tuple((path, prose(path.read_text(encoding="utf-8"))) for path in (*CODES, *PAGES))


@cache
def sources() -> tuple[tuple[Path, str], ...]:
    """The source. Its code has no two words of a phrase side by side, so all of it is searched."""
    return tuple((path, _CODE.sub("_", path.read_text(encoding="utf-8"))) for path in SOURCES)


def uses(pattern: re.Pattern[str], searched: Iterable[tuple[Path, str]]) -> Iterator[str]:
    """Where texts have a phrase, as ``file:line: words``."""
    for path, text in searched:
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}: {' '.join(found[0].split())!r}"


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.example)
def test_the_pages_do_without_phrases_that_riddle(phrase: Phrase) -> None:
    assert CODES and PAGES
    assert not (places := list(uses(phrase.found_by, texts()))), f"write {phrase.instead}:\n" + "\n".join(
        places
    )


@pytest.mark.parametrize(
    "phrase", [phrase for phrase in PHRASES if phrase.source], ids=lambda phrase: phrase.example
)
def test_the_source_does_without_phrases_that_riddle(phrase: Phrase) -> None:
    assert SOURCES
    places = list(uses(phrase.found_in_source_by, sources()))
    assert not places, f"write {phrase.instead}:\n" + "\n".join(places)


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.example)
def test_a_phrase_is_found_in_prose_and_not_in_code(phrase: Phrase) -> None:
    assert phrase.found_by.search(prose(phrase.example.replace(" ", "\n")))
    assert not phrase.found_by.search(prose(f"```text\n{phrase.example}\n```\n\nand `{phrase.example}`"))
