"""Pooling and resizing of images, channels last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import dtype_of
from ttl.host.attention import floats
from ttl.host.convolution import Borders, bordered, borders, channels_last, image, pair, windows
from ttl.host.errors import Code, describe, fail
from ttl.host.spread import computes
from ttl.host.tensor import Tensor

_OPTIONS = (
    "applied_shard_scheme",
    "deallocate_input",
    "reallocate_halo_output",
    "in_place_halo",
    "config_tensor_in_dram",
)


@computes(*_OPTIONS)
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
    *,
    memory_config: Any = None,
    dtype: Any = None,
    output_layout: Any = None,
) -> Tensor:
    """The largest element of each window of [n, h, w, c]; [1, 1, n h w, c]."""
    name = "max_pool2d"
    x = image(input_tensor, batch_size, input_h, input_w, channels, name)
    window, step, spread = (
        pair(kernel_size, name, "kernel_size"),
        pair(stride, name, "stride"),
        pair(dilation, name, "dilation"),
    )
    edges = _with_ceiling(x.shape, window, step, borders(padding, name), spread, ceil_mode)
    wide = bordered(x, edges, float("-inf"))
    values = engine.pick(
        lambda t, x: t.nn.functional.max_pool2d(x, window, step, 0, spread),
        lambda x: windows(x, window, step, spread).max((-1, -2)),
    )(wide)
    return _finished(values, input_tensor, dtype, output_layout, memory_config, name)


@computes(*_OPTIONS)
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
    *,
    memory_config: Any = None,
    dtype: Any = None,
    output_layout: Any = None,
) -> Tensor:
    """The mean of each window of [n, h, w, c]; [1, 1, n h w, c]."""
    name = "avg_pool2d"
    x = image(input_tensor, batch_size, input_h, input_w, channels, name)
    window, step, given = (
        pair(kernel_size, name, "kernel_size"),
        pair(stride, name, "stride"),
        borders(padding, name),
    )
    edges = _with_ceiling(x.shape, window, step, given, (1, 1), ceil_mode)
    total = _sums(bordered(x, edges), window, step)
    if divisor_override is not None:
        values = total / divisor_override
    else:
        # What lies beyond the padding (of a window at the end, with ceil_mode) never counts.
        ones = engine.pick(lambda t, x: t.ones_like(x[:1, :1]), lambda x: np.ones_like(x[:1, :1]))(x)
        counted = bordered(ones, given, 1.0) if count_include_pad else bordered(ones, given)
        rest = tuple(most - least for most, least in zip(edges, given, strict=True))
        values = total / _sums(bordered(counted, (rest[0], rest[1], rest[2], rest[3])), window, step)
    return _finished(values, input_tensor, dtype, output_layout, memory_config, name)


@computes()
def global_avg_pool2d(input_tensor: Tensor, *, memory_config: Any = None, dtype: Any = None) -> Tensor:
    """The mean of each channel of [n, h, w, c]; [n, 1, 1, c]."""
    found = floats(input_tensor, "global_avg_pool2d", "input", 4)
    values = engine.pick(
        lambda t, x: t.mean(x, (1, 2), keepdim=True), lambda x: np.mean(x, axis=(1, 2), keepdims=True)
    )(engine.loaded(found))
    return engine.finish(
        values, found, "global_avg_pool2d", dtype=dtype_of(dtype, found.dtype), memory_config=memory_config
    )


@computes()
def upsample(
    input_tensor: Tensor, scale_factor: Any, *, mode: str = "nearest", memory_config: Any = None
) -> Tensor:
    """[n, h, w, c] larger by whole factors: every element repeated, or ``mode="bilinear"``."""
    name = "upsample"
    found = floats(input_tensor, name, "input", 4)
    given = scale_factor if not isinstance(scale_factor, float) else int(scale_factor)
    rows, columns = pair(
        [int(each) for each in given] if isinstance(given, (list, tuple)) else given, name, "scale_factor"
    )
    if mode not in ("nearest", "bilinear") or not rows or not columns:
        fail(
            Code.WRONG_KIND,
            f"ttnn.{name}: mode {describe(mode)} with scale factors {rows} and {columns}",
            help='mode="nearest" or "bilinear", and factors of at least 1',
        )
    values = engine.loaded(found)
    if mode == "nearest":
        across = np.arange(found.shape[1] * rows) // rows, np.arange(found.shape[2] * columns) // columns
        values = values[:, across[0]][:, :, across[1]]
    else:
        values = _between(_between(values, 1, rows), 2, columns)
    return engine.finish(values, found, name, memory_config=memory_config)


def _between(values: Any, axis: int, factor: int) -> Any:
    """Linear interpolation along an axis; centres of elements are at 1/2."""
    extent = values.shape[axis]
    at = np.clip((np.arange(extent * factor) + 0.5) / factor - 0.5, 0, extent - 1)
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, extent - 1)
    shape = [1] * len(values.shape)
    shape[axis] = -1
    share = (at - low).astype(np.float32).reshape(shape)
    if not isinstance(values, np.ndarray):
        share = engine.pick(lambda t, x: t.from_numpy(x), lambda x: x)(share)
    index: Callable[[Any], tuple[Any, ...]] = lambda where: (slice(None),) * axis + (where,)  # noqa: E731
    return values[index(low)] * (1 - share) + values[index(high)] * share


def _sums(values: Any, window: tuple[int, int], step: tuple[int, int]) -> Any:
    area = window[0] * window[1]
    return engine.pick(
        lambda t, x: t.nn.functional.avg_pool2d(x, window, step) * area,
        lambda x: windows(x, window, step).sum((-1, -2), dtype=np.float32),
    )(values)


def _with_ceiling(
    shape: Any,
    window: tuple[int, int],
    step: tuple[int, int],
    edges: Borders,
    spread: tuple[int, int],
    ceiling: bool,
) -> Borders:
    """The borders, with more below and right where ``ceil_mode`` lets windows begin that end outside."""
    more = [0, 0]
    for axis in (0, 1):
        extent = int(shape[2 + axis]) + edges[2 * axis] + edges[2 * axis + 1]
        reach = spread[axis] * (window[axis] - 1) + 1
        if extent < reach or not step[axis]:
            fail(
                Code.SHAPES,
                f"a window of {window} does not fit into {tuple(shape[2:])}, or stride {step} is 0",
            )
        rest = (extent - reach) % step[axis]
        begins = extent - reach - rest + step[axis] < extent - edges[2 * axis + 1]
        more[axis] = step[axis] - rest if ceiling and rest and begins else 0
    return edges[0], edges[1] + more[0], edges[2], edges[3] + more[1]


def _finished(values: Any, x: Tensor, dtype: Any, layout: Any, memory_config: Any, name: str) -> Tensor:
    element = dtype_of(dtype, x.dtype)
    return engine.finish(
        channels_last(values), x, name, dtype=element, layout=layout, memory_config=memory_config
    )
