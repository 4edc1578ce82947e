"""Exceptions that end the evaluation of a statement."""

from __future__ import annotations

from ttl.diag import Diagnostic
from ttl.frontend import refusals


class Reject(Exception):
    """A finding at the current place, which ends the evaluation of the statement."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding.message)
        self.finding = finding


class Endless(Reject):
    """Reading takes too many steps, which ends the evaluation of the whole kernel, or operation."""


def static_needed(what: str) -> Reject:
    """Return the error for a value that must be known before kernels run but is not; ``what`` describes its use."""
    return Reject(refusals.must_be_known(what))


class Poisoned(Exception):
    """A value whose computation has already been reported is needed: no other finding is reported."""
