"""Runs a random program in every way the simulator has, and compares the results with each other and the reference."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.random_programs.language.compare import (
    Failure,
    compare_executors,
    compare_runs,
    compare_with_reference,
)
from support.random_programs.language.execute import Results, compiled, run, run_reference
from support.random_programs.language.reference import Tensor
from support.random_programs.language.spec import Program
from ttl.diag import TTLError


@dataclass(frozen=True)
class Mode:
    """One way to run a program. ``tiny``: every store is computed, every copy carried out at once."""

    name: str
    overrides: tuple[tuple[str, Any], ...] = ()
    tiny: bool = False


PLAIN = Mode("default", (("stats", True),))
MODES: tuple[Mode, ...] = (
    Mode("flush at once", (("stats", True),), tiny=True),
    Mode("schedule 1", (("schedule_seed", 1),)),
    Mode("schedule 2", (("schedule_seed", 2),)),
    Mode("schedule 3", (("schedule_seed", 3),), tiny=True),
)
NUMPY = Mode("NumPy", (("executor", "numpy"),))
SANITIZED = Mode("sanitize", (("sanitize", True),))


def check(program: Program, folder: Path) -> Failure | None:
    """What is wrong, or None. ``folder`` takes the program's source."""
    try:
        reference = run_reference(program)
        code = compiled(program, folder)
    except Exception:
        return Failure("generator", traceback.format_exc())
    try:
        return _check(program, code, reference)
    except TTLError as failed:
        return Failure(f"refused {failed.diagnostics[0].code}", str(failed))
    except Exception:
        return Failure("crashed", traceback.format_exc())


def _check(program: Program, code: Any, reference: list[dict[str, Tensor]]) -> Failure | None:
    plain, stats = _run(program, code, PLAIN)
    failure = compare_with_reference(program, "default", plain, reference)
    if failure is not None:
        return failure
    for mode in MODES:
        found, said = _run(program, code, mode)
        failure = compare_runs(mode.name, found, plain)
        if failure is not None:
            return failure
        if dict(mode.overrides).get("stats") and said != stats:
            return Failure("statistics differ", f"{stats}\n{said}")
    # The sanitizer computes with NumPy, and the last bits of some functions are NumPy's own.
    numpy, _ = _run(program, code, NUMPY)
    sanitized, _ = _run(program, code, SANITIZED)
    failure = compare_executors(program, NUMPY.name, numpy, plain) or compare_runs(
        SANITIZED.name, sanitized, numpy, reference
    )
    if failure is not None:
        return failure
    for precision in ("fp32", "spec" if _stores_a_block(program) else "dst16"):
        found, _ = _run(program, code, Mode(precision, (("precision", precision),)))
        failure = compare_with_reference(program, precision, found, run_reference(program, precision))
        if failure is not None:
            return failure
    return None


def _run(program: Program, code: Any, mode: Mode) -> tuple[Results, str]:
    """Results per device, and what was said on stderr."""
    (results,), said = run(program, code, dict(mode.overrides), tiny=mode.tiny)
    return results, said


def _stores_a_block(program: Program) -> bool:
    """Whether a block is stored as it is: where that converts it, it passes through a register of 16 bits, or not."""
    blocks = {port.name for port in program.inputs} | {inner.name for inner in program.inner if inner.through}
    blocks |= {instr.name for instr in program.body if instr.kind not in ("op", "loop")}
    stored = [instr.args[0] for instr in program.body if instr.kind in ("store", "through", "carry_out")]
    return any(name in blocks for name in stored)
