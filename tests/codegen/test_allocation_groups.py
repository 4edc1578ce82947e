"""``ttl.make_dfb_allocation_group``: buffers that use the same memory one after the other, if that is proved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ttl
from support.programs import run_ttl

PROGRAM = """
import torch
import ttl
import ttnn


@ttl.operation(grid=(2, 1))
def op(x, y):
    group = ttl.make_dfb_allocation_group()
    a = ttl.make_dfb("bf16", ({a}, 1), 2, allocation_group=group)
    b = ttl.make_dfb({dtype}, (1, 1), 1, allocation_group=group)
    c = ttl.make_dfb({dtype}, (1, 1), 1)

    @ttl.datamovement()
    def read():
        for i in range({reads}):
            with a.reserve() as blk:
                ttl.copy(x[0:{a}, 0], blk).wait()

    @ttl.compute()
    def compute():
        for i in range({turns}):
            {first}
            {second}

    @ttl.datamovement()
    def write():
        for i in range({turns}):
            with b.wait() as blk:
                ttl.copy(blk, y[ttl.node(dims=1), 0]).wait()
            if {reading}:
                with c.wait() as blk:
                    ttl.copy(blk, y[ttl.node(dims=1), 1]).wait()


device = ttnn.open_device(device_id=0)
x = ttnn.from_torch(torch.ones(32 * {a}, 32).to(torch.bfloat16), layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.from_torch(torch.zeros(64, 64).to(torch.{result}), layout=ttnn.TILE_LAYOUT, device=device)
op(x, y)
assert (ttnn.to_torch(y)[:, :32] == 3).all(), ttnn.to_torch(y)
assert (ttnn.to_torch(y)[0, 32] == 96 * {a}), ttnn.to_torch(y)
"""
READ = """with a.wait() as a_blk, c.reserve() as c_blk:
                c_blk.store(ttl.math.reduce_sum(3 * a_blk, dims=[0], shape=(1, 1)))"""
UNREAD = "with a.wait() as a_blk:\n                pass"
STORE = "with b.reserve() as b_blk:\n                b_blk.store(ttl.block.fill(3.0, shape=(1, 1)))"
BOTH = """with a.wait() as a_blk, b.reserve() as b_blk, c.reserve() as c_blk:
                b_blk.store(ttl.block.fill(3.0, shape=(1, 1)))
                c_blk.store(ttl.math.reduce_sum(3 * a_blk, dims=[0], shape=(1, 1)))"""
USUAL = {
    "a": 1, "dtype": '"bf16"', "reads": 1, "turns": 1, "first": READ, "second": STORE, "result": "bfloat16", "reading": True,
}  # fmt: skip


def outcome(folder: Path, arguments: list[str], **changes: object) -> tuple[int, str]:
    (folder / "program.py").write_text(PROGRAM.format(**{**USUAL, **changes}), encoding="utf-8")
    result = run_ttl([*arguments, "program.py"], folder=folder)
    return result.status, result.stdout + result.stderr


def test_members_lie_in_the_same_memory(tmp_path: Path) -> None:
    """Of other shapes and counts, too: the memory is that of the largest."""
    for arguments in (["check"], ["run", "--no-check"], ["run", "--target", "emu", "--compare"]):
        status, said = outcome(tmp_path, arguments, a=2)
        assert status == 0, said
    status, said = outcome(tmp_path, ["compile", "--emit", "descriptor"], a=2)
    assert status == 0
    buffers = {
        buffer["name"]: buffer for buffer in json.loads(said[said.index("{") :])["op"]["circular_buffers"]
    }
    assert buffers["b"]["shares"] == "a" and buffers["b"]["pages"] == 4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({"first": BOTH, "second": "pass"}, "may be in use at the same time", id="held together"),
        pytest.param({"reads": 2}, "may be in use at the same time", id="a block is left"),
        pytest.param({"reads": 2, "turns": 2}, "may be in use at the same time", id="in turn"),
        pytest.param({"first": UNREAD, "reading": False}, "may be in use at the same time", id="not read"),
        pytest.param({"dtype": '"f32"', "result": "float32"}, "have pages of different types", id="types"),
    ],
)
def test_a_proof_that_fails_shows_both(changes: dict[str, object], words: str, tmp_path: Path) -> None:
    for arguments in (["check"], ["run", "--no-check"], ["compile", "--emit", "cpp"]):
        _, said = outcome(tmp_path, arguments, **changes)
        assert "error[TTL0346]: a and b are in one allocation group and " + words in said, said
        assert "a is made here" in said and "a is waited for here" in said and "b is reserved here" in said


def test_the_order_may_be_the_other_one(tmp_path: Path) -> None:
    """What is made second may be used first."""
    status, said = outcome(tmp_path, ["check"], first=STORE, second=READ)
    assert "TTL0346" in said, said  # the reader fills a while b is in use
    assert status == 1


@pytest.mark.parametrize("value", ["1", "True", "'g'", "ttl"])
def test_no_group(value: str, tmp_path: Path) -> None:
    text = PROGRAM.format(**USUAL).replace("allocation_group=group", f"allocation_group={value}")
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    for arguments in (["check"], ["run", "--no-check"]):
        said = run_ttl([*arguments, "program.py"], folder=tmp_path)
        assert "TTL0345" in said.stdout + said.stderr


def test_outside_an_operation() -> None:
    with pytest.raises(ttl.ProgramError, match="make_dfb_allocation_group"):
        ttl.make_dfb_allocation_group()
