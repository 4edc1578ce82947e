"""Operations of the ``ttl`` dialect, built by hand, for the checks of memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from support.kernel_builder import Builder
from ttl.arch import chip_named
from ttl.check.context import CheckContext
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.ir.verifier import require_valid
from ttl.rows.dtypes import BFLOAT16, DType
from ttl.rows.types import BlockType, Layout

Check = Callable[[dialect.OperationOp, CheckContext], list[Diagnostic]]
Index = int | SSAValue
# A single index, or start and size.
Entry = Index | tuple[Index, Index]


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


class Program(Builder):
    """An operation over tensors. Kernels are of data movement, and copies are waited for."""

    def __init__(self, grid: Sequence[int], **tensors: TensorType[Attribute]) -> None:
        super().__init__(grid, **tensors)
        self.accessors = {
            name: self.add(dialect.TensorAccessorOp(argument)).result
            for name, argument in zip(tensors, self.block.args, strict=True)
        }
        self.node = self.add(dialect.NodeOp(len(self.grid))).results

    emit = Builder.add

    @contextmanager
    def kernel(self, name: str, *, compute: bool = False) -> Iterator[None]:
        with super().kernel("compute" if compute else "data movement", name):
            yield

    @contextmanager
    def loop(self, name: str, start: Index, stop: Index) -> Iterator[SSAValue]:
        with super().loop(stop, start, name) as value:
            yield value

    @contextmanager
    def where(self, relation: str, first: Index, second: Index) -> Iterator[None]:
        """What happens only where two indices are in relation: ``slt``, ``eq``, ..."""
        with self.when(self.add(arith.CmpiOp(self.index(first), self.index(second), relation)).result):
            yield

    def plus(self, first: Index, second: Index) -> SSAValue:
        return self.add(arith.AddiOp(self.index(first), self.index(second))).result

    def times(self, first: Index, second: Index) -> SSAValue:
        return self.add(arith.MuliOp(self.index(first), self.index(second))).result

    def buffer(self, name: str, type: BlockType, block_count: int = 2) -> SSAValue:
        return self.add(
            dialect.CreateDfbOp(type=dialect.DataflowBufferType.of(type, block_count), name=name)
        ).result

    def semaphore(self, name: str) -> SSAValue:
        return self.add(dialect.CreateSemaphoreOp(initial_value=0, name=name)).result

    def net(self, *pipes: tuple[Sequence[int], Sequence[int | tuple[int, int]]]) -> SSAValue:
        """A pipe net; a destination is made of numbers and of (start, stop)."""
        return super().net(
            *(
                dialect.PipeAttr(src, [at if isinstance(at, int) else dialect.SliceAttr(*at) for at in dst])
                for src, dst in pipes
            )
        )

    def slice(self, of: str, *index: Entry) -> SSAValue:
        """A slice of a tensor."""
        entries = [entry if isinstance(entry, tuple) else (entry, 1) for entry in index]
        return self.add(
            dialect.TensorSliceOp(
                self.accessors[of],
                [self.index(start) for start, _ in entries],
                sizes=[size if isinstance(size, int) else -1 for _, size in entries],
                single=[not isinstance(entry, tuple) for entry in index],
                dynamic_sizes=[size for _, size in entries if not isinstance(size, int)],
            )
        ).result

    def read(self, buffer: SSAValue, of: str, *index: Entry) -> Operation:
        """Reserve a block, fill it from a slice, push it; the copy."""
        return self._filled(buffer, lambda block: self.copy(self.slice(of, *index), block))

    def send(self, buffer: SSAValue, pipe: SSAValue) -> Operation:
        """Reserve a block, send it, push it; the copy."""
        return self._filled(buffer, lambda block: self.copy(block, pipe))

    def receive(self, pipe: SSAValue, buffer: SSAValue) -> Operation:
        """Reserve a block, receive into it, push it; the copy."""
        return self._filled(buffer, lambda block: self.copy(pipe, block))

    def _filled(self, buffer: SSAValue, copied: Callable[[SSAValue], Operation]) -> Operation:
        block = self.reserve(buffer)
        copy = copied(block)
        self.push(block, how="with")
        return copy

    def write(self, buffer: SSAValue, to: str, *index: Entry) -> Operation:
        """Wait for a block, write it to a slice, pop it; the copy."""
        block = self.wait(buffer)
        copy = self.copy(block, self.slice(to, *index))
        self.pop(block, how="with")
        return copy

    def copy(self, src: SSAValue, dst: SSAValue) -> Operation:
        """A copy and its wait."""
        copy: Operation = self.add(dialect.CopyOp(src, dst))
        self.wait_for(copy.results[0])
        return copy

    def built(self) -> dialect.OperationOp:
        """The operation."""
        require_valid(self.operation)
        return self.operation

    def found_by(self, check: Check, arch: str = "wormhole") -> list[Diagnostic]:
        """What a check says about it."""
        return check(self.built(), CheckContext(chip=chip_named(arch), strict=False, grid=self.grid))


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
    span = span_of(op)
    assert span is not None
    return span.line
