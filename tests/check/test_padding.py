"""Padding that meets data: checker and simulator say the same, at the same line, and the sanitizer shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=({nodes}, 1))
def op(x, v, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape={block})
    v_dfb = ttl.make_dataflow_buffer_like(v, shape={vector})
    t_dfb = ttl.make_dataflow_buffer_like(x, shape={block})
    y_dfb = ttl.make_dataflow_buffer_like(y, shape={out})
    if {nodes} > 1:
        net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(slice(1, {nodes}), 0))])
    node = ttl.node(dims=1)

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as blk:
            ttl.copy(x[:, :], blk).wait()
        with v_dfb.reserve() as blk:
{read}

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, v_dfb.wait() as v_blk, y_dfb.reserve() as y_blk:
{compute}

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[:, :]).wait()


def ones(shape):
    return ttnn.ones(shape, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)


device = ttnn.open_device(device_id=0)
y = ones({y})
op(ones({x}), ones({v}), y)
print("nan" if bool(ttnn.to_torch(y).isnan().any()) else "numbers")
"""
READ = "ttl.copy(v[:, :], blk).wait()"
SEND = """
def send(pipe):
    ttl.copy(v[:, :], blk).wait()
    ttl.copy(blk, pipe).wait()


def receive(pipe):
    ttl.copy(pipe, blk).wait()


net.if_src(send)
if node != 0:
    net.if_dst(receive)
"""
VIA = "with t_dfb.reserve() as t_blk:\n    t_blk.store({})\nwith t_dfb.wait() as t_blk:\n    y_blk.store({})"


