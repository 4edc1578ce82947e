"""Convolutions: ``conv1d``, ``conv2d``, ``conv_transpose2d``, and the preparation of their weights.

Images are channels last: [n, h, w, c] or [1, 1, n h w, c]. Weights are [out, in / groups, height, width].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ttl.host import engine
from ttl.host.arguments import dtype_of
from ttl.host.attention import count, floats
from ttl.host.calling import public
from ttl.host.config import Conv2dConfig
from ttl.host.errors import Code, describe, fail
from ttl.host.matmul import activate
from ttl.host.movement import to_device
from ttl.host.spread import computes
from ttl.host.tensor import Tensor
from ttl.ops.types import Layout

# Padding above, below, left and right.
Borders = tuple[int, int, int, int]


@computes("compute_config", "slice_config", "dram_slice_config")
def conv2d(
    *,
    input_tensor: Tensor,
    weight_tensor: Tensor,
    device: Any = None,
    in_channels: int,
    out_channels: int,
    batch_size: int,
    input_height: int,
    input_width: int,
    kernel_size: Any,
    stride: Any = (1, 1),
    padding: Any = (0, 0),
    dilation: Any = (1, 1),
    groups: int = 1,
    dtype: Any = None,
    bias_tensor: Tensor | None = None,
    conv_config: Any = None,
    memory_config: Any = None,
    return_output_dim: bool = False,
    return_weights_and_bias: bool = False,
) -> Any:
    """A convolution. The result is [1, 1, n h w, out]; with it the new (h, w) and the prepared weights, if asked for."""
    name = "conv2d"
    x, w = (
        _image(input_tensor, batch_size, input_height, input_width, in_channels, name),
        floats(weight_tensor, name, "weight", 4),
    )
    window, step, spread = (
        pair(kernel_size, name, "kernel_size"),
        pair(stride, name, "stride"),
        pair(dilation, name, "dilation"),
    )
    if tuple(w.shape) != (out_channels, in_channels // groups, *window):
        fail(
            Code.SHAPES,
            f"ttnn.{name}: a weight of shape {tuple(w.shape)}, not {(out_channels, in_channels // groups, *window)}",
            help="weights are [out_channels, in_channels / groups, kernel height, kernel width]",
        )
    values = _convolved(x, engine.loaded(w), step, borders(padding, name), spread, groups)
    return _finished(values, input_tensor, weight_tensor, bias_tensor, conv_config, dtype, memory_config, name,
                     return_output_dim, return_weights_and_bias)  # fmt: skip


@computes("compute_config")
def conv1d(
    *,
    input_tensor: Tensor,
    weight_tensor: Tensor,
    device: Any = None,
    in_channels: int,
    out_channels: int,
    batch_size: int,
    input_length: int,
    kernel_size: int,
    stride: int = 1,
    padding: Any = 0,
    dilation: int = 1,
    groups: int = 1,
    dtype: Any = None,
    bias_tensor: Tensor | None = None,
    conv_config: Any = None,
    memory_config: Any = None,
    return_output_dim: bool = False,
    return_weights_and_bias: bool = False,
) -> Any:
    """A convolution over [n, length, c], with weights [out, in / groups, size]; the result is [1, 1, n length, out]."""
    name = "conv1d"
    x = _image(input_tensor, batch_size, input_length, 1, in_channels, name)
    w = floats(weight_tensor, name, "weight")
    weights = engine.loaded(w).reshape(out_channels, in_channels // groups, kernel_size, 1)
    before, after = (padding, padding) if isinstance(padding, int) else pair(padding, name, "padding")
    values = _convolved(x, weights, (stride, 1), (before, after, 0, 0), (dilation, 1), groups)
    made = _finished(values, input_tensor, weight_tensor, bias_tensor, conv_config, dtype, memory_config, name,
                     return_output_dim, return_weights_and_bias)  # fmt: skip
    if return_output_dim:
        made[1] = made[1][0]
    return made


@computes("compute_config", "dram_slice_config")
def conv_transpose2d(
    *,
    input_tensor: Tensor,
    weight_tensor: Tensor,
    device: Any = None,
    in_channels: int,
    out_channels: int,
    batch_size: int,
    input_height: int,
    input_width: int,
    kernel_size: Any,
    stride: Any = (1, 1),
    padding: Any = (0, 0),
    output_padding: Any = (0, 0),
    dilation: Any = (1, 1),
    groups: int = 1,
    dtype: Any = None,
    bias_tensor: Tensor | None = None,
    conv_config: Any = None,
    memory_config: Any = None,
    mirror_kernel: bool = True,
    return_output_dim: bool = False,
    return_weights_and_bias: bool = False,
) -> Any:
    """The transposed convolution, with weights [in, out / groups, height, width]."""
    name = "conv_transpose2d"
    x, w = (
        _image(input_tensor, batch_size, input_height, input_width, in_channels, name),
        floats(weight_tensor, name, "weight", 4),
    )
    step, spread, more = (
        pair(stride, name, "stride"),
        pair(dilation, name, "dilation"),
        pair(output_padding, name, "output_padding"),
    )
    top, bottom, left, right = borders(padding, name)
    weights = engine.loaded(w)
    rows, columns = (spread[axis] * (weights.shape[2 + axis] - 1) for axis in (0, 1))
    weights = _mirrored(weights, groups) if mirror_kernel else _mirrored(_flipped(weights), groups)
    edges = (rows - top, rows - bottom + more[0], columns - left, columns - right + more[1])
    values = _convolved(_stretched(x, step), weights, (1, 1), edges, spread, groups)
    return _finished(values, input_tensor, weight_tensor, bias_tensor, conv_config, dtype, memory_config, name,
                     return_output_dim, return_weights_and_bias)  # fmt: skip


def _prepared(name: str, what: str) -> Any:
    def function(**options: Any) -> Tensor:
        found = options.get(f"{what}_tensor")
        tensor = floats(found, name, what)
        return tensor if options.get("device") is None else to_device(tensor, options["device"])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {what} as the convolution wants it: here as it is, on the device. Takes what the real one takes."
    return public()(function)


prepare_conv_weights = _prepared("prepare_conv_weights", "weight")
prepare_conv_bias = _prepared("prepare_conv_bias", "bias")
prepare_conv_transpose2d_weights = _prepared("prepare_conv_transpose2d_weights", "weight")
prepare_conv_transpose2d_bias = _prepared("prepare_conv_transpose2d_bias", "bias")


@public()
def get_conv_output_dim(input: int, window: int, stride: int = 1, pad: int = 0, dilation: int = 1) -> int:
    """How many positions a window has: ``(input + 2 pad - dilation (window - 1) - 1) // stride + 1``."""
    return (input + 2 * pad - dilation * (window - 1) - 1) // stride + 1


