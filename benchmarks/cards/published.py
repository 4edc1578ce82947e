"""Published measurements of cards: the tables of ``published/*.tsv`` as rows, one for each value.

A block of such a file begins with lines ``#``, which hold for all of it: ``set``, ``unit``, parameters, and ``source`` (file and
commit). Then comes a header. A column named ``p=v`` (or ``p=v,q=w``) holds the values where parameter p is v; every other column
is a parameter. ``-`` is no value.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHIPS = {"BH": "blackhole", "WH": "wormhole"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One measurement. ``at``: its parameters, but for the chip."""

    set: str
    chip: str
    at: Mapping[str, str]
    value: float
    unit: str
    source: str

    @property
    def name(self) -> str:
        """What the page calls it."""
        return f"{self.set} {self.chip} " + " ".join(
            f"{key}={value}" for key, value in self.at.items() if key
        )

    @property
    def family(self) -> str:
        """The experiment it is of: a set on a chip. Of MB5.A the loop that hands its tiles to itself is one, the others are another."""
        if self.set == "MB5.A":
            return f"MB5.A {'self' if self.at['variant'] == 'self' else 'other'} {self.chip}"
        return f"{self.set.partition('.')[0] if self.set[:3] == 'MB2' else self.set} {self.chip}"

    def get(self, key: str, default: str) -> str:
        """A parameter."""
        return self.at.get(key, default)


@cache
def rows() -> tuple[Row, ...]:
    """All of them, in the order of the files."""
    return tuple(
        row
        for path in sorted((HERE / "published").glob("*.tsv"))
        for block in path.read_text(encoding="utf-8").split("\n\n")
        for row in _block(block.strip())
    )


def _block(text: str) -> Iterator[Row]:
    notes = [line[1:].strip() for line in text.splitlines() if line.startswith("#")]
    source = next(note for note in notes if note.startswith("source=")).removeprefix("source=")
    fixed = dict(_pair(word) for note in notes if not note.startswith("source=") for word in note.split())
    header, *lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    name, unit = fixed.pop("set"), fixed.pop("unit")
    for line in lines:
        cells = dict(zip(header, line, strict=True))
        given = fixed | {key: value for key, value in cells.items() if "=" not in key}
        for key, value in cells.items():
            if "=" not in key or value == "-":
                continue
            at = given | dict(_pair(word) for word in key.split(",") if word != "value=")
            chip = at.pop("chip")
            yield Row(set=name, chip=chip, at=at, value=float(value), unit=unit, source=source)


def _pair(word: str) -> tuple[str, str]:
    key, _, value = word.partition("=")
    return key, value


@cache
def split() -> Mapping[str, Mapping[str, list[str]]]:
    """Which families are fitted and which are held out, by ``first`` and ``swapped`` (``split.toml``)."""
    return tomllib.loads((HERE / "split.toml").read_text(encoding="utf-8"))
