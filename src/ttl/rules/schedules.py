"""Schedules of operations: those that cannot be read, and steps that cannot be applied to a program."""

from __future__ import annotations

from collections.abc import Sequence

from ttl.diag import Diagnostic, error

_UNREADABLE, _NOT_APPLIED, _ILLEGAL = "TTL1462", "TTL1463", "TTL1464"


def wrong_schedule(why: str) -> Diagnostic:
    """The error for a schedule, in Python or as text, that is not valid (TTL1462)."""
    return error(
        _UNREADABLE,
        f"no schedule: {why}",
        help='write operation.schedule().prefetch("a_dfb", 2), with names of buffers and loops of the operation',
    )


def unreadable(name: str, why: str) -> Diagnostic:
    """The error for a file with a schedule that cannot be read (TTL1462)."""
    return error(
        _UNREADABLE,
        f"the schedule {name} cannot be used: {why}",
        help="'ttl compile --print-schedule' prints the compiler's own schedule as a starting point",
    )


def not_applied(why: str, help: str | tuple[str, ...]) -> Diagnostic:
    """The error for a step that cannot be applied to a program, where another step may be tried (TTL1463)."""
    return error(_NOT_APPLIED, f"the schedule cannot be applied: {why}", help=help)


def failed(why: str, notes: Sequence[str], *, silenceable: bool, is_illegal: bool) -> Diagnostic:
    """The error for a step that fails (TTL1463), or whose preconditions do not hold at its place (TTL1464)."""
    kind = "cannot be applied" if silenceable else "is refused"
    otherwise = (
        "move the step to a place where its conditions hold; 'ttl compile --print-schedule' prints a legal order"
        if is_illegal
        else "or use transform.alternatives for the case that it fails"
    )
    return error(
        _ILLEGAL if is_illegal else _NOT_APPLIED,
        f"the schedule {kind}: {why}",
        notes=tuple(notes),
        help=f"take the step out, or {otherwise}",
    )


def unfinished(operation: str) -> Diagnostic:
    """The error for a schedule that ends before the operation is lowered to kernels (TTL1464)."""
    return error(
        _ILLEGAL,
        f"the schedule of operation {operation} ends before the operation is lowered to kernels",
        help='end it with transform.apply_registered_pass "ttl-lower-to-ttkernel", which runs the remaining passes of the compiler',
    )


def other_chip(chip: str, operation: str, wanted: str) -> Diagnostic:
    """The error for a schedule of one chip if the operation is compiled for another chip (TTL1464)."""
    return error(
        _ILLEGAL,
        f"the schedule is for the chip {chip}, and operation {operation} is compiled for {wanted}",
        help=f"write chip={wanted} in the options of ttl-target, or compile for {chip}",
    )
