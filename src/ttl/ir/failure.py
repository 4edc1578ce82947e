"""How a pass ends that does not do its work: findings, a program it cannot lower, IR it was not made for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ttl.diag import Diagnostic
from ttl.ir.locations import chain_of, span_of
from ttl.ir.reports import Report, about


class NotLowered(Exception):
    """Raised by a pass at its end, with what is to be said of a program: what of it is wrong, or cannot be lowered.

    Only an error among the diagnostics ends the run.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(f"{diagnostic.code}: {diagnostic.message}" for diagnostic in diagnostics))
        self.diagnostics = list(diagnostics)


class NotLegalized(Exception):
    """Raised by a pass over IR that somebody gave, with a report about every operation that it cannot do."""

    def __init__(self, reports: Sequence[Report]) -> None:
        super().__init__("; ".join(report.message for report in reports))
        self.reports = tuple(reports)


def not_legalized(op: Operation, *notes: str, explicitly: bool = False) -> Report:
    """The report about an operation that a pass has to do and cannot, in MLIR's words.

    ``notes`` are our own: the condition that failed, with its values, and what would work. ``explicitly`` is how MLIR ends the
    sentence in a partial conversion, where an operation was named as one that may not stay.
    """
    tail = " that was explicitly marked illegal" if explicitly else ""
    here = [Report(message=text, severity="note", span=span_of(op)) for text in notes]
    return about(op, f"failed to legalize operation '{op.name}'{tail}", *here)


class Remarks(Exception):
    """Raised by a pass at the end of its work, with warnings and notes for the caller."""

    def __init__(self, reports: Sequence[Report]) -> None:
        super().__init__("; ".join(report.message for report in reports))
        self.reports = tuple(reports)


def without_effect(option: str, why: str) -> Report:
    """The warning about an option that is accepted and does nothing."""
    return Report(severity="warning", message=f"{option} has no effect: {why}")


@runtime_checkable
class Foreseeing(Protocol):
    """A pass that can say beforehand what it is going to refuse.

    When a pass of a pipeline raises ``NotLegalized``, those after it are asked, so that one run lists everything.
    """

    def foresees(self, module: ModuleOp) -> list[Report]:
        """What the pass is going to refuse, of a module that the passes before it may not have seen yet."""


class NotReady(Exception):
    """A pass met what a pass before it should have dealt with. Only a pipeline of somebody's own gets there."""

    def __init__(self, op: Operation, why: str) -> None:
        super().__init__(why)
        self.op = op


def placed(diagnostic: Diagnostic, op: Operation) -> Diagnostic:
    """The diagnostic at the user's expression that an operation comes from."""
    span = span_of(op)
    if span is None:
        return diagnostic
    return diagnostic.at(span).called_from(chain_of(op))
