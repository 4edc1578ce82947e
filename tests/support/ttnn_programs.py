"""Whole programs of TTIR, and what they are in TTNN: those of ``tests/ttmlir/transforms/programs.mlir``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_TEXT = (Path(__file__).parents[1] / "ttmlir" / "transforms" / "programs.mlir").read_text("utf-8")


@dataclass(frozen=True)
class Program:
    """A model in TTIR, and what it is in TTNN: the final operations in short, by the names of the arguments."""

    name: str
    final: str
    text: str

    @property
    def function(self) -> str:
        """The function that is called."""
        return "main" if "@main(" in self.text else "f"

    @property
    def arguments(self) -> str:
        """The names of the arguments of that function."""
        (given,) = re.findall(rf"@{self.function}\((.*?)\) ->", self.text)[:1]
        return " ".join(re.findall(r"%(\w+):", given))


PROGRAMS = [Program(*each) for each in re.findall(r"^// (\w+): (.*)\n((?:[^/\n].*\n)+)", _TEXT, re.M)]
