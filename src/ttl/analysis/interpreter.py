"""Runs IR, operation by operation: numbers, loops and branches here, kernels of ``ttkernel`` in ``KernelInterpreter``.

A subclass implements calls of the kernel API. A kernel that has to wait stops in the middle of a call, and continues later:
it runs ``in_steps``.
"""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from types import MappingProxyType
from typing import Any

import numpy as np
from greenlet import getcurrent, greenlet
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.analysis.arithmetic import BINARY, RELATIONS, integer_of
from ttl.dialects.lookup import LookupOp
from ttl.dialects.ttkernel import DPrintOp, GetCBOp, KernelCallOp, ZoneOp

_EQUAL, _NOT_EQUAL, _LESS, _AT_MOST, _MORE, _AT_LEAST = RELATIONS[:6]
# The ordered predicates of ``arith.cmpf``, and the one that equals Python's !=.
FLOAT_RELATIONS: Mapping[int, Callable[[Any, Any], Any]] = MappingProxyType(
    {1: _EQUAL, 2: _MORE, 3: _AT_LEAST, 4: _LESS, 5: _AT_MOST, 6: _NOT_EQUAL, 13: _NOT_EQUAL}
)
# Operations that are not in ``BINARY``.
OTHERS: Mapping[type[Operation], Callable[..., Any]] = MappingProxyType(
    {
        arith.DivfOp: operator.truediv,
        arith.IndexCastOp: lambda a: a,
        arith.ExtUIOp: lambda a: a,
        arith.SIToFPOp: float,
        arith.FPToSIOp: int,
        arith.NegfOp: lambda a: -a,
        arith.TruncFOp: lambda a: float(np.float32(a)),
        arith.ExtFOp: lambda a: a,
        arith.BitcastOp: lambda a: (
            float(np.uint32(a).view(np.float32)) if isinstance(a, int) else int(np.float32(a).view(np.uint32))
        ),
    }
)
_ENDS = (scf.YieldOp, scf.ConditionOp, affine.YieldOp)


class Interpreter:
    """Runs operations in order. ``values`` has the latest value of each SSA value."""

    def __init__(self) -> None:
        self.values: dict[SSAValue, Any] = {}

    def other(self, op: Operation) -> None:
        """Run an operation that is neither arithmetic nor control flow."""
        raise NotImplementedError(op.name)

    def define(self, values: Sequence[SSAValue], results: Sequence[Any]) -> None:
        """Set the results of values."""
        self.values.update(zip(values, results, strict=True))

    def binary(self, op: Operation, a: Any, b: Any) -> Any:
        """Compute a binary operation of ``arith`` on two numbers."""
        return BINARY[op.name](a, b)

    def given(self, op: Operation) -> list[Any]:
        """Return the values of an operation's operands."""
        return [self.values[value] for value in op.operands]

    def block(self, block: Block, arguments: Sequence[Any] = ()) -> list[Any]:
        """Run a block, and return the values that its end passes on."""
        self.define(block.args, arguments)
        for op in block.ops:
            if isinstance(op, _ENDS):
                return self.given(op)
            self.run(op)
        return []

    def run(self, op: Operation) -> None:
        """Run one operation."""
        if op.name.startswith("arith."):
            self.define(op.results, [self._arithmetic(op)])
            return
        match op:
            case scf.ForOp():
                first, stop, step, *carried = self.given(op)
                self.define(op.results, self._loop(op.body, range(first, stop, step), carried))
            case affine.ForOp():
                carried = [self.values[value] for value in op.inits]
                self.define(op.results, self._loop(op.body, self._affine_range(op), carried))
            case scf.IfOp():
                region = op.true_region if self.values[op.cond] else op.false_region
                self.define(op.results, self.block(region.block) if region.blocks else [])
            case scf.WhileOp():
                self.define(op.results, self._while(op))
            case LookupOp():
                self.define(op.results, [op.members[self.values[op.index]]])
            case _:
                self.other(op)

    def _arithmetic(self, op: Operation) -> Any:
        match op:
            case arith.ConstantOp(value=FloatAttr() as number):
                return number.value.data
            case arith.ConstantOp():
                return integer_of(op.result)
            case arith.SelectOp():
                return self.values[op.lhs if self.values[op.cond] else op.rhs]
            case arith.CmpiOp():
                return RELATIONS[op.predicate.value.data](*self.given(op))
            case arith.CmpfOp():
                return FLOAT_RELATIONS[op.predicate.value.data](*self.given(op))
            case _ if type(op) in OTHERS:
                return OTHERS[type(op)](*self.given(op))
        return self.binary(op, *self.given(op))

    def _loop(self, body: Region, iterations: range, carried: list[Any]) -> list[Any]:
        for index in iterations:
            carried = self.block(body.block, [index, *carried])
        return carried

    def _while(self, op: scf.WhileOp) -> list[Any]:
        carried = self.given(op)
        while True:
            goes_on, *passed = self.block(op.before_region.block, carried)
            if not goes_on:
                return passed
            carried = self.block(op.after_region.block, passed)

    def _affine_range(self, op: affine.ForOp) -> range:
        lower, upper = (
            map_.eval(operands[: map_.num_dims], operands[map_.num_dims :])
            for map_, operands in (
                (op.lowerBoundMap.data, [self.values[value] for value in op.lowerBoundOperands]),
                (op.upperBoundMap.data, [self.values[value] for value in op.upperBoundOperands]),
            )
        )
        return range(max(lower), min(upper), op.step.value.data)


class KernelInterpreter(Interpreter):
    """Runs kernels of ``ttkernel``."""

    @abstractmethod
    def buffer(self, name: str) -> Any:
        """A circular buffer of the program."""

    @abstractmethod
    def call(self, op: KernelCallOp, given: Sequence[Any]) -> Any:
        """Call a function of the kernel API; return its result."""

    def printed(self, op: DPrintOp, given: Sequence[Any]) -> None:
        """Ignore a print: nothing reads its output here."""

    def other(self, op: Operation) -> None:
        match op:
            case KernelCallOp():
                result = self.call(op, self.given(op))
                self.define(op.results, [result] if op.results else [])
            case GetCBOp():
                self.define(op.results, [self.buffer(op.declared_name)])
            case DPrintOp():
                self.printed(op, self.given(op))
            case ZoneOp():
                self.block(op.body.block)
            case _:
                super().other(op)


def in_steps(run: Callable[[], object]) -> Iterator[Any]:
    """Run a function up to each ``wait``, one after another; yield the reasons passed to ``wait``."""
    fiber = greenlet(run)
    fiber.gr_context = copy_context()
    while True:
        fiber.parent = getcurrent()
        reason = fiber.switch()
        if fiber.dead:
            return
        yield reason


def wait(reason: Any = None) -> None:
    """Suspend a function that runs ``in_steps`` until it is resumed."""
    parent = getcurrent().parent
    assert parent is not None
    parent.switch(reason)
