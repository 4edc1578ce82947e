"""``ttl-choose-lanes``: the part of a tile that the vector unit computes, where not all of the tile is needed.

Expects: operations before ``ttl-materialize``, all of which the chip has functions for (``ttl-expand``). Guarantees:
``ttl.lanes`` is on the operations of which only the first column, or row, of each tile is needed, and whose function
has a vector mode, which leaves the other faces of the tile unchanged and takes half the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from ttl.analysis.dominance import walked
from ttl.analysis.lanes import COLUMN, NeededLanes
from ttl.dialects import ttl as dialect
from ttl.passes.choices import operations_of
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import LANES


@dataclass(frozen=True)
class ChooseLanes(ModulePass):
    """Let the vector unit compute only the part of a tile that is needed."""

    name = "ttl-choose-lanes"
    contract: ClassVar = Contract(needs=(PassFact.ROWS,), before=(PassFact.BUFFERED,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in operations_of(op):
            for kernel in operation.kernels:
                if kernel.kind == "compute":
                    _choose(kernel)


def _choose(kernel: dialect.UserKernelOp) -> None:
    able = [op for op in walked(kernel) if isinstance(op, dialect.BlockComputeOp) and _can_be_told(op)]
    if not able:
        return
    lanes = NeededLanes(kernel)
    for op in able:
        if dims := lanes.needed(op.result):
            op.attributes[LANES] = StringAttr("column" if COLUMN in dims else "row")


def _can_be_told(op: dialect.BlockComputeOp) -> bool:
    return any(call.by_faces for calls in op.row.hardware.values() for call in calls)
