"""The tile programs of a file and what is designed for their calls, without running it."""

from __future__ import annotations

from dataclasses import dataclass

from ttl.design.operation import Design, design
from ttl.diag import Diagnostic
from ttl.frontend.file import lower_file
from ttl.frontend.lowered import OperationRead
from ttl.frontend.lowering import Lowering, ToRead
from ttl.frontend.values import TileProgram


@dataclass(frozen=True, slots=True)
class Designed:
    """A call of a tile program."""

    wanted: ToRead
    design: Design | None
    findings: tuple[Diagnostic, ...]


class _Listening(Lowering):
    """Reads operations, and keeps the tile programs among them with their arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: list[ToRead] = []

    def read(self, wanted: ToRead) -> OperationRead:
        if isinstance(wanted.function, TileProgram) and wanted.place is not None:
            self.wanted.append(wanted)
        return super().read(wanted)


def designs_of(path: str, arguments: tuple[str, ...] = ()) -> tuple[list[Designed], list[Diagnostic]]:
    """Every kind of call of a tile program of a file with its design, and what is wrong with the program."""
    lowering = _Listening()
    lowered = lower_file(path, arguments, lowering=lowering)
    designed = [
        Designed(wanted, *design(wanted.function, wanted.arguments, wanted.grid, wanted.chip))
        for wanted in lowering.wanted
    ]
    return designed, list(lowered.diagnostics)
