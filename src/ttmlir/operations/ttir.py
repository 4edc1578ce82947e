"""The operations of TTIR: what a model computes, on tensors, before it is known where they lie.

Names, operands and attributes are those of the operation reference of 2024-11-21.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from ttmlir.operations import kinds, verify_compute, verify_memory, verify_shapes
from ttmlir.operations.row import (
    AttributeDefinition,
    Check,
    LaidOut,
    Lowering,
    NoLowering,
    OperandDefinition,
    ResultDefinition,
    Row,
    RowTable,
    Same,
    WithoutInit,
    Written,
)

_TENSOR = kinds.TENSOR
_CONSTRAINTS = AttributeDefinition(name="operand_constraints", kind=kinds.OPERAND_CONSTRAINTS)
_RESULT = ResultDefinition(name="result", kind=_TENSOR)
_RESULTS = ResultDefinition(name="results", kind=_TENSOR, arity="variadic")
_INPUTS = OperandDefinition(name="inputs", kind=_TENSOR, arity="variadic")
_OUTPUTS = OperandDefinition(name="outputs", kind=_TENSOR, arity="variadic")


def _attributes(kind: kinds.AttributeKind, *names: str) -> tuple[AttributeDefinition, ...]:
    return tuple(AttributeDefinition(name=name, kind=kind) for name in names)


_si32 = partial(_attributes, kinds.SI32)
_dense = partial(_attributes, kinds.DENSE_I64)


def _operation(
    mnemonic: str,
    class_name: str,
    summary: str,
    operands: str,
    attributes: tuple[AttributeDefinition, ...] = (),
    *,
    result: ResultDefinition = _RESULT,
    invariants: tuple[Check, ...] = (),
    verify: tuple[Check, ...] = (),
) -> Row:
    """A destination-style operation on single tensors. ``operands`` are their names; ``?`` marks one that may be absent,
    ``*`` one that stands for many; the last one is the destination."""
    arities = {"?": "optional", "*": "variadic"}
    groups = tuple(
        OperandDefinition(name=name.rstrip("?*"), kind=_TENSOR, arity=arities.get(name[-1], "one"))  # type: ignore[arg-type]
        for name in operands.split()
    )
    return Row(
        name=f"ttir.{mnemonic}",
        class_name=class_name,
        summary=summary,
        operands=groups,
        attributes=(*attributes, _CONSTRAINTS),
        results=(result,),
        inits=groups[-1].name,
        invariants=invariants,
        verify=verify,
    )


def _elementwise(
    mnemonic: str, class_name: str, summary: str, attributes: tuple[AttributeDefinition, ...] = ()
) -> Row:
    return Row(
        name=f"ttir.{mnemonic}",
        class_name=class_name,
        summary=summary,
        operands=(_INPUTS, _OUTPUTS),
        attributes=(*attributes, _CONSTRAINTS),
        results=(_RESULTS,),
        inits="outputs",
        segments=True,
        elementwise=True,
    )


def _reduction(mnemonic: str, class_name: str, summary: str) -> Row:
    attributes = (
        AttributeDefinition(name="keep_dim", kind=kinds.BOOL),
        AttributeDefinition(name="dim_arg", kind=kinds.I32_ARRAY, optional=True),
    )
    return _operation(mnemonic, class_name, summary, "input output", attributes)


_VALUE = AttributeDefinition(name="value", kind=kinds.ELEMENTS)
_ANY = kinds.TENSOR_OR_MEMREF

_ROWS = (
    _elementwise("abs", "Abs", "absolute value"),
    _elementwise("add", "Add", "sum of two tensors"),
    _elementwise("cbrt", "Cbrt", "cube root"),
    _elementwise("ceil", "Ceil", "next integer above"),
    _elementwise("cos", "Cos", "cosine"),
    _elementwise("div", "Div", "quotient of two tensors"),
    _elementwise("eq", "Equal", "whether elements are equal"),
    _elementwise("exp", "Exp", "exponential"),
    _elementwise("expm1", "Expm1", "exponential less one"),
    _elementwise("floor", "Floor", "next integer below"),
    _elementwise("ge", "GreaterEqual", "whether elements are greater or equal"),
    _elementwise("gelu", "Gelu", "Gaussian error linear unit"),
    _elementwise("gt", "GreaterThan", "whether elements are greater"),
    _elementwise("isfinite", "IsFinite", "whether elements are finite"),
    _elementwise("le", "LessEqual", "whether elements are less or equal"),
    _elementwise(
        "leaky_relu", "LeakyRelu", "rectifier with a slope below zero", _attributes(kinds.F32, "parameter")
    ),
    _elementwise("log", "Log", "natural logarithm"),
    _elementwise("log1p", "Log1p", "natural logarithm of one more"),
    _elementwise("logical_and", "LogicalAnd", "whether both elements are non-zero"),
    _elementwise("logical_not", "LogicalNot", "whether the element is zero"),
    _elementwise("logical_or", "LogicalOr", "whether one of the elements is non-zero"),
    _elementwise("logical_xor", "LogicalXor", "whether exactly one of the elements is non-zero"),
    _elementwise("lt", "LessThan", "whether elements are less"),
    _elementwise("maximum", "Maximum", "greater of two elements"),
    _elementwise("minimum", "Minimum", "lesser of two elements"),
    _elementwise("multiply", "Multiply", "product of two tensors"),
    _elementwise("ne", "NotEqual", "whether elements differ"),
    _elementwise("neg", "Neg", "opposite"),
    _elementwise("reciprocal", "Reciprocal", "reciprocal"),
    _elementwise("relu", "Relu", "rectifier"),
    _elementwise("remainder", "Remainder", "remainder of a division"),
    _elementwise("rsqrt", "Rsqrt", "reciprocal of the square root"),
    _elementwise("sigmoid", "Sigmoid", "logistic function"),
    _elementwise("sign", "Sign", "sign"),
    _elementwise("sin", "Sin", "sine"),
    _elementwise("sqrt", "Sqrt", "square root"),
    _elementwise("subtract", "Subtract", "difference of two tensors"),
    _elementwise("typecast", "Typecast", "conversion to the element type of the result"),
    _elementwise("where", "Where", "choice between two tensors by a third"),
    _reduction("max", "Max", "maximum over dimensions"),
    _reduction("mean", "Mean", "mean over dimensions"),
    _reduction("sum", "Sum", "sum over dimensions"),
    _operation(
        "all_gather",
        "AllGather",
        "gathering of the parts on all chips",
        "input output",
        _si32("dim"),
        verify=verify_shapes.ALL_GATHER,
    ),
    Row(
        name="ttir.alloc",
        class_name="Alloc",
        summary="allocation of a tensor at an address",
        attributes=(
            *_attributes(kinds.I64, "address", "size"),
            AttributeDefinition(name="memory_space", kind=kinds.MEMORY_SPACE),
        ),
        results=(_RESULT,),
        verify=verify_memory.ALLOC,
    ),
    _operation(
        "broadcast",
        "Broadcast",
        "repetition along dimensions",
        "input output",
        _attributes(kinds.I64_ARRAY, "dimension"),
    ),
    _operation(
        "clamp",
        "Clamp",
        "limits",
        "input output",
        _attributes(kinds.F32, "min", "max"),
        verify=verify_shapes.LIMITS,
    ),
    _operation(
        "concat",
        "Concat",
        "tensors one after another",
        "inputs* output",
        _si32("dim"),
        verify=verify_shapes.CONCAT,
    ),
    Row(
        name="ttir.constant",
        class_name="Constant",
        summary="tensor of known values",
        attributes=(_VALUE,),
        results=(_RESULT,),
        traits=("ConstantLike",),
        invariants=(verify_shapes.value_has_the_result_s_shape,),
    ),
    _operation(
        "conv2d",
        "Conv2d",
        "convolution over height and width",
        "input weight bias? output",
        _si32(
            "stride_height",
            "stride_width",
            "dilation_height",
            "dilation_width",
            "groups",
            "padding_left",
            "padding_right",
            "padding_top",
            "padding_bottom",
        ),
        verify=verify_compute.CONV2D,
    ),
    _operation(
        "convolution",
        "Convolution",
        "convolution in any number of dimensions and any order of them",
        "input weight bias? output",
        (
            *_dense("window_strides", "padding", "input_dilation", "weight_dilation"),
            AttributeDefinition(name="window_reversal", kind=kinds.DENSE_BOOL),
            AttributeDefinition(name="convolution_layout", kind=kinds.CONVOLUTION_LAYOUT),
            *_attributes(kinds.POSITIVE_I64, "feature_group_count", "batch_group_count"),
        ),
        verify=verify_compute.CONVOLUTION,
    ),
    Row(
        name="ttir.dealloc",
        class_name="Dealloc",
        summary="end of an allocation",
        operands=(OperandDefinition(name="result", kind=_TENSOR),),
    ),
    _operation(
        "embedding",
        "Embedding",
        "rows of a table by their numbers",
        "input weight output",
        verify=verify_shapes.EMBEDDING,
    ),
    _operation(
        "fill",
        "Fill",
        "tensor filled with a value",
        "output",
        (_VALUE,),
        invariants=(verify_shapes.value_has_the_result_s_shape,),
    ),
    _operation(
        "gather",
        "Gather",
        "slices at given offsets",
        "input start_indices output",
        (
            *_dense(
                "offset_dims",
                "collapsed_slice_dims",
                "operand_batching_dims",
                "start_indices_batching_dims",
                "start_index_map",
            ),
            AttributeDefinition(name="index_vector_dim", kind=kinds.SI64),
            *_dense("slice_sizes"),
            AttributeDefinition(name="indices_are_sorted", kind=kinds.BOOL),
        ),
    ),
    Row(
        name="ttir.generic",
        class_name="Generic",
        summary="region that is applied to the tiles of its operands",
        operands=(_INPUTS, OperandDefinition(name="cbs", kind=_TENSOR, arity="variadic"), _OUTPUTS),
        attributes=(
            AttributeDefinition(name="grid", kind=kinds.GRID),
            AttributeDefinition(name="indexing_maps", kind=kinds.AFFINE_MAPS),
            AttributeDefinition(name="iterator_types", kind=kinds.ITERATOR_TYPES),
            _CONSTRAINTS,
            AttributeDefinition(name="operand_cb_mapping", kind=kinds.DENSE_I64, default=()),
        ),
        results=(_RESULTS,),
        regions=1,
        inits="outputs",
        segments=True,
    ),
    Row(
        name="ttir.get_dimension_size",
        class_name="GetDimensionSize",
        summary="extent of a dimension",
        operands=(OperandDefinition(name="operand", kind=_TENSOR),),
        attributes=_attributes(kinds.I32, "dimension"),
        results=(_RESULT,),
        verify=verify_shapes.GET_DIMENSION_SIZE,
    ),
    _operation(
        "index",
        "Index",
        "range of a dimension",
        "input output",
        _attributes(kinds.I32, "dim", "begin", "end", "step"),
        verify=verify_shapes.INDEX,
    ),
    Row(
        name="ttir.kernel",
        class_name="Kernel",
        summary="kernel by its name",
        operands=(
            OperandDefinition(name="inputs", kind=_ANY, arity="variadic"),
            OperandDefinition(name="outputs", kind=_ANY, arity="variadic"),
        ),
        attributes=(*_attributes(kinds.SYMBOL, "op", "kind"), _CONSTRAINTS),
        results=(ResultDefinition(name="results", kind=_ANY, arity="variadic"),),
        inits="outputs",
        segments=True,
    ),
    _operation(
        "matmul",
        "Matmul",
        "matrix product",
        "a b output",
        verify=verify_compute.MATMUL,
    ),
    _operation(
        "max_pool2d",
        "MaxPool2d",
        "maximum of windows over height and width",
        "input output",
        (
            *_si32(
                "kernel_height",
                "kernel_width",
                "stride_height",
                "stride_width",
                "dilation_height",
                "dilation_width",
            ),
            AttributeDefinition(name="ceil_mode", kind=kinds.BOOL),
            *_si32("padding_left", "padding_right", "padding_top", "padding_bottom"),
        ),
        verify=verify_compute.MAX_POOL2D,
    ),
    Row(
        name="ttir.pooling",
        class_name="Pooling",
        summary="combination of windows in any dimensions",
        operands=(_INPUTS, _OUTPUTS),
        attributes=(
            AttributeDefinition(name="pooling_method", kind=kinds.POOLING_METHOD),
            *_dense("window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"),
            _CONSTRAINTS,
        ),
        results=(_RESULTS,),
        inits="outputs",
        segments=True,
        verify=verify_compute.POOLING,
    ),
    _operation(
        "reshape",
        "Reshape",
        "same elements in another shape",
        "input output",
        _attributes(kinds.I32_ARRAY, "shape"),
        verify=verify_shapes.RESHAPE,
    ),
    _operation(
        "slice",
        "Slice",
        "range of every dimension",
        "input output",
        _attributes(kinds.I32_ARRAY, "begins", "ends", "step"),
        verify=verify_shapes.SLICE,
    ),
    _operation(
        "softmax",
        "Softmax",
        "normalised exponentials along a dimension",
        "input output",
        _si32("dimension"),
        verify=verify_shapes.SOFTMAX,
    ),
    _operation(
        "squeeze",
        "Squeeze",
        "removal of a dimension of extent one",
        "input output",
        _si32("dim"),
        verify=verify_shapes.SQUEEZE,
    ),
    Row(
        name="ttir.to_layout",
        class_name="ToLayout",
        summary="same elements in another layout",
        operands=(
            OperandDefinition(name="input", kind=_TENSOR),
            OperandDefinition(name="output", kind=_TENSOR),
        ),
        results=(_RESULT,),
        inits="output",
        verify=verify_shapes.TO_LAYOUT,
    ),
    _operation(
        "transpose",
        "Transpose",
        "exchange of two dimensions",
        "input output",
        _si32("dim0", "dim1"),
        verify=verify_shapes.TRANSPOSE,
    ),
    _operation(
        "unsqueeze",
        "Unsqueeze",
        "insertion of a dimension of extent one",
        "input output",
        _si32("dim"),
        verify=verify_shapes.UNSQUEEZE,
    ),
    Row(
        name="ttir.yield",
        class_name="Yield",
        summary="values of a region",
        operands=(OperandDefinition(name="values", kind=_ANY, arity="variadic"),),
        traits=("Pure", "ReturnLike", "Terminator"),
    ),
)

# What becomes of an operation on the way to TTNN: the functions that expand it in TTIR, which of its operands the layout pass
# lays out (weights and bias of a convolution stay on the host), and the function that converts it.
# An elementwise operation that is not here is the one of the same name in TTNN.
_DECOMPOSED = ("convolution", "gather", "get_dimension_size", "index", "pooling")
_METAL_ONLY = NoLowering("TTNN has no such operation: it is one of the way to TTMetal")
_LOWERING: Mapping[str, Lowering] = {
    **dict.fromkeys(("max", "mean", "reshape", "softmax", "sum", "transpose"), WithoutInit()),
    **dict.fromkeys(("matmul", "slice"), Same()),
    **dict.fromkeys(("squeeze", "unsqueeze"), Written("reshape")),
    **{
        name: Written(name)
        for name in (
            "all_gather",
            "broadcast",
            "clamp",
            "concat",
            "constant",
            "conv2d",
            "embedding",
            "max_pool2d",
            "subtract",
            "to_layout",
            "typecast",
        )
    },
    **dict.fromkeys(("alloc", "dealloc", "fill", "generic", "kernel", "yield"), _METAL_ONLY),
}

# Which operands the layout pass has to do with, where that is not all of them.
_LAID_OUT: Mapping[str, LaidOut] = {"conv2d": "inits", "to_layout": "none"}


def _on_the_way_to_ttnn(row: Row) -> Row:
    name = row.mnemonic
    return replace(
        row,
        decomposition=name if name in _DECOMPOSED else None,
        lowering=_LOWERING.get(name, Same() if row.elementwise else None),
        layout=_LAID_OUT.get(name, "all" if row.inits is not None else None),
    )


TTIR = RowTable("ttir", tuple(sorted(map(_on_the_way_to_ttnn, _ROWS), key=lambda row: row.name)))
