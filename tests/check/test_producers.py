"""One producer kernel and one consumer kernel per buffer and node (specification, "Dataflow buffer")."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from support.memory_ir import Program, place, tiles
from ttl.check.context import Context
from ttl.check.deadlock import check as deadlock
from ttl.check.deadlock import check_producers
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect


def put(p: Program, dfb: SSAValue) -> dialect.DfbReserveOp:
    op: dialect.DfbReserveOp = p.emit(dialect.DfbReserveOp(dfb))
    p.emit(dialect.DfbPushOp(op.result, how="with"))
    return op


def take(p: Program, dfb: SSAValue) -> dialect.DfbWaitOp:
    op: dialect.DfbWaitOp = p.emit(dialect.DfbWaitOp(dfb))
    p.emit(dialect.DfbPopOp(op.result, how="with"))
    return op


def both(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    """What either of the two analyses finds."""
    return check_producers(operation, context) + deadlock(operation, context)


@pytest.mark.parametrize(("code", "end"), [("TTL0315", "producer"), ("TTL0316", "consumer")])
def test_two_kernels_at_one_end_are_an_error_at_the_second(code: str, end: str) -> None:
    p = Program((2, 1))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    many, one = (put, take) if end == "producer" else (take, put)
    with p.kernel("first"):
        first = many(p, dfb)
    with p.kernel("second"):
        second = many(p, dfb)
    with p.kernel("other"), p.loop("m", 0, 2):
        one(p, dfb)
    (finding,) = p.found_by(both)
    assert finding.code == code
    assert finding.message.startswith(f"a_dfb has two {end}s: kernels first and second")
    assert finding.primary is not None
    assert finding.primary.span.line == place(second)
    assert finding.secondary[0].span.line == place(first)
    assert finding.notes[-1] == "in kernel second on node (0, 0)"


def test_different_kernels_on_different_nodes_are_no_error() -> None:
    p = Program((2, 1))
    dfb = p.buffer("a_dfb", tiles(1, 1))
    with p.kernel("first"), p.where("eq", p.node[0], 0):
        put(p, dfb)
    with p.kernel("second"), p.where("eq", p.node[0], 1):
        put(p, dfb)
    with p.kernel("other"):
        take(p, dfb)
    assert not p.found_by(both)


def test_one_kernel_may_be_at_both_ends() -> None:
    p = Program((1, 1))
    dfb = p.buffer("acc_dfb", tiles(1, 1))
    with p.kernel("compute", compute=True), p.loop("m", 0, 4):
        put(p, dfb)
        take(p, dfb)
    assert not p.found_by(both)


def test_a_deadlock_before_the_second_kernel_is_what_is_reported() -> None:
    p = Program((1, 1))
    dfb, never = p.buffer("a_dfb", tiles(1, 1)), p.buffer("b_dfb", tiles(1, 1))
    with p.kernel("first"):
        put(p, dfb)
    with p.kernel("second"):
        take(p, never)
        put(p, dfb)
    with p.kernel("other"):
        take(p, dfb)
    assert [each.code for each in p.found_by(both)] == ["TTL0911"]
