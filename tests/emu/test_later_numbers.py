"""Numbers beside blocks that are known only when the kernel runs: the emulated chip computes what the simulator does."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import numpy as np
import torch
import ttnn
import ttl


@ttl.operation(grid=(1, 2))
def computed(a: ttnn.Tensor, y: ttnn.Tensor) -> None:
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2), block_count=2)
    turns = a.shape[0] // 32

    @ttl.datamovement()
    def read() -> None:
        _, x = ttl.node(dims=2)
        for i in range(turns):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[i, 2 * x : 2 * x + 2], a_blk).wait()

    @ttl.compute()
    def compute() -> None:
        _, x = ttl.node(dims=2)
        for i in range(turns):
            print("scale", 0.25 * i, i / 8)
            with a_dfb.wait() as a_blk:
STORES

    @ttl.datamovement()
    def write() -> None:
        _, x = ttl.node(dims=2)
        for i in range(COUNT * turns):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[i, 2 * x : 2 * x + 2]).wait()


device = ttnn.open_device(device_id=0)
values = torch.tensor(np.random.default_rng(0).integers(LEAST, 9, (96, 128)) FRACTIONS)
a = ttnn.from_torch(values.to(torch.KIND), dtype=ttnn.DTYPE, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((COUNT * 96, 128), dtype=ttnn.DTYPE, layout=ttnn.TILE_LAYOUT, device=device)
computed(a, y)
"""
BY_INTEGERS = (
    "a_blk * (i + 1)",
    "(x - i) + a_blk",
    "(i + 1) - a_blk",
    "a_blk - i * x",
    "ttl.math.max(a_blk, i) + ttl.math.min(a_blk, x)",
    "ttl.block.where(a_blk > i, a_blk, x - 2)",
    "ttl.block.where(a_blk, i, x)",
    "(a_blk == i) + ttl.math.ge(i, a_blk) + (x != a_blk) + (a_blk < i) + (a_blk == a_blk + x)",
    "a_blk * ttl.block.fill(i + x, shape=(1, 2))",
    "a_blk + (i if x == 0 else 2 * i)",
)
OF_FLOATS = (
    "a_blk / (i + 1)",
    "(i + 1) / (a_blk + 20)",
    "ttl.math.abs(a_blk) ** (i + 1)",
    "(i + 2) ** (a_blk / 8)",
    "a_blk * (0.1 * i)",
    "a_blk * (1 / (i + 3)) - x / 3",
    "ttl.math.exp(a_blk * (-0.125 * (i + x))) * float(i)",
    "(a_blk + 0.7 * i) % (x + 1.5)",
    "a_blk // (i + 1)",
    "ttl.math.relu(a_blk - i / 2) * 2.0 * (x + 1)",
)
MODULAR = (
    "a_blk * (i + 1)",
    "(x - i) + a_blk",
    "(i + 1) - a_blk",
    "a_blk - i * x",
    "ttl.block.where(a_blk, i, x)",
    "a_blk * ttl.block.fill(i + x, shape=(1, 2))",
    "a_blk ^ i",
)
OF_INTEGERS = ("a_blk // (i + 1)", "a_blk % (x - 3)", "a_blk ^ i", "i // (a_blk + 20)")


STORE = """\
                with y_dfb.reserve() as y_blk:
                    y_blk.store({})
"""


def _run(folder: Path, expressions: tuple[str, ...], dtype: str, *, fractions: str, kind: str) -> None:
    program = PROGRAM.replace("STORES\n", "".join(map(STORE.format, expressions)))
    least = "0" if dtype.startswith("u") else "-8"
    texts = {
        "LEAST": least,
        "COUNT": f"{len(expressions)}",
        "DTYPE": dtype,
        "FRACTIONS": fractions,
        "KIND": kind,
    }
    for name, text in texts.items():
        program = program.replace(name, text)
    path = folder / "program.py"
    path.write_text(program)
    found = run_ttl(["run", "--target", "emu", "--compare", str(path)], folder=folder)
    assert found.status == 0, f"{found.stdout}{found.stderr}"
    assert "scale 0.5 0.25" in found.stdout


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_of_floats(dtype: str, tmp_path: Path) -> None:
    _run(tmp_path, BY_INTEGERS + OF_FLOATS, dtype, fractions="/ 4", kind="float32")


@pytest.mark.parametrize("dtype", ["int32", "uint32", "uint16"])
def test_of_integers(dtype: str, tmp_path: Path) -> None:
    expressions = BY_INTEGERS + OF_INTEGERS if dtype == "int32" else MODULAR
    _run(tmp_path, expressions, dtype, fractions="", kind="int32")
