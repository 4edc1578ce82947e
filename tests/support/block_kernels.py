"""Compute kernels of the ``ttl`` dialect, written call by call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BoolAttr, FloatAttr, IndexType, IntegerAttr, ModuleOp, f64, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from support.kernel_builder import Builder
from ttl.diag.model import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.dialects.compute import A_FRACTION, AN_INTEGER, COMPUTE
from ttl.dialects.elements import RetypeOp
from ttl.ir.locations import synthetic
from ttl.ir.verifier import require_valid
from ttl.rows.dtypes import BFLOAT16, Array, DType
from ttl.rows.types import BlockType, Layout


def _stand_in(number: float) -> float:
    return AN_INTEGER if isinstance(number, int) else A_FRACTION


class Author(Builder):
    """Writes one operation with one compute kernel.

    ``later`` says of a number beside a block whether it is known only when the kernel runs.
    """

    def __init__(
        self,
        *,
        fp32: bool | None = None,
        full_sync: bool | None = None,
        later: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__((2, 1))
        self._later = later
        self._resources, self.block = self.block, Block()
        self._kernel = self.block
        self._options = {"ttl.fp32_dest_acc_en": fp32, "ttl.dst_full_sync_en": full_sync}

    def module(self) -> ModuleOp:
        """What was written."""
        with self.inside(self._resources):
            self.add(dialect.ComputeKernelOp(name="compute", body=Region(self._kernel)))
        for name, given in self._options.items():
            if given is not None:
                self.operation.attributes[name] = BoolAttr.from_bool(given)
        self.operation.location = synthetic("test")
        module = ModuleOp([self.operation])
        require_valid(module)
        return module

    def dfb(
        self,
        name: str,
        shape: Sequence[int],
        dtype: DType = BFLOAT16,
        *,
        layout: Layout = Layout.TILE,
        count: int = 2,
    ) -> SSAValue:
        """A dataflow buffer."""
        type_ = dialect.DataflowBufferType.of(BlockType.of(tuple(shape), dtype, layout), count)
        with self.inside(self._resources):
            return self.write(dialect.CreateDfbOp(type=type_, name=name))

    def write(self, op: Operation) -> SSAValue:
        """Write an operation; its first result."""
        self.add(op)
        return op.results[0] if op.results else None  # type: ignore[return-value]

    def store(self, value: SSAValue, block: SSAValue) -> None:
        """Store into a reserved block."""
        super().store(block, value)

    def accumulate(self, value: SSAValue, block: SSAValue) -> None:
        """``block += value``."""
        super().accumulate(block, value)

    def send(self, value: SSAValue, dfb: SSAValue) -> None:
        """Store into the next block of a buffer, and hand it over."""
        block = self.reserve(dfb)
        self.store(value, block)
        self.push(block)

    def number(self, number: float) -> SSAValue:
        """A number that operations on blocks take."""
        whole = isinstance(number, int)
        return self.write(arith.ConstantOp(IntegerAttr(number, i64) if whole else FloatAttr(number, f64)))

    def later(self, number: float) -> SSAValue:
        """A number that is known only when the kernel runs: the number of the node, 0 on the first one, is added to it."""
        node = self.write(dialect.NodeLinearOp())
        if isinstance(number, int):
            return self.write(arith.AddiOp(node, self.index(number)))
        first = self.write(arith.SIToFPOp(self.write(arith.IndexCastOp(node, i32)), f64))
        return self.write(arith.AddfOp(first, self.write(arith.ConstantOp(FloatAttr(number, f64)))))

    def apply(self, row: str, *operands: SSAValue | float, **params: Any) -> SSAValue:
        """An operation of the table."""
        kind = COMPUTE[row]
        values = tuple(params.get(param.name, param.default) for param in kind.ROW.params)
        types = tuple(_type_of(each) if isinstance(each, SSAValue) else each for each in operands)
        result = kind.ROW.infer(types, values)
        assert not isinstance(result, Diagnostic), result.message
        given = [each if isinstance(each, SSAValue) else self.number(each) for each in operands]
        if self._is_later(row, operands, values, result):
            given = [each if isinstance(each, SSAValue) else self.later(each) for each in operands]
            if row == "fill":
                given, values = [self.later(values[0])], (None, *values[1:])
        return self.write(kind(given, values, result))

    def _is_later(
        self, row: str, operands: Sequence[SSAValue | float], values: tuple[Any, ...], result: BlockType
    ) -> bool:
        """Whether the numbers of an operation are to be known later, and its type is the same then."""
        if row != "fill" and all(isinstance(each, SSAValue) for each in operands):
            return False
        types = tuple(_type_of(each) if isinstance(each, SSAValue) else _stand_in(each) for each in operands)
        if row == "fill":
            values = (_stand_in(values[0]), *values[1:])
        return self._later() and COMPUTE[row].ROW.infer(types, values) == result

    def fill(self, value: float, shape: Sequence[int]) -> SSAValue:
        """A block of one number."""
        return self.apply("fill", value=value, shape=tuple(shape), layout=None)

    def retype(self, value: SSAValue, like: SSAValue) -> SSAValue:
        """A value under the element type of another."""
        return self.write(RetypeOp(value, _type_of(value).with_dtype(_type_of(like).dtype)))

    def loop(
        self,
        count: int,
        carried: Sequence[SSAValue],
        body: Callable[..., Sequence[SSAValue]],
        *,
        known: bool = True,
    ) -> tuple[SSAValue, ...]:
        """``for``; ``body`` gets what is carried, and returns what the next turn gets.

        If the number of turns is not ``known``, it is ``count`` on the first node.
        """
        bounds = [self.index(each) for each in (0, count, 1)]
        if not known:
            bounds[1] = self.write(arith.AddiOp(self.write(dialect.NodeLinearOp()), bounds[1]))
        inner = Block(arg_types=[IndexType(), *(each.type for each in carried)])
        with self.inside(inner):
            self.write(scf.YieldOp(*(body(*inner.args[1:]) or ())))
        op = scf.ForOp(*bounds, list(carried), Region(inner))
        self.write(op)
        return tuple(op.results)

    def when(
        self,
        condition: bool,
        then: Callable[[], Sequence[SSAValue]],
        otherwise: Callable[[], Sequence[SSAValue]],
    ) -> tuple[SSAValue, ...]:
        """``if``; ``condition`` is what holds on the first node."""
        compared = self.write(
            arith.CmpiOp(self.write(dialect.NodeLinearOp()), self.index(int(not condition)), "eq")
        )
        blocks = [Block(), Block()]
        for block, body in zip(blocks, (then, otherwise), strict=True):
            with self.inside(block):
                self.write(scf.YieldOp(*(body() or ())))
        last = blocks[0].last_op
        assert last is not None
        op = scf.IfOp(compared, [each.type for each in last.operands], *map(Region, blocks))
        self.write(op)
        return tuple(op.results)


def _type_of(value: SSAValue) -> BlockType:
    return dialect.block_type_of(value.type)  # type: ignore[arg-type]


def random_blocks(
    types: Mapping[str, BlockType], counts: Mapping[str, int], random: np.random.Generator, limit: int = 4
) -> dict[str, list[Array]]:
    """Blocks of small whole numbers, which no format rounds."""
    found: dict[str, list[Array]] = {}
    for name, count in counts.items():
        dtype = types[name].dtype
        low = -limit if dtype.is_float or dtype.kind == "int" else 0
        kind = np.float32 if dtype.is_float else np.int64
        found[name] = [
            random.integers(low, limit + 1, types[name].elements).astype(kind) for _ in range(count)
        ]
    return found
