"""What ends the evaluation of a statement."""

from __future__ import annotations

from ttl.diag import Diagnostic
from ttl.source.spans import Span


class Reject(Exception):
    """A finding at the place that is being read; the statement it is in is given up."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding.message)
        self.finding = finding


class Endless(Reject):
    """Reading takes too many steps: not only the statement is given up, but all of the kernel, or operation, around it."""


class StaticNeeded(Exception):
    """A value has to be known before kernels run, and is not.

    ``loops`` are the loops over which it varies: unrolling one of them may help. ``what`` says what it was for,
    or ``finding`` all that there is to say where nothing helps.
    """

    def __init__(self, loops: frozenset[int], what: str = "", finding: Diagnostic | None = None) -> None:
        super().__init__(what)
        self.loops = loops
        self.what = what
        self.finding = finding
        # Where it was needed; None: at the place that is being evaluated.
        self.span: Span | None = None


class Poisoned(Exception):
    """A value is needed whose computation has been reported already: nothing more is to be said."""
