"""Random structured control flow in the IR, and random ways through it."""

from __future__ import annotations

from random import Random

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.dialects.test import TestOp
from xdsl.ir import Block, Operation, SSAValue


def mark(op: Operation) -> int:
    number = op.attributes["number"]
    assert isinstance(number, IntegerAttr)
    return number.value.data


class RandomFlow:
    """Random structured control flow over marks; ``walks`` follows it as it would run."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.count = 0
        self.block = self.filled(3)

    def filled(self, depth: int) -> Block:
        block = Block()
        self.fill(block, depth)
        return block

    def fill(self, block: Block, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.choice(["mark", "if", "loop", "mark"]) if depth else "mark"
            if kind == "mark":
                self.count += 1
                block.add_op(TestOp(attributes={"number": IntegerAttr(self.count, IndexType())}))
            elif kind == "if":
                condition = self.constant(block, 0)
                branches = [self.filled(depth - 1), self.filled(depth - 1)]
                for branch in branches:
                    branch.add_op(scf.YieldOp())
                has_else = self.random.random() < 0.5
                block.add_op(scf.IfOp(condition, [], [branches[0]], [branches[1]] if has_else else None))
            else:
                bounds = [self.constant(block, number, is_index=True) for number in (0, 2, 1)]
                body = Block(arg_types=[IndexType()])
                self.fill(body, depth - 1)
                body.add_op(scf.YieldOp())
                block.add_op(scf.ForOp(*bounds, [], body))

    def constant(self, block: Block, number: int, *, is_index: bool = False) -> SSAValue:
        op = arith.ConstantOp(IntegerAttr(number, IndexType() if is_index else i1))
        block.add_op(op)
        return op.result

    def walks(self, block: Block, last: int, seen: dict[Operation, set[int]]) -> int:
        """Follow one way through a block, chosen at random; what was passed last before each operation."""
        for op in block.ops:
            seen.setdefault(op, set()).add(last)
            match op:
                case TestOp():
                    last = mark(op)
                case scf.IfOp():
                    region = self.random.choice(op.regions)
                    if region.blocks:
                        last = self.walks(region.block, last, seen)
                case scf.ForOp():
                    for _ in range(self.random.randint(0, 3)):
                        last = self.walks(op.body.block, last, seen)
        return last
