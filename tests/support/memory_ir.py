"""Operations of the ``ttl`` dialect, built by hand, for the checks of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ttl.arch import chip_named
from ttl.check.context import CheckContext
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import location
from ttl.rows.dtypes import BFLOAT16, DType
from ttl.rows.types import BlockType, Layout
from ttl.source.spans import Span

Check = Callable[[dialect.OperationOp, CheckContext], list[Diagnostic]]
Index = int | SSAValue
# A single index, or start and size.
Entry = Index | tuple[Index, Index]
_INDEX = IndexType()


def tensor(
    *shape: int,
    dtype: DType = BFLOAT16,
    layout: str = "tiled",
    memory: str = "dram",
    spread: str = "interleaved",
) -> TensorType[Attribute]:
    """The type of a tensor on a device: shape in elements, -1 for what is symbolic."""
    space = dialect.MemoryKindAttr(dialect.MemoryKind(memory))
    return dialect.tensor_type(shape, dtype, dialect.EncodingAttr(space, dialect.LayoutAttr(layout, spread)))


class Program:
    """An operation that is being built; every operation of the IR gets a line of its own."""

    def __init__(self, grid: Sequence[int], **tensors: TensorType[Attribute]) -> None:
        self._grid = tuple(grid)
        self._names = list(tensors)
        self._types = list(tensors.values())
        self._body = Block(arg_types=self._types)
        self._blocks = [self._body]
        self._line = 0
        self.accessors = {
            name: self.emit(dialect.TensorAccessorOp(argument)).result
            for name, argument in zip(tensors, self._body.args, strict=True)
        }
        self.node = self.emit(dialect.NodeOp(len(self._grid))).results
        self.last: Any = None

    def emit(self, op: Any) -> Any:
        """Append an operation of the IR and return it."""
        self._line += 1
        op.location = location(Span(file="example.py", line=self._line, column=1))
        self._blocks[-1].add_op(op)
        self.last = op
        return op

    @contextmanager
    def _inside(self, block: Block) -> Iterator[Block]:
        self._blocks.append(block)
        yield block
        self._blocks.pop()

    @contextmanager
    def kernel(self, name: str, *, compute: bool = False) -> Iterator[None]:
        """A kernel."""
        block = Block()
        with self._inside(block):
            yield
        kind = dialect.ComputeKernelOp if compute else dialect.DataMovementKernelOp
        self.emit(kind(name=name, body=Region([block])))

    @contextmanager
    def loop(self, name: str, start: Index, stop: Index) -> Iterator[SSAValue]:
        """A loop with step 1."""
        first, end, step = (self.index(each) for each in (start, stop, 1))
        block = Block(arg_types=[_INDEX])
        block.args[0].name_hint = name
        with self._inside(block):
            yield block.args[0]
            self.emit(scf.YieldOp())
        self.emit(scf.ForOp(first, end, step, [], Region([block])))

    @contextmanager
    def where(self, relation: str, first: Index, second: Index) -> Iterator[None]:
        """What happens only where two indices are in relation: ``slt``, ``eq``, ..."""
        condition = self.emit(arith.CmpiOp(self.index(first), self.index(second), relation)).result
        block = Block()
        with self._inside(block):
            yield
            self.emit(scf.YieldOp())
        self.emit(scf.IfOp(condition, [], Region([block]), Region([Block([scf.YieldOp()])])))

    @contextmanager
    def if_pipe(self, net: SSAValue, end: str) -> Iterator[SSAValue]:
        """What is done for each pipe of a net that begins (``src``) or ends (``dst``) at the node."""
        kind, word = (dialect.IfPipeSrcOp, "src") if end == "src" else (dialect.IfPipeDstOp, "dst")
        region = dialect.pipe_body(word)  # type: ignore[arg-type]
        with self._inside(region.block) as block:
            yield block.args[0]
        self.emit(kind(net, region))

    def index(self, value: Index) -> SSAValue:
        """A number as a value of the IR."""
        if isinstance(value, SSAValue):
            return value
        result: SSAValue = self.emit(arith.ConstantOp(IntegerAttr(value, _INDEX))).result
        return result

    def plus(self, first: Index, second: Index) -> SSAValue:
        """A sum."""
        result: SSAValue = self.emit(arith.AddiOp(self.index(first), self.index(second))).result
        return result

    def times(self, first: Index, second: Index) -> SSAValue:
        """A product."""
        result: SSAValue = self.emit(arith.MuliOp(self.index(first), self.index(second))).result
        return result

    def buffer(self, name: str, type: BlockType, block_count: int = 2) -> SSAValue:
        """A dataflow buffer."""
        result: SSAValue = self.emit(
            dialect.CreateDfbOp(type=dialect.DataflowBufferType.of(type, block_count), name=name)
        ).result
        return result

    def semaphore(self, name: str) -> SSAValue:
        """A semaphore."""
        result: SSAValue = self.emit(dialect.CreateSemaphoreOp(initial_value=0, name=name)).result
        return result

    def net(self, *pipes: tuple[Sequence[int], Sequence[int | tuple[int, int]]]) -> SSAValue:
        """A pipe net; a destination is made of numbers and of (start, stop)."""
        made = [
            dialect.PipeAttr(
                src, [each if isinstance(each, int) else dialect.SliceAttr(*each) for each in dst]
            )
            for src, dst in pipes
        ]
        result: SSAValue = self.emit(dialect.CreatePipeNetOp(pipes=made, name="net")).result
        return result

    def slice(self, of: str, *index: Entry) -> SSAValue:
        """A slice of a tensor."""
        offsets, sizes, single, dynamic = [], [], [], []
        for entry in index:
            start, size = entry if isinstance(entry, tuple) else (entry, 1)
            offsets.append(self.index(start))
            single.append(not isinstance(entry, tuple))
            sizes.append(size if isinstance(size, int) else -1)
            if not isinstance(size, int):
                dynamic.append(size)
        result: SSAValue = self.emit(
            dialect.TensorSliceOp(
                self.accessors[of], offsets, sizes=sizes, single=single, dynamic_sizes=dynamic
            )
        ).result
        return result

    def read(self, buffer: SSAValue, of: str, *index: Entry) -> Operation:
        """Reserve a block, fill it from a slice, push it; the copy."""
        block = self.emit(dialect.DfbReserveOp(buffer)).result
        copy = self.copy(self.slice(of, *index), block)
        self.emit(dialect.DfbPushOp(block, how="with"))
        return copy

    def write(self, buffer: SSAValue, to: str, *index: Entry) -> Operation:
        """Wait for a block, write it to a slice, pop it; the copy."""
        block = self.emit(dialect.DfbWaitOp(buffer)).result
        copy = self.copy(block, self.slice(to, *index))
        self.emit(dialect.DfbPopOp(block, how="with"))
        return copy

    def send(self, buffer: SSAValue, pipe: SSAValue) -> Operation:
        """Reserve a block, send it, push it; the copy."""
        block = self.emit(dialect.DfbReserveOp(buffer)).result
        copy = self.copy(block, pipe)
        self.emit(dialect.DfbPushOp(block, how="with"))
        return copy

    def receive(self, pipe: SSAValue, buffer: SSAValue) -> Operation:
        """Reserve a block, receive into it, push it; the copy."""
        block = self.emit(dialect.DfbReserveOp(buffer)).result
        copy = self.copy(pipe, block)
        self.emit(dialect.DfbPushOp(block, how="with"))
        return copy

    def copy(self, src: SSAValue, dst: SSAValue) -> Operation:
        """A copy and its wait."""
        copy: Operation = self.emit(dialect.CopyOp(src, dst))
        self.emit(dialect.WaitOp(copy.results[0]))
        return copy

    def built(self) -> dialect.OperationOp:
        """The operation."""
        made = dialect.OperationOp(
            name="example",
            arg_names=self._names,
            arg_types=self._types,
            grid=self._grid,
            body=Region([self._body]),
        )
        made.verify()
        return made

    def found_by(self, check: Check, arch: str = "wormhole") -> list[Diagnostic]:
        """What a check says about it."""
        return check(self.built(), CheckContext(chip=chip_named(arch), strict=False, grid=self._grid))


def tiles(*shape: int, dtype: DType = BFLOAT16) -> BlockType:
    """The type of a block of tiles."""
    return BlockType.of(shape, dtype, Layout.TILE)


def elements(*shape: int, dtype: DType = BFLOAT16) -> BlockType:
    """The type of a row-major block."""
    return BlockType.of(shape, dtype, Layout.ROW_MAJOR)


def line_of(finding: Diagnostic) -> int:
    """The line of the place of a finding."""
    assert finding.primary is not None
    return finding.primary.span.line


def place(op: Operation) -> int:
    """The line of an operation of the IR."""
    from ttl.ir.locations import span_of

    span = span_of(op)
    assert span is not None
    return span.line
