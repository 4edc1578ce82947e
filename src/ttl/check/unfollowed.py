"""Kernels that could not be followed to their end, in words: what hangs in them is not found."""

from __future__ import annotations

from ttl.analysis.dominance import kernel_of
from ttl.check.context import Context
from ttl.check.deadlock import played
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of


def unfollowed(operation: dialect.OperationOp, context: Context) -> str | None:
    """Where and why the kernels of an operation were not played to their end; None where they were.

    To be asked where nothing else is wrong: a mistake elsewhere, a pipe that leaves the grid say, is a reason, too.
    """
    game, _ = played(operation, context)
    if not game.unproven:
        return None
    name = f"operation {operation.operation_name}"
    place = game.unproven_at
    span = None if place is None else span_of(place)
    if place is None or span is None:
        return f"{name}: {game.unproven}; a deadlock would not be found"
    kernel = kernel_of(place).kernel_name
    return f"{name} in line {span.line}: {game.unproven}; a deadlock of kernel {kernel} from there on would not be found"
