"""Names in messages are the user's: the variable of a buffer, the operands of an expression."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_program

PROGRAM = """
import torch
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def operation(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    row_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk, row_dfb.reserve() as row_blk:
            ttl.copy(a[0, 0:2], a_blk).wait()
            ttl.copy(a[0, 0], row_blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as x_blk, row_dfb.wait() as row_blk, y_dfb.reserve() as y_blk:
            EXPRESSION

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0:2]).wait()


a = ttnn.from_torch(torch.ones(32, 64), layout=ttnn.TILE_LAYOUT)
operation(a, ttnn.zeros_like(a))
"""


@pytest.mark.parametrize(
    ("expression", "note"),
    [
        ("y_blk.store(x_blk * 2 + row_blk)", "here a is x_blk * 2 and b is row_blk"),
        ("y_blk.store(ttl.math.max(row_blk, x_blk))", "here a is row_blk and b is x_blk"),
        ("y_blk.store(row_blk < x_blk)", "here a is row_blk and b is x_blk"),
        ("x_blk @= row_blk", "here a is x_blk and b is row_blk"),
        (
            "y_blk.store(ttl.block.where(x_blk, x_blk, row_blk))",
            "here condition is x_blk, true_value is x_blk and false_value is row_blk",
        ),
    ],
)
def test_operands_are_named_as_the_user_wrote_them(expression: str, note: str, tmp_path: Path) -> None:
    outcome = run_program(PROGRAM.replace("EXPRESSION", expression), folder=tmp_path)
    assert f"= note: {note}\n" in outcome.stderr


@pytest.mark.parametrize(
    "expression", ["y_blk.store(ttl.math.reduce_sum(x_blk, dims=[5]))", "y_blk.store(x_blk ^ 0.5)"]
)
def test_nothing_is_said_where_only_one_operand_is_a_block(expression: str, tmp_path: Path) -> None:
    outcome = run_program(PROGRAM.replace("EXPRESSION", expression), folder=tmp_path)
    assert "TTL04" in outcome.stderr
    assert "here" not in outcome.stderr


def test_a_buffer_has_the_name_of_its_variable(tmp_path: Path) -> None:
    outcome = run_program(PROGRAM.replace("EXPRESSION", "print(row_dfb)"), folder=tmp_path)
    assert "<row_dfb:" in outcome.stdout
