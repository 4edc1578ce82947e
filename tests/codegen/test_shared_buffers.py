"""Programs with more buffers than a node has, or too large ones: who shares, in all executions (ADR 54)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import torch
import ttl
import ttnn

N = 25


@ttl.operation(grid=({nodes}, 1))
def many(x, y):
    ins = [ttl.make_dfb("bf16", ({rows}, 1), 1) for _ in range(N)]
    outs = [ttl.make_dfb("bf16", ({rows}, 1), 1{scope}) for _ in range(N)]
    {more}

    @ttl.datamovement()
    def read():
        for i, dfb in enumerate(ins):
            for _ in range({turns}):
                with dfb.reserve() as blk:
                    ttl.copy(x[0:{rows}, i], blk).wait()

    @ttl.compute()
    def compute():
        for i in {order}:
            for _ in range({turns}):
                with ins[i].wait() as blk, outs[i].reserve() as out:
                    out.store(blk * 2)

    @ttl.datamovement()
    def write():
        for i in {order}:
            for _ in range({turns}):
                with outs[i].wait() as blk:
                    ttl.copy(blk, y[ttl.node(dims=1) * {rows} : (ttl.node(dims=1) + 1) * {rows}, i]).wait()


device = ttnn.open_device(device_id=0)
values = torch.arange(32 * {rows} * 32 * N).remainder(256).reshape(32 * {rows}, 32 * N).bfloat16()
x = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(32 * {rows} * {nodes}, 32 * N).bfloat16(), layout=ttnn.TILE_LAYOUT, device=device)
many(x, y)
assert torch.equal(ttnn.to_torch(y), torch.cat([2 * values] * {nodes})), "wrong"
print("ok")
"""
USUAL = {"nodes": 1, "rows": 1, "turns": 1, "order": "range(N)", "more": "", "scope": ""}


def program(folder: Path, **changes: object) -> Path:
    path = folder / "program.py"
    path.write_text(PROGRAM.format(**{**USUAL, **changes}), encoding="utf-8")
    return path


def test_fifty_buffers_fit_where_their_blocks_go_in_order(tmp_path: Path) -> None:
    """In the simulator, for ``ttl check``, compiled, and on the emulated chip, block by block."""
    program(tmp_path, nodes=2, turns=3)
    for arguments in (["check"], ["run", "--no-check"], ["run", "--target", "emu", "--compare"]):
        outcome = run_ttl([*arguments, "program.py"], folder=tmp_path)
        assert outcome.status == 0, outcome.stderr + outcome.stdout
    assert "equal to the last bit" in outcome.stderr + outcome.stdout
    out = run_ttl(["compile", "--emit", "descriptor", "program.py"], folder=tmp_path)
    assert out.status == 0, out.stderr
    buffers = json.loads(out.stdout)["many"]["circular_buffers"]
    assert len(buffers) == 32
    (ring,) = (buffer for buffer in buffers if buffer["holds"])
    assert len(ring["holds"]) == ring["pages"] == 19
    assert "one ring for" in ring["why"]


def refused(folder: Path, code: str) -> str:
    """What a run, ``ttl check`` and the compiler say, each with the same code; the text of the run."""
    texts = []
    for arguments in (["run", "--no-check"], ["check"], ["compile", "--emit", "cpp"]):
        outcome = run_ttl([*arguments, "program.py"], folder=folder)
        assert code in outcome.stderr + outcome.stdout, (arguments, outcome)
        texts.append(outcome.stderr)
    return texts[0]


def test_the_table_of_what_does_not_share(tmp_path: Path) -> None:
    """Read in one order and computed in the other: nothing comes out of a ring as it went in."""
    program(
        tmp_path, order="reversed(range(N))", more="extra = [ttl.make_dfb('f32', (1, 1)) for _ in range(20)]"
    )
    said = refused(tmp_path, "TTL0802")
    assert "70 dataflow buffers, 46 where some share, and a node of wormhole has 32" in said
    assert "ins[24]" in said
    assert "with outs[1], outs[2]" in said
    (unused,) = (line.split() for line in said.splitlines() if "nobody" in line)
    assert " ".join(unused) == "buffer 50 to buffer 69 13 (1, 1) tiles float32 2 nobody nobody"


