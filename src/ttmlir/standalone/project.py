"""A TTNN module as a C++ project: its functions, a program that runs them on files or random inputs, build files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from tt_model.layouts.enums import DataType
from ttl.emitc.printer import print_cpp
from ttl.emitc.project import StandaloneProject, table
from ttl.emitc.spelling import KEYWORDS
from ttl.ir.refusals import Refused
from ttmlir.standalone.cpp_api import LIBRARIES, CppApi
from ttmlir.standalone.programs import (
    ProgramInterface,
    Refusals,
    functions_of,
    interface_of,
    is_program,
)
from ttmlir.standalone.project_frame import HARNESS, HEADERS, LINKS, MAIN, RUN
from ttmlir.standalone.to_emitc import HEADER, LibraryConversion
from ttmlir.standalone.values import device_of

# The types of elements in C++.
_ELEMENTS: Mapping[DataType, str] = MappingProxyType(
    {
        DataType.Float32: "float",
        DataType.BFloat16: "bfloat16",
        DataType.UInt32: "std::uint32_t",
        DataType.UInt16: "std::uint16_t",
        DataType.UInt8: "std::uint8_t",
    }
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def project_of(module: ModuleOp, source: str, api: CppApi) -> dict[str, str]:
    """The files of the project, by their names. Raises ``NotWritten``.

    Args:
        module: functions of TTNN operations of one chip.
        source: the description of the module's origin in the project.
        api: the date of the library that it calls.
    """
    refused = Refusals("C++")
    functions = functions_of(module, refused)
    _refuse_names(functions, refused)
    conversion = LibraryConversion(api)
    converted = ModuleOp([conversion.function(function) for function in functions])
    for op, problem in conversion.refused:
        refused.add(op, problem)
    interfaces: list[ProgramInterface] = []
    for function in filter(is_program, functions):
        try:
            interfaces.append(interface_of(function))
        except Refused as problem:
            refused.add(function, problem)
    refused.check()
    text = _program(print_cpp(converted).strip("\n"), interfaces, api)
    return StandaloneProject(
        program="ttnn-standalone",
        entry="ttnn-standalone.cpp",
        sources={"ttnn-standalone.cpp": text, HEADER: HEADERS[api], "run": RUN},
        links=LINKS,
        page=_readme(interfaces, source, api),
    ).files()


def _refuse_names(functions: Sequence[FuncOp], refused: Refusals) -> None:
    for function in functions:
        name = function.sym_name.data
        if not _NAME.fullmatch(name) or name in KEYWORDS:
            problem = Refused(f"'{name}' is not a name in C++", "what works: letters, digits and underscores")
            refused.add(function, problem)
        device = device_of(function)
        if device is not None and len(device.data.chip_ids) > 1:
            problem = Refused(
                f"it runs on {len(device.data.chip_ids)} chips, but the program around it opens only one",
                "what works: ttmlir-translate --ttnn-to-python, whose script opens a mesh",
            )
            refused.add(function, problem)


def _program(functions: str, interfaces: Sequence[ProgramInterface], api: CppApi) -> str:
    entries = "".join(f'    {{"{one.name}", run_{one.name}}},\n' for one in interfaces)
    runners = "".join(_runner(number, one, api) for number, one in enumerate(interfaces))
    return (
        f'#include "{HEADER}"\n\n'
        "// The functions of the model. Tensors that they take and return are on the host, but for those that they write into.\n"
        f"namespace model {{\n{functions}\n}} // namespace model\n\n"
        f"{HARNESS}{runners}"
        "const std::vector<std::pair<std::string, void (*)(const Given &)>> programs = {\n"
        f"{entries}}};\n\n{MAIN}"
    )


def _runner(number: int, one: ProgramInterface, api: CppApi) -> str:
    space = LIBRARIES[api].namespace
    lines = [f"void run_{one.name}(const Given &given) {{", "  std::mt19937_64 generator(given.seed);"]
    names = []
    for index, tensor in enumerate(one.inputs):
        element = _ELEMENTS[tensor.data_type]
        names.append(f"input_{index}")
        extents = ", ".join(map(str, tensor.shape))
        page = "TILE" if tensor.is_tiled else "ROW_MAJOR"
        limits = "{}"
        if tensor.limits is not None:
            limits = f"std::pair<std::int64_t, std::int64_t>{tensor.limits}"
        lines += [
            f"  // {tensor.name}",
            f"  ttnn::Tensor input_{index} = input<{element}>(",
            f"      given, {number}, {index}, {{{extents}}}, {space}::DataType::{tensor.dtype.upper()}, {space}::Layout::{page},",
            f"      {tensor.rows}, {limits}, generator);",
        ]
        if tensor.is_on_device:
            lines.append(f"  input_{index} = ttnn::onto_device(input_{index});")
    results = "" if not one.outputs else "auto results = "
    lines.append(f"  {results}model::{one.name}({', '.join(names)});")
    for index, tensor in enumerate(one.outputs):
        element = _ELEMENTS[tensor.data_type]
        result = "results" if len(one.outputs) == 1 else f"std::get<{index}>(results)"
        result = f"ttnn::off_device({result})" if tensor.is_on_device else result
        extents = "x".join(map(str, tensor.shape))
        lines += [
            f'  keep(given, {number}, "output", {index}, ttnn::host_values<{element}>({result}));',
            f'  std::cout << "output {index}: {extents} {tensor.dtype}\\n";',
        ]
    return "\n".join([*lines, "}", "", ""])


def _readme(interfaces: Sequence[ProgramInterface], source: str, api: CppApi) -> str:
    library = "TT-NN of 2024-11-21" if api == "2024-11" else f"TT-NN {api}"
    tensors = table(
        ("program", "function", "tensor", "name", "shape", "type"),
        (
            (number, one.name, f"{kind} {index}", tensor.name, "x".join(map(str, tensor.shape)), tensor.dtype)
            for number, one in enumerate(interfaces)
            for kind, group in (("input", one.inputs), ("output", one.outputs))
            for index, tensor in enumerate(group)
        ),
        rule="---",
    )
    return f"""\
# {", ".join(one.name for one in interfaces)}

Written by `ttmlir-translate --ttnn-to-standalone` of {source}, for {library}. It is yours to change, and needs nothing of the compiler.

    sh run --save results
    sh run --inputs results --save again

`run` builds with CMake: an installed TT-NN is looked for, or say where it is with
`CMAKE_FLAGS="-DTTNN_INCLUDE_DIRS=... -DTTNN_LIBRARY_DIR=..."`. `build/ttnn-standalone --help` lists the flags of the program.

| file | is |
|---|---|
| `ttnn-standalone.cpp` | the functions of the model, and a program that runs them |
| `ttnn-precompiled.hpp` | the headers of the library, the device, tensors of the host |
| `run`, `CMakeLists.txt` | how it is built |

A file `program_0_input_0.bin` has the elements of a tensor in row-major order, as they are in memory. The script that
`ttmlir-translate --ttnn-to-python` writes of the same module reads and writes the same files.

{tensors}
"""
