"""Copies between tensors and blocks: kernels on the emulated chip leave in memory what the simulator does.

``lit/copies.mlir`` shows the transfers and barriers that they become, and ``lit/structure.mlir`` the program around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
import ttnn
from xdsl.context import Context

import ttl
from passes.on_chip import same_as_simulated
from ttl.analysis.interpreter import KernelInterpreter
from ttl.dialects import ttkernel
from ttl.dialects.text import parse_module
from ttl.passes.convert_structure import ConvertStructure
from ttl.protocol.grid import coordinate


def tensor(*shape: int, dtype: Any = ttnn.float32, layout: Any = ttnn.TILE_LAYOUT, seed: int = 0) -> Any:
    values = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return ttnn.from_numpy(values, dtype, layout=layout)


@pytest.mark.parametrize(
    ("block", "first", "step_width", "a_shape", "y_shape", "layout"),
    [
        pytest.param((2, 3), 3, -3, (256, 192), (256, 192), ttnn.TILE_LAYOUT, id="tiles"),
        pytest.param((3, 16), 4, 24, (12, 40), (12, 50), ttnn.ROW_MAJOR_LAYOUT, id="rows"),
    ],
)
def test_blocks_of_a_matrix(
    block: tuple[int, int],
    first: int,
    step_width: int,
    a_shape: tuple[int, int],
    y_shape: tuple[int, int],
    layout: Any,
) -> None:
    """A node copies two blocks of its rows to other columns."""
    height, width = block

    @ttl.operation(grid=(2, 2))
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(height, width), block_count=2)
        x_node, y_node = ttl.node(dims=2)
        top = (y_node * 2 + x_node) * height

        @ttl.datamovement()
        def read() -> None:
            for step in range(2):
                with dfb.reserve() as blk:
                    ttl.copy(a[top : top + height, step * width : (step + 1) * width], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            for step in range(2):
                with dfb.wait() as blk:
                    left = first + step * step_width
                    ttl.copy(blk, y[top : top + height, left : left + width]).wait()

    same_as_simulated(copy, tensor(*a_shape, layout=layout), tensor(*y_shape, layout=layout, seed=1))


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

    same_as_simulated(copy, tensor(32, 128), tensor(32, 128, seed=1))


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

    same_as_simulated(copy, tensor(32, 32), tensor(64, 96, seed=1))


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

    same_as_simulated(twice, tensor(32, 32), tensor(32, 96, seed=1))


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


@pytest.fixture
def device() -> Iterator[Any]:
    device = ttnn.open_device(device_id=0)
    yield device
    ttnn.close_device(device)


@pytest.mark.parametrize(
    ("spread", "layout", "grid", "block"),
    [
        pytest.param("WIDTH", ttnn.ROW_MAJOR_LAYOUT, (1, 2), (32, 128), id="rows of two shards"),
        pytest.param("BLOCK", ttnn.ROW_MAJOR_LAYOUT, (2, 2), (32, 64), id="whole shards of rows"),
        pytest.param("BLOCK", ttnn.TILE_LAYOUT, (2, 2), (1, 2), id="whole shards of tiles"),
    ],
)
def test_slices_of_sharded_tensors(
    spread: str, layout: Any, grid: tuple[int, int], block: tuple[int, int], device: Any
) -> None:
    height, width = block

    @ttl.operation(grid=grid)
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=(height, width), block_count=2)
        x, down = ttl.node(dims=2)
        rows, columns = slice(down * height, (down + 1) * height), slice(x * width, (x + 1) * width)

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(a[rows, columns], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, y[rows, columns]).wait()

    cores = ttnn.CoreGrid(y=1 if spread == "WIDTH" else 2, x=2)
    config = ttnn.create_sharded_memory_config((64, 128), cores, ttnn.ShardStrategy(spread))
    a, y = (
        ttnn.to_device(tensor(64, 128, layout=layout, seed=seed), device, memory_config=config)
        for seed in (3, 1)
    )
    same_as_simulated(copy, a, y)


@pytest.mark.parametrize("grid", [(1, 3, 2), (1, 1, 3, 2), (1, 1, 1, 6)])
@pytest.mark.parametrize("dims", [1, 2, 3, 4])
def test_a_grid_over_a_mesh_of_one_device(grid: tuple[int, ...], dims: int) -> None:
    values, types = ", ".join(f"%v{index}" for index in range(dims)), ", ".join(["index"] * dims)
    module = parse_module(f"""
        ttl.operation @f() grid <{"x".join(map(str, grid))}> {{
          ttl.datamovement_kernel @print {{
            {values} = ttl.node : {types}
            ttl.print [{", ".join(['""'] * (dims + 1))}]({values} : {types})
          }}
        }}""")
    ConvertStructure().apply(Context(), module)
    (program,) = module.body.block.ops
    assert isinstance(program, ttkernel.ProgramOp) and program.grid == grid[-2:]
    for index in range(6):
        node = coordinate(index, program.grid, 2)
        assert printed_on(node, program) == [coordinate(index, grid, dims)]


def printed_on(node: tuple[int, ...], program: ttkernel.ProgramOp) -> list[tuple[Any, ...]]:
    printed: list[tuple[Any, ...]] = []

    class Printing(KernelInterpreter):
        def call(self, op: ttkernel.KernelCallOp, given: Sequence[Any]) -> Any:
            return node[("get_absolute_logical_x", "get_absolute_logical_y").index(op.call.name)]

        def printed(self, op: ttkernel.DPrintOp, given: Sequence[Any]) -> None:
            printed.append(tuple(given))

    (kernel,) = program.kernels
    Printing().block(kernel.body.block)
    return printed
