"""The exception of the interpreters for operations without a value."""

from __future__ import annotations

from xdsl.ir import Operation

from ttl.ir.reports import Report, about


class NotInterpretable(Exception):
    """An operation without a value: ``report`` says why, at the operation's location."""

    def __init__(self, op: Operation, why: str) -> None:
        self.op = op
        self.report: Report = about(op, f"'{op.name}' op {why}")
        place = f"{self.report.span}: " if self.report.span is not None else ""
        super().__init__(f"{place}{self.report.message}")
