"""Reductions over dimensions: ``sum``, ``mean``, ``max``, ``min``, ``prod``, ``std``, ``var``, ``argmax``, ``topk``, ``cumsum`` and others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ttl.diag.remedies import Argument
from ttl.host import engine
from ttl.host.arguments import number_of, tensor_of
from ttl.host.calling import named
from ttl.host.computing import computes
from ttl.host.errors import Code, describe, fail
from ttl.host.shape import dimension, volume
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import UINT16, UINT32
from ttl.rows.types import Layout

__all__ = (
    "argmax", "cumprod", "cumsum", "max", "mean", "min", "prod", "sort", "std", "sum", "topk", "var",
)  # fmt: skip


def _reduce(name: str, summary: str, formula: Callable[..., Any]) -> Callable[..., Tensor]:
    """Make a reduction. The formula gets the computing functions, values, dimensions, and whether dimensions stay."""

    def function(input_tensor: Tensor, dim: Any = None, keepdim: bool = False, *, scalar: float = 1.0) -> Any:
        x = tensor_of(input_tensor, name)
        dims = _dims(dim, x, name)
        values = engine.loaded(x)
        if name == "mean" and not x.dtype.is_float:
            fail(Code.ELEMENT_TYPE, f"ttnn.mean works on floating-point tensors, not {x.dtype}")
        if 0 in (x.shape[axis] for axis in dims):
            fail(Code.SHAPES, f"ttnn.{name} over an empty dimension of shape {tuple(x.shape)}")
        result = formula(engine.functions(), values, dims, bool(keepdim))
        factor = number_of(scalar, name, "scalar")
        return result if factor == 1.0 else result * factor, x

    summary = f"{summary} over a dimension, several, or (``dim=None``) all; times ``scalar``."
    return computes(result="memory_config output_tensor")(named(function, name, summary))


def _dims(dim: Any, tensor: Tensor, function: str) -> tuple[int, ...]:
    rank = len(tensor.shape)
    if dim is None:
        return tuple(range(rank))
    given = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    axes = tuple(dimension(axis, rank, function) for axis in given)
    if len(set(axes)) != len(axes):
        fail(Code.DIMENSION, f"ttnn.{function}: a dimension twice in {given}")
    return axes or tuple(range(rank))


# Without dimensions torch reduces all of them, but a tensor without dimensions is its own sum and mean.
def _sum(f: Any, x: Any, dims: tuple[int, ...], keepdim: bool) -> Any:
    return f.sum(x, dims, keepdim=keepdim) if dims else x


def _mean(f: Any, x: Any, dims: tuple[int, ...], keepdim: bool) -> Any:
    return f.mean(x, dims, keepdim=keepdim) if dims else x


def _prod(f: Any, x: Any, dims: tuple[int, ...], keepdim: bool) -> Any:
    for dim in sorted(dims, reverse=True):
        x = f.prod(x, dim, keepdim=keepdim)
    return x


sum = _reduce("sum", "Sum", _sum)
mean = _reduce("mean", "Mean", _mean)
max = _reduce("max", "Largest value", lambda f, x, dims, keepdim: f.amax(x, dims, keepdim=keepdim))
min = _reduce("min", "Smallest value", lambda f, x, dims, keepdim: f.amin(x, dims, keepdim=keepdim))
prod = _reduce("prod", "Product", _prod)


def _spread_of(name: str, summary: str, root: bool) -> Callable[..., Tensor]:
    def function(
        input_tensor: Tensor,
        dim: Any = None,
        keepdim: bool = False,
        *,
        scalar: float = 1.0,
        correction: bool = True,
    ) -> Any:
        x = tensor_of(input_tensor, name)
        if not x.dtype.is_float:
            fail(Code.ELEMENT_TYPE, f"ttnn.{name} works on floating-point tensors, not {x.dtype}")
        if not isinstance(correction, int):
            fail(
                Code.WRONG_KIND,
                f"ttnn.{name}: correction is a bool or an integer, not {describe(correction)}",
            )
        dims, less = _dims(dim, x, name), int(correction)
        values, f = engine.loaded(x), engine.functions()
        count = volume(x.shape[axis] for axis in dims)
        off = values - _mean(f, values, dims, True)
        total = _sum(f, off * off, dims, bool(keepdim))
        values = total / (count - less) if count > less else total * math.nan
        values = values**0.5 if root else values
        return values * number_of(scalar, name, "scalar"), x

    summary = f"{summary} over a dimension, several, or all; ``correction`` divides by n - 1 instead of n."
    return computes(result="memory_config")(named(function, name, summary))


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
    x = tensor_of(input_tensor, "argmax")
    axis = None if dim is None else dimension(dim, len(x.shape), "argmax")
    values = np.asarray(engine.loaded(x))
    if values.size == 0:
        fail(Code.SHAPES, f"ttnn.argmax of an empty tensor of shape {tuple(x.shape)}")
    where = np.asarray(np.argmax(values, axis=axis, keepdims=bool(keepdim)))
    order = Layout.ROW_MAJOR
    return engine.finish(
        where, x, "argmax", dtype=UINT32, layout=order, memory_config=memory_config, output=output_tensor
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
    x = tensor_of(input_tensor, "topk")
    axis = dimension(dim, len(x.shape), "topk")
    if not isinstance(k, int) or not 1 <= k <= x.shape[axis]:
        fail(
            Code.OUT_OF_RANGE,
            f"ttnn.topk: {describe(k)} of the {x.shape[axis]} values in dimension {axis}",
            help=f"k is 1 to {x.shape[axis]}",
            remedy=Argument(name="k", value=str(x.shape[axis]), position=1),
        )
    values = np.asarray(engine.loaded(x))
    order = np.argsort(-values if largest else values, axis=axis, kind="stable")
    order = np.take(order, np.arange(k), axis)
    best = np.take_along_axis(values, order, axis)
    outputs = output_tensor if output_tensor is not None else (None, None)
    if not isinstance(outputs, (tuple, list)) or len(outputs) != 2:
        fail(Code.WRONG_KIND, f"ttnn.topk: output_tensor is a pair of tensors, not {describe(outputs)}")
    index_type = UINT16 if x.shape[axis] <= 2**16 else UINT32
    return (
        engine.finish(best, x, "topk", memory_config=memory_config, output=outputs[0]),
        engine.finish(order, x, "topk", dtype=index_type, memory_config=memory_config, output=outputs[1]),
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
    x = tensor_of(input_tensor, "sort")
    axis = dimension(dim, len(x.shape), "sort")
    k = _some(x.shape[axis])
    return topk(x, k, axis, descending, memory_config=memory_config)  # type: ignore[no-any-return]


def _some(extent: int) -> int:
    """Return an extent, along which elements can be sorted; refuse 0."""
    if extent == 0:
        fail(Code.SHAPES, "ttnn.sort along an empty dimension")
    return extent


def _running(name: str, summary: str) -> Callable[..., Tensor]:
    def function(input_tensor: Tensor, dim: int) -> Any:
        x = tensor_of(input_tensor, name)
        axis = dimension(dim, len(x.shape), name)
        return getattr(engine.functions(), name)(engine.loaded(x), axis), x

    return computes(result="dtype memory_config out")(named(function, name, summary))


cumsum = _running("cumsum", "Running sum along a dimension.")
cumprod = _running("cumprod", "Running product along a dimension.")
