"""Ranges of integers in nested loops: what is carried is settled, and the work does not double with each level."""

from __future__ import annotations

from contextlib import suppress
from unittest import mock

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Region, SSAValue

from support.kernel_programs import Rejected, generate, observed
from ttl.analysis.intervals import ANY, WORD, Interval, exactly
from ttl.analysis.ranges import Ranges
from ttl.dialects.text import parse_module


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
    # Settled, then walked through twice: to sharpen it, and to see that nothing changes any more.
    assert count == 1 + depth * (depth + 3) // 2 + 2 * (depth + 1)
    for level, loop in enumerate(loops):
        induction, fresh, handed_on = loop.body.block.args
        assert ranges.of(induction) == Interval(0, 3)
        assert ranges.of(fresh) == Interval(0, 4)
        assert ranges.of(handed_on) == Interval(0, 8 if level else 4)


def test_a_value_that_is_handed_on_as_it_is_stays_what_it_is() -> None:
    block = Block()
    zero, one, four = (number(block, value) for value in (0, 1, 4))
    body = Block(arg_types=[IndexType(), IndexType()])
    body.add_op(scf.YieldOp(body.args[1]))
    loop = scf.ForOp(zero, four, one, [four], body)
    block.add_op(loop)
    assert Ranges(Region([block]), lambda op: ANY).of(loop.results[0]) == exactly(4)


def carried(turns: int, text: str) -> Interval:
    """What ``%x`` may be behind a loop, which begins with 1 and becomes ``%next`` in each turn."""
    module = parse_module(f"""
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c7 = arith.constant 7 : index
        %end = arith.constant {turns} : index
        %x = scf.for %i = %c0 to %end step %c1 iter_args(%n = %c1) -> (index) {{
          {text}
          scf.yield %next : index
        }}
    """)
    loop = next(op for op in module.walk() if isinstance(op, scf.ForOp))
    return Ranges(module.body, lambda result: ANY).of(loop.results[0])


@pytest.mark.parametrize(
    ("turns", "text", "expected"),
    [
        (1000, "%next = arith.addi %n, %c7 : index", Interval(1, 7001)),
        (1000, "%next = arith.addi %n, %i : index", Interval(1, 1 + 1000 * 999)),
        (1000, "%next = arith.subi %n, %c7 : index", Interval(-6999, 1)),
        (40, "%next = arith.muli %n, %c2 : index", Interval(1, 2**40)),
        (2**40, "%next = arith.muli %n, %c2 : index", Interval(1, None)),
        (2**40, "%next = arith.maxsi %n, %c7 : index", Interval(1, 7)),
        (2**40, "%m = arith.addi %n, %c2 : index\n %next = arith.remui %m, %c7 : index", Interval(0, 6)),
        (2**40, "%next = arith.addi %n, %i : index", Interval(1, 1 + 2**40 * (2**40 - 1))),
    ],
)
def test_what_a_loop_carries_moves_by_what_a_turn_adds(turns: int, text: str, expected: Interval) -> None:
    assert carried(turns, text) == expected


def test_a_while_that_nothing_counts_is_followed_for_a_few_turns() -> None:
    module = parse_module("""
        %c2 = arith.constant 2 : index
        %c100 = arith.constant 100 : index
        %x = scf.while (%n = %c2) : (index) -> index {
          %goes_on = arith.cmpi ne, %n, %c100 : index
          scf.condition(%goes_on) %n : index
        } do {
        ^bb0(%m: index):
          %next = arith.muli %m, %c2 : index
          scf.yield %next : index
        }
    """)
    loop = next(op for op in module.walk() if isinstance(op, scf.WhileOp))
    with mock.patch.object(Ranges, "_iteration", autospec=True, side_effect=Ranges._iteration) as turns:
        ranges = Ranges(module.body, lambda result: ANY)
    assert ranges.of(loop.before_region.block.args[0]) == Interval(2, None)
    assert ranges.of(loop.results[0]) == exactly(100)
    assert 32 < turns.call_count < 64


@pytest.mark.parametrize("part", range(4))
def test_every_number_of_a_run_is_in_its_interval(part: int) -> None:
    looked_at = 0
    for seed in range(part * 50, part * 50 + 50):
        program = generate(seed)
        (kernel,) = program.kernels
        ranges = Ranges(kernel.body, lambda result: WORD)

        def within(value: SSAValue, number: int, ranges: Ranges = ranges, seed: int = seed) -> None:
            nonlocal looked_at
            looked_at += 1
            interval = ranges.of(value)
            assert (interval | exactly(number)) == interval, (seed, str(value), interval, number)

        for arguments in ((0, 1, 2, 3), (7, 50, 4, 31), (4_000_000_000, 3, 2**31, 70_000)):
            with suppress(Rejected):
                observed(program, arguments, watch=within)
    assert looked_at > 1000
