"""Compute kernels of the published experiments, written from their descriptions. Sizes are run-time arguments, read before a zone."""

from __future__ import annotations

_HEAD = """
#include "api/compute/common.h"
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/gelu.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/eltwise_unary/sqrt.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose.h"
#include "api/debug/kernel_profiler.hpp"
constexpr uint32_t IN = 0, OTHER = 1, SCALE = 2, ACC = 3, OUT = 16, LOOP = 24;
inline uint32_t arg(uint32_t index) { return get_arg_val<uint32_t>(index); }
inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
"""

# A pass in sections of c tiles: WORK on the tiles of a section, then their packs.
_PASS = """
inline void copies(uint32_t from, uint32_t to, uint32_t tiles, uint32_t c) {
  for (uint32_t first = 0; first < tiles; first += c) {
    const uint32_t count = least(c, tiles - first);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i) copy_tile(from, first + i, i);
    @after@
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < count; ++i) pack_tile<true>(i, to, first + i);
    tile_regs_release();
  }
}
inline void move(uint32_t from, uint32_t to, uint32_t tiles, uint32_t c) {
  cb_wait_front(from, tiles);
  cb_reserve_back(to, tiles);
  copies(from, to, tiles, c);
  cb_pop_front(from, tiles);
  cb_push_back(to, tiles);
}
"""


def _passes(after: str = "") -> str:
    return _HEAD + _PASS.replace("@after@", after)


def _looping(turn: str, *, held: str = "") -> str:
    """Turns over a block that was copied into LOOP once; ``held``: the buffer whose pages a kernel has for all of them, if it does."""
    before = f"cb_wait_front(LOOP, tiles);\n  cb_reserve_back({held}, tiles);" if held else ""
    after = f"cb_pop_front(LOOP, tiles);\n  cb_push_back({held}, tiles);" if held else ""
    warm, last = (turn, "") if held == "OUT" else ("", "move(LOOP, OUT, tiles, c);")
    return (
        _passes()
        + f"""
void kernel_main() {{
  const uint32_t tiles = arg(0), c = arg(1), turns = arg(2);
  unary_op_init_common(LOOP, {held or "LOOP"});
  copy_init(IN);
  move(IN, LOOP, tiles, c);
  copy_init(LOOP);
  {before}
  {warm}
  {{
    DeviceZoneScopedN("zone");
    for (uint32_t turn = 0; turn < turns; ++turn) {turn}
  }}
  {after}
  {last}
}}
"""
    )


SELF = _looping("move(LOOP, LOOP, tiles, c);")
HOISTED = _looping("copies(LOOP, LOOP, tiles, c);", held="LOOP")
TWO_BUFFERS = _looping("copies(LOOP, OUT, tiles, c);", held="OUT")


def unary(name: str, *, warm: bool) -> str:
    """Copies of a resident input, with a function of the vector unit on all tiles of a section; ``warm``: a pass before the zone."""
    function = f"for (uint32_t i = 0; i < count; ++i) {name}_tile(i);" if name != "copy" else ""
    return (
        _passes(function)
        + f"""
void kernel_main() {{
  const uint32_t tiles = arg(0), c = arg(1), turns = arg(2);
  unary_op_init_common(IN, OUT);
  copy_init(IN);
  {f"{name}_tile_init();" if name != "copy" else ""}
  cb_wait_front(IN, tiles);
  cb_reserve_back(OUT, tiles);
  {"copies(IN, OUT, tiles, c);" if warm else ""}
  {{
    DeviceZoneScopedN("zone");
    for (uint32_t turn = 0; turn < turns; ++turn) copies(IN, OUT, tiles, c);
  }}
  cb_pop_front(IN, tiles);
  cb_push_back(OUT, tiles);
}}
"""
    )


def operation(init: str, call: str, *, result: str = "count", after: str = "", other: str = "count") -> str:
    """An operation of two buffers on a resident section, again and again (MB4)."""
    return (
        _HEAD
        + f"""
void kernel_main() {{
  const uint32_t count = arg(0), turns = arg(1);
  compute_kernel_hw_startup(IN, OTHER, OUT);
  {init}
  cb_wait_front(IN, count);
  cb_wait_front(OTHER, {other});
  cb_reserve_back(OUT, {result});
  {{
    DeviceZoneScopedN("zone");
    for (uint32_t turn = 0; turn < turns; ++turn) {{
      tile_regs_acquire();
      for (uint32_t i = 0; i < count; ++i) {call}
      tile_regs_commit();
      tile_regs_wait();
      for (uint32_t i = 0; i < {result}; ++i) pack_tile<true>(i, OUT, i);
      tile_regs_release();
    }}
  }}
  {after}
  cb_pop_front(IN, count);
  cb_pop_front(OTHER, {other});
  cb_push_back(OUT, {result});
}}
"""
    )


