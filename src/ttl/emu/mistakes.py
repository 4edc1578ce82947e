"""What went wrong on the emulated chip: the rule that was broken, in words, at the user's line."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from ttl.diag import ProgramError, error
from ttl.emu.chip import EmulatedChip
from ttl.emu.functions import function_names
from ttl.emu.kinds import Facts, told
from ttl.emu.program import ROLES, Kernel, Program
from ttl.emu.standing import Standing
from ttl.emu.stuck import ChipDeadlockError
from ttl.source.spans import user_span


def explain(failure: Any, fibers: Sequence[Any], program: Program, chip: EmulatedChip) -> ProgramError:
    """The error of a run that failed."""
    kind, core, role, file, line, clock, values, text, library, instruction = failure
    if kind == "deadlock":
        return ChipDeadlockError(Standing(program, chip))
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
    return ProgramError(diagnostic.at(kernel.span(line) or user_span()))


def _ours(kernel: Kernel) -> tuple[str, ...]:
    """For kernels that the compiler wrote: they are right, or there is a mistake of ours."""
    if not kernel.lines:
        return ()
    return ("the compiler of this package wrote this kernel: please report it",)


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
