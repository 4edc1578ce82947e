"""``ttl-assign-dst``: the unit that computes each tile of a region, the order, and the registers the tiles are in.

Expects: compute regions (``ttl-form-regions``). Guarantees: every operation of their bodies has a unit and, unless
its user reads it from the buffer, a place; no place is overwritten while a later operation needs its tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ttl.analysis.dominance import outermost
from ttl.dialects import ttl as dialect
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.places import plan
from ttl.passes.contracts import Contract, PassFact


@dataclass(frozen=True)
class AssignDst(ModulePass):
    """The unit and the registers of every tile of a region."""

    name = "ttl-assign-dst"
    contract: ClassVar = Contract(needs=(PassFact.REGIONS,), gives=(PassFact.PLACES,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in outermost(op, dialect.OperationOp):
            mode = compute_mode(operation)
            for region in outermost(operation, dialect.ComputeRegionOp):
                plan(region, fp32_dest=mode.fp32_dest).apply(region)
