"""Every example leaves the same in its tensors under every execution."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from support.child import Child
from support.example_runs import Calls, run_example, same
from support.executions import narrower, needs_native

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(path for path in EXAMPLES.glob("*.py") if path.name != "checking.py")
# Distance of results from each other, relative to the largest: of the sum of few roundings to bfloat16 where an
# intermediate result falls to the other side, of float32 arithmetic otherwise.
CLOSE = {"uint16": 0.02, "float32": 1e-4, "float16": 5e-3}

TIME = re.compile(r"[\d.]+ m?s\b")

pytestmark = [needs_native, pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)]


def close(found: Calls, expected: Calls) -> None:
    """Assert that two runs left nearly the same; integers are equal."""
    assert len(found) == len(expected)
    for arrays, wanted in zip(found, expected, strict=True):
        for array, other in zip(arrays, wanted, strict=True):
            tolerance = CLOSE.get(str(array.dtype))
            if tolerance is None or np.array_equal(array, other):
                np.testing.assert_array_equal(array, other)
                continue
            values, reference = _floats(array), _floats(other)
            largest = float(np.abs(reference[np.isfinite(reference)]).max(initial=0))
            np.testing.assert_allclose(values, reference, rtol=tolerance, atol=tolerance * largest)


def _floats(array: np.ndarray) -> np.ndarray:
    """Stored elements as numbers: bfloat16 is stored as its bits."""
    if array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


@pytest.mark.one_of(3)
def test_numpy_and_narrower_instruction_sets_compute_nearly_the_same(program: Path) -> None:
    plain, *_ = run_example(str(program), {})
    numpy, *_ = run_example(str(program), {"executor": "numpy"})
    close(plain, numpy)
    for isa in narrower():
        found, *_ = run_example(str(program), {"isa": isa})
        close(found, plain)


@pytest.mark.one_of(3)
def test_the_number_of_threads_changes_nothing(program: Path) -> None:
    single, *_ = run_example(str(program), {"threads": 1})
    for threads in (0, 2, 3):
        found, *_ = run_example(str(program), {"threads": threads})
        same(found, single)


@pytest.mark.one_of(3)
def test_replay_changes_nothing(program: Path) -> None:
    plain, *_ = run_example(str(program), {})
    replayed, *_ = run_example(str(program), {"replay": "on"}, thrice=True)
    same(replayed, plain)


@pytest.mark.one_of(3)
def test_the_python_core_gives_the_same_and_says_the_same(program: Path, python_core: Child) -> None:
    overrides = {"executor": "numpy", "stats": True}
    calls, printed, said = run_example(str(program), overrides)
    others, also_printed, also_said = python_core.call(
        "support.example_runs:run_example", str(program), overrides
    )
    same(calls, others)
    assert TIME.sub("", printed) == TIME.sub("", also_printed)
    assert said == also_said
