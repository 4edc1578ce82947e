"""``ttir-propagate-transposes``: operations work in the order of dimensions that their neighbours need.

Convolutions and poolings of TTNN take images as batch, height, width, channels, and frameworks have channels first, so
that a model arrives with transposes around every convolution. Operations between two transposes (activations, the
arithmetic of a batch norm, residual sums, concatenations, means) compute the same in any order.

Every value is seen as a *source* in some order, so that transposes are not operations but differences between the order
of a source and the orders that its uses need. Every operation that can work in several orders has one of them; the pass
searches for orders with which the fewest elements are moved, first for whole groups of operations, then for single
operations.
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
    """Choose the order of dimensions in which operations work, so that the fewest elements are transposed.

    Expects: TTIR on tensors without layouts, ``ttir.convolution`` and ``ttir.pooling`` decomposed. Functions of several
    blocks, or with operations that have regions, stay unchanged. Guarantees: functions keep their types; no transpose
    of a transpose and no reshape of a reshape; the number and order of other operations are the same, each at its
    location in the program, except that constants may exist in several orders.

    An extension: the pipeline of 2024-11-21 has no such pass, so that its option ``propagate-transposes`` is off by
    default. It is on for models from frameworks.
    """

    name = "ttir-propagate-transposes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        propagate_transposes(op)


@dataclass(frozen=True)
class RecordedPropagation(PropagateTransposes):
    """The pass, for callers that compare results: ``moved`` gets the orders that ``propagate_transposes`` returns."""

    moved: dict[str, Order] = field(default_factory=dict)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.moved.update(propagate_transposes(op))


def propagate_transposes(module: ModuleOp) -> dict[str, Order]:
    """Run the pass. Return the permutations of the results that were permuted, by the names of their locations."""
    moved: dict[str, Order] = {}
    for op in list(module.walk()):
        if isinstance(op, FuncOp) and len(op.body.blocks) == 1:
            block = op.body.block
            if not any(inner.regions for inner in block.ops):
                function = TransposedFunction(block)
                OrderSearch(function).run()
                moved.update(OrderRewriting(function).run())
    return moved
