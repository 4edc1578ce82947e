"""Tables in the text of a tool: lines of cells between bars, however they are drawn."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

_BARS = re.compile(r"[│┃|║]")
_RULES = frozenset("─━═-+=┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋┡┩╇╈╭╮╰╯┠┨┯┷┿╞╡╪╔╗╚╝╠╣╦╩╬╓╖╙╜╟╢╥╨╫ ")
_FIRST_COLUMNS = ("Dev,", "Device,")
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
# Limits that no table of a tool exceeds.
_MOST_COLUMNS, _MOST_IN_LINE = 64, 8192


@dataclass(kw_only=True, slots=True)
class TextTable:
    """A table: ``columns`` as ``key`` makes them, and rows whose cells may have several lines."""

    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)

    def records(self) -> Iterator[dict[str, str]]:
        """The rows, by column."""
        for row in self.rows:
            yield dict(zip(self.columns, row, strict=False))


def key(column: str) -> str:
    """Return a column's name without its case and its blanks, which vary between releases."""
    return "".join(column.split()).casefold()


def plain(text: str) -> list[str]:
    """Return the lines of a text without colours, each cut at a length beyond that of any tool's lines."""
    return [line[:_MOST_IN_LINE] for line in _ESCAPES.sub("", text).splitlines()]


def tables(lines: Sequence[str]) -> Iterator[TextTable]:
    """The tables of a text. A row that is cut off has the cells that are left."""
    yield from _of_commas(lines)
    block: list[str] = []
    for line in (*lines, ""):
        stripped = line.strip()
        if stripped and (_BARS.match(stripped) or _is_rule(stripped)):
            block.append(stripped)
            continue
        if block:
            yield from _table(block)
        block = []


def _is_rule(line: str) -> bool:
    """Whether a line consists of drawn rules only, such as ``|-----+-----|``."""
    inside = line.strip("|")
    return len(inside) > 2 and _RULES.issuperset(inside) and not inside.isspace()


def _of_commas(lines: Sequence[str]) -> Iterator[TextTable]:
    """Tables with commas between their cells, as reports for other programs have them: each up to an empty line."""
    table: TextTable | None = None
    for line in lines:
        if line.startswith(_FIRST_COLUMNS):
            table = TextTable(columns=[key(column) for column in next(csv.reader([line]))])
        elif not line.strip() and table is not None:
            yield table
            table = None
        elif table is not None:
            with suppress(csv.Error):  # a cell of more than its limit does not come from a tool
                table.rows.append([cell.replace("\\n", "\n").strip() for cell in next(csv.reader([line]))])
    if table is not None:
        yield table


def _table(block: Sequence[str]) -> Iterator[TextTable]:
    """Return the table of a block of lines: the lines above the second rule are its header."""
    header: list[list[str]] = []
    table: TextTable | None = None
    open_row = False
    for line in block:
        if _is_rule(line):
            if header and table is None:
                names = [key("".join(parts)) for parts in zip(*_even(header), strict=True)]
                table = TextTable(columns=names)
            open_row = False
            continue
        cells = [cell.strip() for cell in _BARS.split(line)[1:]][:_MOST_COLUMNS]
        if cells and not cells[-1]:
            cells.pop()  # behind the last bar
        if table is None:
            header.append(cells)
        elif open_row and not (cells and cells[0]):
            _continue(table.rows[-1], cells)
        else:
            table.rows.append(cells)
            open_row = True
    if table is not None:
        yield table


def _even(rows: list[list[str]]) -> list[list[str]]:
    width = max(map(len, rows))
    return [row + [""] * (width - len(row)) for row in rows]


def whole(columns: list[str], known: Sequence[str]) -> list[str]:
    """Return the columns of a table that was too narrow for their names: the only known name with that beginning."""
    result = []
    for column in columns:
        begin = column.removesuffix("…")
        candidates = [name for name in known if name.startswith(begin)] if begin != column else []
        result.append(candidates[0] if len(candidates) == 1 else column)
    return result


def _continue(row: list[str], cells: Sequence[str]) -> None:
    """Append further lines to the cells of a row."""
    row += [""] * (len(cells) - len(row))
    for number, cell in enumerate(cells):
        if cell:
            row[number] = f"{row[number]}\n{cell}" if row[number] else cell
