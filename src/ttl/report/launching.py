"""``--report``: an operation that is called runs where the settings say, and what it does is recorded."""

from __future__ import annotations

import atexit
import os
import sys
from typing import Any

from ttl.emu.recorder import RECORDER, collecting
from ttl.emu.target import launch as launch_emulated
from ttl.lang.operation import Operation
from ttl.report.collector import REPORTS, ReportCollector, ReportListener
from ttl.report.text import write
from ttl.settings import Settings
from ttl.source.files import display_name


def launch(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings) -> None:
    """Run an operation on the simulator or the emulated chip. Raises what that raises."""
    collector = REPORTS.get() or _of_this_process(chosen)
    with collecting(ReportListener(collector, RECORDER.get())):
        launch_emulated(operation, args, kwargs, chosen)


def _of_this_process(chosen: Settings) -> ReportCollector:
    """Who collects in a program that ``ttl`` does not run: the report is written when it ends."""
    program = display_name(os.path.abspath(sys.argv[0])) if sys.argv and sys.argv[0] else "python"
    collector = ReportCollector(title=program, command=" ".join(["python", program, *sys.argv[1:]]))
    REPORTS.set(collector)
    path = chosen.report
    assert path is not None
    atexit.register(lambda: write(path, collector.to_object()))
    return collector
