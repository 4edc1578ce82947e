"""``ttl-canonicalize``: programs mean what they meant, everything keeps its place, a second run changes nothing.

``lit/canonicalize.mlir`` shows what it changes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, UnknownLoc, i1
from xdsl.dialects.test import TestOp as UseOp
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.dialects import ttl as dialect
from ttl.frontend.file import lower_file
from ttl.ir.locations import synthetic
from ttl.passes.canonicalize import CanonicalizeKernels, CanonicalizeOperations

EXAMPLES = Path(__file__).parents[2] / "examples"
INDEX = IndexType()
_SIMPLE = (
    arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp, arith.AddiOp, arith.MuliOp,
)  # fmt: skip
_DIVISIONS = (arith.FloorDivSIOp, arith.CeilDivSIOp, arith.RemSIOp, arith.DivSIOp)


class Program:
    """A random program: integers known and not, loops, branches, and uses that must be the same afterwards."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.block = Block(arg_types=[INDEX, INDEX])
        self._steps(self.block, [*self.block.args], [], depth=0)
        self.module = ModuleOp(Region(self.block))
        for number, op in enumerate(self.module.walk()):
            op.location = synthetic(f"op {number}")

    def _steps(self, block: Block, integers: list[SSAValue], truths: list[SSAValue], depth: int) -> None:
        choices = [self._constant, self._constant, self._binary, self._binary, self._binary, self._divide]
        choices += [self._compare, self._select, self._use, self._use]
        if depth < 3:
            choices += [self._loop, self._static_loop, self._branch]
        for _ in range(self._random.randint(3, 9)):
            self._random.choice(choices)(block, integers, truths, depth)

    def _constant(self, block: Block, integers: list[SSAValue], *_: object) -> None:
        made = arith.ConstantOp(IntegerAttr(self._random.choice([0, 1, 1, 2, 3, 4, -1, -3, 7]), INDEX))
        block.add_op(made)
        integers.append(made.result)

    def _binary(self, block: Block, integers: list[SSAValue], *_: object) -> None:
        made = self._random.choice(_SIMPLE)(self._random.choice(integers), self._random.choice(integers))
        block.add_op(made)
        integers.append(made.result)

    def _divide(self, block: Block, integers: list[SSAValue], *_: object) -> None:
        divisor = arith.ConstantOp(IntegerAttr(self._random.choice([1, 2, 3, 5]), INDEX))
        made = self._random.choice(_DIVISIONS)(self._random.choice(integers), divisor.result)
        block.add_ops([divisor, made])
        integers.append(made.result)

    def _compare(self, block: Block, integers: list[SSAValue], truths: list[SSAValue], _: int) -> None:
        how = self._random.choice(["eq", "ne", "slt", "sle", "sgt", "sge"])
        made = arith.CmpiOp(self._random.choice(integers), self._random.choice(integers), how)
        block.add_op(made)
        truths.append(made.result)
        if len(truths) > 1:
            both = self._random.choice([arith.AndIOp, arith.OrIOp])(truths[-1], self._random.choice(truths))
            block.add_op(both)
            truths.append(both.result)

    def _select(self, block: Block, integers: list[SSAValue], truths: list[SSAValue], _: int) -> None:
        if truths:
            pair = self._random.choice(integers), self._random.choice(integers)
            made = arith.SelectOp(self._random.choice(truths), *pair)
            block.add_op(made)
            integers.append(made.result)

    def _use(self, block: Block, integers: list[SSAValue], truths: list[SSAValue], _: int) -> None:
        block.add_op(UseOp([self._random.choice(integers + truths)]))

    def _loop(self, block: Block, integers: list[SSAValue], truths: list[SSAValue], depth: int) -> None:
        bounds = [
            arith.ConstantOp(IntegerAttr(number, INDEX))
            for number in (self._random.randint(0, 2), self._random.randint(0, 4), self._random.randint(1, 3))
        ]
        block.add_ops(bounds)
        stop = self._random.choice([bounds[1].result, self.block.args[0]])
        inner, initial, carried = self._body(integers, truths, depth)
        inner.add_op(scf.YieldOp(*carried))
        made = scf.ForOp(bounds[0], stop, bounds[2], initial, Region(inner))
        block.add_op(made)
        integers += made.results

    def _static_loop(
        self, block: Block, integers: list[SSAValue], truths: list[SSAValue], depth: int
    ) -> None:
        inner, initial, carried = self._body(integers, truths, depth)
        inner.add_op(affine.YieldOp.get(*carried))
        bounds = self._random.randint(0, 1), self._random.randint(0, 4), self._random.randint(1, 2)
        made = affine.ForOp.from_region(
            [], [], initial, [INDEX] * len(initial), bounds[0], bounds[1], Region(inner), bounds[2]
        )
        block.add_op(made)
        integers += made.results

    def _body(
        self, integers: list[SSAValue], truths: list[SSAValue], depth: int
    ) -> tuple[Block, list[SSAValue], list[SSAValue]]:
        count = self._random.randint(0, 2)
        inner = Block(arg_types=[INDEX] * (1 + count))
        known = [*integers, *inner.args]
        initial = [self._random.choice(integers) for _ in range(count)]
        self._steps(inner, known, [*truths], depth + 1)
        return inner, initial, [self._random.choice(known) for _ in range(count)]

    def _branch(self, block: Block, integers: list[SSAValue], truths: list[SSAValue], depth: int) -> None:
        if not truths:
            return
        count = self._random.randint(0, 1)
        regions = []
        for _ in range(2):
            inner, known = Block(), [*integers]
            self._steps(inner, known, [*truths], depth + 1)
            inner.add_op(scf.YieldOp(*(self._random.choice(known) for _ in range(count))))
            regions.append(Region(inner))
        made = scf.IfOp(self._random.choice(truths), [INDEX] * count, *regions)
        block.add_op(made)
        integers += made.results


