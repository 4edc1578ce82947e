"""Random programs on the emulated chip give what the reference gives, within the composed tolerance of ``errors.py``.

``scripts/differential.py --programs 300`` runs more of them. What is not compiled is refused by a code that says why.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from differential.three_ways import check
from support.random_programs.language.emit import device_text
from support.random_programs.language.generate import generate
from support.shares import share

# Padding that would enter a result, rows that do not begin where a transfer can, arithmetic the chip has not got.
REFUSALS = frozenset({"TTL1406", "TTL1411", "TTL1412", "TTL1450"})
SEEDS = range(48)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("seed", share(SEEDS, 16))
def test_a_random_program_gives_the_reference_on_the_emulated_chip(seed: int, tmp_path: Path) -> None:
    failure = check(generate(seed), tmp_path)
    if failure is None or failure.kind.removeprefix("refused ") in REFUSALS:
        return
    raise AssertionError(f"{failure.kind}\n{failure.text}\n{device_text(generate(seed))}")


# What once went wrong, by the number of the program.
@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(65, id="store into a block that was waited for"),
        pytest.param(127, id="narrow integers are cut off where they are stored"),
        pytest.param(342, id="block float within an expression"),
        pytest.param(159, id="a block that is overwritten and never read"),
        pytest.param(377, id="what is added to a narrow integer is not converted"),
        pytest.param(20008, id="where of integers of different widths"),
        pytest.param(20191, id="a comparison of what is no number with itself"),
        pytest.param(206, id="padding of one factor is not kept out by other padding of the other"),
        pytest.param(20105, id="a value that may be anything in a group of a block float"),
        pytest.param(222, id="a remainder magnifies what its divisor is off by"),
    ],
)
def test_what_once_failed(seed: int, tmp_path: Path) -> None:
    failure = check(generate(seed), tmp_path)
    assert failure is None, f"{failure.kind}\n{failure.text}"
