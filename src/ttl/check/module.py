"""All analyses over all operations of a module, in the order in which they run.

Of equal findings, that of the first analysis is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects.builtin import ModuleOp

from ttl.analysis.dominance import inside, outermost, unchanged
from ttl.analysis.network import not_possible
from ttl.arch import chip_named
from ttl.check import (
    bounds,
    deadlock,
    ends,
    hardware,
    implicit,
    integers,
    kinds,
    links,
    padding,
    pipes,
    publishing,
    races,
    resets,
    resources,
    states,
    transfers,
    unused,
)
from ttl.check.context import CheckContext
from ttl.check.deadlock import unfollowed
from ttl.check.watching import WATCHER
from ttl.diag.families import Family, Subject
from ttl.diag.internal import internal_error
from ttl.diag.model import Diagnostic, Severity
from ttl.dialects import ttl as dialect
from ttl.dialects.distributed import DISTRIBUTED
from ttl.dialects.structure import InBody, InKernel
from ttl.ir.failure import placed
from ttl.ir.locations import span_of
from ttl.passes.infer_sync import with_sync
from ttl.rules.launches import outside
from ttl.session import go_on
from ttl.session.switches import system_of
from ttl.settings import Settings, current, current_chip
from ttl.source.depth import room
from ttl.source.spans import Span


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Return findings TTL1414, TTL1415, TTL1417 and TTL1420 of an operation on one device."""
    if prod(context.grid[:-2]) != 1:
        return []
    return [
        replace(placed(finding, op), severity=Severity.WARNING)
        for op, finding in not_possible(operation, context.grid)
    ]


@dataclass(frozen=True, slots=True)
class ModuleCheck:
    """A check of an operation."""

    name: str
    check: Callable[[dialect.OperationOp, CheckContext], list[Diagnostic]]
    doc: str


INTEGERS = ModuleCheck("integers", integers.check, "integers that 64 bits do not hold")
"""Runs first. If it has findings, the other checks do not run: they compute in 64 bits."""
ANALYSES: tuple[ModuleCheck, ...] = (
    INTEGERS,
    ModuleCheck(
        "producers", deadlock.check_producers, "one producer and one consumer kernel per buffer and node"
    ),
    ModuleCheck("deadlock", deadlock.check, "kernels that wait forever, and what is left when they end"),
    ModuleCheck(
        "balance", deadlock.check_balance, "blocks pushed and waited for, where shapes are not given"
    ),
    ModuleCheck("kinds", kinds.check, "what each kind of kernel may do"),
    ModuleCheck(
        "ends", ends.check, "types of what is stored and copied, and of what it is stored and copied to"
    ),
    ModuleCheck("resources", resources.check, "L1, dataflow buffers and semaphores of a node"),
    ModuleCheck("states", states.check, "states of blocks on every path"),
    ModuleCheck("transfers", transfers.check, "copies: begun, waited for, at both ends"),
    ModuleCheck("implicit", implicit.check, "pushes, pops and waits that are left to the language"),
    ModuleCheck("unused", unused.check, "values that are not stored, blocks that are not read"),
    ModuleCheck("padding", padding.check, "padding that meets data"),
    ModuleCheck("bounds", bounds.check_slices, "slices of tensors, on every node and in every iteration"),
    ModuleCheck("views", bounds.check_views, "sub-views of blocks, on every node and in every iteration"),
    ModuleCheck(
        "lookups", bounds.check_lookups, "indices of lists of integers, on every node and in every iteration"
    ),
    ModuleCheck(
        "elements", bounds.check_elements, "elements of blocks, on every node and in every iteration"
    ),
    ModuleCheck(
        "sizes", bounds.check_sizes, "slices of a size that varies, and the blocks they are copied with"
    ),
    ModuleCheck("publishing", publishing.check, "buffers in the memory of tensors"),
    ModuleCheck("resets", resets.check, "buffers that are not empty where they are reset"),
    ModuleCheck("races", races.check, "parts of tensors that two kernels touch without an order"),
    ModuleCheck("pipes", pipes.check, "ends of pipes, and what is sent and received"),
    ModuleCheck("remote", bounds.check_remote, "semaphores of other nodes: which nodes"),
    ModuleCheck("links", links.check, "pipes between chips that no link joins"),
    ModuleCheck("hardware", hardware.check, "limits of the chip that the simulator does not need"),
    ModuleCheck("compiler", check, "what the network of a chip cannot do, so that it is not compiled"),
)


# --- running them ----------------------------------------------------------------------------------------------


