"""What cannot be compiled is listed whole, and what the real project computes wrongly or dies of is right here."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from support.ttmlir_programs import A, T, compiled, function, operation, refused
from support.ttnn_notation import function_of, written
from tt_model.operations.shared import TTNNReshapeOp
from tt_model.operations.stages import OperationT
from tt_model.operations.ttnn import TTNNAllGatherOp
from tt_model.reference.interpreter import interpret
from ttl.ir.reports import Report

S = "64x128xf32"


def conv2d(padding: str, bias: str = "") -> str:
    operands, types = ("%a %w %b", ["1x32x32x64xbf16", "64x64x3x3xbf16", bias]) if bias else (
        "%a %w", ["1x32x32x64xbf16", "64x64x3x3xbf16"])  # fmt: skip
    top, bottom, left, right = padding.split()
    attributes = (
        "stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, "
        f"groups = 1 : si32, padding_top = {top} : si32, padding_bottom = {bottom} : si32, "
        f"padding_left = {left} : si32, padding_right = {right} : si32"
    )
    result = f"1x{30 + int(top) + int(bottom)}x{30 + int(left) + int(right)}x64xbf16"
    arguments = ", ".join(
        f"{name}: tensor<{type}>" for name, type in zip(operands.split(), types, strict=True)
    )
    return function(
        arguments, result, operation("%0", "conv2d", operands, types, result, A, attributes), "%0"
    )


def lines(reports: list[Report]) -> list[tuple[int, str]]:
    return [(0 if report.span is None else report.span.line, report.message) for report in reports]


def notes(report: Report) -> list[str]:
    return [note.message for note in report.notes if not note.message.startswith("see current operation")]


def test_all_are_listed_across_passes_grouped_each_at_its_place() -> None:
    text = """func.func @f(%a: tensor<2x16x17x20xbf16>, %w: tensor<2x2xf32>) -> tensor<2x16x9x21xbf16> {
  %0 = tensor.empty() : tensor<2x16x9x21xbf16>
  %1 = "ttir.pooling"(%a, %0) <{
    operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#A, #A], pooling_method = #ttir<pooling_method Max>,
    window_dimensions = array<i64: 1, 1, 3, 2>, window_strides = array<i64: 1, 1, 2, 2>,
    base_dilations = array<i64: 1, 1, 1, 2>, window_dilations = array<i64: 1, 1, 1, 1>,
    padding = array<i64: 0, 0, 0, 0, 1, 1, 2, 2>
  }> : (tensor<2x16x17x20xbf16>, tensor<2x16x9x21xbf16>) -> tensor<2x16x9x21xbf16>
  %2 = "ttir.constant"() <{value = dense<16777217> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
  %3 = arith.addf %w, %w : tensor<2x2xf32>
  %4 = "ttir.constant"() <{value = dense<16777217> : tensor<3x2xi32>}> : () -> tensor<3x2xi32>
  %5 = arith.constant dense<1> : tensor<2x2xi64>
  return %1 : tensor<2x16x9x21xbf16>
}"""
    reports = refused(text)
    assert lines(reports) == [
        (5, "failed to legalize operation 'ttir.pooling' that was explicitly marked illegal"),
        (11, "failed to legalize operation 'ttir.constant'"),
        (13, "failed to legalize operation 'ttir.constant'"),
        (12, "failed to legalize operation 'arith.addf'"),
        (14, "failed to legalize operation 'arith.constant'"),
    ]
    (first,) = [report for report in reports if report.span is not None and report.span.line == 11]
    assert notes(first) == [
        "its value 16777217 is not a 32-bit float, but TTNN fills tensors with 32-bit floats only",
        "what works: integers from -16777216 to 16777216, or the tensor as an argument of the function (this holds for 2 operations)",
    ]
    (second,) = [report for report in reports if report.span is not None and report.span.line == 13]
    assert notes(second) == notes(first)[:1]


def test_a_conversion_that_refuses_leaves_the_module_as_it_was() -> None:
    from support.ttmlir_programs import parsed
    from tt_model.operations.dialects import DIALECTS
    from ttl.ir.context import make_context
    from ttl.ir.failure import NotLegalized
    from ttl.ir.printer import print_module
    from ttmlir.transforms.pipelines import TTIRToTTNNBackendPipeline

    module = parsed(conv2d("1 0 1 1"))
    context = make_context(DIALECTS)
    pipeline = TTIRToTTNNBackendPipeline()
    for one in [*pipeline.ttir_passes(), pipeline.lowering_passes()[0]]:
        one.apply(context, module)
    before = print_module(module)
    with pytest.raises(NotLegalized, match="failed to legalize operation 'ttir\\.conv2d'"):
        pipeline.lowering_passes()[1].apply(context, module)
    assert print_module(module) == before


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        (
            conv2d("1 0 1 1"),
            "TTNN pads both sides equally: padding_top = 1, padding_bottom = 0, padding_left = 1, padding_right = 1",
        ),
        (conv2d("1 1 0 1"), "TTNN pads both sides equally: padding_top = 1, padding_bottom = 1, padding_left = 0, padding_right = 1"),
        (
            function(
                "%a: tensor<1x32x32x64xf32>", "1x16x16x64xf32",
                operation("%0", "max_pool2d", "%a", ["1x32x32x64xf32"], "1x16x16x64xf32", A,
                    "kernel_height = 2 : si32, kernel_width = 2 : si32, stride_height = 2 : si32, stride_width = 2 : si32, "
                    "dilation_height = 1 : si32, dilation_width = 1 : si32, ceil_mode = false, padding_left = 0 : si32, "
                    "padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32"),
                "%0"),
            "'ttnn.max_pool2d' op currently only supports an input type of bfloat16, and this one is f32",
        ),
    ],
)  # fmt: skip
def test_the_condition_that_failed_has_its_values(text: str, condition: str) -> None:
    (report,) = refused(text)
    assert report.message.startswith("failed to legalize operation 'ttir.")
    first, second = notes(report)
    assert first == condition
    assert second.startswith("what works: ")


# Defects of the real project. Values are those of the reference interpreter.


def value_of(module: ModuleOp, *inputs: np.ndarray) -> np.ndarray:
    (result,) = interpret(module, "f", list(inputs))
    return np.asarray(result)


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape)


def only(module: ModuleOp, kind: type[OperationT]) -> OperationT:
    (op,) = [inner for inner in function_of(module, "f").body.block.ops if isinstance(inner, kind)]
    return op


def test_all_gather_gathers_its_input() -> None:
    module = compiled(
        function(
            f"%a: tensor<{S}>", "64x256xf32",
            operation("%0", "all_gather", "%a", [S], "64x256xf32", A, "dim = 1 : si32"), "%0",
        )
    )  # fmt: skip
    source = only(module, TTNNAllGatherOp).input.owner
    assert getattr(source, "name", None) == "ttnn.to_device"
    assert "v1=L.t(v0)" in written(function_of(module, "f"))


@pytest.mark.parametrize("constraint", [A, T])
def test_clamp_with_and_without_scalars(constraint: str) -> None:
    module = compiled(
        function(
            f"%a: tensor<{S}>", S,
            operation("%0", "clamp", "%a", [S], S, constraint, "min = -0.5 : f32, max = 0.5 : f32"), "%0",
        )
    )  # fmt: skip
    x = random(64, 128)
    np.testing.assert_array_equal(value_of(module, x), np.clip(x, -0.5, 0.5))


@pytest.mark.parametrize(
    ("dim", "shape"), [(0, "1x64x128"), (1, "64x1x128"), (2, "64x128x1"), (-1, "64x128x1"), (-3, "1x64x128")]
)
def test_unsqueeze_at_every_position(dim: int, shape: str) -> None:
    text = function(
        f"%a: tensor<{S}>", f"{shape}xf32",
        operation("%0", "unsqueeze", "%a", [S], f"{shape}xf32", T, f"dim = {dim} : si32"), "%0",
    )  # fmt: skip
    assert only(compiled(text), TTNNReshapeOp).shape == tuple(map(int, shape.split("x")))


def test_an_unused_typecast_is_converted_and_freed() -> None:
    body = operation("%0", "typecast", "%a", [S], "64x128xbf16", A) + operation("%1", "relu", "%a", [S], S, A)
    module = compiled(function(f"%a: tensor<{S}>", S, body, "%1"))
    words = written(function_of(module, "f"))
    cast = next(word for word in words if "=C(" in word)
    # The other value that dies here was made before, so it is given back after.
    assert words[words.index(cast) + 1] == "-" + cast.partition("=")[0]


@pytest.mark.parametrize(
    ("user", "result", "attributes", "reference"),
    [
        ("relu", "32x64", "", lambda x: np.maximum(x, 0)),
        ("sum", "32x1", "keep_dim = true, dim_arg = [1 : i32]", lambda x: x.sum(1, keepdims=True)),
        ("transpose", "64x32", "dim0 = 0 : si32, dim1 = 1 : si32", lambda x: x.T),
        ("reshape", "64x32", "shape = [64 : i32, 32 : i32]", lambda x: x.reshape(64, 32)),
        ("softmax", "32x64", "dimension = 0 : si32", lambda x: np.full_like(x, 1 / 32)),
    ],
)
def test_users_that_do_not_repeat_their_operand_get_it_whole(user, result, attributes, reference) -> None:  # type: ignore[no-untyped-def]
    body = operation("%0", "broadcast", "%a", ["1x64xf32"], "32x64xf32", T, "dimension = [0]")
    body += operation("%1", user, "%0", ["32x64xf32"], f"{result}xf32", T, attributes)
    module = compiled(function("%a: tensor<1x64xf32>", f"{result}xf32", body, "%1"))
    x = random(1, 64)
    np.testing.assert_allclose(
        value_of(module, x), reference(np.broadcast_to(x, (32, 64)).copy()), rtol=1e-12
    )


def test_a_broadcast_is_returned_whole_and_used_small() -> None:
    body = operation("%0", "broadcast", "%a", ["1x64xf32"], "32x64xf32", T, "dimension = [0]")
    body += operation("%1", "add", "%0 %b", ["32x64xf32"] * 2, "32x64xf32", T)
    body += operation("%2", "multiply", "%1 %0", ["32x64xf32"] * 2, "32x64xf32", T)
    whole = function("%a: tensor<1x64xf32>, %b: tensor<32x64xf32>", "32x64xf32", body, "%2")
    module = compiled(whole)
    assert not any(op.name == "ttnn.full" for op in module.walk())
    x, y = random(1, 64), random(32, 64)
    np.testing.assert_allclose(value_of(module, x, y), (x + y) * x, rtol=1e-12)
    returned = compiled(function("%a: tensor<1x64xf32>", "32x64xf32", body.split("  %init_of_1")[0], "%0"))
    np.testing.assert_array_equal(value_of(returned, x), np.broadcast_to(x, (32, 64)))


def test_what_only_the_destination_repeats_is_repeated() -> None:
    # TTIR's verifier allows it: the destination takes part in the common shape.
    module = compiled(
        function(
            "%a: tensor<1x64xf32>",
            "32x64xf32",
            operation("%0", "abs", "%a", ["1x64xf32"], "32x64xf32", A),
            "%0",
        )
    )
    x = random(1, 64)
    np.testing.assert_array_equal(value_of(module, x), np.broadcast_to(abs(x), (32, 64)))


def test_a_conversion_that_changes_nothing_goes() -> None:
    body = operation("%0", "relu", "%a", [S], S, T) + operation("%1", "relu", "%0", [S], S, A)
    module = compiled(function(f"%a: tensor<{S}>", S, body, "%1"))
    changes = [
        op.name
        for op in function_of(module, "f").body.block.ops
        if op.name in ("ttnn.to_layout", "ttnn.to_device")
    ]
    assert changes == ["ttnn.to_layout", "ttnn.to_device", "ttnn.to_layout"]


def test_memory_that_a_result_lies_in_lives_as_long_as_the_result() -> None:
    # The operation reads its own destination: the first position of the value is an input, and the real project frees it there.
    text = f"""func.func @f(%a: tensor<{S}>) -> tensor<{S}> {{
  %d = "ttnn.get_device"() <{{mesh_shape = #ttnn<mesh_shape 1x1>}}> : () -> !tt.device<#device>
  %0 = "ttnn.full"(%d) <{{fillValue = 1.0 : f32}}> : (!tt.device<#device>) -> tensor<{S}>
  %1 = "ttnn.add"(%0, %a, %0) <{{operandSegmentSizes = array<i32: 2, 1>}}> : (tensor<{S}>, tensor<{S}>, tensor<{S}>) -> tensor<{S}>
  %2 = "ttnn.softmax"(%1) <{{dimension = 1 : si32}}> : (tensor<{S}>) -> tensor<{S}>
  return %2 : tensor<{S}>
}}"""
    from support.ttmlir_programs import parsed
    from tt_model.operations.dialects import DIALECTS
    from ttl.ir.context import make_context
    from ttmlir.transforms.deallocate import TTNNDeallocate

    device = (
        "#device = #tt.device<workerGrid = #tt.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0, s1] -> (0, d0, d1, s0), "
        "dramMap = (d0, d1)[s0, s1] -> (0, 0, d0, d1), meshShape = , chipIds = [0]>\n"
    )
    module = parsed(device + text)
    TTNNDeallocate().apply(make_context(DIALECTS), module)
    assert written(function_of(module, "f"))[-3:] == ["v3=softmax(v2)", "-v1", "return v3"]
