"""Every kind of operation: what JAX computes, beside the TTIR that becomes of it, run by the reference, and the device."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import numpy as np
import pytest

import ttmlir.jax
from tt_model.reference.interpreter import interpret
from ttmlir.jax.compiling import converted

from .operations import CASES

# What stands for its kind on the device; the others differ from these in TTIR only.
ON_THE_DEVICE = (
    "bitwise_xor of int8", "bitwise_and with 2147483647", "shifts", "extremes", "powers of negative numbers", "integers", "truths",
    "converts", "clamp", "constants", "broadcast", "pad", "masks", "einsum", "bf16 product", "integer reductions", "argmax",
    "cumulative", "windows", "pooling of bf16", "gradient of a convolution net", "conv NCHW", "conv 3d", "conv transposed", "embedding", "take_along_axis",
    "gather of bf16", "dynamic slices", "dynamic updates", "scatters", "scan", "switch of data", "sort", "top_k",
)  # fmt: skip


def as_numbers(array: Any) -> Any:
    return np.asarray(array).astype(np.float64)


def assert_close(given: Any, wanted: Any, tolerance: float) -> None:
    loose = 3e-2 if wanted.dtype.name == "bfloat16" else tolerance
    np.testing.assert_allclose(as_numbers(given), as_numbers(wanted), atol=loose, rtol=loose)


@cache
def wanted_of(name: str) -> Any:
    """What the framework gives: compiling a function takes it longer than everything else here."""
    function, arguments = CASES[name]
    return jax.jit(function)(*arguments)


@pytest.mark.one_of(6)
@pytest.mark.parametrize("name", CASES)
def test_ttir_means_what_the_function_does(name: str) -> None:
    function, arguments = CASES[name]
    ttir = converted(function, *arguments)
    given = [as_numbers(one) for one in (*jax.tree.leaves(arguments), *ttir.constants)]
    results = interpret(ttir.module.operation.xdsl, "main", [one.reshape(one.shape or (1,)) for one in given])  # type: ignore[arg-type]
    wanted = jax.tree.leaves(wanted_of(name))
    for one, other in zip(results, wanted, strict=True):
        assert_close(one.reshape(other.shape), other, 1e-5)


@pytest.mark.one_of(6)
@pytest.mark.parametrize("name", ON_THE_DEVICE)
def test_the_device_gives_what_the_function_does(name: str) -> None:
    function, arguments = CASES[name]
    given = ttmlir.jax.compile(function, *arguments).run(*arguments)
    for one, other in zip(jax.tree.leaves(given), jax.tree.leaves(wanted_of(name)), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert_close(one, other, 1e-3)
