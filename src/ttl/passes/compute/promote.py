"""Blocks that are written more than once become values: ``y += a @ b`` in a loop is a sum that the loop carries.

A value that accumulates in a reserved block, or is read back from one, is followed to the place where the block is handed over,
and stored there once. A value that is stored into a block of wait() is read only by the same kernel: it stays a value.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ttl.analysis.dominance import ancestor_in, walked
from ttl.dialects import ttl as dialect
from ttl.dialects.compute import COMPUTE
from ttl.dialects.elements import RetypeOp
from ttl.passes.building import erase
from ttl.passes.compute.by_packer import is_added_up
from ttl.passes.compute.carried import LOOPS, carry, remade
from ttl.passes.compute.temporaries import insert, location_of
from ttl.passes.compute.views import type_of
from ttl.rows.dtypes import UINT8, UINT16, WHOLE_NUMBER
from ttl.rows.dtypes import promote as common
from ttl.rows.table import ADD, FILL
from ttl.rows.types import BlockType

# An attribute of a retyped value that a block would cut off to its type: wide registers do not cut it off.
WRAPS = "ttl.wraps"
_NARROW = (UINT8, UINT16)


def promote(kernel: dialect.UserKernelOp) -> None:
    """Turn all blocks of a kernel that accumulate, or are read back while they are reserved, into values."""
    for op in walked(kernel):
        uses = [use.operation for result in op.results for use in result.uses]
        match op:
            case dialect.BlockAccumulateOp() if is_added_up(op.block):
                store = dialect.BlockStoreOp(op.block, op.value)
                insert([store], InsertPoint.before(op), op.location)
                erase(op)
            case dialect.DfbReserveOp() if is_added_up(op.result):
                pass
            case dialect.DfbReserveOp() if _has(uses, dialect.BlockAccumulateOp, dialect.BlockReadOp):
                _Promotion(op).run()
            case dialect.DfbWaitOp() if _has(uses, dialect.BlockAccumulateOp, dialect.BlockStoreOp):
                _Promotion(op).run()


def _has(operations: Sequence[Operation], *kinds: type[Operation]) -> bool:
    return any(isinstance(op, kinds) for op in operations)


class _Promotion:
    def __init__(self, acquire: dialect.DfbReserveOp | dialect.DfbWaitOp) -> None:
        self._acquire = acquire
        assert isinstance(acquire.result.type, dialect.BlockMemoryType)
        self._type: BlockType = acquire.result.type.block_type

    def run(self) -> None:
        block = self._acquire.parent
        assert block is not None
        users = {ancestor_in(use.operation, block) for use in self._acquire.result.uses}
        following: list[Operation] = []
        op = self._acquire.next_op
        while op is not None and len(following) < len(users):
            if op in users:
                following.append(op)
            op = op.next_op
        self._walk(following, None)

    def _walk(self, ops: Sequence[Operation], value: SSAValue | None) -> SSAValue | None:
        for op in ops:
            value = self._op(op, value)
        return value

    def _op(self, op: Operation, value: SSAValue | None) -> SSAValue | None:
        block = self._acquire.result
        if op.regions and self._mentions(op):
            return self._nested(op, value)
        if block not in op.operands:
            return value
        match op:
            case dialect.BlockStoreOp() if op.offsets:
                value = self._with_part(value, op.value, op)
                erase(op)
            case dialect.BlockAccumulateOp() if op.offsets:
                value = self._first(op) if value is None else value
                total = self._sum(self._part(value, op), op)
                value = self._with_part(value, total, op)
                erase(op)
            case dialect.BlockStoreOp():
                value = op.value
                erase(op)
            case dialect.BlockAccumulateOp():
                value = self._sum(value, op)
                erase(op)
            case dialect.BlockReadOp() if value is not None and op.offsets:
                op.result.replace_all_uses_with(self._part(value, op))
                erase(op)
            case dialect.BlockReadOp() if value is not None:
                op.result.replace_all_uses_with(self._read_back(value, op))
                erase(op)
            case dialect.DfbPushOp() if value is not None:
                store = dialect.BlockStoreOp(block, value)
                insert([store], InsertPoint.before(op), location_of(value, op))
                value = None
        return value

    def _part(self, value: SSAValue, op: dialect.BlockReadOp | dialect.BlockAccumulateOp) -> SSAValue:
        """The part of a value that a sub-view covers."""
        part = dialect.BlockPartOp(self._typed(value, InsertPoint.before(op), op), op.offsets, op.shape)
        insert([part], InsertPoint.before(op), op.location)
        return part.result

    def _with_part(
        self,
        value: SSAValue | None,
        part: SSAValue,
        op: dialect.BlockStoreOp | dialect.BlockAccumulateOp,
    ) -> SSAValue:
        """A value in which the part that a sub-view covers is replaced."""
        before = self._typed(self._first(op) if value is None else value, InsertPoint.before(op), op)
        stored = self._typed(part, InsertPoint.before(op), op, self._type.with_shape(op.shape))
        changed = dialect.BlockInsertOp(before, stored, op.offsets)
        insert([changed], InsertPoint.before(op), op.location)
        return changed.result

    def _mentions(self, op: Operation) -> bool:
        return any(self._acquire.result in item.operands for item in walked(op))

    def _sum(self, value: SSAValue | None, op: dialect.BlockAccumulateOp) -> SSAValue:
        added = op.value
        if value is None and isinstance(self._acquire, dialect.DfbWaitOp):
            value = self._first(op)
        if value is None:
            return self._typed(added, InsertPoint.before(op), op)
        # A sum in a block of narrow integers is computed in the wider type, and converted where it is stored.
        wider = common(self._type.dtype, type_of(added).dtype) if not self._type.dtype.is_float else None
        block = self._type.with_dtype(wider or self._type.dtype).with_shape(op.shape)
        terms = [self._typed(item, InsertPoint.before(op), op, block) for item in (value, added)]
        total = COMPUTE[ADD.name](terms, (), block)
        insert([total], InsertPoint.before(op), op.location)
        return total.result

    def _read_back(self, value: SSAValue, op: Operation) -> SSAValue:
        if self._type.dtype not in _NARROW or isinstance(value.owner, dialect.BlockReadOp):
            return self._typed(value, InsertPoint.before(op), op)
        stored = RetypeOp(value, self._type)
        stored.attributes[WRAPS] = UnitAttr()
        insert([stored], InsertPoint.before(op), op.location)
        return stored.result

    def _typed(
        self, value: SSAValue, point: InsertPoint, op: Operation, block: BlockType | None = None
    ) -> SSAValue:
        wanted = block or self._type
        if type_of(value) is wanted:
            return value
        retyped = RetypeOp(value, wanted)
        insert([retyped], point, op.location)
        return retyped.result

    def _nested(self, op: Operation, value: SSAValue | None) -> SSAValue | None:
        if isinstance(op, LOOPS):
            if not any(
                isinstance(item, dialect.BlockStoreOp | dialect.BlockAccumulateOp)
                and self._acquire.result in item.operands
                for item in walked(op)
            ):
                self._walk([*op.regions[0].block.ops], value)  # the block is only read there
                return value
            return self._loop(op, value)
        if isinstance(op, scf.IfOp):
            return self._branches(op, value)
        return value

    def _first(self, op: Operation) -> SSAValue:
        """The value before the first store: the contents of a block that was waited for, else zero."""
        if isinstance(self._acquire, dialect.DfbWaitOp):
            read = dialect.BlockReadOp(self._acquire.result)
            insert([read], InsertPoint.before(op), op.location)
            return read.result
        fill = COMPUTE[FILL.name](
            (), (0, self._type.shape, self._type.layout), self._type.with_dtype(WHOLE_NUMBER)
        )
        insert([fill], InsertPoint.before(op), op.location)
        return self._typed(fill.result, InsertPoint.before(op), op)

    def _loop(self, loop: scf.ForOp | affine.ForOp, value: SSAValue | None) -> SSAValue:
        first = self._first(loop) if value is None else self._typed(value, InsertPoint.before(loop), loop)
        sum_ = carry(loop, first)
        end = sum_.end
        last = self._walk([item for item in sum_.argument.block.ops if item is not end], sum_.argument)
        assert last is not None
        end.operands[sum_.place] = self._typed(last, InsertPoint.before(end), end)
        return sum_.result

    def _branches(self, op: scf.IfOp, value: SSAValue | None) -> SSAValue:
        before = self._first(op) if value is None else self._typed(value, InsertPoint.before(op), op)
        new_op = remade(op, op.operands, op.results, before.type)
        for region in new_op.regions:
            if not region.blocks:
                region.add_block(Block([scf.YieldOp()]))
            end = region.block.last_op
            assert end is not None
            last = self._walk([item for item in region.block.ops if item is not end], before)
            assert last is not None
            end.operands = [*end.operands, self._typed(last, InsertPoint.before(end), end)]
        return new_op.results[-1]
