"""Small programs for one thing each: a transfer, the memory of the whole chip, a tile function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from ttl.arch import chip_named
from ttl.emu import CircularBuffer, Kernel, Program, Run, memory_of, rectangle, run_program
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import BFLOAT16

Core = tuple[int, int]
# Memory of a node that is of no circular buffer.
_INCLUDE = '#include "api/dataflow/dataflow_api.h"\n#define L1 (600 * 1024)\n'


def tensor(tiles: int) -> Tensor:
    """A tensor of one row of tiles."""
    import ttnn

    made: Tensor = ttnn.Tensor(np.zeros((32, 32 * tiles), np.float32), BFLOAT16, layout=ttnn.TILE_LAYOUT)
    return made


def _after_launch(run: Run, chip: str) -> int:
    return run.cycles - chip_named(chip).costs.before_reads


def transfer(
    chip: str,
    size: int,
    *,
    kind: Literal["read", "write"],
    place: Literal["across", "axis", "dram"],
    noc: Literal[0, 1] = 0,
    count: int = 1,
) -> int:
    """Cycles of transfers to another node, on neither or on one of its axes, or to a bank, and a barrier."""
    memory = memory_of(chip_named(chip))
    if place == "dram":
        address = "get_noc_addr_from_bank_id<true>(3, 1 << 20)"
    else:
        x, y = memory.chip.node(*((4, 4) if place == "across" else (0, 4)))
        address = f"get_noc_addr({x}, {y}, L1)"
    one = (
        f"noc_async_read(address, L1, {size});"
        if kind == "read"
        else f"noc_async_write(L1, address, {size});"
    )
    body = f"""{_INCLUDE}void kernel_main() {{
  const uint64_t address = {address};
  for (uint32_t i = 0; i < {count}; ++i) {one}
  noc_async_{kind}_barrier();
}}"""
    kernel = Kernel(name="mover", source=body, processor="ncrisc", noc=noc, cores=((0, 0),))
    other = Kernel(
        name="other", source=_INCLUDE + "void kernel_main() {}", processor="ncrisc", cores=((4, 4), (0, 4))
    )
    run = run_program(_program((kernel, other), pages=1), memory)
    return _after_launch(run, chip) - (chip_named(chip).costs.address.value if place == "dram" else 0)


def bandwidth(
    chip: str,
    *,
    kind: Literal["read", "write"],
    noc: Literal[0, 1],
    cores: Sequence[Core] | None = None,
    tiles: int = 96,
    batch: int = 8,
) -> float:
    """Bytes per cycle when every node reads, or writes, tiles of an interleaved tensor, in batches."""
    cores = tuple(cores or rectangle(8, 8))
    memory = memory_of(chip_named(chip))
    placed = memory.place(tensor(tiles * len(cores)))
    access = (
        "noc_async_read_page(page, at, L1 + (i % BATCH) * 2048);"
        if kind == "read"
        else "noc_async_write_page(page, at, L1 + (i % BATCH) * 2048);"
    )
    body = f"""{_INCLUDE}#define BATCH {batch}
void kernel_main() {{
  constexpr auto args = TensorAccessorArgs<0>();
  const auto at = TensorAccessor(args, get_common_arg_val<uint32_t>(0), 2048);
  const uint32_t first = get_arg_val<uint32_t>(0);
  for (uint32_t i = 0; i < {tiles}; ++i) {{
    const uint32_t page = (first + i * 7919) % {tiles * len(cores)};
    {access}
    if (i % BATCH == BATCH - 1) noc_async_{kind}_barrier();
  }}
  noc_async_{kind}_barrier();
}}"""
    kernel = Kernel(
        name="mover",
        source=body,
        processor="ncrisc",
        noc=noc,
        cores=cores,
        compile_time_args=placed.accessor,
        common_args=(placed.address,),
        args={core: (number * tiles,) for number, core in enumerate(cores)},
    )
    run = run_program(_program((kernel,), pages=1, cores=cores), memory)
    return len(cores) * tiles * 2048 / _after_launch(run, chip)


def interleaved(chip: str, tiles: int) -> int:
    """Cycles of one node that reads so many tiles from all banks, with one barrier at the end."""
    rate = bandwidth(chip, kind="read", noc=0, cores=((0, 0),), tiles=tiles, batch=tiles)
    return round(tiles * 2048 / rate)


def tile_function(
    chip: str, setup: str, call: str, *, fidelity: Any = "HiFi4", tiles: int = 64, **options: Any
) -> float:
    """Cycles of a tile function, again and again on the same operands, results left in DST."""

    def cycles(turns: int) -> int:
        body = f"""
#include "api/compute/eltwise_binary.h"
#include "api/compute/matmul.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/compute_kernel_hw_startup.h"
void kernel_main() {{
  compute_kernel_hw_startup(0, 1, 16);
  cb_wait_front(0, 1); cb_wait_front(1, 1);
  {setup}
  for (uint32_t turn = 0; turn < {turns}; ++turn) {{
    tile_regs_acquire();
    for (uint32_t d = 0; d < 8; ++d) {call}
    tile_regs_commit();
    tile_regs_wait();
    tile_regs_release();
  }}
  cb_pop_front(0, 1); cb_pop_front(1, 1);
}}"""
        core = ((0, 0),)
        fill = f"""{_INCLUDE}void kernel_main() {{
  for (uint32_t index = 0; index < 2; ++index) {{ cb_reserve_back(index, 1); cb_push_back(index, 1); }}
}}"""
        kernels = (
            Kernel(name="fill", source=fill, processor="ncrisc", cores=core),
            Kernel(
                name="compute", source=body, processor="compute", cores=core, fidelity=fidelity, **options
            ),
        )
        return run_program(_program(kernels, pages=1), memory_of(chip_named(chip))).cycles

    few, many = 2, 2 + tiles // 8
    return (cycles(many) - cycles(few)) / tiles


def _program(
    kernels: tuple[Kernel, ...], pages: int, cores: tuple[Core, ...] = ((0, 0), (4, 4), (0, 4))
) -> Program:
    return Program(
        generation="0.81",
        kernels=kernels,
        circular_buffers=tuple(
            CircularBuffer(index=index, pages=pages, page_bytes=2048, dtype="bfloat16", cores=cores)
            for index in (0, 1, 16)
        ),
    )
