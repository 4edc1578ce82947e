"""``ttir-propagate-transposes``: operations work in the order of dimensions that their neighbours need.

Convolutions and poolings of TTNN take images as batch, height, width, channels, and frameworks have channels first, so that a
model arrives with transposes around every convolution. Operations between two of them (activations, the arithmetic of a batch
norm, residual sums, concatenations, means) compute the same in any order.

Every value is seen as a *source* in some order, so that transposes are not operations any more but differences between the order
of a source and those that its uses need. An operation that may change its order has one; the pass looks for orders with which the
fewest elements are moved, first for whole groups of operations, then for one at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from ttmlir.transforms.orders.dimension_orders import OrderSearch, TransposedFunction
from ttmlir.transforms.orders.order_rewriting import OrderRewriting
from ttmlir.transforms.orders.permutations import Order


@dataclass(frozen=True)
class PropagateTransposes(ModulePass):
    """Choose the order of dimensions in which operations work, so that as little as can be is transposed.

    Expects: TTIR on tensors without layouts, ``ttir.convolution`` and ``ttir.pooling`` decomposed; of functions of one block
    without regions inside, others stay as they are. Guarantees: functions have the types that they had; no transpose of a
    transpose and no reshape of a reshape; other operations stay in their number and order, each at its place in the
    program, except that constants may be there in several orders.

    An extension: nothing like it is in the pipeline of 2024-11-21, where it is off (``propagate-transposes``). Models of
    frameworks have it on.
    """

    name = "ttir-propagate-transposes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        propagate_transposes(op)


@dataclass(frozen=True)
class RecordedPropagation(PropagateTransposes):
    """The pass, for callers that compare values of results: ``moved`` gets what ``propagate_transposes`` returns."""

    moved: dict[str, Order] = field(default_factory=dict)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.moved.update(propagate_transposes(op))


def propagate_transposes(module: ModuleOp) -> dict[str, Order]:
    """The pass. Returns how results are permuted now, by the names of their locations; the others are as they were."""
    moved: dict[str, Order] = {}
    for op in list(module.walk()):
        if isinstance(op, FuncOp) and len(op.body.blocks) == 1:
            block = op.body.block
            if not any(inner.regions for inner in block.ops):
                function = TransposedFunction(block)
                OrderSearch(function).run()
                moved.update(OrderRewriting(function).run())
    return moved
