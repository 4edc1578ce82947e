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

from ttl.dialects.elements import TileType
from ttl.dialects.ttkernel import CallOp, CBType, CircularBufferOp, GetCBOp, KernelOp, ProgramOp, call

INDEX = IndexType()
ARGUMENTS = 4
LIMIT = 2**62
MOST_TURNS = 4000
HINTS = (
    None,
    "row",
    "for",
    "int",
    "K",
    "KT",
    "x",
    "add_tiles",
    "_",
    "größe",
    "i",
    "a_dfb",
    "uint32_t",
    "page",
)

ARITHMETIC = (
    arith.AddiOp, arith.AddiOp, arith.SubiOp, arith.SubiOp, arith.MuliOp, arith.FloorDivSIOp, arith.CeilDivSIOp,
    arith.DivSIOp, arith.RemSIOp, arith.MinSIOp, arith.MaxSIOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp,
)  # fmt: skip
DIVISIONS = (arith.FloorDivSIOp, arith.CeilDivSIOp, arith.DivSIOp, arith.RemSIOp)
UNSIGNED = (arith.DivUIOp, arith.RemUIOp, arith.MinUIOp, arith.MaxUIOp, arith.ShRUIOp)
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
            self._number(call("get_arg_val", self._constant(position)))
        self._constant(self._random.choice((0, 1, 2, 3, 5, 8, 32)))
        self._constant(self._random.choice((-1, -2, -7, 1, 100)))
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

    def _number(self, op: Operation) -> SSAValue:
        value = self._named(self._add(op).results[0])
        self._numbers.append(value)
        return value

    def _condition(self, op: Operation) -> SSAValue:
        value = self._named(self._add(op).results[0])
        self._conditions.append(value)
        return value

    def _constant(self, number: int) -> SSAValue:
        return self._number(arith.ConstantOp(IntegerAttr(number, INDEX)))

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
        return self._condition(arith.CmpiOp(self._any(), self._any(), self._random.choice(SIGNED_PREDICATES)))

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
        self._number(kind(left, right))

    def _other(self) -> None:
        match self._random.randrange(9):
            case 0:
                self._number(arith.SelectOp(self._test(), self._any(), self._any()))
            case 1:
                self._number(arith.ShLIOp(self._any(), self._constant(self._random.randint(0, 5))))
            case 2:
                self._number(arith.ShRSIOp(self._any(), self._constant(self._random.randint(0, 5))))
            case 3:
                bit = self._add(
                    arith.IndexCastOp(self._add(arith.ExtUIOp(self._test(), i32)).results[0], INDEX)
                )
                self._numbers.append(bit.results[0])
            case 4:
                kind = self._random.choice((arith.AndIOp, arith.OrIOp, arith.XOrIOp))
                self._condition(kind(self._test(), self._test()))
            case 5:
                true = self._add(arith.ConstantOp(IntegerAttr(1, i1))).results[0]
                self._condition(arith.XOrIOp(self._test(), true))
            case 6:
                divisor = self._constant(self._random.choice((2, 3, 8)))
                value = self._any()
                quotient = self._add(arith.FloorDivSIOp(value, divisor)).results[0]
                product = self._add(arith.MuliOp(quotient, divisor)).results[0]
                self._number(arith.SubiOp(value, product))
            case 7:
                self._unsigned()
            case 8:
                self._wide()

    def _unsigned(self) -> None:
        """Operations that take their operands for numbers without a sign, on such."""
        zero = self._constant(0)
        left = self._number(arith.MaxSIOp(self._any(), zero))
        right = self._constant(self._random.choice((1, 2, 3, 8)))
        kind = self._random.choice(
            (arith.DivUIOp, arith.RemUIOp, arith.MinUIOp, arith.MaxUIOp, arith.ShRUIOp)
        )
        self._number(kind(left, right))
        self._condition(arith.CmpiOp(left, right, self._random.choice(("ult", "ule", "ugt", "uge"))))

    def _wide(self) -> None:
        """A product that needs 64 bits, of which the upper ones come back."""
        left, right = (self._add(arith.IndexCastOp(self._any(), i64)).results[0] for _ in range(2))
        product = self._add(arith.MuliOp(left, right)).results[0]
        places = self._add(arith.ConstantOp(IntegerAttr(self._random.randint(8, 20), i64))).results[0]
        upper = self._add(arith.ShRSIOp(product, places)).results[0]
        self._number(arith.IndexCastOp(upper, INDEX))

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
        end = before.add_ops
        limit = arith.ConstantOp(IntegerAttr(self._random.choice((3, 10, 40)), INDEX))
        test = arith.CmpiOp(before.args[0], limit.result, "slt")
        passed = (
            list(before.args)
            if self._random.random() < 0.5
            else [before.args[0], self._ends[0]][: len(initial)]
        )
        end([limit, test, scf.ConditionOp(test.result, *passed)])
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


