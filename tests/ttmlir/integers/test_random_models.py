"""Random models over integer and mixed types mean what JAX and PyTorch say, or are refused."""

from __future__ import annotations

from typing import Any

import pytest

from support.judged_integers import judged
from support.shares import share

# Models of one test, and tests of one framework: 5,000 models together, of which 100 are in ``make test``.
_MODELS = 50
_TESTS = 50


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
