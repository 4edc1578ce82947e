"""Descriptions against the real ttnn, on a mock device: its accessors, its descriptors, its ``generic_op``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support import real_ttnn
from support.described import copying
from ttl.arch import chip
from ttl.codegen.accessors import Placement, accessor_words
from ttl.codegen.description import to_json
from ttl.codegen.entries import resolve
from ttl.codegen.script import script
from ttl.ops import dtypes
from ttl.ops.types import Layout

WORMHOLE = chip("wormhole")
GENERATIONS = ("0.81", "0.69")


def _interleaved() -> list[Placement]:
    shapes = ((64, 96), (2, 3, 64, 50), (64, 33), (5,))
    return [
        Placement(shape=shape, dtype=dtype, layout=layout, memory=memory)
        for shape in shapes
        for dtype in (dtypes.BFLOAT16, dtypes.FLOAT32)
        for layout in Layout
        for memory in ("dram", "l1")
        if layout is Layout.ROW_MAJOR or len(shape) > 1
    ] + [Placement(shape=(64, 64), dtype=dtypes.BFLOAT8_B, layout=Layout.TILE, memory="dram")]


def _sharded() -> list[Placement]:
    cases: list[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, int]]] = [
        ("height_sharded", (384, 64), (64, 64), (2, 3)),
        ("height_sharded", (2, 3, 64, 64), (64, 64), (2, 3)),
        ("height_sharded", (256, 64), (64, 64), (2, 3)),
        ("width_sharded", (64, 384), (64, 64), (2, 3)),
        ("width_sharded", (32, 256), (32, 64), (2, 2)),
        ("width_sharded", (64, 192), (64, 64), (3, 1)),
        ("block_sharded", (96, 128), (32, 64), (2, 3)),
        ("block_sharded", (128, 128), (64, 64), (4, 4)),
        ("block_sharded", (100, 100), (64, 64), (2, 2)),
        ("block_sharded", (2, 64, 128), (64, 64), (2, 2)),
        ("nd_sharded", (2, 64, 128), (1, 32, 64), (2, 2)),
        ("nd_sharded", (3, 64, 128), (1, 64, 64), (2, 3)),
        ("nd_sharded", (4, 96, 64), (2, 32, 64), (3, 2)),
        ("nd_sharded", (3, 64, 96), (2, 64, 64), (2, 2)),
        ("nd_sharded", (2, 3, 64, 96), (1, 2, 32, 96), (7, 1)),
    ]
    in_l1 = [
        Placement(
            shape=shape, dtype=dtypes.BFLOAT16, layout=layout, memory="l1", memory_layout=spread,
            shard_shape=shard, shard_grid=grid,
        )
        for spread, shape, shard, grid in cases
        for layout in Layout
    ]  # fmt: skip
    in_dram = Placement(
        shape=(64, 256), dtype=dtypes.BFLOAT16, layout=Layout.TILE, memory="dram",
        memory_layout="width_sharded", shard_shape=(64, 64), shard_grid=(4, 1),
    )  # fmt: skip
    return [*in_l1, in_dram]


_ACCESSORS = """
import sys
def grid(columns, rows):
    return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(columns - 1, rows - 1))])
def config(case):
    memory = getattr(ttnn.BufferType, case["memory"].upper())
    if case["shard_shape"] is None:
        return ttnn.MemoryConfig(ttnn.TensorMemoryLayout.INTERLEAVED, memory)
    if case["memory_layout"] == "nd_sharded":
        return ttnn.MemoryConfig(memory, ttnn.NdShardSpec(ttnn.Shape(case["shard_shape"]), grid(*case["shard_grid"])))
    spec = ttnn.ShardSpec(grid(*case["shard_grid"]), case["shard_shape"], ttnn.ShardOrientation.ROW_MAJOR)
    return ttnn.MemoryConfig(getattr(ttnn.TensorMemoryLayout, case["memory_layout"].upper()), memory, spec)
found = []
for case in json.loads(sys.argv[1]):
    layout = ttnn.TILE_LAYOUT if case["layout"] == "TILE" else ttnn.ROW_MAJOR_LAYOUT
    tensor = ttnn.empty(case["shape"], getattr(ttnn, case["dtype"]), layout, device, config(case))
    found.append(list(ttnn.TensorAccessorArgs(tensor).get_compile_time_args()))
nodes = [[(c.x, c.y) for c in (device.worker_core_from_logical_core(ttnn.CoreCoord(x, y)) for y in range(9))] for x in range(8)]
answer({"words": found, "nodes": nodes})
"""


@pytest.mark.parametrize("generation", GENERATIONS)
def test_accessor_arguments_are_those_of_the_real_tensor_accessor_args(generation: str) -> None:
    cases = [*_interleaved(), *_sharded()]
    told: Any = real_ttnn.run(generation, _ACCESSORS, json.dumps([_plain(case) for case in cases]))
    nodes = told["nodes"]
    for case, expected in zip(cases, told["words"], strict=True):
        words = accessor_words(case, WORMHOLE)
        numbers = resolve(words, address=lambda name: 0, node=lambda x, y: tuple(nodes[x][y]))
        assert numbers == expected, case


def _plain(case: Placement) -> dict[str, Any]:
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
        return [str(of.processor), of.noc.value]
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


@pytest.mark.parametrize("generation", GENERATIONS)
def test_generic_op_takes_what_is_described(generation: str, tmp_path: Path) -> None:
    """Built by us, and by the script that we write, with the same arguments, buffers and settings."""
    description = copying(generation)
    (tmp_path / "program.json").write_text(to_json(description))
    (tmp_path / "run.py").write_text(script(description))
    (tmp_path / "kernels").mkdir()
    for kernel in description.kernels:
        (tmp_path / "kernels" / kernel.file).write_text(kernel.source)
    told = real_ttnn.run(generation, _LAUNCH, files=tmp_path)
    built = told["built"]
    assert built == told["written"]
    read, compute, write = built["kernels"]
    (a, y), corner = told["addresses"], told["corner"]
    assert read["compile"] == [2, 2048] and write["compile"] == [0, 2048]
    assert read["common"] == [a, *corner] and write["common"] == [y]
    assert read["defines"] == [["DEBUG", "1"]]
    assert read["config"] == ["DataMovementProcessor.RISCV_1", 0]
    assert write["config"] == ["DataMovementProcessor.RISCV_0", 1]
    assert compute["config"] == ["MathFidelity.HiFi2", False, True, False, [2]]
    cores = read["cores"]
    assert built["buffers"] == [
        [4096, cores, [0, 5, 2048]],
        [8192, cores, [1, 5, 2048]],
        [16384, cores, [2, 0, 4096], [3, 9, 2048]],
    ]
    assert built["semaphores"] == [[0, 0, cores], [1, 3, cores]]
