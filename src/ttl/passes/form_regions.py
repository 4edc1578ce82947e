"""``ttl-form-regions``: the expressions of a store, and of stores that share values, become one compute region.

Expects: operations after ``ttl-materialize``. Guarantees: compute kernels have no operations on values of blocks
outside of regions; a region reads blocks, and values that a loop keeps in the registers, and writes blocks, or keeps
its results in the registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from ttl.dialects import ttl as dialect
from ttl.dialects.tiles import TileComputeOp, TileFoldOp, TileMatmulOp, TileReduceOp
from ttl.passes.building import erase
from ttl.passes.choices import operations_of
from ttl.passes.compute import in_registers
from ttl.passes.compute.groups import group_of
from ttl.passes.compute.parts import view_parts
from ttl.passes.compute.regions import RegionBuilder
from ttl.passes.compute.scalers import write_scalers
from ttl.passes.compute.temporaries import insert
from ttl.passes.compute.trees import erase_unused, stores_of
from ttl.passes.compute.views import tile_shape, type_of
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import WHY
from ttl.rows.matmul import MATMUL
from ttl.rows.table import MAX, OPS


@dataclass(frozen=True)
class FormRegions(ModulePass):
    """Expressions that are computed together become one region."""

    name = "ttl-form-regions"
    contract: ClassVar = Contract(needs=(PassFact.BUFFERED,), gives=(PassFact.REGIONS,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in operations_of(op):
            for kernel in operation.kernels:
                if kernel.kind == "compute":
                    _form(operation, kernel)


def _form(operation: dialect.OperationOp, kernel: dialect.UserKernelOp) -> None:
    view_parts(kernel)
    done: set[Operation] = set()
    stores = [*stores_of(kernel)]
    for store in stores:
        if store in done:
            continue
        group = group_of(store)
        done.update(group)
        held = in_registers.kept_in(item.value for item in group)
        last = group[-1]
        values = [(item.value, item.block) for item in group]
        region = _build(operation, kernel, values, held, last)
        insert([region], InsertPoint.before(last), last.location)
        for op in group:
            erase(op)
    for loop in in_registers.marked(kernel):
        _form_loop(operation, kernel, loop)
    erase_unused(kernel)


def _form_loop(operation: dialect.OperationOp, kernel: dialect.UserKernelOp, loop: Operation) -> None:
    carried = in_registers.values_of(loop)
    if not any(in_registers.is_kept(entry.initial) for entry in carried):
        region = _build(operation, kernel, [(entry.initial, None) for entry in carried], [], loop)
        insert([region], InsertPoint.before(loop), loop.location)
        for item, value in zip(carried, region.values, strict=True):
            loop.operands[item.operand] = value
    last = in_registers.last_computed(loop)
    if last is not None:
        arguments = [entry.argument for entry in carried]
        region = _build(operation, kernel, [(entry.yielded, None) for entry in carried], arguments, last)
        insert([region], InsertPoint.after(last), last.location)
        for item, value in zip(carried, region.values, strict=True):
            item.end.operands[item.place] = value


def _build(
    operation: dialect.OperationOp,
    kernel: dialect.UserKernelOp,
    values: Sequence[tuple[SSAValue, SSAValue | None]],
    held: Sequence[SSAValue],
    place: Operation,
) -> dialect.ComputeRegionOp:
    computed = [value for value, _ in values]
    scalers = write_scalers(operation, kernel, computed)
    region = RegionBuilder(tile_shape(type_of(computed[0])), held, scalers).build(values, place)
    _explain(region)
    return region


def _explain(region: dialect.ComputeRegionOp) -> None:
    """Note which operations were fused.

    ``ttl-subblock`` may replace the note; both are shown, since remarks are collected after each pass.
    """
    fused = list(dict.fromkeys(_computed(region)))
    if len(fused) > 1:
        *most, last = fused
        stores = len(region.outputs)
        end = f", and stored to {stores} blocks" if stores > 1 else ""
        region.attributes[WHY] = StringAttr(
            f"{', '.join(most)} and {last} are computed together in the registers, with no buffer between them{end}"
        )


def _computed(region: dialect.ComputeRegionOp) -> Iterator[str]:
    """Yield the operations of a region, by the names that a program uses."""
    for op in region.body.block.ops:
        match op:
            case TileComputeOp():
                yield op.row.label.removeprefix("ttl.math.").removeprefix("ttl.block.")
            case TileMatmulOp():
                yield MATMUL.label
            case TileReduceOp():
                yield _reduction(op.pool)
            case TileFoldOp():
                yield _reduction("max" if op.row is MAX else "sum")


def _reduction(pool: str) -> str:
    return next(row.name for row in OPS if row.pool == pool)
