"""The commands from Python: ``API.Run(args={"binary": "m.ttnn", "--loops": 10})()``."""

from __future__ import annotations

from ttrt.common.check import Check
from ttrt.common.command import Command
from ttrt.common.perf import Perf
from ttrt.common.query import Query
from ttrt.common.read import Read
from ttrt.common.run import Run

__all__ = ["API", "COMMANDS"]

COMMANDS: tuple[type[Command], ...] = (Read, Run, Query, Perf, Check)


class API:
    """The commands by name."""

    Read = Read
    Run = Run
    Query = Query
    Perf = Perf
    Check = Check

    @staticmethod
    def initialize_apis() -> None:
        """Do nothing: the commands need no set-up. For programs that call it."""
