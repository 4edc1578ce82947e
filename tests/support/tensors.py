"""Tensors with known contents for tests of the language, and what is in them afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import ttnn

import ttl  # noqa: F401 - lets ``import ttnn`` find the host library

Values = npt.NDArray[np.float32]
TILE = 32


def numbers(*shape: int, seed: int = 0, low: int = -8, high: int = 8) -> Values:
    """Whole numbers that bfloat16 holds exactly; sums and products of a few of them are exact, too."""
    return np.random.default_rng(seed).integers(low, high, shape, endpoint=True).astype(np.float32)


def numbered_tiles(*tiles: int) -> Values:
    """Elements of a tensor of ``tiles`` whose every tile holds one number, counting from 1 in row-major order."""
    count = int(np.prod(tiles))
    small = np.arange(1, count + 1, dtype=np.float32).reshape(tiles)
    return np.repeat(np.repeat(small, TILE, axis=-2), TILE, axis=-1)


def tiled(values: Any, dtype: Any = ttnn.bfloat16, **options: Any) -> ttnn.Tensor:
    """A tiled tensor with these values."""
    return ttnn.from_numpy(np.asarray(values, np.float32), dtype, layout=ttnn.TILE_LAYOUT, **options)


def row_major(values: Any, dtype: Any = ttnn.bfloat16, **options: Any) -> ttnn.Tensor:
    """A row-major tensor with these values."""
    return ttnn.from_numpy(np.asarray(values, np.float32), dtype, layout=ttnn.ROW_MAJOR_LAYOUT, **options)


def blank(shape: Sequence[int], dtype: Any = ttnn.bfloat16, layout: Any = ttnn.TILE_LAYOUT) -> ttnn.Tensor:
    """An output tensor, filled with a number no test computes."""
    return ttnn.from_numpy(np.full(shape, -77, np.float32), dtype, layout=layout)


def values(tensor: ttnn.Tensor) -> Values:
    """What is in a tensor, as float32."""
    return np.asarray(ttnn.to_numpy(tensor), np.float32)


def bf16(array: Any) -> Values:
    """Values rounded to bfloat16, to nearest with ties to even; written here independently of the package."""
    bits = np.asarray(array, np.float32).view(np.uint32).astype(np.uint64)
    odd = (bits >> np.uint64(16)) & np.uint64(1)
    rounded = (bits + np.uint64(0x7FFF) + odd) & np.uint64(0xFFFF0000)
    return rounded.astype(np.uint32).view(np.float32)
