"""``ttl-target``: which chip every operation is compiled for.

Expects: any operations. Guarantees: ``ttl.chip`` of each names the chip, and ``ttl.chip_grid`` its compute grid where that is
not the usual one. Every pass that has to know the chip asks there (``marks.chip_of``), and none asks the settings. Blocks are
of tiles of 32x32, which is what kernels are compiled for: others are TTL1419.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from ttl.analysis.dominance import walked
from ttl.arch import USUAL, names
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered, placed
from ttl.passes.marks import CHIP, CHIP_GRID
from ttl.rows.types import WHOLE_TILE


@dataclass(frozen=True)
class Target(ModulePass):
    """Which chip every operation is compiled for.

    ``chip`` is its name, ``grid`` the columns and rows of its compute grid, ``8x8``, where they are not the usual ones.
    """

    name = "ttl-target"
    chip: str = USUAL
    grid: str | None = None

    def __post_init__(self) -> None:
        if self.chip not in names():
            raise ValueError(f"chip is one of {', '.join(names())}, not {self.chip}")
        if self.grid is not None and not re.fullmatch(r"[1-9]\d*x[1-9]\d*", self.grid):
            raise ValueError(f"grid is columns and rows, such as 8x8, not {self.grid}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        small: list[Diagnostic] = []
        for operation in op.body.block.ops:
            if isinstance(operation, dialect.OperationOp):
                small += [
                    placed(_other_tiles(item), item)
                    for item in walked(operation)
                    if isinstance(item, dialect.CreateDfbOp)
                    and item.result.type.block_type.tile != WHOLE_TILE
                ]
                operation.attributes[CHIP] = StringAttr(self.chip)
                if self.grid is not None:
                    operation.attributes[CHIP_GRID] = StringAttr(self.grid)
        if small:
            raise NotLowered(small)


def _other_tiles(op: dialect.CreateDfbOp) -> Diagnostic:
    height, width = op.result.type.block_type.tile
    return error(
        "TTL1419",
        f"{op.buffer_name.data} has tiles of {height}x{width}, and kernels are compiled for tiles of 32x32",
        notes=(
            "the units of a node are set up for the faces of whole tiles; smaller ones run in the simulator",
        ),
        help="make it with tile=(32, 32) for the chip",
    )
