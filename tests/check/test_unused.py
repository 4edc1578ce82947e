"""Values that no store ever sees, and buffers that nobody uses."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block

from support.kernel_builder import TYPE, Builder
from ttl.check.unused import check
from ttl.dialects import ttl as dialect


def found(builder: Builder) -> list[tuple[str, int, str]]:
    """Code, line and message of what is found."""
    return [
        (each.code, each.primary.span.line if each.primary else 0, each.message)
        for each in check(builder.operation, builder.context())
    ]


def accumulate(builder: Builder, *, store: bool) -> int:
    """``for _ in range(4): total = total + x_blk``; the line of the sum."""
    dfb, out = builder.dfb(), builder.dfb()
    with builder.kernel():
        target = builder.reserve(out)
        zero, stop, step = (builder.index(number) for number in (0, 4, 1))
        block = Block(arg_types=[builder.index(0).type, dialect.value_type(TYPE)])
        loop = builder.add(scf.ForOp(zero, stop, step, [builder.fill()], block))
        with builder.inside(block):
            total = builder.added(block.args[1], builder.read(builder.wait(dfb)))
            line = builder.line
            builder.add(scf.YieldOp(total))
        if store:
            builder.store(target, loop.results[0])
    return line


def test_an_expression_of_blocks_that_is_dropped() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        builder.negated(builder.read(builder.wait(dfb)))
        line = builder.line
    assert found(builder) == [("TTL0905", line, "value computed from blocks is never stored")]


def test_it_is_counted_on_all_nodes_and_in_all_turns() -> None:
    builder = Builder((2, 2))
    dfb = builder.dfb()
    with builder.kernel(), builder.loop(3):
        builder.negated(builder.read(builder.wait(dfb)))
    assert [message for *_, message in found(builder)] == [
        "value computed from blocks is never stored (12 times)"
    ]


def test_only_the_last_of_several_is_told() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel():
        builder.negated(builder.negated(builder.read(builder.wait(dfb))))
        line = builder.line
    assert [at for _, at, _ in found(builder)] == [line]


def test_a_value_of_numbers_alone_is_nothing_of_a_block() -> None:
    builder = Builder()
    with builder.kernel():
        builder.negated(builder.fill())
    assert found(builder) == []


def test_a_sum_over_a_loop_that_is_never_stored() -> None:
    builder = Builder()
    line = accumulate(builder, store=False)
    assert found(builder) == [("TTL0905", line, "value computed from blocks is never stored")]


def test_a_sum_over_a_loop_that_is_stored() -> None:
    builder = Builder()
    accumulate(builder, store=True)
    assert found(builder) == []


def test_what_a_branch_that_never_runs_drops_is_not_told() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel(), builder.loop(0):
        builder.negated(builder.read(builder.wait(dfb)))
    assert found(builder) == []


def test_a_buffer_that_nobody_uses() -> None:
    builder = Builder()
    builder.dfb("spare_dfb", filled=False)
    assert found(builder) == [("TTL0907", builder.line, "no kernel uses spare_dfb")]
