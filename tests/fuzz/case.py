"""A case of the fuzzer: a program and the settings it runs under. Both are text, so a case can be kept as a file.

A kept case begins with lines that say what it was (``# was:``), what becomes of it now (``# is:``, an outcome of
the judge) and its settings, if any (``# settings:``).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_HEADER = re.compile(r"\A# (was|is|settings): (.*)\n")


@dataclass(frozen=True, slots=True)
class Case:
    """``settings`` are those of ``ttl.settings.override``; ``was`` and ``outcome`` are of kept cases."""

    name: str
    source: str
    settings: dict[str, Any] = field(default_factory=dict)
    was: str = ""
    outcome: str = ""

    def text(self) -> str:
        """As a file."""
        facts = (
            ("was", self.was),
            ("is", self.outcome),
            ("settings", repr(self.settings) if self.settings else ""),
        )
        return "".join(f"# {key}: {value}\n" for key, value in facts if value) + self.source


def seeds() -> list[Case]:
    """The correct programs that mutation starts from."""
    return [read(path) for path in sorted((HERE / "seeds").glob("*.py"))]


def regressions() -> list[Case]:
    """Programs that were findings once."""
    return [read(path) for path in sorted((HERE / "cases").glob("*.py"))]


def read(path: Path) -> Case:
    """A case from a file."""
    text = path.read_text(encoding="utf-8")
    facts: dict[str, str] = {}
    while (header := _HEADER.match(text)) is not None:
        facts[header[1]] = header[2]
        text = text[header.end() :]
    settings = ast.literal_eval(facts["settings"]) if "settings" in facts else {}
    return Case(path.stem, text, settings, facts.get("was", ""), facts.get("is", ""))