class Machine:
    """Runs a program; what it uses is in ``used``."""

    def __init__(self, module: ModuleOp, arguments: Sequence[int]) -> None:
        self.used: list[int] = []
        self._values: dict[SSAValue, int] = dict(zip(module.body.block.args, arguments))
        self._run(module.body.block)

    def _run(self, block: Block) -> list[int]:
        for op in block.ops:
            given = [self._values[each] for each in op.operands]
            if isinstance(op, scf.YieldOp | affine.YieldOp):
                return given
            results = self._results(op, given)
            self._values.update(zip(op.results, results, strict=True))
        return []

    def _results(self, op: Operation, given: list[int]) -> Sequence[int]:
        match op:
            case arith.ConstantOp():
                assert isinstance(op.value, IntegerAttr)
                return [op.value.value.data & 1 if op.result.type == i1 else op.value.value.data]
            case UseOp():
                self.used += given
                return []
            case scf.ForOp():
                return self._loop(op.body.block, range(*given[:3]), given[3:])
            case affine.ForOp():
                bounds = (each.data.eval([], [])[0] for each in (op.lowerBoundMap, op.upperBoundMap))
                return self._loop(op.body.block, range(*bounds, op.step.value.data), given)
            case scf.IfOp():
                return self._run((op.true_region if given[0] else op.false_region).block)
            case arith.CmpiOp():
                a, b = given
                return [int((a == b, a != b, a < b, a <= b, a > b, a >= b)[op.predicate.value.data])]
            case arith.SelectOp():
                return [given[1] if given[0] else given[2]]
        a, b = given
        toward_zero = 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) is (b < 0) else -1)
        return [
            {
                "arith.addi": a + b, "arith.subi": a - b, "arith.muli": a * b, "arith.minsi": min(a, b),
                "arith.maxsi": max(a, b), "arith.andi": a & b, "arith.ori": a | b,
                "arith.floordivsi": a // (b or 1), "arith.ceildivsi": -(-a // (b or 1)),
                "arith.divsi": toward_zero, "arith.remsi": a - b * toward_zero,
            }[op.name]
        ]  # fmt: skip

    def _loop(self, block: Block, turns: range, carried: list[int]) -> list[int]:
        for number in turns:
            self._values.update(zip(block.args, (number, *carried), strict=True))
            carried = self._run(block)
        return carried


@pytest.mark.parametrize("seed", range(120))
def test_random_arithmetic_means_the_same(seed: int) -> None:
    module = Program(seed).module
    module.verify()
    arguments = [(0, 0), (1, -2), (3, 5), (4, 1)]
    before = [Machine(module, each).used for each in arguments]
    count = sum(1 for _ in module.walk())
    CanonicalizeKernels().apply(Context(), module)
    module.verify()
    assert [Machine(module, each).used for each in arguments] == before
    assert sum(1 for _ in module.walk()) <= count
    assert not [op for op in module.walk() if isinstance(op.location, UnknownLoc)]
    text = str(module)
    CanonicalizeKernels().apply(Context(), module)
    assert str(module) == text


@pytest.mark.parametrize("name", sorted(each.name for each in EXAMPLES.glob("*.py")))
def test_examples(name: str) -> None:
    module = lower_file(str(EXAMPLES / name)).module
    transfers = (dialect.CopyOp, dialect.WaitOp, dialect.AcquireOp, dialect.ReleaseOp, dialect.BlockStoreOp)
    effects = [op.name for op in module.walk() if isinstance(op, transfers)]
    CanonicalizeOperations().apply(Context(), module)
    module.verify()
    found = [op.name for op in module.walk() if isinstance(op, transfers)]
    assert found == effects
    text = str(module)
    CanonicalizeOperations().apply(Context(), module)
    assert str(module) == text
