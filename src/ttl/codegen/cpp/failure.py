"""What no pass should have left for the printer: a defect of ours, said with the operation's name."""

from __future__ import annotations

from xdsl.ir import Operation

from ttl.diag import error
from ttl.diag.errors import InternalError
from ttl.diag.internal import CODE
from ttl.ir.locations import span_of


def unprintable(op: Operation, why: str) -> InternalError:
    """The error for an operation that has no C++."""
    finding = error(
        CODE,
        f"internal error: {op.name} cannot be printed as C++: {why}",
        notes=("this is a defect of ttlang, not of your program",),
        help="please report it with this text and the program",
    )
    span = span_of(op)
    return InternalError(finding if span is None else finding.at(span))