def pair(value: Any, name: str, what: str) -> tuple[int, int]:
    """One number for both directions, or two."""
    given = (value, value) if isinstance(value, int) else tuple(value) if isinstance(value, Sequence) else ()
    if len(given) != 2 or not all(isinstance(each, int) and each >= 0 for each in given):
        fail(Code.WRONG_KIND, f"ttnn.{name}: {what} is (height, width), not {describe(value)}")
    return given[0], given[1]


def borders(value: Any, name: str) -> Borders:
    """(height, width), or (top, bottom, left, right)."""
    if isinstance(value, Sequence) and len(value) == 4 and all(isinstance(each, int) for each in value):
        return value[0], value[1], value[2], value[3]
    height, width = pair(value, name, "padding")
    return height, height, width, width


def image(tensor: Any, batch: int, height: int, width: int, channels: int, name: str) -> Any:
    """A tensor's values as [n, c, h, w]."""
    found = floats(tensor, name, "input")
    for value, what in (
        (batch, "batch_size"),
        (height, "input_height"),
        (width, "input_width"),
        (channels, "channels"),
    ):
        count(value, name, what)
    if found.logical_volume() != batch * height * width * channels or found.shape[-1] != channels:
        fail(
            Code.SHAPES,
            f"ttnn.{name}: an input of shape {tuple(found.shape)} is not {batch} images of {height}x{width} with {channels} channels",
            help="images are [batch, height, width, channels], or [1, 1, batch * height * width, channels]",
        )
    values = engine.loaded(found).reshape(batch, height, width, channels)
    return engine.pick(lambda t, x: x.permute(0, 3, 1, 2), lambda x: x.transpose(0, 3, 1, 2))(values)


_image = image


def channels_last(values: Any) -> Any:
    """[n, c, h, w] as [1, 1, n h w, c]."""
    turned = engine.pick(lambda t, x: x.permute(0, 2, 3, 1), lambda x: x.transpose(0, 2, 3, 1))(values)
    return turned.reshape(1, 1, -1, values.shape[1])


