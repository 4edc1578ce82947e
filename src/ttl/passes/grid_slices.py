"""``ttl.grid_slice`` taken apart: slices of a node's part of a tensor are slices of the tensor that begin further on."""

from __future__ import annotations

from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import of_kinds, walked
from ttl.dialects import ttl as dialect


def has_grid_slices(operation: dialect.OperationOp) -> bool:
    """Whether an operation of the language takes a node's part of a tensor anywhere."""
    return any(type(op) is dialect.GridSliceOp for op in walked(operation))


def resolve_grid_slices(operation: dialect.OperationOp) -> None:
    """Add where a node's part begins, its coordinate times the extent of a part, to the offsets of the slices of that part."""
    parts = of_kinds(operation, dialect.GridSliceOp)
    for part in reversed(parts):  # of parts of parts the inner ones come later
        for use in list(part.result.uses):
            if isinstance(use.operation, dialect.TensorSliceOp):
                _move(use.operation, part.block_factors)
            use.operation.operands[use.index] = part.accessor
        assert part.parent is not None
        part.parent.erase_op(part)


def _move(op: dialect.TensorSliceOp, factors: tuple[int, ...]) -> None:
    node = dialect.NodeOp(len(factors))
    new: list[Operation] = [node]
    offsets: list[SSAValue] = []
    for coordinate, factor, offset in zip(node.coordinates, factors, op.offsets, strict=True):
        size = ConstantOp.from_int_and_width(factor, IndexType())
        begin = MuliOp(coordinate, size.result)
        moved = AddiOp(begin.result, offset)
        new += [size, begin, moved]
        offsets.append(moved.result)
    for added in new:
        added.location = op.location
    assert op.parent is not None
    op.parent.insert_ops_before(new, op)
    op.operands = [op.accessor, *offsets, *op.dynamic_sizes]
