"""What a node has room for: L1, dataflow buffers, semaphores."""

from __future__ import annotations

import pytest

from support.memory_ir import Program, line_of, place, tensor, tiles
from ttl.arch import chip_named
from ttl.check.resources import check
from ttl.diag import Diagnostic


def only(found: list[Diagnostic]) -> Diagnostic:
    (finding,) = found
    return finding


def program() -> Program:
    return Program((2, 1), x=tensor(128, 128))


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
def test_blocks_that_do_not_fit_into_l1(arch: str) -> None:
    p = program()
    p.buffer("small_dfb", tiles(1, 1))
    large = p.buffer("large_dfb", tiles(32, 16))
    finding = only(p.found_by(check, arch))
    available = chip_named(arch).l1_available_bytes
    assert finding.code == "TTL0801"
    assert finding.message == (
        f"dataflow buffers take {2 * 512 * 2048 + 2 * 2048} bytes of L1, and a node of {arch} has {available}"
    )
    assert line_of(finding) == place(large.owner)
    assert "large_dfb  " in finding.notes[0]


def test_more_buffers_than_a_node_has() -> None:
    p = program()
    made = [p.buffer(f"x_dfb{number}", tiles(1, 1)) for number in range(33)]
    finding = only(p.found_by(check))
    assert finding.code == "TTL0802"
    assert line_of(finding) == place(made[32].owner)
    assert finding.primary is not None
    assert finding.primary.text == "the first that exceeds the limit, x_dfb32"
    assert not p_with_buffers(33).found_by(check, "blackhole")


def p_with_buffers(count: int) -> Program:
    p = program()
    for number in range(count):
        p.buffer(f"x_dfb{number}", tiles(1, 1))
    return p


def test_buffers_count_on_the_nodes_that_make_them() -> None:
    """Half of the nodes make one large buffer, the other half makes another: each fits."""
    p = program()
    for node in range(2):
        with p.where("eq", p.node[0], node):
            p.buffer(f"dfb{node}", tiles(16, 16))
    assert not p.found_by(check)
    p = program()
    for name in ("one_dfb", "other_dfb"):
        with p.where("eq", p.node[0], 1):
            p.buffer(name, tiles(16, 16))
    assert only(p.found_by(check)).code == "TTL0801"


@pytest.mark.parametrize("count", [16, 17, 20])
def test_more_semaphores_than_a_node_has(count: int) -> None:
    p = program()
    made = [p.semaphore(f"s{number}") for number in range(count)]
    found = p.found_by(check)
    if count == 16:
        assert not found
        return
    finding = only(found)
    assert (finding.code, finding.message) == ("TTL0803", "17 semaphores, and a node of wormhole has 16")
    assert line_of(finding) == place(made[16].owner)
