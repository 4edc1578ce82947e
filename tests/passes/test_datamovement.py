"""Copies between tensors and blocks: kernels on the emulated chip leave in memory what the simulator does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import ttnn
from xdsl.context import Context

import ttl
from passes.on_chip import program_of, same_as_simulated
from ttl.analysis.interpreter import KernelInterpreter
from ttl.dialects import ttkernel
from ttl.dialects.text import parse_module
from ttl.passes.convert_structure import ConvertStructure
from ttl.protocol.grid import coordinate


def tensor(*shape: int, dtype: Any = ttnn.float32, layout: Any = ttnn.TILE_LAYOUT, seed: int = 0) -> Any:
    values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return ttnn.from_numpy(values, dtype, layout=layout)


def calls(program: ttkernel.ProgramOp, kernel: str) -> list[str]:
    (found,) = (each for each in program.kernels if each.declared_name == kernel)
    return [op.call.name for op in found.walk() if isinstance(op, ttkernel.KernelCallOp)]


def test_tiles_of_a_matrix_in_blocks() -> None:
    @ttl.operation(grid=(2, 2))
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 3), block_count=2)
        x_node, y_node = ttl.node(dims=2)

        @ttl.datamovement()
        def read() -> None:
            for step in range(2):
                with dfb.reserve() as blk:
                    column = step * 3
                    part = a[y_node * 4 + x_node * 2 : y_node * 4 + x_node * 2 + 2, column : column + 3]
                    ttl.copy(part, blk).wait()

        @ttl.datamovement()
        def write() -> None:
            for step in range(2):
                with dfb.wait() as blk:
                    row = y_node * 4 + x_node * 2
                    ttl.copy(blk, y[row : row + 2, (1 - step) * 3 : (1 - step) * 3 + 3]).wait()

    program = same_as_simulated(copy, tensor(256, 192), tensor(256, 192, seed=1))
    read, write = program.kernels
    assert (read.processor, read.noc, write.processor, write.noc) == ("ncrisc", 0, "brisc", 1)
    assert calls(program, "read").count("noc_async_read_barrier") == 1


def test_a_tensor_of_any_rank() -> None:
    @ttl.operation(grid=(2, 1))
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(2, 2, 1), block_count=2)
        small = ttl.make_dataflow_buffer_like(a, shape=(1, 2), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[node, 1:3, 0:2, 1:2], blk).wait()
            with small.reserve() as blk:
                ttl.copy(a[node, 2, 1, 0:2], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, y[node, 0:2, 0:2, 0:1]).wait()
            with small.wait() as blk:
                ttl.copy(blk, y[node, 2, 0, 0:2]).wait()

    same_as_simulated(
        copy, tensor(2, 3, 64, 64, dtype=ttnn.bfloat16), tensor(2, 3, 64, 64, dtype=ttnn.bfloat16, seed=1)
    )


def test_a_size_that_only_the_node_knows() -> None:
    @ttl.operation(grid=(2, 1))
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                stop = node * 2 + 2
                ttl.copy(a[node : node + 1, stop - 2 : stop], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, y[node, 0:2]).wait()

    same_as_simulated(copy, tensor(64, 128), tensor(64, 64, seed=1))


def test_rows_of_a_row_major_tensor() -> None:
    @ttl.operation(grid=(2, 2))
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(3, 16), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def read() -> None:
            for step in range(2):
                with dfb.reserve() as blk:
                    ttl.copy(a[node * 3 : node * 3 + 3, step * 16 : step * 16 + 16], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            for step in range(2):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[node * 3 : node * 3 + 3, step * 24 + 4 : step * 24 + 20]).wait()

    same_as_simulated(
        copy,
        tensor(12, 40, layout=ttnn.ROW_MAJOR_LAYOUT),
        tensor(12, 50, layout=ttnn.ROW_MAJOR_LAYOUT, seed=1),
    )


def test_blocks_that_are_held_together() -> None:
    @ttl.operation(grid=(1, 1))
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            for step in range(2):
                with dfb.reserve() as first, dfb.reserve() as second:
                    xf = ttl.copy(a[0, 2 * step], first)
                    other = ttl.copy(a[0, 2 * step + 1], second)
                    xf.wait()
                    other.wait()

        @ttl.datamovement()
        def write() -> None:
            for step in range(2):
                with dfb.wait() as first, dfb.wait() as second:
                    xf = ttl.copy(second, y[0, 2 * step])
                    other = ttl.copy(first, y[0, 2 * step + 1])
                    xf.wait()
                    other.wait()

    program = same_as_simulated(copy, tensor(32, 128), tensor(32, 128, seed=1))
    assert calls(program, "read").count("noc_async_read_barrier") == 1


def test_a_group_of_transfers() -> None:
    @ttl.operation(grid=(1, 1))
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                group = ttl.GroupTransfer()
                for row in range(2):
                    for column in range(3):
                        group.add(ttl.copy(blk, y[row, column]))
                group.wait_all()

    program = same_as_simulated(copy, tensor(32, 32), tensor(64, 96, seed=1))
    assert calls(program, "write")[-2:] == ["cb_pop_front", "noc_async_write_barrier"]
    assert "noc_async_writes_flushed" in calls(program, "write")


def test_what_an_operation_reads_again_has_arrived() -> None:
    @ttl.operation(grid=(1, 1))
    def twice(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)

        @ttl.datamovement()
        def dm() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[0, 0], blk).wait()
                ttl.copy(blk, y[0, 0]).wait()
                ttl.copy(y[0, 0], blk).wait()
                ttl.copy(blk, y[0, 1]).wait()

        @ttl.datamovement()
        def take() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, y[0, 2]).wait()

    program = same_as_simulated(twice, tensor(32, 32), tensor(32, 96, seed=1))
    assert calls(program, "dm").count("noc_async_write_barrier") == 2


def test_one_tile_takes_no_loop_and_a_row_of_tiles_one() -> None:
    @ttl.operation(grid=(1, 1))
    def copy(a: Any, y: Any) -> None:
        whole = ttl.make_dataflow_buffer_like(a, shape=(2, 4), block_count=1)
        one = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=1)

        @ttl.datamovement()
        def read() -> None:
            with whole.reserve() as blk:
                ttl.copy(a[0:2, 0:4], blk).wait()
            with one.reserve() as blk:
                ttl.copy(a[1, 3], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            with whole.wait() as blk:
                ttl.copy(blk, y[0:2, 0:4]).wait()
            with one.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()

    program = program_of(copy, tensor(64, 128), tensor(64, 128))
    loops = [op for op in program.kernels[0].walk() if op.name == "scf.for"]
    assert len(loops) == 1


def test_a_block_behind_the_end_of_the_ring() -> None:
    @ttl.operation(grid=(1, 1))
    def prefetch(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=3)

        @ttl.datamovement()
        def read() -> None:
            before = None
            for step in range(7):
                blk = dfb.reserve()
                xf = ttl.copy(a[0, step], blk)
                if before is not None:
                    before[0].wait()
                    before[1].push()
                before = (xf, blk)
            before[0].wait()
            before[1].push()

        @ttl.datamovement()
        def write() -> None:
            for step in range(7):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[0, step]).wait()

    same_as_simulated(prefetch, tensor(32, 224), tensor(32, 224, seed=1))


@pytest.mark.parametrize("grid", [(6,), (2, 3), (6, 1)])
@pytest.mark.parametrize("dims", [1, 2, 3, 4])
def test_coordinates_of_any_number_of_dimensions(grid: tuple[int, ...], dims: int) -> None:
    @ttl.operation(grid=grid)
    def coordinates(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
        number = ttl.node(dims=1)
        where = ttl.node(dims=dims)
        size = ttl.grid_size(dims=dims)

        @ttl.datamovement()
        def read() -> None:
            values = (*where, *size) if dims > 1 else (where, size)
            for value in values:
                with dfb.reserve() as blk:
                    ttl.copy(a[0, value], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            for index in range(2 * dims):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[number, index]).wait()

    same_as_simulated(coordinates, tensor(32, 32 * 7), tensor(32 * 6, 32 * 8, seed=1), seeds=1)


def test_a_sharded_tensor_is_read_by_page() -> None:
    device = ttnn.open_device(device_id=0)
    config = ttnn.create_sharded_memory_config(
        (64, 128), core_grid=ttnn.CoreGrid(y=1, x=2), strategy=ttnn.ShardStrategy.WIDTH
    )
    values = np.random.default_rng(3).standard_normal((64, 128)).astype(np.float32)

    @ttl.operation(grid=(2, 1))
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(32, 128), block_count=2)
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[node * 32 : node * 32 + 32, 0:128], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, y[node * 32 : node * 32 + 32, 0:128]).wait()

    a = ttnn.from_numpy(
        values, ttnn.float32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device, memory_config=config
    )
    y = ttnn.to_device(tensor(64, 128, layout=ttnn.ROW_MAJOR_LAYOUT, seed=1), device)
    same_as_simulated(copy, a, y)
    ttnn.close_device(device)


@pytest.mark.parametrize("layout", [ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT])
def test_a_slice_that_is_a_shard_is_moved_whole(layout: Any) -> None:
    device = ttnn.open_device(device_id=0)
    config = ttnn.create_sharded_memory_config(
        (64, 128), core_grid=ttnn.CoreGrid(y=2, x=2), strategy=ttnn.ShardStrategy.BLOCK
    )
    unit = 32 if layout is ttnn.TILE_LAYOUT else 1

    @ttl.operation(grid=(2, 2))
    def copy(a: Any, y: Any) -> None:
        height, width = 32 // unit, 64 // unit
        dfb = ttl.make_dataflow_buffer_like(a, shape=(height, width), block_count=2)
        x, down = ttl.node()
        rows, columns = slice(down * height, (down + 1) * height), slice(x * width, (x + 1) * width)

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[rows, columns], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, y[rows, columns]).wait()

    values = np.random.default_rng(3).standard_normal((64, 128)).astype(np.float32)
    a, y = (
        ttnn.from_numpy(each, ttnn.float32, layout=layout, device=device, memory_config=config)
        for each in (values, 0 * values)
    )
    program = program_of(copy, a, y)
    names = {op.call.name for kernel in program.kernels for op in kernel.walk() if hasattr(op, "call")}
    assert {"noc_async_read_shard", "noc_async_write_shard"} <= names
    same_as_simulated(copy, a, y)
    ttnn.close_device(device)


@pytest.mark.parametrize("grid", [(1, 3, 2), (1, 1, 3, 2), (1, 1, 1, 6)])
@pytest.mark.parametrize("dims", [1, 2, 3, 4])
def test_a_grid_over_a_mesh_of_one_device(grid: tuple[int, ...], dims: int) -> None:
    values = [f"%v{index}" for index in range(dims)]
    module = parse_module(f"""
        ttl.operation @f() grid <{"x".join(map(str, grid))}> {{
          ttl.datamovement_kernel @print {{
            {", ".join(values)} = ttl.node : {", ".join(["index"] * dims)}
            ttl.print [{", ".join(['""'] * (dims + 1))}]({", ".join(values)} : {", ".join(["index"] * dims)})
          }}
        }}""")
    ConvertStructure().apply(Context(), module)
    (program,) = module.body.block.ops
    assert isinstance(program, ttkernel.ProgramOp) and program.grid == grid[-2:]
    for index in range(6):
        node = coordinate(index, program.grid, 2)
        assert printed_on(node, program) == [coordinate(index, grid, dims)]


def printed_on(node: tuple[int, ...], program: ttkernel.ProgramOp) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []

    class Printing(KernelInterpreter):
        def call(self, op: ttkernel.KernelCallOp, given: Sequence[Any]) -> Any:
            return node[("get_absolute_logical_x", "get_absolute_logical_y").index(op.call.name)]

        def printed(self, op: ttkernel.DPrintOp, given: Sequence[Any]) -> None:
            found.append(tuple(given))

    (kernel,) = program.kernels
    Printing().block(kernel.body.block)
    return found
