"""Forward analyses to their fixed point: what holds on every way through random control flow, and no more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.dialects.test import TestOp as MarkOp
from xdsl.ir import Block, Operation

from support.random_programs.control_flow import RandomFlow, mark
from ttl.analysis.fixed_point import ForwardAnalysis

Facts = frozenset[int]


class MayReach(ForwardAnalysis[Facts]):
    """Which of some marks may be the last one that was passed."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def transfer(self, op: Operation, state: Facts) -> Facts:
        self.steps += 1
        return frozenset({mark(op)}) if isinstance(op, MarkOp) else state

    def join(self, states: Sequence[Facts]) -> Facts:
        return frozenset().union(*states)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_found_before_an_operation_is_what_ways_to_it_pass_last(seed: int) -> None:
    program = RandomFlow(seed)
    analysis = MayReach()
    analysis.block(program.block, frozenset({0}))
    seen: dict[Operation, set[int]] = {}
    for _ in range(4000):
        program.walks(program.block, 0, seen)
    for op, passed in seen.items():
        assert passed == analysis.before[op], "4000 walks come to everything that is possible"


def nested(depth: int) -> Iterator[Block]:
    block = Block([MarkOp(attributes={"number": IntegerAttr(1, IndexType())})])
    for _ in range(depth):
        block.add_op(scf.YieldOp())
        outer = Block()
        bounds = [arith.ConstantOp(IntegerAttr(number, IndexType())) for number in (0, 2, 1)]
        outer.add_ops(bounds)
        body = Block(arg_types=[IndexType()])
        for op in list(block.ops):
            op.detach()  # type: ignore[no-untyped-call]
            body.add_op(op)
        outer.add_op(scf.ForOp(*(bound.result for bound in bounds), [], body))
        block = outer
    yield block


def test_the_work_does_not_double_with_each_level_of_nesting() -> None:
    steps = []
    for depth in range(1, 9):
        for block in nested(depth):
            analysis = MayReach()
            analysis.block(block, frozenset({0}))
            steps.append(analysis.steps)
    growth = [later - earlier for earlier, later in pairwise(steps)]
    assert max(growth) - min(growth) <= max(growth) // 2, steps
