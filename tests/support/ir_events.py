"""What the kernels of a ``ttl.operation`` do, call by call: the same record as ``python_events``, from the IR.

The operation is written as a function of Python, which every node runs: a hundred times faster than to go through the IR again
for each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Self

from tests.support.block_values import Number, Ring, Slot, loaded, value_of
from tests.support.python_events import Event, Events, printed_text
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.analysis.arithmetic import BINARY, RELATIONS
from ttl.analysis.interpreter import FLOAT_RELATIONS, OTHERS
from ttl.dialects import ttl as ir
from ttl.dialects.elements import RetypeOp
from ttl.dialects.lookup import LookupOp
from ttl.protocol.grid import coordinate, grid_size, linear_index, resolve_coord, resolve_range

_SIGNS: dict[type[Operation], str] = {
    arith.AddiOp: "+", arith.SubiOp: "-", arith.MuliOp: "*", arith.FloorDivSIOp: "//", arith.AndIOp: "&", arith.OrIOp: "|",
    arith.XOrIOp: "^", arith.AddfOp: "+", arith.SubfOp: "-", arith.MulfOp: "*",
}  # fmt: skip
_COMPARED = ("==", "!=", "<", "<=", ">", ">=")


class _Text:
    """The operation as text; what text cannot say are objects that it names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.objects: dict[str, Any] = {}
        self._names: dict[SSAValue, str] = {}
        self._depth = 1

    def line(self, text: str) -> None:
        self.lines.append(" " * self._depth + text)

    def name(self, value: SSAValue) -> str:
        return self._names.setdefault(value, f"v{len(self._names)}")

    def names(self, values: Sequence[SSAValue]) -> str:
        return "".join(f"{self.name(value)}, " for value in values)

    def object(self, item: Any) -> str:
        name = f"o{len(self.objects)}"
        self.objects[name] = item
        return name

    def assign(self, targets: Sequence[SSAValue], sources: Sequence[SSAValue]) -> None:
        if targets:
            self.line(f"{self.names(targets)} = {self.names(sources)}")

    def inside(self, head: str, write: Callable[[], None]) -> None:
        self.line(head)
        self._depth += 1
        self.line("pass")
        write()
        self._depth -= 1

    def block(self, block: Block) -> Sequence[SSAValue]:
        """The operations of a block; the operands of its terminator."""
        for op in block.ops:
            if isinstance(op, scf.YieldOp | affine.YieldOp | scf.ConditionOp):
                return op.operands
            self.op(op)
        return ()

    def op(self, op: Operation) -> None:
        match op:
            case scf.IfOp():
                self.inside(f"if {self.name(op.cond)}:", lambda: self._yields(op, op.true_region))
                self.inside("else:", lambda: self._yields(op, op.false_region))
            case scf.ForOp():
                low, high, step, *state = op.operands
                self._loop(op, f"range({self.names((low, high, step))})", state)
            case affine.ForOp():
                low, high = (bound.data.eval([], [])[0] for bound in (op.lowerBoundMap, op.upperBoundMap))
                self._loop(op, f"range({low}, {high}, {op.step.value.data})", op.operands)
            case scf.WhileOp():
                self.assign(op.before_region.block.args, op.operands)
                self.inside("while True:", lambda: self._turn(op))
            case ir.UserKernelOp():
                self.line(f"node.begin({op.kernel_name!r})")
                self.block(op.body.block)
            case ir.IfPipeOp():
                pipes = f"node.ends({self.name(op.operands[0])}, {isinstance(op, ir.IfPipeSrcOp)})"
                (argument,) = op.body.block.args
                self.inside(f"for {self.name(argument)} in {pipes}:", lambda: self._nothing(op.body))
            case _:
                self._value(op)

    def _nothing(self, region: Region) -> None:
        self.block(region.block)

    def _yields(self, op: Operation, region: Region) -> None:
        if region.blocks:
            self.assign(op.results, self.block(region.block))

    def _loop(self, op: scf.ForOp | affine.ForOp, over: str, state: Sequence[SSAValue]) -> None:
        body = op.body.block
        number, *carried = body.args
        self.assign(carried, state)
        self.inside(f"for {self.name(number)} in {over}:", lambda: self.assign(carried, self.block(body)))
        self.assign(op.results, carried)

    def _turn(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        goes_on, *given = self.block(before)
        self.assign(op.results, given)
        self.line(f"if not {self.name(goes_on)}: break")
        self.assign(after.args, given)
        self.assign(before.args, self.block(after))

    def _value(self, op: Operation) -> None:
        given = [self.name(each) for each in op.operands]
        match op:
            case arith.ConstantOp():
                assert isinstance(op.value, IntegerAttr | FloatAttr)
                number = op.value.value.data
                text = self.object(number) if isinstance(number, float) else repr(number)
                text = repr(bool(number)) if op.result.type == i1 else text
            case arith.CmpiOp() if op.predicate.value.data < len(_COMPARED):
                text = f" {_COMPARED[op.predicate.value.data]} ".join(given)
            case arith.CmpiOp() | arith.CmpfOp():
                compare = RELATIONS if isinstance(op, arith.CmpiOp) else FLOAT_RELATIONS
                text = f"{self.object(compare[op.predicate.value.data])}({', '.join(given)})"
            case arith.SelectOp():
                text = f"{given[1]} if {given[0]} else {given[2]}"
            case LookupOp():
                text = f"{self.object(op.members)}[{given[0]}]"
            case _ if type(op) in _SIGNS:
                text = f" {_SIGNS[type(op)]} ".join(given)
            case _ if op.name in BINARY or type(op) in OTHERS:
                function = BINARY.get(op.name) or OTHERS[type(op)]
                text = f"{self.object(function)}({', '.join(given)})"
            case _:
                text = f"node.does({self.object(op)}, [{', '.join(given)}])"
                if len(op.results) > 1:
                    self.line(f"{self.names(op.results)} = {text}")
                    return
                if isinstance(op, ir.NodeOp | ir.GridSizeOp):
                    text = f"{text}[0]"
        self.line(f"{self.name(op.results[0])} = {text}" if op.results else text)


@dataclass(frozen=True)
class _Held:
    """The value of a block expression, which is no number of the kernel."""

    value: Number

    def __str__(self) -> str:
        return f"block {self.value}"


class _BlockOf(tuple[str, int]):
    """A block, as it is noted, with its memory."""

    slot: Slot

    def __new__(cls, buffer: int, slot: Slot) -> Self:
        block = super().__new__(cls, ("block", buffer))
        block.slot = slot
        return block

    def __str__(self) -> str:
        return f"block {self.slot.value}"


def _held(value: Any) -> Any:
    match value:
        case _Held():
            return value.value
        case _BlockOf():
            return value.slot.value
    return value


class _Node:
    """One node of the grid, whose kernels run one after the other."""

    def __init__(self, operation: ir.OperationOp, index: int) -> None:
        self.grid = tuple(operation.grid.extents)
        self.index = index
        self.found: Events = {}
        self.noted: list[Event] = []
        self.rings: list[Ring] = []
        self.semaphores = 0

    def begin(self, kernel: str) -> None:
        self.noted = self.found[self.index, kernel] = []

    def does(self, op: Operation, given: list[Any]) -> Any:
        match op:
            case ir.NodeOp():
                return coordinate(self.index, self.grid, len(op.results))
            case ir.GridSizeOp():
                return grid_size(self.grid, len(op.results))
            case ir.TensorAccessorOp() | RetypeOp() | ir.BlockReadOp():
                return given[0]
            case ir.CreateDfbOp():
                self.rings.append(Ring(len(self.rings)))
                return ("dfb", len(self.rings) - 1)
            case ir.CreateSemaphoreOp():
                self.semaphores += 1
                return ("semaphore", self.semaphores - 1, None)
            case ir.CreatePipeNetOp():
                return op
            case ir.DfbReserveOp() | ir.DfbWaitOp():
                number, what = given[0][1], "reserve" if isinstance(op, ir.DfbReserveOp) else "wait"
                self.noted.append((what, number))
                return _BlockOf(number, getattr(self.rings[number], what)())
            case ir.DfbPushOp() | ir.DfbPopOp():
                self.noted.append(("push" if isinstance(op, ir.DfbPushOp) else "pop", given[0][1]))
            case ir.BlockStoreOp() | ir.BlockAccumulateOp():
                of = dict(zip(op.operands, given, strict=True))
                block, value = of[op.block], _held(of[op.value])
                if isinstance(op, ir.BlockStoreOp):
                    block.slot.value = value
                else:
                    block.slot.add(value)
                name = "store" if isinstance(op, ir.BlockStoreOp) else "accumulate"
                self.noted.append((name, block[1], block.slot.value))
            case ir.BlockComputeOp():
                numbers = tuple(each for each in given if isinstance(each, int | float))
                self.noted.append(("apply", op.row.name, op.params, numbers))
                params = [each for each in op.params if each is not None]
                return _Held(value_of(op.row.name, params, [*map(_held, given)]))
            case ir.TensorSliceOp():
                return self._slice(op, given)
            case ir.CopyOp():
                self.noted.append(("copy", given[0], given[1]))
                if given[0][0] == "slice" and isinstance(given[1], _BlockOf):
                    given[1].slot.value = loaded(given[0][2])
                return "transfer"
            case ir.WaitOp():
                self.noted.append(("waited",))
            case ir.WaitAnyOp():
                return given[0]  # the one to begin with, as if all were complete
            case ir.CreateGroupOp():
                return []
            case ir.GroupAddOp():
                given[0].append(given[1])
            case ir.GroupWaitOp():
                self.noted.extend(("waited",) for _ in given[0])
            case ir.IsPipeSrcOp() | ir.IsPipeDstOp():
                return bool(self.ends(given[0], isinstance(op, ir.IsPipeSrcOp)))
            case ir.PipeCoordinateOp():
                return given[0][1 if op.of == "src" else 2][op.axis]
            case ir.GetRemoteSemaphoreOp():
                sizes = grid_size(self.grid, len(given) - 1)
                return ("semaphore", given[0][1], (linear_index(tuple(given[1:]), sizes),))
            case ir.GetRemoteMulticastSemaphoreOp():
                return ("semaphore", given[0][1], self._multicast(given[1:]))
            case ir.SemaphoreWaitOp():
                self.noted.append(("semaphore wait", given[0][1], op.comparison, given[1]))
            case ir.SemaphoreSetOp() | ir.SemaphoreIncOp():
                what = "set" if isinstance(op, ir.SemaphoreSetOp) else "inc"
                self.noted.append((f"semaphore {what}", given[0][1], given[0][2], given[1]))
            case ir.SignpostOp():
                self.noted.append(("signpost", op.signpost_name, op.edge == "begin"))
            case ir.PrintOp():
                texts = [f"{piece}{value}" for piece, value in zip(op.pieces, [*given, ""], strict=True)]
                self.noted.append(("print", printed_text("".join(texts))))
            case ir.AssertOp():
                pass
            case _:
                raise AssertionError(op.name)
        return None

    def _slice(self, op: ir.TensorSliceOp, given: list[Any]) -> Any:
        offsets = given[1 : 1 + len(op.offsets)]
        dynamic = iter(given[1 + len(op.offsets) :])
        sizes = [size if size >= 0 else next(dynamic) for size in op.sizes]
        bounds = tuple((offset, offset + size) for offset, size in zip(offsets, sizes, strict=True))
        return ("slice", given[0], bounds)

    def ends(self, net: ir.CreatePipeNetOp, source: bool) -> list[Any]:
        """The pipes of a net that begin, or end, on this node."""
        if source:
            found = [each for each in net.pipes if resolve_coord(tuple(each.src), self.grid) == self.index]
        else:
            found = [each for each in net.pipes if self.index in resolve_range(_range(each.dst), self.grid)]  # type: ignore[operator]
        return [("pipe", tuple(pipe.src), _plain(pipe.dst)) for pipe in found]

    def _multicast(self, bounds: list[Any]) -> Any:
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


def ir_events(operation: ir.OperationOp) -> Events:
    """What every kernel of every node does, in its order."""
    text = _Text()
    text.block(operation.body.block)
    arguments = text.names(operation.body.block.args)
    scope = text.objects
    exec("\n".join([f"def run(node, {arguments}):", *text.lines, " pass"]), scope)
    found: Events = {}
    for index in range(prod(operation.grid.extents)):
        node = _Node(operation, index)
        scope["run"](node, *range(len(operation.body.block.args)))
        found |= node.found
    return found
