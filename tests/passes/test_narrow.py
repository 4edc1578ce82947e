"""Intermediate values that do not fit into L1 as float32 are bfloat16, as few of them as it takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ttl import settings
from ttl.codegen.compile import Compiled, compile_module
from ttl.codegen.scheduled import steps_in
from ttl.frontend.file import lower_file

_SOFTMAX = """
import ttnn
import ttl


@ttl.operation(grid=(1, 1))
def softmax(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(ROWS, COLUMNS), block_count=1)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(ROWS, COLUMNS), block_count=1)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0:ROWS, 0:COLUMNS], x_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            e = ttl.math.exp(x_blk)
            sums = ttl.math.reduce_sum(e, dims=[-1], shape=(ROWS, 1))
            y_blk.store(e / ttl.block.broadcast(sums, dims=[-1], shape=(ROWS, COLUMNS)))

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0:ROWS, 0:COLUMNS]).wait()


x = ttnn.ones((ROWS * 32, COLUMNS * 32), dtype=ttnn.TYPE, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((ROWS * 32, COLUMNS * 32), dtype=ttnn.TYPE, layout=ttnn.TILE_LAYOUT)
softmax(x, y)
"""


def compiled(folder: Path, rows: int, columns: int, dtype: str = "bfloat16") -> Compiled:
    program = folder / "program.py"
    text = _SOFTMAX.replace("ROWS", str(rows)).replace("COLUMNS", str(columns)).replace("TYPE", dtype)
    program.write_text(text)
    return compile_module(lower_file(str(program)).module, settings.current())


def dtypes(found: Compiled) -> dict[str, str]:
    (description,) = found.descriptions
    return {each.name: each.dtype for each in description.circular_buffers if each.made_by == "compiler"}


def test_what_fits_stays_as_wide_as_the_registers(tmp_path: Path) -> None:
    found = compiled(tmp_path, 8, 20)
    assert dtypes(found) == {"ones": "bfloat16", "sums": "float32", "e": "float32"}
    assert not any("bfloat16" in each.text for each in found.remarks)


def test_the_largest_is_narrow_where_that_is_enough(tmp_path: Path) -> None:
    found = compiled(tmp_path, 8, 22)
    assert dtypes(found) == {"ones": "bfloat16", "sums": "float32", "e": "bfloat16"}
    (remark,) = (each for each in found.remarks if "float32 does not fit" in each.text)
    assert remark.text.startswith("a reduction reads it") and remark.span is not None
    assert found.descriptions[0].l1_bytes == 3 * 8 * 22 * 2048 + 2048 + 8 * 4096


def test_more_of_them_where_it_takes_more(tmp_path: Path) -> None:
    """150 rows of one tile: two buffers of the program and two intermediate values, as large as each other."""
    found = compiled(tmp_path, 150, 1)
    assert dtypes(found) == {"ones": "bfloat16", "sums": "bfloat16", "e": "bfloat16"}


@pytest.mark.parametrize(
    ("dtype", "columns"),
    [
        pytest.param("bfloat16", 32, id="too large all the same"),
        pytest.param("float32", 14, id="values that are float32 in the program"),
    ],
)
def test_what_does_not_fit_is_refused_as_it_is(tmp_path: Path, dtype: str, columns: int) -> None:
    found = compiled(tmp_path, 8, columns, dtype)
    (problem,) = found.diagnostics
    assert problem.code == "TTL1430"
    assert "float32" in next(line for line in problem.notes[0].splitlines() if line.startswith("e "))
    assert not any("float32 does not fit" in each.text for each in found.remarks)


def test_a_schedule_may_keep_values_wide(tmp_path: Path) -> None:
    with settings.override(schedule='choose("narrow", "0")'):
        found = compiled(tmp_path, 8, 22)
    assert [problem.code for problem in found.diagnostics] == ["TTL1430"]


def test_steps_of_a_schedule_are_named_and_passes_of_the_compiler_are_not(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_SOFTMAX.replace("ROWS", "2").replace("COLUMNS", "2").replace("TYPE", "bfloat16"))
    with settings.override(schedule='double_buffer("x_dfb").choose("narrow", "0")'):
        steps = steps_in(lower_file(str(program)).module, settings.current())
    own = [step for step in steps if step.endswith('(of double_buffer("x_dfb"))')]
    passes = [step for step in steps if "apply_registered_pass" in step]
    assert own == steps[: len(own)] and [step.split()[0] for step in own] == [
        "transform.ttl.match_named",
        "transform.ttl.optimize_buffer_factor",
    ]
    assert all(step.endswith('(of double_buffer("x_dfb").choose("narrow", "0"))') for step in passes)
