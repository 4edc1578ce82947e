"""``ttl-reorder-transfers``: transfers that do not depend on each other start in the order of the tensors they access.

Between two waits a data movement kernel may start its transfers in any order. The transfers of one tensor follow each
other, in the order in which the program first names the tensors; so pages that lie together are requested together.

Expects: operations whose pushes, pops and waits are there. Guarantees: of copies from tensors into blocks, and of copies from
blocks into tensors, that follow each other with nothing but numbers, slices and acquisitions between them, those of one
tensor are next to each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ttl.analysis.dominance import walked
from ttl.analysis.effects import is_free
from ttl.dialects import ttl as dialect
from ttl.dialects.structure import OperationOp
from ttl.passes.building import detach
from ttl.passes.choices import operations_of
from ttl.passes.contracts import Contract, PassFact


@dataclass(frozen=True)
class ReorderTransfers(ModulePass):
    """Start transfers that do not depend on each other in the order of the tensors that they read or write."""

    name = "ttl-reorder-transfers"
    contract: ClassVar = Contract(needs=(PassFact.SYNC,), before=(PassFact.BUFFERED,))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in operations_of(op):
            reorder(operation)


def reorder(operation: OperationOp) -> int:
    """Reorder the transfers of an operation; return how many have moved."""
    moved = 0
    for kernel in operation.kernels:
        blocks = [block for op in walked(kernel) for region in op.regions for block in region.blocks]
        for block in blocks:
            for run in _runs(block):
                moved += _reorder(run)
    return moved


def _runs(block: Block) -> list[list[Operation]]:
    """Runs of successive operations that may change places: they start transfers in one direction, or are free."""
    runs: list[list[Operation]] = [[]]
    reads: bool | None = None
    for op in block.ops:
        tensor = tensor_of(op)
        if tensor is not None:
            direction = isinstance(op, dialect.CopyOp) and isinstance(op.src.type, dialect.SliceType)
            if reads is not None and reads != direction:
                runs.append([])
            reads = direction
            runs[-1].append(op)
        elif isinstance(op, dialect.TensorSliceOp | dialect.DfbReserveOp) or is_free(op):
            runs[-1].append(op)
        else:
            runs.append([])
            reads = None
    return runs


def tensor_of(op: Operation) -> SSAValue | None:
    """Return the tensor that a copy between a tensor and a block reads or writes; None for other operations."""
    if not isinstance(op, dialect.CopyOp):
        return None
    slices = [end for end in (op.src, op.dst) if isinstance(end.owner, dialect.TensorSliceOp)]
    return (
        slices[0].owner.operands[0] if slices and isinstance(slices[0].owner, dialect.TensorSliceOp) else None
    )


def _reorder(run: Sequence[Operation]) -> int:
    """Move the copies of a run to its end, grouped by tensor; return how many are at another position among them."""
    copies = [op for op in run if tensor_of(op) is not None]
    order: dict[SSAValue | None, int] = {}
    for op in copies:
        order.setdefault(tensor_of(op), len(order))
    # The copies of one tensor keep their order, since writes to it may overlap.
    wanted = sorted(copies, key=lambda op: order[tensor_of(op)])
    if wanted == copies:
        return 0
    block = run[0].parent
    assert block is not None
    following = run[-1].next_op
    for op in wanted:
        detach(op)
        if following is None:
            block.add_op(op)
        else:
            block.insert_op_before(op, following)
    return sum(one is not other for one, other in zip(copies, wanted, strict=True))
