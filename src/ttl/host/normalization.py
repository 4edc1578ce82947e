"""``softmax``, ``layer_norm``, ``rms_norm`` and their relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import floats, number_of
from ttl.host.calling import public
from ttl.host.computing import computes
from ttl.host.creation import ones
from ttl.host.errors import Code, fail
from ttl.host.shape import broadcast, dimension
from ttl.host.tensor import Tensor
from ttl.rows.types import TILE, Layout

__all__ = (
    "batch_norm", "create_group_norm_input_mask", "create_group_norm_weight_bias_rm", "group_norm", "layer_norm", "rms_norm",
    "scale_mask_softmax", "softmax", "softmax_in_place",
)  # fmt: skip


@computes("numeric_stable", result="memory_config dtype output_tensor")
def softmax(input_tensor: Tensor, dim: int = -1) -> Any:
    """``exp(x - max)`` over its sum along a dimension."""
    x = _rows(input_tensor, "softmax")
    axis = dimension(dim, len(x.shape), "softmax")
    return engine.functions().softmax(engine.loaded(x), axis), x


@computes("numeric_stable")
def softmax_in_place(input_tensor: Tensor, dim: int = -1) -> Tensor:
    """``softmax``, written into its operand."""
    return softmax(input_tensor, dim, output_tensor=input_tensor)  # type: ignore[no-any-return]


@computes("numeric_stable", "is_causal_mask", result="memory_config")
def scale_mask_softmax(input_tensor: Tensor, scale: float | None = None, mask: Tensor | None = None) -> Any:
    """``softmax(x * scale + mask)`` along the last dimension."""
    x = _rows(input_tensor, "scale_mask_softmax")
    values = engine.loaded(x)
    if scale is not None:
        values = values * number_of(scale, "scale_mask_softmax", "scale")
    if mask is not None:
        added = _rows(mask, "scale_mask_softmax", "mask")
        broadcast(x.shape, added.shape, "scale_mask_softmax")
        values = values + engine.loaded(added)
    return engine.functions().softmax(values, -1), x


@computes("recip_tensor", result="memory_config dtype")
def layer_norm(
    input_tensor: Tensor,
    *,
    epsilon: float = 1e-12,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    residual_input_tensor: Tensor | None = None,
) -> Any:
    """``(x - mean) / sqrt(variance + epsilon) * weight + bias`` along the last dimension; x includes the residual."""
    return _normalized("layer_norm", input_tensor, residual_input_tensor, epsilon, weight, bias)


@computes(result="memory_config dtype")
def rms_norm(
    input_tensor: Tensor,
    *,
    epsilon: float = 1e-12,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    residual_input_tensor: Tensor | None = None,
) -> Any:
    """``x / sqrt(mean(x²) + epsilon) * weight + bias`` along the last dimension; x includes the residual."""
    return _normalized("rms_norm", input_tensor, residual_input_tensor, epsilon, weight, bias)


def _normalized(
    function: str, tensor: Any, residual: Any, epsilon: Any, weight: Any, bias: Any
) -> tuple[Any, Tensor]:
    x = _rows(tensor, function)
    values = _with_residual(x, residual, function)
    if function == "layer_norm":
        values = values - engine.functions().mean(values, -1, keepdim=True)
    values = values / _deviation(values, -1, epsilon, function)
    return _scaled(values, x, weight, bias, function), x


def _deviation(values: Any, dims: Any, epsilon: Any, function: str) -> Any:
    """The root of the mean square over dimensions, which stay with extent 1."""
    variance = engine.functions().mean(values * values, dims, keepdim=True)
    return (variance + number_of(epsilon, function, "epsilon")) ** 0.5


def _rows(value: Any, function: str, what: str = "input") -> Tensor:
    """Return a floating-point tensor that has a last dimension."""
    tensor = floats(value, function, what)
    if not tensor.shape:
        fail(Code.SHAPES, f"ttnn.{function}: the {what} has no dimensions")
    return tensor


def _with_residual(tensor: Tensor, residual: Any, function: str) -> Any:
    values = engine.loaded(tensor)
    if residual is None:
        return values
    added = _rows(residual, function, "residual")
    if added.shape != tensor.shape:
        fail(
            Code.SHAPES,
            f"ttnn.{function}: a residual of shape {tuple(added.shape)} for {tuple(tensor.shape)}",
        )
    return values + engine.loaded(added)


def _scaled(values: Any, tensor: Tensor, weight: Any, bias: Any, function: str) -> Any:
    for what, operand in (("weight", weight), ("bias", bias)):
        if operand is None:
            continue
        factor = _rows(operand, function, what)
        flat = engine.loaded(factor)
        # Weights also come row by row of 32, as TT-NN wants them for row-major layout: (1, 1, width / 32, 32).
        if factor.logical_volume() == tensor.shape[-1]:
            flat = flat.reshape(-1)
        elif (
            factor.layout is Layout.TILE
            and factor.logical_volume() == TILE * tensor.shape[-1]
            and factor.shape[-2] == TILE
        ):
            # Or as a row of whole tiles, of which the kernel reads the first row of elements.
            flat = flat.reshape(TILE, -1)[0]
        elif broadcast(tuple(values.shape), factor.shape, function) != tuple(values.shape):
            fail(
                Code.SHAPES,
                f"ttnn.{function}: a {what} of shape {tuple(factor.shape)} for {tuple(tensor.shape)}",
            )
        values = values * flat if what == "weight" else values + flat
    return values


@computes(
    "input_mask", "negative_mask", "inplace", "num_out_blocks", "use_welford", "reciprocals",
    result="memory_config dtype output_layout",
)  # fmt: skip
def group_norm(
    input_tensor: Tensor,
    *,
    num_groups: int,
    epsilon: float = 1e-12,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
) -> Any:
    """Each image's channels, in groups, to mean 0 and variance 1, times weight plus bias; input [n, 1, h w, c]."""
    x = _rows(input_tensor, "group_norm")
    channels = x.shape[-1]
    whole = isinstance(num_groups, int) and not isinstance(num_groups, bool) and num_groups > 0
    if not whole or channels % num_groups:
        fail(Code.SHAPES, f"ttnn.group_norm: {channels} channels can't be cut into {num_groups} groups")
    grouped = engine.loaded(x).reshape(x.shape[0], -1, num_groups, channels // num_groups)
    grouped = grouped - engine.functions().mean(grouped, (1, 3), keepdim=True)
    grouped = grouped / _deviation(grouped, (1, 3), epsilon, "group_norm")
    values = grouped.reshape(tuple(x.shape))
    for what, operand in (("weight", weight), ("bias", bias)):
        if operand is None:
            continue
        # Rows of 32, padded at the end, as ttnn.create_group_norm_weight_bias_rm makes them.
        flat = engine.loaded(_rows(operand, "group_norm", what)).reshape(-1)
        if flat.shape[0] < channels:
            fail(Code.SHAPES, f"ttnn.group_norm: a {what} of {flat.shape[0]} for {channels} channels")
        values = values * flat[:channels] if what == "weight" else values + flat[:channels]
    return values, x


@public()
def create_group_norm_weight_bias_rm(input_tensor: Any, num_channels: int, num_cores_x: int) -> Any:
    """Weight or bias of a group normalization as rows of 32, padded at the end of each core's part: [1, 1, rows, 32]."""
    flat = input_tensor.reshape(num_cores_x, num_channels // num_cores_x)
    width = -(-flat.shape[1] // TILE) * TILE
    if num_cores_x > 1 and width != flat.shape[1]:
        fail(
            Code.UNSUPPORTED,
            "ttnn.create_group_norm_weight_bias_rm: channels of a core that are not a multiple of 32",
        )
    is_torch = hasattr(input_tensor, "new_zeros")
    shape = num_cores_x, width
    wide = input_tensor.new_zeros(shape) if is_torch else np.zeros(shape, np.float32)
    wide[:, : flat.shape[1]] = flat
    return wide.reshape(1, 1, -1, TILE)


@public("num_cores_across_channel", "tile_height", "tile_width")
def create_group_norm_input_mask(
    num_channel: int, num_groups: int, num_cores_across_channel: int = 1, data_type: Any = None
) -> Tensor:
    """The mask that the real group normalization takes; ours does not read it."""
    width = -(-num_channel // num_groups // TILE) * TILE
    return ones((1, num_groups, TILE, width), dtype=data_type, layout=Layout.TILE)


@computes(result="output memory_config")
def batch_norm(
    input: Tensor,
    *,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    training: bool = False,
    eps: float = 1e-5,
    momentum: float = 0.1,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
) -> Any:
    """[n, c, h, w] with each channel to mean 0 and variance 1: the running ones, or with ``training`` its own, which update them."""
    x = _rows(input, "batch_norm")
    if len(x.shape) != 4:
        fail(Code.SHAPES, f"ttnn.batch_norm: the input is [n, c, h, w], not {tuple(x.shape)}")
    values = engine.loaded(x)
    mean, variance, scale, shift = (
        _of_channels(operand, what, x)
        for operand, what in (
            (running_mean, "running mean"), (running_var, "running variance"), (weight, "weight"), (bias, "bias"),
        )
    )  # fmt: skip
    if training:
        over = engine.functions().mean
        own = over(values, (0, 2, 3), keepdim=True)
        spread = over((values - own) ** 2, (0, 2, 3), keepdim=True)
        share = number_of(momentum, "batch_norm", "momentum")
        elements = values.shape[0] * values.shape[2] * values.shape[3]
        for target, old, new in (
            (running_mean, mean, own),
            (running_var, variance, spread * elements / max(elements - 1, 1)),
        ):
            if target is not None and old is not None:
                updated = old * (1 - share) + new * share
                engine.finish(updated.reshape(tuple(target.shape)), target, "batch_norm", output=target)
        mean, variance = own, spread
    if mean is None or variance is None:
        fail(Code.SIGNATURE, "ttnn.batch_norm: running_mean and running_var are needed without training=True")
    values = (values - mean) / (variance + number_of(eps, "batch_norm", "eps")) ** 0.5
    values = values if scale is None else values * scale
    return values if shift is None else values + shift, x


def _of_channels(operand: Any, what: str, x: Tensor) -> Any:
    """Return a value for each channel as [1, c, 1, 1]; None if there is no value."""
    if operand is None:
        return None
    values = engine.loaded(_rows(operand, "batch_norm", what)).reshape(1, -1, 1, 1)
    if values.shape[1] != x.shape[1]:
        fail(Code.SHAPES, f"ttnn.batch_norm: a {what} of {values.shape[1]} for {x.shape[1]} channels")
    return values
