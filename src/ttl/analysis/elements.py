"""Values of a kernel that are not known before it runs: of elements of blocks, of C++, which of several receives is first."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import walked
from ttl.dialects import ttl as dialect

# The operations that give such values.
FOUND_OUT = (*dialect.ELEMENT_READS, dialect.ExternCallOp, dialect.WaitAnyOp)


def values_read(within: Operation, kinds: tuple[type[Operation], ...] = FOUND_OUT) -> set[SSAValue]:
    """The values of a kernel, or of all kernels of an operation, that depend on what operations of these kinds give."""
    read: set[SSAValue] = set()
    left = [result for op in walked(within) if isinstance(op, kinds) for result in op.results]
    while left:
        value = left.pop()
        if value in read:
            continue
        read.add(value)
        for use in value.uses:
            op = use.operation
            parent = op.parent_op()
            left += op.results
            left += [argument for region in op.regions for block in region.blocks for argument in block.args]
            if isinstance(op, scf.YieldOp | scf.ConditionOp) and parent is not None:
                left += parent.results
                left += [argument for region in parent.regions for argument in region.block.args]
    return read


def decided_by(op: Operation, values: set[SSAValue]) -> bool:
    """Whether one of the values decides how often a loop runs or which way a branch goes."""
    conditions = [*op.operands]
    if isinstance(op, scf.WhileOp):
        end = op.before_region.block.last_op
        conditions = [] if end is None else [end.operands[0]]
    return not values.isdisjoint(conditions)
