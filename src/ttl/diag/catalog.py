"""The pages of all codes, as installed with the package."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from ttl.diag.changes import applied
from ttl.diag.programs import FENCE, whole

_TITLE = re.compile(r"\A# (?P<code>TTL\d{4}): (?P<title>[^\n]+)\n")

CaseKind = Literal["python", "console"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PageCase:
    """A program or command that fails, and the exact text that it prints to standard error."""

    kind: CaseKind
    source: str
    """A program, or one command line that starts with ``$ ``."""
    expected: str
    """The text, without a line end after its last line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """The explanation of one code."""

    code: str
    title: str
    text: str
    """The page in Markdown as the reader sees it, with all programs written out (``programs.py``)."""
    cases: tuple[PageCase, ...]
    correct: tuple[str, ...]
    """The correct programs, each whole: changes of a program (``changes.py``) are applied."""
    correct_commands: tuple[str, ...] = ()
    """The correct command lines."""
    checked: str | None = None
    """A program that is checked but not run."""

    @property
    def example(self) -> str | None:
        """The ``example.py`` of the command lines: the checked program, else the first correct one, else None."""
        return self.checked or (self.correct[0] if self.correct else None)


def parse(text: str) -> Page:
    """The page in a file's ``text``. Raises ``ValueError`` when a part of the page is missing or wrong."""
    heading = _TITLE.match(text)
    if heading is None:
        raise ValueError("a page begins with '# TTLnnnn: title'")
    code = heading["code"]
    try:
        text = whole(text)
    except ValueError as problem:
        raise ValueError(f"{code}: {problem}") from None
    cases: list[PageCase] = []
    correct: list[str] = []
    commands: list[str] = []
    checked: str | None = None
    program: str | None = None
    pending: tuple[CaseKind, str] | None = None
    for fence in FENCE.finditer(text):
        body = fence["body"].rstrip("\n")
        match fence["info"].split():
            case ["python" | "console" as kind, "error"]:
                if pending is not None:
                    raise ValueError(f"{code}: a failing block without its 'text expected'")
                pending = ("python" if kind == "python" else "console", body)
                program = body if kind == "python" else program
            case ["text", "expected"]:
                if pending is None:
                    raise ValueError(f"{code}: a 'text expected' without a failing block before it")
                cases.append(PageCase(kind=pending[0], source=pending[1], expected=body))
                pending = None
            case ["python", "ok"]:
                correct.append(body)
                program = program or body
            case ["diff", "ok"]:
                if program is None:
                    raise ValueError(f"{code}: a change of a program without one before it")
                try:
                    correct.append(applied(program, body))
                except ValueError as problem:
                    raise ValueError(f"{code}: {problem}") from None
            case ["python", "checked"]:
                checked = program = body
            case ["console", "ok"]:
                commands.append(body)
    if pending is not None:
        raise ValueError(f"{code}: a failing block without its 'text expected'")
    return Page(
        code=code,
        title=heading["title"].strip(),
        text=text,
        cases=tuple(cases),
        correct=tuple(correct),
        correct_commands=tuple(commands),
        checked=checked,
    )


_CODE = re.compile(r"\A(?:ttl)?[-_ ]?(\d{1,4})\Z", re.IGNORECASE)


# Headings of the guide to errors and of the list of codes. The package itself uses ``families``.
HEADINGS: tuple[tuple[str, str], ...] = (
    ("TTL01", "the command line, settings, the program's file"),
    ("TTL02", "operations, kernels, the grid"),
    ("TTL03", "dataflow buffers and blocks"),
    ("TTL04", "expressions: operands, shapes, element types, parameters"),
    ("TTL05", "copies and tensor slices"),
    ("TTL06", "pipes"),
    ("TTL07", "semaphores"),
    ("TTL08", "limits of a chip: L1, buffers, semaphores, links"),
    ("TTL09", "deadlocks, and blocks that are left over when an operation ends"),
    ("TTL10", "the host library (`ttnn`)"),
    ("TTL11", "numerics and schedules"),
    ("TTL12", "older spellings"),
    ("TTL13", "Python that cannot be compiled"),
    ("TTL14", "programs that are right and cannot be compiled: what the hardware or the compiler lacks"),
    (
        "TTL15",
        "kernels on the emulated chip: rules of the hardware that they break, waits without an end, and results that "
        "are not the simulator's",
    ),
    (
        "TTL16",
        "operations written as one body: statements whose thread cannot be inferred",
    ),
    ("TTL17", "`ttrt`: binaries of models, what they are run on, and what they give"),
    (
        "TTL18",
        "tile programs: indices, extents and steps, values that loops carry, and orders that cannot be kept",
    ),
    ("TTL90", "a defect of this package. Please report it"),
)


def by_heading() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return for each heading its subject and the sorted codes below it. Every code is below one of the headings."""
    return tuple(
        (about, tuple(code for code in codes() if code.startswith(digits))) for digits, about in HEADINGS
    )


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
    """The page of ``code``. Raises ``KeyError`` if the code has no page."""
    if code not in codes():
        raise KeyError(code)
    text = (resources.files("ttl.diag") / "codes" / f"{code}.md").read_text(encoding="utf-8")
    return parse(f"{text.rstrip()}\n\n## Source\n\n{sources()[code]}\n")


@cache
def sources() -> Mapping[str, str]:
    """Return for every code a sentence that names the source of its rule: a text, or a part of the chip."""
    listed = tomllib.loads(
        (resources.files("ttl.diag") / "codes" / "sources.toml").read_text(encoding="utf-8")
    )
    quoted: dict[str, str] = {}
    for table in listed.values():
        sentence = table.pop("text")
        for part, ranges in table.items():
            for first, _, last in (item.partition("-") for item in ranges.split()):
                numbers = (f"TTL{number:04}" for number in range(int(first), int(last or first) + 1))
                quoted |= dict.fromkeys((code for code in numbers if code in codes()), sentence.format(part))
    return quoted


def explain(code: str) -> str:
    """The page of ``code`` as Markdown, without a line end after its last line. Raises ``KeyError``."""
    return page(code).text.rstrip("\n")


def normalized(text: str) -> str | None:
    """``301``, ``0301`` or ``ttl0301`` as ``TTL0301``; None for a text that cannot be a code."""
    match_ = _CODE.match(text.strip())
    return None if match_ is None else f"TTL{int(match_[1]):04}"


def nearest(text: str) -> tuple[str, ...]:
    """Up to three codes that are similar to ``text``, nearest first."""
    wanted = normalized(text)
    if wanted is None:
        words = {page(code).title: code for code in codes()}
        titles = difflib.get_close_matches(text.lower(), words, n=3, cutoff=0.4)
        return tuple(words[title] for title in titles)
    number = int(wanted[3:])
    ordered = sorted(codes(), key=lambda code: (abs(int(code[3:]) - number), code))
    return tuple(ordered[:3])
