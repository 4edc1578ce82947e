"""A block that is popped and not read: a warning, which says whether anybody reads what comes through its buffer.

LANGUAGE: cards run it, and idle nodes of ``with scale.wait() as s: for t in my_tiles: ...`` lose nothing. Checker, simulator and the
emulated chip say the same, once per line.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=({nodes}, 1))
def scaled(x, scale, out):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    scale_dfb = ttl.make_dataflow_buffer_like(scale, shape=(1, 1))
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))
    my_tiles = range(ttl.node(dims=1), {tiles}, {nodes})

    @ttl.compute()
    def compute():
{compute}

    @ttl.datamovement()
    def read():
        with scale_dfb.reserve() as scale_blk:
            ttl.copy(scale[0, 0], scale_blk).wait()
        for tile in my_tiles:
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[0, tile], x_blk).wait()

    @ttl.datamovement()
    def write():
        for tile in my_tiles:
            with out_dfb.wait() as out_blk:
                ttl.copy(out_blk, out[0, tile]).wait()


def tensor(make, columns):
    return make((32, columns), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)


device = ttnn.open_device(device_id=0)
out = tensor(ttnn.zeros, 96)
scaled(tensor(ttnn.ones, 96), tensor(ttnn.ones, 32), out)
print(ttnn.to_torch(out).sum().item())
"""

IN_A_WITH = """
        with scale_dfb.wait() as scale_blk:
            for tile in my_tiles:
                with x_dfb.wait() as x_blk, out_dfb.reserve() as out_blk:
                    out_blk.store(x_blk * scale_blk)
"""
WITH_A_POP = """
        scale_blk = scale_dfb.wait()
        for tile in my_tiles:
            with x_dfb.wait() as x_blk, out_dfb.reserve() as out_blk:
                out_blk.store(x_blk * scale_blk)
        scale_blk.pop()
"""
WITHOUT_A_POP = WITH_A_POP.replace("        scale_blk.pop()\n", "")
NEVER_READ = IN_A_WITH.replace("x_blk * scale_blk", "2 * x_blk")
# What was read is written over: that result is lost on every node.
WRITTEN_OVER = IN_A_WITH.replace(
    "for tile in", "scale_blk.store(2 * scale_blk)\n            for tile in"
).replace("x_blk * scale_blk", "2 * x_blk")
RUNS = (
    ["check"],
    ["run", "--no-check"],
    ["run", "--target", "emu"],
)


def told(
    arguments: list[str], compute: str, folder: Path, *, nodes: int = 5, tiles: int = 3, factor: int = 1
) -> list[str]:
    """What a command says about the program: severity, code and line of each diagnostic."""
    source = PROGRAM.format(compute=compute.strip("\n"), nodes=nodes, tiles=tiles)
    (folder / "program.py").write_text(source, encoding="utf-8")
    outcome = run_ttl([*arguments, "program.py"], folder=folder)
    text = outcome.stdout + outcome.stderr
    errors = "error[" in text
    assert (outcome.status != 0) == errors, text
    if arguments[0] == "run" and not errors:
        assert outcome.stdout == f"{32 * 32.0 * tiles * factor}\n"
    return re.findall(r"^(\w+\[TTL\d+\]).*\n +--> program.py:(\d+)", text, re.MULTILINE)


@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
@pytest.mark.parametrize(
    ("compute", "line"),
    [(IN_A_WITH, "15"), (WITH_A_POP, "19"), (WITHOUT_A_POP, "15")],
    ids=["with", "pop", "none"],
)
def test_an_idle_node_that_gives_a_block_back_is_told_once(
    arguments: list[str], compute: str, line: str, tmp_path: Path
) -> None:
    assert told(arguments, compute, tmp_path) == [("warning[TTL0303]", line)]


@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
def test_no_node_is_idle(arguments: list[str], tmp_path: Path) -> None:
    assert told(arguments, IN_A_WITH, tmp_path, nodes=3) == []


@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
def test_all_nodes_are_idle_but_another_path_reads(arguments: list[str], tmp_path: Path) -> None:
    found = told(arguments, IN_A_WITH, tmp_path, tiles=0)
    # The checker also says that the loop's buffers are not used.
    assert [each for each in found if each[0] != "warning[TTL0907]"] == [("warning[TTL0303]", "15")]


@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
def test_what_nobody_reads_is_told_and_runs(arguments: list[str], tmp_path: Path) -> None:
    assert told(arguments, NEVER_READ, tmp_path, factor=2) == [("warning[TTL0303]", "15")]


@pytest.mark.parametrize("arguments", RUNS, ids=" ".join)
def test_a_result_that_is_written_into_a_waited_block_is_lost(arguments: list[str], tmp_path: Path) -> None:
    assert told(arguments, WRITTEN_OVER, tmp_path) == [("error[TTL0303]", "15")]
