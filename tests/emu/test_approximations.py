"""Approximations of the vector unit: as far off as was published, and only where a kernel asks for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from emu.harness import GENERATIONS, OUT, compute
from ttl.host.numpy_functions import gelu
from ttl.rows.row import Generation
from ttl.rows.table import OPS

Values = NDArray[np.float64]
APPROXIMATIONS = {row.name: row.approximation for row in OPS if row.approximation is not None}
EXACT: Mapping[str, Callable[[Values], Values]] = {
    "exp": np.exp,
    "gelu": lambda x: gelu(x.astype(np.float32)).astype(np.float64),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "recip": lambda x: 1 / x,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
# What a kernel writes so that a function is approximate, and so that it is not.
FAST = {
    "exp": "exp_tile<true>",
    "gelu": "gelu_tile<true>",
    "tanh": "tanh_tile<true>",
    "sigmoid": "sigmoid_tile<{mode}, true>",
}
PLAIN = {"gelu": "gelu_tile<false>"}
POSITIVE = ("recip", "sqrt", "rsqrt")


def results(generation: Generation, name: str, function: str, given: Values, **options: Any) -> Values:
    copy = "copy_init" if generation == "0.81" else "copy_tile_init"
    function = function.format(mode="VectorMode::RC" if generation == "0.81" else "(int)VectorMode::RC")
    body = (
        f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); cb_reserve_back({OUT}, 1); tile_regs_acquire(); {copy}(0);"
        f"copy_tile(0, 0, 0); {name}_tile_init(); {function}(0); tile_regs_commit(); tile_regs_wait(); pack_tile(0, {OUT});"
        f"tile_regs_release(); cb_push_back({OUT}, 1); cb_pop_front(0, 1);"
    )
    found = compute(
        generation,
        body,
        [given.astype(np.float32)],
        dtype="float32",
        fp32_dst=True,
        unpack_to_dst=True,
        **options,
    )
    return np.asarray(found, np.float64)


def operands(name: str) -> Values:
    if name in POSITIVE:
        return np.geomspace(0.1, 400, 1024, dtype=np.float32).reshape(32, 32).astype(np.float64)
    return np.linspace(-8, 8, 1024, dtype=np.float32).reshape(32, 32).astype(np.float64)


def error(name: str, found: Values, given: Values) -> float:
    exact = EXACT[name](given)
    scale = np.abs(exact) if APPROXIMATIONS[name].relative else 1.0
    return float(np.max(np.abs(found - exact) / scale))


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_an_approximation_is_as_far_off_as_published(generation: Generation, name: str) -> None:
    given, known = operands(name), APPROXIMATIONS[name]
    off = error(
        name, results(generation, name, FAST.get(name, f"{name}_tile"), given, approximate=True), given
    )
    assert known.worst / 3 < off <= known.worst


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_a_kernel_that_does_not_ask_gets_the_function(name: str) -> None:
    given = operands(name)
    # The mode of the kernel is not about functions that say it themselves.
    mode = APPROXIMATIONS[name].asked == "function"
    found = results("0.81", name, PLAIN.get(name, f"{name}_tile"), given, approximate=mode)
    assert error(name, found, given) < 2.0**-20


@pytest.mark.parametrize(
    ("wish", "approximate", "coarse"), [("Precise", True, False), ("Approximate", False, True)]
)
def test_a_reciprocal_says_what_it_wants(wish: str, approximate: bool, coarse: bool) -> None:
    given = operands("recip")
    function = f"recip_tile<ReciprocalDestAcc::FP32, ReciprocalApproxMode::{wish}>"
    found = results("0.81", "recip", function, given, approximate=approximate)
    assert (error("recip", found, given) > 2.0**-20) == coarse


def test_the_exponential_reaches_as_far_as_on_a_card() -> None:
    """Published, too: 88.75, of which the exponential is beyond float32, gives 3.396e38."""
    given = np.resize([88.75, 89.0, 1000.0, -88.5, -1000.0, 0.0], (32, 32)).astype(np.float64)
    found = results("0.81", "exp", "exp_tile<true>", given)[0, :6]
    np.testing.assert_allclose(found[0], 3.396e38, rtol=1e-3)
    assert np.isinf(found[1:3]).all()
    assert found[3] == found[4] == 0
    assert abs(found[5] - 1) <= APPROXIMATIONS["exp"].worst


def test_a_table_does_not_know_infinities() -> None:
    """Its last line times an infinity is no number, which the source of the table says of it."""
    given = np.full((32, 32), np.inf)
    assert np.isnan(results("0.81", "tanh", "tanh_tile<true>", given)).all()
    assert (results("0.81", "tanh", "tanh_tile", given) == 1).all()
