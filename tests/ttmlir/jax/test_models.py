"""Functions of JAX as models: compiled, run on the simulated device, and beside what JAX gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttmlir

jax = pytest.importorskip("jax")
jnp = jax.numpy


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(np.float32)


def close(given: Any, wanted: Any, tolerance: float = 2e-4) -> None:
    for one, other in zip(jax.tree.leaves(given), jax.tree.leaves(wanted), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(
            np.asarray(one, np.float64), np.asarray(other, np.float64), atol=tolerance, rtol=tolerance
        )


def test_a_function_of_trees_is_a_model() -> None:
    table = drawn(64, 48)

    def layer(x: Any, weights: dict[str, Any]) -> dict[str, Any]:
        hidden = jax.nn.relu(x @ weights["w"] + weights["b"]) @ table
        return {
            "hidden": hidden,
            "total": jnp.sum(hidden),
            "mask": hidden > 1,
            "first": (x[0], jnp.arange(5)),
        }

    model = ttmlir.compile(layer, (16, 32), {"w": (32, 64), "b": (64,)})
    given = drawn(16, 32), {"w": drawn(32, 64), "b": drawn(64)}
    close(model.run(*given), layer(*given), 1e-2)
    # What it closed over is no argument of it, and no text.
    assert [one.shape for one in model.constants] == [(64, 48)]
    assert len(model.inputs) == 4
