"""Blocks pushed against blocks waited for, for shapes that are not given."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith
from xdsl.ir import SSAValue

from support.memory_ir import Program, place, tensor, tiles
from ttl.check import deadlock
from ttl.check.context import CheckContext
from ttl.check.deadlock import check_balance
from ttl.diag import Diagnostic, Severity
from ttl.dialects import ttl as dialect


class Symbolic(Program):
    """With tensors ``a`` and ``b`` of unknown shape."""

    def __init__(self) -> None:
        super().__init__((1, 1), a=tensor(-1, -1), b=tensor(-1, -1))
        self.made = self.buffer("a_dfb", tiles(1, 1))

    def tiles_of(self, name: str, axis: int) -> SSAValue:
        """The extent of a tensor in tiles."""
        extent = self.emit(dialect.DimOp(self.accessors[name], axis)).result
        result: SSAValue = self.emit(arith.FloorDivSIOp(extent, self.index(32))).result
        return result

    def put(self) -> dialect.DfbReserveOp:
        """Fill a block."""
        op: dialect.DfbReserveOp = self.emit(dialect.DfbReserveOp(self.made))
        self.emit(dialect.DfbPushOp(op.result, how="with"))
        return op

    def take(self) -> dialect.DfbWaitOp:
        """Empty a block."""
        op: dialect.DfbWaitOp = self.emit(dialect.DfbWaitOp(self.made))
        self.emit(dialect.DfbPopOp(op.result, how="with"))
        return op


def both(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """What either of the two analyses finds."""
    return check_balance(operation, context) + deadlock.check(operation, context)


def test_the_same_number_in_another_order_is_balanced() -> None:
    p = Symbolic()
    rows, columns = p.tiles_of("a", 0), p.tiles_of("a", 1)
    with p.kernel("read"), p.loop("m", 0, rows), p.loop("n", 0, columns):
        p.put()
    with p.kernel("write"), p.loop("n", 0, columns), p.loop("m", 0, rows):
        p.take()
    assert not p.found_by(both)


@pytest.mark.parametrize("more", [1, -3])
def test_a_constant_difference_is_certain(more: int) -> None:
    """One block too many is waited for, or three are left, and there is room for two."""
    p = Symbolic()
    rows = p.tiles_of("a", 0)
    with p.kernel("read"), p.loop("m", 0, p.plus(rows, max(0, -more))):
        put = p.put()
    with p.kernel("write"), p.loop("m", 0, p.plus(rows, max(0, more))):
        take = p.take()
    (finding,) = p.found_by(check_balance)
    assert (finding.code, finding.severity) == ("TTL0913" if more > 0 else "TTL0914", Severity.ERROR)
    assert finding.primary is not None
    assert finding.primary.span.line == place(take if more > 0 else put)
    assert "this holds for every shape" in finding.notes[-1]


def test_a_difference_that_some_shapes_make_is_possible() -> None:
    p = Symbolic()
    with p.kernel("read"), p.loop("m", 0, p.tiles_of("a", 1)):
        p.put()
    with p.kernel("write"), p.loop("m", 0, p.tiles_of("b", 0)):
        p.take()
    (finding,) = p.found_by(check_balance)
    assert (finding.code, finding.severity) == ("TTL0913", Severity.WARNING)
    assert finding.message == "deadlock: write waits for block 5 of a_dfb, but read pushes only 4"
    assert "this holds if a.shape[1] is 128 and b.shape[0] is 256" in finding.notes[-1]


def test_what_fits_into_the_buffer_is_no_deadlock() -> None:
    p = Symbolic()
    rows = p.tiles_of("a", 0)
    with p.kernel("read"), p.loop("m", 0, p.plus(rows, 2)):
        p.put()
    with p.kernel("write"), p.loop("m", 0, rows):
        p.take()
    assert not p.found_by(check_balance)


def test_nothing_is_said_where_the_number_depends_on_a_condition() -> None:
    p = Symbolic()
    rows = p.tiles_of("a", 0)
    with p.kernel("read"), p.loop("m", 0, rows) as m, p.where("eq", m, 0):
        p.put()
    with p.kernel("write"), p.loop("m", 0, rows):
        p.take()
    assert not p.found_by(check_balance)


def test_given_shapes_are_left_to_the_game() -> None:
    p = Symbolic()
    with p.kernel("read"), p.loop("m", 0, 3):
        p.put()
    with p.kernel("write"), p.loop("m", 0, 4):
        p.take()
    assert [each.code for each in p.found_by(both)] == ["TTL0913"]
