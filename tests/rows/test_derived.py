"""What is derived from rows: a new row is found everywhere, generated files are fresh, examples run."""

from __future__ import annotations

import ast
import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ttl.host.importer import install
from ttl.lang import functions, operators
from ttl.rows.build import unary
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.generate import generated, program, stubs
from ttl.rows.hardware import both, sfpu
from ttl.rows.params import number
from ttl.rows.row import Op
from ttl.rows.table import OPS
from ttl.rows.types import BlockType

ROOT = Path(__file__).parents[2]

CUBE = unary(
    "cube",
    "The third power, times a factor.",
    lambda x, factor: np.multiply(x * x, x) * factor,
    params=(number("factor", "Any real number.", default=1.0),),
    dunder="__invert__",
    spellings=("~expr",),
    hardware=both(sfpu("cube", "api/compute/cube.h", ", {p:factor}")),
    doc="Only for this test.",
    example="ttl.math.cube(a, factor=2)",
)


def test_a_new_row_is_found_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (*OPS, CUBE)
    monkeypatch.setattr("ttl.lang.functions.apply", lambda row, operands, params: (row, operands, params))

    function = functions.lookup("math", "cube", rows)
    assert function("block", factor=3) == (CUBE, ("block",), (3,))
    assert "The third power" in (function.__doc__ or "")
    assert "Any real number" in (function.__doc__ or "")
    assert "cube" in functions.names("math", rows)

    class Expression(operators.make(rows)):  # type: ignore[misc]
        def _apply(self, row: Op, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
            return (row, params)

    assert ~Expression() == (CUBE, ())

    files = generated(rows) | stubs(rows)
    assert "def cube(expr: BlockExpr, factor: float = 1.0) -> BlockExpr:" in files["math.pyi"]
    assert "def __invert__(self) -> BlockExpr: ..." in files["lang/operators.pyi"]
    page = files["docs/reference/operations.md"]
    for text in (
        "### `ttl.math.cube`",
        "The third power",
        "y_blk.store(ttl.math.cube(a_blk, factor=2))",
        "`cube_tile`",
    ):
        assert text in page
    assert "| `ttl.math.cube`, `~expr` | 0.1.0 | 0.2.0 |" in files["docs/reference/functionality.md"]

    kind = BlockType.of((1, 1), BFLOAT16)
    assert CUBE.infer((kind,), (2,)) is kind
    assert CUBE.evaluate([np.full((32, 32), 3, np.float32)], (2,), kind)[0, 0] == 54
    assert "ttl.math.cube(a_blk, factor=2)" in program(CUBE)


@pytest.mark.parametrize("name", sorted(generated()))
def test_generated_files_are_fresh(name: str) -> None:
    path = ROOT / name
    assert path.read_text(encoding="utf-8") == generated()[name], "run python -m ttl.rows.generate"


def test_stubs_are_python() -> None:
    for text in stubs().values():
        ast.parse(text)


@pytest.mark.parametrize("row", OPS, ids=repr)
def test_the_example_of_a_row_runs(row: Op, tmp_path: Path) -> None:
    install()
    text = program(row)
    path = tmp_path / f"{row.name}.py"
    path.write_text(text, encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, str(path), "exec"), {"__name__": "__main__", "__file__": str(path)})
    assert "64, " in printed.getvalue()
