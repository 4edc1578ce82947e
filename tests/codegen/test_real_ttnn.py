"""Descriptions against the real ttnn, on a mock device: its accessors, its descriptors, its ``generic_op``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support import real_ttnn
from support.described import copying
from support.kernel_headers import ROOT
from support.programs import run_ttl
from ttl import settings
from ttl.arch import Chip, chip_named
from ttl.codegen.accessors import AccessorPlacement, accessor_words
from ttl.codegen.compile import compile_module
from ttl.codegen.description import ProgramDescription, Rectangle, ShardOrder, to_json
from ttl.codegen.entries import resolve
from ttl.codegen.project import project_files
from ttl.codegen.script import script
from ttl.frontend.file import lower_file
from ttl.rows import dtypes
from ttl.rows.row import Generation
from ttl.rows.types import Layout

GENERATIONS = ("0.81", "0.69")
_ORDERS: tuple[ShardOrder, ...] = ("row_major", "col_major")


def _interleaved() -> list[AccessorPlacement]:
    shapes = ((64, 96), (2, 3, 64, 50), (64, 33), (5,))
    return [
        AccessorPlacement(shape=shape, dtype=dtype, layout=layout, memory=memory)
        for shape in shapes
        for dtype in (dtypes.BFLOAT16, dtypes.FLOAT32)
        for layout in Layout
        for memory in ("dram", "l1")
        if layout is Layout.ROW_MAJOR or len(shape) > 1
    ] + [AccessorPlacement(shape=(64, 64), dtype=dtypes.BFLOAT8_B, layout=Layout.TILE, memory="dram")]


_ACROSS, _SOMEWHERE = (0, 0, 2, 3), (1, 2, 2, 3)
_APART = ((0, 0, 4, 1), (5, 2, 1, 2))


def _sharded() -> list[AccessorPlacement]:
    cases: list[tuple[str, tuple[int, ...], tuple[int, ...], tuple[Rectangle, ...]]] = [
        ("height_sharded", (384, 64), (64, 64), (_ACROSS,)),
        ("height_sharded", (2, 3, 64, 64), (64, 64), (_SOMEWHERE,)),
        ("height_sharded", (256, 64), (64, 64), (_ACROSS,)),
        ("height_sharded", (320, 64), (64, 64), _APART),
        ("height_sharded", (320, 64), (64, 64), _APART[::-1]),
        ("height_sharded", (384, 64), (64, 64), ((0, 0, 2, 2), (2, 0, 1, 2))),
        ("width_sharded", (64, 384), (64, 64), (_SOMEWHERE,)),
        ("width_sharded", (32, 256), (32, 64), ((0, 0, 2, 2),)),
        ("width_sharded", (64, 192), (64, 64), ((0, 0, 3, 1),)),
        ("block_sharded", (96, 128), (32, 64), ((0, 0, 3, 3),)),
        ("block_sharded", (128, 128), (64, 64), ((2, 1, 4, 4),)),
        ("block_sharded", (100, 100), (64, 64), ((0, 0, 2, 2),)),
        ("block_sharded", (2, 64, 128), (64, 64), ((0, 0, 2, 2),)),
        ("block_sharded", (64, 192), (64, 64), ((1, 2, 3, 4),)),
        ("nd_sharded", (2, 64, 128), (1, 32, 64), ((0, 0, 2, 2),)),
        ("nd_sharded", (3, 64, 128), (1, 64, 64), (_SOMEWHERE,)),
        ("nd_sharded", (4, 96, 64), (2, 32, 64), ((0, 0, 3, 2),)),
        ("nd_sharded", (3, 64, 96), (2, 64, 64), _APART),
        ("nd_sharded", (2, 3, 64, 96), (1, 2, 32, 96), ((0, 0, 7, 1),)),
    ]
    in_l1 = [
        AccessorPlacement(
            shape=shape, dtype=dtypes.BFLOAT16, layout=layout, memory="l1", memory_layout=spread,
            shard_shape=shard, shard_nodes=nodes, shard_order=order,
        )
        for spread, shape, shard, nodes in cases
        for layout in Layout
        for order in _ORDERS
    ]  # fmt: skip
    in_dram = [
        AccessorPlacement(
            shape=(64, 256), dtype=dtypes.BFLOAT16, layout=Layout.TILE, memory="dram",
            memory_layout="width_sharded", shard_shape=(64, 64), shard_nodes=banks,
        )
        for banks in (((0, 0, 4, 1),), ((2, 0, 4, 1),), ((4, 0, 2, 1), (0, 0, 2, 1)))
    ]  # fmt: skip
    return [*in_l1, *in_dram]


_ACCESSORS = """
import sys
def grid(nodes):
    return ttnn.CoreRangeSet([
        ttnn.CoreRange(ttnn.CoreCoord(x, y), ttnn.CoreCoord(x + columns - 1, y + rows - 1))
        for x, y, columns, rows in nodes
    ])
