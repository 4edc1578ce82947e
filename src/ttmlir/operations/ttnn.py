"""The operations of TTNN: calls of the library, on tensors whose place and layout are known.

Names, operands and attributes are those of the operation reference of 2024-11-21.
"""

from __future__ import annotations

from functools import partial

from ttmlir.operations import kinds, verify_compute, verify_memory, verify_shapes
from ttmlir.operations.row import (
    AttributeDefinition,
    Check,
    OperandDefinition,
    ResultDefinition,
    Row,
    RowTable,
)

_TENSOR = kinds.TENSOR
_RESULT = ResultDefinition(name="result", kind=_TENSOR)
_RESULTS = ResultDefinition(name="results", kind=_TENSOR, arity="variadic")
_INPUTS = OperandDefinition(name="inputs", kind=_TENSOR, arity="variadic")
_OUTPUTS = OperandDefinition(name="outputs", kind=_TENSOR, arity="variadic")
_KINDS = {"device": kinds.DEVICE}
_DTYPE = AttributeDefinition(name="dtype", kind=kinds.DATA_TYPE)
_DTYPE_OR_NOT = AttributeDefinition(name="dtype", kind=kinds.DATA_TYPE, optional=True)
_MEMORY_CONFIG_OR_NOT = AttributeDefinition(name="memory_config", kind=kinds.MEMORY_CONFIG, optional=True)


def _attributes(kind: kinds.AttributeKind, *names: str) -> tuple[AttributeDefinition, ...]:
    return tuple(AttributeDefinition(name=name, kind=kind) for name in names)


_si32 = partial(_attributes, kinds.SI32)
_i32 = partial(_attributes, kinds.I32)


def _operation(
    mnemonic: str,
    class_name: str,
    summary: str,
    operands: str,
    attributes: tuple[AttributeDefinition, ...] = (),
    *,
    inits: str | None = None,
    result: ResultDefinition = _RESULT,
    verify: tuple[Check, ...] = (),
) -> Row:
    """An operation on single tensors. ``operands`` are their names; ``?`` marks one that may be absent, ``*`` one that
    stands for many."""
    arities = {"?": "optional", "*": "variadic"}
    groups = tuple(
        OperandDefinition(
            name=name.rstrip("?*"),
            kind=_KINDS.get(name.rstrip("?*"), _TENSOR),
            arity=arities.get(name[-1], "one"),  # type: ignore[arg-type]
        )
        for name in operands.split()
    )
    return Row(
        name=f"ttnn.{mnemonic}",
        class_name=class_name,
        summary=summary,
        operands=groups,
        attributes=attributes,
        results=(result,),
        inits=inits,
        verify=verify,
    )


