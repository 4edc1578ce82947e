"""``ttl-infer-dst-requirements``: the demand of each region on the registers, as attributes.

Expects: compute regions without places (``ttl-form-regions``). Guarantees: an operation of a region whose result is in
the registers has ``ttl.dst_cost``, the places that it takes (for its result, and for intermediate tiles while it runs),
and ``ttl.dst_live``, the first and the last step of the order at which its result is needed; a region has
``ttl.dst_peak``, the places that are needed at once, ``ttl.dst_capacity``, the tiles that the registers hold in the
mode of its operation, and ``ttl.dst_subblock``, the most tiles of its space that fit. ``ttl-assign-dst`` and
``ttl-subblock`` compute with the same numbers, from ``compute/requirements.py``; no pass reads the attributes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ttl.analysis.dominance import outermost
from ttl.dialects import ttl as dialect
from ttl.ir.syntax import i64_array
from ttl.passes.choices import operations_of
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.places import plan
from ttl.passes.compute.requirements import largest_subblock
from ttl.passes.contracts import Contract, PassFact


@dataclass(frozen=True)
class InferDstRequirements(ModulePass):
    """Write down the demand of each region on the registers: cost and lifetime of tiles, places at once, largest sub-block."""

    name = "ttl-infer-dst-requirements"
    contract: ClassVar = Contract(needs=(PassFact.REGIONS,), before=(PassFact.PLACES,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in operations_of(op):
            mode = compute_mode(operation)
            for region in outermost(operation, dialect.ComputeRegionOp):
                _annotate(region, mode.capacity, fp32_dest=mode.fp32_dest)


def _annotate(region: dialect.ComputeRegionOp, capacity: int, *, fp32_dest: bool) -> None:
    needed = plan(region, fp32_dest=fp32_dest)
    for tile, need in needed.lives.items():
        if isinstance(tile.owner, Operation):
            tile.owner.attributes["ttl.dst_cost"] = IntegerAttr(need.cost, i64)
            tile.owner.attributes["ttl.dst_live"] = i64_array((need.first, need.last))
    numbers = {
        "ttl.dst_peak": needed.count,
        "ttl.dst_capacity": capacity,
        "ttl.dst_subblock": largest_subblock(region, capacity, needed.count),
    }
    region.attributes |= {name: IntegerAttr(number, i64) for name, number in numbers.items()}
