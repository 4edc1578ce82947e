"""Heat maps of tuning results: two parameters against cycles, and configurations against shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ttl.tuner.coordinator import TunedCall
from ttl.tuner.shapes import ShapesTogether
from ttl.tuner.text import influence, shown, written

# The most rows of a map of shapes.
_MOST_ROWS = 12
# The shades, the fastest first, each with its largest ratio to the cycles of the best.
_SHADES = ((1.05, "█", "#1a9850"), (1.25, "▓", "#91cf60"), (2.0, "▒", "#d9b84a"), (4.0, "░", "#fc8d59"))
_SLOWEST = (" ", "#d73027")


@dataclass(frozen=True, kw_only=True, slots=True)
class HeatCell:
    """One cell: cycles, or a lower bound of them, and their ratio to the best."""

    cycles: int
    ratio: float
    exact: bool
    """False: the trial was stopped early, or not run, and takes more cycles."""

    @property
    def text(self) -> str:
        """``1.25x``; ``>1.25x`` for a lower bound."""
        return f"{'' if self.exact else '>'}{self.ratio:.2f}x"


@dataclass(frozen=True, kw_only=True, slots=True)
class HeatMap:
    """Cells by row and column; None where no configuration is possible, or no configuration was tried."""

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[HeatCell | None, ...], ...]

    def to_object(self) -> dict[str, Any]:
        """Return an object that ``json.dumps`` takes."""
        return asdict(self)


def of_parameters(call: TunedCall) -> HeatMap | None:
    """Map the fewest cycles by the values of the two most influential parameters; None if there are fewer than two."""
    ranking = call.ranking
    names = [name for name, _ in influence(call, ranking)][:2] if ranking else []
    if len(names) < 2:
        return None
    values = [list(dict.fromkeys(str(written(item[name])) for item in call.configurations)) for name in names]
    best = ranking[0].cycles
    cells: dict[tuple[str, str], HeatCell] = {}
    for trial in call.trials.values():
        if trial.verdict not in ("measured", "slower", "bound"):
            continue
        configuration = call.configurations[trial.number]
        row, column = (str(written(configuration[name])) for name in names)
        exact = trial.verdict == "measured"
        known = cells.get((row, column))
        # A trial that ran to its end tells more than a lower bound.
        if known is None or (not exact, trial.cycles) < (not known.exact, known.cycles):
            cells[row, column] = HeatCell(
                cycles=trial.cycles, ratio=round(trial.cycles / best, 3), exact=exact
            )
    rows, columns = (
        tuple(value for value in own if _occurs(value, at, cells)) for at, own in enumerate(values)
    )
    return HeatMap(
        title=f"{call.about['operation']}({', '.join(call.about['key'])}): fewest cycles by {names[0]} and {names[1]}, "
        f"relative to {best:,}",
        corner=f"{names[0]} \\ {names[1]}",
        columns=columns,
        rows=rows,
        cells=tuple(tuple(cells.get((row, column)) for column in columns) for row in rows),
    )


def of_shapes(shapes: ShapesTogether) -> HeatMap | None:
    """Configurations, the best for all shapes first, against shapes: cycles relative to the best of each shape."""
    standings = shapes.standings[:_MOST_ROWS]
    if not standings:
        return None
    best = [call.ranking[0].cycles for call in shapes.calls]
    return HeatMap(
        title=f"{shapes.calls[0].about['operation']}: configurations against shapes, relative to the best of each shape",
        corner="configuration \\ shape",
        columns=tuple(_shape(call) for call in shapes.calls),
        rows=tuple(shown(standing.configuration) for standing in standings),
        cells=tuple(
            tuple(
                HeatCell(cycles=cycles, ratio=round(cycles / least, 3), exact=exact)
                for cycles, exact, least in zip(standing.cycles, standing.exact, best, strict=True)
            )
            for standing in standings
        ),
    )


def plain(heat: HeatMap) -> Iterator[str]:
    """Yield the lines of a map in characters: the fuller the shade, the faster."""
    width = max(len(heat.corner), *map(len, heat.rows))
    widths = [max(9, len(column)) for column in heat.columns]
    yield f"  {heat.title}"
    heads = "  ".join(f"{column:>{own}}" for column, own in zip(heat.columns, widths, strict=True))
    yield f"    {heat.corner:<{width}}  {heads}"
    for row, cells in zip(heat.rows, heat.cells, strict=True):
        texts = ("-" if cell is None else f"{shade(cell)[0]} {cell.text}" for cell in cells)
        columns = "  ".join(f"{text:>{own}}" for text, own in zip(texts, widths, strict=True))
        yield f"    {row:<{width}}  {columns}".rstrip()


def shade(cell: HeatCell) -> tuple[str, str]:
    """Return a character and a colour, the fuller and greener the faster."""
    return next(((sign, colour) for most, sign, colour in _SHADES if cell.ratio <= most), _SLOWEST)


def _occurs(value: str, at: int, cells: Mapping[tuple[str, str], HeatCell]) -> bool:
    return any(key[at] == value for key in cells)


def _shape(call: TunedCall) -> str:
    """``256x192``: the extents of the call's tensors, each once."""
    extents = dict.fromkeys(
        text.partition(": ")[2].split(" ")[0] for text in call.about["key"] if ": " in text
    )
    return ", ".join(extents) or ", ".join(call.about["key"])