def in_registers(*, dram: bool, gelu: bool) -> str:
    """A sum in registers (MB2, reg): contributions are added to tiles that stay there."""
    turn = (
        """copy_init(OTHER);
      for (uint32_t u = 0; u < acc; ++u) copy_tile(OTHER, u, acc + u);
      gelu_tile_init();
      for (uint32_t u = 0; u < acc; ++u) gelu_tile(acc + u);
      add_binary_tile_init();
      for (uint32_t u = 0; u < acc; ++u) add_binary_tile(u, acc + u, u);"""
        if gelu
        else "for (uint32_t u = 0; u < acc; ++u) add_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(OTHER, u, u);"
    )
    return (
        _HEAD
        + f"""
void kernel_main() {{
  const uint32_t acc = arg(0), iters = arg(1);
  compute_kernel_hw_startup(IN, OTHER, OUT);
  copy_init(IN);
  tile_regs_acquire();
  cb_reserve_back(OUT, acc);
  {{
    DeviceZoneScopedN("zone");
    cb_wait_front(IN, acc);
    for (uint32_t u = 0; u < acc; ++u) copy_tile(IN, u, u);
    cb_pop_front(IN, acc);
    {"" if gelu else "add_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(OTHER);"}
    for (uint32_t i = 0; i < iters; ++i) {{
      cb_wait_front(OTHER, acc);
      {turn}
      {"cb_pop_front(OTHER, acc);" if dram else ""}
    }}
    {"" if dram else "cb_pop_front(OTHER, acc);"}
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t u = 0; u < acc; ++u) pack_tile<true>(u, OUT, u);
  }}
  cb_push_back(OUT, acc);
  tile_regs_release();
}}
"""
    )


def by_the_packer(*, dram: bool, how: str) -> str:
    """A sum by the packer (MB2, pack): contributions are packed on top of what is in L1. ``how``: add, mul or gelu."""
    start = "compute_kernel_hw_startup(IN, OTHER, OUT);"
    init = {"add": "copy_init(OTHER);", "mul": "mul_init(OTHER, OTHER);", "gelu": "copy_init(OTHER);"}[how]
    call = (
        "mul_tiles(OTHER, OTHER, first + i, first + i, i);"
        if how == "mul"
        else "copy_tile(OTHER, first + i, i);"
    )
    more = "for (uint32_t i = 0; i < count; ++i) gelu_tile(i);" if how == "gelu" else ""
    return (
        _passes()
        + f"""
inline void contribution(uint32_t tiles, uint32_t c) {{
  for (uint32_t first = 0; first < tiles; first += c) {{
    const uint32_t count = least(c, tiles - first);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i) {call}
    {more}
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < count; ++i) pack_tile<true>(i, OUT, first + i);
    tile_regs_release();
  }}
}}
void kernel_main() {{
  const uint32_t acc = arg(0), iters = arg(1), c = arg(2);
  {start}
  copy_init(IN);
  {"gelu_tile_init();" if how == "gelu" else ""}
  cb_reserve_back(OUT, acc);
  pack_reconfig_l1_acc(0);
  {{
    DeviceZoneScopedN("zone");
    cb_wait_front(IN, acc);
    copies(IN, OUT, acc, c);
    cb_pop_front(IN, acc);
    {init}
    pack_reconfig_l1_acc(1);
    for (uint32_t i = 0; i < iters; ++i) {{
      cb_wait_front(OTHER, acc);
      contribution(acc, c);
      {"cb_pop_front(OTHER, acc);" if dram else ""}
    }}
    {"" if dram else "cb_pop_front(OTHER, acc);"}
  }}
  pack_reconfig_l1_acc(0);
  cb_push_back(OUT, acc);
}}
"""
    )


