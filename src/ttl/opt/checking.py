"""``ttl-check``: the checks of the language over a module that is given as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ttl.diag.model import Diagnostic
from ttl.dialects.reports import Report, Severity


class Findings(Exception):
    """A pass found something to say about the module. Only an error ends the run."""

    def __init__(self, reports: Sequence[Report]) -> None:
        super().__init__(f"{len(reports)} findings")
        self.reports = tuple(reports)


@dataclass(frozen=True)
class Check(ModulePass):
    """Expects: operations as the front end makes them. Changes nothing; reports what breaks the rules.

    With ``strict`` what the language infers (a push, a pop, a wait) is reported, too.
    """

    name = "ttl-check"
    strict: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from ttl.check.module import check_module

        found = [report_of(each) for each in check_module(op, strict=self.strict)]
        if found:
            raise Findings(found)


def report_of(diagnostic: Diagnostic) -> Report:
    """A diagnostic of the language as MLIR's tools say it."""
    severity: Severity = diagnostic.severity.value
    notes = [Report(message=label.text, severity="note", span=label.span) for label in diagnostic.secondary]
    place = None if diagnostic.primary is None else diagnostic.primary.span
    for text in (*diagnostic.notes, *diagnostic.help):
        notes.append(Report(message=text, severity="note", span=place))
    return Report(
        message=f"{diagnostic.message} [{diagnostic.code}]",
        severity=severity,
        span=place,
        notes=tuple(notes),
    )
