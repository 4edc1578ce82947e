"""Handles of transfers and groups (specification, "Copy" and "Group transfer")."""

from __future__ import annotations

import pytest

from support.kernel_builder import Builder
from ttl.check.transfers import check
from ttl.diag import Severity
from ttl.dialects import ttl as dialect


def found(builder: Builder) -> list[tuple[str, int, Severity]]:
    """Code, line and severity of what is found."""
    return [
        (each.code, each.primary.span.line if each.primary else 0, each.severity)
        for each in check(builder.operation, builder.context())
    ]


def test_a_transfer_is_waited_for_once() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        block = builder.reserve(dfb)
        transfer = builder.copy(builder.slice(), block)
        started = builder.line
        builder.wait_for(transfer)
        builder.wait_for(transfer)
        line = builder.line
    assert found(builder) == [("TTL0503", line, Severity.ERROR)]
    (finding,) = check(builder.operation, builder.context())
    assert [(label.span.line, label.text) for label in finding.secondary] == [
        (started, "the copy was started here")
    ]


@pytest.mark.parametrize(("turns", "codes"), [(1, []), (2, ["TTL0503"])])
def test_a_transfer_started_before_a_loop(turns: int, codes: list[str]) -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        transfer = builder.copy(builder.slice(), builder.reserve(dfb))
        with builder.loop(turns):
            builder.wait_for(transfer)
    assert [code for code, *_ in found(builder)] == codes


def test_a_transfer_started_in_each_turn() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        block = builder.reserve(dfb)
        with builder.loop(4):
            transfer = builder.copy(builder.slice(), block)
            with builder.loop(1):
                builder.wait_for(transfer)
    assert found(builder) == []


def test_a_group_collects_the_transfers_of_a_loop() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        block = builder.wait(dfb)
        with builder.loop(4):
            group = builder.add(dialect.CreateGroupOp()).result
            with builder.loop(4):
                builder.add(dialect.GroupAddOp(group, builder.copy(block, builder.slice())))
            builder.add(dialect.GroupWaitOp(group))
    assert found(builder) == []


@pytest.mark.parametrize(("last", "code"), [("add", "TTL0511"), ("wait", "TTL0513")])
def test_a_group_that_was_waited_for_is_over(last: str, code: str) -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        block = builder.wait(dfb)
        group = builder.add(dialect.CreateGroupOp()).result
        builder.add(dialect.GroupAddOp(group, builder.copy(block, builder.slice())))
        builder.add(dialect.GroupWaitOp(group))
        second = builder.copy(block, builder.slice())
        builder.add(dialect.GroupAddOp(group, second) if last == "add" else dialect.GroupWaitOp(group))
        line = builder.line
    assert found(builder) == [(code, line, Severity.ERROR)]


def test_a_member_of_a_group_that_was_waited_for_alone() -> None:
    builder = Builder()
    dfb = builder.dfb()
    with builder.kernel("data movement"):
        group = builder.add(dialect.CreateGroupOp()).result
        transfer = builder.copy(builder.wait(dfb), builder.slice())
        builder.add(dialect.GroupAddOp(group, transfer))
        builder.wait_for(transfer)
        builder.add(dialect.GroupWaitOp(group))
        line = builder.line
    assert found(builder) == [("TTL0503", line, Severity.ERROR)]
