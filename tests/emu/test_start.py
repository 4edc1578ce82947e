"""What a program finds when it begins: what the program before it left, cleared memory, or garbage."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from emu.harness import OUT, compute, move
from ttl import settings
from ttl.diag import ProgramError
from ttl.emu import CircularBuffer, Kernel, Program, memory_of, run_program
from ttl.rows.dtypes import BFLOAT16

_LEAVES = """
cb_reserve_back(0, 4);
volatile tt_l1_ptr uint32_t* pages = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
for (uint32_t i = 0; i < 4096; i += 1024) pages[i] = 7;
cb_push_back(0, 4);
cb_wait_front(0, 4);
for (uint32_t i = 0; i < 4096; i += 1024) (void)pages[i];
cb_pop_front(0, 4);
*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0) + 0x80000) = 8;
*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(3)) = 9;
"""
_LOOKS = """
const uint32_t places[] = {get_write_ptr(0) + 4096, get_write_ptr(0) + 12288, get_write_ptr(0) + 0x80000, get_semaphore(3),
                           MEM_ZEROS_BASE + get_semaphore(0) - get_semaphore(0) % (1 << 21)};
for (uint32_t place : places) DPRINT("{} ", *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(place));
volatile uint32_t local[64];
DPRINT("{}", local[5] == 0);
"""


def ran(body: str, pages: int) -> str:
    source = f'#include "api/dataflow/dataflow_api.h"\n#include "api/debug/dprint.h"\nvoid kernel_main() {{\n{body}\n}}\n'
    kernel = Kernel(name="kernel", source=source, processor="ncrisc", cores=((0, 0),))
    buffer = CircularBuffer(index=0, pages=pages, page_bytes=4096, dtype="float32", cores=((0, 0),))
    program = Program(generation="0.81", kernels=(kernel,), circular_buffers=(buffer,))
    return run_program(program, memory_of()).printed


def after(**options: Any) -> list[int]:
    """Two pages that another program had, memory outside of them, a semaphore, zeros of the firmware, and a variable."""
    ran(_LEAVES, 4)
    with settings.override(**options):
        text = ran(_LOOKS, 1)
    return [int(number) for number in re.findall(r"\d+", text.partition("NC:")[2])]


def test_memory_is_as_the_program_before_left_it() -> None:
    """Pages of buffers that this program does not have, memory outside of them, semaphores it does not declare."""
    assert after()[:5] == [7, 7, 8, 9, 0]


def test_memory_is_cleared_where_that_is_asked_for() -> None:
    assert after(emu_clear=True)[:5] == [0, 0, 0, 0, 0]


def test_garbage_depends_on_its_number_only() -> None:
    """Of what a program may rely on, the zeros of the firmware are left."""
    first, again, other = after(emu_hostile=1), after(emu_hostile=1), after(emu_hostile=2)
    assert first == again != other
    assert not {0, 7, 8, 9} & set(first[:4])
    assert first[4] == 0
    assert first[5] == 0, "a local variable that nothing set is no zero"


_COPY = (
    f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); copy_init(0); tile_regs_acquire(); copy_tile(0, 0, 0);"
    f"tile_regs_commit(); cb_reserve_back({OUT}, 1); tile_regs_wait(); pack_tile(0, {OUT}); tile_regs_release(); cb_push_back({OUT}, 1);"
)


@pytest.mark.parametrize("hostile", [None, 3])
def test_starting_the_units_takes_back_what_was_asked_of_the_packer(hostile: int | None) -> None:
    """A rectifier, accumulation in L1 and the mask of a reduction that an earlier program forgot there."""
    tile = np.random.default_rng(5).standard_normal((32, 32)).astype(np.float32)
    leaves = _COPY + "pack_reconfig_l1_acc(1); llk_pack_relu_config(ReluType::ZERO_RELU);"
    compute("0.81", leaves, [tile])
    with settings.override(emu_hostile=hostile):
        found = compute("0.81", _COPY, [tile])
    np.testing.assert_array_equal(found, BFLOAT16.load(BFLOAT16.store(tile)))


@pytest.mark.parametrize(
    "body",
    [
        "*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0) + 256) = 1;",
        "cb_reserve_back(0, 1); noc_async_write(get_write_ptr(0), get_noc_addr(19, 18, MEM_ZEROS_BASE), 64);",
    ],
)
def test_memory_of_the_firmware_is_not_written_to(body: str) -> None:
    with pytest.raises(ProgramError, match="belong to the firmware"):
        move(body, memory_of())
