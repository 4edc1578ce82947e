"""The emulated chip: how long it takes to run programs, and compiled kernels against those written by hand.

    python benchmarks/emulator.py [--write]

Times are CPU times of this thread, of launches after the first, which compiles. ``--write`` replaces the comparison in
docs/reference/cycles.md. The kernels written by hand are TT-NN's: ``make headers`` fetches them.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import re
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [
    str(_FOLDER.parent / "src"),
    str(_FOLDER / "emulated"),
    str(_FOLDER),
    str(_FOLDER / "programs"),
    str(_FOLDER.parent / "tests"),
]

from ttl import settings
from ttl.host import importer

importer.install()

import compare
import compiled
from report import aligned
from support.kernel_headers import HeadersMissing

PAGE = _FOLDER.parent / "docs" / "reference" / "cycles.md"
_ROUNDS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A program, and the CPU time that is asked for, on one thread."""

    label: str
    prepare: Callable[[], Any]
    asked_ms: float


def cases() -> list[Case]:
    """Those with a goal of CPU time."""
    import matmul

    grid = (8, 8)
    return [
        Case(
            label="a + b, 4,096 tiles, 64 nodes",
            prepare=lambda: compiled.sum_of(2048, 2048, grid, 1),
            asked_ms=60,
        ),
        Case(
            label="matmul 512, 64 nodes",
            prepare=lambda: matmul.prepare(size=512, grid=grid, block=(2, 2, 2)),
            asked_ms=60,
        ),
        Case(
            label="matmul 2048, 64 nodes",
            prepare=lambda: matmul.prepare(size=2048, grid=grid, block=(4, 4, 4)),
            asked_ms=3000,
        ),
    ]


def measure(case: Case) -> tuple[float, float, int]:
    """Median CPU and wall-clock milliseconds of a launch, and its cycles, which are the same each time."""
    program = case.prepare()
    description, run, _ = compiled.launched(program)
    cpu, wall = [], []
    with settings.override(target="emu", check="off"):
        for _ in range(_ROUNDS):
            began, used = time.perf_counter(), time.thread_time()
            program.run()
            cpu.append((time.thread_time() - used) * 1e3)
            wall.append((time.perf_counter() - began) * 1e3)
    again = compiled.launched(program)[1]
    if again.cycles != run.cycles:
        raise ValueError(f"{description.name}: {run.cycles} cycles, then {again.cycles}")
    return statistics.median(cpu), statistics.median(wall), run.cycles


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the comparison into the documentation")
    arguments = parser.parse_args()
    rows = [["emulated", "CPU ms", "wall ms", "asked", "cycles"]]
    for case in cases():
        cpu, wall, cycles = measure(case)
        met = "met" if cpu <= case.asked_ms else "NOT MET"
        rows.append([case.label, f"{cpu:.1f}", f"{wall:.1f}", f"<={case.asked_ms:g} {met}", f"{cycles:,}"])
    print(aligned(rows))
    try:
        found = list(compare.outcomes())
    except HeadersMissing as problem:
        print(f"\nnot compared with kernels written by hand: {problem}")
        return 0
    rows = [
        [
            "against kernels written by hand, in cycles",
            "theirs",
            "compiled",
            "speed",
            "tuned",
            "speed",
            "asked",
        ]
    ]
    for each in found:
        met = "met" if each.tuned_speed >= compare.ASKED else f"NOT MET, {each.tuned.bound_by}"
        asked = f">={100 * compare.ASKED:.0f} % {met}"
        rows.append(
            [
                each.name,
                f"{each.theirs.cycles:,}",
                f"{each.ours.cycles:,}",
                f"{100 * each.speed:.0f} %",
                f"{each.tuned.cycles:,}",
                f"{100 * each.tuned_speed:.1f} %",
                asked,
            ]
        )
    print("\n" + aligned(rows))
    if arguments.write:
        new = f"<!-- handwritten -->\n\n{compare.table(found)}\n\n<!-- /handwritten -->"
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            re.sub("<!-- handwritten -->.*<!-- /handwritten -->", lambda _: new, text, flags=re.DOTALL),
            encoding="utf-8",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
