"""Programs as data: from ``ttkernel`` to a description, to JSON and back; entries; scripts."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from support.described import copying
from ttl.arch import chip_named
from ttl.codegen.accessors import AccessorPlacement, accessor_words
from ttl.codegen.cpp import kernel_sources
from ttl.codegen.description import ComputeConfig, from_json, to_json
from ttl.codegen.descriptor import describe
from ttl.codegen.entries import Address, Banks, Coordinate, from_text, read_entry, resolve
from ttl.codegen.script import script
from ttl.dialects import ttkernel
from ttl.dialects.text import parse_module
from ttl.ir.failure import NotLowered
from ttl.rows.dtypes import BFLOAT16
from ttl.rows.types import Layout

WORMHOLE, BLACKHOLE = chip_named("wormhole"), chip_named("blackhole")
DRAM = "#ttl.encoding<dram, #ttl.layout<tiled, interleaved>>"
ROWS = "#ttl.encoding<l1, #ttl.layout<row_major, interleaved>>"
SHARDED = "#ttl.encoding<l1, #ttl.layout<tiled, height_sharded, [32, 64], 2x1>>"
UNKNOWN_SHARDS = "#ttl.encoding<l1, #ttl.layout<tiled, height_sharded>>"
HOST = "#ttl.encoding<system, #ttl.layout<tiled, interleaved>>"

SOURCES = {"read.cpp": "reads", "compute.cpp": "computes", "write.cpp": "writes"}


def program(declarations: str, grid: str = "4x2", kernels: str = "") -> ttkernel.ProgramOp:
    text = f'module {{ ttkernel.program @f("a", "y") grid <{grid}> {{ {declarations} {kernels} }} }}'
    (op,) = parse_module(text).body.block.ops
    assert isinstance(op, ttkernel.ProgramOp)
    return op


KERNELS = """
    ttkernel.kernel @read noc on ncrisc noc 0 common ["address(a)", "noc_x(3)"] accessors ["a", "y"] {}
    ttkernel.kernel @compute tensix config {fp32_dest_acc_en = true, math_fidelity = "HiFi2", unpack_to_dest_fp32 = ["sum"]} {}
    ttkernel.kernel @write noc on brisc noc 1 common ["address(y)"] accessors ["y"] {}
"""
TENSORS = f"""
    ttkernel.tensor_arg @a index 0 : tensor<64x64xbf16, {DRAM}>
    ttkernel.tensor_arg @y index 1 : tensor<5x7xf32, {ROWS}>
"""
BUFFERS = """
    ttkernel.circular_buffer @sum index 1 pages 4 of 4096 bytes : !ttl.tile<32x32, f32> by compiler {ttl.why = "a sum"}
    ttkernel.circular_buffer @a_dfb index 0 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by user
    ttkernel.circular_buffer @half index 2 pages 2 of 2048 bytes : !ttl.tile<32x32, bf16> by compiler {ttl.shares = "sum"}
    ttkernel.declare_semaphore @ready id 3 = 7
