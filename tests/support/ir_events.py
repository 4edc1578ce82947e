"""What the kernels of a ``ttl.operation`` do, call by call: the same record as ``python_events``, from the IR."""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import prod
from typing import Any

from tests.support.python_events import Event, Events
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue

from ttl.dialects import ttl as ir
from ttl.dialects.elements import RetypeOp
from ttl.dialects.lookup import LookupOp
from ttl.protocol.grid import coordinate, grid_size, linear_index, resolve_coord, resolve_range

_COMPARE = {0: "__eq__", 1: "__ne__", 2: "__lt__", 3: "__le__", 4: "__gt__", 5: "__ge__"}

_LOGIC: dict[type[Operation], Callable[[Any, Any], Any]] = {
    arith.AndIOp: operator.and_,
    arith.OrIOp: operator.or_,
    arith.XOrIOp: operator.xor,
}
_BINARY: dict[type[Operation], Callable[[Any, Any], Any]] = {
    **_LOGIC,
    arith.ShLIOp: operator.lshift,
    arith.ShRSIOp: operator.rshift,
    arith.AddfOp: operator.add,
    arith.SubfOp: operator.sub,
    arith.MulfOp: operator.mul,
    arith.DivfOp: operator.truediv,
}
# Of MLIR's predicates those that Python has.
_OF_FLOATS = {1: "eq", 2: "gt", 3: "ge", 4: "lt", 5: "le", 13: "ne"}


