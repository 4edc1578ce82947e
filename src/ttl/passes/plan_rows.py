"""``ttl-plan-rows``: buffers for rows of row-major tensors that begin where the network cannot begin a transfer.

Expects: operations after ``ttl-infer-sync``. Guarantees: a data movement kernel that reads such rows has a buffer of
the compiler, large enough for each of its copies, from which ``convert-datamovement-to-ttkernel`` copies the requested
part of the rows into the blocks (``movement/shifted.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ttl.analysis.dominance import of_kinds
from ttl.dialects import ttl as dialect
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import chip_of
from ttl.passes.movement.nodes import movement_kernels
from ttl.passes.movement.shifted import make_room, need_of, room_of
from ttl.passes.names import UniqueNames


@dataclass(frozen=True)
class PlanRows(ModulePass):
    """Buffers for rows that begin where the network cannot begin a transfer."""

    name = "ttl-plan-rows"
    contract: ClassVar = Contract(
        needs=(PassFact.SYNC,), gives=(PassFact.SPARE_ROWS,), before=(PassFact.NUMBERS,)
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in op.body.block.ops:
            if isinstance(operation, dialect.OperationOp):
                plan_rows(operation)


def plan_rows(operation: dialect.OperationOp) -> None:
    """Make the buffers of one operation."""
    names = UniqueNames(
        op.buffer_name.data for op in operation.body.block.ops if isinstance(op, dialect.CreateDfbOp)
    )
    for kernel in movement_kernels(operation):
        copies = of_kinds(kernel, dialect.CopyOp)
        needs = [need for copy in copies if (need := need_of(copy, chip_of(operation))) is not None]
        if needs and room_of(kernel) is None:
            window, rows = max(window for window, _ in needs), max(rows for _, rows in needs)
            make_room(operation, kernel, window, rows, names.unique(f"{kernel.kernel_name}_rows"))