def _elementwise(
    mnemonic: str, class_name: str, summary: str, attributes: tuple[AttributeDefinition, ...] = ()
) -> Row:
    return Row(
        name=f"ttnn.{mnemonic}",
        class_name=class_name,
        summary=summary,
        operands=(_INPUTS, _OUTPUTS),
        attributes=attributes,
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
    return _operation(mnemonic, class_name, summary, "input", attributes)


_NUM_LINKS = AttributeDefinition(name="num_links", kind=kinds.SI32, default=1)

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
    _elementwise("where", "Where", "choice between two tensors by a third"),
    _reduction("max", "Max", "maximum over dimensions"),
    _reduction("mean", "Mean", "mean over dimensions"),
    _reduction("sum", "Sum", "sum over dimensions"),
    _operation(
        "all_gather",
        "AllGather",
        "gathering of the parts on all chips",
        "input",
        (*_si32("dim"), _NUM_LINKS),
        verify=verify_shapes.ALL_GATHER,
    ),
    _operation(
        "alloc",
        "Alloc",
        "allocation of a tensor at an address",
        "",
        (
            *_attributes(kinds.I64, "address", "size"),
            AttributeDefinition(name="buffer_type", kind=kinds.BUFFER_TYPE),
        ),
        verify=verify_memory.ALLOC,
    ),
    _operation(
        "clamp",
        "Clamp",
        "limits",
        "inputs*",
        _attributes(kinds.F32, "min", "max"),
        result=ResultDefinition(name="result", kind=_TENSOR, arity="variadic"),
        verify=verify_shapes.LIMITS_OF_MANY,
    ),
    _operation(
        "concat",
        "Concat",
        "tensors one after another",
        "inputs* output",
        _si32("dim"),
        inits="output",
        verify=verify_shapes.CONCAT,
    ),
    _operation(
        "conv2d",
        "Conv2d",
        "convolution over height and width",
        "input weight bias? output device",
        _i32(
            "in_channels",
            "out_channels",
            "batch_size",
            "input_height",
            "input_width",
            "kernel_height",
            "kernel_width",
            "stride_height",
            "stride_width",
            "padding_height",
            "padding_width",
            "dilation_height",
            "dilation_width",
            "groups",
        ),
        inits="output",
        verify=verify_compute.CONV2D_ON_DEVICE,
    ),
    Row(
        name="ttnn.deallocate",
        class_name="Deallocate",
        summary="end of a tensor's use of its memory",
        operands=(OperandDefinition(name="input", kind=_TENSOR),),
        attributes=(AttributeDefinition(name="force", kind=kinds.BOOL, default=False),),
    ),
    _operation(
        "embedding",
        "Embedding",
        "rows of a table by their numbers",
        "input output weight",
        inits="output",
        verify=verify_shapes.EMBEDDING,
    ),
    Row(
        name="ttnn.empty",
        class_name="Empty",
        summary="tensor of no particular values",
        operands=(OperandDefinition(name="device", kind=kinds.DEVICE, arity="optional"),),
        attributes=(
            AttributeDefinition(name="shape", kind=kinds.SHAPE),
            _DTYPE_OR_NOT,
            AttributeDefinition(name="layout", kind=kinds.PAGE_LAYOUT, optional=True),
            _MEMORY_CONFIG_OR_NOT,
        ),
        results=(_RESULT,),
        traits=("NoMemoryEffect",),
        verify=verify_memory.EMPTY,
    ),
    _operation("from_device", "FromDevice", "copy of a tensor on the host", "input"),
    _operation("full", "Full", "tensor filled with a value", "device", _attributes(kinds.F32, "fillValue")),
    _operation(
        "get_device",
        "GetDevice",
        "chips to run on",
        "",
        (AttributeDefinition(name="mesh_shape", kind=kinds.MESH_SHAPE, optional=True),),
        result=ResultDefinition(name="device", kind=kinds.DEVICE),
    ),
    _operation(
        "matmul",
        "Matmul",
        "matrix product",
        "a b output",
        inits="output",
        verify=verify_compute.MATMUL,
    ),
    _operation(
        "max_pool2d",
        "MaxPool2d",
        "maximum of windows over height and width",
        "input output device",
        (
            *_si32(
                "batch_size",
                "input_height",
                "input_width",
                "channels",
                "kernel_height",
                "kernel_width",
                "stride_height",
                "stride_width",
                "dilation_height",
                "dilation_width",
            ),
            AttributeDefinition(name="ceil_mode", kind=kinds.BOOL),
            *_si32("padding_height", "padding_width"),
        ),
        inits="output",
        verify=verify_compute.MAX_POOL2D_ON_DEVICE,
    ),
    _operation(
        "reduce_scatter",
        "ReduceScatter",
        "combination of the parts on all chips, one part of it for each",
        "input",
        (
            *_si32("scatter_split_dim"),
            AttributeDefinition(name="math_op", kind=kinds.REDUCE_OPERATION),
            _NUM_LINKS,
        ),
    ),
    _operation(
        "reshape",
        "Reshape",
        "same elements in another shape",
        "input",
        _attributes(kinds.I32_ARRAY, "shape"),
        verify=verify_shapes.RESHAPE,
    ),
    _operation(
        "slice",
        "Slice",
        "range of every dimension",
        "input output",
        _attributes(kinds.I32_ARRAY, "begins", "ends", "step"),
        inits="output",
        verify=verify_shapes.SLICE,
    ),
    _operation(
        "softmax",
        "Softmax",
        "normalised exponentials along a dimension",
        "input",
        _si32("dimension"),
        verify=verify_shapes.SOFTMAX,
    ),
    _operation(
        "to_device", "ToDevice", "copy of a tensor on the device", "input device", (_MEMORY_CONFIG_OR_NOT,)
    ),
    _operation(
        "to_layout",
        "ToLayout",
        "same elements in another layout",
        "input device?",
        (
            AttributeDefinition(name="layout", kind=kinds.PAGE_LAYOUT),
            _DTYPE_OR_NOT,
            _MEMORY_CONFIG_OR_NOT,
        ),
    ),
    _operation(
        "to_memory_config",
        "ToMemoryConfig",
        "same elements in another memory, or spread otherwise",
        "input",
        (AttributeDefinition(name="memory_config", kind=kinds.MEMORY_CONFIG),),
        verify=verify_memory.TO_MEMORY_CONFIG,
    ),
    _operation(
        "transpose",
        "Transpose",
        "exchange of two dimensions",
        "input",
        _si32("dim0", "dim1"),
        verify=verify_shapes.TRANSPOSE,
    ),
    _operation("typecast", "Typecast", "conversion to another data type", "input", (_DTYPE,)),
)

TTNN = RowTable("ttnn", tuple(sorted(_ROWS, key=lambda row: row.name)))
