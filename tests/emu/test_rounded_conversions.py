"""Conversions to types that the registers do not have, computed with at once: the chip rounds them where a buffer gets them."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from support.programs import run_ttl

PROGRAM = """
import torch
import ttnn
import ttl


@ttl.operation(grid=(1, 1))
def computed(a: ttnn.Tensor, y: ttnn.Tensor, z: ttnn.Tensor) -> None:
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))
    z_dfb = ttl.make_dataflow_buffer_like(z, shape=(1, 2))
    cast = ttl.math.typecast

    @ttl.datamovement()
    def read() -> None:
        for _ in range(COUNT):
            with a_dfb.reserve() as a_blk:
                ttl.copy(a[0, 0:2], a_blk).wait()

    @ttl.compute()
    def compute() -> None:
        for i in range(COUNT):
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk, z_dfb.reserve() as z_blk:
                BODIES

    @ttl.datamovement()
    def write() -> None:
        for i in range(COUNT):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[i, 0:2]).wait()
            with z_dfb.wait() as z_blk:
                ttl.copy(z_blk, z[i, 0:2]).wait()


values = torch.randn(32, 64, generator=torch.Generator().manual_seed(0))
a = ttnn.from_torch(values, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((COUNT * 32, 64), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
z = ttnn.zeros((COUNT * 32, 64), dtype=ttnn.DTYPE, layout=ttnn.TILE_LAYOUT)
computed(a, y, z)
"""
BODIES = (
    "y_blk.store(cast(cast(a_blk, ttnn.DTYPE), ttnn.float32) + 1)\nz_blk.store(cast(a_blk, ttnn.DTYPE))",
    "b = cast(a_blk, ttnn.DTYPE)\nz_blk.store(b)\ny_blk.store(cast(b, ttnn.float32))",
    "b = a_blk\nfor _ in range(2):\n    b = cast(cast(b * 1.1, ttnn.DTYPE), ttnn.float32)\ny_blk.store(b)\nz_blk.store(cast(b, ttnn.DTYPE))",
    "b = cast(a_blk, ttnn.DTYPE)\nfor _ in range(3):\n    b = cast(cast(b, ttnn.float32) * 0.7, ttnn.DTYPE)\ny_blk.store(cast(b, ttnn.float32))\nz_blk.store(b)",
)  # fmt: skip


@pytest.mark.parametrize("dtype", ["bfloat8_b", "bfloat4_b", "float16", "bfloat16"])
def test_the_chip_rounds_what_the_simulator_does(dtype: str, tmp_path: Path) -> None:
    bodies = "\n".join(f"if i == {at}:\n{indent(body, '    ')}" for at, body in enumerate(BODIES))
    program = PROGRAM.replace("BODIES", indent(bodies, " " * 16).strip()).replace("COUNT", f"{len(BODIES)}")
    path = tmp_path / "program.py"
    path.write_text(program.replace("DTYPE", dtype))
    result = run_ttl(["run", "--target", "emu", "--compare", str(path)], folder=tmp_path)
    assert result.status == 0, f"{result.stdout}{result.stderr}"
    assert "equal to the last bit" in result.stderr