def square(op: str) -> str:
    """Blocks of h by w tiles of a resident square (MB5.B)."""
    init = "transpose_init(IN);" if op == "transpose" else f"{op}_init(IN, IN);"
    tile = "(r + i) * n + (c + j)"
    call = (
        f"transpose_tile(IN, {tile}, i * w + j);"
        if op == "transpose"
        else f"{op}_tiles(IN, IN, {tile}, {tile}, i * w + j);"
    )
    place = "(c + j) * n + (r + i)" if op == "transpose" else tile
    return (
        _HEAD
        + f"""
void kernel_main() {{
  const uint32_t n = arg(0), h = arg(1), w = arg(2), turns = arg(3);
  compute_kernel_hw_startup(IN, IN, OUT);
  {init}
  cb_wait_front(IN, n * n);
  cb_reserve_back(OUT, n * n);
  {{
    DeviceZoneScopedN("zone");
    for (uint32_t turn = 0; turn < turns; ++turn)
      for (uint32_t r = 0; r < n; r += h)
        for (uint32_t c = 0; c < n; c += w) {{
          tile_regs_acquire();
          for (uint32_t i = 0; i < h; ++i)
            for (uint32_t j = 0; j < w; ++j) {call}
          tile_regs_commit();
          tile_regs_wait();
          for (uint32_t i = 0; i < h; ++i)
            for (uint32_t j = 0; j < w; ++j) pack_tile<true>(i * w + j, OUT, {place});
          tile_regs_release();
        }}
  }}
  cb_pop_front(IN, n * n);
  cb_push_back(OUT, n * n);
}}
"""
    )


_BLOCKS = """
      for (uint32_t r = 0; r < 8; r += h)
        for (uint32_t c = 0; c < 8; c += w) {
          tile_regs_acquire();
          @work@
          tile_regs_commit();
          tile_regs_wait();
          for (uint32_t i = 0; i < h; ++i)
            for (uint32_t j = 0; j < w; ++j) pack_tile<true>(i * w + j, OUT, (r + i) * 8 + c + j);
          tile_regs_release();
        }
"""


def product(how: str) -> str:
    """C = A B with C of 8 x 8 tiles (MB5.C): all of K in registers, or step by step onto what is in L1."""
    if how == "reg":
        work = (
            "for (uint32_t k = 0; k < kt; ++k) matmul_block(IN, OTHER, k * 8 + r, k * 8 + c, 0, 0, w, h, 1);"
        )
        body = f"""
    cb_wait_front(IN, 8 * kt);
    cb_wait_front(OTHER, 8 * kt);
    {_BLOCKS.replace("@work@", work)}
    cb_pop_front(IN, 8 * kt);
    cb_pop_front(OTHER, 8 * kt);"""
    else:
        work = "matmul_block(IN, OTHER, r, c, 0, 0, w, h, 1);"
        body = f"""
    for (uint32_t k = 0; k < kt; ++k) {{
      pack_reconfig_l1_acc(k > 0);
      cb_wait_front(IN, 8);
      cb_wait_front(OTHER, 8);
      {_BLOCKS.replace("@work@", work)}
      cb_pop_front(IN, 8);
      cb_pop_front(OTHER, 8);
    }}"""
    return (
        _HEAD
        + f"""
void kernel_main() {{
  const uint32_t kt = arg(0), h = arg(1), w = arg(2);
  compute_kernel_hw_startup<SrcOrder::Reverse>(IN, OTHER, OUT);
  matmul_block_init(IN, OTHER, 0, w, h, 1);
  pack_reconfig_l1_acc(0);
  cb_reserve_back(OUT, 64);
  {{
    DeviceZoneScopedN("zone");{body}
  }}
  pack_reconfig_l1_acc(0);
  cb_push_back(OUT, 64);
}}
"""
    )


SCALED = (
    _HEAD
    + """
void kernel_main() {
  const uint32_t kt = arg(0), h = arg(1), w = arg(2);
  compute_kernel_hw_startup<SrcOrder::Reverse>(IN, OTHER, OUT);
  matmul_block_init(IN, OTHER, 0, w, h, kt);
  cb_wait_front(IN, 8 * kt);
  cb_wait_front(OTHER, 8 * kt);
  cb_wait_front(SCALE, 64);
  cb_wait_front(ACC, 64);
  cb_reserve_back(OUT, 64);
  {
    DeviceZoneScopedN("zone");"""
    + _BLOCKS.replace(
        "@work@",
        """mul_init(SCALE, ACC);
          for (uint32_t i = 0; i < h; ++i)
            for (uint32_t j = 0; j < w; ++j) mul_tiles(SCALE, ACC, (r + i) * 8 + c + j, (r + i) * 8 + c + j, i * w + j);
          matmul_block_init(IN, OTHER, 0, w, h, kt);
          for (uint32_t k = 0; k < kt; ++k) matmul_block(IN, OTHER, r * kt + k, k * 8 + c, 0, 0, w, h, kt);""",
    )
    + """
  }
  cb_pop_front(IN, 8 * kt);
  cb_pop_front(OTHER, 8 * kt);
  cb_pop_front(SCALE, 64);
  cb_pop_front(ACC, 64);
  cb_push_back(OUT, 64);
}
"""
)
