"""Runs a random program in every way the simulator has, and compares the results with each other and the reference."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.random_programs.language.compare import (
    Failure,
    compare_executors,
    compare_runs,
    compare_with_reference,
)
from support.random_programs.language.execute import compiled, run, run_reference
from support.random_programs.language.reference import Tensor
from support.random_programs.language.spec import Program
from ttl.diag import TTLError

Expected = list[dict[str, Tensor]]
# Name, settings, and whether every store is computed, every copy carried out at once.
_MODES: tuple[tuple[str, dict[str, Any], bool], ...] = (
    ("flush at once", {"stats": True}, True), ("schedule 1", {"schedule_seed": 1}, False), ("schedule 2", {"schedule_seed": 2}, False),
    ("schedule 3", {"schedule_seed": 3}, True),
)  # fmt: skip


def check(program: Program, folder: Path) -> Failure | None:
    """What is wrong, or None. ``folder`` takes the program's source."""
    return guarded(program, folder, _check)


def guarded(
    program: Program,
    folder: Path,
    judge: Callable[[Program, Any, Expected], Failure | None],
    *,
    reference: bool = True,
) -> Failure | None:
    """What a judge says of a program, its code and what the reference makes of it; or why it does not come to that."""
    try:
        expected = run_reference(program) if reference else []
        code = compiled(program, folder)
    except Exception:
        return Failure("generator", traceback.format_exc())
    try:
        return judge(program, code, expected)
    except TTLError as failed:
        return Failure(f"refused {failed.diagnostics[0].code}", str(failed))
    except Exception:
        return Failure("crashed", traceback.format_exc())


def _check(program: Program, code: Any, reference: Expected) -> Failure | None:
    (plain,), stats = run(program, code, {"stats": True})
    failure = compare_with_reference(program, "default", plain, reference)
    if failure is not None:
        return failure
    for mode, overrides, tiny in _MODES:
        (found,), said = run(program, code, overrides, tiny=tiny)
        failure = compare_runs(mode, found, plain)
        if failure is not None:
            return failure
        if "stats" in overrides and said != stats:
            return Failure("statistics differ", f"{stats}\n{said}")
    # The sanitizer computes with NumPy, and the last bits of some functions are NumPy's own.
    (numpy,), _ = run(program, code, {"executor": "numpy"})
    (sanitized,), _ = run(program, code, {"sanitize": True})
    failure = compare_executors(program, "NumPy", numpy, plain)
    failure = failure or compare_runs("sanitize", sanitized, numpy, reference)
    for precision in ("fp32", "spec" if _stores_a_block(program) else "dst16"):
        if failure is None:
            (found,), _ = run(program, code, {"precision": precision})
            failure = compare_with_reference(program, precision, found, run_reference(program, precision))
    return failure


def _stores_a_block(program: Program) -> bool:
    """Whether a block is stored as it is: where that converts it, it passes through a register of 16 bits, or not."""
    blocks = {port.name for port in program.inputs} | {inner.name for inner in program.inner if inner.through}
    blocks |= {instr.name for instr in program.body if instr.kind not in ("op", "loop")}
    stored = [instr.args[0] for instr in program.body if instr.kind in ("store", "through", "carry_out")]
    return any(name in blocks for name in stored)
