"""What a walk finds: certain where every path fails that gets there, else possible, with what tells the paths apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation

from ttl.check.flow.facts import Facts, Key, describe, difference
from ttl.diag.model import Diagnostic, Severity
from ttl.ir.locations import span_of


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong at an operation. ``certain``: whenever the operation is reached."""

    op: Operation
    diagnostic: Diagnostic
    certain: bool


def note(
    findings: dict[tuple[str, Operation], Finding],
    op: Operation,
    failed: Sequence[tuple[Facts, Diagnostic]],
    others: Sequence[Facts],
    places: dict[Key, Operation],
    again: Sequence[Operation],
) -> None:
    """Note what is wrong with ``op`` on some paths and not on ``others``, unless as much is known already.

    ``again``: loops that may not come to this turn at all.
    """
    for code in {found.code for _, found in failed}:
        same = [(facts, found) for facts, found in failed if found.code == code]
        fine = [*others, *(facts for facts, found in failed if found.code != code)]
        found = same[0][1]
        certain = not fine and not again
        known = findings.get((code, op))
        if known is not None and (known.certain or not certain):
            continue
        if not certain:
            said = describe(difference([facts for facts, _ in same], fine), places) if fine else ""
            told = [said] if said else []
            told += [_again(loop) for loop in again]
            found = replace(found, severity=Severity.WARNING).noting(*told)
        findings[code, op] = Finding(op, found, certain)


def _again(loop: Operation) -> str:
    span = span_of(loop)
    return (
        "when the loop runs more than once"
        if span is None
        else f"when the loop at line {span.line} runs more than once"
    )
