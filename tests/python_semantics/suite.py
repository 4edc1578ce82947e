"""The programs that kill mutants, by name: findings without a gap, one with everything, and some of seeds."""

from __future__ import annotations

from collections.abc import Iterator

from python_semantics.findings import findings
from support.random_programs.python.programs import Program
from support.random_programs.python.shrinking import generated

# The last ones have block mathematics.
SEEDS = (0, 1, 2, 3, 7, 13, 31, 49)


def suite() -> dict[str, Program]:
    """All of them, the short ones first."""
    return dict(_programs())


def _programs() -> Iterator[tuple[str, Program]]:
    for finding in findings():
        if finding.gap is None and not finding.may_be_refused:
            yield finding.name, finding.program
    for seed in SEEDS:
        yield f"seed {seed}", generated(seed, ("iterators", "containers"))
