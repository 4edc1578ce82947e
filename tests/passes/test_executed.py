"""Random compute kernels compute, call by call on circular buffers and registers, what their expressions say."""

from __future__ import annotations

import pytest

from passes.executed import check
from support.random_programs.kernels import make
from support.shares import share
from ttl.ir.failure import NotLowered

# Cases of one test; more with ``python tests/passes/executed.py FIRST LAST``.
_CASES = 24
# What a random kernel may ask for and not get: as many circular buffers, or as much memory, as it takes.
_REFUSED = {"TTL0801", "TTL0802", "TTL1430"}


@pytest.mark.parametrize("first", share(range(0, 192, _CASES), 1))
def test_random_kernels_compute_what_they_say(first: int) -> None:
    refused = 0
    for seed in range(first, first + _CASES):
        try:
            check(make(seed))
        except NotLowered as refusal:
            assert {each.code for each in refusal.diagnostics} <= _REFUSED
            refused += 1
        except AssertionError as problem:
            raise AssertionError(f"seed {seed}: {problem}") from problem
    assert refused <= 2
