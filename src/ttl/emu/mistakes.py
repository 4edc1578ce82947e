"""What went wrong on the emulated chip: the rule that was broken, in words, at the user's line."""

from __future__ import annotations

import shutil
import subprocess
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from ttl.diag import ProgramError, error
from ttl.emu.chip import EmulatedChip
from ttl.emu.functions import function_names
from ttl.emu.kinds import Facts, told
from ttl.emu.program import Kernel, Program
from ttl.emu.stuck import Stuck, deadlock
from ttl.source.spans import Span, user_span

ROLES = ("brisc", "ncrisc", "unpack", "math", "pack")


def explain(failure: Any, fibers: Sequence[Any], program: Program, chip: EmulatedChip) -> ProgramError:
    """The error of a run that failed."""
    kind, core, role, file, line, clock, values, text, library, instruction, buffers = failure
    if kind == "deadlock":
        stuck = [_stuck(each, program) for each in fibers]
        return ProgramError(deadlock(stuck, buffers, program, chip).at(*_places(stuck)))
    number = next((each[2] for each in fibers if each[0] == core and each[1] == role), 0)
    kernel = program.kernels[number]
    file, line = _instruction(library, instruction) or (file, line)
    names = {each.index: each.name or f"circular buffer {each.index}" for each in program.circular_buffers}

    def core_name(index: int) -> str:
        return f"core ({index % chip.columns}, {index // chip.columns})"

    found = told(
        kind,
        Facts(
            values=tuple(values),
            text=text,
            buffer=lambda index: names.get(index, f"circular buffer {index}"),
            core=core_name,
            function=lambda code: function_names().get(code, "nothing"),
        ),
    )
    diagnostic = error(
        found.code,
        f"kernel {kernel.name} {found.text}",
        notes=(f"at {file}:{line}, on {core_name(core)}, {ROLES[role]}, cycle {clock:,}", *_ours(kernel)),
        help=found.help or (),
    )
    return ProgramError(diagnostic.at(span_in(kernel, line) or user_span()))


def span_in(kernel: Kernel, line: int) -> Span | None:
    """Where in the user's program a line of a kernel comes from; None where that is not known."""
    if line in kernel.lines:
        return kernel.lines[line]
    numbers = sorted(kernel.lines)
    before = bisect_right(numbers, line)
    return kernel.lines[numbers[before - 1]] if before else None


def _ours(kernel: Kernel) -> tuple[str, ...]:
    """For kernels that the compiler wrote: they are right, or there is a mistake of ours."""
    if not kernel.lines:
        return ()
    return ("the compiler of this package wrote this kernel: please report it",)


def _stuck(fiber: Any, program: Program) -> Stuck:
    core, role, number, done, clock, _, waits, what, amount, now, file, line, at_least = fiber
    kernel = program.kernels[number]
    span = span_in(kernel, line) if kernel.lines else None
    return Stuck(
        core=core,
        role=role,
        kernel=kernel.name,
        done=bool(done),
        clock=clock,
        waits=waits,
        what=what,
        amount=amount,
        now=now,
        exact=not at_least,
        place=f"line {span.line}" if span is not None else f"{file}:{line}",
        span=span,
        processor=ROLES[role],
    )


def _places(stuck: Sequence[Stuck]) -> tuple[Span | None, str]:
    """The line that is shown: of the first kernel that waits for something that others do."""
    for each in stuck:
        if not each.done and each.span is not None and each.matters:
            return each.span, "waits here"
    return user_span(), ""


def _instruction(library: str, instruction: int) -> tuple[str, int] | None:
    """The line of an instruction of a kernel's shared object, which its debug information has."""
    tool = shutil.which("addr2line")
    if not library or tool is None:
        return None
    done = subprocess.run(
        [tool, "-e", library, hex(instruction)], capture_output=True, text=True, check=False
    )
    file, _, line = done.stdout.strip().split(" ")[0].rpartition(":")
    return (PurePath(file).name, int(line)) if line.isdecimal() and int(line) else None
