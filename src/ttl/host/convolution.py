"""Convolutions: ``conv1d``, ``conv2d``, ``conv_transpose2d``, and the preparation of their weights.

Images are channels last: [n, h, w, c] or [1, 1, n h w, c]. Weights are [out, in / groups, height, width].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from ttl.host import engine
from ttl.host.arguments import count_of, dtype_of, floats
from ttl.host.calling import named, public
from ttl.host.computing import computes, with_keywords
from ttl.host.config import Conv2dConfig
from ttl.host.errors import Code, describe, fail
from ttl.host.movement import to_device
from ttl.host.tensor import Tensor
from ttl.rows.types import Layout

__all__ = (
    "conv1d", "conv2d", "conv_transpose2d", "get_conv_output_dim", "prepare_conv_bias", "prepare_conv_transpose2d_bias",
    "prepare_conv_transpose2d_weights", "prepare_conv_weights",
)  # fmt: skip

# Padding above, below, left and right.
Borders = tuple[int, int, int, int]
# Two numbers: of rows and of columns.
Pair = tuple[int, int]


def _convolution(*options: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function that returns [n, out, h, w] public, with bias, activation and the form of the result added."""
    keywords: dict[str, Any] = dict.fromkeys(("dtype", "bias_tensor", "conv_config", "memory_config"))
    keywords |= dict.fromkeys(("return_output_dim", "return_weights_and_bias"), False)

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(**given: Any) -> Any:
            about = {name: given.pop(name, default) for name, default in keywords.items()}
            values = function(**given)
            result = _biased(values, given["input_tensor"], function.__name__, about)
            parts: list[Any] = [result]
            if about["return_output_dim"]:
                rows, columns = (int(extent) for extent in values.shape[2:])
                parts.append(rows if function.__name__ == "conv1d" else [rows, columns])
            if about["return_weights_and_bias"]:
                parts.append([given["weight_tensor"], about["bias_tensor"]])
            return parts if len(parts) > 1 else result

        return computes(*options)(with_keywords(call, function, keywords))

    return wrap


def _biased(values: Any, x: Tensor, name: str, about: dict[str, Any]) -> Tensor:
    """Add the bias and the activation, and return the result of a convolution, channels last."""
    bias, config = about["bias_tensor"], about["conv_config"]
    if config is not None and not isinstance(config, Conv2dConfig):
        fail(Code.WRONG_KIND, f"ttnn.{name}: conv_config is a ttnn.Conv2dConfig, not {describe(config)}")
    flat = channels_last(values)
    if bias is not None:
        added = floats(bias, name, "bias")
        if added.logical_volume() != flat.shape[-1]:
            fail(
                Code.SHAPES,
                f"ttnn.{name}: a bias of shape {tuple(added.shape)} for {flat.shape[-1]} channels",
            )
        flat = flat + engine.loaded(added).reshape(-1)
    flat = engine.activate(flat, None if config is None else config.activation, name)
    order = Layout.TILE if config is None or config.output_layout is None else config.output_layout
    element = dtype_of(about["dtype"], x.dtype)
    return engine.finish(flat, x, name, dtype=element, layout=order, memory_config=about["memory_config"])


@_convolution("compute_config", "slice_config", "dram_slice_config")
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
) -> Any:
    """A convolution. The result is [1, 1, n h w, out]; with it the new (h, w) and the prepared weights, if asked for."""
    name = "conv2d"
    x = image(input_tensor, batch_size, input_height, input_width, in_channels, name)
    w = floats(weight_tensor, name, "weight", 4)
    window, step, spread = pairs(name, kernel_size=kernel_size, stride=stride, dilation=dilation)
    if tuple(w.shape) != (out_channels, in_channels // groups, *window):
        fail(
            Code.SHAPES,
            f"ttnn.{name}: a weight of shape {tuple(w.shape)}, not {(out_channels, in_channels // groups, *window)}",
            help="weights are [out_channels, in_channels / groups, kernel height, kernel width]",
        )
    return _convolved(x, engine.loaded(w), step, borders(padding, name), spread, groups)


@_convolution("compute_config")
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
) -> Any:
    """A convolution over [n, length, c], with weights [out, in / groups, size]; the result is [1, 1, n length, out]."""
    name = "conv1d"
    x = image(input_tensor, batch_size, input_length, 1, in_channels, name)
    w = floats(weight_tensor, name, "weight")
    weights = engine.loaded(w).reshape(out_channels, in_channels // groups, kernel_size, 1)
    before, after = (padding, padding) if isinstance(padding, int) else pair(padding, name, "padding")
    return _convolved(x, weights, (stride, 1), (before, after, 0, 0), (dilation, 1), groups)


@_convolution("compute_config", "dram_slice_config")
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
    mirror_kernel: bool = True,
) -> Any:
    """The transposed convolution, with weights [in, out / groups, height, width]."""
    name = "conv_transpose2d"
    x = image(input_tensor, batch_size, input_height, input_width, in_channels, name)
    w = floats(weight_tensor, name, "weight", 4)
    step, spread, more = pairs(name, stride=stride, dilation=dilation, output_padding=output_padding)
    top, bottom, left, right = borders(padding, name)
    weights = engine.loaded(w)
    rows, columns = (spread[axis] * (weights.shape[2 + axis] - 1) for axis in (0, 1))
    weights = _mirrored(weights, groups) if mirror_kernel else _mirrored(_flipped(weights), groups)
    edges = (rows - top, rows - bottom + more[0], columns - left, columns - right + more[1])
    return _convolved(_stretched(x, step), weights, (1, 1), edges, spread, groups)


