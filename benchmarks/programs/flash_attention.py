"""Flash attention: examples/flash_attention.py."""

from __future__ import annotations

import torch

from harness import Benchmark, Prepared
from programs.example import prepared


def prepare() -> Prepared:
    """8 heads, 1024 queries and keys of 64."""
    attention = torch.nn.functional.scaled_dot_product_attention
    return prepared("flash_attention", "attention", ("q", "k", "v", "o"), ("q", "k", "v"), attention)


def benchmarks(*, quick: bool) -> list[Benchmark]:
    """As it is in the example."""
    return [
        Benchmark(name="flash attention", parameters={"size": (8, 1024, 64), "grid": (8, 8)}, prepare=prepare)
    ]