def check_module(
    module: ModuleOp,
    *,
    settings: Settings | None = None,
    strict: bool = False,
    not_checked: list[str] | None = None,
) -> list[Diagnostic]:
    """Return the findings about the operations of a module, in the order of their places. Never raises.

    ``settings`` says which chip is meant; the default is the current ones. With ``strict``, each push, pop and wait
    that the language infers is a finding, too. The module is not changed. One mistake is reported once, the certain
    finding before the possible one; an exception in one analysis becomes a note, and the others still run.
    ``not_checked`` gets the parts that could not be checked, and why.
    """
    if module.body.block.first_op is None:
        return []
    with room():
        findings = [
            outside(op.name).at(span_of(op))
            for part in module.body.block.ops
            if not isinstance(part, dialect.OperationOp)
            for op in part.walk()
            if op.get_trait(InKernel) or op.get_trait(InBody)
        ]
        for operation in outermost(module, dialect.OperationOp):
            of_it, not_followed = check_operation(operation, settings=settings, strict=strict)
            findings.extend(of_it)
            if not_checked is not None:
                not_checked.extend(not_followed)
        return without_overlaps(findings)


def check_operation(
    operation: dialect.OperationOp, *, settings: Settings | None = None, strict: bool = False
) -> tuple[list[Diagnostic], list[str]]:
    """Return the findings about one operation, and the parts that could not be checked. As ``check_module`` otherwise.

    Findings of several operations go through ``without_overlaps`` together.
    """
    asked = settings or current()
    chosen = current_chip(asked) if settings is None else chip_named(asked.arch)
    watcher = WATCHER.get()
    if not frozenset(DISTRIBUTED).isdisjoint(map(type, inside(operation))):
        from ttl.passes.distribute import lowered  # an import that few programs need

        operation = lowered(operation)
    whole = with_sync(operation)
    if watcher is not None:
        watcher.inferred(whole)
    system = system_of(asked)
    context = CheckContext(
        chip=chosen, strict=strict, grid=whole.grid.extents, system=system, watcher=watcher
    )
    with unchanged():
        findings = _all_of(whole, context)
    if any(finding.severity is Severity.ERROR for finding in findings):
        # Leftovers do not matter if the operation cannot end.
        return [finding for finding in findings if finding.subject is not Subject.END], []
    return findings, list(_not_followed(whole, context))


def _not_followed(operation: dialect.OperationOp, context: CheckContext) -> Iterator[str]:
    try:
        why = unfollowed(operation, context)
    except Exception:  # raised by the analysis that runs the kernels, and a finding already
        return
    if why is not None:
        yield why


def _all_of(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    findings: list[Diagnostic] = []
    for analysis in ANALYSES:
        go_on()
        try:
            of_it = analysis.check(operation, context)
            findings.extend(of_it)
            if of_it and analysis is INTEGERS:
                break
        except Exception as mistake:
            told = replace(internal_error(mistake).diagnostic, severity=Severity.NOTE)
            findings.append(told.noting(f"in the analysis {analysis.name}, which says nothing then"))
    return findings


# --- one mistake, one finding ----------------------------------------------------------------------------------


def without_overlaps(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the findings without those that repeat another one, sorted by place.

    Of the findings with one code at one place, the first error stays, or else the first warning.
    """
    kept: dict[object, Diagnostic] = {}
    for finding in sorted(findings, key=lambda item: item.severity is not Severity.ERROR):
        place = finding.primary.span if finding.primary is not None else None
        kept.setdefault((finding.code, place, finding.message if place is None else ""), finding)
    deadlocks = [item for item in kept.values() if _stops(item)]
    told = [item for item in kept.values() if not any(_repeats(item, other) for other in deadlocks)]
    return sorted(told, key=_place_of)


def _stops(finding: Diagnostic) -> bool:
    """Whether a finding is a deadlock that was played to its end."""
    return finding.family is Family.DEADLOCKS and finding.severity is Severity.ERROR and bool(finding.notes)


def _repeats(finding: Diagnostic, deadlock: Diagnostic) -> bool:
    if finding is deadlock:
        return False
    if finding.subject is Subject.MESSAGES:
        # Found without playing: it repeats a deadlock that was played to its end.
        return not _stops(finding)
    if deadlock.subject is None or finding.subject is not deadlock.subject or deadlock.primary is None:
        return False
    # The deadlock names a wrong or missing call; this finding describes the states of the same block.
    return not _spans(finding).isdisjoint({deadlock.primary.span, *deadlock.about})


def _spans(finding: Diagnostic) -> set[Span]:
    labels = (*((finding.primary,) if finding.primary is not None else ()), *finding.secondary)
    return {label.span for label in labels}


def _place_of(finding: Diagnostic) -> tuple[str, int, int, str]:
    if finding.primary is None:
        return ("", 0, 0, finding.code)
    span = finding.primary.span
    return (span.file, span.line, span.column, finding.code)