"""


def test_a_program_is_described_with_all_it_has() -> None:
    found = describe(program(TENSORS + BUFFERS, kernels=KERNELS), SOURCES, WORMHOLE, "0.81")
    assert (found.name, found.generation, found.chip, found.grid) == ("f", "0.81", "wormhole", (4, 2))
    a, y = found.tensors
    assert (a.shape, a.dtype, a.layout, a.memory, a.page_bytes) == (
        (64, 64),
        "bfloat16",
        "tile",
        "dram",
        2048,
    )
    assert (y.shape, y.dtype, y.layout, y.memory, y.page_bytes) == ((5, 7), "float32", "row_major", "l1", 28)
    assert (a.accessor, y.accessor) == ((2, 2048), (0, 32))
    read, compute, write = found.kernels
    assert (read.file, read.source, read.processor, read.noc) == ("read.cpp", "reads", "ncrisc", 0)
    assert read.compile_time_args == (2, 2048, 0, 32) and read.accessors == ("a", "y")
    assert read.common_args == from_text(("address(a)", "noc_x(3)")) and read.config is None
    assert compute.thread == "tensix" and compute.processor is None
    assert compute.config == ComputeConfig(
        math_fidelity="HiFi2", fp32_dest_acc_en=True, unpack_to_dest_fp32=("sum",)
    )
    assert write.common_args == (Address(tensor="y"),)
    assert [
        (each.name, each.index, each.pages, each.dtype, each.made_by) for each in found.circular_buffers
    ] == [
        ("a_dfb", 0, 2, "bfloat16", "user"),
        ("sum", 1, 4, "float32", "compiler"),
        ("half", 2, 8, "bfloat16", "compiler"),
    ]
    assert found.circular_buffer("sum").why == "a sum" and found.circular_buffer("half").shares == "sum"
    assert found.l1_bytes == 2 * 2048 + 4 * 4096
    assert [(each.name, each.id, each.initial) for each in found.semaphores] == [("ready", 3, 7)]


def test_a_grid_of_one_dimension_is_a_row_of_columns() -> None:
    assert describe(program("", "5"), {}, WORMHOLE, "0.81").grid == (5, 1)


@pytest.mark.parametrize(
    ("encoding", "code"),
    [(HOST, "TTL1434"), (UNKNOWN_SHARDS, "TTL1435")],
)
def test_tensors_that_kernels_cannot_reach(encoding: str, code: str) -> None:
    op = program(f"ttkernel.tensor_arg @a index 0 : tensor<64x64xbf16, {encoding}>")
    with pytest.raises(NotLowered) as raised:
        describe(op, {}, WORMHOLE, "0.81")
    assert [each.code for each in raised.value.diagnostics] == [code]


def test_more_arguments_than_there_is_room_for() -> None:
    words = ", ".join(f'"noc_x({index})"' for index in range(342))
    op = program("", kernels=f"ttkernel.kernel @read noc on ncrisc noc 0 common [{words}] {{}}")
    with pytest.raises(NotLowered) as raised:
        describe(op, SOURCES, WORMHOLE, "0.81")
    assert [each.code for each in raised.value.diagnostics] == ["TTL1433"]


def test_the_alignment_of_pages_is_that_of_the_chip() -> None:
    rows = AccessorPlacement(shape=(4, 33), dtype=BFLOAT16, layout=Layout.ROW_MAJOR, memory="dram")
    assert accessor_words(rows, WORMHOLE) == (2, 96)
    assert accessor_words(rows, BLACKHOLE) == (2, 128)


def test_shards_are_described_with_the_nodes_that_hold_them() -> None:
    found = describe(
        program(f"ttkernel.tensor_arg @a index 0 : tensor<64x64xbf16, {SHARDED}>"), {}, WORMHOLE, "0.81"
    )
    assert found.tensor("a").accessor == from_text((1, 2048, 1, 2, 4, 2, "bank(0,0,1,0)"))


def test_json_and_back() -> None:
    description = copying()
    assert from_json(to_json(description)) == description


def test_json_without_the_sources_needs_the_files() -> None:
    description = copying()
    text = to_json(description, sources="files")
    assert "kernel_main" not in text
    files = {kernel.file: kernel.source for kernel in description.kernels}
    assert from_json(text, files) == description
    with pytest.raises(ValueError, match=r"read\.cpp"):
        from_json(text)


@pytest.mark.parametrize("text", ["{}", "[]", '{"schema": 99}', '{"schema": 1, "name": "f"}', "no"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a description of a program"):
        from_json(text)


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("address(a)", Address(tensor="a")),
        ("address(größe)", Address(tensor="größe")),
        ("noc_x(3)", Coordinate(axis="x", index=3)),
        ("noc_y(12)", Coordinate(axis="y", index=12)),
        ("bank(1,2)", Banks(nodes=((1, 2),))),
        ("bank(1,2,3,4)", Banks(nodes=((1, 2), (3, 4)))),
    ],
)
def test_entries(text: str, entry: object) -> None:
    assert read_entry(text) == entry and str(entry) == text


@pytest.mark.parametrize("text", ["", "a", "address()", "noc_z(1)", "noc_x(-1)", "bank(1)", "bank(1,2,3)"])
def test_what_is_no_entry(text: str) -> None:
    with pytest.raises(ValueError, match="no entry"):
        read_entry(text)


def test_entries_become_numbers() -> None:
    words = from_text((5, "address(y)", "noc_x(2)", "noc_y(1)", "bank(0,0,1,2)"))
    found = resolve(words, address={"y": 1000}.__getitem__, node=lambda x, y: (18 + x, 20 + y))
    assert found == [5, 1000, 20, 21, (18 << 8 | 20) | (19 << 8 | 22) << 16]


def test_names_that_python_has_or_the_script_uses_are_changed() -> None:
    plain = copying()
    a, y = plain.tensors
    changed = replace(
        plain,
        tensors=(replace(a, name="class"), replace(y, name="device")),
        kernels=tuple(
            replace(
                kernel,
                accessors=tuple({"a": "class", "y": "device"}[name] for name in kernel.accessors),
                common_args=from_text(
                    str(word).replace("(a)", "(class)").replace("(y)", "(device)")
                    for word in kernel.common_args
                ),
            )
            for kernel in plain.kernels
        ),
    )
    text = script(changed)
    ast.parse(text)
    assert "def run(_class, device_2):" in text


def test_coordinates_that_follow_each_other_are_one_expression() -> None:
    plain = copying()
    read, *others = plain.kernels
    words = ("address(a)", *(f"noc_x({x})" for x in range(8)), *(f"noc_y({y})" for y in range(1, 4)), 7)
    text = script(replace(plain, kernels=(replace(read, common_args=from_text(words)), *others)))
    assert "*(node(x, 0).x for x in range(8))" in text and "*(node(0, y).y for y in range(1, 4))" in text
    ast.parse(text)


def test_files_of_kernels_have_names_that_every_file_system_takes() -> None:
    """Kernels are named by the user, in any alphabet; files that differ in capitals only are one in places."""
    kernels = """
    ttkernel.kernel @"größe" noc on ncrisc noc 0 common [] accessors [] {}
    ttkernel.kernel @read noc on brisc noc 1 common [] accessors [] {}
    ttkernel.kernel @Read tensix config {} {}
    """
    op = program(TENSORS, kernels=kernels)
    description = describe(op, kernel_sources(op, "0.81"), WORMHOLE, "0.81")
    assert [(each.name, each.file) for each in description.kernels] == [
        ("größe", "groe.cpp"), ("read", "read.cpp"), ("Read", "Read_1.cpp"),
    ]  # fmt: skip
    assert all(f"Kernel {each.name} of operation f" in each.source for each in description.kernels)