def config(case):
    memory = getattr(ttnn.BufferType, case["memory"].upper())
    if case["shard_shape"] is None:
        return ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, memory)
    nodes, order = grid(case["shard_nodes"]), getattr(ttnn.ShardOrientation, case["shard_order"].upper())
    if case["memory_layout"] == "nd_sharded":
        return ttnn.MemoryConfig(memory, ttnn.NdShardSpec(ttnn.Shape(case["shard_shape"]), nodes, order))
    spec = ttnn.ShardSpec(nodes, case["shard_shape"], order)
    return ttnn.MemoryConfig(getattr(ttnn.TensorMemoryLayout, case["memory_layout"].upper()), memory, spec)
found = []
for case in json.loads(sys.argv[1]):
    layout = ttnn.TILE_LAYOUT if case["layout"] == "TILE" else ttnn.ROW_MAJOR_LAYOUT
    tensor = ttnn.empty(case["shape"], getattr(ttnn, case["dtype"]), layout, device, config(case))
    found.append(list(ttnn.TensorAccessorArgs(tensor).get_compile_time_args()))
nodes = [[(c.x, c.y) for c in (device.worker_core_from_logical_core(ttnn.CoreCoord(x, y)) for y in range(9))] for x in range(8)]
answer({"words": found, "nodes": nodes})
"""


@pytest.mark.parametrize(
    "chosen", [chip_named("wormhole"), chip_named("blackhole")], ids=lambda each: each.name
)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_accessor_arguments_are_those_of_the_real_tensor_accessor_args(generation: str, chosen: Chip) -> None:
    cases = [*_interleaved(), *_sharded()]
    told: Any = real_ttnn.run(
        generation, _ACCESSORS, json.dumps([_plain(case) for case in cases]), chip=chosen.name
    )
    nodes = told["nodes"]
    for case, expected in zip(cases, told["words"], strict=True):
        words = accessor_words(case, chosen)
        numbers = resolve(words, address=lambda name: 0, node=lambda x, y: tuple(nodes[x][y]))
        assert numbers == expected, case


def _plain(case: AccessorPlacement) -> dict[str, Any]:
    return {
        **{name: getattr(case, name) for name in case.__slots__},
        "dtype": case.dtype.name,
        "layout": case.layout.value,
    }


_LAUNCH = """
import importlib.util, sys
from ttl.codegen.description import from_json
from ttl.codegen.objects import build_program
description = from_json(open("program.json").read())
spec = importlib.util.spec_from_file_location("written", "run.py")
written = importlib.util.module_from_spec(spec)
spec.loader.exec_module(written)
a = ttnn.zeros([64, 64], ttnn.bfloat16, ttnn.TILE_LAYOUT, device, ttnn.DRAM_MEMORY_CONFIG)
y = ttnn.zeros([64, 64], ttnn.bfloat16, ttnn.TILE_LAYOUT, device, ttnn.L1_MEMORY_CONFIG)
def facts(program):
    return {
        "kernels": [
            {
                "compile": list(kernel.compile_time_args),
                "common": list(kernel.common_runtime_args),
                "defines": list(kernel.defines),
                "cores": str(kernel.core_ranges),
                "config": config(kernel.config),
            }
            for kernel in program.kernels
        ],
        "buffers": [
            [buffer.total_size, str(buffer.core_ranges)]
            + [[each.buffer_index, each.data_format_as_uint8, each.page_size] for each in buffer.format_descriptors]
            for buffer in program.cbs
        ],
        "semaphores": [[each.id, each.initial_value, str(each.core_ranges)] for each in program.semaphores],
    }
def config(of):
    if isinstance(of, ttnn.DataMovementConfigDescriptor):
        return [str(of.processor), of.noc.value, of.noc_mode.name]
    modes = [index for index, mode in enumerate(of.unpack_to_dest_mode) if mode != ttnn.UnpackToDestMode.Default]
    return [str(of.math_fidelity), of.math_approx_mode, of.fp32_dest_acc_en, of.dst_full_sync_en, modes]
