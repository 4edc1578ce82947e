"""Executes the compute kernel of an operation as it is before any lowering: values of whole blocks."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from support.ir_flow import Interpreter
from ttl.dialects import ttl as dialect
from ttl.ops.dtypes import Array
from ttl.ops.types import BlockType

# What lanes hold that are not defined, by the kind of the element: a test takes two to find out which they are.
FILLERS: tuple[tuple[float, int], ...] = ((0.0, 0), (float("nan"), 77_777))

Blocks = Mapping[str, Sequence[Array]]


class _Held:
    """A block that the kernel holds."""

    def __init__(self, name: str, value: Array | None) -> None:
        self.name = name
        self.value = value


class BlockInterpreter(Interpreter):
    """Executes one compute kernel; ``pushed`` has the blocks that others wait for, by buffer."""

    def __init__(self, inputs: Blocks, *, rounds: bool, filler: tuple[float, int]) -> None:
        super().__init__()
        self._queues: dict[str, deque[Array]] = defaultdict(deque)
        for name, blocks in inputs.items():
            self._queues[name].extend(blocks)
        self._rounds = rounds
        self._filler = filler
        self._own: set[str] = set()
        self.pushed: dict[str, list[Array]] = defaultdict(list)

    def run(self, operation: dialect.OperationOp, kernel: dialect.KernelOp) -> None:
        """Execute the kernel."""
        for op in operation.body.block.ops:
            if not isinstance(op, dialect.KernelOp | dialect.CreateDfbOp):
                self._op(op)
        self._own = {_name(op.dfb) for op in kernel.walk() if isinstance(op, dialect.DfbWaitOp)}
        self.block(kernel.body.block)

    def other(self, op: Operation) -> None:
        values = self.values
        match op:
            case dialect.DfbWaitOp():
                values[op.result] = _Held(_name(op.dfb), self._queues[_name(op.dfb)].popleft())
            case dialect.DfbReserveOp():
                values[op.result] = _Held(_name(op.dfb), None)
            case dialect.DfbPushOp():
                block = values[op.block]
                stored = self._stored(block.value, _type_of(op.block))
                (self._queues if block.name in self._own else self.pushed)[block.name].append(stored)
            case dialect.DfbPopOp():
                values[op.block].value = None
            case dialect.BlockReadOp():
                held = values[op.block].value
                assert held is not None, "a block is read that was given back, or is empty"
                values[op.result] = held
            case dialect.BlockStoreOp():
                values[op.block].value = self._stored(values[op.value], _type_of(op.block))
            case dialect.BlockAccumulateOp():
                before = values[op.block].value
                values[op.block].value = values[op.value] if before is None else before + values[op.value]
            case dialect.RetypeOp():
                values[op.result] = values[op.value]
            case dialect.BlockComputeOp():
                values[op.result] = self._computed(op)
            case _:
                super().other(op)

    def _stored(self, value: Array, block: BlockType) -> Array:
        value = np.broadcast_to(value, block.elements)
        if block.dtype.is_float and not self._rounds:
            return value.astype(np.float32)
        return block.dtype.load(block.dtype.store(value))

    def _computed(self, op: dialect.BlockComputeOp) -> Array:
        assert isinstance(op.result.type, TensorType)
        result = dialect.block_type_of(op.result.type)
        with np.errstate(all="ignore"):
            value: Any = op.row.evaluate([self.values[each] for each in op.operands], op.params, result)
        lanes = op.row.undefined_lanes(op.params, result)
        if lanes is not None:
            value = np.where(lanes, value.dtype.type(self._filler[value.dtype.kind == "i"]), value)
        array: Array = value
        return array


def _name(dfb: SSAValue) -> str:
    assert isinstance(dfb.owner, dialect.CreateDfbOp)
    return dfb.owner.buffer_name.data


def _type_of(block: SSAValue) -> BlockType:
    assert isinstance(block.type, dialect.BlockMemoryType)
    return block.type.block_type
