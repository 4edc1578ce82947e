"""Where what a kernel does comes from: a line of the user's program, or of the kernel where that is not known."""

from __future__ import annotations

from dataclasses import dataclass

from ttl.codegen.description import ProgramDescription
from ttl.emu.launch import Run
from ttl.emu.record import Line, Signpost


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Place:
    """A line of a file: of the user's program, or of a kernel where that is not known."""

    file: str
    line: int
    kernel: str


def place_of(line: Line | Signpost, run: Run, description: ProgramDescription | None) -> Place:
    """Where a line of a kernel comes from."""
    kernel = run.program.kernels[line.kernel]
    if description is not None and line.file == kernel.file_name:
        span = description.kernels[line.kernel].lines.get(line.line)
        if span is not None:
            return Place(file=span.file, line=span.line, kernel=kernel.name)
    return Place(file=line.file, line=line.line, kernel=kernel.name)