built = build_program(ttnn, description, [a, y])
ttnn.generic_op([a, y], built)
written.run(a, y)
node = device.worker_core_from_logical_core
answer({
    "built": facts(built),
    "written": facts(written.build(a, y)),
    "addresses": [a.buffer_address(), y.buffer_address()],
    "corner": [node(ttnn.CoreCoord(0, 0)).x, node(ttnn.CoreCoord(1, 0)).x, node(ttnn.CoreCoord(0, 2)).y],
})
"""


def launched(description: ProgramDescription, tmp_path: Path) -> dict[str, Any]:
    """What the real library says of a program that it takes: built by us, and by the script that we write."""
    (tmp_path / "program.json").write_text(to_json(description))
    (tmp_path / "run.py").write_text(script(description))
    (tmp_path / "kernels").mkdir()
    for kernel in description.kernels:
        (tmp_path / "kernels" / kernel.file).write_text(kernel.source)
    told: dict[str, Any] = real_ttnn.run(description.generation, _LAUNCH, files=tmp_path)
    assert told["built"] == told["written"]
    return told


@pytest.mark.parametrize("generation", GENERATIONS)
def test_002_10_1_kernels_that_share_a_noc_are_counted_together(generation: str, tmp_path: Path) -> None:
    """tt-metal refuses two kernels of a node on one NoC in its other mode: they would hang."""
    description = copying(generation)
    shared = replace(
        description,
        kernels=tuple(
            replace(kernel, noc=None if kernel.noc is None else 1) for kernel in description.kernels
        ),
    )
    kernels = launched(shared, tmp_path)["built"]["kernels"]
    assert kernels[0]["config"] == ["DataMovementProcessor.RISCV_1", 1, "DM_DYNAMIC_NOC"]
    assert kernels[2]["config"] == ["DataMovementProcessor.RISCV_0", 1, "DM_DYNAMIC_NOC"]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_generic_op_takes_what_is_described(generation: str, tmp_path: Path) -> None:
    """With the same arguments, buffers and settings."""
    told = launched(copying(generation), tmp_path)
    built = told["built"]
    read, compute, write = built["kernels"]
    (a, y), corner = told["addresses"], told["corner"]
    assert read["compile"] == [2, 2048] and write["compile"] == [0, 2048]
    assert read["common"] == [a, *corner] and write["common"] == [y]
    assert read["defines"] == [["DEBUG", "1"]]
    assert read["config"] == ["DataMovementProcessor.RISCV_1", 0, "DM_DEDICATED_NOC"]
    assert write["config"] == ["DataMovementProcessor.RISCV_0", 1, "DM_DEDICATED_NOC"]
    assert compute["config"] == ["MathFidelity.HiFi2", False, True, False, [2]]
    cores = read["cores"]
    assert built["buffers"] == [
        [4096, cores, [0, 5, 2048]],
        [8192, cores, [1, 5, 2048]],
        [16384, cores, [2, 0, 4096], [3, 9, 2048]],
    ]
    assert built["semaphores"] == [[0, 0, cores], [1, 3, cores]]


EXAMPLES = (
    "matmul_multicast",
    "ring_all_gather",
    "row_major_copy",
    "semaphores_pingpong",
    "sharded_eltwise",
    "softmax",
)
# Shards on nodes that do not begin at (0, 0), on two rectangles, column by column.
_SHARDED_PROGRAM = """
import ttnn
import ttl

device = ttnn.open_device(device_id=0)


def nodes(*rectangles):
    return ttnn.CoreRangeSet([
        ttnn.CoreRange(ttnn.CoreCoord(x, y), ttnn.CoreCoord(x + columns - 1, y + rows - 1))
        for x, y, columns, rows in rectangles
    ])


def zeros(memory_config):
    return ttnn.zeros([128, 64], ttnn.bfloat16, ttnn.TILE_LAYOUT, device, memory_config)


