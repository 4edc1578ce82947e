"""Generated programs as the compiler sees them, and which of them it refuses.

What it refuses, and with which code, is kept in ``tests/codegen/gaps.txt``, so that a gap that opens or closes is seen:
``python scripts/update_gaps.py`` writes the file anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from support.compiled import Emitted, emitted, emitted_file
from support.random_programs.language import one_operation
from support.random_programs.language.emit import live
from support.random_programs.language.execute import compiled, make_tensors
from support.random_programs.language.generate import generate
from support.random_programs.language.spec import Program
from ttl import settings
from ttl.frontend.live import lower_call
from ttl.host import api as ttnn
from ttl.rows.row import Op
from ttl.rows.table import OPS

ROOT = Path(__file__).resolve().parent.parent.parent
GAPS = ROOT / "tests" / "codegen" / "gaps.txt"
_RANDOM = 500
_TOGETHER = 25
# Of the many programs of a row, one of so many is usual; "more of" the row are the others.
_MANY, _ONE_USUAL_OF = 15, 3
# What every pass leaves is verified in one of so many programs: what they become is judged here.
_ONE_VERIFIED_OF = 5

Judged = Callable[[Path], list[Emitted]]
"""Compiles some programs; their text goes into a folder."""


def subjects() -> dict[str, Judged]:
    """Everything that is judged, by a name: examples, rows of the table of operations, random programs."""
    found: dict[str, Judged] = {}
    for path in sorted((ROOT / "examples").glob("*.py")):
        found[f"example {path.stem}"] = lambda _, path=path: [emitted_file(path)]
    for row in OPS:
        numbers = range(len(one_operation.telling(row)))
        usual = numbers if len(numbers) <= _MANY else numbers[::_ONE_USUAL_OF]
        found[f"operation {row.name}"] = lambda folder, row=row, of=usual: _of_row(row, of, folder)
        if others := [number for number in numbers if number not in usual]:
            found[f"more of {row.name}"] = lambda folder, row=row, of=others: _of_row(row, of, folder)
    for start in range(0, _RANDOM, _TOGETHER):
        seeds = range(start, start + _TOGETHER)
        found[f"random {seeds[0]} to {seeds[-1]}"] = lambda folder, seeds=seeds: _all(
            ((f"random program {seed}", generate(seed)) for seed in seeds), folder
        )
    return found


def _of_row(row: Op, numbers: Iterable[int], folder: Path) -> list[Emitted]:
    programs = one_operation.telling(row)
    return _all(((f"{row.name} {number}", programs[number]) for number in numbers), folder)


def gaps_of(found: Iterable[Emitted]) -> str:
    """What was refused, in a line: codes with the numbers of programs, ``TTL1413 x 8, TTL1450``."""
    counts = Counter(code for each in found for code in each.codes)
    return ", ".join(code if count == 1 else f"{code} x {count}" for code, count in sorted(counts.items()))


def kept_gaps() -> Mapping[str, str]:
    """The file, by subject."""
    lines = GAPS.read_text(encoding="utf-8").splitlines() if GAPS.exists() else []
    pairs = (line.partition(": ") for line in lines if line and not line.startswith("#"))
    return {subject: gaps for subject, _, gaps in pairs}


def _all(programs: Iterable[tuple[str, Program]], folder: Path) -> list[Emitted]:
    found = []
    for number, (label, program) in enumerate(programs):
        try:
            with settings.override(verify_each=number % _ONE_VERIFIED_OF == 0):
                found.append(replace(_emitted(program, folder), label=label))
        except Exception as mistake:
            mistake.add_note(f"while compiling {label}")
            raise
    return found


def _emitted(program: Program, folder: Path) -> Emitted:
    scope: dict[str, Any] = {"__name__": "program"}
    exec(compiled(program, folder), scope)
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(*program.mesh)) if program.mesh else None
    try:
        specs = live(program).tensors
        tensors = make_tensors(program, specs, mesh, 0)
        lowered = lower_call(scope["op"], tuple(tensors[spec.name] for spec in specs), {})
    finally:
        if mesh is not None:
            ttnn.close_mesh_device(mesh)
    assert not lowered.diagnostics, lowered.diagnostics
    return emitted(lowered.module)
