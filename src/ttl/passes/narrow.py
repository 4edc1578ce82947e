"""``ttl-narrow``: intermediate values in bfloat16, where they do not fit into L1 as float32.

Between two computations a value is kept as wide as the registers are, so that it is rounded once, at its store. If that
takes more L1 than there is, the largest values are kept in bfloat16.

Expects: operations after ``ttl-materialize``. ``codegen.compile`` counts up from 0 until all buffers fit. Guarantees:
that many of the compiler's float32 buffers are bfloat16, the largest first; ``ttl.wide`` says how many others could be.
Values that are float32 in the program stay float32.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeGuard

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TensorType, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ttl.analysis.dominance import walked
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import RetypeOp
from ttl.passes.buffers.l1 import bytes_of
from ttl.passes.building import erase
from ttl.passes.choices import ChoicePoint, ChoosingPass, operations_of, point
from ttl.passes.compute.modes import compute_mode
from ttl.passes.compute.temporaries import insert
from ttl.passes.contracts import Contract, PassFact
from ttl.passes.marks import WHY, is_made
from ttl.rows.dtypes import BFLOAT16, FLOAT32, REAL_NUMBER, WHOLE_NUMBER
from ttl.rows.types import BlockType

WIDE = "ttl.wide"


@dataclass(frozen=True)
class Narrow(ChoosingPass):
    """Keep intermediate values in bfloat16, where they do not fit into L1 as float32.

    ``buffers`` is the number of buffers of each operation that become bfloat16.
    """

    name = "ttl-narrow"
    contract: ClassVar = Contract(needs=(PassFact.BUFFERED,), before=(PassFact.REGIONS,))
    buffers: int = 0

    def __post_init__(self) -> None:
        if self.buffers < 0:
            raise ValueError(f"buffers is a whole number from 0 on, not {self.buffers}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for operation in operations_of(op):
            wide = [item for item in walked(operation) if _is_wider_than_the_program(item)]
            if compute_mode(operation).strict:
                continue  # no sum may be rounded before it is complete
            wide = sorted(wide, key=bytes_of, reverse=True)
            for dfb in wide[: self.buffers]:
                _narrow(dfb)
            if wide[self.buffers :]:
                operation.attributes[WIDE] = IntegerAttr(len(wide) - self.buffers, i64)

    def choices(self, module: ModuleOp) -> Iterator[ChoicePoint]:
        for operation in operations_of(module):
            left = operation.attributes.get(WIDE)
            most = self.buffers + (left.value.data if isinstance(left, IntegerAttr) else 0)
            if most:
                why = "asked for, or so many that all buffers fit" if self.buffers else "float32 values fit"
                yield point("narrow", str(self.buffers), [*map(str, range(most + 1))], why, None, exact=False)


def can_be_narrower(module: ModuleOp) -> bool:
    """Whether operations that went through the pass have more buffers that could become bfloat16."""
    return any(WIDE in op.attributes for op in module.body.block.ops)


def _is_wider_than_the_program(op: object) -> TypeGuard[dialect.CreateDfbOp]:
    """Whether a buffer is a float32 buffer of the compiler for values that are not float32 in the program."""
    if not isinstance(op, dialect.CreateDfbOp) or not is_made(op) or not op.result.uses:
        return False
    if op.result.type.block_type.dtype is not FLOAT32:
        return False
    stored = [
        use.operation.value
        for acquire in op.result.uses
        for result in acquire.operation.results
        for use in result.uses
        if isinstance(use.operation, dialect.BlockStoreOp | dialect.BlockAccumulateOp)
    ]
    return bool(stored) and not any(_is_float32(value) for value in stored)


def _is_float32(value: SSAValue) -> bool:
    assert isinstance(value.type, TensorType)
    dtype = dialect.block_type_of(value.type).dtype
    if dtype in (REAL_NUMBER, WHOLE_NUMBER):
        return False
    return dtype.element_bytes > BFLOAT16.element_bytes


def _narrow(dfb: dialect.CreateDfbOp) -> None:
    type_ = dfb.result.type
    block = type_.block_type.with_dtype(BFLOAT16)
    value = Rewriter.replace_value_with_new_type(
        dfb.result, dialect.DataflowBufferType.of(block, type_.block_count)
    )
    for use in [*value.uses]:
        for result in [*use.operation.results]:
            acquired = Rewriter.replace_value_with_new_type(result, dialect.BlockMemoryType.of(block))
            for item in [*acquired.uses]:
                if isinstance(item.operation, dialect.BlockReadOp):
                    _read_as(item.operation, block)
    why = dfb.attributes.get(WHY)
    said = f"{why.data}; " if isinstance(why, StringAttr) else ""
    dfb.attributes[WHY] = StringAttr(f"{said}it is kept as bfloat16, since float32 does not fit into L1")


def _read_as(read: dialect.BlockReadOp, block: BlockType) -> None:
    """Let users of a read still get values of the old type, though the block has another type."""
    before = read.result.type
    value = Rewriter.replace_value_with_new_type(read.result, dialect.value_type(block))
    others = []
    for use in [*value.uses]:
        if not isinstance(use.operation, RetypeOp):
            others.append(use)
        elif use.operation.result.type == value.type:
            use.operation.result.replace_all_uses_with(value)
            erase(use.operation)
    if others:
        assert isinstance(before, TensorType)
        typed = RetypeOp(value, dialect.block_type_of(before))
        insert([typed], InsertPoint.after(read), read.location)
        for use in others:
            use.operation.operands[use.index] = typed.result
