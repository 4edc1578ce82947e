"""``ttnn-deallocate``: every tensor gives its memory back right after its last use.

Expects: TTNN, one block in a function. Guarantees: of every tensor that an operation without a destination makes, either the
function returns it, or there is one ``ttnn.deallocate`` of it, behind the last use of its memory. What an operation writes to a
destination lies in the destination's memory, so uses of the result are uses of the destination, through any number
of operations. Arguments are the caller's.

What does not fit into the memory of the device by then is a warning: the module is right, and cannot run.

Several tensors that die at one operation are given back in the reverse of the order in which they came.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from tt_model.operations.dialects import build
from tt_model.operations.explanation import EXPLANATION
from tt_model.operations.operation import RowOperation, is_destination_style
from tt_model.operations.ttnn import TTNNDeallocateOp
from ttl.ir.failure import Remarks
from ttmlir.transforms.memory_map import too_large_anywhere


@dataclass(frozen=True)
class TTNNDeallocate(ModulePass):
    """Give the memory of every tensor back after its last use."""

    name = "ttnn-deallocate"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.walk():
            if isinstance(function, FuncOp):
                for block in function.body.blocks:
                    _deallocate(block)
        if warnings := too_large_anywhere(op, "warning"):
            raise Remarks(warnings)


def _deallocate(block: Block) -> None:
    operations = list(block.ops)
    position = {op: index for index, op in enumerate(operations)}
    owners = [
        (op, result)
        for op in operations
        if not is_destination_style(op)
        for result in op.results
        if isinstance(result.type, TensorType)
    ]
    explanation = EXPLANATION.get()
    for op, result in owners:
        if any(isinstance(use.operation, TTNNDeallocateOp) for use in result.uses):
            continue
        last = last_use(op, result, position)
        if isinstance(last, ReturnOp):
            continue
        end = build("ttnn.deallocate", [result], [], {"force": False}, location=last.location)
        block.insert_op_after(end, last)
        if explanation is not None and last is op:
            explanation.because(result, "ttnn-deallocate: it is not used")


def last_use(op: Operation, value: SSAValue, position: dict[Operation, int]) -> Operation:
    """The last operation that uses the memory of a value, be it through destinations; ``op``, which makes it, if none does."""
    last, place = op, position[op]
    waiting = [value]
    while waiting:
        alias = waiting.pop()
        for use in alias.uses:
            user = use.operation
            at = position[user]
            if at > place:
                last, place = user, at
            if isinstance(user, RowOperation) and user.ROW.inits is not None:
                start, end = user.init_bounds
                if start <= use.index < end and use.index - start < len(user.results):
                    waiting.append(user.results[use.index - start])
    return last
