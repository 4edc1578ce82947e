"""Operations without a conversion to TTNN, whatever the layouts of their tensors, and alternatives that work."""

from __future__ import annotations

import struct

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Operation

from tt_model.layouts.elements import data_type_of
from tt_model.operations.constants import splat_of
from tt_model.operations.operation import TTIROperation
from tt_model.operations.row import NoLowering
from tt_model.operations.stages import Stage, on
from tt_model.operations.tensors import shape_of, tensor_type_of
from tt_model.operations.ttir import TTIRConstantOp, TTIRConv2dOp, TTIRFillOp, TTIRMaxPool2dOp
from tt_model.operations.ttnn import TTNNMaxPool2dOp
from ttl.ir.dense import is_splat
from ttl.ir.refusals import Refusal
from ttmlir.transforms.decomposition import DECOMPOSITIONS

_LEGAL = {"builtin", "func", "ttnn"}
_SYMMETRIC = (
    "what works: the same padding on both sides; or pad before, by ttir.concat with constants, and give the operation "
    "no padding"
)


def refusal_of(op: Operation) -> Refusal | None:
    """Return why an operation has no conversion; None if it has one, or if that depends on layouts only."""
    if isinstance(op, EmptyOp) or op.name.partition(".")[0] in _LEGAL:
        return None
    if not isinstance(op, TTIROperation):
        return Refusal(
            f"{op.name} is not an operation of TTIR, and TTNN has no operation for it",
            "what works: operations of TTIR, such as ttir.constant for arith.constant; a function is called, not branched to",
        )
    if DECOMPOSITIONS.of(type(op)) is not None:
        return Refusal(
            f"{op.name} has to be decomposed into operations of TTNN first",
            "what works: the pass ttir-to-ttir-decomposition in front of this one",
        )
    match op.ROW.lowering:
        case NoLowering(reason=reason):
            return Refusal(reason, "what works: the way to TTMetal (ttir-to-ttmetal-backend-pipeline)")
    condition = CONDITIONS.of(type(op))
    return None if condition is None else condition(op)


def _constant_refusal(op: TTIRConstantOp | TTIRFillOp) -> Refusal | None:
    value = op.value
    number = splat_of(op)
    if number is not None:
        element = tensor_type_of(op.result).element_type
        exact = struct.unpack("<f", struct.pack("<f", number))[0] == number
        if exact or not isinstance(element, IntegerType):
            return None
        return Refusal(
            f"its value {number:.0f} is not a 32-bit float, but TTNN fills tensors with 32-bit floats only",
            f"what works: integers from {-(1 << 24)} to {1 << 24}, or the tensor as an argument of the function",
        )
    if isinstance(value, DenseIntOrFPElementsAttr) and is_splat(value):
        type = value.type.element_type
        return Refusal(
            f"its value is of the type {type}, which TTNN cannot fill tensors with",
            "what works: floats, and integers of 1, 8, 16, 32 or 64 bits",
        )
    shape = "x".join(map(str, shape_of(op.result)))
    return Refusal(
        f"its value is not one number repeated, but TTNN fills tensors ({shape} here) with one number only",
        "what works: dense<number> with one number, small tables by --ttir-to-ttir-decomposition in front of this pass; other "
        "tensors as arguments of the function",
    )


def _padding_refusal(op: TTIRConv2dOp | TTIRMaxPool2dOp) -> Refusal | None:
    top, bottom, left, right = op.padding_top, op.padding_bottom, op.padding_left, op.padding_right
    if top == bottom and left == right:
        return None
    return Refusal(
        f"TTNN pads both sides equally: padding_top = {top}, padding_bottom = {bottom}, padding_left = {left}, "
        f"padding_right = {right}",
        _SYMMETRIC,
    )


def _conv2d_refusal(op: TTIRConv2dOp) -> Refusal | None:
    rank = len(shape_of(op.input))
    if rank != 4:
        return Refusal(
            f"TTNN's convolution reads batch, height, width and channels, and the input has {rank} dimensions",
            "what works: an input of four dimensions, by ttir.reshape or ttir.unsqueeze",
        )
    bias = op.bias
    if bias is not None and shape_of(bias)[:-1] != (1, 1, 1):
        return Refusal(
            f"the bias {'x'.join(map(str, shape_of(bias)))} has data in a dimension other than the last",
            "what works: a bias of the shape 1x1x1xchannels, by ttir.reshape",
        )
    return _padding_refusal(op)


def _max_pool2d_refusal(op: TTIRMaxPool2dOp) -> Refusal | None:
    element = tensor_type_of(op.input).element_type
    takes = TTNNMaxPool2dOp.input.takes
    if takes is None or not takes.type_of(data_type_of(element)):
        return Refusal(
            f"'ttnn.max_pool2d' op currently only supports an input type of bfloat16, and this one is {element}",
            "what works: ttir.typecast to bf16 before, and back after",
        )
    return _padding_refusal(op)


CONDITIONS = Stage(
    on(TTIRConstantOp, _constant_refusal),
    on(TTIRFillOp, _constant_refusal),
    on(TTIRConv2dOp, _conv2d_refusal),
    on(TTIRMaxPool2dOp, _max_pool2d_refusal),
)
