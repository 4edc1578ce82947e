"""Matrix multiplication with two-dimensional multicast over pipes: examples/matmul_multicast.py."""

from __future__ import annotations

import operator

from harness import Benchmark, Prepared
from programs.example import prepared


def prepare() -> Prepared:
    """512x512 by 512x512 on 8x8 nodes."""
    return prepared("matmul_multicast", "__matmul", ("a", "b", "y"), ("a", "b"), operator.matmul)


def benchmarks(*, quick: bool) -> list[Benchmark]:
    """As it is in the example."""
    return [
        Benchmark(
            name="matmul, multicast", parameters={"size": (512, 512, 512), "grid": (8, 8)}, prepare=prepare
        )
    ]
