"""The table on a terminal has what is known, as text."""

from __future__ import annotations

import io

import pytest

from ttl.cli.tune_table import TuneTable
from ttl.tuner.coordinator import TunedCall
from ttl.tuner.trial import TunerTrial


def test_the_fastest_are_shown_and_gone_at_the_end() -> None:
    console = pytest.importorskip("rich.console")
    written = io.StringIO()
    about = {
        "operation": "mm", "key": ["a: 32x32 bfloat16"], "chip": "wormhole",
        "configurations": [{"names": ["[red]", width]} for width in (1, 2, 4)],
    }  # fmt: skip
    call = TunedCall(about)
    with TuneTable(console.Console(file=written, force_terminal=True, width=100, color_system=None)) as table:
        for number, cycles in enumerate((300, 200)):
            call.trials[number] = TunerTrial(number=number, verdict="measured", cycles=cycles, l1_bytes=2048)
            table.show(call)
        call.trials[2] = TunerTrial(number=2, verdict="slower", cycles=400)
        table.show(call)
    told = written.getvalue()
    assert "mm(a: 32x32 bfloat16) on wormhole" in told
    assert "1.50x" in told
    assert "('[red]', 2)" in told
    assert "3 of 3 tried, 1 stopped early" in told
    # The last thing is that all of it is taken away.
    assert told.rindex("\x1b[2K") > told.rindex("tried")
