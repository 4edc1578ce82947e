"""Expressions as trees: the values that a value is computed from, down to the blocks that are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ttl.analysis.dominance import of_kinds, walked
from ttl.dialects import ttl as dialect
from ttl.passes.building import erase

_WITHOUT_EFFECT = (
    dialect.BlockReadOp, dialect.BlockComputeOp, dialect.RetypeOp, dialect.BlockPartOp, dialect.BlockInsertOp
)  # fmt: skip


def computed_in(value: SSAValue) -> bool:
    """Whether a value is computed by an operation on values of blocks."""
    return isinstance(value.owner, dialect.BlockComputeOp | dialect.RetypeOp)


def operands_of(value: SSAValue) -> list[SSAValue]:
    """The values of blocks that a value is computed from."""
    if not computed_in(value):
        return []
    return [operand for operand in value.owner.operands if isinstance(operand.type, TensorType)]  # type: ignore[union-attr]


def tree(value: SSAValue, *, through: Callable[[SSAValue], bool] | None = None) -> list[SSAValue]:
    """Every computed value of an expression, each once, users before their operands.

    Values that are not computed by an operation are included if ``through`` holds for them.
    """
    result: dict[SSAValue, None] = {}

    def visit(value: SSAValue) -> None:
        if value in result:
            return
        if computed_in(value):
            for operand in operands_of(value):
                visit(operand)
            result[value] = None
        elif through is not None and through(value):
            result[value] = None

    visit(value)
    return list(result)[::-1]


def leaves(value: SSAValue) -> list[dialect.BlockReadOp]:
    """The reads of blocks that an expression ends in, each once."""
    result: dict[dialect.BlockReadOp, None] = {}
    seen: set[SSAValue] = set()

    def visit(value: SSAValue) -> None:
        if value in seen:
            return
        seen.add(value)
        if isinstance(value.owner, dialect.BlockReadOp):
            result[value.owner] = None
        for operand in operands_of(value):
            visit(operand)

    visit(value)
    return list(result)


def users_of(value: SSAValue) -> list[Operation]:
    """The operations that use a value, or a value that is computed from it, in no order."""
    result: dict[Operation, None] = {}
    pending = [value]
    while pending:
        for use in pending.pop().uses:
            if use.operation not in result:
                result[use.operation] = None
                pending += [item for item in use.operation.results if computed_in(item)]
    return list(result)


def stores_of(kernel: dialect.UserKernelOp) -> Iterator[dialect.BlockStoreOp]:
    """The stores of a kernel, in order."""
    return iter(of_kinds(kernel, dialect.BlockStoreOp))


def erase_unused(kernel: dialect.UserKernelOp) -> None:
    """Erase reads and values that nothing uses any more."""
    for op in reversed(walked(kernel)):
        if (
            isinstance(op, _WITHOUT_EFFECT)
            and not any(result.uses for result in op.results)
        ):  # fmt: skip
            erase(op)
