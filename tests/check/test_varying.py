"""What depends on the node: sizes of slices, nodes of semaphores. The checks say before what a run says then."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from ttl import settings
from ttl.check.file import check_file
from ttl.diag import Diagnostic, TTLError

PROGRAM = """\
import ttl
import ttnn


@ttl.operation(grid=(4, 1))
def op(x, y):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(2, 1))
    signal = ttl.Semaphore(0)
    n, _ = ttl.node(dims=2)
    {body}

    @ttl.datamovement()
    def read():
        {read}

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            {write}


x = ttnn.zeros((256, 256), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((256, 256), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
op(x, y)
"""
READ = "with dfb.reserve() as blk:\n            ttl.copy({}, blk).wait()"
WRITE = "ttl.copy(blk, {}).wait()"
PLAIN = {"body": "", "read": READ.format("x[0:2, n]"), "write": WRITE.format("y[0:2, n]")}


def said(folder: Path, **parts: str) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """What the checks find, and what a run without them stops with."""
    program = folder / "program.py"
    program.write_text(PROGRAM.format(**{**PLAIN, **parts}), encoding="utf-8")
    found = list(check_file(str(program), settings.current()).findings)
    with settings.override(check="off"):
        try:
            runpy.run_path(str(program))
        except TTLError as raised:
            return found, list(raised.diagnostics)
    return found, []


WRONG = {
    "a slice that grows with the node": (
        {"read": READ.format("x[0 : n + 2, 0]")},
        "TTL0515",
        "in kernel read on node (1, 0)",
    ),
    "a slice that grows with the loop": (
        {
            "read": f"for i in range(1, 3):\n            if n > i + 1:\n                {READ}".replace(
                "\n            ttl", "\n                    ttl"
            ).format("x[0:i, 0]")
        },
        "TTL0515",
        "in kernel read on node (3, 0), when i is 1",
    ),
    "a slice that is written": (
        {"write": WRITE.format("y[n : 2 * n + 2, n]")},
        "TTL0515",
        "in kernel write on node (1, 0)",
    ),
    "a dimension more": (
        {"read": READ.format("x[0:2, 0 : n + 1]")},
        "TTL0515",
        "in kernel read on node (1, 0)",
    ),
    "the next node of the last": (
        {"read": f"signal.get_remote((n + 1, 0)).inc(1)\n        {PLAIN['read']}"},
        "TTL0603",
        "in kernel read on node (3, 0)",
    ),
    "the node before the first": (
        {"read": f"signal.get_remote((n - 1, 0)).inc(1)\n        {PLAIN['read']}"},
        "TTL0603",
        "in kernel read on node (0, 0)",
    ),
    "the next node, named before the kernels": (
        {"body": "after = signal.get_remote((n + 1, 0))"},
        "TTL0603",
        "",
    ),
    "a range that ends outside": (
        {"read": f"signal.get_remote_multicast((slice(1, n + 2), 0)).set(1)\n        {PLAIN['read']}"},
        "TTL0603",
        "in kernel read on node (3, 0)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_on_some_nodes_is_found_before(name: str, tmp_path: Path) -> None:
    parts, code, where = WRONG[name]
    found, raised = said(tmp_path, **parts)
    (wrong,) = [each for each in found if each.code == code]
    (stopped,) = raised
    turn = where.partition(", when")[0]
    assert not where or (where in wrong.notes and turn in stopped.notes)
    assert wrong.message == stopped.message and wrong.code == stopped.code
    assert wrong.primary == stopped.primary and wrong.help == stopped.help
    assert wrong.secondary == stopped.secondary


RIGHT = {
    "a size that is always that of the block": {"read": READ.format("x[n : 2 * n - n + 2, n]")},
    "only where it fits": {
        "read": f"if n == 0:\n            {READ}\n        else:\n            {READ}".replace(
            "\n            ttl", "\n                ttl"
        ).format("x[0 : n + 2, 0]", "x[0:2, n]")
    },
    "the next node but for the last": {
        "read": f"if n < 3:\n            signal.get_remote((n + 1, 0)).inc(1)\n        {PLAIN['read']}"
    },
    "the next node around the edge": {
        "read": f"signal.get_remote(((n + 1) % 4, 0)).inc(1)\n        {PLAIN['read']}"
    },
    "a range up to the edge": {
        "read": f"signal.get_remote_multicast((slice(n, 4), 0)).set(1)\n        {PLAIN['read']}"
    },
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_on_every_node_is_no_finding(name: str, tmp_path: Path) -> None:
    found, raised = said(tmp_path, **RIGHT[name])
    assert [each.code for each in [*found, *raised] if each.code in ("TTL0515", "TTL0603")] == []
