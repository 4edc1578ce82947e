"""Memory while an operation runs: what it computes on the way is bounded, whatever there is of it.

Each case runs in a process of its own, which says how far its memory went up during the operation.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from support.executions import needs_native

ALLOWED = 128 << 20
pytestmark = [
    needs_native,
    pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="peak memory is read from /proc"),
]

# The peak is reset after the tensors were made: tensors are in what there was before.
PROGRAM = """
import sys
import numpy as np
import ttl, ttnn
from ttl import settings

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))

def peak_of(call):
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = status("VmRSS")
    call()
    return status("VmHWM") - before
"""

# 16 buffers in a row, each of which takes the whole tensor of 64 MB once.
LAYERS = """
@ttl.operation(grid=(8, 8))
def op(a, y):
    dfbs = [ttl.make_dataflow_buffer_like(a, shape=(2, 8), block_count=1) for _ in range(18)]
    me = ttl.node(dims=1)
    rows = range(me, a.shape[0] // 64, 64)
    columns = range(a.shape[1] // 256)

    @ttl.datamovement()
    def read():
        for row in rows:
            for column in columns:
                with dfbs[0].reserve() as blk:
                    ttl.copy(a[2 * row : 2 * row + 2, 8 * column : 8 * column + 8], blk).wait()

    @ttl.compute()
    def compute():
        for row in rows:
            for column in columns:
                for layer in range(17):
                    with dfbs[layer].wait() as old, dfbs[layer + 1].reserve() as new:
                        new.store(ttl.math.max(old, layer) + 1)

    @ttl.datamovement()
    def write():
        for row in rows:
            for column in columns:
                with dfbs[-1].wait() as blk:
                    ttl.copy(blk, y[2 * row : 2 * row + 2, 8 * column : 8 * column + 8]).wait()

shape = (4096, 8192)
a = ttnn.zeros(shape, ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros(shape, ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
expected = 17
"""

# An accumulator that goes round through a buffer: 8192 blocks of 128 KB, each of which needs the one before.
ACCUMULATOR = """
@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb, sum_dfb, y_dfb = (ttl.make_dataflow_buffer_like(a, shape=(8, 8), block_count=2) for _ in range(3))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as blk:
            ttl.copy(a[:, :], blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk:
            with sum_dfb.reserve() as new:
                new.store(ttl.block.fill(0, shape=(8, 8)))
            for step in range(8192):
                with sum_dfb.wait() as old, sum_dfb.reserve() as new:
                    new.store(ttl.math.min(old + 1, 100) + a_blk)
            with sum_dfb.wait() as old, y_dfb.reserve() as y_blk:
                y_blk.store(old)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[:, :]).wait()

a = ttnn.zeros((256, 256), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((256, 256), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
expected = 100
"""

# 8192 blocks of 128 KB that one growing expression needs: its operands are what has to be kept.
EXPRESSION = """
@ttl.operation(grid=(1, 1))
def op(a, y):
    a_dfb, b_dfb, y_dfb = (ttl.make_dataflow_buffer_like(a, shape=(8, 8), block_count=2) for _ in range(3))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as blk:
            ttl.copy(a[:, :], blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk:
            total = ttl.block.fill(0, shape=(8, 8))
            for step in range(8192):
                with b_dfb.reserve() as new:
                    new.store(a_blk + step % 2)
                with b_dfb.wait() as b_blk:
                    total = ttl.math.min(total + b_blk, 50)
            with y_dfb.reserve() as y_blk:
                y_blk.store(total)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[:, :]).wait()

a = ttnn.zeros((256, 256), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((256, 256), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
expected = 50
"""

RUN = """
def calls():
    with settings.override(**{overrides}):
        for _ in range({count}):
            op(a, y)

a._writable(), y._writable()
# Pages of tensors count as theirs: touch them before.
for tensor in (a, y):
    tensor._data[...] = 0
risen = peak_of(calls)
values = ttnn.to_numpy(y)
assert (values == expected).all(), values
print(risen)
"""


@pytest.mark.one_of(3)  # each way to execute, and each program
@pytest.mark.parametrize(
    ("overrides", "count"),
    [({}, 1), ({"threads": 2}, 1), ({"executor": "numpy"}, 1), ({"replay": "on"}, 3)],
    ids=["native", "two threads", "numpy", "replay"],
)
@pytest.mark.parametrize(
    "program", [LAYERS, ACCUMULATOR, EXPRESSION], ids=["layers", "accumulator", "expression"]
)
def test_intermediate_results_are_bounded(program: str, overrides: dict[str, object], count: int) -> None:
    """1 GB of intermediate results, and a process that grows by no more than 128 MB."""
    source = PROGRAM + textwrap.dedent(program) + RUN.format(overrides=overrides, count=count)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=300, env=environment
    )
    assert done.returncode == 0, done.stderr
    risen = int(done.stdout)
    assert risen <= ALLOWED, f"{risen / 2**20:.0f} MB"
