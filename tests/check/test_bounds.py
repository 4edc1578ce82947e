"""Slices of tensors at every node and in every turn of a loop (specification, "Tensor slice")."""

from __future__ import annotations

import pytest

from support.memory_ir import Program, elements, line_of, place, tensor, tiles
from ttl.check.bounds import check_slices
from ttl.diag import Diagnostic
from ttl.rows.dtypes import FLOAT32


def only(found: list[Diagnostic]) -> Diagnostic:
    (finding,) = found
    return finding


def program(*grid: int) -> Program:
    """With a tensor ``x`` of (2, 4) tiles."""
    return Program(grid, x=tensor(64, 128))


@pytest.mark.parametrize("turns", [4, 5])
def test_the_first_node_and_turn_that_leave_the_tensor_are_named(turns: int) -> None:
    p = program(2, 1)
    x_dfb = p.buffer("x_dfb", tiles(1, 1))
    with p.kernel("read"), p.loop("m", 0, turns) as m:
        p.read(x_dfb, "x", p.node[0], m)
    found = p.found_by(check_slices)
    if turns == 4:
        assert not found
        return
    assert only(found).code == "TTL0507"
    assert only(found).message == "index 4 is out of range in dimension 1, which has 4 tiles"
    assert "in kernel read on node (0, 0), when m is 4" in only(found).notes


def test_the_place_is_the_slice() -> None:
    p = program(1, 1)
    with p.kernel("read"):
        part = p.slice("x", 2, 0)
    assert line_of(only(p.found_by(check_slices))) == place(part.owner)


def test_a_node_beyond_the_tensor_is_named() -> None:
    p = program(3, 1)
    with p.kernel("read"):
        p.slice("x", p.node[0], 0)
    finding = only(p.found_by(check_slices))
    assert finding.message == "index 2 is out of range in dimension 0, which has 2 tiles"
    assert "in kernel read on node (2, 0)" in finding.notes


def test_a_slice_counts_only_where_its_condition_holds() -> None:
    p = program(8, 1)
    with p.kernel("read"), p.where("slt", p.node[0], 2):
        p.slice("x", p.node[0], 0)
    assert not p.found_by(check_slices)


@pytest.mark.parametrize("nodes", [3, 4])
def test_a_loop_that_depends_on_the_node_counts_on_each_as_it_runs(nodes: int) -> None:
    p = program(nodes, 1)
    with p.kernel("read"), p.loop("m", 0, p.node[0]) as m:
        p.slice("x", m, 0)
    found = p.found_by(check_slices)
    assert bool(found) is (nodes == 4)
    if found:
        assert "in kernel read on node (3, 0), when m is 2" in only(found).notes


def test_a_loop_that_never_runs_does_not_count() -> None:
    p = program(2, 1)
    with p.kernel("read"), p.loop("m", 5, 5) as m:
        p.slice("x", m, 0)
    assert not p.found_by(check_slices)


def test_the_end_of_a_slice_counts_too() -> None:
    p = program(2, 1)
    with p.kernel("read"):
        p.slice("x", 0, (p.times(p.node[0], 3), 3))
    finding = only(p.found_by(check_slices))
    assert finding.message == "slice 3:6 is out of range in dimension 1, which has 4 tiles"
    assert "in kernel read on node (1, 0)" in finding.notes


def test_an_empty_slice_has_a_code_of_its_own() -> None:
    p = program(2, 1)
    with p.kernel("read"):
        p.slice("x", 1, (0, p.node[0]))
    finding = only(p.found_by(check_slices))
    assert (finding.code, finding.message) == ("TTL0509", "empty slice 0:0 in dimension 1")


def test_negative_indices_do_not_count_from_the_end() -> None:
    p = program(2, 1)
    with p.kernel("read"):
        p.slice("x", p.plus(p.node[0], -1), 0)
    finding = only(p.found_by(check_slices))
    assert finding.message == "index -1 is out of range in dimension 0, which has 2 tiles"
    assert "in kernel read on node (0, 0)" in finding.notes


def test_extents_that_are_not_given_are_not_guessed() -> None:
    p = Program((8, 1), x=tensor(-1, 64))
    with p.kernel("read"):
        p.slice("x", p.node[0], 1)
        p.slice("x", 0, p.node[0])
    assert (
        only(p.found_by(check_slices)).message == "index 2 is out of range in dimension 1, which has 2 tiles"
    )


def test_tensors_are_padded_to_whole_tiles() -> None:
    p = Program((1, 1), x=tensor(33, 1))
    with p.kernel("read"), p.loop("m", 0, 2) as m:
        p.slice("x", m, 0)
    assert not p.found_by(check_slices)


def test_row_major_slices_count_elements() -> None:
    p = Program((1, 1), x=tensor(4, 100, dtype=FLOAT32, layout="row_major"))
    x_dfb = p.buffer("x_dfb", elements(40, dtype=FLOAT32))
    with p.kernel("read"), p.loop("m", 0, 3) as m:
        p.read(x_dfb, "x", 0, (p.times(m, 40), 40))
    finding = only(p.found_by(check_slices))
    assert finding.message == "slice 80:120 is out of range in dimension 1, which has 100 elements"


@pytest.mark.parametrize("turns", [1 << 12, 1 << 30])
def test_loops_without_influence_on_the_slice_do_not_count(turns: int) -> None:
    p = program(2, 1)
    with p.kernel("read"), p.loop("k", 0, turns):
        p.slice("x", p.node[0], 4)
    assert "in kernel read on node (0, 0)" in only(p.found_by(check_slices)).notes


@pytest.mark.parametrize("rows", [1 << 11, (1 << 11) + 1])
def test_of_too_many_turns_the_first_and_the_last_are_looked_at(rows: int) -> None:
    p = Program((1, 1), x=tensor(1 << 21, 64, layout="row_major"))
    with p.kernel("read"), p.loop("m", 0, rows) as m, p.loop("n", 0, 1 << 10) as n:
        p.slice("x", p.plus(p.times(m, 1 << 10), n), 0)
    found = p.found_by(check_slices)
    assert bool(found) is (rows > 1 << 11)
    if found:
        assert (
            only(found).message == "index 2097152 is out of range in dimension 0, which has 2097152 elements"
        )
        assert "in kernel read on node (0, 0), when m is 2048 and n is 0" in only(found).notes
