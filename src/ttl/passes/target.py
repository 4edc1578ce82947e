"""``ttl-target``: which chip every operation is compiled for.

Expects: any operations. Guarantees: ``ttl.chip`` of each names the chip, ``ttl.chip_grid`` its compute grid and
``ttl.chip_costs`` its costs where they are not the usual ones. Passes that have to know the chip read these attributes
(``marks.chip_of``), and never the settings. Blocks with tiles other than 32x32 are used only in ways for which the
units of a node can be set up: TTL1419 for others. No operation is left that no pass lowers: TTL1453.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from ttl.analysis.dominance import walked
from ttl.analysis.lowerable import not_lowered
from ttl.arch import USUAL, names
from ttl.arch.costs import Costs
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered, placed
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import CHIP, CHIP_COSTS, CHIP_GRID
from ttl.rows.types import WHOLE_TILE

_COSTS = frozenset(field.name for field in fields(Costs))
# Families of operations in which each element of the result depends only on the elements at the same position.
_FACE_BY_FACE = ("elementwise", "conversion")


@dataclass(frozen=True)
class Target(ModulePass):
    """Note on every operation which chip it is compiled for.

    ``chip`` is its name; ``grid`` has the columns and rows of its compute grid, ``8x8``, and ``costs`` its costs as
    ``name:cycles``, where they are not the usual ones.
    """

    name = "ttl-target"
    contract: ClassVar = Contract(gives=(PassFact.CHIP,), before=(PassFact.BUFFERED,), again=True)
    chip: str = USUAL
    grid: str | None = None
    costs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.chip not in names():
            raise ValueError(f"chip is one of {', '.join(names())}, not {self.chip}")
        if self.grid is not None and not re.fullmatch(r"[1-9]\d*x[1-9]\d*", self.grid):
            raise ValueError(f"grid is columns and rows, such as 8x8, not {self.grid}")
        for cost in self.costs:
            name, _, value = cost.partition(":")
            if name not in _COSTS or not re.fullmatch(r"\d{1,8}", value):
                raise ValueError(f"costs are names of costs with whole numbers, such as hop:9, not {cost}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refused: list[Diagnostic] = []
        for operation in op.body.block.ops:
            if isinstance(operation, dialect.OperationOp):
                refused += [placed(finding, part) for part, finding in not_lowered(operation)]
                refused += _small_tiles(operation)
                operation.attributes[CHIP] = StringAttr(self.chip)
                if self.grid is not None:
                    operation.attributes[CHIP_GRID] = StringAttr(self.grid)
                if self.costs:
                    operation.attributes[CHIP_COSTS] = StringAttr(" ".join(self.costs))
        if refused:
            raise NotLowered(refused)


def _small_tiles(operation: dialect.OperationOp) -> Iterator[Diagnostic]:
    """Yield an error for each use of tiles other than 32x32 that the units of the chip do not support."""
    small: dict[SSAValue, dialect.CreateDfbOp] = {
        op.result: op
        for op in operation.body.block.ops
        if isinstance(op, dialect.CreateDfbOp) and op.result.type.block_type.tile != WHOLE_TILE
    }
    for new in small.values():
        if new.result.type.block_type.dtype.kind == "block_float":
            yield placed(_other_tiles(new, "block floats are packed in whole tiles"), new)
    for kernel in operation.kernels if small else ():
        own = list(walked(kernel))
        buffers = [op.dfb for op in own if isinstance(op, dialect.AcquireOp)]
        first = next((small[dfb] for dfb in buffers if dfb in small), None)
        for op in own:
            if isinstance(op, dialect.PrintOp | dialect.ExternCallOp):
                used = next((small[dfb] for dfb in map(_buffer_of, op.operands) if dfb in small), None)
                what = "a print" if isinstance(op, dialect.PrintOp) else "C++ of yours"
                if used is not None:
                    yield placed(_other_tiles(used, f"{what} has whole ones"), op)
            elif (
                first is not None
                and isinstance(op, dialect.BlockComputeOp)
                and op.row.family not in _FACE_BY_FACE
            ):
                yield placed(_other_tiles(first, f"{op.row.name} needs the four faces of whole ones"), op)
        if first is not None and isinstance(kernel, dialect.ComputeKernelOp):
            types = {dfb.type for dfb in buffers if isinstance(dfb.type, dialect.DataflowBufferType)}
            if len({type_.block_type.tile for type_ in types}) > 1:
                why = f"kernel {kernel.kernel_name} also has blocks with other tiles, but its units are set up for one size"
                yield placed(_other_tiles(first, why), first)


def _buffer_of(value: SSAValue) -> SSAValue | None:
    """The buffer that an operand is, belongs to as a block, or is read from."""
    if isinstance(value.owner, dialect.BlockReadOp):
        value = value.owner.block
    return dialect.dfb_of(value) if isinstance(value.type, dialect.BlockMemoryType) else value


def _other_tiles(op: dialect.CreateDfbOp, why: str) -> Diagnostic:
    height, width = op.result.type.block_type.tile
    return error(
        "TTL1419",
        f"{op.buffer_name.data} has tiles of {height}x{width}, and {why}",
        notes=("only element-by-element computations between blocks with tiles of one size are compiled",),
        help="make it with tile=(32, 32) for the chip; smaller tiles run in the simulator",
    )
