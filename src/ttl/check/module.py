"""All analyses over all operations of a module."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from ttl import settings as all_settings
from ttl.arch import current_chip
from ttl.arch.table import chip
from ttl.check.analyses import ANALYSES
from ttl.check.context import Context
from ttl.diag.internal import internal_error
from ttl.diag.model import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.passes.infer_sync import infer_sync
from ttl.settings import Settings


def check_module(
    module: ModuleOp, *, settings: Settings | None = None, strict: bool = False
) -> list[Diagnostic]:
    """What is wrong, or may be, with the operations of a module, in the order of their places. Never raises.

    ``settings`` says which chip is meant; without it, the current ones. ``strict``: what the language infers (a push,
    a pop, a wait) is a finding, too. The module is not changed. One finding is reported once for a place, the
    certain one before the possible one; a mistake of ours in an analysis is a note, and the others still run.
    """
    chosen = current_chip() if settings is None else chip(settings.arch)
    found: list[Diagnostic] = []
    copied = module.clone()
    for operation in copied.walk():
        if isinstance(operation, dialect.OperationOp):
            infer_sync(operation)
            context = Context(chip=chosen, strict=strict, grid=operation.grid.extents)
            found.extend(_check(operation, context))
    return _sorted(found)


def _check(operation: dialect.OperationOp, context: Context) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for analysis in ANALYSES:
        try:
            found.extend(analysis.check(operation, context))
        except Exception as mistake:
            told = replace(internal_error(mistake).diagnostic, severity=Severity.NOTE)
            found.append(told.noting(f"in the analysis {analysis.name}, which says nothing then"))
    return found


def _sorted(found: list[Diagnostic]) -> list[Diagnostic]:
    """By place, each finding once: errors hide warnings of the same code at the same place."""
    kept: dict[object, Diagnostic] = {}
    for each in sorted(found, key=lambda each: each.severity is not Severity.ERROR):
        place = each.primary.span if each.primary is not None else None
        kept.setdefault((each.code, place, each.message if place is None else ""), each)
    return sorted(kept.values(), key=_place)


def _place(found: Diagnostic) -> tuple[str, int, int, str]:
    if found.primary is None:
        return ("", 0, 0, found.code)
    span = found.primary.span
    return (span.file, span.line, span.column, found.code)
