"""Where an error points: at the operand, argument or with item that is wrong, and at what led to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.findings import only, program

_BLOCKS = [
    ("compute", "y_blk.store(y_blk + x_blk)", "TTL0301", "y_blk"),
    ("compute", "y_blk.store(x_blk * y_blk)", "TTL0301", "y_blk"),
    ("compute", "y_blk.store(ttl.math.max(x_blk, y_blk))", "TTL0301", "y_blk"),
    ("compute", "y_blk.store(-y_blk)", "TTL0301", "y_blk"),
    ("compute", "y_blk.store(y_blk)", "TTL0301", "y_blk"),
    ("compute", "y_blk.store(x_blk); y_blk.store(x_blk)", "TTL0304", "y_blk.store(x_blk)"),
    ("compute", "x_blk.push()", "TTL0308", "x_blk.push()"),
    ("compute", "y_blk.pop()", "TTL0309", "y_blk.pop()"),
    ("read", "ttl.copy(x_blk, y[0, 0])", "TTL0301", "x_blk"),
    ("read", "xf = ttl.copy(x[0, 0], x_blk); ttl.copy(x[0, 0], x_blk); xf.wait()", "TTL0305", "x_blk"),
    ("read", "ttl.copy(x[0, 0], x_blk).wait(); ttl.copy(x[0, 0], x_blk).wait()", "TTL0304", "x_blk"),
    ("read", "blk = 2 * x_blk", "TTL0312", "x_blk"),
    ("read", "x_blk.store(x_blk)", "TTL0313", "x_blk.store(x_blk)"),
]


@pytest.mark.parametrize(("place", "statement", "code", "at"), _BLOCKS, ids=[case[1] for case in _BLOCKS])
def test_the_operand_is_pointed_at(place: str, statement: str, code: str, at: str, tmp_path: Path) -> None:
    found = only(program(**{place: statement}), tmp_path)
    assert (found.code, found.at) == (code, at), found


def test_the_end_of_a_with_statement_is_its_item(tmp_path: Path) -> None:
    """Python gives the call that ends a with statement the place of the whole statement."""
    found = only(program(compute="with x_dfb.wait() as second_blk:\n    pass"), tmp_path, "--strict")
    assert found.code == "TTL0914" or found.at == "x_dfb.wait()"
    never_written = program(write="with x_dfb.reserve() as other_blk:\n    pass")
    assert only(never_written, tmp_path).at == "x_dfb.reserve()"


def test_the_returned_value_is_pointed_at(tmp_path: Path) -> None:
    early = "if x_blk.shape:\n    y_blk.store(2 * x_blk)\n    return [1, 2]"
    found = only(program(compute=early, grid="(1, 1)"), tmp_path)
    assert (found.code, found.at) == ("TTL0206", "[1, 2]")


def test_several_nodes_say_which(tmp_path: Path) -> None:
    found = only(program(compute="if ttl.node(dims=1) == 3:\n    y_blk.pop()", grid="(2, 2)"), tmp_path)
    assert found.code == "TTL0309"
    assert "in kernel compute on node (1, 1)" in found.notes


@pytest.mark.parametrize("column", ["é = ", "日本 = ", ""])
def test_columns_count_characters(column: str, tmp_path: Path) -> None:
    found = only(program(compute=f"{column}y_blk + 1"), tmp_path)
    assert (found.code, found.at) == ("TTL0301", "y_blk")
