"""Tile operations of a region as calls of the kernel API: an init, then one call for each tile of the sub-block."""

from __future__ import annotations

from ttl.dialects.tiles import TileComputeOp, TileFoldOp, TileMatmulOp, TileOp, TileReadOp, TileReduceOp
from ttl.passes.compute.matrix_unit import MatrixUnit


class Functions(MatrixUnit):
    """Writes the tile functions of one section."""

    def write(self, op: TileOp) -> None:
        """The calls for one operation of the body, over all points."""
        match op:
            case TileReadOp():
                if op.place is not None:
                    self.read(op)
            case TileMatmulOp():
                self.matmul(op)
            case TileReduceOp():
                self.reduce(op)
            case TileFoldOp():
                self.fold(op)
            case TileComputeOp() if op.unit == "zero":
                return
            case TileComputeOp() if op.unit in ("fpu", "fpu_bcast"):
                self.binary(op)
            case TileComputeOp() if op.unit == "reuse":
                self.reuse(op)
            case TileComputeOp():
                self.compute(op)
