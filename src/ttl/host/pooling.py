"""Pooling and resizing of images, channels last."""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import floats
from ttl.host.computing import computes
from ttl.host.convolution import (
    Borders,
    Pair,
    bordered,
    borders,
    channels_last,
    check_window,
    image,
    pair,
    pairs,
)
from ttl.host.errors import Code, describe, fail
from ttl.host.tensor import Tensor

__all__ = ("avg_pool2d", "global_avg_pool2d", "max_pool2d", "upsample")

_OPTIONS = (
    "applied_shard_scheme",
    "deallocate_input",
    "reallocate_halo_output",
    "in_place_halo",
    "config_tensor_in_dram",
)
_RESULT = "memory_config dtype output_layout"


@computes(*_OPTIONS, result=_RESULT)
def max_pool2d(
    input_tensor: Tensor,
    batch_size: int,
    input_h: int,
    input_w: int,
    channels: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any = (1, 1),
    ceil_mode: bool = False,
) -> Any:
    """The largest element of each window of [n, h, w, c]; [1, 1, n h w, c]."""
    name = "max_pool2d"
    x = image(input_tensor, batch_size, input_h, input_w, channels, name)
    window, step, spread = pairs(name, kernel_size=kernel_size, stride=stride, dilation=dilation)
    edges = _with_ceiling(x.shape, window, step, borders(padding, name), spread, ceil_mode)
    wide = bordered(x, edges, float("-inf"))
    return channels_last(engine.functions().max_pool2d(wide, window, step, 0, spread)), input_tensor


@computes(*_OPTIONS, result=_RESULT)
def avg_pool2d(
    input_tensor: Tensor,
    batch_size: int,
    input_h: int,
    input_w: int,
    channels: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """The mean of each window of [n, h, w, c]; [1, 1, n h w, c]."""
    name = "avg_pool2d"
    x = image(input_tensor, batch_size, input_h, input_w, channels, name)
    window, step = pairs(name, kernel_size=kernel_size, stride=stride)
    given = borders(padding, name)
    edges = _with_ceiling(x.shape, window, step, given, (1, 1), ceil_mode)
    total = _sums(bordered(x, edges), window, step)
    if divisor_override is not None:
        return channels_last(total / divisor_override), input_tensor
    # Elements beyond the padding (of a window at the end, with ceil_mode) never count.
    ones = engine.functions().ones_like(x[:1, :1])
    counted = bordered(ones, given, 1.0) if count_include_pad else bordered(ones, given)
    top, bottom, left, right = (most - least for most, least in zip(edges, given, strict=True))
    counts = _sums(bordered(counted, (top, bottom, left, right)), window, step)
    return channels_last(total / counts), input_tensor


@computes(result="memory_config dtype")
def global_avg_pool2d(input_tensor: Tensor) -> Any:
    """The mean of each channel of [n, h, w, c]; [n, 1, 1, c]."""
    x = floats(input_tensor, "global_avg_pool2d", "input", 4)
    return engine.functions().mean(engine.loaded(x), (1, 2), keepdim=True), x


@computes(result="memory_config")
def upsample(input_tensor: Tensor, scale_factor: Any, *, mode: str = "nearest") -> Any:
    """[n, h, w, c] larger by whole factors: every element repeated, or ``mode="bilinear"``."""
    name = "upsample"
    x = floats(input_tensor, name, "input", 4)
    given = scale_factor if not isinstance(scale_factor, float) else int(scale_factor)
    factors = [int(factor) for factor in given] if isinstance(given, (list, tuple)) else given
    rows, columns = pair(factors, name, "scale_factor")
    if mode not in ("nearest", "bilinear") or not rows or not columns:
        fail(
            Code.WRONG_KIND,
            f"ttnn.{name}: mode {describe(mode)} with scale factors {rows} and {columns}",
            help='mode="nearest" or "bilinear", and factors of at least 1',
        )
    values = engine.loaded(x)
    if mode == "bilinear":
        return _between(_between(values, 1, rows), 2, columns), x
    below, across = np.arange(x.shape[1] * rows) // rows, np.arange(x.shape[2] * columns) // columns
    return values[:, below][:, :, across], x


def _between(values: Any, axis: int, factor: int) -> Any:
    """Linear interpolation along an axis; centres of elements are at 1/2."""
    extent = values.shape[axis]
    at = np.clip((np.arange(extent * factor) + 0.5) / factor - 0.5, 0, extent - 1)
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, extent - 1)
    shape = [1] * len(values.shape)
    shape[axis] = -1
    share = engine.arranged((at - low).astype(np.float32).reshape(shape))
    before = (slice(None),) * axis
    return values[(*before, low)] * (1 - share) + values[(*before, high)] * share


def _sums(values: Any, window: Pair, step: Pair) -> Any:
    return engine.functions().avg_pool2d(values, window, step) * (window[0] * window[1])


def _with_ceiling(
    shape: Any, window: Pair, step: Pair, edges: Borders, spread: Pair, ceiling: bool
) -> Borders:
    """The borders, with more below and right where ``ceil_mode`` lets windows begin that end outside."""
    extents = [int(shape[2 + axis]) + edges[2 * axis] + edges[2 * axis + 1] for axis in (0, 1)]
    check_window(window, extents, step, spread)
    more = [0, 0]
    for axis, extent in enumerate(extents):
        reach = spread[axis] * (window[axis] - 1) + 1
        rest = (extent - reach) % step[axis]
        begins = extent - reach - rest + step[axis] < extent - edges[2 * axis + 1]
        more[axis] = step[axis] - rest if ceiling and rest and begins else 0
    return edges[0], edges[1] + more[0], edges[2], edges[3] + more[1]
