"""``convert-ttnn-to-emitc``: the calls of 2024-11-21 as they were where they were right, and with what they left out."""

from __future__ import annotations

import io
import re

import pytest
from xdsl.context import Context

from support.ttmlir_models import HEADER, operation, ttnn_module
from ttl.ir.failure import NotLegalized
from ttmlir.opt.main import TTMLIR_OPT
from ttmlir.standalone.cpp_api import CppApi
from ttmlir.transforms.to_emitc.ttnn_to_emitc import ConvertTTNNToEmitC, cpp_of

# A slice that goes from the last element to the first.
BACKWARDS = "begins = [3 : i32, 32 : i32], ends = [0 : i32, 2 : i32], step = [-1 : i32, -7 : i32]"


def cpp(text: str, api: CppApi = "2024-11") -> list[str]:
    """The lines of C++ of a module of TTIR."""
    return cpp_of(ttnn_module(text), api).splitlines()


def test_a_product_is_the_text_of_2024() -> None:
    text = operation("multiply", ["64x128xbf16"] * 2, "64x128xbf16")
    placed = "ttnn::MemoryConfig(ttnn::TensorMemoryLayout::INTERLEAVED, ttnn::BufferType::DRAM);"
    tiled = "ttnn::Layout::TILE, std::nullopt, std::nullopt, static_cast<::ttnn::Device *>(nullptr));"
    assert cpp(text)[:-2] == [
        '#include "ttnn-precompiled.hpp"',
        "ttnn::Tensor main(ttnn::Tensor v1, ttnn::Tensor v2) {",
        "  ttnn::Device* v3 = ttnn::DeviceGetter::getInstance();",
        f"  ttnn::MemoryConfig v4 = {placed}",
        "  ttnn::Tensor v5 = ttnn::to_device(v1, v3, v4);",
        f"  ttnn::Tensor v6 = ttnn::to_layout(v5, {tiled}",
        "  ttnn::deallocate(v5, false);",
        f"  ttnn::MemoryConfig v7 = {placed}",
        "  ttnn::Tensor v8 = ttnn::to_device(v2, v3, v7);",
        f"  ttnn::Tensor v9 = ttnn::to_layout(v8, {tiled}",
        "  ttnn::deallocate(v8, false);",
        "  ttnn::Shape v10 = ttnn::Shape(tt::tt_metal::LegacyShape({64, 128, }));",
        f"  ttnn::MemoryConfig v11 = {placed}",
        "  ttnn::Tensor v12 = ttnn::empty(v10, ttnn::DataType::BFLOAT16, ttnn::Layout::ROW_MAJOR, v3, v11);",
        "  ttnn::Tensor v13 = ttnn::multiply(v6, v9, std::nullopt, std::nullopt, v12);",
        "  ttnn::deallocate(v9, false);",
        "  ttnn::deallocate(v6, false);",
        "  ttnn::Tensor v14 = ttnn::from_device(v13);",
        "  ttnn::deallocate(v12, false);",
        "  ttnn::Tensor v15 = ttnn::to_layout(v14, "
        "ttnn::Layout::ROW_MAJOR, std::nullopt, std::nullopt, static_cast<::ttnn::Device *>(nullptr));",
        "  ttnn::deallocate(v14, false);",
        "  return v15;",
        "}",
    ]


