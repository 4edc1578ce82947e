"""A piece of advice: the finding of a rule about a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ttl.emu.program import KernelLine

Basis = Literal["emulated", "estimated"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Advice:
    """A possible improvement of a program, named after its rule in ``docs/reference/advice.md``."""

    name: str
    sentence: str
    """The observation, with the numbers that it rests on."""
    change: str
    """The change that is advised."""
    lines: tuple[KernelLine, ...]
    """The lines of the user's program, the one to change first; empty if no operation of the user's program can be named."""
    cycles: int
    """The cycles that are saved in one launch."""
    basis: Basis
    """Whether the changed program ran on the emulated chip, or its cycles were estimated from those of this one."""
    how: str
    """How ``cycles`` was found."""
    l1_bytes: int = 0
    """The bytes of L1 of every node that are saved."""
    results: str = ""
    """The effect of the change on the program's results; empty where there is no effect."""
    wrong: bool = False
    """Whether results are then off by more than the simulator and the chip may differ."""

    def to_object(self) -> dict[str, Any]:
        """Return the advice as an object that ``json.dumps`` accepts."""
        return asdict(self) | {"lines": [asdict(line) for line in self.lines]}


def from_object(data: Mapping[str, Any]) -> Advice:
    """Return the advice of an object that ``to_object`` returned. Raises ``KeyError`` and ``TypeError``."""
    return Advice(**{**data, "lines": tuple(KernelLine(**line) for line in data["lines"])})
