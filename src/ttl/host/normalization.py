"""``softmax``, ``layer_norm``, ``rms_norm`` and their relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import dtype_of, number_of, tensor_of
from ttl.host.errors import Code, fail
from ttl.host.shape import broadcast, dimension
from ttl.host.spread import computes
from ttl.host.tensor import Tensor
from ttl.ops.dtypes import DType


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
