"""Matrix multiplication of blocks that do not divide evenly over the grid: examples/matmul_ragged.py."""

from __future__ import annotations

import operator

from harness import Benchmark, Prepared
from programs.example import prepared


def prepare() -> Prepared:
    """As it is in the example."""
    return prepared("matmul_ragged", "__matmul", ("a", "b", "y"), ("a", "b"), operator.matmul)


def benchmarks(*, quick: bool) -> list[Benchmark]:
    """As it is in the example."""
    return [Benchmark(name="matmul, ragged edge", prepare=prepare)]
