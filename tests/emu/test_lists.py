"""Lists of integers indexed on the node: check, simulator, compiled kernels on the emulated chip."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import numpy as np
import torch
import ttnn
import ttl

NEIGHBOURS = [[1, 2], [0], [], [0, 1, 2]]
PLACES = [(0, 3), (2, 1), (1, 1), (3, 0), (2, 2)]
COLUMNS = np.array([[0, 2, 1, 3], [3, 1, 0, 2], [1, 1, 1, 0], [2, 3, 3, 1]])
ORDER = torch.tensor([2, 0, 3, 1])
SKIPPED = [False, True, False, False]
RENAMED = {0: 3, 1: 1, 2: 2, 3: 0}


class Pattern:
    start = (0, 1, 1, 3, 5)
    columns = [3, 0, 2, 1, 0]


pattern = Pattern()


def parts(node):
    for other in NEIGHBOURS[node]:
        yield node, other
    for k, other in enumerate(NEIGHBOURS[node]):
        yield other, k
    for i in range(len(PLACES)):
        yield PLACES[i]
    for i in range(4):
        yield ORDER[i], COLUMNS[node, i]
        yield COLUMNS[i][node], ORDER[-1 - i]
    for i in range(4):
        if not SKIPPED[i] and ORDER[i] != 2:
            yield i, RENAMED[i]
    for column in reversed(pattern.columns[pattern.start[node] : pattern.start[node + 1]]):
        yield node, column
    i = 0
    while i < 4 and ORDER[i] != node:
        yield i, ORDER[i]
        i += 1


@ttl.operation(grid=(2, 2))
def gathered(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    node = ttl.node(dims=1)

    @ttl.datamovement()
    def read():
        def fetch(row, column):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[row, column], x_blk).wait()

        for other in NEIGHBOURS[node]:
            fetch(node, other)
        for k, other in enumerate(NEIGHBOURS[node]):
            fetch(other, k)
        for i in range(len(PLACES)):
            row, column = PLACES[i]
            fetch(row, column)
        for i in range(4):
            fetch(ORDER[i], COLUMNS[node, i])
            fetch(COLUMNS[i][node], ORDER[-1 - i])
        for i in range(4):
            if not SKIPPED[i] and ORDER[i] != 2:
                fetch(i, RENAMED[i])
        for column in reversed(pattern.columns[pattern.start[node] : pattern.start[node + 1]]):
            fetch(node, column)
        i = 0
        while i < 4 and ORDER[i] != node:
            fetch(i, ORDER[i])
            i += 1

    @ttl.compute()
    def compute():
        count = 2 * len(NEIGHBOURS[node]) + len(PLACES) + 10 + pattern.start[node + 1] - pattern.start[node]
        i = 0
        while i < 4 and ORDER[i] != node:
            count += 1
            i += 1
        with y_dfb.reserve() as y_blk:
            total = ttl.block.fill(0, shape=(1, 1))
            for _ in range(count):
                with x_dfb.wait() as x_blk:
                    total += x_blk
            y_blk.store(total)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[node, 0]).wait()


def to_device(tensor):
    return ttnn.from_torch(tensor, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)


device = ttnn.open_device(device_id=0)
torch.manual_seed(1)
x = torch.randint(-9, 9, (128, 128)).float()
y = to_device(torch.zeros(128, 32))
gathered(to_device(x), y)
tiles = x.reshape(4, 32, 4, 32)
for node, got in enumerate(ttnn.to_torch(y).reshape(4, 32, 32)):
    wanted = sum(tiles[int(row), :, int(column)] for row, column in parts(node))
    assert torch.equal(got, wanted), node
print("equal")
"""


@pytest.mark.parametrize("target", ["sim", "emu"])
def test_patterns_of_blocks(tmp_path: Path, target: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    found = run_ttl(["run", "--target", target, str(program)], folder=tmp_path)
    assert found.stdout.strip().endswith("equal"), found.stdout + found.stderr


def test_what_kernels_wait_for_is_counted_on_every_node(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    assert "nothing found" in run_ttl(["check", str(program)], folder=tmp_path).stdout
    # One part more is computed than is read, on the node whose number is last in the order.
    program.write_text(PROGRAM.replace("            count += 1\n", "            count += i + 1\n"))
    found = run_ttl(["check", str(program)], folder=tmp_path)
    assert found.status == 1 and "waits for block 21 of x_dfb, but read pushes only 20" in found.stdout
