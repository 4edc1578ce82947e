"""The tile that reductions multiply with: ones in the first row of every face, written once by a data movement kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.dialects import ttl as dialect
from ttl.dialects.locations import synthetic
from ttl.dialects.scaler import WriteScalerOp
from ttl.ops.dtypes import BFLOAT16
from ttl.ops.rules import negative
from ttl.ops.types import TILE, BlockType
from ttl.passes.modes import compute_mode
from ttl.passes.padding import VALID_COLUMNS
from ttl.passes.temporaries import Temporaries, insert
from ttl.passes.trees import tree
from ttl.passes.views import type_of

INITIAL, COLUMNS = "ttl.initial", "ttl.columns"
_SCALER = "reduce_scaler"


def scalers_of(
    operation: dialect.OperationOp, kernel: dialect.KernelOp, values: Sequence[SSAValue]
) -> Mapping[int, SSAValue]:
    """The blocks with the scalers that values need, by the columns that count; the kernel waits for them at its start."""
    needed: dict[int, None] = {}
    for value in values:
        for each in tree(value):
            if _reduces_within_tiles(each):
                columns = columns_of(each)
                if columns != TILE:
                    needed[columns] = None
                needed[TILE] = None
    return {columns: _scaler(operation, kernel, columns) for columns in needed}


def columns_of(value: SSAValue) -> int:
    """How many columns of the last tile of what is reduced count."""
    given = value.owner.attributes.get(VALID_COLUMNS) if isinstance(value.owner, Operation) else None
    return given.value.data if isinstance(given, IntegerAttr) else TILE


def _scaler(operation: dialect.OperationOp, kernel: dialect.KernelOp, columns: int) -> SSAValue:
    for op in kernel.body.block.ops:
        if isinstance(op, dialect.DfbWaitOp) and _columns_in(op.dfb) == columns:
            return op.result
    place = synthetic("scaler of reductions")
    whole = columns == TILE
    dfb = Temporaries(operation, compute_mode(operation)).buffer(
        BlockType.of((1, 1), BFLOAT16),
        1,
        "ones" if whole else f"ones_{columns}",
        "reductions multiply with a tile of ones"
        if whole
        else f"{columns} columns of the last tile of a sum are no padding",
        place,
    )
    dfb.attributes[INITIAL] = StringAttr(_SCALER if whole else f"{_SCALER}_{columns}")
    dfb.attributes[COLUMNS] = IntegerAttr(columns, i64)
    wait = dialect.DfbWaitOp(dfb.result)
    insert([wait], InsertPoint.at_start(kernel.body.block), place)
    writer = next((each for each in operation.kernels if each.kind == "data movement"), None)
    if writer is None:
        writer = dialect.DataMovementKernelOp(name="write_ones", body=Region(Block()))
        insert([writer], InsertPoint.at_end(operation.body.block), place)
    insert([WriteScalerOp(dfb.result, columns)], InsertPoint.at_start(writer.body.block), place)
    return wait.result


def _columns_in(dfb: SSAValue) -> int | None:
    """The columns that count of a scaler; None of another buffer."""
    given = dfb.owner.attributes.get(COLUMNS) if isinstance(dfb.owner, Operation) else None
    return given.value.data if isinstance(given, IntegerAttr) else None


def _reduces_within_tiles(value: SSAValue) -> bool:
    op = value.owner
    if not isinstance(op, dialect.BlockComputeOp) or op.row.name not in ("reduce_sum", "reduce_max"):
        return False
    reduced = negative(op.params[0], len(type_of(value).shape))
    return -1 in reduced or -2 in reduced