def bordered(values: Any, edges: Borders, fill: float = 0.0) -> Any:
    """Values with borders; negative ones cut away."""
    top, bottom, left, right = edges
    cut = values[
        :,
        :,
        max(-top, 0) : values.shape[2] - max(-bottom, 0),
        max(-left, 0) : values.shape[3] - max(-right, 0),
    ]
    amounts = [max(each, 0) for each in edges]
    if not any(amounts):
        return cut
    pads = ((0, 0), (0, 0), (amounts[0], amounts[1]), (amounts[2], amounts[3]))
    return engine.pick(
        lambda t, x: t.nn.functional.pad(x, (amounts[2], amounts[3], amounts[0], amounts[1]), value=fill),
        lambda x: np.pad(x, pads, constant_values=fill),
    )(cut)


def windows(
    values: Any, window: tuple[int, int], step: tuple[int, int], spread: tuple[int, int] = (1, 1)
) -> Any:
    """[n, c, h, w] of NumPy as [n, c, rows, columns, window height, window width]."""
    size = tuple(spread[axis] * (window[axis] - 1) + 1 for axis in (0, 1))
    seen = sliding_window_view(values, size, axis=(2, 3))
    return seen[:, :, :: step[0], :: step[1], :: spread[0], :: spread[1]]


def _convolved(
    x: Any, w: Any, step: tuple[int, int], edges: Borders, spread: tuple[int, int], groups: int
) -> Any:
    x = bordered(x, edges)
    for axis in (0, 1):
        if spread[axis] * (w.shape[2 + axis] - 1) + 1 > x.shape[2 + axis] or not step[axis]:
            fail(
                Code.SHAPES,
                f"a window of {tuple(w.shape[2:])} does not fit into {tuple(x.shape[2:])}, or stride {step} is 0",
            )

    def in_numpy(x: Any, w: Any) -> Any:
        seen = windows(x, w.shape[2:], step, spread)
        parts = []
        inner, outer = x.shape[1] // groups, w.shape[0] // groups
        for group in range(groups):
            piece = seen[:, group * inner : (group + 1) * inner]
            weights = w[group * outer : (group + 1) * outer]
            parts.append(np.einsum("ncijhw,ochw->noij", piece, weights, optimize=True))
        return np.concatenate(parts, 1).astype(np.float32)

    return engine.pick(lambda t, x, w: t.nn.functional.conv2d(x, w, None, step, 0, spread, groups), in_numpy)(
        x, w
    )


def _stretched(x: Any, step: tuple[int, int]) -> Any:
    """Zeros between the elements, ``step - 1`` of them."""
    if step == (1, 1):
        return x
    n, c, h, w = x.shape
    shape = (n, c, (h - 1) * step[0] + 1, (w - 1) * step[1] + 1)
    wide = engine.pick(lambda t, x: x.new_zeros(shape), lambda x: np.zeros(shape, x.dtype))(x)
    wide[:, :, :: step[0], :: step[1]] = x
    return wide


def _flipped(w: Any) -> Any:
    return engine.pick(lambda t, x: t.flip(x, (2, 3)), lambda x: x[:, :, ::-1, ::-1])(w)


def _mirrored(w: Any, groups: int) -> Any:
    """[in, out / groups, h, w] as the weights of the convolution that does it: [out, in / groups, h, w], turned around."""
    inner, outer = w.shape[0] // groups, w.shape[1]
    turned = _flipped(w).reshape(groups, inner, outer, *w.shape[2:])
    return turned.swapaxes(1, 2).reshape(groups * outer, inner, *w.shape[2:])


def _finished(
    values: Any, x: Tensor, w: Tensor, bias: Any, config: Any, dtype: Any, memory_config: Any, name: str,
    with_size: bool, with_weights: bool,
) -> Any:  # fmt: skip
    if config is not None and not isinstance(config, Conv2dConfig):
        fail(Code.WRONG_KIND, f"ttnn.{name}: conv_config is a ttnn.Conv2dConfig, not {describe(config)}")
    size = [int(values.shape[2]), int(values.shape[3])]
    flat = channels_last(values)
    if bias is not None:
        added = floats(bias, name, "bias")
        if added.logical_volume() != flat.shape[-1]:
            fail(
                Code.SHAPES,
                f"ttnn.{name}: a bias of shape {tuple(added.shape)} for {flat.shape[-1]} channels",
            )
        flat = flat + engine.loaded(added).reshape(-1)
    flat = activate(flat, None if config is None else config.activation, name)
    order = Layout.TILE if config is None or config.output_layout is None else config.output_layout
    element = dtype_of(dtype, x.dtype)
    made = engine.finish(flat, x, name, dtype=element, layout=order, memory_config=memory_config)
    parts: list[Any] = [made]
    if with_size:
        parts.append(size)
    if with_weights:
        parts.append([w, bias])
    return parts if len(parts) > 1 else made
