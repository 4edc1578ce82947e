"""Data movement: accessors of every memory layout, barriers, semaphores, multicast, and what a deadlock says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ttnn

from emu.harness import move, tensor_of, values_of
from ttl.emu import (
    ChipKernel,
    ChipSemaphore,
    CircularBuffer,
    Program,
    memory_of,
    rectangle,
    run_program,
)

RNG = np.random.default_rng(3)


def whole(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.integers(-100, 100, shape).astype(np.float32)


def sharded(
    shape: tuple[int, ...], strategy: Any, grid: tuple[int, int], buffer: Any = ttnn.BufferType.L1
) -> Any:
    cores = ttnn.CoreGrid(x=grid[0], y=grid[1])
    return ttnn.create_sharded_memory_config(shape, cores, strategy, buffer_type=buffer)


COPY = """
constexpr auto in = TensorAccessorArgs<0>();
constexpr auto out = TensorAccessorArgs<in.next_compile_time_args_offset()>();
const auto from = TensorAccessor(in, get_common_arg_val<uint32_t>(0), get_common_arg_val<uint32_t>(3));
const auto to = TensorAccessor(out, get_common_arg_val<uint32_t>(1), get_common_arg_val<uint32_t>(3));
for (uint32_t page = 0; page < get_common_arg_val<uint32_t>(2); ++page) {
  cb_reserve_back(0, 1);
  noc_async_read_page(page, from, get_write_ptr(0));
  noc_async_read_barrier();
  cb_push_back(0, 1);
  cb_wait_front(0, 1);
  noc_async_write_page(page, to, get_read_ptr(0));
  noc_async_write_barrier();
  cb_pop_front(0, 1);
}
"""

MEMORIES = {
    "dram": lambda: ttnn.DRAM_MEMORY_CONFIG,
    "l1": lambda: ttnn.L1_MEMORY_CONFIG,
    "height": lambda: sharded((256, 128), ttnn.ShardStrategy.HEIGHT, (4, 2)),
    "width": lambda: sharded((256, 128), ttnn.ShardStrategy.WIDTH, (2, 2)),
    "block": lambda: sharded((256, 128), ttnn.ShardStrategy.BLOCK, (2, 4)),
}


@pytest.mark.parametrize("memory_layout", MEMORIES)
@pytest.mark.parametrize("layout", ["TILE", "ROW_MAJOR"])
def test_an_accessor_finds_every_page(memory_layout: str, layout: str) -> None:
    values = whole(256, 128)
    options = {"layout": getattr(ttnn, f"{layout}_LAYOUT")}
    device = ttnn.open_device(device_id=0)
    source = ttnn.to_device(tensor_of(values, **options), device, memory_config=MEMORIES[memory_layout]())
    target = ttnn.to_device(tensor_of(0 * values, **options), device)
    if layout == "ROW_MAJOR" and memory_layout in ("width", "block"):
        # A page of a sharded row-major tensor is a row of a shard: the target has to be cut alike.
        target = ttnn.to_device(
            tensor_of(0 * values, **options), device, memory_config=MEMORIES[memory_layout]()
        )
    memory = memory_of()
    placed = [memory.place(each) for each in (source, target)]
    move(
        COPY,
        memory,
        compile_time_args=(*placed[0].accessor, *placed[1].accessor),
        common_args=(placed[0].address, placed[1].address, len(placed[0].pages), placed[0].accessor[1]),
    )
    np.testing.assert_array_equal(values_of(target), values)


def test_what_is_read_is_there_after_the_barrier() -> None:
    memory = memory_of()
    source = memory.place(tensor_of(whole(32, 32)))
    body = """
