"""Sums over rows and columns of integers: the emulated chip computes what the simulator does."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import numpy as np
import torch
import ttnn
import ttl


@ttl.operation(grid=(1, 1))
def summed(a: ttnn.Tensor, y: ttnn.Tensor) -> None:
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 3), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(2, 3), block_count=2)

    @ttl.datamovement()
    def read() -> None:
        with a_dfb.reserve() as a_blk:
            ttl.copy(a[0:2, 0:3], a_blk).wait()

    @ttl.compute()
    def compute() -> None:
        with a_dfb.wait() as a_blk:
STORES

    @ttl.datamovement()
    def write() -> None:
        for i in range(COUNT):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[2 * i : 2 * i + 2, 0:3]).wait()


device = ttnn.open_device(device_id=0)
values = np.random.default_rng(0).integers(LEAST, 2**31 - 1, (64, 96), dtype=np.int64)
a = ttnn.from_torch(torch.tensor(values).to(torch.int32), dtype=ttnn.DTYPE, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((64 * COUNT, 96), dtype=ttnn.DTYPE, layout=ttnn.TILE_LAYOUT, device=device)
summed(a, y)
"""
STORE = """\
            with y_dfb.reserve() as y_blk:
                y_blk.store(ttl.block.broadcast({}, dims={}, shape=(2, 3)))
"""
SUMS = (
    ("ttl.math.reduce_sum(a_blk, dims=[-1])", "[-1]"),
    ("ttl.math.reduce_sum(a_blk, dims=[0])", "[0]"),
    ("ttl.math.reduce_sum(a_blk, dims=[0, 1])", "[0, 1]"),
    ("ttl.math.reduce_sum(a_blk + a_blk * a_blk, dims=[1]) + 1", "[1]"),
)


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_sums_of_integers(dtype: str, tmp_path: Path) -> None:
    least = "-(2**31)" if dtype == "int32" else "0"
    program = PROGRAM.replace("STORES\n", "".join(STORE.format(*each) for each in SUMS))
    for name, text in {"COUNT": f"{len(SUMS)}", "DTYPE": dtype, "LEAST": least}.items():
        program = program.replace(name, text)
    path = tmp_path / "program.py"
    path.write_text(program)
    found = run_ttl(["run", "--target", "emu", "--compare", str(path)], folder=tmp_path)
    assert found.status == 0, f"{found.stdout}{found.stderr}"
