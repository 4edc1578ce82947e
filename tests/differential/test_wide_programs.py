"""Random programs of 32-bit elements on the emulated chip, with the kernels of both generations: bit for bit the simulator's.

A few with fixed numbers here; with ``--long`` as many as make 1,000.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.random_programs.wide_programs import generate, judge

_FEW = 12


@pytest.mark.one_of(3)
@pytest.mark.parametrize("seed", range(_FEW))
def test_a_random_program_of_32_bits(seed: int, tmp_path: Path) -> None:
    program = generate(seed)
    said = judge(program, tmp_path)
    assert said is None, f"{said}\n{program.dtype}, {program.side} tiles\n{program.body}"


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(10))
def test_a_thousand_random_programs_of_32_bits(hundred: int, tmp_path: Path) -> None:
    wrong = {}
    for seed in range(100 * hundred, 100 * (hundred + 1)):
        said = judge(generate(seed), tmp_path) if seed >= _FEW else None
        if said is not None:
            wrong[seed] = said
    assert wrong == {}
