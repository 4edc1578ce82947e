"""Block states on every path of a kernel (specification, "Block states"; facts: the transition table)."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from support.block_states import LEGAL, code_of, path_to, reachable
from support.kernel_builder import Builder
from ttl.check.states import check
from ttl.diag import Severity
from ttl.dialects import ttl as dialect


def found(builder: Builder) -> list[tuple[str, int, Severity]]:
    """Code, line and severity of what is found."""
    return [
        (each.code, each.primary.span.line if each.primary else 0, each.severity)
        for each in check(builder.operation, builder.context())
    ]


class Life:
    """A block in a kernel, and the copies of it."""

    def __init__(self, builder: Builder, acquired: str, dfb: SSAValue) -> None:
        self.builder = builder
        self.block = builder.reserve(dfb) if acquired == "reserve" else builder.wait(dfb)
        self.copies: dict[str, list[SSAValue]] = {"in": [], "out": []}

    def do(self, step: str) -> None:
        builder, block = self.builder, self.block
        match step:
            case "copy in":
                self.copies["in"].append(builder.copy(builder.slice(), block))
            case "copy out":
                self.copies["out"].append(builder.copy(block, builder.slice()))
            case "copy in done" | "copy out done":
                builder.wait_for(self.copies[step.split()[1]].pop())
            case "read":
                builder.read(block)
            case "store":
                builder.store(block)
            case "push":
                builder.push(block)
            case "pop":
                builder.pop(block)


STEPS_HERE = [
    (role, state, step)
    for role, state, step in reachable()
    if code_of(role, state, step) not in ("TTL0312", "TTL0313", "TTL0501")
]


@pytest.mark.parametrize(("role", "state", "step"), STEPS_HERE)
def test_every_row_of_the_transition_table(role: tuple[str, str], state: str, step: str) -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel(role[1]):
        life = Life(builder, role[0], dfb)
        way = path_to(role, state)
        assert way is not None
        for before in way:
            life.do(before)
        life.do(step)
        line = builder.line
    codes = [(code, at) for code, at, _ in found(builder) if code not in ("TTL0901", "TTL0902")]
    if (role, state, step) in LEGAL:
        assert codes == []
    else:
        assert codes == [(code_of(role, state, step), line)]


def test_two_copies_read_a_block_and_one_is_not_over() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        block = builder.wait(dfb)
        first, second = (builder.copy(block, builder.slice()) for _ in range(2))
        builder.wait_for(second)
        builder.pop(block)
        line = builder.line
        builder.wait_for(first)
    assert found(builder) == [("TTL0310", line, Severity.ERROR)]


def test_accumulating_stores_first_and_adds_then() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.reserve(dfb)
        with builder.loop(3):
            builder.accumulate(block)
        builder.push(block)
    assert found(builder) == []


# --- order, number, end of the kernel -------------------------------------------------------------------------


@pytest.mark.parametrize(("acquired", "code"), [("reserve", "TTL0317"), ("wait", "TTL0318")])
def test_blocks_are_released_in_order(acquired: str, code: str) -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        lives = [Life(builder, acquired, dfb) for _ in range(2)]
        for life in lives:
            life.do("store" if acquired == "reserve" else "read")
        lives[1].do("push" if acquired == "reserve" else "pop")
        line = builder.line
        lives[0].do("push" if acquired == "reserve" else "pop")
    assert found(builder) == [(code, line, Severity.ERROR)]


def test_with_statements_are_left_in_reverse_order() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel(), builder.loop(4):
        blocks = [builder.reserve(dfb) for _ in range(2)]
        for block in blocks:
            builder.store(block)
        for block in reversed(blocks):
            builder.push(block, how="with")
    assert found(builder) == []


@pytest.mark.parametrize(("acquired", "code"), [("reserve", "TTL0322"), ("wait", "TTL0329")])
def test_no_more_blocks_than_there_are(acquired: str, code: str) -> None:
    builder = Builder()
    dfb = builder.dfb(block_count=2)
    with builder.kernel():
        lives = [Life(builder, acquired, dfb) for _ in range(3)]
        line = builder.line
        for life in lives:
            life.do("store" if acquired == "reserve" else "read")
            life.do("push" if acquired == "reserve" else "pop")
    assert found(builder) == [(code, line, Severity.ERROR)]


@pytest.mark.parametrize(("acquired", "code"), [("reserve", "TTL0901"), ("wait", "TTL0902")])
def test_a_block_left_over_is_found_where_it_was_acquired(acquired: str, code: str) -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        Life(builder, acquired, dfb)
        line = builder.line
    assert found(builder) == [(code, line, Severity.ERROR)]


def test_a_loop_that_never_pushes_holds_all_blocks_in_its_third_turn() -> None:
    builder = Builder()
    dfb = builder.dfb(block_count=2)
    with builder.kernel(), builder.loop(3):
        block = builder.reserve(dfb)
        line = builder.line
        builder.store(block)
    assert ("TTL0322", line, Severity.ERROR) in found(builder)


def test_the_same_loop_with_two_turns_leaves_blocks_over() -> None:
    builder = Builder()
    dfb = builder.dfb(block_count=2)
    with builder.kernel(), builder.loop(2):
        builder.store(builder.reserve(dfb))
    assert [code for code, *_ in found(builder)] == ["TTL0901"]


# --- paths ----------------------------------------------------------------------------------------------------


def test_the_same_condition_goes_the_same_way_twice() -> None:
    builder = Builder((4, 1))
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.reserve(dfb)
        for step in (builder.store, builder.push):
            with builder.when(builder.equal(builder.node(), builder.index(0))):
                step(block)
        with builder.when(builder.equal(builder.node(), builder.index(0)), otherwise=True):
            builder.store(block)
            builder.push(block)
    assert found(builder) == []


def test_a_step_on_one_path_only_is_found_on_the_node_that_takes_it() -> None:
    builder = Builder((4, 1))
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.wait(dfb)
        with builder.when(builder.equal(builder.node(), builder.index(2))):
            builder.read(block)
        builder.pop(block)
        line = builder.line
    (finding,) = check(builder.operation, builder.context())
    assert (finding.code, finding.severity) == ("TTL0303", Severity.WARNING)  # node 2 reads it
    assert finding.primary is not None and finding.primary.span.line == line
    assert "in kernel kernel on node (0, 0)" in finding.notes


def test_a_path_that_no_node_takes_is_none() -> None:
    builder = Builder((4, 1))
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.reserve(dfb)
        with builder.when(builder.equal(builder.node(), builder.index(7))):
            builder.push(block)
        builder.store(block)
        builder.push(block)
    assert found(builder) == []


def test_a_condition_on_the_turn_of_a_loop() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.wait(dfb)
        with builder.loop(8) as turn:
            builder.read(block)
            with builder.when(builder.equal(turn, builder.index(7))):
                builder.pop(block)
    assert found(builder) == []


def test_a_release_before_the_last_turn() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.wait(dfb)
        with builder.loop(8) as turn:
            builder.read(block)
            line = builder.line
            with builder.when(builder.equal(turn, builder.index(6))):
                builder.pop(block)
    assert found(builder) == [("TTL0307", line, Severity.ERROR)]


def test_what_is_not_known_is_possible_and_says_when() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.reserve(dfb)
        builder.store(block)
        condition = builder.given(builder.equal(builder.index(0), builder.index(0)).type)
        with builder.when(condition):
            where = builder.line
            builder.push(block)
    (finding,) = check(builder.operation, builder.context())
    assert (finding.code, finding.severity) == ("TTL0901", Severity.WARNING)
    assert f"when the condition at line {where} is false" in finding.notes


def test_a_loop_of_unknown_length_may_not_run() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.reserve(dfb)
        with builder.loop(builder.given(builder.index(0).type)):
            where = builder.line
            builder.accumulate(block)
        builder.push(block)
    (finding,) = check(builder.operation, builder.context())
    assert (finding.code, finding.severity) == ("TTL0302", Severity.WARNING)
    assert f"when the loop at line {where} does not run" in finding.notes


def test_a_loop_of_unknown_length_may_run_twice() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        block = builder.wait(dfb)
        with builder.loop(builder.given(builder.index(0).type)):
            where = builder.line
            builder.read(block)
            builder.pop(block)
        with builder.loop(1):
            pass
    findings = check(builder.operation, builder.context())
    assert {each.severity for each in findings} == {Severity.WARNING}
    assert any(f"when the loop at line {where} runs more than once" in each.notes for each in findings)


# --- pipes ----------------------------------------------------------------------------------------------------


def multicast(builder: Builder, *, receives: bool) -> None:
    net = builder.net(dialect.PipeAttr([0, 0], [dialect.SliceAttr(1, 4, 1), 0]))
    dfb = builder.dfb()
    with builder.kernel("data movement"), builder.loop(4):
        block = builder.reserve(dfb)
        with builder.if_pipe(net, "src") as pipe:
            builder.wait_for(builder.copy(builder.slice(), block))
            builder.wait_for(builder.copy(block, pipe))
        with builder.if_pipe(net, "dst") as pipe:
            if receives:
                builder.wait_for(builder.copy(pipe, block))
        builder.push(block, how="with")


def test_every_node_sends_or_receives() -> None:
    builder = Builder((4, 1))
    multicast(builder, receives=True)
    assert found(builder) == []


def test_a_destination_that_receives_nothing_pushes_nothing() -> None:
    builder = Builder((4, 1))
    multicast(builder, receives=False)
    (finding,) = check(builder.operation, builder.context())
    assert (finding.code, finding.severity) == ("TTL0302", Severity.ERROR)
    assert "in kernel kernel on node (1, 0)" in finding.notes


# --- places ---------------------------------------------------------------------------------------------------


def test_the_places_of_a_use_after_the_release() -> None:
    builder = Builder()
    dfb = builder.dfb("x_dfb")
    with builder.kernel():
        block = builder.wait(dfb)
        builder.read(block)
        builder.pop(block)
        popped = builder.line
        builder.read(block)
    (finding,) = check(builder.operation, builder.context())
    assert finding.message == "block of x_dfb read in an expression after it was popped"
    assert [(label.span.line, label.text) for label in finding.secondary] == [(popped, "popped here")]
    assert finding.notes[-1] == "in kernel kernel on node (0, 0)"


def test_many_copies_of_one_place_are_as_good_as_two() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        block = builder.wait(dfb)
        group = builder.add(dialect.CreateGroupOp()).result
        with builder.loop(1000):
            builder.add(dialect.GroupAddOp(group, builder.copy(block, builder.slice())))
        builder.add(dialect.GroupWaitOp(group))
        builder.pop(block)
    assert found(builder) == []


def test_what_comes_after_a_wait_without_end_is_not_done() -> None:
    builder = Builder()
    dfb = builder.dfb(filled=False)
    with builder.kernel():
        block = builder.wait(dfb)
        builder.store(block)
        builder.pop(block)
    assert found(builder) == []
