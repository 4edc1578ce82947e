"""Tensors of the benchmarks, and how results are compared."""

from __future__ import annotations

from typing import Any

import torch
import ttl  # noqa: F401  (lets "import ttnn" find the host library)
import ttnn


def random(*shape: int, seed: int) -> torch.Tensor:
    """Normal values in bfloat16."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).bfloat16()


def tiled(tensor: torch.Tensor) -> Any:
    """The tensor in tiles, on no device: an operation runs on the chip of the settings."""
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


def blank(*shape: int) -> Any:
    """Zeros, in tiles."""
    return ttnn.zeros(shape, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


def check(result: Any, expected: torch.Tensor, *, relative: float = 2.0**-7) -> None:
    """Raise ``AssertionError`` unless the result is ``expected`` up to rounding, in the norm."""
    got = ttnn.to_torch(result).double()
    error = ((got - expected.double()).norm() / expected.double().norm()).item()
    if not error <= relative:
        raise AssertionError(f"wrong by {error:.1e}, allowed are {relative:.1e}")
