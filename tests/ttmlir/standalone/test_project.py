"""C++ of TTNN modules: it compiles, needs what the library in the wheel has, and is a project that builds."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from support import library_stub, real_ttnn
from support.operation_cases import CASES
from support.scripts import NOT_OF_WHOLE_NUMBERS, Script
from support.ttmlir_models import HEADER, operation, ttnn_module
from tt_model.operations.constants import give_limits
from ttl.emitc.printer import print_cpp
from ttl.ir.failure import NotLegalized
from ttmlir.standalone.cpp_api import CPP_APIS, LIBRARIES, CppApi
from ttmlir.standalone.project import project_of
from ttmlir.standalone.project_frame import HEADERS
from ttmlir.transforms.to_emitc.ttnn_to_emitc import cpp_of, emitc_of

ROOT = Path(__file__).resolve().parents[3]
COMPILER = shutil.which("g++")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no g++ on this machine")


def compiled(source: Path, api: CppApi, *flags: str) -> Path:
    """The object file of a source beside which the stub headers are put."""
    folder = source.parent
    library_stub.stub_headers(folder, api, HEADERS[api])
    (folder / "ttnn-precompiled.hpp").write_text(HEADERS[api])
    target = source.with_suffix(".o")
    done = subprocess.run(
        ["g++", "-std=c++20", "-c", "-I", str(folder), *flags, str(source), "-o", str(target)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[:3000]
    return target


def needed_of_wheel(object_file: Path) -> set[str]:
    """What an object file needs of the library and the wheel has not."""
    try:
        exported = library_stub.exported()
    except real_ttnn.Missing as problem:
        pytest.skip(str(problem))
    needed = library_stub.needed(object_file)
    assert needed
    return needed - exported


def calls_of_every_operation(api: CppApi) -> str:
    """A function for each operation with its different operands, of alternating types."""
    parts = ['#include "ttnn-precompiled.hpp"\n']
    for index, case in enumerate(CASES):
        dtype = case.dtypes[index % len(case.dtypes)]
        module = ttnn_module(case.text(dtype, "any_device"))
        try:
            text = cpp_of(module, api).replace('#include "ttnn-precompiled.hpp"\n', "")
        except NotLegalized:
            is_whole = dtype.startswith("i") and api == "0.81" and case.name in NOT_OF_WHOLE_NUMBERS
            assert is_whole or "-7 : i32" in case.attributes or "ceil_mode = true" in case.attributes
            continue
        parts.append(text.replace("ttnn::Tensor main(", f"ttnn::Tensor f{index}("))
    return "".join(parts)


@pytest.mark.one_of(2)
@needs_compiler
@pytest.mark.parametrize("api", CPP_APIS)
def test_calls_of_every_operation_compile(api: CppApi, tmp_path: Path) -> None:
    source = tmp_path / "calls.cpp"
    source.write_text(calls_of_every_operation(api))
    target = compiled(source, api)
    if api == "0.81":
        assert needed_of_wheel(target) == set()


@needs_compiler
def test_every_function_of_the_table_is_in_the_wheel(tmp_path: Path) -> None:
    """Also those that calls of one chip do not need, and parameters that calls do not write."""
    lines = ['#include "ttnn-precompiled.hpp"\n']
    for number, function in enumerate(LIBRARIES["0.81"].functions.values()):
        types = ", ".join(parameter.type for parameter in function.parameters)
        result = "void" if function.name.endswith("deallocate") else "ttnn::Tensor"
        result = result if function.is_tensor else "std::tuple<ttnn::Tensor>"
        lines.append(f"{result} (*f{number})({types}) = &{function.name};\n")
    source = tmp_path / "table.cpp"
    source.write_text("".join(lines))
    assert needed_of_wheel(compiled(source, "0.81")) == set()


def model(name: str) -> ModuleOp:
    return ttnn_module((ROOT / "examples" / "models" / f"{name}.mlir").read_text())


@pytest.mark.one_of(2)
@needs_compiler
@pytest.mark.parametrize("api", CPP_APIS)
def test_a_project_compiles_without_a_warning(api: CppApi, tmp_path: Path) -> None:
    files = project_of(model("transformer_layer"), "transformer_layer.mlir", api)
    assert set(files) == {
        "ttnn-standalone.cpp", "ttnn-precompiled.hpp", "CMakeLists.txt", "run", "README.md",
    }  # fmt: skip
    source = tmp_path / "ttnn-standalone.cpp"
    source.write_text(files["ttnn-standalone.cpp"])
    target = compiled(source, api, "-Wall", "-Wextra", "-Werror")
    if api == "0.81":
        assert needed_of_wheel(target) == set()


CACHE = """
func.func @main(%cache: tensor<2x4x64x32xbf16> {ttir.written = 0 : i64}, %x: tensor<1x4x2x32xbf16>, %p: tensor<1x4x32x32xbf16>, %at: tensor<1xi32> {ttir.limits = array<i64: 0, 63>}) -> tensor<2x4x64x32xbf16> {
  %0 = "ttir.fill_cache"(%cache, %p) <{batch_offset = 1 : i32, operand_constraints = [#any, #any]}> : (tensor<2x4x64x32xbf16>, tensor<1x4x32x32xbf16>) -> tensor<2x4x64x32xbf16>
  %1 = "ttir.update_cache"(%0, %x, %at) <{batch_offset = 0 : i32, operand_constraints = [#any, #any, #any]}> : (tensor<2x4x64x32xbf16>, tensor<1x4x2x32xbf16>, tensor<1xi32>) -> tensor<2x4x64x32xbf16>
  %2 = tensor.empty() : tensor<2x4x64x32xbf16>
  %3 = "ttir.relu"(%1, %2) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any, #any]}> : (tensor<2x4x64x32xbf16>, tensor<2x4x64x32xbf16>) -> tensor<2x4x64x32xbf16>
  return %3 : tensor<2x4x64x32xbf16>
}
"""


@pytest.mark.one_of(2)
@needs_compiler
@pytest.mark.parametrize("api", CPP_APIS)
def test_what_is_written_in_place_and_limits_compile(api: CppApi, tmp_path: Path) -> None:
    text = HEADER + CACHE.replace("#any,", "#any_device_tile,").replace("#any]", "#any_device_tile]")
    files = project_of(ttnn_module(text), "cache.mlir", api)
    source = tmp_path / "ttnn-standalone.cpp"
    source.write_text(files["ttnn-standalone.cpp"])
    calls = re.findall(r"ttnn::(update_cache|fill_cache|copy|onto_device|off_device)\(", source.read_text())
    assert calls == ["fill_cache", "update_cache", "copy", "onto_device", "off_device"]
    target = compiled(source, api, "-Wall", "-Wextra", "-Werror")
    if api == "0.81":
        assert needed_of_wheel(target) == set()


@needs_compiler
@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake on this machine")
def test_a_project_is_built_against_the_libraries_of_the_wheel(tmp_path: Path) -> None:
    """It links with them; it is not run further than its command line: stub headers say nothing of how types lie in memory."""
    try:
        python = real_ttnn.environment("0.81")
    except real_ttnn.Missing as problem:
        pytest.skip(str(problem))
    (libraries,) = python.parent.parent.glob("lib/python3*/site-packages/ttnn/build/lib")
    module = ttnn_module(operation("add", ["33x40xbf16", "33x40xbf16"], "33x40xbf16"))
    give_limits(next(op for op in module.walk() if isinstance(op, FuncOp)), {0: (-1000, 1000)})
    for name, text in project_of(module, "model.mlir", "0.81").items():
        (tmp_path / name).write_text(text)
    stub = library_stub.stub_headers(tmp_path / "stub", "0.81", HEADERS["0.81"])
    variables = {"CMAKE_FLAGS": f"-DTTNN_INCLUDE_DIRS={stub} -DTTNN_LIBRARY_DIR={libraries}"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["sh", "run", *arguments]
        environment = {**real_ttnn.os.environ, **variables}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    shown = run("--help")
    assert shown.returncode == 0 and "--program  which function: main" in shown.stdout, shown.stderr
    missing = run("--inputs", "nowhere")
    assert missing.returncode == 1 and "program_0_input_0.bin cannot be read" in missing.stderr
    assert run("--seed", "x").returncode == 2
    # Limits of an input are checked before it comes to the library: 1001 as bfloat16 is 1000, and 1004 is beyond.
    beyond = np.full((33, 40), 1004, np.float32).view(np.uint32) >> 16
    (tmp_path / "program_0_input_0.bin").write_bytes(beyond.astype(np.uint16).tobytes())
    refused = run("--inputs", ".")
    assert refused.returncode == 1 and "inputs from -1000 to 1000 (TTL1711)" in refused.stderr, refused.stderr


@pytest.mark.skipif(shutil.which("mlir-translate-19") is None, reason="there is no MLIR 19")
@pytest.mark.parametrize("api", CPP_APIS)
def test_mlir_prints_the_same(api: CppApi) -> None:
    converted = ModuleOp([])
    converted.body.detach_block(converted.body.block)
    converted.body.add_block(emitc_of(model("mlp"), api))
    done = subprocess.run(
        ["mlir-translate-19", "--mlir-to-cpp"],
        input=re.sub(r" loc\(.*?\)", "", str(converted)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == print_cpp(converted)


def test_a_project_reads_what_a_script_writes() -> None:
    """The same inputs in the same order, of the same types and extents."""
    module = ttnn_module(operation("embedding", ["3x5xi32", "40x64xbf16"], "3x5x64xbf16"))
    text = project_of(module, "model.mlir", "0.81")["ttnn-standalone.cpp"]
    wanted = [
        (f"program_{number}", one.shape, one.rows)
        for number, program in enumerate(Script(module).names["PROGRAMS"].values())
        for one in program.inputs
    ]
    written = [
        (f"program_{program}", tuple(map(int, extents.split(", "))), int(rows))
        for program, extents, rows in re.findall(
            r"given, (\d+), \d+, \{([^}]*)\}, [^,]*, [^,]*,\s+(\d+), \{\}, generator", text
        )
    ]
    assert written == wanted


@pytest.mark.parametrize(
    ("name", "condition"),
    [("class", "'class' is not a name in C++"), ('"a-b"', "'a-b' is not a name in C++")],
)
def test_names_that_are_none_of_cpp_are_refused(name: str, condition: str) -> None:
    text = operation("relu", ["32x32xbf16"], "32x32xbf16").replace("@main", f"@{name}")
    with pytest.raises(NotLegalized) as refused:
        project_of(ttnn_module(text), "model.mlir", "0.81")
    assert condition in refused.value.reports[0].message
