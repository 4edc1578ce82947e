"""``y = x + x`` with one tile per node, on the nodes of one device or of many, launched as one: what nodes cost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import ttl
import ttnn

sys.path.insert(0, str(Path(__file__).parent / "programs"))

from launching import Program, random, relative_error


def operation(grid: tuple[int, int, int]) -> Any:
    """Every node has one tile of its device's shard."""

    @ttl.operation(grid=grid)
    def double(x: Any, y: Any) -> None:
        _, col, row = ttl.node(dims=3)
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)
        y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            with x_dfb.reserve() as x_blk:
                x_xf = ttl.copy(x[row, col], x_blk)
                x_xf.wait()

        @ttl.compute()
        def compute() -> None:
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(x_blk + x_blk)

        @ttl.datamovement()
        def write() -> None:
            with y_dfb.wait() as y_blk:
                y_xf = ttl.copy(y_blk, y[row, col])
                y_xf.wait()

    return double


def prepare(grid: tuple[int, int, int] = (2, 2, 2)) -> Program:
    """As many tiles as nodes; the first extent is that of the mesh."""
    devices, columns, rows = grid
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, devices))

    def spread(tensor: torch.Tensor) -> Any:
        return ttnn.from_torch(
            tensor,
            dtype=ttnn.bfloat16,
            layout=ttnn.TILE_LAYOUT,
            device=mesh,
            mesh_mapper=ttnn.ShardTensorToMesh(mesh, dim=0),
        )

    given = random(32 * rows * devices, 32 * columns, seed=0)
    x, y, double = spread(given), spread(torch.zeros_like(given)), operation(grid)

    def run() -> Any:
        double(x, y)
        return y

    class _OnMesh(Program):
        def error(self) -> float:
            result = ttnn.to_torch(self.run(), mesh_composer=ttnn.ConcatMeshToTensor(mesh, dim=0))
            return relative_error(result, self.expected())

    return _OnMesh(device=mesh, run=run, in_torch=lambda: given + given, expected=lambda: 2 * given.float())