def _prepared(name: str, what: str) -> Any:
    def function(**options: Any) -> Tensor:
        tensor = floats(options.get(f"{what}_tensor"), name, what)
        return tensor if options.get("device") is None else to_device(tensor, options["device"])

    summary = f"The {what} as the convolution wants it: here as it is, on the device. Takes what the real one takes."
    return public()(named(function, name, summary))


prepare_conv_weights = _prepared("prepare_conv_weights", "weight")
prepare_conv_bias = _prepared("prepare_conv_bias", "bias")
prepare_conv_transpose2d_weights = _prepared("prepare_conv_transpose2d_weights", "weight")
prepare_conv_transpose2d_bias = _prepared("prepare_conv_transpose2d_bias", "bias")


@public()
def get_conv_output_dim(input: int, window: int, stride: int = 1, pad: int = 0, dilation: int = 1) -> int:
    """How many positions a window has: ``(input + 2 pad - dilation (window - 1) - 1) // stride + 1``."""
    return positions(input, window, stride, (pad, pad), dilation)


def positions(
    extent: int, window: int, step: int, edges: Pair, spread: int = 1, ceiling: bool = False
) -> int:
    """How many positions a window has; with ``ceiling`` also those that end outside, unless they begin there."""
    room = extent + edges[0] + edges[1] - spread * (window - 1) - 1
    if not ceiling:
        return room // step + 1
    steps = -(-room // step)
    return steps if steps * step >= extent + edges[0] else steps + 1


def pair(value: Any, name: str, what: str) -> Pair:
    """One number for both directions, or two."""
    given = (value, value) if isinstance(value, int) else tuple(value) if isinstance(value, Sequence) else ()
    if len(given) != 2 or not all(isinstance(number, int) and number >= 0 for number in given):
        fail(Code.WRONG_KIND, f"ttnn.{name}: {what} is (height, width), not {describe(value)}")
    return given[0], given[1]


def pairs(name: str, **values: Any) -> list[Pair]:
    """Arguments of a function that are one number for both directions, or two."""
    return [pair(value, name, what) for what, value in values.items()]


def borders(value: Any, name: str) -> Borders:
    """(height, width), or (top, bottom, left, right)."""
    if isinstance(value, Sequence) and len(value) == 4 and all(isinstance(number, int) for number in value):
        return value[0], value[1], value[2], value[3]
    height, width = pair(value, name, "padding")
    return height, height, width, width


def image(tensor: Any, batch: int, height: int, width: int, channels: int, name: str) -> Any:
    """Return a tensor's values as [n, c, h, w]."""
    x = floats(tensor, name)
    counts = {"batch_size": batch, "input_height": height, "input_width": width, "channels": channels}
    for what, value in counts.items():
        count_of(value, name, what)
    if x.logical_volume() != batch * height * width * channels or x.shape[-1] != channels:
        fail(
            Code.SHAPES,
            f"ttnn.{name}: an input of shape {tuple(x.shape)} is not {batch} images of {height}x{width} with {channels} channels",
            help="images are [batch, height, width, channels], or [1, 1, batch * height * width, channels]",
        )
    values = engine.loaded(x).reshape(batch, height, width, channels)
    return engine.functions().permute(values, (0, 3, 1, 2))


def channels_last(values: Any) -> Any:
    """[n, c, h, w] as [1, 1, n h w, c]."""
    return engine.functions().permute(values, (0, 2, 3, 1)).reshape(1, 1, -1, values.shape[1])


def bordered(values: Any, edges: Borders, fill: float = 0.0) -> Any:
    """Add borders to values; negative borders remove elements."""
    top, bottom, left, right = (max(-edge, 0) for edge in edges)
    cut = values[:, :, top : values.shape[2] - bottom, left : values.shape[3] - right]
    above, below, before, after = (max(edge, 0) for edge in edges)
    if not any((above, below, before, after)):
        return cut
    return engine.functions().pad(cut, (before, after, above, below), value=fill)


def check_window(window: Pair, extents: Any, step: Pair, spread: Pair) -> None:
    """Refuse a window that, with its gaps, does not fit into an image, and a stride of 0 (TTL1006)."""
    for axis in (0, 1):
        if spread[axis] * (window[axis] - 1) + 1 > extents[axis] or not step[axis]:
            fail(
                Code.SHAPES,
                f"a window of {window} does not fit into {tuple(extents)}, or stride {step} is 0",
            )


def _convolved(x: Any, w: Any, step: Pair, edges: Borders, spread: Pair, groups: int) -> Any:
    x = bordered(x, edges)
    check_window(tuple(w.shape[2:]), x.shape[2:], step, spread)
    return engine.functions().conv2d(x, w, None, step, 0, spread, groups)


def _stretched(x: Any, step: Pair) -> Any:
    """Insert ``step - 1`` zeros between the elements."""
    if step == (1, 1):
        return x
    n, c, h, w = x.shape
    wide = engine.functions().zeros((n, c, (h - 1) * step[0] + 1, (w - 1) * step[1] + 1), dtype=x.dtype)
    wide[:, :, :: step[0], :: step[1]] = x
    return wide


def _flipped(w: Any) -> Any:
    return engine.functions().flip(w, (2, 3))


def _mirrored(w: Any, groups: int) -> Any:
    """Convert weights [in, out / groups, h, w] for the equivalent convolution: [out, in / groups, h, w], mirrored."""
    inner, outer = w.shape[0] // groups, w.shape[1]
    turned = _flipped(w).reshape(groups, inner, outer, *w.shape[2:])
    return turned.swapaxes(1, 2).reshape(groups * outer, inner, *w.shape[2:])
