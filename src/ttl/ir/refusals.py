"""Operations that cannot be lowered, and the errors about them: those of a run together, grouped by reason.

The error is in MLIR's words. Its notes give the failed condition with its values, and, once for a group, the
alternative; the operation itself is shown when the error is rendered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.ir import Operation

from ttl.ir.failure import not_legalized
from ttl.ir.reports import Report


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why an operation cannot be lowered.

    ``condition`` is the failed condition with its values; ``way_out`` is the alternative. Refusals of the same kind of
    operation with the same way out are one group.
    """

    condition: str
    way_out: str


class Refused(Exception):
    """Raised when an operation cannot be lowered. ``op`` is the operation, if the caller may not know it."""

    def __init__(self, condition: str, way_out: str, op: Operation | None = None) -> None:
        super().__init__(condition)
        self.condition = condition
        self.way_out = way_out
        self.op = op

    @property
    def refusal(self) -> Refusal:
        """The reason of the refusal."""
        return Refusal(self.condition, self.way_out)


def reports_of(refused: Iterable[tuple[Operation, Refusal]], *, explicitly: bool = False) -> list[Report]:
    """The errors about refused operations: group after group in the order of their first operations.

    ``explicitly`` selects MLIR's ending of the sentence in a partial conversion.
    """
    groups: defaultdict[tuple[str, str], list[tuple[Operation, Refusal]]] = defaultdict(list)
    for op, refusal in refused:
        groups[op.name, refusal.way_out].append((op, refusal))
    reports: list[Report] = []
    for group in groups.values():
        for position, (op, refusal) in enumerate(group):
            notes = [refusal.condition]
            if position == 0:
                notes.append(refusal.way_out + _also(len(group)))
            reports.append(not_legalized(op, *notes, explicitly=explicitly))
    return reports


def _also(count: int) -> str:
    return f" (this holds for {count} operations)" if count > 1 else ""
