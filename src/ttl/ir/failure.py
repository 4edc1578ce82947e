"""The exceptions of a pass that fails: findings, a program that it cannot lower, IR that it does not support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ttl.diag import Diagnostic
from ttl.ir.locations import chain_of, span_of
from ttl.ir.reports import Report, about


class NotLowered(Exception):
    """Raised by a pass at its end, with diagnostics about a program that is wrong, or cannot be lowered.

    Only an error among the diagnostics ends the run.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(f"{diagnostic.code}: {diagnostic.message}" for diagnostic in diagnostics))
        self.diagnostics = list(diagnostics)


class NotLegalized(Exception):
    """Raised by a pass over IR from a user, with a report about every operation that it cannot convert."""

    def __init__(self, reports: Sequence[Report]) -> None:
        super().__init__("; ".join(report.message for report in reports))
        self.reports = tuple(reports)


def not_legalized(op: Operation, *notes: str, explicitly: bool = False) -> Report:
    """Return the report about an operation that a pass must convert and cannot, in MLIR's words.

    ``notes`` are our own: the failed condition with its values, and an alternative. ``explicitly`` selects MLIR's
    ending of the sentence in a partial conversion, in which the operation was declared illegal.
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
    """Return the warning about an option that is accepted and has no effect."""
    return Report(severity="warning", message=f"{option} has no effect: {why}")


@runtime_checkable
class Foreseeing(Protocol):
    """A pass that can foresee its refusals.

    When a pass of a pipeline raises ``NotLegalized``, the later ones foresee theirs, so that one run lists everything.
    """

    def foresees(self, module: ModuleOp) -> list[Report]:
        """Return the reports that the pass would raise about a module; earlier passes may not have converted it."""


class NotReady(Exception):
    """A pass met an operation that an earlier pass should have removed. This happens only in a pipeline that a user composed."""

    def __init__(self, op: Operation, why: str) -> None:
        super().__init__(why)
        self.op = op


def placed(diagnostic: Diagnostic, op: Operation) -> Diagnostic:
    """Return the diagnostic at the user's expression from which an operation comes; unchanged if that is not known."""
    span = span_of(op)
    if span is None:
        return diagnostic
    return diagnostic.at(span).called_from(chain_of(op))
