"""Tensors from nothing: ``zeros``, ``ones``, ``full``, ``empty``, ``arange``, ``rand``, ``randn`` and ``*_like``."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ttl.host import storage
from ttl.host.arguments import check_type, device_of, dtype_of, layout_of, number_of, place, tensor_of, untold
from ttl.host.calling import named, public
from ttl.host.errors import Code, describe, fail
from ttl.host.mesh import replicate
from ttl.host.shape import extents_of, stored
from ttl.host.storage import TensorMemory
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import FLOAT32, Array, DType
from ttl.rows.types import Layout

__all__ = (
    "arange", "empty", "empty_like", "full", "full_like", "ones", "ones_like", "rand", "randn", "zeros", "zeros_like",
)  # fmt: skip


def _filled_with(name: str, value: float, summary: str) -> Callable[..., Tensor]:
    def function(
        shape: Any,
        dtype: DType | None = None,
        layout: Any = None,
        device: Any = None,
        memory_config: Any = None,
    ) -> Tensor:
        return untold(_filled(value, extents_of(shape), dtype, layout, device, memory_config), name, layout)

    return public()(named(function, name, summary))


zeros = _filled_with("zeros", 0, "A tensor of zeros. Default: bfloat16, row-major, on the host.")
ones = _filled_with("ones", 1, "A tensor of ones. Default: bfloat16, row-major, on the host.")
empty = _filled_with(
    "empty", 0, "A tensor whose contents a program must not rely on (here: zeros, so that runs repeat)."
)


@public()
def full(
    shape: Any,
    fill_value: float,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    memory_config: Any = None,
) -> Tensor:
    """A tensor of one value, rounded to the type. Default: bfloat16, row-major, on the host."""
    value = number_of(fill_value, "full", "fill_value")
    return untold(_filled(value, extents_of(shape), dtype, layout, device, memory_config), "full", layout)


def _like_another(name: str, value: float, summary: str) -> Callable[..., Tensor]:
    def function(
        tensor: Tensor,
        dtype: DType | None = None,
        layout: Any = None,
        device: Any = None,
        memory_config: Any = None,
    ) -> Tensor:
        return _like(name, value, tensor, dtype, layout, device, memory_config)

    return public()(named(function, name, summary))


_ANOTHER = "with shape, type, layout and place of another tensor"
zeros_like = _like_another("zeros_like", 0, f"Zeros {_ANOTHER}, where nothing else is said.")
ones_like = _like_another("ones_like", 1, f"Ones {_ANOTHER}, where nothing else is said.")
empty_like = _like_another("empty_like", 0, f"Like ``empty``, {_ANOTHER}.")


@public()
def full_like(
    tensor: Tensor,
    fill_value: float,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    memory_config: Any = None,
) -> Tensor:
    """One value in the shape of another tensor, and by default with its type, layout and place."""
    value = number_of(fill_value, "full_like", "fill_value")
    return _like("full_like", value, tensor, dtype, layout, device, memory_config)


@public()
def arange(
    start: int,
    end: int | None = None,
    step: int = 1,
    dtype: DType | None = None,
    device: Any = None,
    memory_config: Any = None,
    layout: Any = None,
) -> Tensor:
    """``start, start + step, ...`` below ``end``, in one dimension; ``arange(end)`` starts at 0."""
    first, last = (0, start) if end is None else (start, end)
    try:
        bounds = [operator.index(bound) for bound in (first, last, step)]
    except TypeError:
        fail(
            Code.WRONG_KIND,
            f"ttnn.arange counts in integers, not from {describe(first)} to {describe(last)} by {describe(step)}",
        )
    if bounds[2] == 0:
        fail(Code.OUT_OF_RANGE, "ttnn.arange with a step of 0 never ends")
    storage.check_size((max(-(-(bounds[1] - bounds[0]) // bounds[2]), 0),), FLOAT32)
    values = np.arange(*bounds)
    return _of_values(values, values.shape, dtype_of(dtype), layout_of(layout), device, memory_config)


@public()
def rand(
    shape: Any,
    device: Any = None,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    memory_config: Any = None,
    low: float = 0.0,
    high: float = 1.0,
    seed: int = 0,
) -> Tensor:
    """Random values, uniform from ``low`` to ``high``. Default: bfloat16, tiled.

    ``seed=0`` draws the seed from torch's generator, so that ``torch.manual_seed`` makes a run repeatable.
    """
    extents = extents_of(shape)
    bottom, top = number_of(low, "rand", "low"), number_of(high, "rand", "high")
    if bottom > top:
        fail(Code.OUT_OF_RANGE, f"ttnn.rand from {bottom} up to {top}", help="low is the smaller one")
    storage.check_size(extents, FLOAT32)
    values = _generator(seed).random(extents, np.float32) * np.float32(top - bottom) + np.float32(bottom)
    order = layout_of(layout, Layout.TILE)
    return _of_values(values, extents, dtype_of(dtype), order, device, memory_config)


@public()
def randn(
    shape: Any,
    device: Any = None,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    memory_config: Any = None,
    seed: int = 0,
) -> Tensor:
    """Random values of the normal distribution with mean 0 and variance 1. Default: bfloat16, tiled."""
    extents = extents_of(shape)
    storage.check_size(extents, FLOAT32)
    values = _generator(seed).standard_normal(extents, np.float32)
    order = layout_of(layout, Layout.TILE)
    return _of_values(values, extents, dtype_of(dtype), order, device, memory_config)


def _generator(seed: Any) -> np.random.Generator:
    if not isinstance(seed, int) or seed < 0:
        fail(Code.OUT_OF_RANGE, f"a seed is a natural number, not {describe(seed)}")
    torch = storage.torch_if_imported()
    if seed == 0 and torch is not None:
        seed = int(torch.randint(1, 2**31, (), device="cpu"))
    return np.random.default_rng(seed or None)


def _like(
    function: str, value: float, tensor: Any, dtype: Any, layout: Any, device: Any, memory_config: Any
) -> Tensor:
    model = tensor_of(tensor, function, "model")
    order = layout_of(layout, model.layout)
    where = model._device if device is None else device
    config = model._memory_config if memory_config is None else memory_config
    return _filled(value, tuple(model.shape), dtype_of(dtype, model.dtype), order, where, config)


def _filled(
    value: float, shape: tuple[int, ...], dtype: Any, layout: Any, device: Any, memory_config: Any
) -> Tensor:
    element, order = dtype_of(dtype), layout_of(layout)
    check_type(element, order)
    if value == 0:
        return _placed(
            storage.zeros(stored(shape, order), element), shape, element, order, device, memory_config
        )
    memory = storage.empty(stored(shape, order), element)
    kind = np.float32 if element.is_float or isinstance(value, float) else np.int64
    memory.array.fill(element.store(np.array([value], kind))[0])
    return _placed(memory, shape, element, order, device, memory_config)


def _of_values(
    values: Array, shape: tuple[int, ...], dtype: DType, layout: Layout, device: Any, memory_config: Any
) -> Tensor:
    check_type(dtype, layout)
    kind = np.float32 if dtype.is_float or values.dtype.kind == "f" else np.int64
    memory = storage.empty(stored(shape, layout), dtype)
    memory.array[...] = dtype.store(values.astype(kind)).reshape(memory.array.shape)
    return _placed(memory, shape, dtype, layout, device, memory_config)


def _placed(
    memory: TensorMemory,
    shape: tuple[int, ...],
    dtype: DType,
    layout: Layout,
    device: Any,
    memory_config: Any,
) -> Tensor:
    target = device_of(device)
    config = place(memory_config, shape, layout, target)
    return replicate(Tensor._of(memory, shape, dtype, layout, target, config), target)