@pytest.mark.parametrize(
    ("text", "call"),
    [
        (
            operation("clamp", ["32x32xf32"], "32x32xf32", "min = 0.1 : f32, max = 6.0 : f32"),
            "ttnn::clamp(v, 0.1f, 6.0f, v)",
        ),
        (
            operation("leaky_relu", ["32x32xf32"], "32x32xf32", "parameter = 0.5 : f32"),
            "ttnn::leaky_relu(v, 0.5f, v)",
        ),
        (
            operation("sum", ["4x33x40xf32"], "4x40xf32", "keep_dim = false, dim_arg = [1 : i32]"),
            "ttnn::sum(v, std::vector<int>{1}, false, v)",
        ),
        (
            operation("eq", ["32x32xf32"] * 2, "32x32xf32"),
            "ttnn::eq(v, v, ttnn::DataType::FLOAT32, v)",
        ),
        (
            operation("remainder", ["32x32xf32"] * 2, "32x32xf32"),
            "ttnn::fmod(v, v, v)",
        ),
        (operation("gelu", ["32x32xf32"], "32x32xf32"), "ttnn::gelu(v, false, v)"),
        (
            operation("concat", ["4x33xf32"] * 2, "8x33xf32", "dim = 0 : si32"),
            "ttnn::concat(v, 0, v)",
        ),
    ],
)
def test_attributes_are_kept(text: str, call: str) -> None:
    lines = [re.sub(r"\bv\d+", "v", line) for line in cpp(text)]
    assert f"  ttnn::Tensor v = {call};" in lines


def test_a_tensor_of_zeros_is_made_and_one_that_is_only_written_is_not() -> None:
    text = (
        "func.func @main(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {\n"
        '  %z = "ttir.constant"() <{value = dense<0.0> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>\n'
        "  %0 = tensor.empty() : tensor<32x32xf32>\n"
        '  %1 = "ttir.maximum"(%a, %z, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = '
        "[#any_device, #any_device, #any_device]}> : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) "
        "-> tensor<32x32xf32>\n  return %1 : tensor<32x32xf32>\n}\n"
    )
    lines = "\n".join(cpp(text))
    assert lines.count("ttnn::zeros(") == 1 and "ttnn::empty(" not in lines


def run(*arguments: str, text: str) -> tuple[int, str, str]:
    output, errors = io.StringIO(), io.StringIO()
    status = TTMLIR_OPT.run(arguments, io.StringIO(text), output, errors)
    return status, output.getvalue(), errors.getvalue()


MODEL = HEADER + operation("relu", ["32x32xbf16"], "32x32xbf16")


@pytest.mark.parametrize("api", ["2024-11", "0.81"])
def test_the_pipeline_is_that_to_ttnn_and_the_pass(api: str) -> None:
    together = run(f"--ttir-to-emitc-pipeline=api={api}", text=MODEL)
    apart = run("--ttir-to-ttnn-backend-pipeline", f"--convert-ttnn-to-emitc=api={api}", text=MODEL)
    assert together == apart and together[0] == 0


def test_the_older_spelling_of_the_specification_decomposes_layouts() -> None:
    """``--ttir-load-system-desc --ttir-layout --convert-ttir-to-ttnn --convert-ttnn-to-emitc`` has no pass that does."""
    older = ("--ttir-load-system-desc", "--ttir-layout", "--convert-ttir-to-ttnn", "--convert-ttnn-to-emitc")
    status, output, errors = run(*older, text=MODEL)
    assert (status, errors) == (0, "")
    assert output.count('"ttnn::to_device"') == 1 and output.count('"ttnn::from_device"') == 1


def test_a_library_that_is_not_known_is_refused() -> None:
    status, output, errors = run("--convert-ttnn-to-emitc=api=0.53", text=MODEL)
    assert (status, output) == (2, "")
    assert "api is 0.53; it is one of 2024-11, 0.81" in errors


def test_what_is_refused_leaves_the_module_as_it_was() -> None:
    module = ttnn_module(operation("slice", ["4x33xf32"], "3x5xf32", BACKWARDS))
    before = str(module)
    with pytest.raises(NotLegalized) as refused:
        ConvertTTNNToEmitC().apply(Context(), module)
    assert str(module) == before
    (report,) = refused.value.reports
    assert report.message == "failed to legalize operation 'ttnn.slice'"
    assert [note.message for note in report.notes] == [
        "its steps are [-1, -7], and the library's slice supports positive steps only",
        "what works: steps of 1 and more; ttrt run supports the others",
    ]
