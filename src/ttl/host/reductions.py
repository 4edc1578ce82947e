"""Reductions over dimensions: ``sum``, ``mean``, ``max``, ``min``, ``prod``, ``std``, ``var``, ``argmax``, ``topk``, ``cumsum`` and others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ttl.diag.remedies import Argument
from ttl.host import engine
from ttl.host.arguments import dtype_of, number_of, tensor_of
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import dimension, volume
from ttl.host.spread import computes
from ttl.host.tensor import Tensor
from ttl.ops.dtypes import UINT16, UINT32, DType
from ttl.ops.types import Layout


def _reduce(
    name: str, summary: str, in_torch: Callable[..., Any], in_numpy: Callable[..., Any]
) -> Callable[..., Tensor]:
    def function(
        input_tensor: Tensor,
        dim: Any = None,
        keepdim: bool = False,
        *,
        scalar: float = 1.0,
        memory_config: Any = None,
        output_tensor: Any = None,
    ) -> Tensor:
        found = tensor_of(input_tensor, name)
        dims = _dims(dim, found, name)
        values = engine.loaded(found)
        if name == "mean" and not found.dtype.is_float:
            fail(Code.ELEMENT_TYPE, f"ttnn.mean works on floating-point tensors, not {found.dtype}")
        if 0 in (found.shape[each] for each in dims):
            fail(Code.SHAPES, f"ttnn.{name} over an empty dimension of shape {tuple(found.shape)}")
        result = engine.pick(in_torch, in_numpy)(values, dims, bool(keepdim))
        factor = number_of(scalar, name, "scalar")
        if factor != 1.0:
            result = result * factor
        return engine.finish(result, found, name, memory_config=memory_config, output=output_tensor)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary} over a dimension, several, or (``dim=None``) all; times ``scalar``."
    return computes()(function)


def _mean(values: Any, dims: tuple[int, ...], keepdim: bool) -> Any:
    return engine.pick(
        lambda t, x: t.mean(x, dims, keepdim=keepdim) if dims else x,
        lambda x: np.mean(x, axis=dims, keepdims=keepdim),
    )(values)


def _dims(dim: Any, tensor: Tensor, function: str) -> tuple[int, ...]:
    rank = len(tensor.shape)
    if dim is None:
        return tuple(range(rank))
    given = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    found = tuple(dimension(each, rank, function) for each in given)
    if len(set(found)) != len(found):
        fail(Code.DIMENSION, f"ttnn.{function}: a dimension twice in {given}")
    return found or tuple(range(rank))


def _prod(t: Any, x: Any, dims: tuple[int, ...], keep: bool) -> Any:
    for dim in sorted(dims, reverse=True):
        x = t.prod(x, dim, keepdim=keep)
    return x


sum = _reduce(
    "sum",
    "Sum",
    lambda t, x, d, k: t.sum(x, d, keepdim=k) if d else x,
    lambda x, d, k: np.sum(x, axis=d, keepdims=k),
)
mean = _reduce(
    "mean",
    "Mean",
    lambda t, x, d, k: t.mean(x, d, keepdim=k) if d else x,
    lambda x, d, k: np.mean(x, axis=d, keepdims=k),
)
max = _reduce(
    "max",
    "Largest value",
    lambda t, x, d, k: t.amax(x, d, keepdim=k),
    lambda x, d, k: np.max(x, axis=d, keepdims=k),
)
min = _reduce(
    "min",
    "Smallest value",
    lambda t, x, d, k: t.amin(x, d, keepdim=k),
    lambda x, d, k: np.min(x, axis=d, keepdims=k),
)
prod = _reduce("prod", "Product", _prod, lambda x, d, k: np.prod(x, axis=d, keepdims=k))


def _spread_of(name: str, summary: str, root: bool) -> Callable[..., Tensor]:
    def function(
        input_tensor: Tensor,
        dim: Any = None,
        keepdim: bool = False,
        *,
        scalar: float = 1.0,
        correction: bool = True,
        memory_config: Any = None,
    ) -> Tensor:
        found = tensor_of(input_tensor, name)
        if not found.dtype.is_float:
            fail(Code.ELEMENT_TYPE, f"ttnn.{name} works on floating-point tensors, not {found.dtype}")
        if not isinstance(correction, int):
            fail(
                Code.WRONG_KIND,
                f"ttnn.{name}: correction is a bool or an integer, not {describe(correction)}",
            )
        dims, less = _dims(dim, found, name), int(correction)
        values = engine.loaded(found)
        count = volume(found.shape[each] for each in dims)
        off = values - _mean(values, dims, True)
        total = engine.pick(
            lambda t, x: t.sum(x, dims, keepdim=bool(keepdim)) if dims else x,
            lambda x: np.sum(x, axis=dims, keepdims=bool(keepdim)),
        )(off * off)
        values = total / (count - less) if count > less else total * math.nan
        values = values**0.5 if root else values
        values = values * number_of(scalar, name, "scalar")
        return engine.finish(values, found, name, memory_config=memory_config)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{summary} over a dimension, several, or all; ``correction`` divides by n - 1 instead of n."
    )
    return computes()(function)


std = _spread_of("std", "Standard deviation", True)
var = _spread_of("var", "Variance", False)


@computes("use_multicore")
def argmax(
    input_tensor: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """Index of the largest value along a dimension, or in the flattened tensor. uint32, row-major."""
    found = tensor_of(input_tensor, "argmax")
    axis = None if dim is None else dimension(dim, len(found.shape), "argmax")
    values = np.asarray(engine.loaded(found))
    if values.size == 0:
        fail(Code.SHAPES, f"ttnn.argmax of an empty tensor of shape {tuple(found.shape)}")
    result = np.argmax(values, axis=axis, keepdims=bool(keepdim))
    return engine.finish(
        np.asarray(result),
        found,
        "argmax",
        dtype=UINT32,
        layout=Layout.ROW_MAJOR,
        memory_config=memory_config,
        output=output_tensor,
    )


@computes("indices_tensor")
def topk(
    input_tensor: Tensor,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
    *,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> tuple[Tensor, Tensor]:
    """The ``k`` largest (or smallest) values along a dimension, in order, and their indices (uint16)."""
    found = tensor_of(input_tensor, "topk")
    axis = dimension(dim, len(found.shape), "topk")
    if not isinstance(k, int) or not 1 <= k <= found.shape[axis]:
        fail(
            Code.OUT_OF_RANGE,
            f"ttnn.topk: {describe(k)} of the {found.shape[axis]} values in dimension {axis}",
            help=f"k is 1 to {found.shape[axis]}",
            remedy=Argument(name="k", value=str(found.shape[axis]), position=1),
        )
    values = np.asarray(engine.loaded(found))
    order = np.argsort(-values if largest else values, axis=axis, kind="stable")
    order = np.take(order, np.arange(k), axis)
    best = np.take_along_axis(values, order, axis)
    outputs = output_tensor if output_tensor is not None else (None, None)
    if not isinstance(outputs, (tuple, list)) or len(outputs) != 2:
        fail(Code.WRONG_KIND, f"ttnn.topk: output_tensor is a pair of tensors, not {describe(outputs)}")
    index_type = UINT16 if found.shape[axis] <= 2**16 else UINT32
    return (
        engine.finish(best, found, "topk", memory_config=memory_config, output=outputs[0]),
        engine.finish(order, found, "topk", dtype=index_type, memory_config=memory_config, output=outputs[1]),
    )


@computes()
def sort(
    input_tensor: Tensor,
    dim: int = -1,
    descending: bool = False,
    stable: bool = False,
    *,
    memory_config: Any = None,
) -> tuple[Tensor, Tensor]:
    """The values in order along a dimension, and their indices (uint16)."""
    found = tensor_of(input_tensor, "sort")
    axis = dimension(dim, len(found.shape), "sort")
    return topk(found, _some(found.shape[axis]), axis, descending, memory_config=memory_config)


def _some(extent: int) -> int:
    """An extent that something can be chosen from."""
    if extent == 0:
        fail(Code.SHAPES, "ttnn.sort along an empty dimension")
    return extent


def _running(name: str, in_torch: Callable[..., Any], in_numpy: Callable[..., Any]) -> Callable[..., Tensor]:
    def function(
        input_tensor: Tensor,
        dim: int,
        *,
        dtype: DType | None = None,
        memory_config: Any = None,
        out: Any = None,
    ) -> Tensor:
        found = tensor_of(input_tensor, name)
        axis = dimension(dim, len(found.shape), name)
        values = engine.pick(in_torch, in_numpy)(engine.loaded(found), axis)
        return engine.finish(
            values, found, name, dtype=dtype_of(dtype, found.dtype), memory_config=memory_config, output=out
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Running {'sum' if name == 'cumsum' else 'product'} along a dimension."
    return computes()(function)


cumsum = _running("cumsum", lambda t, x, d: t.cumsum(x, d), lambda x, d: np.cumsum(x, axis=d, dtype=x.dtype))
cumprod = _running(
    "cumprod", lambda t, x, d: t.cumprod(x, d), lambda x, d: np.cumprod(x, axis=d, dtype=x.dtype)
)
