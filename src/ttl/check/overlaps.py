"""One mistake, one finding: what several analyses say about the same thing."""

from __future__ import annotations

from collections.abc import Sequence

from ttl.diag.model import Diagnostic, Severity
from ttl.rules.labels import WRITTEN_NOT_PUSHED, release_left_out
from ttl.source.spans import Span

# What is found about a pipe without playing: less than a deadlock that was played to its end.
_OF_PIPES = frozenset({"TTL0903", "TTL0918", "TTL0919"})
# A deadlock that names a wrong or missing call, and what the states of the same block say about it.
_SAME_MISTAKE = {
    "TTL0912": frozenset({"TTL0304", "TTL0316"}),
    "TTL0915": frozenset({"TTL0317", "TTL0318", "TTL0322", "TTL0329", "TTL0901", "TTL0902"}),
}
_OF_THE_BLOCK = frozenset({release_left_out("reserve"), release_left_out("wait"), WRITTEN_NOT_PUSHED})
_DEADLOCK = ("TTL091", "TTL092")


def without_overlaps(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings without those that repeat another, sorted by place.

    Of one code at one place the first error stays, or else the first warning.
    """
    kept: dict[object, Diagnostic] = {}
    for each in sorted(found, key=lambda each: each.severity is not Severity.ERROR):
        place = each.primary.span if each.primary is not None else None
        kept.setdefault((each.code, place, each.message if place is None else ""), each)
    deadlocks = [each for each in kept.values() if _stops(each)]
    told = [each for each in kept.values() if not any(_repeats(each, other) for other in deadlocks)]
    return sorted(told, key=_place)


def _stops(found: Diagnostic) -> bool:
    """Whether it is a deadlock that was played to its end."""
    return found.code.startswith(_DEADLOCK) and found.severity is Severity.ERROR and bool(found.notes)


def _repeats(found: Diagnostic, deadlock: Diagnostic) -> bool:
    if found is deadlock:
        return False
    if found.code in _OF_PIPES:
        return not _stops(found)
    same = _SAME_MISTAKE.get(deadlock.code, frozenset())
    if found.code not in same or deadlock.primary is None:
        return False
    # The block that the deadlock is about; its other labels are of kernels that wait elsewhere.
    about = {label.span for label in deadlock.secondary if label.text in _OF_THE_BLOCK}
    return not _spans(found).isdisjoint(about | {deadlock.primary.span})


def _spans(found: Diagnostic) -> set[Span]:
    labels = (*((found.primary,) if found.primary is not None else ()), *found.secondary)
    return {label.span for label in labels}


def _place(found: Diagnostic) -> tuple[str, int, int, str]:
    if found.primary is None:
        return ("", 0, 0, found.code)
    span = found.primary.span
    return (span.file, span.line, span.column, found.code)