class _Node:
    """One node of the grid, whose kernels are interpreted one after the other."""

    def __init__(self, operation: ir.OperationOp, index: int) -> None:
        self.operation = operation
        self.grid = tuple(operation.grid.extents)
        self.index = index
        self.values: dict[SSAValue, Any] = {}
        self.noted: list[Event] = []
        self.dfbs: dict[str, int] = {}
        for number, argument in enumerate(operation.body.block.args):
            self.values[argument] = ("tensor", number)

    def run(self) -> Events:
        found: Events = {}
        for op in self.operation.body.block.ops:
            if isinstance(op, ir.KernelOp):
                self.noted = []
                self.block(op.body.block, ())
                found[self.index, op.kernel_name] = self.noted
            else:
                self.op(op)
        return found

    def block(self, block: Block, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Run a block; the operands of its terminator."""
        for argument, value in zip(block.args, arguments, strict=True):
            self.values[argument] = value
        for op in block.ops:
            if isinstance(op, scf.YieldOp | affine.YieldOp):
                return tuple(self.values[each] for each in op.operands)
            if isinstance(op, scf.ConditionOp):
                return tuple(self.values[each] for each in op.operands)
            self.op(op)
        return ()

    def op(self, op: Operation) -> None:
        given = [self.values.get(each) for each in op.operands]
        results = self.evaluate(op, given)
        for result, value in zip(
            op.results, results if isinstance(results, list) else [results], strict=False
        ):
            self.values[result] = value

    def evaluate(self, op: Operation, given: list[Any]) -> Any:
        match op:
            case arith.ConstantOp():
                assert isinstance(op.value, IntegerAttr | FloatAttr)
                return op.value.value.data
            case arith.AddiOp():
                return given[0] + given[1]
            case arith.SubiOp():
                return given[0] - given[1]
            case arith.MuliOp():
                return given[0] * given[1]
            case arith.FloorDivSIOp():
                return given[0] // given[1]
            case arith.MinSIOp():
                return min(given)
            case arith.MaxSIOp():
                return max(given)
            case arith.AndIOp() | arith.OrIOp() | arith.XOrIOp() if op.result.type == i1:
                return _LOGIC[type(op)](bool(given[0]), bool(given[1]))
            case _ if type(op) in _BINARY:
                return _BINARY[type(op)](*given)
            case arith.IndexCastOp():
                return given[0]
            case arith.SIToFPOp():
                return float(given[0])
            case arith.FPToSIOp():
                return int(given[0])
            case arith.NegfOp():
                return -given[0]
            case arith.CmpfOp():
                return getattr(operator, _OF_FLOATS[op.predicate.value.data])(*given)
            case arith.CmpiOp():
                return getattr(given[0], _COMPARE[op.predicate.value.data])(given[1])
            case arith.SelectOp():
                return given[1] if given[0] else given[2]
            case LookupOp():
                return op.members[given[0]]
            case scf.IfOp():
                if given[0]:
                    return list(self.block(op.true_region.block, ()))
                return list(self.block(op.false_region.block, ())) if op.false_region.blocks else []
            case scf.ForOp():
                return self.loop(op.body.block, range(*given[:3]), tuple(given[3:]))
            case affine.ForOp():
                low, high = (bound.data.eval([], [])[0] for bound in (op.lowerBoundMap, op.upperBoundMap))
                return self.loop(op.body.block, range(low, high, op.step.value.data), tuple(given))
            case scf.WhileOp():
                carried = tuple(given)
                while True:
                    goes_on, *carried_list = self.block(op.before_region.block, carried)
                    if not goes_on:
                        return carried_list
                    carried = self.block(op.after_region.block, tuple(carried_list))
            case ir.NodeOp():
                return list(coordinate(self.index, self.grid, len(op.results)))
            case ir.GridSizeOp():
                return list(grid_size(self.grid, len(op.results)))
        return self.event(op, given)

    def loop(self, body: Block, over: range, carried: tuple[Any, ...]) -> list[Any]:
        for number in over:
            carried = self.block(body, (number, *carried))
        return list(carried)

    def event(self, op: Operation, given: list[Any]) -> Any:
        match op:
            case ir.TensorAccessorOp() | RetypeOp() | ir.BlockReadOp():
                return given[0]
            case ir.CreateDfbOp():
                return (
                    "dfb",
                    sum(
                        1 for value in self.values.values() if isinstance(value, tuple) and value[0] == "dfb"
                    ),
                )
            case ir.CreateSemaphoreOp():
                count = sum(
                    1
                    for value in self.values.values()
                    if isinstance(value, tuple) and value[0] == "semaphore"
                )
                return ("semaphore", count, None)
            case ir.CreatePipeNetOp():
                return op
            case ir.DfbReserveOp() | ir.DfbWaitOp():
                self.noted.append(("reserve" if isinstance(op, ir.DfbReserveOp) else "wait", given[0][1]))
                return ("block", given[0][1])
            case ir.DfbPushOp() | ir.DfbPopOp():
                self.noted.append(("push" if isinstance(op, ir.DfbPushOp) else "pop", given[0][1]))
            case ir.BlockStoreOp() | ir.BlockAccumulateOp():
                block = next(
                    each
                    for each in given
                    if isinstance(each, tuple) and each[0] == "block" and each is self.values[op.block]
                )
                self.noted.append(("store" if isinstance(op, ir.BlockStoreOp) else "accumulate", block[1]))
            case ir.BlockComputeOp():
                numbers = tuple(each for each in given if isinstance(each, int | float))
                self.noted.append(("apply", op.row.name, op.params, numbers))
                return "value"
            case ir.TensorSliceOp():
                return self.slice(op, given)
            case ir.CopyOp():
                self.noted.append(("copy", _end(given[0]), _end(given[1])))
                return "transfer"
            case ir.WaitOp():
                self.noted.append(("waited",))
            case ir.CreateGroupOp():
                return [[]]
            case ir.GroupAddOp():
                given[0].append(given[1])
            case ir.GroupWaitOp():
                self.noted.extend(("waited",) for _ in given[0])
            case ir.IfPipeOp():
                for pipe in self.pipes(given[0], isinstance(op, ir.IfPipeSrcOp)):
                    self.block(op.body.block, (("pipe", tuple(pipe.src), _plain(pipe.dst)),))
            case ir.IsPipeSrcOp() | ir.IsPipeDstOp():
                return bool(self.pipes(given[0], isinstance(op, ir.IsPipeSrcOp)))
            case ir.PipeCoordinateOp():
                return given[0][1 if op.of == "src" else 2][op.axis]
            case ir.GetRemoteSemaphoreOp():
                sizes = grid_size(self.grid, len(given) - 1)
                return ("semaphore", given[0][1], (linear_index(tuple(given[1:]), sizes),))
            case ir.GetRemoteMulticastSemaphoreOp():
                return ("semaphore", given[0][1], self.multicast(given[1:]))
            case ir.SemaphoreWaitOp():
                self.noted.append(("semaphore wait", given[0][1], op.comparison, given[1]))
            case ir.SemaphoreSetOp():
                self.noted.append(("semaphore set", given[0][1], given[0][2], given[1]))
            case ir.SemaphoreIncOp():
                self.noted.append(("semaphore inc", given[0][1], given[0][2], given[1]))
            case ir.SignpostOp():
                self.noted.append(("signpost", op.signpost_name, op.edge == "begin"))
            case ir.PrintOp() | ir.AssertOp():
                pass
            case _:
                raise AssertionError(op.name)
        return None

    def slice(self, op: ir.TensorSliceOp, given: list[Any]) -> Any:
        offsets = [self.values[each] for each in op.offsets]
        dynamic = iter(self.values[each] for each in op.dynamic_sizes)
        sizes = [size if size >= 0 else next(dynamic) for size in op.sizes]
        bounds = tuple((offset, offset + size) for offset, size in zip(offsets, sizes, strict=True))
        return ("slice", given[0][1], bounds)

    def pipes(self, net: ir.CreatePipeNetOp, source: bool) -> list[Any]:
        if source:
            return [each for each in net.pipes if resolve_coord(tuple(each.src), self.grid) == self.index]
        return [each for each in net.pipes if self.index in resolve_range(_range(each.dst), self.grid)]  # type: ignore[operator]

    def multicast(self, bounds: list[Any]) -> Any:
        if not bounds:
            return tuple(range(prod(self.grid)))
        half = len(bounds) // 2
        return resolve_range(
            tuple(slice(a, b) for a, b in zip(bounds[:half], bounds[half:], strict=True)), self.grid
        )


def _range(dst: Any) -> tuple[Any, ...]:
    return tuple(slice(each.start, each.stop) if isinstance(each, ir.SliceAttr) else each for each in dst)


def _plain(dst: Any) -> tuple[Any, ...]:
    return tuple((each.start, each.stop) if isinstance(each, ir.SliceAttr) else each for each in dst)


def _end(value: Any) -> Any:
    return value


def ir_events(operation: ir.OperationOp) -> Events:
    """What every kernel of every node does, in its order."""
    found: Events = {}
    for index in range(prod(operation.grid.extents)):
        found |= _Node(operation, index).run()
    return found
