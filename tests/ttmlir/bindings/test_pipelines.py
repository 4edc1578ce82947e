"""``ttmlir.passes`` and ``ttmlir.passmanager``: modules compiled from Python."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ttmlir.ir import Context, Location, MLIRError, Module
from ttmlir.passes import (
    ttir_to_ttmetal_backend_pipeline,
    ttir_to_ttnn_backend_pipeline,
    ttnn_pipeline_analysis_passes,
    ttnn_pipeline_dealloc_pass,
    ttnn_pipeline_layout_decomposition_pass,
    ttnn_pipeline_lowering_passes,
    ttnn_pipeline_ttir_passes,
)
from ttmlir.passmanager import PassManager

RELU = """
#any_device = #tt.operand_constraint<dram|l1|scalar|tile|any_device|any_device_tile>
func.func @forward(%arg0: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = tensor.empty() : tensor<64x128xf32>
  %1 = "ttir.relu"(%arg0, %0) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any_device, #any_device]}> : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
"""


@pytest.fixture(autouse=True)
def context() -> Iterator[Context]:
    with Context() as ctx, Location.unknown():
        yield ctx


def test_the_whole_pipeline() -> None:
    module = Module.parse(RELU)
    ttir_to_ttnn_backend_pipeline(module)
    text = str(module)
    assert '"ttnn.relu"' in text and '"ttnn.deallocate"' in text and "ttir." not in text
    assert str(Module.parse(text)) == text


def test_the_stages_are_the_pipeline() -> None:
    whole, staged = Module.parse(RELU), Module.parse(RELU)
    ttir_to_ttnn_backend_pipeline(whole, "mesh-shape=1,1")
    for stage in (
        ttnn_pipeline_ttir_passes,
        ttnn_pipeline_lowering_passes,
        ttnn_pipeline_analysis_passes,
        ttnn_pipeline_layout_decomposition_pass,
        ttnn_pipeline_dealloc_pass,
    ):
        stage(staged, "mesh-shape=1,1")
    assert str(staged) == str(whole)


def test_what_cannot_be_compiled_is_said() -> None:
    add = "func.func @f(%a: f32) -> f32 { %0 = arith.addf %a, %a : f32\n return %0 : f32 }"
    with pytest.raises(RuntimeError, match=r"failed to legalize operation 'arith\.addf'"):
        ttir_to_ttnn_backend_pipeline(Module.parse(add))
    with pytest.raises(RuntimeError, match="no option"):
        ttir_to_ttnn_backend_pipeline(Module.parse(RELU), "meshshape=1")
    with pytest.raises(RuntimeError, match="gets no address: it is not a tensor"):
        ttir_to_ttmetal_backend_pipeline(Module.parse(add))


def test_pass_manager() -> None:
    module = Module.parse(RELU)
    manager = PassManager.parse("builtin.module(canonicalize,cse)")
    manager.run(module.operation)
    assert '"ttir.relu"' in str(module)
    with pytest.raises(ValueError, match="unknown pass canonicalise; did you mean canonicalize"):
        PassManager.parse("builtin.module(canonicalise)")
    with pytest.raises(MLIRError, match="Failure while executing pass pipeline"):
        PassManager.parse("builtin.module(convert-ttir-to-ttnn)").run(module.operation)


def test_a_module_goes_to_ttmetal() -> None:
    module = Module.parse(RELU)
    ttir_to_ttmetal_backend_pipeline(module, "system-desc-path=n150")
    assert "ttkernel.relu_tile" in str(module)
