"""Random models over integer and mixed types mean what JAX and PyTorch say, or are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttmlir
from support.judged_integers import judged
from support.shares import share

# Models of one test, and tests of one framework: 6,750 models together, of which 45 are in ``make test``.
_MODELS = 15
_TESTS = 150


@pytest.mark.parametrize("block", share(range(_TESTS), 1))
@pytest.mark.parametrize("framework", ["jax", "jax64", "torch"])
def test_what_is_compiled_means_what_the_framework_says(framework: Any, block: int) -> None:
    pytest.importorskip(framework.removesuffix("64"))
    seeds = range(block * _MODELS, (block + 1) * _MODELS)
    # Short ones first: the others are slow for the bits of several steps.
    verdict = judged(framework, seeds, steps=9 if block else 2)
    print(f"{framework}: {verdict}")
    assert not verdict.wrong, "\n\n".join(verdict.wrong)
    assert verdict.accepted >= 0.8 * _MODELS, verdict


def test_seeds_where_a_whole_function_of_jax_is_not_its_operations_one_by_one() -> None:
    """XLA makes x * x of abs(x * x), which is below zero where the product wraps; JAX says so nowhere else."""
    jax = pytest.importorskip("jax")
    verdict = judged("jax", range(21198, 21199), steps=9)
    assert verdict.accepted == 1 and not verdict.wrong
    x = np.array([[23229, -26020]], np.int16)

    def square(x: Any) -> Any:
        return jax.numpy.abs(x * x)

    got = np.asarray(ttmlir.compile(square, x)(x))
    assert np.array_equal(got, np.asarray(square(jax.numpy.asarray(x))))
    assert np.array_equal(got, np.abs(x * x))
