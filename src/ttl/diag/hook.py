"""An uncaught error of ours under plain ``python mine.py``: the report, not a traceback through our code."""

from __future__ import annotations

import sys
from types import TracebackType

from ttl.diag.errors import KernelInterrupted, TTLError


def ensure_installed() -> None:
    """Take over ``sys.excepthook``, unless someone else (a debugger, a notebook) has it already."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = show


def show(kind: type[BaseException], raised: BaseException, trace: TracebackType | None) -> None:
    """What ``sys.excepthook`` does: reports for what is ours, Python's own way for all else."""
    from ttl.diag import report

    if isinstance(raised, TTLError):
        report.show_error(raised)
        return
    if isinstance(raised, KernelInterrupted):
        report.write(raised.report)
        return
    sys.__excepthook__(kind, raised, trace)
