"""Pipe nets: nodes of the grid, both ends used, equal blocks (specification, "Pipe", "Pipe net")."""

from __future__ import annotations

import pytest

from support.memory_ir import Program, line_of, place, tensor, tiles
from ttl.check.pipes import check
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect

TILE = tiles(1, 1)
UNICAST = ((0, 0), (1, 0))
MULTICAST = ((0, 0), ((1, 4), 0))


def only(found: list[Diagnostic]) -> Diagnostic:
    (finding,) = found
    return finding


def program(*grid: int) -> Program:
    return Program(grid, x=tensor(128, 128))


def test_a_net_with_both_ends_is_fine() -> None:
    p = program(4, 1)
    dfb = p.buffer("dfb", TILE)
    net = p.net(MULTICAST)
    with p.kernel("move"):
        with p.if_pipe(net, "src") as pipe:
            p.send(dfb, pipe)
        with p.if_pipe(net, "dst") as pipe:
            p.receive(pipe, dfb)
    assert not p.found_by(check)


def test_a_net_that_nobody_uses_has_no_effect() -> None:
    p = program(2, 1)
    p.net(((5, 5), (1, 0)))
    with p.kernel("move"):
        pass
    assert not p.found_by(check)


@pytest.mark.parametrize("pipe", [((0, 0), (2, 0)), ((2, 0), (0, 0)), ((0, 0), ((1, 3), 0))])
def test_nodes_outside_of_the_grid(pipe: tuple[tuple[int, int], tuple[int, int]]) -> None:
    p = program(2, 1)
    dfb = p.buffer("dfb", TILE)
    net = p.net(pipe)
    with p.kernel("move"):
        with p.if_pipe(net, "src") as end:
            p.send(dfb, end)
        with p.if_pipe(net, "dst") as end:
            p.receive(end, dfb)
    finding = only(p.found_by(check))
    assert finding.code == "TTL0603"
    assert line_of(finding) == place(net.owner)


def test_conditions_in_a_compute_kernel() -> None:
    p = program(2, 1)
    dfb = p.buffer("dfb", TILE)
    net = p.net(UNICAST)
    with p.kernel("compute", compute=True), p.if_pipe(net, "src") as pipe:
        p.send(dfb, pipe)
    finding = only(p.found_by(check))
    assert (finding.code, finding.message) == ("TTL0610", "PipeNet.if_src() in compute kernel compute")


def test_one_send_and_no_receive() -> None:
    p = program(4, 1)
    dfb = p.buffer("dfb", TILE)
    net = p.net(MULTICAST)
    with p.kernel("move"), p.if_pipe(net, "src") as pipe:
        send = p.send(dfb, pipe)
    finding = only(p.found_by(check))
    assert finding.code == "TTL0903"
    assert finding.message == (
        "send on net's pipe from (0, 0) to (slice(1, 4), 0) was never received on nodes (1, 0), (2, 0), (3, 0)"
    )
    assert finding.notes == ("sent 1, received 0 of 3", "in kernel move on node (0, 0)")
    assert line_of(finding) == place(send)


def test_two_sends_and_no_receive_are_a_deadlock() -> None:
    p = program(4, 1)
    dfb = p.buffer("dfb", TILE)
    net = p.net(MULTICAST)
    with p.kernel("move"), p.loop("m", 0, 2), p.if_pipe(net, "src") as pipe:
        send = p.send(dfb, pipe)
    finding = only(p.found_by(check))
    assert finding.code == "TTL0919"
    assert line_of(finding) == place(send) + 1  # where it is waited for
    assert (
        "move on node (0, 0) waits to send on net's pipe from (0, 0) to (slice(1, 4), 0)" in finding.message
    )


def test_a_receive_and_no_send_is_a_deadlock() -> None:
    p = program(4, 1)
    dfb = p.buffer("dfb", TILE)
    net = p.net(UNICAST, ((0, 0), (2, 0)))
    with p.kernel("move"), p.if_pipe(net, "dst") as pipe:
        p.receive(pipe, dfb)
    finding = only(p.found_by(check))
    assert finding.code == "TTL0918"
    assert finding.message == (
        "deadlock: move on node (1, 0) waits to receive from net's pipe from (0, 0) to (1, 0), on which nothing is sent"
    )


def test_what_never_runs_is_no_mistake() -> None:
    p = program(4, 1)
    dfb = p.buffer("dfb", TILE)
    net = p.net(UNICAST)
    with p.kernel("move"), p.where("eq", p.node[0], 3), p.if_pipe(net, "dst") as pipe:
        p.receive(pipe, dfb)
    assert not p.found_by(check)


def test_an_end_that_is_only_asked_for_needs_no_other() -> None:
    p = program(2, 1)
    net = p.net(UNICAST)
    with p.kernel("move"):
        p.emit(dialect.IsPipeSrcOp(net))
    assert not p.found_by(check)


@pytest.mark.parametrize("second", [False, True])
def test_different_blocks_at_the_two_ends(second: bool) -> None:
    """With a second send of a block that fits, it depends on the order: no finding here."""
    p = program(2, 1)
    dfb, wide = p.buffer("dfb", TILE), p.buffer("wide_dfb", tiles(1, 2))
    net = p.net(UNICAST)
    with p.kernel("move"):
        with p.if_pipe(net, "src") as pipe:
            send = p.send(dfb, pipe)
            if second:
                p.send(wide, pipe)
        with p.if_pipe(net, "dst") as pipe:
            receive = p.receive(pipe, wide)
    found = p.found_by(check)
    if second:
        assert not found
        return
    finding = only(found)
    assert finding.code == "TTL0611"
    assert finding.message == (
        "pipe sends a block of (1, 1) tiles = (32, 32) elements of bfloat16 and receives into a block of wide_dfb "
        "of (1, 2) tiles = (32, 64) elements of bfloat16"
    )
    assert "in kernel move on node (1, 0)" in finding.notes
    assert line_of(finding) == place(receive) + 1
    (label,) = finding.secondary
    assert (label.span.line, label.text) == (place(send), "sent here by kernel move on node (0, 0)")
