"""Random kernels of arithmetic and control flow, and what they mean: ``generate`` and ``observed``.

A kernel shows what it computes by ``cb_push_back``: the counts, modulo 2**32, are what there is to observe. Numbers
come from ``get_arg_val``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.analysis.arithmetic import computed
from ttl.analysis.interpreter import KernelInterpreter
from ttl.dialects.elements import TileType
from ttl.dialects.ttkernel import (
    CBType,
    CircularBufferOp,
    GetCBOp,
    KernelCallOp,
    KernelOp,
    ProgramOp,
    call,
)

INDEX = IndexType()
ARGUMENTS = 4
LIMIT = 2**62
MOST_TURNS = 4000
HINTS = (
    None, "row", "for", "int", "K", "KT", "x", "add_tiles", "_", "größe", "i", "a_dfb", "uint32_t", "page",
)  # fmt: skip

ARITHMETIC = (
    arith.AddiOp, arith.AddiOp, arith.SubiOp, arith.SubiOp, arith.MuliOp, arith.FloorDivSIOp, arith.CeilDivSIOp,
    arith.DivSIOp, arith.RemSIOp, arith.MinSIOp, arith.MaxSIOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp,
)  # fmt: skip
DIVISIONS = (arith.FloorDivSIOp, arith.CeilDivSIOp, arith.DivSIOp, arith.RemSIOp)
SIGNED_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge")


class Rejected(Exception):
    """A program that computes what no program of the language may: too large a number, a division by zero."""


class Generator:
    """Makes one kernel; equal seeds make equal kernels."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._budget = self._random.randint(6, 36)
        tile = TileType(32, 32, "bf16")
        self._block = Block()
        self._numbers: list[SSAValue] = []
        self._conditions: list[SSAValue] = []
        self._buffer = self._add(GetCBOp("a_dfb", CBType(1, tile))).results[0]
        for position in range(ARGUMENTS):
            self._value(call("get_arg_val", self._constant(position)))
        self._constant(self._random.choice((0, 1, 2, 3, 5, 8, 32)))
        self._constant(self._random.choice((-1, -2, -7, 1, 100)))
        self._constant(self._random.choice((3_000_000_019, -(2**31), 2**33, 40)))
        self._statements(0)
        self._observe()
        self._observe()
        kernel = KernelOp("read", "noc", Region([self._block]), processor="ncrisc", noc=0)
        buffer = CircularBufferOp("a_dfb", 0, 1, 2048, tile)
        self.program = ProgramOp(f"program_{seed}", (8, 8), Region([Block([buffer, kernel])]))

    def _add(self, op: Operation) -> Operation:
        self._block.add_op(op)
        return op

    def _named(self, value: SSAValue) -> SSAValue:
        hint = self._random.choice(HINTS)
        if hint is not None and value.is_valid_name(hint):
            value.name_hint = hint
        return value

    def _value(self, op: Operation) -> SSAValue:
        """Append an operation, whose result what follows may use."""
        self._keep(self._add(op).results)
        return op.results[0]

    def _constant(self, number: int) -> SSAValue:
        return self._value(arith.ConstantOp(IntegerAttr(number, INDEX)))

    def _any(self) -> SSAValue:
        # Late values are taken more often: expressions grow deep.
        if self._random.random() < 0.5:
            return self._random.choice(self._numbers[-4:])
        return self._random.choice(self._numbers)

    def _test(self) -> SSAValue:
        if self._conditions and self._random.random() < 0.4:
            return self._random.choice(self._conditions[-4:])
        return self._compare()

    def _compare(self) -> SSAValue:
        return self._value(arith.CmpiOp(self._any(), self._any(), self._random.choice(SIGNED_PREDICATES)))

    def _observe(self) -> None:
        value = self._any()
        self._add(call("cb_push_back", self._buffer, value))
        if self._random.random() < 0.5:
            # The rest of what may have 64 bits.
            upper = self._add(arith.FloorDivSIOp(value, self._constant(2**32)))
            self._add(call("cb_push_back", self._buffer, upper.results[0]))

    def _statements(self, depth: int) -> None:
        for _ in range(self._random.randint(2, 7)):
            if self._budget <= 0:
                return
            self._budget -= 1
            kind = self._random.random()
            if kind < 0.5:
                self._arithmetic()
            elif kind < 0.6:
                self._other()
            elif kind < 0.7:
                self._observe()
            elif kind < 0.82 and depth < 3:
                self._for(depth)
            elif kind < 0.94 and depth < 3:
                self._if(depth)
            elif depth < 2:
                self._while(depth)

    def _arithmetic(self) -> None:
        kind = self._random.choice(ARITHMETIC)
        left, right = self._any(), self._any()
        if kind in DIVISIONS or kind is arith.MuliOp:
            right = self._constant(self._random.choice((1, 2, 3, 7, 8, -1, -2, -3, 65537, 2**31, -(2**33))))
        self._value(kind(left, right))

    def _other(self) -> None:
        match self._random.randrange(9):
            case 0:
                self._value(arith.SelectOp(self._test(), self._any(), self._any()))
            case 1:
                self._value(arith.ShLIOp(self._any(), self._constant(self._random.randint(0, 5))))
            case 2:
                self._value(arith.ShRSIOp(self._any(), self._constant(self._random.randint(0, 5))))
            case 3:
                bit = self._add(arith.ExtUIOp(self._test(), i32)).results[0]
                self._numbers.append(self._add(arith.IndexCastOp(bit, INDEX)).results[0])
            case 4:
                kind = self._random.choice((arith.AndIOp, arith.OrIOp, arith.XOrIOp))
                self._value(kind(self._test(), self._test()))
            case 5:
                true = self._add(arith.ConstantOp(IntegerAttr(1, i1))).results[0]
                self._value(arith.XOrIOp(self._test(), true))
            case 6:
                divisor = self._constant(self._random.choice((2, 3, 8)))
                value = self._any()
                quotient = self._add(arith.FloorDivSIOp(value, divisor)).results[0]
                product = self._add(arith.MuliOp(quotient, divisor)).results[0]
                self._value(arith.SubiOp(value, product))
            case 7:
                self._unsigned()
            case 8:
                self._wide()

    def _unsigned(self) -> None:
        """Operations that take their operands for numbers without a sign, on such."""
        zero = self._constant(0)
        left = self._value(arith.MaxSIOp(self._any(), zero))
        right = self._constant(self._random.choice((1, 2, 3, 8)))
        kinds = (arith.DivUIOp, arith.RemUIOp, arith.MinUIOp, arith.MaxUIOp, arith.ShRUIOp)
        kind = self._random.choice(kinds)
        self._value(kind(left, right))
        self._value(arith.CmpiOp(left, right, self._random.choice(("ult", "ule", "ugt", "uge"))))

    def _wide(self) -> None:
        """A product that needs 64 bits, of which the upper ones come back."""
        left, right = (self._add(arith.IndexCastOp(self._any(), i64)).results[0] for _ in range(2))
        product = self._add(arith.MuliOp(left, right)).results[0]
        places = self._add(arith.ConstantOp(IntegerAttr(self._random.randint(8, 20), i64))).results[0]
        upper = self._add(arith.ShRSIOp(product, places)).results[0]
        self._value(arith.IndexCastOp(upper, INDEX))

    def _inside(self, block: Block, depth: int, values: Sequence[SSAValue]) -> None:
        outer, numbers, conditions = self._block, len(self._numbers), len(self._conditions)
        self._block = block
        self._numbers += values
        self._statements(depth)
        self._ends = [self._any() for _ in range(4)]
        self._end_test = self._test()
        self._block = outer
        del self._numbers[numbers:], self._conditions[conditions:]

    def _for(self, depth: int) -> None:
        bounds = [
            self._any() if self._random.random() < 0.3 else self._constant(self._random.randint(-2, 4))
            for _ in range(2)
        ]
        step = self._constant(self._random.choice((1, 1, 2, 3)))
        initial = [self._any() for _ in range(self._random.choice((0, 0, 1, 2, 3)))]
        is_test = self._random.random() < 0.2
        first = [self._test()] if is_test else []
        block = Block(arg_types=[*[INDEX] * (1 + len(initial)), *[i1] * is_test])
        for argument in block.args:
            self._named(argument)
        numbers = block.args[: 1 + len(initial)]
        self._inside(block, depth + 1, numbers)
        ends = list(self._ends[: len(initial)])
        if len(initial) > 1 and self._random.random() < 0.5:
            # The swap: each turn hands the carried values on in another order.
            ends = [*numbers[2:], numbers[1]]
        if is_test:
            opposite = arith.XOrIOp(block.args[-1], self._end_test)
            block.add_op(opposite)
            ends.append(opposite.result)
        block.add_op(scf.YieldOp(*ends))
        loop = self._add(scf.ForOp(*bounds, step, [*initial, *first], block))
        self._keep(loop.results)

    def _if(self, depth: int) -> None:
        test = self._test()
        count = self._random.choice((0, 0, 1, 2))
        is_test = count > 0 and self._random.random() < 0.3
        regions = []
        for branch in range(2):
            block = Block()
            if branch or count or self._random.random() < 0.8:
                self._inside(block, depth + 1, ())
                ends = [*self._ends[: count - is_test], *([self._end_test] if is_test else ())]
            else:
                ends = []
            block.add_op(scf.YieldOp(*ends))
            regions.append(Region([block]))
        if not count and self._random.random() < 0.4:
            regions[1] = Region()
        types = [INDEX] * (count - is_test) + [i1] * is_test
        branches = self._add(scf.IfOp(test, types, *regions))
        self._keep(branches.results)

    def _keep(self, results: Sequence[SSAValue]) -> None:
        for value in map(self._named, results):
            (self._conditions if value.type == i1 else self._numbers).append(value)

    def _while(self, depth: int) -> None:
        initial = [self._any() for _ in range(self._random.choice((1, 2)))]
        types = [INDEX] * len(initial)
        before, after = Block(arg_types=types), Block(arg_types=types)
        self._inside(before, 3 if self._random.random() < 0.5 else depth + 1, before.args)
        limit = arith.ConstantOp(IntegerAttr(self._random.choice((3, 10, 40)), INDEX))
        test = arith.CmpiOp(before.args[0], limit.result, "slt")
        changed = [before.args[0], self._ends[0]][: len(initial)]
        passed = before.args if self._random.random() < 0.5 else changed
        before.add_ops([limit, test, scf.ConditionOp(test.result, *passed)])
        self._inside(after, depth + 1, after.args)
        one = arith.ConstantOp(IntegerAttr(self._random.choice((1, 2, 3)), INDEX))
        step = arith.AddiOp(after.args[0], one.result)
        after.add_ops([one, step, scf.YieldOp(step.result, *self._ends[: len(initial) - 1])])
        loop = self._add(scf.WhileOp(initial, types, Region([before]), Region([after])))
        self._numbers += map(self._named, loop.results)


