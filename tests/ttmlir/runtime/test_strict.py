"""What the compiler writes, ``ttrt run --strict`` takes: no operation gets a layout that one on a card may refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import ttmlir.torch
from tt_model.operations import kinds
from tt_model.operations.ttnn import TTNN


class Function(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *given: Any) -> Any:
        return self.function(*given)


def drawn(*shape: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def _cache(cache: Any, new: Any) -> Any:
    """A row of a cache replaced, and the cache used."""
    cache = cache.clone()
    cache[:, 2:3] = new
    return cache @ cache.transpose(1, 2)


MODULES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "an LSTM cell": (torch.nn.LSTMCell(8, 16), (drawn(4, 8),)),
    "a GRU cell": (torch.nn.GRUCell(8, 16), (drawn(4, 8),)),
    "a part and a product": (Function(lambda x, w: x[:, 0] @ w), (drawn(4, 6, 8), drawn(8, 16))),
    "a cache": (Function(_cache), (drawn(2, 8, 16), drawn(2, 1, 16))),
    "rotary positions": (Function(lambda x: torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)), (drawn(2, 8, 16),)),
    "a part that is returned": (Function(lambda x: x[1:3, ::2]), (drawn(4, 8),)),
    "a part for a convolution": (Function(lambda x, w: torch.conv2d(x[:, :3], w)), (drawn(1, 4, 8, 8), drawn(2, 3, 3, 3))),
    "rows by numbers": (Function(lambda x, i: x[i] @ x.T), (drawn(5, 8), torch.tensor([0, -2]))),
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_a_module_of_torch(name: str) -> None:
    module, inputs = MODULES[name]
    model = ttmlir.torch.compile(module.eval(), *inputs)
    _check(model, inputs, module(*inputs))


def _check(model: Any, inputs: Any, wanted: Any) -> None:
    given = model(*inputs)
    assert not model.report.warnings, model.report.warnings
    several = [one if isinstance(one, tuple) else (one,) for one in (given, wanted)]
    for one, other in zip(*several, strict=True):
        np.testing.assert_allclose(_array(one), _array(other), rtol=1e-4, atol=1e-5)


def _array(one: Any) -> Any:
    return one.detach().numpy() if isinstance(one, torch.Tensor) else np.asarray(one)


def test_functions_of_jax() -> None:
    jax = pytest.importorskip("jax")
    from jax import lax
    from jax import numpy as jnp

    import ttmlir.jax

    def pooled(image: Any) -> Any:
        steps = (1, 2, 2, 1)
        return (lax.reduce_window(image, -jnp.inf, lax.max, steps, steps, "VALID") ** 2).sum()

    def scanned(rows: Any, w: Any) -> Any:
        return lax.scan(lambda carry, row: (jnp.tanh(carry @ w + row), carry), jnp.zeros(8), rows)[1]

    def turned(x: Any) -> Any:
        return jnp.concatenate([-x[..., 1::2], x[..., ::2]], -1)

    rows, weights, image = (np.asarray(drawn(*shape)) for shape in ((5, 8), (8, 8), (1, 8, 8, 4)))
    for function, inputs in ((scanned, (rows, weights)), (jax.grad(pooled), (image,)), (turned, (rows,))):
        _check(ttmlir.jax.compile(function, *inputs), inputs, function(*inputs))


def test_every_operation_says_which_tensors_it_takes() -> None:
    """But of destinations, which are memory, and of devices."""
    silent = [
        f"{row.name}: {group.name}"
        for row in TTNN.rows
        for group in row.operands
        if group.takes is None and group.kind is kinds.TENSOR and group.name != row.inits
    ]
    assert silent == []
