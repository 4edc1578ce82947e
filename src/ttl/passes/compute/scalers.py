"""The tile that reductions multiply with: ones in the first row of every face, written once by a data movement kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.dialects import ttl as dialect
from ttl.dialects.filled import WriteScalerOp
from ttl.ir.locations import synthetic
from ttl.ops.dtypes import BFLOAT16
from ttl.ops.rules import negative
from ttl.ops.types import TILE, BlockType
from ttl.passes.compute.masks import writer_of
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.temporaries import Temporaries, insert
from ttl.passes.compute.trees import tree
from ttl.passes.compute.views import reduced_in_registers, type_of
from ttl.passes.marks import COUNTED, INITIAL

_SCALER = "reduce_scaler"


# Columns or rows of the last tile, and how many of them count.
Weights = tuple[str, int]
ALL: Weights = ("columns", TILE)


def write_scalers(
    operation: dialect.OperationOp, kernel: dialect.KernelOp, values: Iterable[SSAValue]
) -> None:
    """Let a kernel have the scalers that values need and it has not; it waits for them at its start."""
    for reduced in (part for value in values for part in tree(value) if _reduces_within_tiles(part)):
        for weights in (ALL, weights_of(reduced)):
            if weights not in scalers_in(kernel):
                _write(operation, kernel, weights)


def scalers_in(kernel: dialect.KernelOp) -> Mapping[Weights, SSAValue]:
    """The blocks with scalers that a kernel waits for."""
    waits = [op for op in kernel.body.block.ops if isinstance(op, dialect.DfbWaitOp)]
    return {weights: wait.result for wait in waits if (weights := _weights_in(wait.dfb)) is not None}


def weights_of(value: SSAValue) -> Weights:
    """What counts of the last tile of what is reduced."""
    op = value.owner
    given = op.attributes.get(COUNTED) if isinstance(op, dialect.BlockComputeOp) else None
    if not isinstance(given, IntegerAttr) or not isinstance(op, dialect.BlockComputeOp):
        return ALL
    along = "columns" if -1 in negative(op.params[0], len(type_of(value).shape)) else "rows"
    return along, given.value.data


def _write(operation: dialect.OperationOp, kernel: dialect.KernelOp, weights: Weights) -> None:
    place = synthetic("scaler of reductions")
    along, count = weights
    name = "ones" if weights == ALL else f"ones_{count}_{along}"
    dfb = Temporaries(operation, compute_mode(operation)).buffer(
        BlockType.of((1, 1), BFLOAT16),
        1,
        name,
        "reductions multiply with a tile of ones"
        if weights == ALL
        else f"{count} {along} of the last tile of a sum are no padding",
        place,
    )
    dfb.attributes[INITIAL] = StringAttr(f"{_SCALER} {count} {along}")
    wait = dialect.DfbWaitOp(dfb.result)
    insert([wait], InsertPoint.at_start(kernel.body.block), place)
    writer = writer_of(operation, "write_ones")
    insert([WriteScalerOp(dfb.result, count, along)], InsertPoint.at_start(writer.body.block), place)


def _weights_in(dfb: SSAValue) -> Weights | None:
    """What a scaler counts; None of another buffer."""
    given = dfb.owner.attributes.get(INITIAL) if isinstance(dfb.owner, Operation) else None
    if not isinstance(given, StringAttr) or not given.data.startswith(_SCALER):
        return None
    _, count, along = given.data.split()
    return along, int(count)


def _reduces_within_tiles(value: SSAValue) -> bool:
    op = value.owner
    if not isinstance(op, dialect.BlockComputeOp) or op.row.family != "reduction":
        return False
    reduced = negative(op.params[0], len(type_of(value).shape))
    return not reduced_in_registers(op) and (-1 in reduced or -2 in reduced)