def generate(seed: int) -> ProgramOp:
    """A program with one random kernel."""
    return Generator(seed).program


def observed(
    program: ProgramOp, arguments: Sequence[int], watch: Callable[[SSAValue, int], None] = lambda *_: None
) -> list[int]:
    """What the kernel of a program pushes, in order; ``watch`` is told of every value. Raises ``Rejected``."""
    machine = _Machine(arguments, watch)
    machine.block(program.kernels[0].body.block)
    return machine.pushed


class _Machine(KernelInterpreter):
    def __init__(self, arguments: Sequence[int], watch: Callable[[SSAValue, int], None]) -> None:
        super().__init__()
        self._arguments = arguments
        self._watch = watch
        self._turns = 0
        self.pushed: list[int] = []

    def block(self, block: Block, arguments: Sequence[Any] = ()) -> list[Any]:
        self._turns += 1
        if self._turns > MOST_TURNS:
            raise Rejected
        return super().block(block, arguments)

    def define(self, values: Sequence[SSAValue], results: Sequence[Any]) -> None:
        for value, result in zip(values, results, strict=True):
            if result is not None:
                if abs(result) >= LIMIT:
                    raise Rejected
                self._watch(value, int(result))
        super().define(values, results)

    def binary(self, op: Operation, a: int, b: int) -> int:
        result = computed(op.name, a, b)
        if result is None:
            raise Rejected
        return result

    def buffer(self, name: str) -> None:
        return None

    def call(self, op: KernelCallOp, given: Sequence[int]) -> int | None:
        if op.call.name == "get_arg_val":
            return self._arguments[given[0]]
        assert op.call.name == "cb_push_back", op.call.name
        self.pushed.append(given[1] % 2**32)
        return None