class _Machine:
    def __init__(self, arguments: Sequence[int], watch: Callable[[SSAValue, int], None]) -> None:
        self._arguments = arguments
        self._watch = watch
        self._values: dict[SSAValue, int] = {}
        self._turns = 0
        self.pushed: list[int] = []

    def block(self, block: Block) -> list[int]:
        """Runs a block; what its end hands on."""
        self._turns += 1
        if self._turns > MOST_TURNS:
            raise Rejected
        for op in block.ops:
            if isinstance(op, scf.YieldOp | scf.ConditionOp):
                return [self._values[each] for each in op.operands]
            self._run(op)
        return []

    def _run(self, op: Operation) -> None:
        given = [self._values.get(each, 0) for each in op.operands]
        match op:
            case arith.ConstantOp():
                self._set(op, [self._constant(op)])
            case CallOp() if op.call.name == "get_arg_val":
                self._set(op, [self._arguments[given[0]]])
            case CallOp() if op.call.name == "cb_push_back":
                self.pushed.append(given[1] % 2**32)
            case GetCBOp():
                pass
            case scf.ForOp():
                self._for(op, given)
            case scf.IfOp():
                region = op.true_region if given[0] else op.false_region
                self._set(op, self.block(region.block) if region.blocks else [])
            case scf.WhileOp():
                self._while(op, given)
            case _:
                self._set(op, [_computed(op, given)])

    def _constant(self, op: arith.ConstantOp) -> int:
        number = int(op.value.value.data)
        return number & 1 if op.result.type == i1 else number

    def _set(self, op: Operation, results: Sequence[int]) -> None:
        for value, result in zip(op.results, results, strict=True):
            if abs(result) >= LIMIT:
                raise Rejected
            self._watch(value, result)
            self._values[value] = result

    def _enter(self, block: Block, values: Sequence[int]) -> None:
        for argument, value in zip(block.args, values, strict=True):
            self._watch(argument, value)
            self._values[argument] = value

    def _for(self, op: scf.ForOp, given: Sequence[int]) -> None:
        first, end, step, *carried = given
        for turn in range(first, end, step):
            self._enter(op.body.block, (turn, *carried))
            carried = self.block(op.body.block)
        self._set(op, carried)

    def _while(self, op: scf.WhileOp, carried: Sequence[int]) -> None:
        while True:
            self._enter(op.before_region.block, carried)
            goes_on, *passed = self.block(op.before_region.block)
            if not goes_on:
                self._set(op, passed)
                return
            self._enter(op.after_region.block, passed)
            carried = self.block(op.after_region.block)


def _computed(op: Operation, given: Sequence[int]) -> int:
    a, b = (*given, 0)[:2]
    if isinstance(op, DIVISIONS) and b == 0:
        raise Rejected
    if isinstance(op, UNSIGNED) and (a < 0 or b < 0):
        raise Rejected
    compute: dict[type[Operation], Any] = {
        arith.AddiOp: lambda: a + b,
        arith.SubiOp: lambda: a - b,
        arith.MuliOp: lambda: a * b,
        arith.FloorDivSIOp: lambda: a // b,
        arith.CeilDivSIOp: lambda: -(-a // b),
        arith.DivSIOp: lambda: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
        arith.RemSIOp: lambda: abs(a) % abs(b) * (1 if a >= 0 else -1),
        arith.MinSIOp: lambda: min(a, b),
        arith.MaxSIOp: lambda: max(a, b),
        arith.AndIOp: lambda: a & b,
        arith.OrIOp: lambda: a | b,
        arith.XOrIOp: lambda: a ^ b,
        arith.ShLIOp: lambda: a << b,
        arith.ShRSIOp: lambda: a >> b,
        arith.DivUIOp: lambda: a // b,
        arith.RemUIOp: lambda: a % b,
        arith.MinUIOp: lambda: min(a, b),
        arith.MaxUIOp: lambda: max(a, b),
        arith.ShRUIOp: lambda: a >> b,
        arith.SelectOp: lambda: b if a else given[2],
        arith.CmpiOp: lambda: int(
            (a == b, a != b, *(a < b, a <= b, a > b, a >= b) * 2)[op.properties["predicate"].value.data]
        ),
        arith.ExtUIOp: lambda: a,
        arith.IndexCastOp: lambda: a,
    }
    result: int = compute[type(op)]()
    return result
