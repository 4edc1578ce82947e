"""Operations with many parameters, drawn at random: products, convolutions, windows, gathers, padding, broadcasts."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest
from jax import lax

from tt_model.reference.interpreter import interpret
from ttmlir.jax.compiling import converted

Case = tuple[Callable[..., Any], list[Any]]


def numbers(*shape: int) -> Any:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def product(draw: random.Random) -> Case:
    """Dimensions of the batch, of the sum and of their own, in any order on both sides."""
    common = [("batch", at, draw.randint(1, 3)) for at in range(draw.randint(0, 2))]
    common += [("sum", at, draw.randint(1, 4)) for at in range(draw.randint(0, 2))]
    sides = [[*common, *(("own", at, draw.randint(1, 3)) for at in range(draw.randint(0, 1)))] for _ in "lr"]
    for side in sides:
        draw.shuffle(side)

    def places(kind: str) -> tuple[list[int], list[int]]:
        wanted = [one[:2] for one in common if one[0] == kind]
        first, second = ([[one[:2] for one in side].index(name) for name in wanted] for side in sides)
        return first, second

    dims = places("sum"), places("batch")
    return lambda a, b: lax.dot_general(a, b, dims), [
        numbers(*(extent for _, _, extent in side)) for side in sides
    ]


def convolution(draw: random.Random) -> Case:
    """One to three dimensions in any order, groups, strides, dilations of both kinds, padding."""
    spatial = "DHW"[draw.randint(0, 2) :]
    groups, batches = draw.choice([(1, 1), (2, 1), (1, 2)])
    extents = {"N": 2, "C": 4, "O": 4, "I": 4 // groups, **{dim: draw.randint(4, 6) for dim in spatial}}
    taps = {**extents, **{dim: draw.randint(1, 2) for dim in spatial}}
    orders = ["".join(draw.sample(first + spatial, len(spatial) + 2)) for first in ("NC", "OI", "NC")]
    by_dimension = {
        "window_strides": [draw.randint(1, 2) for _ in spatial],
        "padding": [(draw.randint(0, 2), draw.randint(0, 2)) for _ in spatial],
        "lhs_dilation": [draw.choice([1, 1, 2]) for _ in spatial],
        "rhs_dilation": [draw.choice([1, 1, 2]) for _ in spatial],
    }
    arrays = [numbers(*(extents[dim] for dim in orders[0])), numbers(*(taps[dim] for dim in orders[1]))]
    return lambda a, b: lax.conv_general_dilated(
        a,
        b,
        dimension_numbers=tuple(orders),
        feature_group_count=groups,
        batch_group_count=batches,
        **by_dimension,
    ), arrays


def window(draw: random.Random) -> Case:
    """Sums, products and extremes of windows, dilated, with padding."""
    rank = range(draw.randint(1, 3))
    function, first = draw.choice(
        [(lax.add, 0.0), (lax.max, -np.inf), (lax.min, np.inf), (lax.mul, 1.0), (lax.add, 0.5)]
    )
    sizes, strides, dilations = ([draw.randint(1, most) for _ in rank] for most in (4, 3, 2))
    padding = [(draw.randint(0, 3), draw.randint(0, 3)) for _ in rank]
    base = [draw.choice([1, 1, 2]) for _ in rank]
    if first == 0.5:  # what is padded counts then
        padding = [(0, 0) for _ in rank]
    array = numbers(*(draw.randint(7, 9) for _ in rank))
    return lambda a: lax.reduce_window(a, first, function, sizes, strides, padding, base, dilations), [array]


def gather(draw: random.Random) -> Case:
    """Slices of any size at places of some dimensions, which are known in half of the cases."""
    shape = [draw.randint(2, 5) for _ in range(draw.randint(1, 3))]
    indexed = draw.sample(range(len(shape)), draw.randint(1, len(shape)))
    sizes = [draw.randint(1, extent) if dim in indexed else extent for dim, extent in enumerate(shape)]
    collapsed = sorted(dim for dim in indexed if sizes[dim] == 1 and draw.random() < 0.7)
    batch = [draw.randint(1, 3) for _ in range(draw.randint(0, 2))]
    kept = len(shape) - len(collapsed)
    how = lax.GatherDimensionNumbers(
        offset_dims=tuple(sorted(draw.sample(range(len(batch) + kept), kept))),
        collapsed_slice_dims=tuple(collapsed),
        start_index_map=tuple(indexed),
    )
    places = np.random.default_rng(len(batch)).integers(0, 5, (*batch, len(indexed))).astype(np.int32)

    def taken(a: Any, at: Any = places) -> Any:
        return lax.gather(a, at, how, tuple(sizes), mode="clip")

    return taken, [numbers(*shape)] if draw.random() < 0.5 else [numbers(*shape), places]


def padding(draw: random.Random) -> Case:
    """Before, behind and between, also less than nothing."""
    shape = [draw.randint(3, 5) for _ in range(draw.randint(1, 3))]
    amounts = [(draw.randint(-1, 3), draw.randint(-1, 2), draw.randint(0, 2)) for _ in shape]
    return lambda a: lax.pad(a, 1.5, amounts), [numbers(*shape)]


def broadcast(draw: random.Random) -> Case:
    """Some of the dimensions of the result, or one of it."""
    shape = [draw.randint(1, 4) for _ in range(draw.randint(0, 4))]
    dims = sorted(draw.sample(range(len(shape)), draw.randint(0, len(shape))))
    source = [draw.choice([1, shape[dim]]) for dim in dims]
    return lambda a: lax.broadcast_in_dim(a, shape, dims), [numbers(*source)]


@pytest.mark.one_of(3)
@pytest.mark.parametrize("kind", [product, convolution, window, gather, padding, broadcast])
def test_what_is_drawn_means_what_jax_says(kind: Callable[[random.Random], Case]) -> None:
    for seed in range(8):
        function, arrays = kind(random.Random(seed))
        wanted = np.asarray(jax.jit(function)(*arrays), np.float64)
        ttir = converted(function, *arrays)
        given = [np.asarray(one, np.float64) for one in (*arrays, *ttir.constants)]
        module: Any = ttir.module.operation.xdsl
        (result,) = interpret(module, "main", [one.reshape(one.shape or (1,)) for one in given])
        np.testing.assert_allclose(
            result.reshape(wanted.shape), wanted, atol=2e-5, rtol=2e-5, err_msg=f"seed {seed}"
        )
