"""``y = x + x`` with one tile per node, on the nodes of one device or of many, launched as one: what nodes cost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
import ttl  # noqa: F401  (lets "import ttnn" find the host library where TT-NN is not installed)
import ttnn

sys.path.insert(0, str(Path(__file__).parent / "programs"))

from one_tile import operation

from launching import Program, random, relative_error


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
