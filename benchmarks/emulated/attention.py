"""Flash attention by hand, for the kernel API of release 0.81: TT-NN's own is not among the kernels that are kept of its wheel.

It is TT-NN's algorithm (``sdpa.cpp``: a running maximum and sum for each query, keys and values once), with what an
expert would do on this chip for rows of 64 elements: queries are scaled once, by a power of two; keys and values are handed
to the compute kernel a row of tiles at a time, while the next ones are read; the largest sub-blocks that 16-bit registers
hold; the output is rescaled in the registers in which products are added to it; where only the first column of a tile counts,
the vector unit computes the faces that it is in; and nothing is divided but sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ttl.arch import Chip
from ttl.emu import ChipKernel, ChipRun, Program, run_program
from ttl.host.tensor import Tensor

from wheel import Core, Parts


@dataclass(frozen=True, kw_only=True)
class Chunks:
    """Rows of tiles that are computed together: of queries, and of keys and values."""

    queries: int
    keys: int


_READER = """
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
void kernel_main() {
  constexpr uint32_t QT = get_compile_time_arg_val(0), KT = get_compile_time_arg_val(1), NK = get_compile_time_arg_val(2);
  constexpr auto q_args = TensorAccessorArgs<3>();
  constexpr auto k_args = TensorAccessorArgs<q_args.next_compile_time_args_offset()>();
  constexpr auto v_args = TensorAccessorArgs<k_args.next_compile_time_args_offset()>();
  const auto q = TensorAccessor(q_args, get_common_arg_val<uint32_t>(0));
  const auto k = TensorAccessor(k_args, get_common_arg_val<uint32_t>(1));
  const auto v = TensorAccessor(v_args, get_common_arg_val<uint32_t>(2));
  const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1), blocks = get_arg_val<uint32_t>(2);
  for (uint32_t item = first; item < first + count; ++item) {
    const uint32_t head = item / blocks;
    cb_reserve_back(0, QT * 2);
    uint32_t at = get_write_ptr(0);
    for (uint32_t page = item * QT * 2; page < (item + 1) * QT * 2; ++page, at += 2048) noc_async_read_page(page, q, at);
    uint32_t page = head * NK * KT * 2;
    for (uint32_t block = 0; block < NK; ++block, page += KT * 2) {
      for (uint32_t side = 0; side < 2; ++side) {
        cb_reserve_back(1 + side, KT * 2);
        at = get_write_ptr(1 + side);
        for (uint32_t row = 0; row < KT; row += PART) {
          for (uint32_t i = 0; i < 2 * PART; ++i, at += 2048) {
            if (side == 0) noc_async_read_page(page + row * 2 + i, k, at);
            else noc_async_read_page(page + row * 2 + i, v, at);
          }
          const bool begins = block == 0 && side == 0 && row == 0;
          if (begins && item == first) {
            // Ones in the first row of every face, for sums and maxima, while the first tiles are on their way.
            cb_reserve_back(9, 1);
            auto ones = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(9));
            for (uint32_t i = 0; i < 512; ++i) ones[i] = i % 128 < 8 ? 0x3F803F80 : 0;
            cb_push_back(9, 1);
          }
          noc_async_read_barrier();
          if (begins) cb_push_back(0, QT * 2);
          cb_push_back(1 + side, 2 * PART);
        }
      }
    }
  }
}
"""

_WRITER = """
#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"
void kernel_main() {
  constexpr uint32_t QT = get_compile_time_arg_val(0);
  constexpr auto args = TensorAccessorArgs<1>();
  const auto o = TensorAccessor(args, get_common_arg_val<uint32_t>(0));
  const uint32_t first = get_arg_val<uint32_t>(0), count = get_arg_val<uint32_t>(1);
  for (uint32_t page = first * QT * 2; page < (first + count) * QT * 2; page += 4) {
    cb_wait_front(3, 4);
    const uint32_t at = get_read_ptr(3);
    for (uint32_t i = 0; i < 4; ++i) noc_async_write_page(page + i, o, at + i * 2048);
    noc_async_writes_flushed();
    cb_pop_front(3, 4);
  }
  noc_async_write_barrier();
}
"""

_COMPUTE = """
#include "api/compute/bcast.h"
#include "api/compute/binary_max_min.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t Q = 0, K = 1, V = 2, O = 3, SCALED = 4, SCORES = 5, WEIGHTS = 6, MAXIMUM = 7, RESCALE = 8, ONES = 9,
                   TOTAL = 10, OUTPUT = 11;
