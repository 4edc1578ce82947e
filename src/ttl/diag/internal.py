"""Defects of this package as findings: the exception, its place in the package's code, and how to report it."""

from __future__ import annotations

import sys
import traceback
from itertools import pairwise
from types import TracebackType

from ttl.diag import report
from ttl.diag.errors import InternalError, TTLError
from ttl.diag.model import Diagnostic, error
from ttl.source.files import display_name
from ttl.source.spans import Span, is_ours, span_of_site, user_span

# Findings, and exceptions caused by the user's machine or the depth of the user's own calls, wherever they are raised.
_NOT_OURS = (TTLError, ImportError, OSError, RecursionError, MemoryError)
# The code of every defect of this package.
CODE = "TTL9001"
_OUR_LIBRARIES = ("numpy", "greenlet", "torch")


def version() -> str:
    """Version of the running package; ``unknown`` if it is only half imported."""
    return str(getattr(sys.modules.get("ttl"), "__version__", "unknown"))


def internal_error(raised: BaseException, *, doing: str = "", at: Span | None = None) -> TTLError:
    """Return ``raised``, which this package should not have let through, as a TTL9001 at the user's line.

    ``doing`` names the part of the package that was running; ``at`` is the location in the user's program if the calls
    do not show it. An error of this package is returned unchanged. Use: ``raise internal_error(e) from e``.
    """
    if isinstance(raised, TTLError):
        return raised
    import platform

    entries = _entries(raised)
    ours = [entry for entry in entries if is_ours(entry.tb_frame.f_code)]
    where = "unknown"
    if ours:
        code = ours[-1].tb_frame.f_code
        where = f"{display_name(code.co_filename)}:{ours[-1].tb_lineno}, in {code.co_qualname}"
    said = traceback.format_exception_only(raised)[-1].strip()
    finding = error(
        CODE,
        f"internal error: {said}",
        notes=(
            "this is a defect of ttlang, not of your program",
            f"at {where}{doing and ': '}{doing}",
            f"ttlang {version()}, Python {platform.python_version()}, {platform.platform()}",
        ),
        help="please report it with this text and the program; with TTL_TRACEBACK=1 the whole traceback is shown",
    )
    if at is not None:
        return InternalError(finding.at(at, "while this was compiled"))
    return InternalError(finding.at(_users_place(entries), "while this was running"))


def findings_of(failure: TTLError) -> tuple[Diagnostic, ...]:
    """Return the findings of an error that ends only a part of a request.

    The traceback of an internal error is written to ``stderr`` if ``TTL_TRACEBACK`` asks for it.
    """
    if isinstance(failure, InternalError) and report.chosen().traceback:
        traceback.print_exception(failure)
    return failure.diagnostics


def _entries(raised: BaseException) -> list[TracebackType]:
    entries = []
    entry = raised.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    return entries


def _users_place(entries: list[TracebackType]) -> Span | None:
    """The innermost line of the user's code from which this package was called; None if there is no such line."""
    place = user_span()
    for caller, callee in pairwise(entries):
        if is_ours(callee.tb_frame.f_code) and not is_ours(caller.tb_frame.f_code):
            place = span_of_site((caller.tb_frame.f_code, caller.tb_lasti))
    return place


def is_internal(raised: BaseException) -> bool:
    """Whether this package, or a library that it called, raised the exception without intending it for the user."""
    if isinstance(raised, _NOT_OURS) or not isinstance(raised, Exception):
        return False
    entries = _entries(raised)
    if (
        isinstance(raised, AttributeError)
        and entries
        and entries[-1].tb_frame.f_code.co_name == "__getattr__"
    ):
        return False  # the intended result for an unknown name of this package
    for entry in reversed(entries):
        if is_ours(entry.tb_frame.f_code):
            return True
        if entry.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in _OUR_LIBRARIES:
            return False
    return False
