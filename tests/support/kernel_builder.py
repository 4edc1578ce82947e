"""Kernels of the ``ttl`` dialect written as Python, one line of the imagined program per operation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.dialects.test import TestPureOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from ttl.arch import all_chips
from ttl.check.context import CheckContext
from ttl.dialects import ttl as dialect
from ttl.ir.locations import location
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.types import BlockType, Layout
from ttl.source.spans import Span

TYPE = BlockType.of((1, 1), BFLOAT16, Layout.TILE)
INDEX = IndexType()


class Builder:
    """An operation under construction. Every operation is on a line of its own."""

    def __init__(self, grid: Sequence[int] = (1, 1), **tensors: Attribute) -> None:
        self.grid = tuple(grid)
        self.line = 0
        types = list(tensors.values())
        self.block = Block(arg_types=types)
        self.operation = dialect.OperationOp(
            name="example",
            arg_names=list(tensors),
            arg_types=types,
            grid=self.grid,
            body=Region([self.block]),
        )

    def add(self, op: Any) -> Any:
        """Append an operation."""
        self.line += 1
        op.location = location(Span(file="example.py", line=self.line, column=1))
        self.block.add_op(op)
        return op

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """Append to another block for a while."""
        outer, self.block = self.block, block
        try:
            yield
        finally:
            self.block = outer

    @contextmanager
    def kernel(self, kind: str = "compute", name: str = "kernel") -> Iterator[None]:
        """A kernel of the operation."""
        made = dialect.ComputeKernelOp if kind == "compute" else dialect.DataMovementKernelOp
        op = self.add(made(name=name, body=Region([Block()])))
        with self.inside(op.body.block):
            yield

    def dfb(self, name: str = "dfb", block_count: int = 2, *, filled: bool = True) -> SSAValue:
        """A buffer; ``filled``: by a kernel of its own, without end."""
        made: SSAValue = self.add(
            dialect.CreateDfbOp(type=dialect.DataflowBufferType.of(TYPE, block_count), name=name)
        ).result
        if filled:
            with self.kernel("data movement", f"fill_{name}"):
                block = self.reserve(made)
                self.wait_for(self.copy(self.slice(), block))
                self.push(block, how="with")
        return made

    def reserve(self, dfb: SSAValue) -> SSAValue:
        return self.add(dialect.DfbReserveOp(dfb)).result

    def wait(self, dfb: SSAValue) -> SSAValue:
        return self.add(dialect.DfbWaitOp(dfb)).result

    def push(self, block: SSAValue, how: str = "explicit") -> None:
        self.add(dialect.DfbPushOp(block, how=how))

    def pop(self, block: SSAValue, how: str = "explicit") -> None:
        self.add(dialect.DfbPopOp(block, how=how))

    def read(self, block: SSAValue) -> SSAValue:
        return self.add(dialect.BlockReadOp(block)).result

    def store(self, block: SSAValue, value: SSAValue | None = None) -> None:
        self.add(dialect.BlockStoreOp(block, self.fill() if value is None else value))

    def accumulate(self, block: SSAValue, value: SSAValue | None = None) -> None:
        self.add(dialect.BlockAccumulateOp(block, self.fill() if value is None else value))

    def fill(self) -> SSAValue:
        """A value that no block was read for."""
        return self.given(dialect.value_type(TYPE))

    def given(self, type_: Attribute) -> SSAValue:
        """Something of a type, from nowhere in particular."""
        return self.add(TestPureOp(result_types=[type_])).results[0]

    def negated(self, value: SSAValue) -> SSAValue:
        """An expression over a value."""
        return self.add(dialect.COMPUTE["neg"]([value], (), TYPE)).result

    def slice(self) -> SSAValue:
        """Some slice of some tensor."""
        return self.given(dialect.SliceType(TYPE.shape, dialect.element_type(TYPE.dtype, TYPE.layout)))

    def copy(self, src: SSAValue, dst: SSAValue) -> SSAValue:
        return self.add(dialect.CopyOp(src, dst)).result

    def wait_for(self, transfer: SSAValue) -> None:
        self.add(dialect.WaitOp(transfer))

    def index(self, value: int | SSAValue) -> SSAValue:
        """A number as a value of the IR."""
        if isinstance(value, SSAValue):
            return value
        return self.add(arith.ConstantOp(IntegerAttr(value, INDEX), INDEX)).result

    def equal(self, one: SSAValue, other: SSAValue) -> SSAValue:
        return self.add(arith.CmpiOp(one, other, "eq")).result

    def node(self) -> SSAValue:
        """The first coordinate of the node."""
        return self.add(dialect.NodeOp(2)).results[0]

    @contextmanager
    def when(self, condition: SSAValue, *, otherwise: bool = False) -> Iterator[None]:
        """``if condition:``, or the ``else`` of it."""
        branches = [Block(), Block()]
        self.add(scf.IfOp(condition, [], [branches[0]], [branches[1]]))
        with self.inside(branches[1] if otherwise else branches[0]):
            yield
        for branch in branches:
            branch.add_op(scf.YieldOp())

    @contextmanager
    def loop(
        self, stop: int | SSAValue, start: int | SSAValue = 0, name: str | None = None
    ) -> Iterator[SSAValue]:
        """``for i in range(start, stop):``."""
        bounds = [self.index(each) for each in (start, stop, 1)]
        block = Block(arg_types=[INDEX])
        block.args[0].name_hint = name
        self.add(scf.ForOp(*bounds, [], block))
        with self.inside(block):
            yield block.args[0]
        block.add_op(scf.YieldOp())

    @contextmanager
    def if_pipe(self, net: SSAValue, end: str) -> Iterator[SSAValue]:
        """The function given to ``if_src`` or ``if_dst``."""
        block = Block(arg_types=[dialect.PipeType(end)])
        made = dialect.IfPipeSrcOp if end == "src" else dialect.IfPipeDstOp
        self.add(made(net, Region([block])))
        with self.inside(block):
            yield block.args[0]

    def net(self, *pipes: dialect.PipeAttr) -> SSAValue:
        return self.add(dialect.CreatePipeNetOp(pipes=pipes, name="net")).result

    def context(self, *, strict: bool = False) -> CheckContext:
        return CheckContext(chip=all_chips()[0], strict=strict, grid=self.grid)
