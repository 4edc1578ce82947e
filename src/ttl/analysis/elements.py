"""Values of a kernel that are unknown before it runs: elements of blocks, results of C++, answers of ``wait_any``."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import walked
from ttl.dialects import ttl as dialect

# The operations with such results.
FOUND_OUT = (*dialect.ELEMENT_READS, dialect.ExternCallOp, dialect.WaitAnyOp)


def values_read(within: Operation, kinds: tuple[type[Operation], ...] = FOUND_OUT) -> set[SSAValue]:
    """Return the values inside an operation that depend on results of operations of these kinds, with the results."""
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
    """Whether one of the values decides a branch, or the number of iterations of a loop."""
    conditions = [*op.operands]
    if isinstance(op, scf.WhileOp):
        end = op.before_region.block.last_op
        conditions = [] if end is None else [end.operands[0]]
    return not values.isdisjoint(conditions)
