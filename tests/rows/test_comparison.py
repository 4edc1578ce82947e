"""Every comparison of results, on every pair of special values: what is not the same and not near is told apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from support.random_programs.language.compare import _close
from ttl.emu.tolerance import differing, largest_of
from ttl.rows.comparison import equal, finite_alike, same, within
from ttl.rows.dtypes import BFLOAT4_B, BFLOAT8_B, BFLOAT16, FLOAT16, FLOAT32, INT32, Array
from ttl.score.comparing import accuracy_of
from ttl.tuner.trial import _distance
from ttl.utils import correctness
from ttrt.common.golden import correlation

SOURCES = Path(__file__).parents[2] / "src"
TINY, LARGEST = np.finfo(np.float32).tiny, np.finfo(np.float32).max
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, TINY / 8, -TINY / 8, TINY, LARGEST, -LARGEST, np.inf, -np.inf, np.nan, -np.nan],
    np.float32,
)
PAIRS = [(one, other) for one in SPECIAL for other in SPECIAL]
LEFT, RIGHT = (np.array(side, np.float32) for side in zip(*PAIRS, strict=True))
# Where one of a pair is no finite number and the other is not the same.
APART = (~np.isfinite(LEFT) | ~np.isfinite(RIGHT)) & ~np.isclose(LEFT, RIGHT, rtol=0, atol=0, equal_nan=True)
ALIKE = np.isclose(LEFT, RIGHT, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("relative", [0.0, 0.01, 3.0])
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("absolute", [0.0, 1e-30, 2.0])
def test_near_is_what_numpy_says(relative: float, absolute: float) -> None:
    with np.errstate(all="ignore"):
        judge = np.isclose(
            LEFT.astype(np.float64), RIGHT.astype(np.float64), rtol=relative, atol=absolute, equal_nan=True
        )
    assert np.array_equal(within(LEFT, RIGHT, relative, absolute), judge)
    assert np.array_equal(same(LEFT, RIGHT), ALIKE)


def test_whole_arrays() -> None:
    assert equal(SPECIAL, SPECIAL.copy()) and finite_alike(SPECIAL, SPECIAL.copy())
    assert not equal(SPECIAL, SPECIAL[:-1]) and not equal(SPECIAL[:1], SPECIAL[:0])
    assert not equal(np.arange(3), np.array([0, 1, 3])) and equal(np.arange(3), np.arange(3))


DIFFER: dict[str, Callable[[Array, Array], bool]] = {
    **{
        f"compare, advice and score trials, {dtype}": (
            lambda one, other, dtype=dtype: bool(differing(one, other, dtype, largest_of(other), 0.5).any())
        )
        for dtype in (FLOAT32, FLOAT16, BFLOAT16, BFLOAT8_B, BFLOAT4_B)
    },
    "score": lambda one, other: (
        not finite_alike(one, other) or not accuracy_of("", "float32", one, other).right
    ),
    "tune": lambda one, other: not np.isfinite(_distance(one, other).worst),
    "ULP": lambda one, other: not np.isfinite(correctness.ulp_error(other, one)),
    "difference": lambda one, other: not correctness.comp_allclose(other, one, 4.0, 4.0)[0],
    "equality": lambda one, other: not correctness.assert_equal(other, one)[0],
    "golden": lambda one, other: correlation(other.astype(np.float64), one.astype(np.float64)) != 1,
    "random programs": lambda one, other: not _close(one, other, "float32", np.isfinite(other)).all(),
}


@pytest.mark.parametrize("which", sorted(DIFFER))
def test_what_is_infinite_or_no_number_is_never_near(which: str) -> None:
    for one, other, apart, alike in zip(LEFT, RIGHT, APART, ALIKE, strict=True):
        # Beside an ordinary number, which is the same in both.
        try:
            told = DIFFER[which](np.array([one, 2.0], np.float32), np.array([other, 2.0], np.float32))
        except AssertionError:
            told = True
        assert told or not apart, (which, one, other)
        assert not told or not alike, (which, one, other)


def test_integers_differ_by_one() -> None:
    assert differing(np.array([1 << 30]), np.array([(1 << 30) + 1]), INT32, 1e30, 1.0).all()


# TT-NN's own functions of these names; programs that are written for somebody else's machine.
_OWN = (
    "src/ttl/host/",
    "src/ttmlir/standalone/script_frame.py",
    "src/ttrt/common/run.py",
    "src/ttl/cli/score_witness.py",
)
_COMPARES = re.compile(
    r"\ballclose\(|\bisclose\(|equal_nan|\(\w+ != \w+\) & \(\w+ != \w+\)|isnan\(\w+\) & np\.isnan"
)


def test_nothing_else_compares() -> None:
    files = {path: path.relative_to(SOURCES.parent).as_posix() for path in SOURCES.rglob("*.py")}
    others = [
        name
        for path, name in files.items()
        if not name.startswith(_OWN)
        and any(
            _COMPARES.search(line) and "def " not in line and '"' not in line
            for line in path.read_text(encoding="utf-8").splitlines()
        )
    ]
    assert others == []
