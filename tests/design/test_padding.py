"""Extents that are no whole tiles: a designer's steps are those with which the compiler keeps padding out of results."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from ttl.settings import override


@ttl.tile_operation()
def largest(x: Any, y: Any) -> None:
    for m in ttl.spatial(x.rows):
        best = -1000.0
        for n in ttl.temporal(x.columns):
            best = ttl.math.max(best, ttl.load(x[m, n]).max(-1))
        ttl.store(y[m, :], best)


@ttl.tile_operation()
def total(x: Any, y: Any) -> None:
    for m in ttl.spatial(x.rows):
        found = 0
        for n in ttl.temporal(x.columns):
            found = found + ttl.math.exp(ttl.load(x[m, n])).sum(-1)
        ttl.store(y[m, :], found)


@ttl.tile_operation()
def plain(x: Any, y: Any) -> None:
    for m in ttl.spatial(x.rows):
        found = 0
        for n in ttl.temporal(x.columns, 2):
            found = found + (ttl.load(x[m, n]) * 3).sum(-1)
        ttl.store(y[m, :], found)


@ttl.tile_operation()
def attention(q: Any, k: Any, v: Any, y: Any) -> None:
    for m in ttl.spatial(q.rows):
        rows = ttl.load(q[m, :]) * (1 / math.sqrt(q.shape[-1]))
        best, weight, acc = -1000.0, 0, 0
        for n in ttl.temporal(k.rows):
            scores = rows @ ttl.load(k[n, :]).T
            now = ttl.math.max(best, scores.max(-1))
            old, new = ttl.math.exp(best - now), ttl.math.exp(scores - now)
            weight, acc, best = weight * old + new.sum(-1), acc * old + new @ ttl.load(v[n, :]), now
        ttl.store(y[m, :], acc / weight)


def tensor(array: Any) -> Any:
    return ttnn.Tensor(np.asarray(array, np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


def step(operation: Any, *arguments: Any) -> int:
    """How many tiles the loop n takes at a time."""
    graph = operation.explicit(*arguments).design.plan.graph
    (chosen,) = (graph.choices[knob.key] for knob in graph.knobs if knob.name == "n")
    return int(chosen)


@pytest.mark.parametrize("columns", [1018, 1111])
@pytest.mark.parametrize(
    ("operation", "function"),
    [(largest, np.max), (total, lambda a, axis: np.exp(a).sum(axis))],
    ids=["max", "sum"],
)
def test_blocks_are_whole_dimensions_where_their_padding_would_differ(
    operation: Any, function: Callable[..., Any], columns: int
) -> None:
    x = tensor(np.random.default_rng(0).standard_normal((64, columns)) - 3)
    y, tiles = tensor(np.zeros((64, 1))), -(-columns // 32)
    with override(target="emu"):
        operation(x, y)
    assert step(operation, x, y) == tiles
    np.testing.assert_allclose(y.numpy()[:, 0], function(x.numpy().astype(np.float64), axis=-1), rtol=2**-7)


def test_sums_of_zeros_may_be_in_parts() -> None:
    x, y = tensor(np.random.default_rng(0).integers(-2, 3, (64, 100))), tensor(np.zeros((64, 1)))
    with override(target="emu"):
        plain(x, y)
    np.testing.assert_array_equal(y.numpy()[:, 0], 3 * x.numpy().sum(-1))


def test_attention_over_keys_that_are_no_whole_tiles() -> None:
    random = np.random.default_rng(0)
    q, k, v = (tensor(random.standard_normal((rows, 64))) for rows in (64, 500, 500))
    y = tensor(np.zeros((64, 64)))
    with override(target="emu"):
        attention(q, k, v, y)
    scores = np.exp(q.numpy().astype(np.float64) @ k.numpy().T / 8)
    expected = scores / scores.sum(-1, keepdims=True) @ v.numpy()
    np.testing.assert_allclose(y.numpy(), expected, atol=2**-6 * np.abs(expected).max())


def test_a_step_of_the_author_s_is_refused_at_the_author_s_line() -> None:
    @ttl.tile_operation()
    def in_parts(x: Any, y: Any) -> None:
        for m in ttl.spatial(x.rows):
            found = 0
            for n in ttl.temporal(x.columns, 1):
                found = found + ttl.math.exp(ttl.load(x[m, n])).sum(-1)  # here
            ttl.store(y[m, :], found)

    with override(target="emu"), pytest.raises(ttl.ProgramError, match="TTL1406") as refused:
        in_parts(tensor(np.zeros((64, 100))), tensor(np.zeros((64, 1))))
    assert "# here" in str(refused.value)
    assert "read all of the dimension as one block" in str(refused.value)
