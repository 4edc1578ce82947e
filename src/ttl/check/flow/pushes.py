"""Which buffers a kernel uses as scratch memory on a node: it uses every block itself before it pushes it."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ttl.analysis.scalars import Slots
from ttl.check.flow.blocks import Blocks
from ttl.check.flow.holdings import BlockId, Holdings
from ttl.check.flow.tree import Tree
from ttl.check.flow.walk import TooMuch, Walk
from ttl.dialects import ttl as dialect
from ttl.protocol.blocks import State


class _Pushes(Blocks):
    """Follows blocks, and keeps the buffers of those that are pushed and were not used."""

    def __init__(self, kernel: dialect.KernelOp) -> None:
        super().__init__(kernel)
        self.unused: set[SSAValue] = set()

    def given_back(self, path: Holdings, block: BlockId, op: dialect.ReleaseOp) -> None:
        if path.blocks[block].state != State.READ_WRITE:
            self.unused.add(block.site.op.dfb)
        super().given_back(path, block, op)


def pushed_unused(kernel: dialect.KernelOp, node: int, slots: Slots) -> set[SSAValue]:
    """Buffers into which a kernel pushes, on a node, a block that it wrote and did not use.

    Empty where the kernel cannot be followed on the node: what cannot be decided is not reported.
    """
    pushes = _Pushes(kernel)
    walk = Walk(Tree(kernel, pushes.action, slots), node)
    try:
        walk.run(Holdings())
    except TooMuch:
        return set()
    return pushes.unused if walk.exact else set()
