"""``ttl.DFBReset``, ``reset_dfbs``, ``reset_all_dfbs``: kernels wait for each other, and buffers are empty (newer language, section 3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest

from support.programs import run_program

PROGRAM = """
import torch
import ttl
import ttnn

C, D = ttl.KernelKind.COMPUTE, ttl.KernelKind.DATA_MOVEMENT
first = ttl.DFBReset(participants=(ttl.Kernel(C), ttl.Kernel(D), D))
second = ttl.DFBReset((D, C, D))


@ttl.operation(grid=(2, 1))
def kernels(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():
        node = ttl.node(dims=1)
        for turn in range(3):
            for j in range(node + 1):
                with x_dfb.reserve() as blk:
                    ttl.copy(x[node, j], blk).wait()
            ttl.reset_dfbs(first, dfbs=[x_dfb, y_dfb])
            if node == 1 and turn == 1:
                ttl.reset_all_dfbs(second)

    @ttl.compute()
    def compute():
        node = ttl.node(dims=1)
        for turn in range(3):
            for j in range(node + 1):
                with x_dfb.wait() as blk, y_dfb.reserve() as out:
                    out.store(blk * (turn + 1))
            ttl.reset_dfbs(first, dfbs=(y_dfb, x_dfb))
            if node == 1 and turn == 1:
                ttl.reset_all_dfbs(second)

    @ttl.datamovement()
    def write():
        node = ttl.node(dims=1)
        for turn in range(3):
            for j in range(node + 1):
                with y_dfb.wait() as blk:
                    ttl.copy(blk, y[node, 2 * turn + j]).wait()
            ttl.reset_dfbs(first, [x_dfb, y_dfb])
            if node == 1 and turn == 1:
                ttl.reset_all_dfbs(second)


@ttl.operation(grid=(2, 1))
def one_body(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    node = ttl.node(dims=1)
    for turn in range(3):
        for j in range(2):
            with x_dfb.reserve() as blk:
                ttl.copy(x[node, j], blk).wait()
            with x_dfb.wait() as blk, y_dfb.reserve() as out:
                out.store(blk * (turn + 1))
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[node, 2 * turn + j]).wait()
        ttl.reset_all_dfbs(first)


device = ttnn.open_device(device_id=0)
values = torch.randint(-9, 9, (64, 64)).float()
x = ttnn.from_torch(values, layout=ttnn.TILE_LAYOUT, device=device)
expected = torch.cat([values, 2 * values, 3 * values], 1)
for op in (kernels, one_body):
    y = ttnn.from_torch(torch.zeros(64, 192), layout=ttnn.TILE_LAYOUT, device=device)
    for _ in range(3):
        op(x, y)
    if op is kernels:
        assert torch.equal(ttnn.to_torch(y)[:32, ::64], expected[:32, ::64])
        assert not ttnn.to_torch(y)[:32, 32:64].any()
        assert torch.equal(ttnn.to_torch(y)[32:], expected[32:])
    else:
        assert torch.equal(ttnn.to_torch(y), expected)
"""


@pytest.mark.parametrize("flags", [("--target", "emu", "--compare"), ("--schedules", "3")], ids=" ".join)
def test_kernels_wait_for_each_other_and_go_on(flags: tuple[str, ...], tmp_path: Path) -> None:
    """In loops, on some nodes, two resets, in three kernels and in one body; the check finds nothing."""
    said = run_program(PROGRAM, folder=tmp_path, flags=flags, check="auto")
    assert said.status == 0, said.stderr
    assert "equal to the last bit" in said.stderr or flags[0] == "--schedules"


def test_none_goes_on_before_all_have_come(tmp_path: Path) -> None:
    """What one kernel writes into a tensor before a reset, another one reads after it."""
    text = """
import torch
import ttl
import ttnn

D = ttl.KernelKind.DATA_MOVEMENT
reset = ttl.DFBReset((ttl.KernelKind.COMPUTE, D, D))


@ttl.operation(grid=(1, 1))
def op(x, y):
    a = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    b = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def late():
        ttl.reset_all_dfbs(reset)
        with a.reserve() as blk:
            ttl.copy(y[0, 0], blk).wait()
        with a.wait() as blk:
            ttl.copy(blk, y[0, 1]).wait()

    @ttl.compute()
    def compute():
        ttl.reset_all_dfbs(reset)

    @ttl.datamovement()
    def early():
        for _ in range(4):
            with b.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()
            with b.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()
        ttl.reset_all_dfbs(reset)


x = ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
op(x, y)
assert ttnn.to_torch(y).all()
"""
    for flags in ((), ("--target", "emu"), ("--schedules", "4")):
        said = run_program(text, folder=tmp_path, flags=flags, check="auto")
        assert said.status == 0, said.stderr


LEFT = "ttl.reset_dfbs(first, dfbs=[x_dfb, y_dfb])\n            if"
WRONG = {
    "not empty": ("for j in range(node + 1):\n                with y_dfb", "for j in range(node):\n                with y_dfb", "TTL0249", "reset of y_dfb, but 1 of its blocks was pushed and not popped"),
    "held": (LEFT, "blk = x_dfb.reserve()\n            " + LEFT.replace("\n            if", "\n            ttl.copy(x[node, 0], blk).wait()\n            blk.push()\n            if"), "TTL0249", "reset of x_dfb, but a kernel holds a block of it"),
    "does not come": (LEFT, "if turn < 2: " + LEFT, "TTL0922", "waits at a reset for read, which does not come to it"),
    "other buffers": (LEFT, LEFT.replace(", y_dfb", ""), "TTL0248", "a reset of other buffers than in kernel read"),
    "no buffers": (LEFT, LEFT.replace("x_dfb", "x"), "TTL0248", "is a list of dataflow buffers"),
    "no reset": (LEFT, LEFT.replace("first", "C"), "TTL0248", "takes what ttl.DFBReset(...) gives"),
    "participants": ("second = ttl.DFBReset((D, C, D))", "second = ttl.DFBReset((C, C, D))", "TTL0248", "the three kernels of a node"),
    "in the body": ("    y_dfb = ttl.make", "    ttl.reset_all_dfbs(first)\n    y_dfb = ttl.make", "TTL0248", "outside a kernel function"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(WRONG))
def test_what_is_refused(name: str, tmp_path: Path) -> None:
    """Alike by a run, and by the check, which runs nothing."""
    old, new, code, text = WRONG[name]
    check: Literal["auto", "off"]
    said = []
    for check in ("off", "auto"):
        flags = ["--format", "json"]
        run = run_program(PROGRAM.replace(old, new, 1), folder=tmp_path, flags=flags, check=check)
        found = [json.loads(line) for line in run.stderr.splitlines()]
        finding = next(item for item in found if item.get("code") == code)
        assert run.status != 0 and text in finding["message"]
        said.append((finding["primary"], finding["message"], finding["help"]))
    assert said[0] == said[1]
