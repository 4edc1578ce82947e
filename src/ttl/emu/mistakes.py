"""What went wrong on the emulated chip, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ttl.diag import ProgramError, error
from ttl.emu.chip import EmulatedChip
from ttl.emu.program import Program
from ttl.source.spans import user_span

ROLES = ("brisc", "ncrisc", "unpack", "math", "pack")

_WAITS = {
    1: "waits for {amount} pages of {buffer}, which holds {now}",
    2: "waits for {amount} free pages of {buffer}, which holds {now} pages",
    3: "waits for the semaphore at {what:#x} to be {amount}; it is {now}",
    4: "waits for a free source register",
    5: "waits for operands from the unpacker",
    6: "waits for free registers of DST",
    7: "waits for results in DST",
    8: "polls memory that nobody changes",
}


def explain(failure: Any, fibers: Sequence[Any], program: Program, chip: EmulatedChip) -> ProgramError:
    """The error of a run that failed."""
    kind, core, role, file, line, clock, values, text = failure
    if kind == "deadlock":
        return _deadlock(fibers, program, chip)
    kernel = next((each[2] for each in fibers if each[0] == core and each[1] == role), 0)
    where = f"core ({core % chip.columns}, {core // chip.columns}), {ROLES[role]}, cycle {clock:,}"
    given = ", ".join(str(value) for value in values)
    return ProgramError(
        error(
            "TTL1503",
            f"kernel {program.kernels[kernel].name} breaks a rule of the hardware: {kind} ({given}) {text}".rstrip(),
            notes=(f"at {file}:{line}", where),
        ).at(user_span())
    )


def _deadlock(fibers: Sequence[Any], program: Program, chip: EmulatedChip) -> ProgramError:
    names = {
        buffer.index: buffer.name or f"circular buffer {buffer.index}" for buffer in program.circular_buffers
    }
    notes = []
    for core, role, kernel, done, clock, _, waits, what, amount, now, file, line in fibers:
        if done:
            continue
        words = _WAITS.get(waits, "cannot go on").format(
            amount=amount, now=now, what=what, buffer=names.get(what, f"circular buffer {what}")
        )
        x, y = core % chip.columns, core // chip.columns
        notes.append(
            f"core ({x}, {y}) {ROLES[role]} ({program.kernels[kernel].name}) {words}, since cycle {clock:,}, at {file}:{line}"
        )
    more = len(notes) - 16
    if more > 0:
        notes[16:] = [f"and {more} more"]
    found = error("TTL1504", "kernels on the emulated chip wait for each other for ever", notes=tuple(notes))
    return ProgramError(found.at(user_span()))
