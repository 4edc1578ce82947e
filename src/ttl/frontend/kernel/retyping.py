"""Element types of values that a loop carries, if the value before it lacks one, as a block filled with 0 does.

Values that the loop computes from it get the types that follow from the rules of their operations.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue, Use

from ttl.diag import Diagnostic
from ttl.dialects import ttl as ir
from ttl.dialects.elements import RetypeOp, block_type_of, value_type
from ttl.dialects.types import BlockMemoryType
from ttl.frontend.kernel.merging import common_type
from ttl.frontend.kernel.regions import drop
from ttl.ir.rewriting import replace_type
from ttl.rows.types import BlockType
from ttl.rules.stores import match_store
from ttl.session.patience import Unavailable


class Retyping:
    """Values of the IR under other types."""

    def __init__(self) -> None:
        self._replaced: dict[SSAValue, SSAValue] = {}

    def current(self, value: SSAValue) -> SSAValue:
        """Return the value that currently replaces a value; the value itself if it was not replaced."""
        while value in self._replaced:
            value = self._replaced[value]
        return value

    def retype(self, value: SSAValue, type: BlockType) -> None:
        """Change the type of a value, and the types of the values computed from it accordingly.

        Raises ``Unavailable`` if an operation does not accept its type. Changes made until then remain.
        """
        value = self.current(value)
        if type_of(value) == type:
            return
        new = self._replaced[value] = replace_type(value, value_type(type))
        for use in list(new.uses):
            if use.operation.parent is not None:
                self._follow(use, type)

    def _follow(self, use: Use, type: BlockType) -> None:
        operation = use.operation
        match operation:
            case ir.BlockComputeOp():
                inferred = operation.inferred()
                if isinstance(inferred, Diagnostic):
                    raise Unavailable
                self.retype(operation.result, inferred)
            case RetypeOp():
                self._drop(operation)
            case ir.BlockStoreOp() | ir.BlockAccumulateOp():
                block = operation.block.type
                assert isinstance(block, BlockMemoryType)
                if match_store(type, "", block.block_type) is not None:
                    raise Unavailable
            case scf.YieldOp() | affine.YieldOp():
                self._end(operation, use.index)
            case scf.ForOp() | affine.ForOp() | scf.WhileOp():
                self._carry(operation, use.index - _before_carried(operation))
            case scf.ConditionOp():
                loop = operation.parent_op()
                assert isinstance(loop, scf.WhileOp)
                self.retype(loop.after_region.block.args[use.index - 1], type)
                self.retype(loop.results[use.index - 1], type)
            case ir.PrintOp():
                pass
            case _:
                raise Unavailable

    def _drop(self, operation: RetypeOp) -> None:
        """Remove a conversion, so that its users, at ends or starts of loops and branches, agree on another type."""
        uses = list(operation.result.uses)
        self._replaced[operation.result] = operation.value
        operation.result.replace_all_uses_with(operation.value)
        type = type_of(operation.value)
        drop(operation)
        for use in uses:
            self._follow(use, type)

    def _end(self, end: Operation, position: int) -> None:
        """Give a result of a loop or branch, inside the loop that is being built, the type of its operands."""
        parent = end.parent_op()
        if isinstance(parent, scf.IfOp):
            ends = [(region.block.last_op, position) for region in parent.regions]
            self.retype(parent.results[position], _agreed(ends))
        elif isinstance(parent, scf.ForOp | affine.ForOp | scf.WhileOp):
            self._carry(parent, position)

    def _carry(self, loop: scf.ForOp | affine.ForOp | scf.WhileOp, position: int) -> None:
        """Give a value that a loop carries the same type before the loop, in it and after it."""
        body = loop.after_region.block if isinstance(loop, scf.WhileOp) else loop.body.block
        begin = loop.before_region.block.args if isinstance(loop, scf.WhileOp) else body.args[1:]
        ends = [(loop, _before_carried(loop) + position), (body.last_op, position)]
        type = _agreed(ends)
        self.retype(begin[position], type)
        if _agreed(ends) != type:  # the value is computed from itself
            self._carry(loop, position)
        elif not isinstance(loop, scf.WhileOp):
            self.retype(loop.results[position], type)


def _agreed(ends: Iterable[tuple[Operation | None, int]]) -> BlockType:
    """Return the type that can hold all of some operands, after converting the operands to it.

    Raises ``Unavailable`` if there is no such type.
    """
    operands = [(operation, position) for operation, position in ends if operation is not None]
    type = type_of(operands[0][0].operands[operands[0][1]])
    for operation, position in operands[1:]:
        wider = common_type(type, type_of(operation.operands[position]))
        if wider is None:
            raise Unavailable
        type = wider
    for operation, position in operands:
        value = operation.operands[position]
        if type_of(value) != type:
            retyped = RetypeOp(value, type)
            retyped.location = operation.location
            assert operation.parent is not None
            operation.parent.insert_op_before(retyped, operation)
            operation.operands[position] = retyped.result
    return type


def _before_carried(loop: scf.ForOp | affine.ForOp | scf.WhileOp) -> int:
    """Return the number of operands of a loop before the carried values."""
    return 0 if isinstance(loop, scf.WhileOp) else len(loop.operands) - len(loop.results)


def type_of(value: SSAValue) -> BlockType:
    """The type of a block expression of the IR."""
    type = value.type
    assert isinstance(type, TensorType)
    return block_type_of(type)
