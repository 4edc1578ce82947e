"""Random programs of ordinary Python do in kernels what CPython does: none does something else, none never ends.

In ``make test`` a thousand of fixed seeds, a tenth of them on the emulated chip as well; in ``make test-all`` a hundred thousand, all on the
chip (``--programs``). The share that the reader takes is printed with ``-rP``, and that of every code with which it refuses the others.
"""

from __future__ import annotations

import pytest

from python_semantics.campaign import campaign, shrunk
from python_semantics.judge import Judgement, shares
from support.kernel_check import available

_SHARD = 250
_USUAL = 1000
_SHARE_ON_CHIP = 10
ACCEPTED = 0.85


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    programs = int(metafunc.config.getoption("--programs") or _USUAL)
    if "seeds" in metafunc.fixturenames:
        shards = [range(start, min(start + _SHARD, programs)) for start in range(0, programs, _SHARD)]
        metafunc.parametrize("seeds", shards, ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")


def test_no_program_does_something_else_than_in_cpython(seeds: range, pytestconfig: pytest.Config) -> None:
    share = 1 if pytestconfig.getoption("--programs") else _SHARE_ON_CHIP
    judgements = list(campaign(seeds, share=share if available() else 0))
    print(shares(judgements))
    assert not any(each.verdict == "not a program" for each in judgements)
    wrong = [each for each in judgements if each.is_wrong]
    assert wrong == [], "".join(f"\n{shrunk(each)}" for each in wrong[:3])
    assert _accepted(judgements) >= ACCEPTED


def _accepted(judgements: list[Judgement]) -> float:
    return sum(each.verdict == "right" for each in judgements) / len(judgements)
