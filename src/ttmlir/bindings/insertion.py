"""Insertion points, under the name of MLIR's Python bindings."""

from __future__ import annotations

from typing import ClassVar

from xdsl.traits import IsTerminator

from ttmlir.bindings.operation_base import InsertionPlace, OperationBase, current_insertion_place
from ttmlir.bindings.operations import BlockHandle, OperationHandle, OpView


class InsertionPoint(InsertionPlace):
    """The place of new operations: at the end of a block, or before an operation. ``with`` makes it the current one."""

    current: ClassVar[CurrentInsertionPoint]

    def __init__(self, beforeOperation: OperationHandle | OpView | BlockHandle) -> None:
        if isinstance(beforeOperation, BlockHandle):
            self._block, self._before = beforeOperation, None
        else:
            operation = beforeOperation.operation
            block = operation.block
            if block is None:
                raise ValueError("Expected a parent block, but the operation is in none")
            self._block, self._before = block, operation
        self.context = self._block.context

    @staticmethod
    def at_block_begin(block: BlockHandle) -> InsertionPoint:
        """Before the first operation of a block."""
        first = next(iter(block.operations), None)
        return InsertionPoint(block if first is None else first)

    @staticmethod
    def at_block_terminator(block: BlockHandle) -> InsertionPoint:
        """Before the last operation of a block, which must be a terminator."""
        last = block.xdsl.last_op
        if last is None or not last.has_trait(IsTerminator, value_if_unregistered=True):
            raise ValueError("Block has no terminator")
        point = InsertionPoint(block)
        point._before = block.operations[-1].operation
        return point

    @staticmethod
    def after(operation: OperationHandle | OpView) -> InsertionPoint:
        """After an operation."""
        following = operation.operation.xdsl.next_op
        block = operation.operation.block
        if block is None:
            raise ValueError("Expected a parent block, but the operation is in none")
        point = InsertionPoint(block)
        if following is not None:
            point._before = block.handle_of(following)
        return point

    @property
    def block(self) -> BlockHandle:
        """The block of the insertion point."""
        return self._block

    @property
    def ref_operation(self) -> OperationHandle | None:
        """The operation that new ones go before; None at the end of the block."""
        return self._before

    def insert(self, operation: OperationBase) -> None:
        inserted = operation.xdsl
        if inserted.parent is not None:
            raise ValueError(
                "Attempt to insert operation that has already been inserted: detach it first with "
                "detach_from_parent()"
            )
        if self._before is None:
            self._block.xdsl.add_op(inserted)
        else:
            self._block.xdsl.insert_op_before(inserted, self._before.xdsl)


class CurrentInsertionPoint:
    """``InsertionPoint.current``."""

    def __get__(self, instance: object, owner: type | None = None) -> InsertionPoint:
        point = current_insertion_place()
        if not isinstance(point, InsertionPoint):
            raise ValueError("No current InsertionPoint")
        return point


InsertionPoint.current = CurrentInsertionPoint()
