"""Executes what is not ours in a kernel's IR: integers, loops, branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from ttl.dialects.lookup import LookupOp

COMPARE: dict[int, Callable[[Any, Any], bool]] = {
    0: lambda a, b: a == b,
    1: lambda a, b: a != b,
    2: lambda a, b: a < b,
    3: lambda a, b: a <= b,
    4: lambda a, b: a > b,
    5: lambda a, b: a >= b,
}
# Of floats, the ordered ones; Python's != is the unordered one.
COMPARE_FLOATS: dict[int, Callable[[Any, Any], bool]] = {
    1: COMPARE[0],
    2: COMPARE[4],
    3: COMPARE[5],
    4: COMPARE[2],
    5: COMPARE[3],
    6: COMPARE[1],
    13: COMPARE[1],
}
BINARY: dict[type[Operation], Callable[[Any, Any], Any]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.FloorDivSIOp: lambda a, b: a // b,
    arith.DivUIOp: lambda a, b: a // b,
    arith.DivSIOp: lambda a, b: a // b,
    arith.RemSIOp: lambda a, b: a % b,
    arith.RemUIOp: lambda a, b: a % b,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
    arith.XOrIOp: lambda a, b: a ^ b,
    arith.AddfOp: lambda a, b: a + b,
    arith.SubfOp: lambda a, b: a - b,
    arith.MulfOp: lambda a, b: a * b,
    arith.DivfOp: lambda a, b: a / b,
    arith.ShLIOp: lambda a, b: a << b,
    arith.ShRSIOp: lambda a, b: a >> b,
}
CONVERSIONS: dict[type[Operation], Callable[[Any], Any]] = {
    arith.IndexCastOp: lambda a: a,
    arith.SIToFPOp: float,
    arith.FPToSIOp: int,
    arith.NegfOp: lambda a: -a,
    arith.TruncFOp: lambda a: float(np.float32(a)),
    arith.BitcastOp: lambda a: int(np.float32(a).view(np.uint32)),
}
_ENDS = (scf.YieldOp, affine.YieldOp)


class Interpreter:
    """Executes operations in order; ``other`` executes those that are not arithmetic or control flow."""

    def __init__(self) -> None:
        self.values: dict[SSAValue, Any] = {}

    def other(self, op: Operation) -> None:
        """Execute an operation of one of our dialects."""
        raise NotImplementedError(op.name)

    def block(self, block: Block) -> list[Any]:
        """Execute a block; what it yields."""
        for op in block.ops:
            if isinstance(op, _ENDS):
                return [self.values[each] for each in op.operands]
            self._op(op)
        return []

    def _op(self, op: Operation) -> None:
        values = self.values
        match op:
            case arith.ConstantOp(value=IntegerAttr() | FloatAttr() as number):
                values[op.result] = number.value.data
            case arith.CmpiOp():
                values[op.result] = COMPARE[op.predicate.value.data](values[op.lhs], values[op.rhs])
            case arith.SelectOp():
                values[op.result] = values[op.lhs if values[op.cond] else op.rhs]
            case LookupOp():
                values[op.result] = op.members[values[op.index]]
            case scf.ForOp():
                self._for(op, range(values[op.lb], values[op.ub], values[op.step]), list(op.iter_args))
            case affine.ForOp():
                self._for(op, self._affine_range(op), list(op.inits))
            case scf.IfOp():
                region = op.true_region if values[op.cond] else op.false_region
                self._bind(op.results, self.block(region.block) if region.blocks else [])
            case _ if type(op) in CONVERSIONS:
                values[op.results[0]] = CONVERSIONS[type(op)](values[op.operands[0]])
            case _ if type(op) in BINARY:
                left, right = (values[each] for each in op.operands)
                values[op.results[0]] = BINARY[type(op)](left, right)
            case _:
                self.other(op)

    def _affine_range(self, op: affine.ForOp) -> range:
        operands = [self.values[each] for each in op.operands]
        first, stop = op.lowerBoundMap.data, op.upperBoundMap.data
        count = first.num_dims + first.num_symbols
        lower = first.eval(operands[: first.num_dims], operands[first.num_dims : count])[0]
        rest = operands[count:]
        upper = stop.eval(rest[: stop.num_dims], rest[stop.num_dims : stop.num_dims + stop.num_symbols])[0]
        return range(lower, upper, op.step.value.data)

    def _for(self, op: Operation, turns: range, carried: list[SSAValue]) -> None:
        state = [self.values[each] for each in carried]
        body = op.regions[0].block
        for index in turns:
            self._bind(body.args, [index, *state])
            state = self.block(body)
        self._bind(op.results, state)

    def _bind(self, names: Any, values: list[Any]) -> None:
        for name, value in zip(names, values, strict=True):
            self.values[name] = value
