"""Functions of JAX as models: compiled, run on the simulated device, and beside what JAX gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ttmlir
from tt_model.runtime.problems import RuntimeProblem

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


def rms_norm(x: Any, weight: Any) -> Any:
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * weight


def rotated(x: Any) -> Any:
    """Rotary embedding: pairs of halves turned by angles that grow with the position."""
    length, width = x.shape[1], x.shape[3]
    angles = jnp.arange(length)[:, None] * 10000.0 ** (-jnp.arange(0, width, 2) / width)
    cos, sin = (one(angles)[None, :, None, :] for one in (jnp.cos, jnp.sin))
    first, second = jnp.split(x, 2, -1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def attention(x: Any, p: dict[str, Any], heads: int) -> Any:
    batch, length, width = x.shape
    q, k, v = ((x @ p[name]).reshape(batch, length, heads, width // heads) for name in "qkv")
    scores = jnp.einsum("bqhd,bkhd->bhqk", rotated(q), rotated(k)) / (width // heads) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), v)
    return mixed.reshape(batch, length, width) @ p["o"]


def llama_layer(x: Any, p: dict[str, Any], heads: int = 4) -> Any:
    with jax.named_scope("attention"):
        x = x + attention(rms_norm(x, p["before"]), p, heads)
    with jax.named_scope("mlp"):
        h = rms_norm(x, p["after"])
        return x + (jax.nn.silu(h @ p["gate"]) * (h @ p["up"])) @ p["down"]


def weights_of_llama(width: int, hidden: int) -> dict[str, Any]:
    shapes = dict.fromkeys("qkvo", (width, width))
    shapes |= {"gate": (width, hidden), "up": (width, hidden), "down": (hidden, width)}
    drawn_weights = {name: drawn(*shape, seed=at) * 0.1 for at, (name, shape) in enumerate(shapes.items())}
    return drawn_weights | {"before": drawn(width), "after": drawn(width, seed=1)}


def test_a_layer_of_llama_with_rotary_embedding() -> None:
    x, weights = drawn(2, 9, 32), weights_of_llama(32, 48)
    model = ttmlir.jax.compile(llama_layer, x, weights)
    close(model.run(x, weights), llama_layer(x, weights))
    # Nothing but the layer's own arrays: angles and masks are computed from positions.
    assert model.constants == ()
    assert model.report is not None and model.report.leaks == []
    names = [operation.get("debug_info", "") for operation in model.binary.programs[0]["operations"]]
    assert any("jit(llama_layer)/attention/dot_general" in name for name in names)
    assert any(f"{__file__}" in name for name in names)


def test_weights_may_be_constants(tmp_path: Any) -> None:
    x, weights = drawn(1, 5, 32), weights_of_llama(32, 48)
    model = ttmlir.jax.compile(lambda given: llama_layer(given, weights), x)
    close(model.run(x), llama_layer(x, weights))
    # The smaller ones are too few numbers to be kept out of the text: they are arguments all the same.
    assert sorted(one.shape for one in model.constants) == sorted(one.shape for one in weights.values())
    model.save(tmp_path / "layer.ttnn")
    loaded = ttmlir.load(tmp_path / "layer.ttnn")
    assert len(loaded.prepared.inputs) == 1 + len(weights)
    # Those that are small are in the file.
    assert len(loaded.inputs) == 1 + sum(one.size > 1024 for one in weights.values())


def test_layers_of_bfloat16() -> None:
    def network(x: Any, p: list[tuple[Any, Any]]) -> Any:
        for weight, bias in p[:-1]:
            x = jax.nn.gelu(x @ weight + bias)
        weight, bias = p[-1]
        return jax.nn.log_softmax(x @ weight + bias)

    given = drawn(8, 16), [(drawn(16, 32) * 0.2, drawn(32)), (drawn(32, 10) * 0.2, drawn(10))]
    given = jax.tree.map(lambda one: jnp.asarray(one, jnp.bfloat16), given)
    close(ttmlir.compile(network, *given).run(*given), network(*given), 0.1)


def test_a_decoder_writes_into_its_cache() -> None:
    def step(cache: Any, token: Any, at: Any, table: Any) -> Any:
        row = table[token]
        cache = jax.lax.dynamic_update_slice(cache, row[None, :], (at, 0))
        scores = jnp.where(jnp.arange(cache.shape[0]) <= at, cache @ row, -jnp.inf)
        return cache, jax.nn.softmax(scores) @ cache

    given = drawn(12, 8), np.int32(3), np.int32(5), drawn(20, 8)
    close(ttmlir.jax.compile(step, *given).run(*given), step(*given))


def test_complex_numbers_are_refused_at_the_function_or_line_that_has_them() -> None:
    table = jnp.ones((64, 64), dtype=jnp.complex64)

    def closes_over(x: Any) -> Any:
        return jnp.real(table @ x)

    def computes(x: Any) -> Any:
        return jnp.abs(x + 1j)

    for function, line in ((closes_over, 0), (computes, 1)):
        with pytest.raises(
            ttmlir.CompileError, match="there are no numbers of the type complex<f32> in TTIR"
        ) as raised:
            ttmlir.jax.compile(function, (64, 64))
        place = function.__code__.co_firstlineno + line
        assert f'"{__file__}":{place}:' in str(raised.value)


def test_what_is_refused_is_listed_whole_at_its_lines() -> None:
    def refused(x: Any) -> Any:
        y = jax.lax.fft(x.astype(jnp.complex64), jax.lax.FftType.FFT, (4,)).real
        z = jax.lax.while_loop(lambda s: s.sum() < 9, lambda s: s * 2, x)
        return y + z + jax.lax.lgamma(x)

    with pytest.raises(ttmlir.CompileError) as caught:
        ttmlir.jax.compile(refused, (4, 4))
    text = str(caught.value)
    assert "refused cannot be compiled" in text
    for line, name in ((1, "stablehlo.fft"), (2, "stablehlo.while"), (3, "chlo.lgamma")):
        place = refused.__code__.co_firstlineno + line
        assert f'{__file__}":{place}' in text and f"operation '{name}'" in text, (name, text)
    assert "lax.fori_loop" in text


def test_wrong_arguments_are_said() -> None:
    with pytest.raises(
        ttmlir.CompileError, match=r"model cannot be traced by JAX: .*test_models.py:\d+: TypeError"
    ):

        def model(x: Any) -> Any:
            return x @ jnp.ones((3, 3))

        ttmlir.jax.compile(model, (4, 4))
    with pytest.raises(ttmlir.CompileError, match="every extent is at least 1"):
        ttmlir.jax.compile(jnp.sin, (4, 0))
    with pytest.raises(ttmlir.CompileError, match="of type 'f33'"):
        ttmlir.jax.compile(jnp.sin, ((4, 4), "f33"))
    compiled = ttmlir.jax.compile(lambda x, n: x[n], (4, 4), ((), "i32"))
    for given, message in (
        (
            (drawn(4, 4),),
            r"have the structure PyTreeDef\(\(\*,\)\), but the model expects PyTreeDef\(\(\*, \*\)\)",
        ),
        ((drawn(4, 5), 1), r"but float32\[4, 4\] is expected"),
        ((drawn(4, 4), 1.5), r"but int32\[\] is expected"),
        (
            (drawn(4, 4), 2**40),
            r"numbers from 1099511627776 to 1099511627776, but int32 holds -2147483648 to",
        ),
        ((drawn(4, 4), np.int64(-(2**31) - 1)), r"numbers from -2147483649 to -2147483649, but int32 holds"),
    ):
        with pytest.raises(RuntimeProblem, match=message):
            compiled.run(*given)
    assert compiled.run(drawn(4, 4), 2).shape == (4,)


def test_whose_a_model_is() -> None:
    from ttmlir.frameworks import framework_by_tracing, framework_of

    assert framework_of(jax.jit(lambda x: x)) == framework_of(llama_layer) == "jax"
    assert framework_of(lambda x: x, (jnp.ones(2),)) == "jax"
    # What names neither is traced; a function of both is its module's.
    assert framework_by_tracing(lambda x: x.at[0].set(1.0), ((4, 4),)) == "jax"
    assert framework_by_tracing(lambda x: x.unsqueeze(0), ((4, 4),)) == "torch"
    assert framework_by_tracing(lambda x: x + 1, ((4, 4),)) == "jax"
    with pytest.raises(ttmlir.CompileError, match=r"ttmlir\.jax\.compile"):
        ttmlir.compile(lambda x: x.no_such_method(), (4, 4))
