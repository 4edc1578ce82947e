"""Executes the compute kernel of an operation as it is before any lowering: values of whole blocks."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import Operation, SSAValue

from ttl.analysis.interpreter import Interpreter
from ttl.dialects import ttl as dialect
from ttl.dialects.compute import is_filled_later
from ttl.passes.marks import COUNTED
from ttl.rows.dtypes import Array
from ttl.rows.types import TILE, BlockType

Blocks = Mapping[str, Sequence[Array]]
# Makes one more block for a buffer.
Supply = Callable[[str, BlockType], Array]

_RESOURCES = (
    dialect.UserKernelOp,
    dialect.CreateDfbOp,
    dialect.CreatePipeNetOp,
    dialect.CreateSemaphoreOp,
    dialect.TensorAccessorOp,
)
_VIEWS = ("broadcast", "squeeze", "transpose", "unsqueeze")


class Value(NamedTuple):
    """Elements, and where they mean nothing."""

    elements: Array
    undefined: Array


class _Held:
    """A block that the kernel holds."""

    def __init__(self, name: str, value: Value | None) -> None:
        self.name = name
        self.value = value


class BlockInterpreter(Interpreter):
    """Executes one compute kernel on the first node; ``pushed`` has the blocks that others wait for, by buffer.

    Where no block arrives any more ``supply`` makes one, which is kept in ``supplied``.
    """

    def __init__(self, inputs: Blocks, *, rounds: bool, supply: Supply | None = None) -> None:
        super().__init__()
        self._queues: dict[str, deque[Value]] = defaultdict(deque)
        for name, blocks in inputs.items():
            self._queues[name].extend(Value(each, np.zeros(each.shape, np.bool_)) for each in blocks)
        self._rounds = rounds
        self._supply = supply
        self.supplied: dict[str, list[Array]] = defaultdict(list)
        self._own: set[str] = set()
        self.pushed: dict[str, list[Value]] = defaultdict(list)

    def run_kernel(self, operation: dialect.OperationOp, kernel: dialect.UserKernelOp) -> None:
        """Execute the kernel."""
        for op in operation.body.block.ops:
            if not isinstance(op, _RESOURCES):
                self.run(op)
        self._own = {_name(op.dfb) for op in kernel.walk() if isinstance(op, dialect.DfbWaitOp)}
        self.block(kernel.body.block)

    def other(self, op: Operation) -> None:
        values = self.values
        match op:
            case dialect.DfbWaitOp():
                values[op.result] = _Held(_name(op.dfb), self._next(_name(op.dfb), _type_of(op.result)))
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
                added, before = values[op.value], values[op.block].value
                values[op.block].value = (
                    added
                    if before is None
                    else Value(before.elements + added.elements, before.undefined | added.undefined)
                )
            case dialect.NodeLinearOp() | dialect.NodeOp():
                for result in op.results:
                    values[result] = 0
            case dialect.PrintOp() | dialect.SignpostOp() | dialect.AssertOp():
                pass  # said to the user
            case dialect.BlockComputeOp():
                values[op.result] = _computed(op, [values[each] for each in op.operands])
            case _ if _synchronises(op):
                pass  # everything arrives in time
            case dialect.RetypeOp():
                values[op.result] = values[op.value]
            case _:
                super().other(op)

    def _next(self, name: str, block: BlockType) -> Value:
        queue = self._queues[name]
        if not queue and self._supply is not None:
            made = self._supply(name, block)
            self.supplied[name].append(made)
            return Value(made, np.zeros(made.shape, np.bool_))
        return queue.popleft()

    def _stored(self, value: Value, block: BlockType) -> Value:
        elements = np.broadcast_to(value.elements, block.elements)
        undefined = np.broadcast_to(value.undefined, block.elements)
        if block.dtype.is_float and not self._rounds:
            return Value(elements.astype(np.float32), undefined)
        return Value(block.dtype.load(block.dtype.store(elements)), undefined)


def _synchronises(op: Operation) -> bool:
    kinds = dialect.SemaphoreType | dialect.RemoteSemaphoreType
    return any(isinstance(each.type, kinds) for each in (*op.operands, *op.results))


def _computed(op: dialect.BlockComputeOp, operands: list[Any]) -> Value:
    assert isinstance(op.result.type, TensorType)
    result = dialect.block_type_of(op.result.type)
    arrays = [each.elements if isinstance(each, Value) else each for each in operands]
    counted = op.attributes.get(COUNTED)
    if isinstance(counted, IntegerAttr):
        arrays = [_without_padding(arrays[0], op.params[0], counted.value.data)]
    params = op.params
    if is_filled_later(op):
        arrays, params = [], (*arrays, *params[1:])
    with np.errstate(all="ignore"):
        value = op.row.evaluate(arrays, params, result)
    undefined = _undefined(op, operands, result)
    lanes = op.row.undefined_lanes(op.params, result)
    if lanes is not None:
        undefined = undefined | lanes
    return Value(value, np.broadcast_to(undefined, value.shape))


def _without_padding(elements: Array, dims: Sequence[int], counted: int) -> Array:
    """Zeros in the columns, or rows, of the last tile that do not count."""
    kept = np.array(elements)
    axis = -1 if -1 in dims or elements.ndim - 1 in dims else -2
    np.moveaxis(kept, axis, 0)[kept.shape[axis] - TILE + counted :] = 0
    return kept


def _undefined(op: dialect.BlockComputeOp, operands: list[Any], result: BlockType) -> Array:
    """Where a result comes from elements that mean nothing."""
    masks: list[Array] = [
        each.undefined if isinstance(each, Value) else np.zeros((), np.bool_) for each in operands
    ]
    name = op.row.name
    if name in _VIEWS or name.startswith("reduce_"):
        row = dialect.COMPUTE["reduce_max"].ROW if name.startswith("reduce_") else op.row
        found = row.reference([masks[0].astype(np.float32)], op.params, result)
    elif name == "matmul":
        left, right = masks
        found = left.any(axis=-1, keepdims=True) | right.any(axis=-2, keepdims=True)
    elif name == "where":
        condition = operands[0].elements if isinstance(operands[0], Value) else operands[0]
        found = masks[0] | np.where(np.not_equal(condition, 0), masks[1], masks[2])
    else:
        found = np.zeros((), np.bool_)
        for mask in masks:
            found = found | mask
    array: Array = found.astype(np.bool_)
    return array


def _name(dfb: SSAValue) -> str:
    assert isinstance(dfb.owner, dialect.CreateDfbOp)
    return dfb.owner.buffer_name.data


def _type_of(block: SSAValue) -> BlockType:
    assert isinstance(block.type, dialect.BlockMemoryType)
    return block.type.block_type
