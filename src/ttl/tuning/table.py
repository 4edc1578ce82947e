"""The file of tuned configurations: TOML that people read and keep in version control.

    [[matmul]]
    chip = "wormhole"
    grid = [8, 8]
    key = ["a: 512x512 bfloat16", "b: 512x512 bfloat16"]
    config = { block = [2, 2], buffering = 2 }
    cycles = 21180
    compile_option = "protocol.a_net=eager registers=16"
    schedule = 'prefetch("a_dfb", 4)'

One table for each operation, by its name, with one entry for each chip, grid and key. ``file`` names the operation's file
if several files have an operation of the name. ``compile_option`` has the choices for the compiler, ``schedule`` the
schedule of the compilation. ``cycles`` and anything else is for people.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ttl.diag import Diagnostic, ProgramError
from ttl.rules import tuning as rules
from ttl.session import SOURCES, FileText, cached
from ttl.session.compile_options import for_operation, read_options
from ttl.session.switches import Settings
from ttl.source.files import display_name
from ttl.source.schedule_steps import read_chain
from ttl.source.spans import Span

NAME = "ttl.tuned.toml"
_ENTRY = ("chip", "grid", "key", "config")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class TunedEntry:
    """One tuned configuration."""

    operation: str
    number: int
    """The number among the operation's entries, from 1."""
    chip: str
    grid: tuple[int, ...]
    key: tuple[str, ...]
    config: Mapping[str, Any]
    """Values as in the file: sequences are lists."""
    compile_option: Mapping[str, str]
    """The choices for the compiler, by key (``ttl.session.compile_options``)."""
    schedule: str
    """A chain of schedule steps; empty for the compiler's own schedule."""
    file: str | None
    span: Span


class TunedTable:
    """The entries of one file."""

    def __init__(self, path: str, entries: Sequence[TunedEntry]) -> None:
        self.path = path
        self.entries = tuple(entries)

    def find(
        self, operation: str, file: str, chip: str, grid: Sequence[int], key: Sequence[str]
    ) -> TunedEntry | None:
        """Return the entry for a call; ``file`` is the file of the operation."""
        for entry in self.entries:
            if (entry.operation, entry.chip, entry.grid, entry.key) == (
                operation,
                chip,
                tuple(grid),
                tuple(key),
            ) and (entry.file is None or os.path.basename(file) == entry.file):
                return entry
        return None


def path_for(file: str, chosen: Settings) -> str:
    """Return the absolute path of the file of tuned configurations for operations of ``file``; it need not exist."""
    if chosen.tuned is not None:
        return os.path.abspath(chosen.tuned)
    folder = os.getcwd() if file.startswith("<") else os.path.dirname(os.path.abspath(file))
    return os.path.join(folder, NAME)


def table_for(file: str, chosen: Settings) -> TunedTable:
    """Return the tuned configurations for operations of ``file``: from the settings' file, else the one beside it.

    The table is empty if the settings name no file, and there is no file beside it.
    Raises ``ProgramError`` TTL0244 for a file that is wrong, or that is named but does not exist.
    """
    path = path_for(file, chosen)
    sources = SOURCES.get()
    if sources.is_file(path):
        return _parsed(path, sources.of(path))
    if chosen.tuned is not None:
        raise ProgramError(rules.wrong_file(chosen.tuned, f"{chosen.origin('tuned')} names no file"))
    return TunedTable(path, ())


@cached(maxsize=16)
def _parsed(path: str, text: FileText) -> TunedTable:
    import tomllib  # few programs have such a file

    try:
        data = tomllib.loads(text.text)
    except tomllib.TOMLDecodeError as mistake:
        place = _PLACE.search(str(mistake))
        line = int(place[1]) if place and place[1] else len(text.lines) or 1
        column = int(place[2]) if place and place[2] else 1
        why = _PLACE.sub("", str(mistake))
        raise ProgramError(
            rules.wrong_file(display_name(path), why[:1].lower() + why[1:]).at(
                Span(file=path, line=line, column=column)
            )
        ) from None
    entries = []
    for operation, tables in data.items():
        if not isinstance(tables, list) or not all(isinstance(item, dict) for item in tables):
            raise ProgramError(
                rules.wrong_file(
                    display_name(path),
                    f"{operation} is not a list of tables; write [[{operation}]] before each of its entries",
                ).at(_line_of(path, text, operation, 1))
            )
        for number, item in enumerate(tables, 1):
            span = _line_of(path, text, operation, number)
            entry = _entry(path, operation, number, item, span)
            if isinstance(entry, Diagnostic):
                raise ProgramError(entry.at(span))
            entries.append(entry)
    return TunedTable(path, entries)


def _entry(
    path: str, operation: str, number: int, item: Mapping[str, Any], span: Span
) -> TunedEntry | Diagnostic:
    def wrong(why: str) -> Diagnostic:
        return rules.wrong_file(display_name(path), f"entry {number} of operation {operation} {why}")

    for name in _ENTRY:
        if name not in item:
            return wrong(f"has no {name}")
    grid, key, config, chip, file = item["grid"], item["key"], item["config"], item["chip"], item.get("file")
    if (
        not isinstance(grid, list)
        or not grid
        or not all(type(extent) is int and extent > 0 for extent in grid)
    ):
        return wrong("needs a grid such as [8, 8]")
    if not isinstance(key, list) or not all(isinstance(part, str) for part in key):
        return wrong('needs a key such as ["a: 512x512 bfloat16"]')
    if not isinstance(config, dict):
        return wrong("needs a config such as { block = [2, 2] }")
    text = item.get("compile_option", "")
    try:
        options = read_options(text) if isinstance(text, str) else ()
    except ValueError as problem:
        return wrong(f"has a wrong compile_option: {problem}")
    if not isinstance(text, str) or any(option.operation not in (None, operation) for option in options):
        return wrong('needs compile options of its own such as compile_option = "registers=16 sync=full"')
    schedule = item.get("schedule", "")
    try:
        read_chain(schedule if isinstance(schedule, str) else "?")
    except ValueError as problem:
        return wrong(f"has a wrong schedule: {problem}")
    if not isinstance(chip, str) or not (file is None or isinstance(file, str)):
        return wrong("needs names of chip and file as strings")
    return TunedEntry(
        operation=operation, number=number, chip=chip, grid=tuple(grid), key=tuple(key), config=config, compile_option=for_operation(options, operation), schedule=schedule, file=file, span=span
    )  # fmt: skip


def _line_of(path: str, text: FileText, operation: str, number: int) -> Span:
    """Return where the ``number``-th entry of an operation begins."""
    head = re.compile(
        rf"\s*\[\[?\s*[\"']?{re.escape(operation)}[\"']?\s*[\].]|\s*[\"']?{re.escape(operation)}[\"']?\s*="
    )
    lines = [index for index, line in enumerate(text.lines, 1) if head.match(line)]
    at = lines[number - 1] if number <= len(lines) else 1
    return Span(
        file=path, line=at, column=1, end_line=at, end_column=len(text.lines[at - 1]) + 1 if text.lines else 1
    )
