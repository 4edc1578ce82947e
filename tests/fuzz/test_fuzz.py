"""No program, however broken, reaches an internal error: see tests/fuzz/judge.py.

The long run is ``make fuzz``. Here: the seeds are right, what was found once stays mended, and a few hundred
cases of a fixed number have no finding.
"""

from __future__ import annotations

import pytest
import torch

from fuzz.campaign import campaign, case, cases
from fuzz.case import Case, regressions, seeds
from fuzz.judge import judge
from fuzz.minimise import minimised

CASES, SEED = 300, 20261121


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.mark.parametrize("seed", seeds(), ids=lambda seed: seed.name)
def test_seeds_are_correct_programs(seed: Case) -> None:
    verdict = judge(seed)
    assert (verdict.outcome, verdict.finding) == ("ok", None), verdict.text


@pytest.mark.parametrize("kept", regressions(), ids=lambda kept: kept.name)
def test_what_was_found_stays_mended(kept: Case) -> None:
    verdict = judge(kept)
    assert verdict.finding is None, verdict.text
    assert verdict.outcome == kept.outcome, verdict.text


def test_broken_programs_are_refused_properly() -> None:
    found = campaign(cases(CASES, SEED))
    report = "\n\n".join(
        f"{kind}\n{each.text()}\n{verdict.text}" for kind, (each, verdict) in found.findings.items()
    )
    assert not found.findings, report
    refused = sum(count for outcome, count in found.outcomes.items() if outcome.startswith("TTL"))
    assert found.cases == CASES
    assert refused > CASES // 3, "most cases no longer reach our checks"


def test_cases_depend_on_their_numbers_only() -> None:
    first = [each.text() for each in cases(20, SEED)]
    again = [each.text() for each in cases(10, SEED, start=10)]
    assert first[10:] == again
    assert len(set(first)) == 20
    assert case(SEED + 1, 0, seeds()).text() != first[0]


def wrong(source: str) -> str | None:
    return judge(Case("probe", source)).finding


def test_the_judge_finds_exceptions_of_ours() -> None:
    assert (
        wrong("import ttl.source.spans as s\ns.span_of_site(3)\n")
        == "raised by us: TypeError in source/spans.py span_of_site"
    )
    assert wrong("from ttl.protocol.rings import Ring\nRing()\n") is None  # raised in the program itself


def test_the_judge_finds_hangs_of_ours_only() -> None:
    assert judge(Case("probe", "while True:\n    pass\n")).outcome == "endless"
    assert judge(Case("probe", "[x for x in iter(int, 1)]\n")).outcome == "endless"


def test_the_judge_finds_what_differs_between_runs() -> None:
    program = "import ttnn, time\nttnn.open_device(device_id=time.perf_counter_ns())\n"
    assert wrong(program) == "differs: TTL1011/TTL1011"


def test_the_judge_finds_what_is_left_changed() -> None:
    assert wrong("import builtins\nbuiltins.print = repr\n") == "left changed: print"


def test_minimising_keeps_the_finding_and_little_else() -> None:
    defect = "import ttl.source.spans as s\ns.span_of_site(3)\n"
    program = Case("probe", seeds()[0].source + defect)
    small = minimised(program, "raised by us: TypeError in source/spans.py span_of_site")
    assert small.source == defect
