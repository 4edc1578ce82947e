"""A piece of advice: what a rule says about a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ttl.emu.program import KernelLine

Basis = Literal["emulated", "estimated"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Advice:
    """What could be better about a program, by a rule of ``docs/reference/advice.md``, which has its name."""

    name: str
    sentence: str
    """What is the case, with the numbers that it rests on."""
    change: str
    """What to change."""
    lines: tuple[KernelLine, ...]
    """Of the user's program, the one to change first; empty if no operation of the user's program can be named."""
    cycles: int
    """The cycles that are saved in one launch."""
    basis: Basis
    """Whether the changed program ran on the emulated chip, or its cycles were estimated from those of this one."""
    how: str
    """How ``cycles`` was found."""
    l1_bytes: int = 0
    """The bytes of L1 of every node that are saved."""
    results: str = ""
    """What it does to the program's results, where it does something."""
    wrong: bool = False
    """Whether results are then off by more than the simulator and the chip may differ."""

    def to_object(self) -> dict[str, Any]:
        """What ``json.dumps`` takes."""
        return asdict(self) | {"lines": [asdict(line) for line in self.lines]}


def from_object(data: Mapping[str, Any]) -> Advice:
    """The advice that ``to_object`` gave this object for. Raises ``KeyError`` and ``TypeError``."""
    return Advice(**{**data, "lines": tuple(KernelLine(**line) for line in data["lines"])})
