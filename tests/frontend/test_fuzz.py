"""No program, however broken, leads the front end or the checks astray (issue "One front end", "Figures").

What counts as astray is in fuzz_judge.py. The long run is ``scripts/fuzz_check.py``; here: what was found once stays
mended, and a few programs of fixed numbers have no finding.
"""

from __future__ import annotations

import sys
from collections import Counter

import pytest
import torch
import ttnn

import ttl
from frontend.fuzz_judge import case, judged
from frontend.fuzz_programs import EXAMPLES, kept, programs
from fuzz.case import Case

PROGRAMS, SEED = 75, 20261121
# Several times what the slowest takes on a quiet machine: a loop without an end is found, a busy machine is none.
SECONDS = 10.0


@pytest.fixture(autouse=True, scope="module")
def _as_the_examples_run(request: pytest.FixtureRequest) -> None:
    torch.set_num_threads(1)
    sys.path.append(str(EXAMPLES))
    request.addfinalizer(lambda: sys.path.remove(str(EXAMPLES)))


@pytest.mark.parametrize("found", kept(), ids=lambda found: found.name)
def test_what_was_found_stays_mended(found: Case) -> None:
    seen = judged(found, seconds=SECONDS)
    assert seen.finding is None, f"{seen.finding}\n{seen.text}"


def test_broken_programs_are_read_and_checked_properly() -> None:
    chosen = programs()
    codes: Counter[str] = Counter()
    calls = 0
    for index in range(PROGRAMS):
        program = case(SEED, index, chosen)
        seen = judged(program, seconds=SECONDS)
        assert seen.finding is None, f"{seen.finding}\n{program.text()}\n{seen.text}"
        codes.update(set(seen.codes))
        calls += seen.calls
    assert calls > PROGRAMS // 2, "most programs no longer call an operation"
    assert len(codes) > 25, "hardly anything is found wrong any more"


def wrong(source: str, *, compare: bool = False) -> str | None:
    return judged(Case("probe", source), compare=compare, seconds=SECONDS).finding


HEAD = "import ttl\nimport ttnn\nx = ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)\n"


def test_the_judge_finds_exceptions_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    program = HEAD + "@ttl.operation()\ndef op(x):\n    pass\nop(x)\n"
    assert wrong(program) is None

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("ttl.frontend.kernel.operation.OperationReader._operation", broken)
    assert wrong(program) == "file: ZeroDivisionError in frontend/kernel/operation.py OperationReader.read"


def test_the_judge_finds_analyses_that_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        HEAD
        + "@ttl.operation(grid=(1, 1))\ndef op(x):\n    @ttl.compute()\n    def compute():\n        pass\nop(x)\n"
    )
    assert wrong(program) is None
    monkeypatch.setattr("ttl.check.module.ANALYSES", (_Failing(),))
    assert (
        wrong(program)
        == "file: internal error: KeyError: 'x' in the analysis failing, which says nothing then"
    )


class _Failing:
    name = "failing"

    def check(self, *_: object) -> None:
        raise KeyError("x")


def test_programs_depend_on_their_numbers_only() -> None:
    chosen = programs()
    first = [case(SEED, index, chosen).source for index in range(12)]
    again = [case(SEED, index, chosen).source for index in range(12)]
    assert first == again
    assert len(set(first)) == 12
    assert case(SEED + 1, 0, chosen).source != first[0]


def test_programs_that_change_our_classes_leave_no_trace() -> None:
    before = dict(vars(ttnn.Tensor)), ttl.copy
    wrong(
        "import ttl, ttnn\nttl.copy = None\nttnn.Tensor.shape = 1\nttnn.Tensor.extra = 2\ndel ttnn.Tensor.__repr__\n"
    )
    assert (dict(vars(ttnn.Tensor)), ttl.copy) == before
