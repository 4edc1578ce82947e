"""A fix renames what is misspelt, and nothing that is another function or variable."""

from __future__ import annotations

import pytest

import ttl
from ttl.diag.spelling import meant

MATH = [name for name in dir(ttl.math) if not name.startswith("_")]


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("sigmoit", MATH, "sigmoid"),
        ("reduce_summ", MATH, "reduce_sum"),
        ("redcue_max", MATH, "reduce_max"),
        ("ReduceSum", MATH, "reduce_sum"),
        ("from_troch", ["from_torch", "to_torch"], "from_torch"),
        ("x_bkl", ["x_blk", "y_blk"], "x_blk"),
        ("reduce_mean", MATH, None),
        ("reduce_min", MATH, None),
        ("log2", MATH, None),
        ("log10", MATH, None),
        ("relu6", MATH, None),
        ("atan2", MATH, None),
        ("sinc", MATH, None),
        ("cot", MATH, None),
        ("geglu", MATH, None),
        ("z_blk", ["y_blk"], None),
        ("acc", ["add"], None),
        ("rows", ["row", "cols"], "row"),
        ("blkx", ["blka", "blkb"], None),
    ],
)
def test_what_is_a_slip(name: str, known: list[str], expected: str | None) -> None:
    assert meant(name, known) == expected
