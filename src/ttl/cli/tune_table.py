"""The display of ``ttl tune`` on a terminal: a table during the search, and heat maps in colour."""

from __future__ import annotations

import sys
import time
from collections import Counter
from types import TracebackType
from typing import TYPE_CHECKING

from ttl.tuner import text
from ttl.tuner.coordinator import TunedCall
from ttl.tuner.heat import HeatMap, plain, shade

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table

_MOST = 8
_REFRESHED = 4.0
"""How often the table is drawn, in times per second."""


class TuneTable:
    """A table of the fastest configurations so far and the progress of the search; it disappears at the end."""

    def __init__(self, console: Console | None = None) -> None:
        """Show the table on ``console``; None means standard error. ``show`` raises ``ImportError`` without Rich."""
        self._console = console
        self._live: Live | None = None
        self._begun = 0.0
        self._call: TunedCall | None = None

    def __enter__(self) -> TuneTable:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def show(self, call: TunedCall) -> None:
        """Update the table with the present state of a call."""
        if call is not self._call:
            self._call, self._begun = call, time.monotonic()
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            console = self._console or Console(file=sys.stderr)
            self._live = Live(console=console, refresh_per_second=_REFRESHED, transient=True)
            self._live.start()
        self._live.update(self._table(call))

    def _table(self, call: TunedCall) -> Table:
        from rich.table import Table
        from rich.text import Text

        about, ranking = call.about, call.ranking
        title = f"{about['operation']}({', '.join(about['key'])}) on {about['chip']}"
        # ``Text`` objects, because names and values must not be read as markup.
        table = Table(
            title=Text(title), title_justify="left", caption=Text(self._caption(call)), caption_justify="left"
        )
        for heading in ("cycles", "", "L1"):
            table.add_column(heading, justify="right")
        table.add_column("configuration")
        for trial in ranking[:_MOST]:
            table.add_row(
                f"{trial.cycles:,}",
                f"{trial.cycles / ranking[0].cycles:.2f}x",
                f"{trial.l1_bytes / 1024:.0f} KB",
                Text(text.shown(call.configurations[trial.number])),
            )
        compiled = call.best_compiled if ranking else None
        if compiled is not None:
            share = f"{compiled.cycles / ranking[0].cycles:.2f}x"
            table.add_row(f"{compiled.cycles:,}", share, "", Text(compiled.compile_option))
        return table

    def _caption(self, call: TunedCall) -> str:
        verdicts = Counter[str](trial.verdict for trial in call.trials.values())
        done = [
            f"{len(call.trials) - verdicts['excluded'] - verdicts['bound']} of {len(call.configurations)} tried"
        ]
        done += [f"{verdicts[verdict]} {words}" for verdict, words in text.WORDS.items() if verdicts[verdict]]
        if call.compiled:
            done.append(f"{len(call.compiled)} choices of the compiler")
        return f"{', '.join(done)}; {time.monotonic() - self._begun:.0f} s"


def coloured(heat: HeatMap) -> list[str]:
    """A heat map as lines for a terminal, from green (fastest) to red; without Rich, in plain characters."""
    try:
        from rich.console import Console
    except ImportError:
        return list(plain(heat))
    console = Console()
    with console.capture() as captured:
        console.print(heat_table(heat))
    return captured.get().splitlines()


def heat_table(heat: HeatMap) -> Table:
    """Return a heat map as a table of Rich."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(heat.title), title_justify="left")
    table.add_column(Text(heat.corner))
    for column in heat.columns:
        table.add_column(Text(column), justify="right")
    for row, cells in zip(heat.rows, heat.cells, strict=True):
        texts = [
            Text("-") if cell is None else Text(f" {cell.text} ", style=f"black on {shade(cell)[1]}")
            for cell in cells
        ]
        table.add_row(Text(row), *texts)
    return table
