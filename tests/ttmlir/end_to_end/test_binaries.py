"""Models from TTIR to a binary that runs: compiled, written, read and run, beside the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tt_model.binaries.submission import prepared
from tt_model.operations.dialects import DIALECTS
from ttl.ir.context import make_context
from ttl.ir.driver import Driver, Options, Timing
from ttl.ir.forms import MLIRText
from ttl.ir.parser import parse_text
from ttmlir.transforms.pipelines import PIPELINES
from ttmlir.translate.serialise import ttnn_to_flatbuffer
from ttrt.binary import Binary, load_binary_from_capsule
from ttrt.common.golden import GoldenCheck, correlation, golden_check
from ttrt.common.programs import initialised, system_for

torch = pytest.importorskip("torch")
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program

CONSTRAINTS = (
    "#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>\n"
    "#any_device_tile = #tt.operand_constraint<dram|l1|tile|any_device_tile>\n"
)


def compiled(text: str) -> Binary:
    """A module as the binary that it becomes."""
    context = make_context(DIALECTS)
    module = parse_text(context, CONSTRAINTS + text, "model.mlir")
    passes = PIPELINES["ttir-to-ttnn-backend-pipeline"]().passes()
    driver = Driver({}, passes, Options(), Timing(), print, MLIRText())
    reports = driver.run_passes(context, module)
    assert not [report for report in reports if report.severity == "error"], reports
    return load_binary_from_capsule(ttnn_to_flatbuffer(module))


def run(text: str, index: int = 0) -> tuple[list[Any], list[Any], GoldenCheck]:
    """Inputs, outputs, and every operation beside the reference."""
    binary = compiled(text)
    program = prepared(binary, index)
    inputs = initialised(program, "randn", 0)
    golden = golden_check(binary, index, inputs)
    device = SimulatedDevice(system_for(binary, ""), [0])
    outputs, report = run_program(device, program, inputs, before=golden.before, observe=golden)
    assert report.leaks == []
    assert golden.comparisons and golden.first_bad(0.99) is None
    return inputs, outputs, golden


def elementwise(name: str, count: int, shape: str = "64x96", dtype: str = "f32", more: str = "") -> str:
    type_ = f"tensor<{shape}x{dtype}>"
    names = [f"%arg{index}" for index in range(count)]
    return f"""
func.func @main({", ".join(f"{one}: {type_}" for one in names)}) -> {type_} {{
  %0 = tensor.empty() : {type_}
  %1 = "ttir.{name}"({", ".join(names)}, %0) <{{{more}operandSegmentSizes = array<i32: {count}, 1>,
    operand_constraints = [{", ".join(["#any_device"] * (count + 1))}]}}> : ({", ".join([type_] * (count + 1))}) -> {type_}
  return %1 : {type_}
}}"""


UNARY = "abs cbrt ceil cos exp expm1 floor gelu isfinite log log1p logical_not neg reciprocal relu rsqrt sigmoid sign sin sqrt"
BINARY = (
    "add div eq ge gt le logical_and logical_or logical_xor lt maximum minimum multiply ne remainder subtract"
)


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize(("names", "count"), [(UNARY, 1), (BINARY, 2), ("where", 3)])
def test_elementwise_operations(names: str, count: int, dtype: str) -> None:
    for name in names.split():
        inputs, (output,), _ = run(elementwise(name, count, dtype=dtype))
        assert output.dtype == inputs[0].dtype
        if name == "subtract":
            assert torch.allclose(output, inputs[0] - inputs[1])


def test_repeated_operands() -> None:
    text = """
func.func @main(%arg0: tensor<64x128xbf16>, %arg1: tensor<1x128xbf16>) -> tensor<64x128xbf16> {
  %0 = tensor.empty() : tensor<64x128xbf16>
  %1 = "ttir.subtract"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 2, 1>,
    operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<64x128xbf16>, tensor<1x128xbf16>, tensor<64x128xbf16>) -> tensor<64x128xbf16>
  return %1 : tensor<64x128xbf16>
}"""
    (left, row), (output,), _ = run(text)
    assert torch.allclose(output.float(), (left - row).float(), atol=0.05)


def test_a_layer_of_a_model() -> None:
    text = """
