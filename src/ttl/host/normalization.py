"""``softmax``, ``layer_norm``, ``rms_norm`` and their relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import dtype_of, number_of, tensor_of
from ttl.host.calling import public
from ttl.host.errors import Code, fail
from ttl.host.shape import broadcast, dimension
from ttl.host.spread import computes
from ttl.host.tensor import Tensor
from ttl.ops.dtypes import DType
from ttl.ops.types import Layout


@computes("numeric_stable")
def softmax(
    input_tensor: Tensor,
    dim: int = -1,
    *,
    memory_config: Any = None,
    dtype: DType | None = None,
    output_tensor: Any = None,
) -> Tensor:
    """``exp(x - max)`` over its sum along a dimension."""
    found = _floats(input_tensor, "softmax")
    values = _softmax(engine.loaded(found), dimension(dim, len(found.shape), "softmax"))
    element = dtype_of(dtype, found.dtype)
    return engine.finish(
        values, found, "softmax", dtype=element, memory_config=memory_config, output=output_tensor
    )


@computes("numeric_stable")
def softmax_in_place(input_tensor: Tensor, dim: int = -1) -> Tensor:
    """``softmax``, written into its operand."""
    return softmax(input_tensor, dim, output_tensor=input_tensor)


@computes("numeric_stable", "is_causal_mask")
def scale_mask_softmax(
    input_tensor: Tensor, scale: float | None = None, mask: Tensor | None = None, *, memory_config: Any = None
) -> Tensor:
    """``softmax(x * scale + mask)`` along the last dimension."""
    found = _floats(input_tensor, "scale_mask_softmax")
    values = engine.loaded(found)
    if scale is not None:
        values = values * number_of(scale, "scale_mask_softmax", "scale")
    if mask is not None:
        added = _floats(mask, "scale_mask_softmax", "mask")
        broadcast(found.shape, added.shape, "scale_mask_softmax")
        values = values + engine.loaded(added)
    return engine.finish(_softmax(values, -1), found, "scale_mask_softmax", memory_config=memory_config)


def _softmax(values: Any, axis: int) -> Any:
    def in_numpy(x: Any) -> Any:
        powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return powers / np.sum(powers, axis=axis, keepdims=True)

    return engine.pick(lambda t, x: t.softmax(x, axis), in_numpy)(values)


@computes("recip_tensor")
def layer_norm(
    input_tensor: Tensor,
    *,
    epsilon: float = 1e-12,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    residual_input_tensor: Tensor | None = None,
    memory_config: Any = None,
    dtype: DType | None = None,
) -> Tensor:
    """``(x - mean) / sqrt(variance + epsilon) * weight + bias`` along the last dimension; x includes the residual."""
    found = _floats(input_tensor, "layer_norm")
    values = _with_residual(found, residual_input_tensor, "layer_norm")
    values = values - _mean(values)
    values = values / (_mean(values * values) + number_of(epsilon, "layer_norm", "epsilon")) ** 0.5
    values = _scaled(values, found, weight, bias, "layer_norm")
    return engine.finish(
        values, found, "layer_norm", dtype=dtype_of(dtype, found.dtype), memory_config=memory_config
    )


@computes()
def rms_norm(
    input_tensor: Tensor,
    *,
    epsilon: float = 1e-12,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    residual_input_tensor: Tensor | None = None,
    memory_config: Any = None,
    dtype: DType | None = None,
) -> Tensor:
    """``x / sqrt(mean(x²) + epsilon) * weight + bias`` along the last dimension; x includes the residual."""
    found = _floats(input_tensor, "rms_norm")
    values = _with_residual(found, residual_input_tensor, "rms_norm")
    values = values / (_mean(values * values) + number_of(epsilon, "rms_norm", "epsilon")) ** 0.5
    values = _scaled(values, found, weight, bias, "rms_norm")
    return engine.finish(
        values, found, "rms_norm", dtype=dtype_of(dtype, found.dtype), memory_config=memory_config
    )


def _floats(value: Any, function: str, what: str = "input") -> Tensor:
    found = tensor_of(value, function, what)
    if not found.dtype.is_float:
        fail(
            Code.ELEMENT_TYPE,
            f"ttnn.{function}: the {what} is {found.dtype}, not floating-point",
            help="use ttnn.typecast",
        )
    if not found.shape:
        fail(Code.SHAPES, f"ttnn.{function}: the {what} has no dimensions")
    return found


def _with_residual(tensor: Tensor, residual: Any, function: str) -> Any:
    values = engine.loaded(tensor)
    if residual is None:
        return values
    added = _floats(residual, function, "residual")
    if added.shape != tensor.shape:
        fail(
            Code.SHAPES,
            f"ttnn.{function}: a residual of shape {tuple(added.shape)} for {tuple(tensor.shape)}",
        )
    return values + engine.loaded(added)


def _mean(values: Any) -> Any:
    return engine.pick(
        lambda t, x: t.mean(x, -1, keepdim=True), lambda x: np.mean(x, axis=-1, keepdims=True)
    )(values)


def _scaled(values: Any, tensor: Tensor, weight: Any, bias: Any, function: str) -> Any:
    for what, operand in (("weight", weight), ("bias", bias)):
        if operand is None:
            continue
        factor = _floats(operand, function, what)
        flat = engine.loaded(factor)
        # Weights also come row by row of 32, as TT-NN wants them for row-major layout: (1, 1, width / 32, 32).
        if factor.logical_volume() == tensor.shape[-1]:
            flat = flat.reshape(-1)
        elif broadcast(tuple(values.shape), factor.shape, function) != tuple(values.shape):
            fail(
                Code.SHAPES,
                f"ttnn.{function}: a {what} of shape {tuple(factor.shape)} for {tuple(tensor.shape)}",
            )
        values = values * flat if what == "weight" else values + flat
    return values


@computes("input_mask", "negative_mask", "inplace", "num_out_blocks", "use_welford", "reciprocals")
def group_norm(
    input_tensor: Tensor,
    *,
    num_groups: int,
    epsilon: float = 1e-12,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    memory_config: Any = None,
    dtype: DType | None = None,
    output_layout: Any = None,
) -> Tensor:
    """Each image's channels, in groups, to mean 0 and variance 1, times weight plus bias; input [n, 1, h w, c]."""
    found = _floats(input_tensor, "group_norm")
    channels = found.shape[-1]
    if (
        isinstance(num_groups, bool)
        or not isinstance(num_groups, int)
        or num_groups < 1
        or channels % num_groups
    ):
        fail(Code.SHAPES, f"ttnn.group_norm: {channels} channels can't be cut into {num_groups} groups")
    values = engine.loaded(found)
    grouped = values.reshape(found.shape[0], -1, num_groups, channels // num_groups)
    both = engine.pick(
        lambda t, x: t.mean(x, (1, 3), keepdim=True), lambda x: np.mean(x, axis=(1, 3), keepdims=True)
    )
    grouped = grouped - both(grouped)
    grouped = grouped / (both(grouped * grouped) + number_of(epsilon, "group_norm", "epsilon")) ** 0.5
    values = grouped.reshape(tuple(found.shape))
    for what, operand in (("weight", weight), ("bias", bias)):
        if operand is None:
            continue
        # Rows of 32, padded at the end, as ttnn.create_group_norm_weight_bias_rm makes them.
        flat = engine.loaded(_floats(operand, "group_norm", what)).reshape(-1)
        if flat.shape[0] < channels:
            fail(Code.SHAPES, f"ttnn.group_norm: a {what} of {flat.shape[0]} for {channels} channels")
        values = values * flat[:channels] if what == "weight" else values + flat[:channels]
    element = dtype_of(dtype, found.dtype)
    return engine.finish(
        values, found, "group_norm", dtype=element, layout=output_layout, memory_config=memory_config
    )


@public()
def create_group_norm_weight_bias_rm(input_tensor: Any, num_channels: int, num_cores_x: int) -> Any:
    """Weight or bias of a group normalization as rows of 32, padded at the end of each core's part: [1, 1, rows, 32]."""
    flat = input_tensor.reshape(num_cores_x, num_channels // num_cores_x)
    width = -(-flat.shape[1] // 32) * 32
    if num_cores_x > 1 and width != flat.shape[1]:
        fail(
            Code.UNSUPPORTED,
            "ttnn.create_group_norm_weight_bias_rm: channels of a core that are no multiple of 32",
        )
    wide = (
        input_tensor.new_zeros((num_cores_x, width))
        if hasattr(input_tensor, "new_zeros")
        else np.zeros((num_cores_x, width), np.float32)
    )
    wide[:, : flat.shape[1]] = flat
    return wide.reshape(1, 1, -1, 32)


@public("num_cores_across_channel", "tile_height", "tile_width")
def create_group_norm_input_mask(
    num_channel: int, num_groups: int, num_cores_across_channel: int = 1, data_type: Any = None
) -> Tensor:
    """The mask that the real group normalization wants; here nobody looks at it."""
    from ttl.host.creation import ones

    made: Tensor = ones(
        (1, num_groups, 32, -(-num_channel // num_groups // 32) * 32), dtype=data_type, layout=Layout.TILE
    )
    return made


@computes()
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
    output: Any = None,
    memory_config: Any = None,
) -> Tensor:
    """[n, c, h, w] with each channel to mean 0 and variance 1: the running ones, or with ``training`` its own, which update them."""
    found = _floats(input, "batch_norm")
    if len(found.shape) != 4:
        fail(Code.SHAPES, f"ttnn.batch_norm: the input is [n, c, h, w], not {tuple(found.shape)}")
    values = engine.loaded(found)
    operands = []
    for what, operand in (
        ("running mean", running_mean),
        ("running variance", running_var),
        ("weight", weight),
        ("bias", bias),
    ):
        one = (
            None
            if operand is None
            else engine.loaded(_floats(operand, "batch_norm", what)).reshape(1, -1, 1, 1)
        )
        if one is not None and one.shape[1] != found.shape[1]:
            fail(Code.SHAPES, f"ttnn.batch_norm: a {what} of {one.shape[1]} for {found.shape[1]} channels")
        operands.append(one)
    mean, variance, scale, shift = operands
    if training:
        over = engine.pick(
            lambda t, x: t.mean(x, (0, 2, 3), keepdim=True),
            lambda x: np.mean(x, axis=(0, 2, 3), keepdims=True),
        )
        own = over(values)
        spread = over((values - own) ** 2)
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
    values = values if shift is None else values + shift
    return engine.finish(values, found, "batch_norm", memory_config=memory_config, output=output)
