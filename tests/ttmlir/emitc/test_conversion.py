"""``convert-ttkernel-to-emitc``, and kernels of TTMetal as they were reviewed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.context import Context

import ttmlir
from support.golden import kept_in
from support.kernel_check import GENERATIONS, Generation, check, needs_compiler
from support.metal_golden import FOLDER, MODULES, printed
from support.metal_kernels import compiled, dispatches_of
from tt_model.operations import kinds
from tt_model.operations.dialects import DIALECTS, rows_of
from tt_model.operations.row import Row
from tt_model.operations.ttkernel import LATER_CALLS
from ttl.emitc.printer import print_cpp
from ttl.ir.context import make_context
from ttl.ir.failure import NotLegalized
from ttl.ir.parser import parse_text
from ttl.ir.printer import print_module
from ttmlir.emitc import KernelSource, kernel_sources
from ttmlir.transforms.to_emitc.ttkernel_to_emitc import ConvertTTKernelToEmitC


@pytest.mark.parametrize("name", MODULES)
def test_the_text_is_the_one_that_was_reviewed(name: str) -> None:
    assert printed(name) == kept_in(FOLDER, f"{name}.*.cpp")


def test_the_conversion_has_every_operation_of_2024_by_itself_or_with_another() -> None:
    rows = [row for row in rows_of("ttkernel").rows if row.mnemonic not in (*LATER_CALLS, "return")]
    refused = {row.mnemonic for row in rows if not _converts(row)}
    assert refused == {*ON_UNPACKED, "unpack_ab", *REFUSED} and len(rows) + 1 - len(refused) == 45


ON_UNPACKED = ("add", "sub", "mul", "matmul")
REFUSED = {
    "unpack_a": "nothing in the dialect computes on one unpacked tile",
    "pack_set_data_type": "the kernel API takes the data type from the circular buffer, not as an argument",
    "unpack_set_data_type": "the kernel API takes the data type from the circular buffer, not as an argument",
}


def _converted(*lines: str) -> str:
    """A kernel with these lines as C++. Raises ``NotLegalized``."""
    text = "\n".join([f"func.func @kernel(%cb: {CB}) {{ %n = arith.constant 1 : i32", *lines, _END])
    module = parse_text(make_context(DIALECTS), text, "kernel.mlir")
    ConvertTTKernelToEmitC().apply(Context(), module)
    return print_cpp(module)


_END = '"ttkernel.return"() : () -> () }'


def _unpacked() -> str:
    return f'"ttkernel.unpack_ab"(%cb, %n, %cb, %n) : ({CB}, i32, {CB}, i32) -> ()'


def test_what_unpacks_and_what_computes_are_one_call() -> None:
    lines = [line for name in ON_UNPACKED for line in (_unpacked(), f'"ttkernel.{name}"(%n) : (i32) -> ()')]
    text = _converted(*lines, f'"ttkernel.pack"(%n, %cb, %n) : (i32, {CB}, i32) -> ()')
    called = re.findall(r"(\w+)\((.*)\);", text)
    assert [name for name, _ in called] == [*(f"{name}_tiles" for name in ON_UNPACKED), "pack_tile"]
    assert {given.count(",") for _, given in called[:3]} == {4}


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (('"ttkernel.add"(%n) : (i32) -> ()',), "no tiles are unpacked for it"),
        (("unpacked",), "nothing in its block computes on the tiles"),
        (("unpacked", *('"ttkernel.mul"(%n) : (i32) -> ()',) * 2), "no tiles are unpacked for it"),
        *(((f"of itself {name}",), reason) for name, reason in REFUSED.items()),
    ],
)
def test_one_without_the_other_is_refused(lines: tuple[str, ...], reason: str) -> None:
    texts = {
        "unpacked": _unpacked(),
        "of itself unpack_a": f'"ttkernel.unpack_a"(%cb, %n) : ({CB}, i32) -> ()',
        "of itself pack_set_data_type": '"ttkernel.pack_set_data_type"() <{data_type = 2 : i32}> : () -> ()',
        "of itself unpack_set_data_type": '"ttkernel.unpack_set_data_type"() <{data_type_a = 2 : i32, data_type_b = 2 : i32}> : () -> ()',
    }
    with pytest.raises(NotLegalized) as caught:
        _converted(*(texts.get(line, line) for line in lines))
    assert reason in caught.value.reports[0].notes[0].message


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_headers_take_what_became_of_the_older_form(generation: Generation) -> None:
    """But for ``matmul_tiles``, which took one argument more in 2024."""
    lines = [
        line for name in ON_UNPACKED[:3] for line in (_unpacked(), f'"ttkernel.{name}"(%n) : (i32) -> ()')
    ]
    text = _converted(*lines, f'"ttkernel.pack"(%n, %cb, %n) : (i32, {CB}, i32) -> ()')
    head = ["compute/common.h", "compute/eltwise_binary.h", "compute/pack.h"]
    body = text.replace("::tt::CB::c_in0", "0").replace("::tt::CB", "uint32_t")
    kernel = "\n".join(
        [*(f'#include "api/{one}"' for one in head), body.replace("void kernel()", "void kernel_main()")]
    )
    assert check(generation, "compute", kernel) is None


def _converts(row: Row) -> bool:
    """Whether an operation with values of the right types is converted, in a kernel that ends."""
    given = {
        kinds.CIRCULAR_BUFFER: ("%cb", CB),
        kinds.MEMREF_OR_CIRCULAR_BUFFER: ("%cb", CB),
        kinds.NOC_ADDRESS: ("%noc", "!ttkernel.noc_addr"),
        kinds.L1_ADDRESS_POINTER: ("%words", "!ttkernel.l1_addr_ptr"),
    }
    operands = [given.get(operand.kind, ("%n", "i32")) for operand in row.operands]
    entries = ", ".join(f"{one.name} = {_ENTRIES[one.kind]}" for one in row.attributes)
    result = given.get(row.results[0].kind, ("", "i32"))[1] if row.results else "()"
    values = ", ".join(value for value, _ in operands)
    types = ", ".join(type_ for _, type_ in operands)
    end = "" if row.mnemonic == "unreachable" else '"ttkernel.return"() : () -> ()'
    text = f"""
        func.func @kernel(%cb: {CB}) {{
          %n = arith.constant 1 : i32
          %noc = "ttkernel.get_noc_addr"(%n) : (i32) -> !ttkernel.noc_addr
          %words = "ttkernel.reinterpret_cast<volatile tt_l1_ptr uint32_t*>"(%n) : (i32) -> !ttkernel.l1_addr_ptr
          {"%r = " if row.results else ""}"{row.name}"({values}) <{{{entries}}}> : ({types}) -> {result}
          {end}
        }}"""
    module = parse_text(make_context(DIALECTS), text, "kernel.mlir")
    try:
        ConvertTTKernelToEmitC().apply(Context(), module)
    except NotLegalized:
        return False
    return "ttkernel" not in print_module(module) and print_cpp(module) != ""


CB = "!ttkernel.cb<cb_in0, 1024, memref<1x1x!tt.tile<32x32, f32>, #tt.memory_space<l1>>, 4096, 1>"
_ENTRIES = {
    kinds.DATA_TYPE_NUMBER: "2 : i32",
    kinds.REDUCE_TYPE: "#ttkernel.reduce_type<reduce_max>",
    kinds.REDUCE_DIM: "#ttkernel.reduce_dim<reduce_dim_col>",
    kinds.SYMBOL: "@name",
}

# What of the text of 2024-11-21 the headers of a generation do not take, beside paths and ``namespace NAMESPACE``, and why.
# docs/ttmlir/cpp.md has the same list.
SINCE_2024: dict[Generation, dict[str, str]] = {
    "0.69": {
        "copy_tile_init": "takes the circular buffer",
        "mul_tiles_init_f": "is gone: mul_tiles_init does all of it",
        "reduce_init": "has the pool and the dimension as its first template arguments",
    },
    "0.81": {
        "binary_op_init_common": "is gone: compute_kernel_hw_startup",
        "copy_tile_init": "takes the circular buffer, and is deprecated: copy_init",
        "mm_init": "is gone: compute_kernel_hw_startup",
        "mm_init_short": "is gone: matmul_init",
        "mul_tiles_init": "is gone: mul_init",
        "mul_tiles_init_f": "is gone: mul_init does all of it",
        "reconfigure_unary_bcast": "is gone: unary_bcast_init",
        "reduce_init": "has the pool and the dimension as its first template arguments",
        "unary_op_init_common": "is deprecated: compute_kernel_hw_startup and copy_init",
        "untilize_block": "is deprecated: pack_untilize_block",
        "untilize_init": "is deprecated: pack_untilize_init",
    },
}


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize("generation", GENERATIONS)
def test_what_has_changed_since_2024(generation: Generation) -> None:
    complaints = []
    for path in MODULES.values():
        for dispatch in dispatches_of(compiled(path.read_text(encoding="utf-8"))):
            now = kernel_sources(dispatch, generation)
            for old, new in zip(kernel_sources(dispatch, "2024-11"), now, strict=True):
                text = in_the_place_of(old, new)
                kind = "compute" if old.thread == "compute" else "datamovement"
                complaints.append(check(generation, kind, text) or "")
    assert changed("\n".join(complaints)) == set(SINCE_2024[generation])
    page = (Path(ttmlir.__file__).parents[2] / "docs" / "ttmlir" / "cpp.md").read_text(encoding="utf-8")
    assert [name for name in SINCE_2024[generation] if f"`{name}`" not in page] == []


def in_the_place_of(old: KernelSource, new: KernelSource) -> str:
    """A kernel of 2024 with today's paths, and the headers of functions that came later."""
    head = [f'#include "api/{line[10:]}' for line in old.text.splitlines() if line.startswith('#include "')]
    head = [line.replace("compute_kernel_api/", "compute/").replace("api/llk", "llk") for line in head]
    head = [line.replace("api/dataflow_api", "api/dataflow/dataflow_api") for line in head]
    later = [line for line in new.text.splitlines() if line.startswith("#include")]
    macros = ["#define REDUCE_OP PoolType::SUM", "#define REDUCE_DIM ReduceDim::REDUCE_COL"]
    body = old.text[old.text.index("void kernel_main") :].split("void MAIN")[0]
    return "\n".join([*macros, '#include "hostdevcommon/kernel_structs.h"', *head, *later, body])


def changed(complaints: str) -> set[str]:
    """The functions that a compiler does not take, or says are deprecated."""
    names = set()
    for line in complaints.splitlines():
        is_about_a_function = "could not convert" not in line
        if (" error: " in line and is_about_a_function) or "is deprecated" in line:
            names.add(re.findall(r"'(?:[\w ]+::)*(?:void |ckernel::)*(\w+)[<(']?", line)[0])
    return names
