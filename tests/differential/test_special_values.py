"""Functions make of special values the same in every execution, but for a table of exceptions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttl
from differential.known import SPECIAL
from differential.special_values import differing, groups
from support.tensors import blank, tiled, values
from ttl.rows.row import Op
from ttl.rows.table import OPS
from ttl.settings import override


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_special_values(dtype: str, tmp_path: Path) -> None:
    found = {each for group, program in groups(dtype) for each in differing(group, program, tmp_path)}
    assert found == set(SPECIAL)


def test_every_function_is_asked() -> None:
    asked = {case.row.name for group, _ in groups("float32") for case in group}
    assert asked == {row.name for row in OPS if _is_function(row)}


def _is_function(row: Op) -> bool:
    return (
        row.family == "elementwise" or row.name in ("where", "mask", "mask_posinf")
    ) and row.accepts != "integer"


@pytest.mark.parametrize("target", ["sim", "emu"])
def test_a_zero_that_reaches_ordinary_numbers(target: str) -> None:
    @ttl.operation(grid=(1, 1))
    def op(x: Any, y: Any) -> None:
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            with x_dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()

        @ttl.compute()
        def compute() -> None:
            with x_dfb.wait() as blk, y_dfb.reserve() as out:
                inverse = ttl.math.recip(ttl.math.clamp(blk, 0, 1))
                out.store(ttl.math.relu_max(inverse, 5) - 1)

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()

    y = blank((32, 32))
    with override(target=target):
        op(tiled(np.full((32, 32), -0.0, np.float32)), y)
    assert (values(y) == 4).all()
