"""The form of a page that explains a code: title, prose, programs and what they print."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```\s*?$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"\A# (?P<code>TTL\d{4}): (?P<title>[^\n]+)\n")

CaseKind = Literal["python", "console"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PageCase:
    """What fails, and exactly what is printed then to standard error."""

    kind: CaseKind
    source: str
    """A program, or one command line that starts with ``$ ``."""
    expected: str
    """Without a line end after its last line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """The explanation of one code."""

    code: str
    title: str
    text: str
    """The whole page, Markdown."""
    cases: tuple[PageCase, ...]
    correct: tuple[str, ...]
    """The programs that do it right."""
    correct_commands: tuple[str, ...] = ()
    """The command lines that do it right."""
    checked: str | None = None
    """A program that is only checked."""

    @property
    def example(self) -> str | None:
        """The ``example.py`` of the command lines: what is checked, or the first program that is right."""
        return self.checked or (self.correct[0] if self.correct else None)


def parse(text: str) -> Page:
    """The page that ``text`` is. Raises ``ValueError`` when its parts are not as they must be."""
    heading = _TITLE.match(text)
    if heading is None:
        raise ValueError("a page begins with '# TTLnnnn: title'")
    code = heading["code"]
    cases: list[PageCase] = []
    correct: list[str] = []
    commands: list[str] = []
    checked: str | None = None
    pending: tuple[CaseKind, str] | None = None
    for fence in _FENCE.finditer(text):
        body = fence["body"].rstrip("\n")
        match fence["info"].split():
            case ["python" | "console" as kind, "error"]:
                if pending is not None:
                    raise ValueError(f"{code}: a failing block without its 'text expected'")
                pending = ("python" if kind == "python" else "console", body)
            case ["text", "expected"]:
                if pending is None:
                    raise ValueError(f"{code}: a 'text expected' without a failing block before it")
                cases.append(PageCase(kind=pending[0], source=pending[1], expected=body))
                pending = None
            case ["python", "ok"]:
                correct.append(body)
            case ["python", "checked"]:
                checked = body
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