def tiles(shape: tuple[int, int]) -> tuple[int, int]:
    return -(-shape[0] // 32), -(-shape[1] // 32)


def source(
    compute: str,
    x: tuple[int, int] = (32, 64),
    v: tuple[int, int] = (1, 64),
    y: tuple[int, int] = (32, 64),
    read: str = READ,
    nodes: int = 1,
) -> str:
    """A program of one compute kernel over blocks of whole tensors."""
    parts = {"x": x, "v": v, "y": y, "block": tiles(x), "vector": tiles(v), "out": tiles(y), "nodes": nodes}
    bodies = {name: _indented(text) for name, text in (("compute", compute), ("read", read))}
    return PROGRAM.format(**parts, **bodies)


def _indented(text: str) -> str:
    return "\n".join(" " * 12 + line for line in text.strip("\n").splitlines())


def run(arguments: list[str], program: str, folder: Path) -> tuple[list[tuple[str, str]], str, str]:
    """Codes of warnings about padding with the text of their lines; what the program printed; the whole report."""
    (folder / "program.py").write_text(program, encoding="utf-8")
    outcome = run_ttl([*arguments, "program.py"], folder=folder)
    assert outcome.status == 0, outcome.stderr
    text = outcome.stderr + outcome.stdout
    found = re.findall(r"^warning\[(TTL0430|TTL0431|TTL0517)\].*?\n +--> program.py:(\d+)", text, re.M)
    lines = program.splitlines()
    return [(code, lines[int(line) - 1].strip()) for code, line in found], outcome.stdout, text


def same_everywhere(program: str, folder: Path) -> tuple[list[tuple[str, str]], str]:
    """What check and run say, which is the same; and what comes out with the sanitizer."""
    checked, _, _ = run(["check"], program, folder)
    ran, printed, _ = run(["run", "--no-check"], program, folder)
    assert checked == ran
    assert printed == "numbers\n"
    _, sanitized, _ = run(["run", "--no-check", "--sanitize"], program, folder)
    return ran, sanitized.strip()


ADD = "y_blk.store(x_blk + v_blk)"
WRONG = {
    "a row": (source(ADD), "TTL0430", ADD, ["dims=[-2], shape=(1, 2)"]),
    "a column": (source(ADD, x=(64, 32), v=(64, 1), y=(64, 32)), "TTL0430", ADD, ["dims=[-1], shape=(2, 1)"]),
    "a number": (source(ADD, (32, 32), (1, 1), (32, 32)), "TTL0430", ADD, ["dims=[-2, -1], shape=(1, 1)"]),
    "the left operand": (
        source("y_blk.store(v_blk - x_blk)"),
        "TTL0430",
        "y_blk.store(v_blk - x_blk)",
        ["dims=[-2]"],
    ),
    "deep inside": (
        source("y_blk.store(ttl.math.exp(2 * x_blk * v_blk) + 1)"),
        "TTL0430",
        "y_blk.store(ttl.math.exp(2 * x_blk * v_blk) + 1)",
        ["ttl.block.broadcast(v_blk, dims=[-2], shape=(1, 2))"],
    ),
    "an argument": (
        source("y_blk.store(ttl.math.max(x_blk, v_blk))"),
        "TTL0430",
        "y_blk.store(ttl.math.max(x_blk, v_blk))",
        ["dims=[-2]"],
    ),
    "a choice": (
        source("y_blk.store(ttl.block.where(x_blk - 1, x_blk, v_blk))"),
        "TTL0430",
        "y_blk.store(ttl.block.where(x_blk - 1, x_blk, v_blk))",
        ["dims=[-2]"],
    ),
    "through a pipe": (source(ADD, read=SEND, nodes=2), "TTL0430", ADD, ["dims=[-2]"]),
    "through a buffer": (
        source(VIA.format("x_blk * v_blk", "t_blk + 1")),
        "TTL0430",
        "t_blk.store(x_blk * v_blk)",
        ["dims=[-2]"],
    ),
    "turned over": (
        source("y_blk.store(x_blk + ttl.block.transpose(v_blk))", (32, 32), (32, 1), (32, 32)),
        "TTL0430",
        "y_blk.store(x_blk + ttl.block.transpose(v_blk))",
        ["ttl.block.broadcast(ttl.block.transpose(v_blk), dims=[-2]"],
    ),
    "another edge": (source(ADD, (32, 50), (32, 40), (32, 50)), "TTL0430", ADD, ["ttnn.pad"]),
    "below a sum": (
        source("y_blk.store(ttl.math.reduce_sum(x_blk * v_blk, dims=[-2]))", y=(1, 64)),
        "TTL0430",
        "y_blk.store(ttl.math.reduce_sum(x_blk * v_blk, dims=[-2]))",
        ["is reduced over them", "dims=[-2]"],
    ),
    "below a maximum": (
        source("y_blk.store(ttl.math.reduce_max(x_blk + v_blk, dims=[-1]))", (64, 32), (64, 1), (64, 1)),
        "TTL0430",
        "y_blk.store(ttl.math.reduce_max(x_blk + v_blk, dims=[-1]))",
        ["is reduced over them", "dims=[-1]"],
    ),
    "factors": (
        source("y_blk.store(x_blk @ v_blk)", (32, 32), (1, 32), (32, 32)),
        "TTL0431",
        "y_blk.store(x_blk @ v_blk)",
        ["x_blk has 32 columns of data, v_blk has 1 row"],
    ),
    "factors with edges": (
        source("y_blk.store(x_blk @ v_blk)", (32, 50), (40, 32), (32, 32)),
        "TTL0431",
        "y_blk.store(x_blk @ v_blk)",
        ["sums over 40"],
    ),
    "a copy": (
        source("y_blk.store(x_blk + v_blk)", (20, 32), (20, 32), (32, 32)),
        "TTL0517",
        "ttl.copy(y_blk, y[:, :]).wait()",
        ["block of y_dfb has 20 rows of data", "32 rows of a tensor"],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_padding_that_meets_data_is_told_at_its_line(name: str, tmp_path: Path) -> None:
    program, code, line, words = WRONG[name]
    found, sanitized = same_everywhere(program, tmp_path)
    assert found == [(code, line)]
    assert sanitized == "nan"
    _, _, text = run(["check"], program, tmp_path)
    assert all(word in text for word in words), text


FIXED = [name for name, (_, code, _, words) in WRONG.items() if code == "TTL0430" and "ttnn.pad" not in words]


@pytest.mark.parametrize("name", FIXED)
def test_the_fix_makes_it_right(name: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(WRONG[name][0], encoding="utf-8")
    assert run_ttl(["check", "--fix", "program.py"], folder=tmp_path).status == 0
    assert same_everywhere((tmp_path / "program.py").read_text(encoding="utf-8"), tmp_path) == ([], "numbers")


FULL = "ttl.block.broadcast(v_blk, dims=[-2], shape=(1, 2))"
RIGHT = {
    "broadcast": source(f"y_blk.store(x_blk + {FULL})"),
    "the same edge": source(ADD, (20, 50), (20, 50), (20, 50)),
    "a row of the result": source(ADD, y=(1, 64)),
    "a sum and a row": source("y_blk.store(ttl.math.reduce_sum(x_blk, dims=[-2]) + v_blk)", y=(1, 64)),
    "a sum of an edge": source(
        "y_blk.store(ttl.math.reduce_sum(x_blk, dims=[-1]) * v_blk)", (20, 50), (20, 1), (20, 1)
    ),
    "a maximum of an edge": source(
        "y_blk.store(ttl.math.reduce_max(x_blk * v_blk, dims=[-1]))", (20, 50), (20, 50), (20, 1)
    ),
    "numbers": source("y_blk.store(2 * x_blk + v_blk - 1)", (20, 50), (20, 50), (20, 50)),
    "constants": source(
        "y_blk.store(ttl.block.fill(1, shape=(1, 2)) + x_blk + v_blk)", (20, 50), (20, 50), (20, 50)
    ),
    "a softmax of an edge": source(
        "top = ttl.block.broadcast(ttl.math.reduce_max(x_blk, dims=[-1]), dims=[-1], shape=(1, 2))\n"
        "e = ttl.math.exp(x_blk - top + v_blk - v_blk)\n"
        "total = ttl.block.broadcast(ttl.math.reduce_sum(e, dims=[-1]), dims=[-1], shape=(1, 2))\n"
        "y_blk.store(e / total)",
        (20, 50),
        (20, 50),
        (20, 50),
    ),
    "factors with the same edge": source("y_blk.store(x_blk @ v_blk)", (20, 50), (50, 7), (20, 7)),
    "a factor that fills its tiles": source("y_blk.store(x_blk @ v_blk)", (20, 50), (64, 7), (20, 7)),
    "a tile of ones in a sum": source(
        "y_blk.store(ttl.math.reduce_sum(x_blk * v_blk, dims=[-1]))", (20, 50), (32, 64), (20, 1)
    ),
    "a row that meets a row": source(ADD, (1, 64), (1, 64), (1, 64)),
    "through a buffer": source(VIA.format("x_blk * v_blk", "t_blk + 1"), (20, 50), (20, 50), (20, 50)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_said_where_no_data_are_lost(name: str, tmp_path: Path) -> None:
    assert same_everywhere(RIGHT[name], tmp_path) == ([], "numbers")


def test_the_native_core_leaves_the_same_to_be_said(tmp_path: Path) -> None:
    """A copy that covers the part of the tensor stays native; one that does not is told once for all nodes."""
    program = source(ADD, read=SEND, nodes=3)
    _, _, text = run(["run", "--no-check"], program, tmp_path)
    assert text.count("TTL0430") == 1