@ttl.operation(grid=(1, 1))
def copied(a, b, y):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    @ttl.datamovement()
    def read():
        for each in (a, b):
            with dfb.reserve() as blk:
                ttl.copy(each[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        for row in range(2):
            with dfb.wait() as blk:
                ttl.copy(blk, y[row, 0]).wait()


blocks = ttnn.ShardSpec(nodes((1, 2, 2, 2)), [64, 32], ttnn.ShardOrientation.COL_MAJOR)
rows = ttnn.ShardSpec(nodes((4, 1, 1, 1), (0, 2, 3, 1)), [32, 64])
parts = ttnn.NdShardSpec([32, 64], nodes((1, 1, 2, 2)), ttnn.ShardOrientation.COL_MAJOR)
copied(
    zeros(ttnn.MemoryConfig(ttnn.TensorMemoryLayout.BLOCK_SHARDED, ttnn.BufferType.L1, blocks)),
    zeros(ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, rows)),
    zeros(ttnn.MemoryConfig(ttnn.BufferType.L1, parts)),
)
"""
_ACCEPTED = """
import pathlib, sys
from ttl.codegen.description import from_json
from ttl.codegen.objects import build_program
found = {}
for folder in sorted(each.parent for each in pathlib.Path().glob("*/run.py")):
    names = {"__file__": str(folder.absolute() / "run.py"), "__name__": "read"}
    exec((folder / "run.py").read_text(), names)
    description = from_json((folder / "program.json").read_text())
    tensors = names["tensors"](device)
    names["run"](*tensors)
    ttnn.generic_op(tensors * (2 if len(tensors) == 1 else 1), build_program(ttnn, description, tensors))
    found[folder.name] = [list(ttnn.TensorAccessorArgs(each).get_compile_time_args()) for each in tensors]
    for each in tensors:
        each.deallocate()
nodes = [[(c.x, c.y) for c in (device.worker_core_from_logical_core(ttnn.CoreCoord(x, y)) for y in range(9))] for x in range(8)]
answer({"words": found, "nodes": nodes})
"""


@pytest.mark.parametrize("generation", GENERATIONS)
def test_generic_op_takes_the_programs_of_examples(generation: Generation, tmp_path: Path) -> None:
    described: dict[str, ProgramDescription] = {}
    (tmp_path / "shards.py").write_text(_SHARDED_PROGRAM)
    programs = [*(ROOT / "examples" / f"{name}.py" for name in EXAMPLES), tmp_path / "shards.py"]
    for path in programs:
        name, lowered = path.stem, lower_file(str(path))
        compiled = compile_module(lowered.module, settings.current(), generation=generation)
        assert compiled.diagnostics == []
        described |= {f"{name}_{number}": each for number, each in enumerate(compiled.descriptions)}
    assert len(described) >= len(programs)
    for folder, description in described.items():
        for file, text in {**project_files(description), "program.json": to_json(description)}.items():
            path = tmp_path / folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    told = real_ttnn.run(generation, _ACCEPTED, files=tmp_path)
    nodes = told["nodes"]
    for folder, description in described.items():
        for tensor, expected in zip(description.tensors, told["words"][folder], strict=True):
            words = resolve(tensor.accessor, address=lambda name: 0, node=lambda x, y: tuple(nodes[x][y]))
            assert words == expected, (folder, tensor.name)


_OPERATION = """
import ttnn
import ttl

TILES = {"dtype": ttnn.bfloat16, "layout": ttnn.TILE_LAYOUT}


def rows(tensor):
    return tensor.shape[0] // 32


@ttl.operation(grid="auto")
def scaled(a, y, factor):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))
    own = range(ttl.node(dims=1), rows(a), ttl.grid_size(dims=1))

    @ttl.datamovement()
    def read():
        for row in own:
            with a_dfb.reserve() as blk:
                ttl.copy(a[row, 0:2], blk).wait()

    @ttl.compute()
    def compute():
        for _ in own:
            with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
                y_blk.store(factor * a_blk)

    @ttl.datamovement()
    def write():
        for row in own:
            with y_dfb.wait() as blk:
                ttl.copy(blk, y[row, 0:2]).wait()
"""
_CALLED = """
import os, sys
sys.path.insert(0, os.getcwd())
os.environ["TTL_TARGET"] = "device"
os.environ["TTL_CACHE_DIR"] = "off"
import program
zeros = lambda *extents: ttnn.zeros(list(extents), device=device, **program.TILES)
a, y, other = zeros(128, 64), zeros(128, 64), zeros(128, 64)
launched = []
real = ttnn.generic_op
ttnn.generic_op = lambda tensors, descriptor: (
    launched.append([descriptor, [list(each.common_runtime_args) for each in descriptor.kernels]]),
    real(tensors, descriptor),
)
program.scaled(a, y, 2)
program.scaled(a, other, 2)
program.scaled(a, y, 3)
try:
    program.scaled(a.cpu(), y, 2)
