"""Steps of convolutions and pools, on images that are flattened to ``1, 1, NHW, C``."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING

from tt_model.operations.result_shapes import window_positions
from tt_model.operations.ttnn import TTNNConv2dOp, TTNNMaxPool2dOp
from tt_model.runtime.operands import Fields, Step, computed, device_of, number_of, result_of
from tt_model.runtime.pool import TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.sharding import images
from tt_model.runtime.tensors import TensorDescription

if TYPE_CHECKING:
    import torch


def conv2d(fields: Fields) -> Step:
    """Return the step of a convolution of flattened images."""
    source, weight, out = number_of(fields, "input"), number_of(fields, "weight"), result_of(fields)
    bias = number_of(fields, "bias") if "bias" in fields else None
    pair = _pairs(fields)
    stride, padding, dilation = (pair(name) for name in ("stride", "padding", "dilation"))
    batch, height, width = (int(fields[name]) for name in ("batch_size", "input_height", "input_width"))
    channels, groups = int(fields["in_channels"]), int(fields.get("groups", 1))
    device = device_of(fields)

    def run(pool: TensorPool) -> None:
        import torch

        # The real operation moves an input on the host to the device itself.
        tensor, filters = pool.operand(source, TTNNConv2dOp.input), pool.operand(weight, TTNNConv2dOp.weight)
        if prod(tensor.shape) != batch * height * width * channels:
            raise RuntimeProblem(
                f"tensor {source} ({tensor.describe()}) has not {batch}x{height}x{width}x{channels} elements",
                at=pool.at,
            )
        _check_windows(pool, fields, (height, width), pair, out, batch)

        def convolved(given: torch.Tensor, filters: torch.Tensor, *offsets: torch.Tensor) -> torch.Tensor:
            values = torch.nn.functional.conv2d(
                _images(given, batch, height, width, channels).to(torch.float32),
                filters.to(torch.float32),
                offsets[0].reshape(-1).to(torch.float32) if offsets else None,
                stride=stride,
                padding=padding,
                dilation=dilation,
                groups=groups,
            )
            return values.permute(0, 2, 3, 1).reshape(1, 1, -1, values.shape[1])

        operands = [tensor, filters, *([] if bias is None else [pool.operand(bias, TTNNConv2dOp.bias)])]
        values = computed(pool, convolved, images, *operands)
        pool.put_result(out, values, tensor.data_type, TTNNConv2dOp, *operands, mesh=pool.mesh(device))

    return run


def _images(values: torch.Tensor, batch: int, height: int, width: int, channels: int) -> torch.Tensor:
    """Convert flattened images to torch's form, with channels first.

    They are copied unless they have this order in memory: for ambiguous strides, such as those of one channel, oneDNN
    computes a wrong convolution.
    """
    import torch

    images = values.reshape(batch, height, width, channels).permute(0, 3, 1, 2)
    if images.stride() == (channels * height * width, height * width, width, 1):
        return images
    return torch.empty(images.shape, dtype=images.dtype).copy_(images)


def max_pool2d(fields: Fields) -> Step:
    """Return the step of a maximum pooling of flattened images."""
    source, out, pair = number_of(fields, "in"), result_of(fields), _pairs(fields)
    kernel, stride, padding, dilation = (pair(name) for name in ("kernel", "stride", "padding", "dilation"))
    batch, height, width = (int(fields[name]) for name in ("batch_size", "input_height", "input_width"))
    channels, ceil_mode = int(fields["channels"]), bool(fields.get("ceil_mode", False))

    def run(pool: TensorPool) -> None:
        import torch

        tensor = pool.operand(source, TTNNMaxPool2dOp.input)
        _check_windows(pool, fields, (height, width), pair, out, batch, ceil_mode)

        def pooled(given: torch.Tensor) -> torch.Tensor:
            values = torch.nn.functional.max_pool2d(
                _images(given, batch, height, width, channels),
                kernel,
                stride=stride,
                padding=padding,
                dilation=dilation,
                ceil_mode=ceil_mode,
            )
            return values.permute(0, 2, 3, 1).reshape(1, 1, -1, channels)

        values = computed(pool, pooled, images, tensor)
        pool.put_result(out, values, tensor.data_type, TTNNMaxPool2dOp, tensor)

    return run


def _pairs(fields: Fields) -> Callable[[str], tuple[int, int]]:
    def pair(name: str) -> tuple[int, int]:
        default = 0 if name == "padding" else 1
        return int(fields.get(f"{name}_height", default)), int(fields.get(f"{name}_width", default))

    return pair


def _check_windows(
    pool: TensorPool,
    fields: Fields,
    extents: tuple[int, int],
    pair: Callable[[str], tuple[int, int]],
    out: TensorDescription,
    batch: int,
    ceil_mode: bool = False,
) -> None:
    """Refuse windows without a position, or with far more positions than the result, before memory is allocated."""
    places = batch
    numbers = zip(extents, pair("kernel"), pair("stride"), pair("padding"), pair("dilation"))
    for extent, kernel, stride, padding, dilation in numbers:
        if min(kernel, stride, dilation) < 1 or padding < 0:
            raise RuntimeProblem(
                f"a kernel of {kernel} with stride {stride}, padding {padding} and dilation {dilation} is not possible",
                at=pool.at,
            )
        places *= window_positions(extent, kernel, stride, (padding, padding), dilation, ceil_mode=ceil_mode)
    wanted = prod(out.shape[:-1])
    # A few positions more or less are found when the shape of the result is compared; far more are due to a broken
    # number.
    if places < 1 or places > 4 * wanted + 1024:
        raise RuntimeProblem(
            f"the windows have {places:,} places, and {out} has {wanted:,}: {'x'.join(map(str, out.shape))}",
            at=pool.at,
        )
