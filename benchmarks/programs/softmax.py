"""Softmax of rows: examples/softmax.py."""

from __future__ import annotations

from functools import partial

import torch

from harness import Benchmark, Prepared
from programs.example import prepared


def prepare() -> Prepared:
    """2048 rows of 1024, a row of tiles in a block."""
    return prepared("softmax", "__softmax", ("x", "y"), ("x",), partial(torch.softmax, dim=-1))


def benchmarks(*, quick: bool) -> list[Benchmark]:
    """As it is in the example."""
    return [Benchmark(name="softmax", parameters={"size": (2048, 1024), "grid": (8, 8)}, prepare=prepare)]
