"""The tile that reductions multiply with: ones in the first row of every face, written once by a data movement kernel."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.dialects import ttl as dialect
from ttl.dialects.locations import synthetic
from ttl.dialects.scaler import WriteScalerOp
from ttl.ops.dtypes import BFLOAT16
from ttl.ops.rules import negative
from ttl.ops.types import BlockType
from ttl.passes.modes import compute_mode
from ttl.passes.temporaries import Temporaries, insert
from ttl.passes.trees import tree
from ttl.passes.views import type_of

INITIAL = "ttl.initial"
_SCALER = "reduce_scaler"


def scaler_of(
    operation: dialect.OperationOp, kernel: dialect.KernelOp, values: Sequence[SSAValue]
) -> SSAValue | None:
    """The block with the scaler that a compute kernel waits for at its start, where one of the values needs it."""
    if not any(_reduces_within_tiles(each) for value in values for each in tree(value)):
        return None
    for op in kernel.body.block.ops:
        if isinstance(op, dialect.DfbWaitOp) and _is_scaler(op.dfb):
            return op.result
    place = synthetic("scaler of reductions")
    dfb = Temporaries(operation, compute_mode(operation)).buffer(
        BlockType.of((1, 1), BFLOAT16),
        1,
        "ones",
        "reductions multiply with a tile of ones",
        place,
    )
    dfb.attributes[INITIAL] = StringAttr(_SCALER)
    wait = dialect.DfbWaitOp(dfb.result)
    insert([wait], InsertPoint.at_start(kernel.body.block), place)
    writer = next((each for each in operation.kernels if each.kind == "data movement"), None)
    if writer is None:
        writer = dialect.DataMovementKernelOp(name="write_ones", body=Region(Block()))
        insert([writer], InsertPoint.at_end(operation.body.block), place)
    insert([WriteScalerOp(dfb.result)], InsertPoint.at_start(writer.body.block), place)
    return wait.result


def _is_scaler(dfb: SSAValue) -> bool:
    return isinstance(dfb.owner, dialect.CreateDfbOp) and INITIAL in dfb.owner.attributes


def _reduces_within_tiles(value: SSAValue) -> bool:
    op = value.owner
    if not isinstance(op, dialect.BlockComputeOp) or op.row.name not in ("reduce_sum", "reduce_max"):
        return False
    reduced = negative(op.params[0], len(type_of(value).shape))
    return -1 in reduced or -2 in reduced
