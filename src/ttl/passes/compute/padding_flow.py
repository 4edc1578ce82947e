"""Which extent of every value, buffer and net of pipes is data, in the whole of an operation.

A forward analysis to its fixed point: what a tensor's edge brings in, copies, stores and expressions hand on.
"""

from __future__ import annotations

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ttl.dialects import ttl as dialect
from ttl.dialects.retype import RetypeOp
from ttl.passes.compute.padding_of import (
    NO_PADDING,
    Padding,
    computed,
    either,
    is_padded,
    padding_of_slice,
)


class PaddingFlow:
    """The padding in the blocks of an operation."""

    def __init__(self, operation: dialect.OperationOp) -> None:
        self._operation = operation
        # Of buffers, nets of pipes, and values.
        self._known: dict[SSAValue, Padding] = {}
        self._changed = True

    def run(self) -> bool:
        """Find all there is to know. False where no tensor has padding: then there is nothing."""
        if not any(is_padded(op) for op in self._operation.walk() if isinstance(op, dialect.TensorSliceOp)):
            return False
        while self._changed:
            self._changed = False
            for op in self._operation.walk():
                self._visit(op)
        return True

    def of(self, value: SSAValue) -> Padding:
        """The padding of a value, or of the blocks of a buffer."""
        return self._known.get(value, NO_PADDING)

    def _learn(self, value: SSAValue, padding: Padding | None) -> None:
        """What else a value may be; None where nothing is known of it yet."""
        if padding is None:
            return
        before = self._known.get(value)
        after = padding if before is None else either(before, padding)
        if after != before:
            self._known[value] = after
            self._changed = True

    def _visit(self, op: Operation) -> None:
        match op:
            case dialect.CopyOp():
                self._copy(op)
            case dialect.BlockReadOp():
                self._learn(op.result, self._known.get(buffer_of(op.block)))
            case dialect.BlockStoreOp() | dialect.BlockAccumulateOp():
                self._learn(buffer_of(op.block), self._known.get(op.value))
            case RetypeOp():
                self._learn(op.result, self._known.get(op.value))
            case dialect.BlockComputeOp():
                self._learn(op.result, self._computed(op))
        if isinstance(op, scf.ForOp | affine.ForOp):
            body = op.regions[0].block
            end = body.last_op
            assert end is not None
            count = len(op.results)
            initial = op.operands[len(op.operands) - count :]
            for result, argument, first, last in zip(
                op.results, body.args[len(body.args) - count :], initial, end.operands, strict=True
            ):
                if isinstance(result.type, TensorType):
                    for each in (self._known.get(first), self._known.get(last)):
                        self._learn(argument, each)
                        self._learn(result, each)
        elif isinstance(op, scf.IfOp):
            for region in op.regions:
                end = region.block.last_op if region.blocks else None
                for result, value in zip(op.results, end.operands if end is not None else (), strict=False):
                    if isinstance(result.type, TensorType):
                        self._learn(result, self._known.get(value))

    def _copy(self, op: dialect.CopyOp) -> None:
        source, target = op.src, op.dst
        if isinstance(source.owner, dialect.TensorSliceOp):
            self._learn(buffer_of(target), padding_of_slice(source.owner))
        elif isinstance(target.type, dialect.PipeType):
            self._learn(net_of(target), self._known.get(buffer_of(source)))
        elif isinstance(source.type, dialect.PipeType):
            self._learn(buffer_of(target), self._known.get(net_of(source)))

    def _computed(self, op: dialect.BlockComputeOp) -> Padding | None:
        tiles = [operand for operand in op.operands if isinstance(operand.type, TensorType)]
        paddings = [self._known[operand] for operand in tiles if operand in self._known]
        return computed(op, paddings) if len(paddings) == len(tiles) else None


def buffer_of(block: SSAValue) -> SSAValue:
    """The buffer of a block; the block itself where that is not known."""
    return dialect.dfb_of(block) or block


def net_of(pipe: SSAValue) -> SSAValue:
    """The net of a pipe."""
    owner = pipe.owner if isinstance(pipe.owner, Operation) else pipe.owner.parent_op()
    return owner.net if isinstance(owner, dialect.IfPipeOp) else pipe
