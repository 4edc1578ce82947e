"""A slice that is a shard of its tensor is moved by the shard's own read and write (002, section 3.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.compiled import complaints_about, emitted
from support.kernel_check import GENERATIONS, Generation, needs_compiler
from ttl.codegen.compiled_calls import read_call
from ttl.codegen.description import ProgramDescription
from ttl.emu import CircularBuffer, Kernel, Program, memory_of, run_program
from ttl.emu.launch import run
from ttl.host.access import array_of

TILE, BY_ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT
L1, DRAM = ttnn.BufferType.L1, ttnn.BufferType.DRAM


def cores(x: int, y: int, columns: int, rows: int) -> Any:
    return ttnn.CoreRangeSet(
        [ttnn.CoreRange(ttnn.CoreCoord(x, y), ttnn.CoreCoord(x + columns - 1, y + rows - 1))]
    )


def sharded(
    spread: str, shard: tuple[int, ...], where: Any, memory: Any = L1, order: str = "ROW_MAJOR"
) -> Any:
    orientation = getattr(ttnn.ShardOrientation, order)
    if spread == "ND_SHARDED":
        return ttnn.MemoryConfig(memory, ttnn.NdShardSpec(shard, where, orientation))
    return ttnn.MemoryConfig(
        getattr(ttnn.TensorMemoryLayout, spread), memory, ttnn.ShardSpec(where, shard, orientation)
    )


# Shape of the tensor, its layout, its shards, the slices that are copied.
WHOLE: dict[str, tuple[tuple[int, ...], Any, Any, tuple[int, ...]]] = {
    "height": ((128, 64), TILE, sharded("HEIGHT_SHARDED", (32, 64), cores(1, 2, 2, 2)), (32, 64)),
    "width in DRAM": ((64, 128), TILE, sharded("WIDTH_SHARDED", (64, 64), cores(2, 0, 2, 1), DRAM), (64, 64)),
    "block, by columns": ((128, 128), TILE, sharded("BLOCK_SHARDED", (64, 64), cores(3, 1, 2, 2), order="COL_MAJOR"), (64, 64)),
    "several on a node": ((256, 64), TILE, sharded("ND_SHARDED", (32, 64), cores(0, 0, 3, 1)), (32, 64)),
    "three dimensions": ((4, 64, 64), TILE, sharded("ND_SHARDED", (1, 64, 32), cores(0, 0, 4, 2)), (1, 64, 32)),
    "rows": ((64, 64), BY_ROWS, sharded("HEIGHT_SHARDED", (16, 64), cores(0, 0, 4, 1)), (16, 64)),
    "parts of rows": ((64, 128), BY_ROWS, sharded("BLOCK_SHARDED", (32, 64), cores(0, 0, 2, 2)), (32, 64)),
    "rows of matrices": ((3, 64, 64), TILE, sharded("HEIGHT_SHARDED", (64, 64), cores(0, 0, 3, 1)), (1, 64, 64)),
}  # fmt: skip
# Those that are no shard as a whole.
PARTS: dict[str, tuple[tuple[int, ...], Any, Any, tuple[int, ...]]] = {
    "half of a shard": ((128, 64), TILE, sharded("HEIGHT_SHARDED", (64, 64), cores(0, 0, 2, 1)), (32, 64)),
    "two shards": ((128, 64), TILE, sharded("HEIGHT_SHARDED", (32, 64), cores(0, 0, 4, 1)), (64, 64)),
    "a shard that is not full": ((96, 64), TILE, sharded("HEIGHT_SHARDED", (64, 64), cores(0, 0, 2, 1)), (32, 64)),
    "room between rows": ((64, 36), BY_ROWS, sharded("HEIGHT_SHARDED", (1, 36), cores(0, 0, 8, 8)), (1, 36)),
    "interleaved": ((128, 64), TILE, ttnn.L1_MEMORY_CONFIG, (32, 64)),
}  # fmt: skip


def copied(shape: tuple[int, ...], layout: Any, config: Any, size: tuple[int, ...]) -> tuple[Any, list[Any]]:
    """An operation that copies a tensor slice by slice, and tensors for it."""
    unit = (1,) * (len(shape) - 2) + ((32, 32) if layout is TILE else (1, 1))
    block = tuple(extent // of for extent, of in zip(size, unit, strict=True))
    counts = tuple(extent // of for extent, of in zip(shape, size, strict=True))

    @ttl.operation(grid=(1, 1))
    def copy(a: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(a, shape=block)

        @ttl.datamovement()
        def read() -> None:
            for row in range(counts[-2]):
                for column in range(counts[-1]):
                    rows = slice(row * block[-2], (row + 1) * block[-2])
                    columns = slice(column * block[-1], (column + 1) * block[-1])
                    if len(shape) == 2:
                        with dfb.reserve() as blk:
                            ttl.copy(a[rows, columns], blk).wait()
                    else:
                        for matrix in range(counts[0]):
                            with dfb.reserve() as blk:
                                ttl.copy(a[matrix : matrix + 1, rows, columns], blk).wait()

        @ttl.datamovement()
        def write() -> None:
            for row in range(counts[-2]):
                for column in range(counts[-1]):
                    rows = slice(row * block[-2], (row + 1) * block[-2])
                    columns = slice(column * block[-1], (column + 1) * block[-1])
                    if len(shape) == 2:
                        with dfb.wait() as blk:
                            ttl.copy(blk, y[rows, columns]).wait()
                    else:
                        for matrix in range(counts[0]):
                            with dfb.wait() as blk:
                                ttl.copy(blk, y[matrix : matrix + 1, rows, columns]).wait()

    device = ttnn.open_device(device_id=0)
    values = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    tensors = [
        ttnn.to_memory_config(ttnn.Tensor(each, ttnn.bfloat16, layout=layout, device=device), config)
        for each in (values, 0 * values)
    ]
    return copy, tensors


def programs(operation: Any, tensors: list[Any]) -> Any:
    return emitted(read_call(operation, tuple(tensors), {}).module)


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("case", WHOLE)
def test_002_3_3_a_shard_is_one_transfer(case: str, generation: Generation) -> None:
    operation, (a, y) = copied(*WHOLE[case])
    (description,) = programs(operation, [a, y]).programs[generation]
    assert (
        moved(description)
        == {"0.81": ["noc_async_read_shard", "noc_async_write_shard"], "0.69": ["get_shard_noc_addr"] * 2}[
            generation
        ]
    )
    run(description, [a, y])
    np.testing.assert_array_equal(array_of(y), array_of(a))


@pytest.mark.parametrize("case", PARTS)
def test_002_3_3_what_is_no_shard_is_read_page_by_page(case: str) -> None:
    operation, (a, y) = copied(*PARTS[case])
    (description,) = programs(operation, [a, y]).programs["0.81"]
    assert moved(description) == []
    run(description, [a, y])
    np.testing.assert_array_equal(array_of(y), array_of(a))


def moved(description: ProgramDescription) -> list[str]:
    """The functions for shards that the kernels call."""
    names = ("noc_async_read_shard", "noc_async_write_shard", "get_shard_noc_addr")
    return [
        name
        for kernel in description.kernels
        for name in names
        for _ in range(kernel.source.count(f"{name}("))
    ]


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize("case", ["block, by columns", "three dimensions", "rows"])
def test_002_3_3_the_real_headers_have_them(case: str) -> None:
    operation, tensors = copied(*WHOLE[case])
    assert complaints_about([programs(operation, tensors)]) == []


BESIDE = """#include "api/dataflow/dataflow_api.h"
void kernel_main() {
  constexpr auto args = TensorAccessorArgs<0>();
  const auto from = TensorAccessor(args, get_common_arg_val<uint32_t>(0), get_tile_size(0));
  cb_reserve_back(0, 2);
  noc_async_read_shard(0, from, get_write_ptr(0));
  noc_async_read_barrier();
  cb_push_back(0, 2);
}
"""


@pytest.mark.parametrize(
    ("generation", "noc", "is_beside"), [("0.69", 0, False), ("0.69", 1, True), ("0.81", 1, False)]
)
def test_the_function_of_the_older_generation_is_beside_the_shard_on_noc_1(
    generation: Generation, noc: Any, is_beside: bool
) -> None:
    """Its header gives the number of the NoC for an offset; generated code says the address itself."""
    _, (a, _) = copied(*WHOLE["height"])
    memory = memory_of()
    placed = memory.place(a)
    program = Program(
        generation=generation,
        kernels=(
            Kernel(
                name="read", source=BESIDE, processor="ncrisc", cores=((0, 0),), noc=noc,
                compile_time_args=placed.accessor, common_args=(placed.address,),
            ),
        ),
        circular_buffers=(
            CircularBuffer(index=0, pages=2, page_bytes=2048, dtype="bfloat16", cores=((0, 0),), unwanted=True),
        ),
    )  # fmt: skip
    if not is_beside:
        run_program(program, memory)
        return
    with pytest.raises(ttl.ProgramError):
        run_program(program, memory)
