"""``ttl-padding``: padding behind the end of a tensor must not enter a sum, a maximum or a product.

A tensor is stored in whole tiles; behind its last row and column there is padding, zeros where TT-NN made the tensor.
Values that are computed from padding may be anything. The language says that padding never enters a reduction or a
product; the simulator keeps it out, and this pass does so on the hardware, as far as that can: zeros do not change
sums; sums along one dimension can be weighted so that the last columns or rows do not count; and where it is known how
much of a block is padding, a mask replaces padding by elements that do not change the result
(``passes/compute/masks.py``). The rest is refused.

Expects: operations before ``ttl-materialize``, the width of the registers chosen. Guarantees: reductions that need
weights have ``ttl.counted``, how many columns (or rows) of the last tile count; no other operation reads padding that
changes its result. Raises ``NotLowered`` TTL1406.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass

from ttl.analysis.dominance import of_kinds
from ttl.analysis.padding import BlockPadding, PaddingFlow, touches
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.ir.failure import NotLowered, placed
from ttl.passes.choices import operations_of
from ttl.passes.compute.masks import Masks
from ttl.passes.compute.views import reduced_in_registers, type_of
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import COUNTED
from ttl.rows.rules import negative
from ttl.rows.types import TILE


@dataclass(frozen=True)
class KeepPaddingOut(ModulePass):
    """Keep padding of tensors out of reductions and products."""

    name = "ttl-padding"
    contract: ClassVar = Contract(
        needs=(PassFact.ROWS, PassFact.MODE), gives=(PassFact.PADDING,), before=(PassFact.BUFFERED,)
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        problems: list[Diagnostic] = []
        for operation in operations_of(op):
            problems += _Analysis(operation).run()
        if problems:
            raise NotLowered(problems)


class _Analysis:
    def __init__(self, operation: dialect.OperationOp) -> None:
        self._operation = operation
        self._masks = Masks(operation)
        self._flow = PaddingFlow(operation)

    def run(self) -> list[Diagnostic]:
        if not self._flow.run():
            return []
        ops = of_kinds(self._operation, dialect.BlockComputeOp)
        return [problem for op in ops if (problem := self._problem(op)) is not None]

    # --- where padding must not enter ---

    def _problem(self, op: dialect.BlockComputeOp) -> Diagnostic | None:
        """Keep padding out of an operation; return an error if that is not possible."""
        match op.row.family:
            case "product":
                return self._product(op)
            case "reduction":
                return self._reduction(op)
        return None

    def _product(self, op: dialect.BlockComputeOp) -> Diagnostic | None:
        sides = [(self._flow.of(operand), axis) for operand, axis in zip(op.operands, (-1, -2), strict=True)]
        depth = type_of(op.operands[0]).elements[-1]
        for at, (padding, axis) in enumerate(sides):
            if not _adds_to(sides[at], sides[1 - at], depth):
                continue
            if not padding.fixed[axis]:
                return placed(_enters(op, "the product sums over"), op)
            self._masks.put_in(op, at, padding, (axis,))
            sides[at] = (replace(padding, number=0, is_finite=True), axis)
        return None

    def _reduction(self, op: dialect.BlockComputeOp) -> Diagnostic | None:
        (source,) = op.operands
        padding, block = self._flow.of(source), type_of(source)
        is_sum = op.row.adds_up
        reduced = negative(op.params[0], len(block.shape))
        if padding.valid is None or not touches(padding, block, reduced):
            return None
        if is_sum and padding.is_zero:
            return None
        if any(axis in reduced and not padding.fixed[axis] for axis in (-2, -1)):
            return placed(_enters(op, "the sum is over" if is_sum else "the maximum is over"), op)
        if is_sum and not reduced_in_registers(op) and padding.is_finite and not {-2, -1} <= set(reduced):
            axis = -1 if -1 in reduced else -2
            counted = padding.valid[axis] - (block.elements[axis] - TILE)
            if 0 < counted < TILE:
                op.attributes[COUNTED] = IntegerAttr(counted, i64)
                return None
        self._masks.put_in(op, 0, padding, reduced)
        return None


def _adds_to(side: tuple[BlockPadding, int], other: tuple[BlockPadding, int], depth: int) -> bool:
    """Whether padding of one factor enters a sum of products: neither it nor the other factor is zero there."""
    (padding, axis), (factor, factor_axis) = side, other
    if padding.valid is None or padding.is_zero or (padding.fixed[axis] and padding.valid[axis] >= depth):
        return False
    # Zero times infinity is not a number. A product whose padding is infinite only if numbers are very large is
    # compiled if a mask could not keep that out.
    if not (padding.is_finite or (padding.is_finite is None and not padding.fixed[axis])):
        return True
    return (
        factor.valid is None
        or not factor.is_zero
        or factor.fixed[factor_axis] is not padding.fixed[axis]
        or factor.valid[factor_axis] != padding.valid[axis]
    )


def _enters(op: dialect.BlockComputeOp, what: str) -> Diagnostic:
    return error(
        "TTL1406",
        f"{what} padding of a tensor whose extent is not a multiple of {TILE}, and blocks have different amounts of it",
        notes=(
            "the simulator keeps padding out of reductions and products; on the chip it is part of the tile, and a mask "
            "that leaves it out is the same for all blocks",
        ),
        help="read all of the dimension as one block; or pad the tensor to a multiple of 32 with a value that does not "
        "change the result: ttnn.pad(..., value=0) for sums and products, value=-inf for maxima; or mask the block before: "
        "ttl.block.where(mask, expr, fill)",
    )
