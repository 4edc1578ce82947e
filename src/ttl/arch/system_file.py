"""A system of the user's own: a TOML file.

.. code-block:: toml

    chip = "wormhole"
    shape = [2, 4]                  # rows and columns of chips
    channels = 2                    # ports of each link; 1 without it
    axes = ["line", "ring"]         # how rows follow each other, and columns; lines without it
    grid = [8, 8]                   # nodes of each chip, columns and rows; the chip's usual ones without it
    title = "Two boxes"             # the file's name without it

    [link]                          # the properties of a port; the chip's without it
    bytes_per_second = 12_500_000_000
    hop_nanoseconds = 800
    packet_bytes = 4352
    slots = 8
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, NoReturn

from ttl.arch import chip_named, names
from ttl.arch.systems import MOST_CHIPS, System

__all__ = ["WrongSystemError", "read"]

_PLACE = re.compile(r" *\(at (?:line (\d+), column (\d+)|end of document)\)")
_MOST_NUMBER = 1 << 53

Of = Literal["system", "costs"]


class WrongSystemError(Exception):
    """A mistake in the system that was chosen, or in the costs of a card (``of``): a message and the way out.

    ``line`` and ``column`` count from 1, and ``length`` is that of the wrong text; line 0 stands for no place. An
    empty ``path`` says that the system was asked for with another chip than its own.
    """

    def __init__(
        self,
        path: str,
        message: str,
        help: str,
        line: int = 1,
        column: int = 1,
        length: int = 0,
        of: Of = "system",
    ) -> None:
        super().__init__(path, message, help, line, column, length, of)
        self.of = of
        self.path, self.message, self.help = path, message, help
        self.line, self.column, self.length = line, column, length


@dataclass(frozen=True, slots=True)
class Kind:
    """The values that a field can have: a test that they pass, and a description with an example."""

    fits: Callable[[Any], bool]
    words: str


def _whole(least: int, most: int = _MOST_NUMBER) -> Kind:
    up_to = "on" if most == _MOST_NUMBER else f"to {most:,}"
    return Kind(
        lambda value: type(value) is int and least <= value <= most, f"a whole number from {least} {up_to}"
    )


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and all(type(item) is int and item > 0 for item in value)
    )


_TEXT = Kind(lambda value: isinstance(value, str) and value.strip() != "", 'a text such as "two boxes"')
_FIELDS: Mapping[str, Kind] = MappingProxyType(
    {
        "chip": Kind(lambda value: value in names(), f"one of {', '.join(map(repr, names()))}"),
        "shape": Kind(_is_pair, "rows and columns of chips such as [2, 4]"),
        "channels": _whole(1, 16),
        "axes": Kind(
            lambda value: isinstance(value, list) and len(value) == 2 and set(map(str, value)) <= {"line", "ring"},
            'two words such as ["line", "ring"]: how rows follow each other, and columns',
        ),
        "grid": Kind(_is_pair, "columns and rows of nodes such as [8, 8]"),
        "title": _TEXT,
        "link": Kind(lambda value: isinstance(value, dict), "a table [link]"),
    }
)  # fmt: skip
_LINK: Mapping[str, Kind] = MappingProxyType(
    {
        "bytes_per_second": _whole(1),
        "hop_nanoseconds": _whole(0, 10**9),
        "packet_bytes": _whole(16, 1 << 20),
        "slots": _whole(1, 1024),
    }
)
_NEEDED = ("chip", "shape")


def parsed(text: str, path: str, of: Of) -> dict[str, Any]:
    """The tables of a text in TOML, which is the file ``path``. Raises ``WrongSystemError`` if the text is not TOML."""
    import tomllib  # few runs have such a file

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as mistake:
        place = _PLACE.search(str(mistake))
        last = text.count("\n") + 1
        line, column = (int(place[1]), int(place[2])) if place and place[1] else (last, 1)
        why = _PLACE.sub("", str(mistake))
        raise WrongSystemError(
            path,
            f"it is not TOML: {why[:1].lower()}{why[1:]}",
            "see 'https://toml.io' for the form",
            line,
            column,
            of=of,
        ) from None


@lru_cache(maxsize=16)
def read(text: str, path: str) -> System:
    """The system that a file describes; ``path`` is where it is. Raises ``WrongSystemError``."""
    name = os.path.splitext(os.path.basename(path))[0]
    table = parsed(text, path, "system")
    reader = TomlFileReader(path, text, table)
    reader.check("", table, _FIELDS)
    for field in _NEEDED:
        if field not in table:
            raise WrongSystemError(path, f"it has no {field}", f"add {field} = ...: {_FIELDS[field].words}")
    reader.check("link.", table.get("link", {}), _LINK)
    return reader.system(name)


class TomlFileReader:
    """One file: its text, for places, and its values."""

    def __init__(self, path: str, text: str, table: Mapping[str, Any], of: Of = "system") -> None:
        """``of`` is the purpose of the file."""
        self.path, self.of = path, of
        self.lines = text.splitlines()
        self.table = table

    def wrong(self, field: str, message: str, help: str) -> NoReturn:
        """Raise the error at the place of a field, the first line that begins with its name, in its table if need be."""
        *tables, key = field.split(".")
        inside = not tables
        for number, line in enumerate(self.lines, 1):
            if line.lstrip().startswith("["):
                inside = bool(tables) and re.match(rf"\s*\[\s*{tables[0]}\s*\]", line) is not None
                if not inside and not re.match(rf"\s*\[\s*{re.escape(key)}\s*\]", line):
                    continue
            written = re.match(rf"\s*\[?\s*(\"?{re.escape(key)}\"?)\s*[=.\]]", line)
            if written and (inside or not tables):
                raise WrongSystemError(
                    self.path, message, help, number, written.start(1) + 1, len(written[1]), of=self.of
                )
        raise WrongSystemError(self.path, message, help, of=self.of)

    def check(self, prefix: str, values: Mapping[str, Any], fields: Mapping[str, Kind]) -> None:
        """Refuse unknown fields, and values that a field cannot have."""
        for field, value in values.items():
            if field not in fields:
                import difflib

                near = difflib.get_close_matches(field, fields, n=1)
                help = (
                    f"did you mean {prefix}{near[0]}?"
                    if near
                    else f"there are {', '.join(f'{prefix}{known}' for known in fields)}"
                )
                self.wrong(prefix + field, f"it has no field '{prefix}{field}'", help)
            try:
                fits = fields[field].fits(value)
            except TypeError:  # a list where a word is meant
                fits = False
            if not fits:
                self.wrong(
                    prefix + field,
                    f"{prefix}{field} is {_short(value)}, which is not a value it can have",
                    f"it takes {fields[field].words}",
                )  # fmt: skip

    def system(self, name: str) -> System:
        """Return the system, after checking that its fields agree."""
        table = self.table
        chip = chip_named(table["chip"])
        rows, columns = table["shape"]
        if rows * columns > MOST_CHIPS:
            self.wrong(
                "shape",
                f"shape [{rows}, {columns}] has {rows * columns:,} chips",
                f"a system has {MOST_CHIPS:,} at most",
            )
        rings = tuple(word == "ring" for word in table.get("axes", ("line", "line")))
        for axis, extent, ring in zip(("rows", "columns"), (rows, columns), rings, strict=True):
            if ring and extent < 3:
                self.wrong(
                    "axes",
                    f"a ring of {axis} has 3 chips or more; this one has {extent}",
                    'write "line"; more ports between two chips are channels',
                )
        grid = tuple(table.get("grid", chip.grid))
        if any(extent > most for extent, most in zip(grid, chip.max_grid, strict=True)):
            asked, most = ("x".join(map(str, pair)) for pair in (grid, chip.max_grid))
            self.wrong(
                "grid", f"a grid of {asked} nodes is more than {chip.name} has", f"ask for {most} or less"
            )
        link = replace(chip.ethernet, **table.get("link", {}))
        return System(
            name=name,
            title=table.get("title", name),
            chip=replace(chip, grid=grid, ethernet=link),
            shape=(rows, columns),
            channels=table.get("channels", 1),
            rings=(rings[0], rings[1]),
            sources=MappingProxyType(dict.fromkeys(("chip", "shape", "channels", "rings"), self.path)),
        )  # fmt: skip


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
