"""Operations of TT-Lang in functions of JAX: a primitive, checked while JAX traces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import ttmlir.jax
from tt_model.tt_lang.declared_kernels import KernelError

MODELS = Path(__file__).parents[3] / "examples" / "models"


@pytest.fixture
def gated(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(MODELS)
    import gated

    declare = ttmlir.jax.tt_lang_operation(
        "gated.gated::v1", version_tag="1", arg_roles="in,in,out", reference=gated.by_numpy
    )
    return declare(gated.gated)


def drawn(*shape: int) -> Any:
    return jnp.asarray(np.random.default_rng(3).standard_normal(shape), jnp.bfloat16)


def test_an_operation_is_a_function_of_arrays(gated: Any) -> None:
    def layer(x: Any, gate: Any) -> Any:
        return jax.nn.relu(gated(x, jax.nn.sigmoid(gate))) + 1

    x, gate = drawn(64, 64), drawn(64, 64)
    wanted = np.asarray(jax.nn.relu(x * jax.nn.sigmoid(gate) + x) + 1, np.float32)
    model = ttmlir.jax.compile(layer, x, gate)
    for given in (layer(x, gate), jax.jit(layer)(x, gate), model.run(x, gate)):
        np.testing.assert_allclose(np.asarray(given, np.float32), wanted, atol=0.07)
    assert '"ttnn.tt_lang_op"' in str(model.module)
    assert 'kernel_id = "gated.gated::v1"' in str(ttmlir.jax.stablehlo_of(layer, x, gate))


def test_it_is_checked_while_jax_traces(gated: Any) -> None:
    x = drawn(64, 64)
    with pytest.raises(
        ttmlir.CompileError, match=r"test_tt_lang.py:\d+: KernelError: .*gated.py:\d+.*TTL0507"
    ):
        ttmlir.jax.compile(lambda a, b: gated(a, b[:, :32]), x, x)
    with pytest.raises(KernelError, match="takes 2 arrays, and gets 1"):
        gated(x)
    with pytest.raises(KernelError, match="float32 and bfloat16, not int32"):
        gated(x.astype(int), x.astype(int))
    with pytest.raises(KernelError, match="vmap"):
        jax.vmap(gated)(x[None], x[None])
    with pytest.raises(ValueError, match="arg_roles 'in,in'"):
        ttmlir.jax.tt_lang_operation("gated.gated::v1", arg_roles="in,in")
