"""Values of expressions that a compute kernel prints: through a buffer of the compiler's, since only memory is printed."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import inside
from ttl.dialects import ttl as dialect
from ttl.passes.compute.temporaries import Temporaries, insert, store_into, used_as


def print_from_buffers(kernel: dialect.KernelOp, buffers: Temporaries) -> None:
    """Give every print of a kernel blocks for the values it prints; they are given back after it."""
    for op in inside(kernel):
        if not isinstance(op, dialect.PrintOp):
            continue
        for index, value in enumerate(op.operands):
            if not isinstance(value.type, TensorType):
                continue
            dfb = buffers.buffer(
                buffers.memory_type(used_as(value)),
                1,
                f"{value.name_hint or 'value'}_printed",
                "it is printed, and only what is in memory can be",
                op.location,
            )
            store_into(dfb, value, InsertPoint.before(op), op.location)
            wait = dialect.DfbWaitOp(dfb.result)
            insert([wait], InsertPoint.before(op), op.location)
            op.operands[index] = wait.result
            insert([dialect.DfbPopOp(wait.result, how="inferred")], InsertPoint.after(op), op.location)