def test_a_semaphore_says_how_far_kernels_are(tmp_path: Path) -> None:
    """With one, buffers are joined only where no kernel waits for room."""
    more = "semaphore = ttl.Semaphore(0)"
    program(tmp_path, turns=1, more=more)
    assert run_ttl(["run", "program.py"], folder=tmp_path).status == 0
    program(tmp_path, turns=3, more=more)
    refused(tmp_path, "TTL0802")


def test_an_address_that_others_rely_on_stays(tmp_path: Path) -> None:
    program(tmp_path, scope=", address_scope='remote_uniform'", order="reversed(range(N))")
    refused(tmp_path, "TTL0802")


PHASES = """
import torch
import ttl
import ttnn

BIG = {big}


@ttl.operation(grid=(1, 1))
def phases(x, y):
    first = ttl.make_dfb("bf16", (BIG, 8), 1)
    sums = ttl.make_dfb("bf16", (1, 1), 1)
    second = ttl.make_dfb("bf16", (BIG, 8), 1)

    @ttl.datamovement()
    def read():
        for _ in range({reads}):
            with first.reserve() as blk:
                ttl.copy(x[0:BIG, 0:8], blk).wait()

    @ttl.compute()
    def compute():
        for _ in range({turns}):
            with first.wait() as blk, sums.reserve() as out:
                out.store(ttl.math.reduce_max(blk, dims=[-2, -1], shape=(1, 1)))
            {between}with sums.wait() as blk, second.reserve() as out:
                out.store(ttl.block.broadcast(blk, dims=[-2, -1], shape=(BIG, 8)))

    @ttl.datamovement()
    def write():
        for _ in range({turns}):
            with second.wait() as blk:
                ttl.copy(blk, y[0:BIG, 0:8]).wait()


device = ttnn.open_device(device_id=0)
values = torch.arange(BIG * 32 * 256).remainder(251).reshape(BIG * 32, 256).bfloat16()
x = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros_like(values), layout=ttnn.TILE_LAYOUT, device=device)
phases(x, y)
assert (ttnn.to_torch(y) == 250).all(), "wrong"
print("ok")
"""


def phases(folder: Path, *, turns: int, reads: int | None = None) -> None:
    text = PHASES.format(big=60, turns=turns, reads=turns if reads is None else reads, between="")
    (folder / "program.py").write_text(text, encoding="utf-8")


def test_memory_of_what_is_over_is_used_again(tmp_path: Path) -> None:
    """480 tiles twice are more than a node has; the compute kernel is done with the first when it begins the second."""
    phases(tmp_path, turns=1)
    for arguments in (["check"], ["run", "--no-check"], ["run", "--target", "emu"]):
        outcome = run_ttl([*arguments, "program.py"], folder=tmp_path)
        assert outcome.status == 0, outcome.stderr + outcome.stdout
    out = run_ttl(["compile", "--emit", "descriptor", "program.py"], folder=tmp_path)
    buffers = {buffer["name"]: buffer for buffer in json.loads(out.stdout)["phases"]["circular_buffers"]}
    assert {buffers["first"]["shares"], buffers["second"]["shares"]} == {None, "first"}


@pytest.mark.parametrize(("turns", "reads"), [(2, 2), (1, 2)], ids=["it comes again", "a block is left"])
def test_memory_is_not_used_again_where_it_is_not_over(turns: int, reads: int, tmp_path: Path) -> None:
    phases(tmp_path, turns=turns, reads=reads)
    for arguments in (["run", "--no-check"], ["check"]):
        outcome = run_ttl([*arguments, "program.py"], folder=tmp_path)
        assert "TTL0801" in outcome.stderr + outcome.stdout
