"""Columns of a report: what is packed comes back, and what is damaged is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttl.report.pack import column, unpacked

NUMBERS = st.lists(st.integers(-(2**53), 2**53), max_size=80)


@given(NUMBERS)
def test_a_column_comes_back(numbers: list[int]) -> None:
    assert unpacked(column(np.array(numbers, np.int64))).tolist() == numbers


@pytest.mark.parametrize(
    ("numbers", "differs"), [(range(1000, 2000), 1), ([7, 900, 3, 1000] * 300, 0)], ids=["rising", "jumping"]
)
def test_what_is_shorter_is_taken(numbers: list[int], differs: int) -> None:
    packed = column(np.array(numbers))
    assert packed["d"] == differs
    assert unpacked(packed).tolist() == list(numbers)


def test_short_columns_are_lists() -> None:
    assert column(np.arange(16)) == {"i": list(range(16))}
    assert set(column(np.arange(17))) == {"z", "n", "d"}


@pytest.mark.parametrize(
    "broken",
    [
        {"z": "!!!!", "n": 20, "d": 0},
        {"z": "AAAA", "n": 20, "d": 0},
        {**column(np.arange(50)), "n": 49},
        {"n": 3},
    ],
)
def test_a_damaged_column_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises((ValueError, KeyError)):
        unpacked(broken)
