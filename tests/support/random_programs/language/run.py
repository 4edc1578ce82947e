"""Runs a random program in every way the simulator has, and compares the results with each other and the reference.

``check`` has the settings of one execution; ``check_equality`` all executions: what computes, what runs the kernels, replayed or not.
Against NumPy results are equal to the bit, but for tensors whose last bits are free; everything else, the statistics included, is equal
to the bit.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from support.child import Child
from support.executions import NATIVE, narrower
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

Expected = list[dict[str, Tensor]]
Comparison = Callable[[Program, str, Results, Results], Failure | None]
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


def check_equality(
    program: Program,
    folder: Path,
    python_core: Child | None,
    *,
    reference: bool = True,
    compare: Comparison = compare_executors,
    threads: Sequence[int] = (1, 2),
) -> Failure | None:
    """Compare the executions with each other, and the usual one with the reference.

    ``folder`` takes the program's source; ``python_core`` is an interpreter that runs kernels in Python;
    ``compare`` says how equal what is computed in different ways has to be.
    """

    def judge(program: Program, code: Any, expected: Expected) -> Failure | None:
        (plain, other), stats = run(program, code, {"stats": True}, turns=(0, 1))
        failure = compare_with_reference(program, "default", plain, expected) if reference else None
        if failure is not None or not NATIVE:
            return failure
        failure = _executors(program, code, folder, plain, stats, python_core, compare, threads)
        return failure or _replayed(program, code, plain, other)[0]

    return guarded(program, folder, judge, reference=reference)


def check_replays(program: Program, folder: Path) -> tuple[Failure | None, int]:
    """Compare calls that are replayed with calls that are not, and with nothing else; and how many were replayed."""
    code = compiled(program, folder)
    (plain, other), _ = run(program, code, {}, turns=(0, 1))
    return _replayed(program, code, plain, other)


def _executors(
    program: Program,
    code: Any,
    folder: Path,
    plain: Results,
    stats: str,
    python_core: Child | None,
    compare: Comparison,
    threads: Sequence[int],
) -> Failure | None:
    (numpy,), said = run(program, code, {"executor": "numpy", "stats": True})
    failure = compare(program, "native", plain, numpy)
    if failure is None and not stats.startswith(said):
        failure = Failure("statistics differ", f"native:\n{stats}\nNumPy:\n{said}")
    for count in threads if failure is None else ():
        (found,), _ = run(program, code, {"threads": count})
        failure = failure or compare_runs(f"{count} threads", found, plain)
    sets = narrower()
    if failure is None and sets:
        isa = sets[program.seed % len(sets)]
        (found,), _ = run(program, code, {"isa": isa})
        failure = compare(program, isa, found, plain)
    if failure is None and python_core is not None:
        (found,), also_said = python_core.call(
            "support.random_programs.language.run:run_here",
            program,
            str(folder),
            {"executor": "numpy", "stats": True},
        )
        failure = compare_runs("Python core", found, numpy)
        if failure is None and _anywhere(also_said) != _anywhere(said):
            failure = Failure("statistics differ", f"native core:\n{said}\nPython core:\n{also_said}")
    return failure


def _anywhere(said: str) -> str:
    """What was said, whatever the file of the program is called: warnings name it."""
    return re.sub(r"\S*/program_\w+\.py", "program.py", said)


def _replayed(program: Program, code: Any, plain: Results, other: Results) -> tuple[Failure | None, int]:
    """Three calls on new tensors: the first is kept, the second has other data, the third is the first again."""
    # Some replays are traced again and compared: that must not say a word.
    checked = 2 if program.seed % 8 == 0 else 0
    overrides = {"replay": "on", "replay_check": checked, "stats": True}
    found, said = run(program, code, overrides, turns=(0, 1, 0))
    for number, (results, expected) in enumerate(zip(found, (plain, other, plain), strict=True), 1):
        failure = compare_runs(f"call {number} with replay", results, expected)
        if failure is not None:
            return failure, 0
    return None, sum("replayed" in line and "not " not in line for line in said.splitlines())


def run_here(
    program: Program, folder: str, overrides: Mapping[str, Any], turns: Sequence[int] = (0,)
) -> tuple[list[Results], str]:
    """Run a program in this process: what another process calls."""
    return run(program, compiled(program, Path(folder)), overrides, turns=turns)
