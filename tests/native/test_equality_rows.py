"""Every operation by itself, over element types, layouts and ranks, is the same under every execution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.child import Child
from support.executions import needs_native
from support.random_programs.language import one_operation
from support.random_programs.language.compare import Failure, compare_runs, describe
from support.random_programs.language.elementwise import INEXACT
from support.random_programs.language.emit import device_text
from support.random_programs.language.execute import Results
from support.random_programs.language.run import check_equality
from support.random_programs.language.spec import Program
from ttl.rows.comparison import within
from ttl.rows.row import Op
from ttl.rows.table import OPS
from ttl.rows.table import op as row_named

# Their last bits are free; all others are exact: the result is that of one rounding.
FREE = {*INEXACT, "pow", "matmul", "reduce_sum"}
# The error of a sum is one of its terms, not of the sum.
SUMS = ("matmul", "reduce_sum")


def compare(program: Program, mode: str, found: Results, plain: Results) -> Failure | None:
    """Equal to the bit, or within the tolerance of the row."""
    name = program.body[0].op
    if name not in FREE:
        return compare_runs(mode, found, plain)
    tolerance = row_named(name).tolerance[program.tensor("result").dtype]
    (tensors,), (expected,) = found, plain
    values, wanted = (array["result"].astype(np.float64) for array in (tensors, expected))
    with np.errstate(all="ignore"):
        size = np.abs(wanted).max() if name in SUMS else np.abs(wanted)
        equal = within(values, wanted, 0.0, tolerance.absolute + tolerance.relative * size)
    return None if equal.all() else Failure(f"{mode} differs", describe("result", ~equal, values, wanted))


@pytest.mark.one_of(6)
@needs_native
@pytest.mark.parametrize("row", OPS, ids=lambda row: row.name)
def test_a_row_gives_the_same_however_it_is_executed(
    row: Op, tmp_path: Path, python_core: Child | None
) -> None:
    wrong = []
    for program in one_operation.telling(row):
        failure = check_equality(program, tmp_path, python_core, reference=False, compare=compare, threads=())
        if failure is not None:
            wrong.append(f"{failure.kind}\n{failure.text}\n{device_text(program)}")
    assert not wrong, f"{len(wrong)} programs\n" + "\n\n".join(wrong[:3])


def test_every_row_has_programs() -> None:
    for row in OPS:
        made = list(one_operation.programs(row))
        dtypes = {spec.dtype for program in made for spec in program.tensors}
        wanted = {"integer": 4, "float": 5, "all": 9}[row.accepts]
        assert len(dtypes) >= wanted, f"{row.name} is tried on {dtypes} only"
        assert {program.tiled for program in made} == {layout.name == "TILE" for layout in row.layouts}
