"""Every operation of TTIR through the pipeline to TTNN: what it becomes, or why it cannot."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from support.ttmlir_programs import A, T, compiled, function, operation, refused
from support.ttnn_notation import function_of
from tt_model.operations.operation import RowOperation
from tt_model.operations.ttir import TTIR
from tt_model.operations.ttnn import TTNNFullOp

UNARY = [
    "abs",
    "cbrt",
    "ceil",
    "cos",
    "exp",
    "expm1",
    "floor",
    "gelu",
    "isfinite",
    "log",
    "log1p",
    "logical_not",
    "neg",
    "reciprocal",
    "relu",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "sqrt",
]
BINARY = [
    "add",
    "div",
    "eq",
    "ge",
    "gt",
    "le",
    "logical_and",
    "logical_or",
    "logical_xor",
    "lt",
    "maximum",
    "minimum",
    "multiply",
    "ne",
    "remainder",
    "subtract",
]
# Operations that every compiled program has.
AROUND = {"get_device", "to_layout", "to_device", "from_device", "deallocate", "empty", "to_memory_config"}


@dataclass(frozen=True)
class Case:
    """One operation on arguments ``%a``, ``%b``..., and what the pipeline makes of it, without what is around."""

    name: str
    types: tuple[str, ...]
    result: str
    attributes: str = ""
    becomes: tuple[str, ...] | None = None
    constraint: str = A

    @property
    def text(self) -> str:
        names = ["%a", "%b", "%c"][: len(self.types)]
        arguments = ", ".join(f"{name}: tensor<{type}>" for name, type in zip(names, self.types, strict=True))
        body = operation(
            "%0", self.name, " ".join(names), self.types, self.result, self.constraint, self.attributes
        )
        return function(arguments, self.result, body, "%0")


S = "64x128xf32"
POOL = (
    "kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 2 : si32, stride_width = 2 : si32, "
    "dilation_height = 1 : si32, dilation_width = 1 : si32, ceil_mode = true, "
    "padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32"
)
CONV = (
    "stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, "
    "groups = 1 : si32, padding_left = 1 : si32, padding_right = 1 : si32, padding_top = 1 : si32, padding_bottom = 1 : si32"
)
CASES = [
    *(Case(name, (S,), S) for name in UNARY),
    *(Case(name, (S, S), S) for name in BINARY),
    Case("where", (S, S, S), S),
    Case("leaky_relu", (S,), S, "parameter = 0.01 : f32"),
    Case("typecast", (S,), "64x128xbf16"),
    Case("clamp", (S,), S, "min = -1.0 : f32, max = 1.0 : f32", constraint=T),
    Case("clamp", (S,), S, "min = -1.0 : f32, max = 1.0 : f32"),  # the real project's does not compile
    Case("max", (S,), "64x1xf32", "keep_dim = true, dim_arg = [-1 : i32]"),
    Case("mean", (S,), "64xf32", "keep_dim = false, dim_arg = [1 : i32]"),
    Case("sum", (S,), "1xf32", "keep_dim = false"),
    Case("softmax", (S,), S, "dimension = 1 : si32"),
    Case("transpose", (S,), "128x64xf32", "dim0 = 0 : si32, dim1 = 1 : si32"),
    Case("concat", (S, S), "64x256xf32", "dim = -1 : si32"),
    Case("reshape", (S,), "2x32x128xf32", "shape = [2 : i32, 32 : i32, 128 : i32]"),
    Case("squeeze", ("1x64x128xf32",), S, "dim = 0 : si32", ("reshape",)),
    Case("unsqueeze", (S,), "1x64x128xf32", "dim = 0 : si32", ("reshape",)),
    Case("unsqueeze", (S,), "64x128x1xf32", "dim = -1 : si32", ("reshape",)),
    Case(
        "slice",
        (S,),
        "32x128xf32",
        "begins = [0 : i32, 0 : i32], ends = [32 : i32, 128 : i32], step = [1 : i32, 1 : i32]",
    ),
    Case(
        "index",
        (S,),
        "64x64xf32",
        "dim = 1 : i32, begin = 0 : i32, end = 64 : i32, step = 1 : i32",
        ("slice",),
    ),
    Case("matmul", (S, "128x96xf32"), "64x96xf32"),
    Case("embedding", ("32x32xi32", "512x128xbf16"), "32x32x128xbf16", constraint=T),
    Case("all_gather", (S,), "64x256xf32", "dim = 1 : si32"),
    Case("all_reduce", (S,), S, "reduce_type = 0 : i32", ()),
    Case("reduce_scatter", (S,), "64x64xf32", "reduce_type = 0 : i32, scatter_dim = 1 : si32"),
    Case("broadcast", ("1x128xf32",), S, "dimension = [0]", ("full", "multiply")),
    Case(
        "conv2d",
        ("1x32x32x64xbf16", "64x64x3x3xbf16"),
        "1x32x32x64xbf16",
        CONV,
        ("reshape", "conv2d", "reshape"),
    ),
    Case("max_pool2d", ("1x32x32x64xbf16",), "1x16x16x64xbf16", POOL, ("reshape", "max_pool2d", "reshape")),
]
# Those with texts of their own, here or in test_programs_to_ttnn.py.
ELSEWHERE = {
    "mesh_shard",
    "tt_lang_op",
    "constant",
    "convolution",
    "pooling",
    "gather",
    "get_dimension_size",
    "to_layout",
    "fill_cache",
    "update_cache",
}
METAL = {"alloc", "dealloc", "fill", "generic", "kernel", "yield"}


def test_every_operation_has_a_case() -> None:
    assert {case.name for case in CASES} | ELSEWHERE | METAL == {row.mnemonic for row in TTIR.rows}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.result}-{case.constraint[1]}")
def test_what_it_becomes(case: Case) -> None:
    operations = function_of(compiled(case.text), "f").body.block.ops
    names = tuple(
        op.ROW.mnemonic for op in operations if isinstance(op, RowOperation) and op.ROW.mnemonic not in AROUND
    )
    assert names == ((case.name,) if case.becomes is None else case.becomes)


def test_get_dimension_size_is_a_constant() -> None:
    text = """func.func @f(%a: tensor<13x21x3xf32>) -> tensor<1xi32> {
  %0 = "ttir.get_dimension_size"(%a) <{dimension = 1 : i32}> : (tensor<13x21x3xf32>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}"""
    (full,) = [op for op in function_of(compiled(text), "f").body.block.ops if isinstance(op, TTNNFullOp)]
    assert full.fill_value == 21.0


def test_what_belongs_to_metal_is_refused() -> None:
    text = """func.func @f(%a: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = tensor.empty() : tensor<64x128xf32>
  %1 = "ttir.fill"(%0) <{value = dense<1.0> : tensor<64x128xf32>, operand_constraints = [#A]}> : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = "ttir.kernel"(%a, %1) <{op = @k, kind = @eltwise, operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#A, #A]}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}"""
    assert [report.message for report in refused(text)] == [
        "failed to legalize operation 'ttir.kernel'",
    ]
