"""Buffers that the compiler makes, through which computed values go to be read from a circular buffer."""

from __future__ import annotations

from xdsl.dialects.builtin import LocationAttr, StringAttr, TensorType, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ttl.analysis.dominance import inside
from ttl.dialects import ttl as dialect
from ttl.dialects.elements import RetypeOp
from ttl.passes.compute.modes import ComputeMode
from ttl.passes.compute.views import number_as, type_of
from ttl.passes.marks import INTERMEDIATE, MADE_BY, WHY
from ttl.rows.dtypes import BFLOAT16, FLOAT16, FLOAT32, REAL_NUMBER, WHOLE_NUMBER, DType
from ttl.rows.table import TYPECAST
from ttl.rows.types import BlockType


class Temporaries:
    """Makes buffers in an operation."""

    def __init__(self, operation: dialect.OperationOp, mode: ComputeMode) -> None:
        self._block = operation.body.block
        self._mode = mode
        self._names = {op.buffer_name.data for op in self._block.ops if isinstance(op, dialect.CreateDfbOp)}

    def buffer(
        self,
        block: BlockType,
        block_count: int,
        name: str,
        why: str,
        place: LocationAttr,
        *,
        intermediate: bool = False,
    ) -> dialect.CreateDfbOp:
        """Make a buffer; ``name`` is made unique."""
        unique, number = name, 0
        while unique in self._names:
            number += 1
            unique = f"{name}_{number}"
        self._names.add(unique)
        buffer = dialect.CreateDfbOp(type=dialect.DataflowBufferType.of(block, block_count), name=unique)
        buffer.attributes[MADE_BY] = StringAttr("compiler")
        buffer.attributes[WHY] = StringAttr(why)
        if intermediate:
            buffer.attributes[INTERMEDIATE] = UnitAttr()
        buffer.location = place
        first_kernel = next((op for op in self._block.ops if isinstance(op, dialect.UserKernelOp)), None)
        if first_kernel is None:
            self._block.add_op(buffer)
        else:
            self._block.insert_op_before(buffer, first_kernel)
        return buffer

    def memory_type(self, value: BlockType) -> BlockType:
        """Return how a value is kept between two computations: in float32 where the registers are that wide."""
        if value.dtype in (REAL_NUMBER, WHOLE_NUMBER):
            return value.with_dtype(FLOAT32 if self._mode.fp32_dest else BFLOAT16)
        if value.dtype.is_float and self._mode.fp32_dest:
            return value.with_dtype(FLOAT32)
        if value.dtype.kind == "block_float":
            return value.with_dtype(BFLOAT16)
        return value


def used_as(value: SSAValue) -> BlockType:
    """The type of a value; a number takes the element type of its uses (values it is combined with, blocks stored to).

    If these have several types, an integer type is preferred, since it holds a whole number exactly.
    """
    assert isinstance(value.type, TensorType)
    block = dialect.block_type_of(value.type)
    if block.dtype not in (REAL_NUMBER, WHOLE_NUMBER):
        return block
    dtypes = [
        number_as(value, dtype) for use in value.uses if (dtype := _taken_as(use.operation)) is not None
    ]
    dtypes.sort(key=lambda dtype: dtype.is_float)
    return block.with_dtype(dtypes[0]) if dtypes else block


def is_rounded_by_packer(op: Operation) -> bool:
    """Whether an operation converts to a type that DST cannot hold: the packer makes block floats and float16."""
    if not isinstance(op, dialect.BlockComputeOp) or op.row is not TYPECAST:
        return False
    dtype = type_of(op.result).dtype
    return dtype.kind == "block_float" or dtype is FLOAT16


def stored_as(user: Operation) -> DType | None:
    """The element type of the block that an operation stores or adds to; None for others."""
    if not isinstance(user, dialect.BlockStoreOp | dialect.BlockAccumulateOp):
        return None
    assert isinstance(user.block.type, dialect.BlockMemoryType)
    return user.block.type.block_type.dtype


def _taken_as(user: Operation) -> DType | None:
    """The element type in which an operation takes a number; None if the operation determines no type."""
    if (stored := stored_as(user)) is not None:
        return stored
    if isinstance(user, dialect.BlockComputeOp | dialect.RetypeOp):
        dtype = used_as(user.results[0]).dtype
        return None if dtype in (REAL_NUMBER, WHOLE_NUMBER) else dtype
    return None


def store_into(dfb: dialect.CreateDfbOp, value: SSAValue, point: InsertPoint, place: LocationAttr) -> None:
    """Store a value into the next block of a buffer and hand it over."""
    reserve = dialect.DfbReserveOp(dfb.result)
    ops: list[Operation] = [
        reserve,
        dialect.BlockStoreOp(reserve.result, value),
        dialect.DfbPushOp(reserve.result, how="inferred"),
    ]
    insert(ops, point, place)


def read_from(
    dfb: dialect.CreateDfbOp, value: SSAValue, point: InsertPoint, place: LocationAttr
) -> tuple[dialect.DfbWaitOp, SSAValue]:
    """Wait for a block of a buffer, and read it as the value that went into it; the block is not released here."""
    wait = dialect.DfbWaitOp(dfb.result)
    read = dialect.BlockReadOp(wait.result)
    insert([wait, read], point, place)
    if read.result.type == value.type:
        return wait, read.result
    assert isinstance(value.type, TensorType)
    typed = RetypeOp(read.result, dialect.block_type_of(value.type))
    insert([typed], InsertPoint.after(read), place)
    return wait, typed.result


def insert(ops: list[Operation], point: InsertPoint, place: LocationAttr) -> None:
    """Insert operations that the compiler made, with the location of a place of the program."""
    for op in ops:
        op.location = place
    Rewriter.insert_op(ops, point)


def location_of(value: SSAValue, otherwise: Operation) -> LocationAttr:
    """The location of the operation that computes a value; that of ``otherwise`` for a block argument."""
    owner = value.owner
    if isinstance(owner, RetypeOp):
        return location_of(owner.value, otherwise)
    return owner.location if isinstance(owner, Operation) else otherwise.location


def print_from_buffers(kernel: dialect.UserKernelOp, buffers: Temporaries) -> None:
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
                "it is printed, and only a block in memory can be printed",
                op.location,
            )
            store_into(dfb, value, InsertPoint.before(op), op.location)
            wait = dialect.DfbWaitOp(dfb.result)
            insert([wait], InsertPoint.before(op), op.location)
            op.operands[index] = wait.result
            insert([dialect.DfbPopOp(wait.result, how="inferred")], InsertPoint.after(op), op.location)