except Exception as problem:
    refused = type(problem).__name__ + " " + problem.diagnostics[0].code
first, second, third = launched
corner = first[0].kernels[0].core_ranges.bounding_box().end
answer({
    "addresses": [a.buffer_address(), y.buffer_address(), other.buffer_address()],
    "same": [first[0] is second[0], first[0] is third[0]],
    "args": [each[1] for each in launched],
    "grid": [corner.x + 1, corner.y + 1],
    "device": [device.compute_with_storage_grid_size().x, device.compute_with_storage_grid_size().y],
    "refused": refused,
})
"""


@pytest.mark.parametrize("generation", ["0.81"])
def test_an_operation_that_is_called_is_compiled_and_launched(generation: str, tmp_path: Path) -> None:
    """The target ``device``, with the real library and a mock device: all but the kernels' execution."""
    (tmp_path / "program.py").write_text(_OPERATION)
    told = real_ttnn.run(generation, _CALLED, files=tmp_path)
    a, y, other = told["addresses"]
    assert told["same"] == [True, False], "another address is the same program, another constant is not"
    assert told["args"] == [[[a], [], [y]], [[a], [], [other]], [[a], [], [y]]]
    assert told["grid"] == told["device"], "grid='auto' is that of the card"
    assert told["refused"] == "ProgramError TTL1434"


_RESIDENT = """
import ttnn
import ttl


@ttl.operation(grid=(2, 1))
def double(x, y):
    x_dfb = ttl.make_tensor_backed_dfb(x, shape=(1, 1), byte_offset=2048)
    y_dfb = ttl.make_tensor_backed_dfb(y, shape=(2, 1))

    @ttl.datamovement()
    def read():
        x_dfb.publish()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(ttl.block.broadcast(2 * x_blk, dims=[0], shape=(2, 1)))


shards = ttnn.create_sharded_memory_config((128, 32), ttnn.CoreGrid(x=2, y=1), ttnn.ShardStrategy.HEIGHT)
device = ttnn.open_device(device_id=0)
x, y = (ttnn.ones((128, 32), ttnn.bfloat16, ttnn.TILE_LAYOUT, device, shards) for _ in range(2))
double(x, y)
"""
_RESIDENT_LAUNCH = """
import importlib.util
from ttl.codegen.description import from_json
from ttl.codegen.objects import build_program
spec = importlib.util.spec_from_file_location("written", "run.py")
written = importlib.util.module_from_spec(spec)
spec.loader.exec_module(written)
sources = {kernel: open(f"kernels/{kernel}").read() for kernel in ("read.cpp", "compute.cpp")}
description = from_json(open("program.json").read(), sources)
shards = ttnn.create_sharded_memory_config((128, 32), ttnn.CoreGrid(x=2, y=1), ttnn.ShardStrategy.HEIGHT)
x, y = (ttnn.zeros([128, 32], ttnn.bfloat16, ttnn.TILE_LAYOUT, device, shards) for _ in range(2))
def facts(program):
    return [
        [buffer.total_size, buffer.address_offset]
        + [[each.buffer_index, each.data_format_as_uint8, each.page_size] for each in buffer.format_descriptors]
        for buffer in program.cbs
    ]
written.run(x, y)
answer([facts(build_program(ttnn, description, [x, y])), facts(written.build(x, y))])
"""


@pytest.mark.parametrize("generation", GENERATIONS)
def test_buffers_lie_in_the_memory_of_tensors(generation: str, tmp_path: Path) -> None:
    """The library makes them of the tensor, the offset and the size, built by us and by the script that we write."""
    (tmp_path / "program.py").write_text(_RESIDENT)
    command = ["compile", "--emit", "project", "--api", generation, "-o", "out", "program.py"]
    assert run_ttl(command, folder=tmp_path).status == 0
    built, written = real_ttnn.run(generation, _RESIDENT_LAUNCH, files=tmp_path / "out" / "double")
    # The last one is the compiler's own, for the broadcast.
    assert built == written == [[2048, 2048, [0, 5, 2048]], [4096, 0, [1, 5, 2048]], [2048, 0, [2, 5, 2048]]]