constexpr uint32_t SLICE = 8;  // tiles of the registers

void kernel_main() {
  constexpr uint32_t QT = get_compile_time_arg_val(0), KT = get_compile_time_arg_val(1), NK = get_compile_time_arg_val(2);
  constexpr uint32_t SCALE = get_compile_time_arg_val(3), WIDE = SLICE / QT;
  static_assert(QT * 2 <= SLICE && KT % WIDE == 0);
  const uint32_t count = get_arg_val<uint32_t>(0);
  compute_kernel_hw_startup<SrcOrder::Reverse>(Q, K, SCALED);
  for (uint32_t item = 0; item < count; ++item) {
    cb_wait_front(Q, QT * 2);
    cb_reserve_back(SCALED, QT * 2);
    tile_regs_acquire();
    copy_init(Q);
    for (uint32_t i = 0; i < QT * 2; ++i) copy_tile(Q, i, i);
    binop_with_scalar_tile_init();
    for (uint32_t i = 0; i < QT * 2; ++i) mul_unary_tile(i, SCALE);
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < QT * 2; ++i) pack_tile(i, SCALED);
    tile_regs_release();
    cb_push_back(SCALED, QT * 2);
    cb_pop_front(Q, QT * 2);
    cb_wait_front(SCALED, QT * 2);
    for (uint32_t block = 0; block < NK; ++block) {
      // Scores: all rows of queries, some columns at a time.
      cb_reserve_back(SCORES, QT * KT);
      matmul_block_init(SCALED, K, 1, 1, QT, 2);
      for (uint32_t column = 0; column < KT; column += WIDE) {
        cb_wait_front(K, (column + WIDE) * 2);
        tile_regs_acquire();
        for (uint32_t j = 0; j < WIDE; ++j)
          for (uint32_t d = 0; d < 2; ++d) matmul_block(SCALED, K, d, (column + j) * 2 + d, j * QT, 1, 1, QT, 2);
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t j = 0; j < WIDE; ++j)
          for (uint32_t r = 0; r < QT; ++r) pack_tile<true>(j * QT + r, SCORES, r * KT + column + j);
        tile_regs_release();
      }
      cb_pop_front(K, KT * 2);
      cb_push_back(SCORES, QT * KT);
      cb_wait_front(SCORES, QT * KT);
      // The largest score so far.
      cb_reserve_back(MAXIMUM, QT);
      tile_regs_acquire();
      if (block > 0) {
        copy_init(MAXIMUM);
        for (uint32_t r = 0; r < QT; ++r) copy_tile(MAXIMUM, r, QT + r);
      }
      cb_wait_front(ONES, 1);
      reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(SCORES, ONES, MAXIMUM);
      for (uint32_t r = 0; r < QT; ++r)
        for (uint32_t c = 0; c < KT; ++c)
          reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(SCORES, ONES, r * KT + c, 0, r);
      if (block > 0) {
        binary_max_tile_init();
        for (uint32_t r = 0; r < QT; ++r) binary_max_tile(r, QT + r, r, VectorMode::C);
      }
      tile_regs_commit();
      tile_regs_wait();
      for (uint32_t r = 0; r < QT; ++r) pack_tile(r, MAXIMUM);
      tile_regs_release();
      reduce_uninit();
      cb_push_back(MAXIMUM, QT);
      // What is there is rescaled by the exponential of the difference.
      exp_tile_init<false>();
      if (block > 0) {
        cb_wait_front(MAXIMUM, 2 * QT);
        cb_reserve_back(RESCALE, QT);
        tile_regs_acquire();
        sub_init(MAXIMUM, MAXIMUM);
        for (uint32_t r = 0; r < QT; ++r) sub_tiles(MAXIMUM, MAXIMUM, r, QT + r, r);
        for (uint32_t r = 0; r < QT; ++r) exp_tile<false>(r, VectorMode::C);
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t r = 0; r < QT; ++r) pack_tile(r, RESCALE);
        tile_regs_release();
        cb_push_back(RESCALE, QT);
        cb_pop_front(MAXIMUM, QT);
      }
      cb_wait_front(MAXIMUM, QT);
      // Exponentials of the scores.
      cb_reserve_back(WEIGHTS, QT * KT);
      sub_bcast_cols_init(SCORES, MAXIMUM);
      for (uint32_t r = 0; r < QT; ++r) {
        for (uint32_t c = 0; c < KT; c += TOGETHER) {
          tile_regs_acquire();
          for (uint32_t j = 0; j < TOGETHER; ++j) sub_tiles_bcast_cols(SCORES, MAXIMUM, r * KT + c + j, r, j);
          for (uint32_t j = 0; j < TOGETHER; ++j) exp_tile<false>(j);
          tile_regs_commit();
          tile_regs_wait();
          for (uint32_t j = 0; j < TOGETHER; ++j) pack_tile(j, WEIGHTS);
          tile_regs_release();
          cb_push_back(WEIGHTS, TOGETHER);
        }
      }
      cb_pop_front(SCORES, QT * KT);
      // Sums of the exponentials.
      cb_wait_front(WEIGHTS, QT * KT);
      cb_reserve_back(TOTAL, QT);
      if (block > 0) {
        cb_wait_front(RESCALE, QT);
        cb_wait_front(TOTAL, QT);
      }
      tile_regs_acquire();
      if (block > 0) {
        mul_init(TOTAL, RESCALE);
        for (uint32_t r = 0; r < QT; ++r) mul_tiles(TOTAL, RESCALE, r, r, QT + r);
      }
      reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(WEIGHTS, ONES, TOTAL);
      for (uint32_t r = 0; r < QT; ++r)
        for (uint32_t c = 0; c < KT; ++c)
          reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(WEIGHTS, ONES, r * KT + c, 0, r);
      if (block > 0) {
        add_binary_tile_init();
        for (uint32_t r = 0; r < QT; ++r) add_binary_tile(r, QT + r, r);
      }
      if (block == NK - 1) {
        recip_tile_init();
        for (uint32_t r = 0; r < QT; ++r) recip_tile(r, VectorMode::C);
      }
      tile_regs_commit();
      tile_regs_wait();
      for (uint32_t r = 0; r < QT; ++r) pack_tile(r, TOTAL);
      tile_regs_release();
      reduce_uninit();
      cb_push_back(TOTAL, QT);
      if (block > 0) cb_pop_front(TOTAL, QT);
      // The output so far, rescaled, and what these values add to it.
      cb_wait_front(V, KT * 2);
      cb_reserve_back(OUTPUT, QT * 2);
      tile_regs_acquire();
      if (block > 0) {
        cb_wait_front(OUTPUT, QT * 2);
        mul_bcast_cols_init(OUTPUT, RESCALE);
        for (uint32_t r = 0; r < QT; ++r)
          for (uint32_t d = 0; d < 2; ++d) mul_tiles_bcast_cols(OUTPUT, RESCALE, r * 2 + d, r, r * 2 + d);
      }
      matmul_block_init(WEIGHTS, V, 0, 2, QT, KT);
      for (uint32_t c = 0; c < KT; ++c) matmul_block(WEIGHTS, V, c, c * 2, 0, 0, 2, QT, KT);
      tile_regs_commit();
      tile_regs_wait();
      for (uint32_t i = 0; i < QT * 2; ++i) pack_tile(i, OUTPUT);
      tile_regs_release();
      cb_push_back(OUTPUT, QT * 2);
      if (block > 0) {
        cb_pop_front(OUTPUT, QT * 2);
        cb_pop_front(RESCALE, QT);
      }
      cb_pop_front(V, KT * 2);
      cb_pop_front(WEIGHTS, QT * KT);
    }
    // Divided by the sums.
    cb_wait_front(TOTAL, QT);
    cb_wait_front(OUTPUT, QT * 2);
    mul_bcast_cols_init(OUTPUT, TOTAL);
    for (uint32_t r = 0; r < QT; r += 2) {
      cb_reserve_back(O, 4);
      tile_regs_acquire();
      for (uint32_t i = 0; i < 4; ++i) mul_tiles_bcast_cols(OUTPUT, TOTAL, r * 2 + i, r + i / 2, i);
      tile_regs_commit();
      tile_regs_wait();
      for (uint32_t i = 0; i < 4; ++i) pack_tile(i, O);
      tile_regs_release();
      cb_push_back(O, 4);
    }
    cb_pop_front(OUTPUT, QT * 2);
    cb_pop_front(TOTAL, QT);
    cb_pop_front(MAXIMUM, QT);
    cb_pop_front(SCALED, QT * 2);
  }
}
"""


def flash_attention(
    chip: Chip,
    size: tuple[int, int, int],
    cores: Sequence[Core],
    chunks: Chunks,
    values: tuple[Any, Any, Any] | None = None,
    *,
    part: int = 1,
    together: int = 8,
) -> tuple[ChipRun, Tensor]:
    """``softmax(q @ k.transpose / 8) @ v`` for tensors of (heads, sequence, 64) elements in DRAM.

    ``part`` rows of tiles of keys or values are handed over together, ``together`` exponentials computed in one section.
    """
    heads, sequence, width = size
    assert width == 64 and sequence % (32 * chunks.queries) == sequence % (32 * chunks.keys) == 0
    parts = Parts(chip=chip)
    blocks, turns = sequence // 32 // chunks.queries, sequence // 32 // chunks.keys
    queries, keys = chunks.queries, chunks.keys
    pages = {
        0: 2 * queries, 1: 4 * keys, 2: 4 * keys, 3: 4 * queries, 4: 2 * queries, 5: queries * keys, 6: queries * keys,
        7: 2 * queries, 8: queries, 9: 1, 10: 2 * queries, 11: 4 * queries,
    }  # fmt: skip
    for index, count in pages.items():
        parts.buffer(index, count, cores)
    shape = (heads * sequence, width)
    given = values or (np.zeros(shape),) * 3
    q, k, v = (parts.place(np.reshape(each, shape)) for each in given)
    o = parts.place(np.zeros(shape))
    work = heads * blocks
    share = -(-work // len(cores))
    items = {
        core: (min(number * share, work), min((number + 1) * share, work) - min(number * share, work))
        for number, core in enumerate(cores)
    }
    scale = int(np.float32(width**-0.5).view(np.uint32))
    kernels = (
        ChipKernel(
            name="reader", source=f"#define PART {part}\n{_READER}", processor="ncrisc", noc=0, cores=tuple(cores),
            compile_time_args=(queries, keys, turns, *q.accessor, *k.accessor, *v.accessor),
            common_args=(q.address, k.address, v.address),
            args={core: (first, count, blocks) for core, (first, count) in items.items()},
        ),
        ChipKernel(
            name="compute", source=f"#define TOGETHER {together}\n{_COMPUTE}", processor="compute", cores=tuple(cores),
            compile_time_args=(queries, keys, turns, scale),
            args={core: (count,) for core, (_, count) in items.items()},
        ),
        ChipKernel(
            name="writer", source=_WRITER, processor="brisc", noc=1, cores=tuple(cores),
            compile_time_args=(queries, *o.accessor), common_args=(o.address,), args=items,
        ),
    )  # fmt: skip
    program = Program(generation="0.81", kernels=kernels, circular_buffers=tuple(parts.buffers))
    return run_program(program, parts.memory, recorded=True), o.tensor
