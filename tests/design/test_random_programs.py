"""Random tile programs: their functions over arrays in float64, the simulator and the emulated chip agree.

Programs of whole numbers agree to the bit; of others, each element is as near as the formats allow (``tile_errors``).
Every one is designed twice alike, and nothing is said about it. The simulator has 50 in ``make test``; the emulated chip has
all 500 in ``make test-all``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.random_programs.tile_executions import wrong_among
from support.random_programs.tiles import generate
from support.shares import share

_EACH = 5


@pytest.mark.parametrize("first", range(0, 50, _EACH))
def test_the_simulator_gives_what_the_function_gives(first: int, tmp_path: Path) -> None:
    assert wrong_among(map(generate, range(first, first + _EACH)), tmp_path, emulated=False) == {}


@pytest.mark.parametrize("first", share(range(0, 500, _EACH), 2))
def test_every_execution_gives_what_the_function_gives(first: int, tmp_path: Path) -> None:
    assert wrong_among(map(generate, range(first, first + _EACH)), tmp_path, emulated=True) == {}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("seed", (501, 502, 503, 504))
def test_blackhole_gives_it_too(seed: int, tmp_path: Path) -> None:
    assert wrong_among([generate(seed)], tmp_path, emulated=True, arch="blackhole") == {}
