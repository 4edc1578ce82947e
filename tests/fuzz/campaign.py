"""Many cases from one number: the same number, the same cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from fuzz.calls import abuse
from fuzz.case import Case, seeds
from fuzz.judge import Verdict, judge
from fuzz.mutate import mutated

_SETTINGS = (
    {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {"sanitize": True}, {"strict": True}, {"schedule_seed": 3}, {"schedules": 2}, {"precision": "dst16"}, {"precision": "fp32"},
    {"arch": "blackhole"}, {"grid": (3, 2)}, {"stats": True}, {"format": "text"},
)  # fmt: skip


@dataclass(slots=True)
class Result:
    """What a campaign found. ``findings``: the first case of each kind, in the order found."""

    cases: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: dict[str, tuple[Case, Verdict]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


def case(seed: int, index: int, programs: list[Case]) -> Case:
    """Case number ``index`` of campaign ``seed``."""
    random = Random(f"{seed}/{index}")
    settings = dict(random.choice(_SETTINGS))
    while True:
        if random.random() < 0.4:
            return Case(f"call_{seed}_{index}", abuse(random), settings)
        program = random.choice(programs)
        source = mutated(program.source, random)
        if source is not None:
            return Case(f"{program.name}_{seed}_{index}", source, settings)


def cases(count: int, seed: int, programs: list[Case] | None = None, start: int = 0) -> Iterator[Case]:
    """Cases ``start`` to ``start + count`` of a campaign."""
    chosen = seeds() if programs is None else programs
    for index in range(start, start + count):
        yield case(seed, index, chosen)


def campaign(
    stream: Iterator[Case], *, pages: bool = True, watch: Callable[[Case, Verdict], None] | None = None
) -> Result:
    """Judge all cases."""
    result = Result()
    for each in stream:
        verdict = judge(each, pages=pages)
        result.cases += 1
        result.outcomes[verdict.outcome] += 1
        if verdict.finding is not None:
            result.counts[verdict.finding] += 1
            result.findings.setdefault(verdict.finding, (each, verdict))
        if watch is not None:
            watch(each, verdict)
    return result