func.func @main(%x: tensor<32x64xbf16>, %w: tensor<64x96xbf16>, %b: tensor<1x96xbf16>) -> tensor<32x1xbf16> {
  %0 = tensor.empty() : tensor<32x96xbf16>
  %1 = "ttir.matmul"(%x, %w, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x64xbf16>, tensor<64x96xbf16>, tensor<32x96xbf16>) -> tensor<32x96xbf16>
  %2 = tensor.empty() : tensor<32x96xbf16>
  %3 = "ttir.add"(%1, %b, %2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x96xbf16>, tensor<1x96xbf16>, tensor<32x96xbf16>) -> tensor<32x96xbf16>
  %4 = tensor.empty() : tensor<32x96xbf16>
  %5 = "ttir.softmax"(%3, %4) <{dimension = -1 : si32, operand_constraints = [#any_device, #any_device]}> : (tensor<32x96xbf16>, tensor<32x96xbf16>) -> tensor<32x96xbf16>
  %6 = tensor.empty() : tensor<32x1xbf16>
  %7 = "ttir.max"(%5, %6) <{keep_dim = true, dim_arg = [1 : i32], operand_constraints = [#any_device, #any_device]}> : (tensor<32x96xbf16>, tensor<32x1xbf16>) -> tensor<32x1xbf16>
  return %7 : tensor<32x1xbf16>
}"""
    (x, w, b), (output,), golden = run(text)
    wanted = torch.softmax((x.double() @ w.double() + b.double()), -1).amax(1, keepdim=True)
    assert correlation(wanted.numpy().ravel(), output.double().numpy().ravel()) > 0.99
    assert {"MatmulOp", "SoftmaxOp", "ReductionOp Max"} <= {
        one.operation.split(" ", 1)[1] for one in golden.comparisons
    }


def test_constants_are_what_they_say() -> None:
    text = """
func.func @main(%arg0: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = "ttir.constant"() <{value = dense<0.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %three = "ttir.constant"() <{value = dense<3.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
  %0 = tensor.empty() : tensor<32x32xf32>
  %1 = "ttir.add"(%arg0, %zero, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = tensor.empty() : tensor<32x32xf32>
  %3 = "ttir.multiply"(%1, %three, %2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %3 : tensor<32x32xf32>
}"""
    (given,), (output,), _ = run(text)
    assert torch.equal(output, 3 * given)


def test_an_argument_that_is_returned() -> None:
    (given,), (output,), _ = run_without_operations(
        "func.func @main(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> { return %arg0 : tensor<4x4xf32> }"
    )
    assert torch.equal(given, output) and given.data_ptr() != output.data_ptr()


def run_without_operations(text: str) -> tuple[list[Any], list[Any], None]:
    binary = compiled(text)
    program = prepared(binary, 0)
    inputs = initialised(program, "randn", 0)
    outputs, _ = run_program(SimulatedDevice(system_for(binary, ""), [0]), program, inputs)
    return inputs, outputs, None


def test_convolution_and_pooling() -> None:
    text = """
func.func @main(%x: tensor<1x8x10x4xbf16>, %w: tensor<6x4x3x3xbf16>) -> tensor<1x8x10x6xbf16> {
  %0 = tensor.empty() : tensor<1x8x10x6xbf16>
  %1 = "ttir.conv2d"(%x, %w, %0) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32,
    dilation_width = 1 : si32, groups = 1 : si32, padding_left = 1 : si32, padding_right = 1 : si32, padding_top = 1 : si32,
    padding_bottom = 1 : si32, operand_constraints = [#any_device, #any_device, #any_device]}> : (tensor<1x8x10x4xbf16>, tensor<6x4x3x3xbf16>, tensor<1x8x10x6xbf16>) -> tensor<1x8x10x6xbf16>
  return %1 : tensor<1x8x10x6xbf16>
}"""
    (x, w), (output,), _ = run(text)
    wanted = torch.nn.functional.conv2d(x.permute(0, 3, 1, 2).double(), w.double(), padding=1).permute(
        0, 2, 3, 1
    )
    assert np.allclose(output.double().numpy(), wanted.numpy(), atol=0.1, rtol=0.05)
