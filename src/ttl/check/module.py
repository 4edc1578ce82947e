"""All analyses over all operations of a module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from ttl.arch import chip_named
from ttl.check.analyses import ANALYSES
from ttl.check.context import Context
from ttl.check.overlaps import without_overlaps
from ttl.check.unfollowed import unfollowed
from ttl.diag.internal import internal_error
from ttl.diag.model import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.passes.infer_sync import infer_sync
from ttl.settings import Settings, current_chip

# What is left, or lost, when an operation ends: of no interest where it cannot.
_LEFT_WHEN_IT_ENDS = frozenset({"TTL0904", "TTL0905", "TTL0906"})


def check_module(
    module: ModuleOp,
    *,
    settings: Settings | None = None,
    strict: bool = False,
    not_checked: list[str] | None = None,
) -> list[Diagnostic]:
    """What is wrong, or may be, with the operations of a module, in the order of their places. Never raises.

    ``settings`` says which chip is meant; without it, the current ones. ``strict``: what the language infers (a push,
    a pop, a wait) is a finding, too. The module is not changed. One mistake is reported once, the certain finding
    before the possible one; a mistake of ours in an analysis is a note, and the others still run. ``not_checked`` gets
    what could not be looked at, and why.
    """
    chosen = current_chip() if settings is None else chip_named(settings.arch)
    found: list[Diagnostic] = []
    copied = module.clone()
    for operation in copied.walk():
        if isinstance(operation, dialect.OperationOp):
            infer_sync(operation)
            context = Context(chip=chosen, strict=strict, grid=operation.grid.extents)
            of_it = _check(operation, context)
            if any(each.severity is Severity.ERROR for each in of_it):
                of_it = [each for each in of_it if each.code not in _LEFT_WHEN_IT_ENDS]
            elif not_checked is not None:
                not_checked.extend(_unfollowed(operation, context))
            found.extend(of_it)
    return without_overlaps(found)


def _unfollowed(operation: dialect.OperationOp, context: Context) -> Iterator[str]:
    try:
        why = unfollowed(operation, context)
    except Exception:  # of the analysis that plays the kernels, which is a finding by now
        return
    if why is not None:
        yield why


def _check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for analysis in ANALYSES:
        try:
            found.extend(analysis.check(operation, context))
        except Exception as mistake:
            told = replace(internal_error(mistake).diagnostic, severity=Severity.NOTE)
            found.append(told.noting(f"in the analysis {analysis.name}, which says nothing then"))
    return found
