"""Loops of all kinds and the states of blocks: how often they run decides what is found (specification, "Block states")."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest
from xdsl.dialects import arith, scf
from xdsl.ir import Block, SSAValue

from support.kernel_builder import INDEX, Builder
from ttl.check.flow.walk import PathWalk
from ttl.check.states import check
from ttl.diag import Diagnostic, Severity


def found(builder: Builder) -> list[Diagnostic]:
    return check(builder.operation, builder.context())


def codes(builder: Builder) -> list[tuple[str, Severity]]:
    return [(each.code, each.severity) for each in found(builder)]


def repeat(builder: Builder, stop: SSAValue, body: Callable[[SSAValue], None]) -> None:
    """``i = 0; while i < stop: body(i); i += 1``."""
    before, after = Block(arg_types=[INDEX]), Block(arg_types=[INDEX])
    builder.add(scf.WhileOp([builder.index(0)], [INDEX], [before], [after]))
    with builder.inside(before):
        goes_on = builder.add(arith.CmpiOp(before.args[0], stop, "slt")).result
        builder.add(scf.ConditionOp(goes_on, before.args[0]))
    with builder.inside(after):
        body(after.args[0])
        builder.add(scf.YieldOp(builder.add(arith.AddiOp(after.args[0], builder.index(1))).result))


def read_and_pop(builder: Builder, block: SSAValue) -> None:
    builder.read(block)
    builder.pop(block)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (0, [("TTL0902", Severity.ERROR)]),
        (1, []),
        (2, [("TTL0307", Severity.ERROR)]),
    ],
)
@pytest.mark.parametrize("kind", ["for", "while"])
def test_a_block_released_in_a_loop_around_which_it_was_acquired(
    kind: str, turns: int, expected: list[tuple[str, Severity]]
) -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.wait(dfb)
        if kind == "while":
            repeat(builder, builder.index(turns), lambda _: read_and_pop(builder, block))
        else:
            with builder.loop(turns):
                read_and_pop(builder, block)
    assert codes(builder) == expected


def test_a_while_loop_of_unknown_length() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.wait(dfb)
        repeat(builder, builder.given(INDEX), lambda _: read_and_pop(builder, block))
    assert set(codes(builder)) == {("TTL0307", Severity.WARNING), ("TTL0902", Severity.WARNING)}


def test_a_while_loop_that_acquires_what_it_releases() -> None:
    builder = Builder()
    dfb = builder.dfb(block_count=1)
    with builder.kernel():
        repeat(builder, builder.given(INDEX), lambda _: read_and_pop(builder, builder.wait(dfb)))
        repeat(builder, builder.index(1000), lambda _: read_and_pop(builder, builder.wait(dfb)))
    assert codes(builder) == []


def test_a_trip_count_that_depends_on_the_node() -> None:
    builder = Builder((3, 1))
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.wait(dfb)
        with builder.loop(builder.node()):
            builder.read(block)
        builder.pop(block)
    (finding,) = found(builder)
    assert (finding.code, finding.severity) == ("TTL0303", Severity.WARNING)  # others read it
    assert finding.notes[-1] == "in kernel kernel on node (0, 0)"


def test_a_trip_count_that_depends_on_a_turn_of_the_loop_around() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel(), builder.loop(3) as turn:
        block = builder.wait(dfb)
        more = builder.add(arith.AddiOp(turn, builder.index(1))).result
        with builder.loop(more):
            builder.read(block)
        builder.pop(block)
    assert codes(builder) == []


def test_a_condition_on_a_value_that_a_loop_carries() -> None:
    """``count`` is 3 when the loop ends, so that the block is released."""
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.wait(dfb)
        builder.read(block)
        start, stop, step = (builder.index(number) for number in (0, 3, 1))
        body = Block(arg_types=[INDEX, INDEX])
        loop = builder.add(scf.ForOp(start, stop, step, [start], body))
        with builder.inside(body):
            builder.add(scf.YieldOp(builder.add(arith.AddiOp(body.args[1], step)).result))
        with builder.when(builder.equal(loop.results[0], builder.index(3))):
            builder.pop(block)
    assert codes(builder) == []


def test_two_buffers_in_turn_come_back_after_two_turns() -> None:
    """Each turn works with the block of the turn before: the paths repeat with a period, for a million turns."""
    builder = Builder()
    dfb = builder.dfb(block_count=2)
    with builder.kernel(), builder.loop(1_000_000):
        blocks = [builder.wait(dfb) for _ in range(2)]
        for block in blocks:
            builder.read(block)
        for block in blocks:
            builder.pop(block)
    assert codes(builder) == []


@pytest.mark.parametrize(("last", "expected"), [(999_999, []), (999_998, [("TTL0307", Severity.ERROR)])])
def test_turns_that_decide_alike_and_change_nothing_are_passed_over(
    last: int, expected: list[tuple[str, Severity]]
) -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.wait(dfb)
        with builder.loop(1_000_000) as turn:
            builder.read(block)
            with builder.when(builder.equal(turn, builder.index(last))):
                builder.pop(block)
    assert codes(builder) == expected


def test_a_loop_too_long_to_follow_turn_by_turn_is_told_as_possible() -> None:
    """Every turn decides otherwise than the one before."""
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.wait(dfb)
        with builder.loop(1_000_000) as turn:
            builder.read(block)
            odd = builder.add(arith.RemSIOp(turn, builder.index(2))).result
            with builder.when(builder.equal(odd, builder.index(1))):
                builder.read(block)
            with builder.when(builder.equal(turn, builder.index(999_999))):
                builder.pop(block)
    assert {severity for _, severity in codes(builder)} <= {Severity.WARNING}


def test_many_independent_conditions_are_no_explosion() -> None:
    builder = Builder((4, 4))
    dfb = builder.dfb()
    with builder.kernel():
        for number in range(40):
            with builder.when(builder.equal(builder.given(INDEX), builder.index(number))):
                block = builder.wait(dfb)
                builder.read(block)
                builder.pop(block)
    assert codes(builder) == []


@pytest.mark.parametrize("turns", ["known", "unknown"])
def test_the_work_does_not_double_with_each_loop_around_it(
    turns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every loop enters the one in it at least twice: 16 times as many steps in six loops as in two, before."""
    steps = 0
    act = PathWalk._act

    def counted(walk: Any, *arguments: Any) -> None:
        nonlocal steps
        steps += 1
        act(walk, *arguments)

    monkeypatch.setattr(PathWalk, "_act", counted)
    by_depth = []
    for depth in range(1, 7):
        builder, before = Builder(), steps
        dfb = builder.dfb(filled=False)
        with builder.kernel("data movement"), ExitStack() as loops:
            count = 3 if turns == "known" else builder.given(INDEX)
            for _ in range(depth):
                loops.enter_context(builder.loop(count))
            block = builder.reserve(dfb)
            builder.wait_for(builder.copy(builder.slice(), block))
            builder.push(block)
        assert found(builder) == []
        by_depth.append(steps - before)
    assert by_depth[5] == by_depth[1] <= 2 * by_depth[0]
