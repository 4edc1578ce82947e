"""What the twelve programs are called with, and what they compute, in NumPy and float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tile_programs import programs

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class TileCase:
    """One program with its arguments."""

    name: str
    inputs: tuple[Array, ...]
    output: tuple[int, ...]
    expected: Callable[..., Array]

    @property
    def program(self) -> Any:
        """The tile program."""
        return getattr(programs, self.name)


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def _layernorm(x: Array, gamma: Array, beta: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * gamma + beta


def _rmsnorm_matmul(x: Array, gamma: Array, w: Array) -> Array:
    return (x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gamma) @ w


def _attention(q: Array, k: Array, v: Array) -> Array:
    return _softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])) @ v


def _cross_entropy(x: Array, target: Array) -> Array:
    largest = x.max(-1, keepdims=True)
    return np.log(np.exp(x - largest).sum(-1, keepdims=True)) + largest - (x * target).sum(-1, keepdims=True)


def _gelu(x: Array) -> Array:
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def _convolution(left: Array, centre: Array, right: Array, w: Array) -> Array:
    rows = left.shape[0] - 2
    sides = enumerate((left, centre, right))
    return sum(side[down : down + rows] @ w[3 * down + at] for at, side in list(sides) for down in range(3))


def cases(m: int, k: int, n: int, seed: int = 0) -> list[TileCase]:
    """All twelve, for matrices of ``m`` by ``k`` and ``k`` by ``n`` elements or what is like them."""
    generator = np.random.default_rng(seed)

    def normal(*shape: int) -> Array:
        return generator.standard_normal(shape)

    a, b, x = normal(m, k), normal(k, n), normal(m, n)
    hot = np.eye(n)[generator.integers(n, size=m)]
    pixels = [normal(6, m, k) for _ in range(3)]
    return [
        TileCase("chain", (x, normal(m, n)), (m, n), lambda a, b: np.tanh(np.exp(a * 0.5) + b) - a),
        TileCase("matmul", (a, b), (m, n), np.matmul),
        TileCase("linear_gelu", (a, b, normal(1, n)), (m, n), lambda a, b, bias: _gelu(a @ b + bias)),
        TileCase("batched_matmul", (normal(3, m, k), normal(3, k, n)), (3, m, n), np.matmul),
        TileCase("softmax", (x,), (m, n), _softmax),
        TileCase("layernorm", (x, normal(1, n), normal(1, n)), (m, n), _layernorm),
        TileCase("rmsnorm_matmul", (a, normal(1, k), b), (m, n), _rmsnorm_matmul),
        TileCase("flash_attention", tuple(normal(2, m, 64) for _ in range(3)), (2, m, 64), _attention),
        TileCase("cross_entropy", (x, hot), (m, 1), _cross_entropy),
        TileCase("transpose", (x,), (n, m), np.transpose),
        TileCase("convolution", (*pixels, normal(9, k, n)), (4, m, n), _convolution),
        TileCase("argmax", (x, np.arange(n)[None]), (m, 1), lambda x, columns: x.argmax(-1)[:, None]),
    ]
