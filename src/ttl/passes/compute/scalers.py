"""The tile that reductions multiply with: ones in the first row of every face, written once by a data movement kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.dialects import ttl as dialect
from ttl.dialects.filled import WriteScalerOp
from ttl.ir.locations import synthetic
from ttl.passes.compute.masks import writer_of
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.temporaries import Temporaries, insert
from ttl.passes.compute.trees import tree
from ttl.passes.compute.views import reduced_in_registers, type_of
from ttl.passes.marks import COUNTED, INITIAL
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.rules import negative
from ttl.rows.types import TILE, BlockType

_SCALER = "reduce_scaler"


# Columns or rows of the last tile, and how many of them count.
Weights = tuple[str, int]
ALL: Weights = ("columns", TILE)


def write_scalers(
    operation: dialect.OperationOp, kernel: dialect.UserKernelOp, values: Iterable[SSAValue]
) -> Mapping[Weights, SSAValue]:
    """Return the blocks with the scalers that values need; the kernel waits for new ones at its start."""
    return {
        weights: _scaler_in(kernel, weights) or _write(operation, kernel, weights)
        for weights in _needed(values)
    }


def scalers_in(kernel: dialect.UserKernelOp, values: Iterable[SSAValue]) -> Mapping[Weights, SSAValue]:
    """Return the blocks with scalers that values need, as far as the kernel already waits for them."""
    scalers = {weights: _scaler_in(kernel, weights) for weights in _needed(values)}
    return {weights: block for weights, block in scalers.items() if block is not None}


def _needed(values: Iterable[SSAValue]) -> Iterable[Weights]:
    needed: dict[Weights, None] = {}
    for reduced in (part for value in values for part in tree(value) if _reduces_within_tiles(part)):
        needed |= dict.fromkeys((ALL, weights_of(reduced)))
    return needed


def _scaler_in(kernel: dialect.UserKernelOp, weights: Weights) -> SSAValue | None:
    """The block with a scaler, or None. Kernels wait for scalers at their start: only the top level is searched."""
    return next(
        (
            op.result
            for op in kernel.body.block.ops
            if isinstance(op, dialect.DfbWaitOp) and _weights_in(op.dfb) == weights
        ),
        None,
    )


def weights_of(value: SSAValue) -> Weights:
    """Return the part of the last tile that a reduction counts."""
    op = value.owner
    given = op.attributes.get(COUNTED) if isinstance(op, dialect.BlockComputeOp) else None
    if not isinstance(given, IntegerAttr) or not isinstance(op, dialect.BlockComputeOp):
        return ALL
    along = "columns" if -1 in negative(op.params[0], len(type_of(value).shape)) else "rows"
    return along, given.value.data


def _write(operation: dialect.OperationOp, kernel: dialect.UserKernelOp, weights: Weights) -> SSAValue:
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
    return wait.result


def _weights_in(dfb: SSAValue) -> Weights | None:
    """Return the part that a scaler counts; None for a buffer that is no scaler."""
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
