"""Steps of training: gradients and what they change, as functions of JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from zoo.entry import Entry


def _drawn(*shape: int, scale: float = 0.3) -> Any:
    return (np.random.default_rng(sum(shape)).standard_normal(shape) * scale).astype(np.float32)


def _perceptron() -> tuple[Any, tuple[Any, ...]]:
    import jax
    from jax import numpy as jnp

    def loss(weights: Any, x: Any, y: Any) -> Any:
        hidden = jax.nn.relu(x @ weights["one"] + weights["bias"])
        return jnp.mean((hidden @ weights["two"] - y) ** 2)

    def step(weights: Any, x: Any, y: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(weights, x, y)
        return value, jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, weights, gradients)

    weights = {"one": _drawn(32, 64), "bias": _drawn(64), "two": _drawn(64, 8)}
    return step, (weights, _drawn(16, 32), _drawn(16, 8))


def _classifier() -> tuple[Any, tuple[Any, ...]]:
    import jax
    from jax import numpy as jnp

    def loss(weights: Any, x: Any, labels: Any) -> Any:
        scores = jax.nn.log_softmax(x @ weights)
        return -jnp.mean(jnp.sum(jax.nn.one_hot(labels, 8) * scores, 1))

    def step(weights: Any, momentum: Any, x: Any, labels: Any) -> Any:
        momentum = 0.9 * momentum + jax.grad(loss)(weights, x, labels)
        return weights - 0.1 * momentum, momentum

    labels = np.arange(16, dtype=np.int32) % 8
    return step, (_drawn(32, 8), _drawn(32, 8), _drawn(16, 32), labels)


def _convolutions() -> tuple[Any, tuple[Any, ...]]:
    import jax
    from jax import lax
    from jax import numpy as jnp

    def loss(weights: Any, x: Any, y: Any) -> Any:
        numbers = ("NHWC", "HWIO", "NHWC")
        hidden = jax.nn.relu(
            lax.conv_general_dilated(x, weights["one"], (1, 1), "SAME", dimension_numbers=numbers)
        )
        return jnp.mean((jnp.mean(hidden, (1, 2)) @ weights["two"] - y) ** 2)

    weights = {"one": _drawn(3, 3, 4, 8), "two": _drawn(8, 4)}
    return jax.value_and_grad(loss), (weights, _drawn(2, 8, 8, 4), _drawn(2, 4))


def _attention() -> tuple[Any, tuple[Any, ...]]:
    import jax
    from jax import numpy as jnp

    def loss(weights: Any, x: Any) -> Any:
        q, k, v = (x @ weights[name] for name in "qkv")
        mixed = jax.nn.softmax(q @ k.T / 8.0) @ v
        return jnp.mean((x + mixed - x.mean(0)) ** 2)

    def step(weights: Any, first: Any, second: Any, x: Any) -> Any:
        gradients = jax.grad(loss)(weights, x)
        first = jax.tree.map(lambda mean, gradient: 0.9 * mean + 0.1 * gradient, first, gradients)
        second = jax.tree.map(lambda mean, gradient: 0.99 * mean + 0.01 * gradient**2, second, gradients)
        moved = jax.tree.map(
            lambda weight, mean, square: weight - 0.001 * mean / (jnp.sqrt(square) + 1e-8),
            weights,
            first,
            second,
        )
        return moved, first, second

    weights = {name: _drawn(32, 32) for name in "qkv"}
    return step, (weights, weights, {name: _drawn(32, 32) ** 2 for name in "qkv"}, _drawn(16, 32))


def _low_rank() -> tuple[Any, tuple[Any, ...]]:
    import jax
    from jax import numpy as jnp

    def loss(ranks: Any, weight: Any, x: Any, y: Any) -> Any:
        return jnp.mean(jnp.abs(x @ (weight + ranks["a"] @ ranks["b"]) - y))

    return jax.value_and_grad(loss), (
        {"a": _drawn(64, 4), "b": _drawn(4, 32)},
        _drawn(64, 32),
        _drawn(16, 64),
        _drawn(16, 32),
    )


def _contrast() -> tuple[Any, tuple[Any, ...]]:
    import jax
    from jax import numpy as jnp

    def loss(weights: Any, images: Any, texts: Any) -> Any:
        both = [images @ weights["image"], texts @ weights["text"]]
        one, two = (row / jnp.linalg.norm(row, axis=1, keepdims=True) for row in both)
        scores = one @ two.T * jnp.exp(weights["scale"])
        same = jnp.eye(len(images))
        return -jnp.mean(jnp.sum(same * (jax.nn.log_softmax(scores) + jax.nn.log_softmax(scores, 0)), 1)) / 2

    weights = {"image": _drawn(32, 16), "text": _drawn(24, 16), "scale": np.float32(1.0)}
    return jax.value_and_grad(loss), (weights, _drawn(8, 32, scale=1.0), _drawn(8, 24, scale=1.0))


def _scan() -> tuple[Any, tuple[Any, ...]]:
    import jax
    from jax import lax
    from jax import numpy as jnp

    def loss(weights: Any, x: Any) -> Any:
        def one(state: Any, row: Any) -> Any:
            state = jnp.tanh(row @ weights["in"] + state @ weights["state"])
            return state, state

        _, states = lax.scan(one, jnp.zeros((x.shape[1], 16)), x)
        return jnp.mean(states**2)

    return jax.value_and_grad(loss), ({"in": _drawn(8, 16), "state": _drawn(16, 16)}, _drawn(6, 4, 8))


def _entry(name: str, make: Callable[[], tuple[Any, tuple[Any, ...]]]) -> Entry:
    return Entry(name, "training step", make, "JAX")


TRAINING = (
    _entry("perceptron, gradient descent", _perceptron),
    _entry("classifier, momentum", _classifier),
    _entry("convolutions, gradients", _convolutions),
    _entry("attention, Adam", _attention),
    _entry("low ranks beside a weight, gradients", _low_rank),
    _entry("images and texts, gradients", _contrast),
    _entry("recurrent by lax.scan, gradients", _scan),
)
