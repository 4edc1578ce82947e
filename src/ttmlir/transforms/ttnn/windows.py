"""Conversion of convolution and pooling to TTNN, which reads flat images: 1x1x(batch*height*width)xchannels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from xdsl.ir import SSAValue

from tt_model.operations.tensors import shape_of, tensor_type_of
from tt_model.operations.ttir import TTIRConv2dOp, TTIRMaxPool2dOp
from ttmlir.transforms.conversion import Conversion, with_shape

_FLAT = "batch, height and width are one dimension, as TTNN's windows read them; the layout is that of the whole shape"


def conv2d(op: TTIRConv2dOp, conversion: Conversion) -> None:
    """Convert a convolution; the bias and the weights keep their layouts."""
    _over_flat_image(
        op,
        conversion,
        shape_of(op.weight)[-2:],
        op.weight,
        op.bias,
        in_channels=shape_of(op.input)[-1],
        out_channels=shape_of(op.result)[-1],
        groups=op.groups,
    )


def max_pool2d(op: TTIRMaxPool2dOp, conversion: Conversion) -> None:
    """Convert a pooling: its result is in rows, as its input is read."""
    kernel = (op.kernel_height, op.kernel_width)
    _over_flat_image(op, conversion, kernel, channels=shape_of(op.input)[-1], ceil_mode=op.ceil_mode)


def _over_flat_image(
    op: TTIRConv2dOp | TTIRMaxPool2dOp,
    conversion: Conversion,
    kernel: Sequence[int],
    *further: SSAValue | None,
    **attributes: Any,
) -> None:
    """Convert a window operation to one on flat images, between reshapes. ``further``: operands behind the input."""
    device = conversion.device()
    source = conversion.whole(op.input)
    batch, height, width, _ = shape_of(source)
    type = with_shape(tensor_type_of(source), _flat_shape(shape_of(source)))
    flat = conversion.make("ttnn.reshape", [source], [type], {"shape": type.get_shape()}).result
    conversion.because(flat, _FLAT)
    init = conversion.empty(
        with_shape(tensor_type_of(conversion.use(op.output)), _flat_shape(shape_of(op.result)))
    )
    others = [None if value is None else conversion.whole(value) for value in further]
    new = conversion.make(
        f"ttnn.{op.ROW.mnemonic}",
        [flat, *others, init, device],
        [init.type],
        {
            "batch_size": batch,
            "input_height": height,
            "input_width": width,
            "kernel_height": kernel[0],
            "kernel_width": kernel[1],
            "stride_height": op.stride_height,
            "stride_width": op.stride_width,
            "padding_height": op.padding_top,
            "padding_width": op.padding_right,
            "dilation_height": op.dilation_height,
            "dilation_width": op.dilation_width,
            **attributes,
        },
    )
    shaped = conversion.make("ttnn.reshape", [new.result], [op.result.type], {"shape": shape_of(op.result)})
    conversion.become([op.result], [shaped.result])
    conversion.because(new.result, _FLAT)
    conversion.because(init, _FLAT)


def _flat_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (1, 1, math.prod(shape[:-1]), shape[-1])
