"""What functions of one operand make of infinities and no numbers, on the chip and by the reference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from differential.known import gap_of
from differential.rows import Case, cases, together
from differential.three_ways import emulated, expected
from random_programs.execute import compiled, contents
from random_programs.spec import Program
from ttl.ops.comparison import same

INPUTS = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


def groups(dtype: str) -> list[tuple[tuple[Case, ...], Program]]:
    """Programs of all functions of one operand, in the two-dimensional form with its first parameters."""
    chosen: dict[str, Case] = {}
    for case in cases():
        (block,) = {port.block for port in case.program.inputs} if len(case.program.inputs) == 1 else ((),)
        if case.dtype == dtype and case.program.tiled and len(block) == 2 and _is_function(case):
            chosen.setdefault(case.row.name, case)
    return together(chosen.values())


def _is_function(case: Case) -> bool:
    (port,), (output,) = case.program.inputs, case.program.outputs
    one = len(case.row.operands) == 1 and port.block == output.block and case.row.undefined is None
    return one and case.program.tensors[0].data == "edge" and gap_of(case) is None


def differing(group: tuple[Case, ...], program: Program, folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Row, input, what the language gives and what the chip gives, where these are not the same."""
    (found,), wide = emulated(program, compiled(program, folder), {})
    (wanted,) = expected(program, wide=wide, single=True)
    given = contents(program, program.tensor(program.inputs[0].tensor), 0)
    for number, case in enumerate(group):
        result, reference = found[f"r{number}"], wanted[f"r{number}"].values
        for name, value in INPUTS.items():
            lanes = same(given, np.full_like(given, value))
            if not same(result[lanes], reference[lanes]).all():
                yield case.row.name, name, f"{reference[lanes][0]:.4g}", f"{result[lanes][0]:.4g}"
