"""A case of the fuzzer: a program and the settings it runs under. Both are text, so a case can be kept as a file."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_HEADER = re.compile(r"\A# settings: (\{.*\})\n")


@dataclass(frozen=True, slots=True)
class Case:
    """``settings`` are those of ``ttl.settings.override``."""

    name: str
    source: str
    settings: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """As a file."""
        return f"# settings: {self.settings!r}\n{self.source}" if self.settings else self.source


def seeds() -> list[Case]:
    """The correct programs that mutation starts from."""
    return [Case(path.stem, path.read_text(encoding="utf-8")) for path in sorted((HERE / "seeds").glob("*.py"))]


def regressions() -> list[Case]:
    """Programs that were findings once."""
    return [read(path) for path in sorted((HERE / "cases").glob("*.py"))]


def read(path: Path) -> Case:
    """A case from a file."""
    text = path.read_text(encoding="utf-8")
    header = _HEADER.match(text)
    settings = ast.literal_eval(header[1]) if header is not None else {}
    return Case(path.stem, text if header is None else text[header.end() :], settings)
