"""Loop nests from metadata: the loops that they stand for, and what makes none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from ttl.settings import override

PRODUCT = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]
TYPES = ["parallel", "parallel", "reduction"]


@ttl.tile_operation(indexing_maps=PRODUCT, iterator_types=TYPES, block_factors=[None, None, 2])
def product(a, b, y):
    return y + a @ b


@ttl.tile_operation(
    indexing_maps=["affine_map<(m, n) -> (m, n)>", "affine_map<(m, n) -> (n, m)>"],
    iterator_types=["parallel", "parallel"],
)
def turned(x, y):
    return ttl.math.relu(x).T


def tensor(array: Any) -> Any:
    return ttnn.Tensor(np.asarray(array, np.float32), ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@pytest.mark.parametrize("target", ["sim", "emu"])
def test_a_nest_is_the_loops_that_it_stands_for(target: str) -> None:
    generator = np.random.default_rng(0)
    a, b = generator.integers(-4, 5, (96, 128)), generator.integers(-4, 5, (128, 64))
    y, z = tensor(np.zeros((96, 64))), tensor(np.zeros((128, 96)))
    with override(target=target):
        product(tensor(a), tensor(b), y)
        turned(tensor(a), z)
    # Whole numbers below 256 are exact in bfloat16; sums beyond are rounded once.
    assert np.abs(y.numpy() - a @ b).max() <= np.abs(a @ b).max() * 2**-8
    assert (z.numpy() == np.maximum(a, 0).T).all()


def test_every_loop_of_a_nest_has_a_step_of_its_own() -> None:
    a, b, y = tensor(np.ones((96, 128))), tensor(np.ones((128, 64))), tensor(np.zeros((96, 64)))
    knobs = product.explicit(a, b, y).design.plan.graph.knobs
    assert [(knob.name, knob.values) for knob in knobs if knob.what == "step"] == [
        ("m", (1, 3)),
        ("n", (1, 2)),
    ]


def test_the_reference_runs_the_same_loops() -> None:
    a, b, y = np.arange(64.0 * 64).reshape(64, 64), np.eye(64), np.zeros((64, 64))
    product.reference(a, b, y)
    assert (y == a).all()


@pytest.mark.parametrize(
    ("maps", "types", "factors", "why"),
    [
        ("(m) -> (m)", ["parallel"], None, "indexing_maps is a list of texts"),
        (["m -> m"], ["parallel"], None, "'m -> m' is not an indexing map"),
        (["(m) -> (n)"], ["parallel"], None, "maps names of loops to some of them"),
        (["(m, n) -> (m)", "(n, m) -> (m)"], ["parallel"] * 2, None, "the same loops on the left"),
        (["(m, n) -> (m, m)"], ["parallel"] * 2, None, "no operand is indexed by n"),
        (PRODUCT, ["parallel"] * 2, None, "iterator_types has"),
        (PRODUCT, ["parallel", "parallel", "window"], None, "iterator_types has"),
        (PRODUCT, TYPES, [1, 2], "block_factors has"),
        (PRODUCT, TYPES, [1, 2, 0], "block_factors has"),
    ],
)
def test_what_makes_no_nest_is_refused(maps: Any, types: Any, factors: Any, why: str) -> None:
    with pytest.raises(ttl.ProgramError, match="TTL1816") as refused:
        ttl.tile_operation(indexing_maps=maps, iterator_types=types, block_factors=factors)
    assert why in str(refused.value)


def test_a_map_for_each_parameter() -> None:
    with pytest.raises(ttl.ProgramError, match="3 operands, and half has 2 parameters"):

        @ttl.tile_operation(indexing_maps=PRODUCT, iterator_types=TYPES)
        def half(a, y):
            return y + a
