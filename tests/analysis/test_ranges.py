"""Ranges of integers in nested loops: what is carried is settled, and the work does not double with each level."""

from __future__ import annotations

from unittest import mock

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Region, SSAValue

from ttl.analysis.intervals import ANY, Interval, exactly
from ttl.analysis.ranges import Ranges


def number(block: Block, value: int) -> SSAValue:
    op = arith.ConstantOp(IntegerAttr(value, IndexType()))
    block.add_op(op)
    return op.result


def counting(depth: int, outside: SSAValue | None = None) -> tuple[Block, list[scf.ForOp]]:
    """Loops in each other; each counts its turns from 0, and from what the one around it has counted."""
    index = IndexType()
    is_inner = outside is not None
    block = Block(arg_types=[index, index, index] if is_inner else [])
    loops: list[scf.ForOp] = []
    if depth:
        zero, one, four = (number(block, value) for value in (0, 1, 4))
        start = block.args[1] if is_inner else zero
        body, loops = counting(depth - 1, start)
        loop = scf.ForOp(zero, four, one, [zero, start], body)
        block.add_op(loop)
        loops = [loop, *loops]
    if is_inner:
        one = number(block, 1)
        sums = [arith.AddiOp(argument, one) for argument in block.args[1:]]
        block.add_ops([*sums, scf.YieldOp(*sums)])
    return block, loops


def analysed(depth: int) -> tuple[Ranges, list[scf.ForOp], int]:
    """The ranges, the loops from the outside in, and how many blocks were gone through."""
    block, loops = counting(depth)
    with mock.patch.object(Ranges, "_block", autospec=True, side_effect=Ranges._block) as gone_through:
        return Ranges(Region([block]), lambda op: ANY), loops, gone_through.call_count


@pytest.mark.parametrize("depth", [1, 3, 6])
def test_each_level_of_loops_adds_the_same_work(depth: int) -> None:
    ranges, loops, count = analysed(depth)
    assert count == 1 + depth * (depth + 3) // 2
    for loop in loops:
        induction, fresh, handed_on = loop.body.block.args
        assert ranges.of(induction) == Interval(0, 3)
        assert ranges.of(fresh) == ranges.of(handed_on) == Interval(0, None)


def test_a_value_that_is_handed_on_as_it_is_stays_what_it_is() -> None:
    block = Block()
    zero, one, four = (number(block, value) for value in (0, 1, 4))
    body = Block(arg_types=[IndexType(), IndexType()])
    body.add_op(scf.YieldOp(body.args[1]))
    loop = scf.ForOp(zero, four, one, [four], body)
    block.add_op(loop)
    assert Ranges(Region([block]), lambda op: ANY).of(loop.results[0]) == exactly(4)
