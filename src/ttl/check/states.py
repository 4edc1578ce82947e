"""What is done to blocks, on every path through a kernel (specification, "Block states").

The rules are the simulator's: ``ttl.protocol.blocks`` for the steps, ``ttl.rules`` for the rest.
"""

from __future__ import annotations

from ttl.analysis.scalars import Slots
from ttl.check.context import Context
from ttl.check.flow.analyse import analyse
from ttl.check.flow.blocks import Blocks
from ttl.check.flow.holdings import Holdings
from ttl.diag.model import Diagnostic
from ttl.dialects.ttl import OperationOp


def check(operation: OperationOp, context: Context) -> list[Diagnostic]:
    """Steps on blocks that their state forbids, blocks released out of order, too many held, and left over."""
    slots = Slots(context.grid)
    found: list[Diagnostic] = []
    for kernel in operation.kernels:
        rules = Blocks(kernel)
        found += analyse(kernel, slots, rules.action, Holdings, rules.left_over, rules.place)
    return found