constexpr auto in = TensorAccessorArgs<0>();
const auto from = TensorAccessor(in, get_common_arg_val<uint32_t>(0), 2048);
cb_reserve_back(0, 1);
volatile uint32_t* word = (volatile uint32_t*)get_write_ptr(0);
*word = 12345;
noc_async_read_page(0, from, get_write_ptr(0));
ttl_emu_spend(5000, ttl_emu::Place::here());
noc_async_read_barrier();
ASSERT(*word != 12345);
cb_push_back(0, 1); cb_wait_front(0, 1); ASSERT(*word != 12345); cb_pop_front(0, 1);
"""
    move(body, memory, compile_time_args=source.accessor, common_args=(source.address,))


SENDER = """#include "api/dataflow/dataflow_api.h"
void kernel_main() {
  const uint32_t ready = get_semaphore(0), valid = get_semaphore(1);
  const uint32_t receivers = get_common_arg_val<uint32_t>(0);
  const uint32_t x0 = get_common_arg_val<uint32_t>(1), y0 = get_common_arg_val<uint32_t>(2);
  const uint32_t x1 = get_common_arg_val<uint32_t>(3), y1 = get_common_arg_val<uint32_t>(4);
  constexpr auto in = TensorAccessorArgs<0>();
  const auto from = TensorAccessor(in, get_common_arg_val<uint32_t>(5), 2048);
  auto word = (volatile uint32_t*)valid;
  for (uint32_t turn = 0; turn < 3; ++turn) {
    cb_reserve_back(0, 1);
    noc_async_read_page(turn, from, get_write_ptr(0));
    noc_async_read_barrier();
    noc_semaphore_wait((volatile uint32_t*)ready, receivers);
    noc_semaphore_set((volatile uint32_t*)ready, 0);
    noc_async_write_multicast(get_write_ptr(0), get_noc_multicast_addr(x0, y0, x1, y1, get_write_ptr(0)), 2048, receivers);
    noc_semaphore_set(word, 1);
    noc_semaphore_set_multicast(valid, get_noc_multicast_addr(x0, y0, x1, y1, valid), receivers);
    noc_async_writes_flushed();
    cb_push_back(0, 1);
  }
  noc_async_write_barrier();
}
"""
RECEIVER = """#include "api/dataflow/dataflow_api.h"
void kernel_main() {
  const uint32_t ready = get_semaphore(0), valid = get_semaphore(1);
  const uint32_t x = get_common_arg_val<uint32_t>(0), y = get_common_arg_val<uint32_t>(1);
  for (uint32_t turn = 0; turn < 3; ++turn) {
    cb_reserve_back(0, 1);
    noc_semaphore_set((volatile uint32_t*)valid, 0);
    noc_semaphore_inc(get_noc_addr(x, y, ready), 1);
    noc_semaphore_wait((volatile uint32_t*)valid, 1);
    cb_push_back(0, 1);
  }
  noc_async_atomic_barrier();
}
"""
WRITER = """#include "api/dataflow/dataflow_api.h"
void kernel_main() {
  constexpr auto out = TensorAccessorArgs<0>();
  const auto to = TensorAccessor(out, get_common_arg_val<uint32_t>(0), 2048);
  const uint32_t node = get_absolute_logical_y() * get_common_arg_val<uint32_t>(1) + get_absolute_logical_x();
  for (uint32_t turn = 0; turn < 3; ++turn) {
    cb_wait_front(0, 1);
    noc_async_write_page(node * 3 + turn, to, get_read_ptr(0));
    noc_async_write_barrier();
    cb_pop_front(0, 1);
  }
}
"""


@pytest.mark.parametrize("noc", [0, 1])
def test_a_multicast_reaches_its_rectangle(noc: Any) -> None:
    columns, rows = 4, 3
    cores = rectangle(columns, rows)
    values = whole(96, 32)
    memory = memory_of()
    source, target = memory.place(tensor_of(values)), memory.place(tensor_of(whole(32 * 3 * len(cores), 32)))
    first, last = memory.chip.node(0, 0), memory.chip.node(columns - 1, rows - 1)
    corners = (*first, *last) if noc == 0 else (*last, *first)
    kernels = (
        ChipKernel(
            name="send", source=SENDER, processor="brisc", noc=noc, cores=cores[:1],
            compile_time_args=source.accessor, common_args=(len(cores) - 1, *corners, source.address),
        ),
        ChipKernel(
            name="receive", source=RECEIVER, processor="brisc", noc=noc, cores=cores[1:],
            common_args=memory.chip.node(0, 0),
        ),
        ChipKernel(
            name="write", source=WRITER, processor="ncrisc", noc=1 - noc, cores=cores,
            compile_time_args=target.accessor, common_args=(target.address, columns),
        ),
    )  # fmt: skip
    program = Program(
        generation="0.81",
        kernels=kernels,
        circular_buffers=(CircularBuffer(index=0, pages=2, page_bytes=2048, dtype="bfloat16", cores=cores),),
        semaphores=(ChipSemaphore(id=0, cores=cores), ChipSemaphore(id=1, cores=cores)),
    )
    found = run_program(program, memory)
    np.testing.assert_array_equal(values_of(target.tensor), np.concatenate([values] * len(cores)))
    assert run_program(program, memory).cycles == found.cycles
