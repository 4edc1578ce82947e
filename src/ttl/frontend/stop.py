"""Exceptions that end the evaluation of a statement."""

from __future__ import annotations

from ttl.diag import Diagnostic
from ttl.frontend import refusals


class Reject(Exception):
    """A finding at the place that is being read; the statement it is in is given up."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding.message)
        self.finding = finding


class Endless(Reject):
    """Reading takes too many steps: not only the statement is given up, but all of the kernel, or operation, around it."""


def static_needed(what: str) -> Reject:
    """Return the error for a value that has to be known before kernels run, and is not: ``what`` says what it is for."""
    return Reject(refusals.must_be_known(what))


class Poisoned(Exception):
    """A value is needed whose computation has been reported already: no other finding is reported."""
