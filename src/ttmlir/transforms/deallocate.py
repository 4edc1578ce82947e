"""``ttnn-deallocate``: every tensor is deallocated right after its last use.

Expects: TTNN, one block in a function. Guarantees: every tensor that an operation without a destination produces is
either returned by the function, or has one ``ttnn.deallocate`` behind the last use of its memory. A result that is
written to a destination lies in the destination's memory, so uses of the result are uses of the destination, through
any number of operations. Arguments belong to the caller.

If the tensors do not fit into the memory of the device, there is a warning: the module is correct, but cannot run.

Several tensors with the same last use are deallocated in the reverse of the order in which they were produced.
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
    """Deallocate every tensor after its last use."""

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
    """Return the last operation that uses the memory of a value, also through destinations.

    Without uses, that is ``op``, which produces the value.
    """
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
