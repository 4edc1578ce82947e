"""Kernels that break a rule of the hardware: each is stopped where it does, with the rule's own code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from emu.harness import OUT, compute, move, tensor_of
from ttl.diag import ProgramError
from ttl.emu import (
    CircularBuffer,
    Kernel,
    Program,
    Semaphore,
    memory_of,
    rectangle,
    run_program,
)
from ttl.emu.memory import ChipMemory

PAGE = "noc_async_read_page(0, from, get_write_ptr(0)); "
FROM = "constexpr auto in = TensorAccessorArgs<0>(); const auto from = TensorAccessor(in, get_common_arg_val<uint32_t>(0), 2048);\n"


def moving(body: str, **options: Any) -> str:
    """What is said about a data movement kernel with a tensor ``from`` and a buffer 0 of four pages."""
    memory = memory_of()
    source = memory.place(tensor_of(np.ones((128, 32), np.float32)))
    with pytest.raises(ProgramError) as caught:
        move(FROM + body, memory, compile_time_args=source.accessor, common_args=(source.address,), **options)
    return str(caught.value)


MOVING = [
    # circular buffers
    ("cb_push_back(0, 1);", "TTL1506", "pushes 1 page of circular buffer 0, of which it has reserved 0"),
    ("cb_pop_front(0, 1);", "TTL1506", "pops 1 page of circular buffer 0, of which it has waited for 0"),
    ("cb_reserve_back(0, 1); cb_push_back(0, 2);", "TTL1506", "pushes 2 pages of circular buffer 0"),
    ("cb_reserve_back(0, 5);", "TTL1506", "reserves 5 pages of circular buffer 0, which has 4"),
    ("cb_wait_front(0, 5);", "TTL1506", "waits for 5 pages of circular buffer 0, which has 4"),
    (
        "for (int i = 0; i < 2; ++i) { cb_reserve_back(0, 3); cb_push_back(0, 3); cb_wait_front(0, 3); cb_pop_front(0, 3); }",
        "TTL1506",
        "takes 3 pages across the end of circular buffer 0",
    ),
    ("cb_reserve_back(3, 1);", "TTL1503", "uses circular buffer 3"),
    ("get_arg_val<uint32_t>(0);", "TTL1503", "reads run-time argument 0, and has 0 arguments"),
    ("ASSERT(get_common_arg_val<uint32_t>(0) == 1);", "TTL1503", "an assertion failed"),
    # pages
    ("cb_reserve_back(0, 1); cb_push_back(0, 1);", "TTL1508", "that were not popped"),
    (
        f"cb_reserve_back(0, 1); {PAGE} noc_async_read_barrier(); cb_push_back(0, 1); cb_wait_front(0, 1); cb_pop_front(0, 1);",
        "TTL1508",
        "pops 1 page of circular buffer 0 that were not read",
    ),
    # memory of pages
    (
        "cb_reserve_back(0, 1); noc_async_read_page(0, from, get_write_ptr(0) + 2048); noc_async_read_barrier();",
        "TTL1507",
        "reads into page 1 of circular buffer 0",
    ),
    (
        f"{PAGE} noc_async_read_barrier(); cb_reserve_back(0, 1);",
        "TTL1507",
        "reads into page 0 of circular buffer 0",
    ),
    (
        "cb_reserve_back(0, 1); cb_push_back(0, 1); noc_async_write_page(0, from, get_read_ptr(0)); noc_async_write_barrier();",
        "TTL1507",
        "sends page 0 of circular buffer 0",
    ),
    (
        "cb_reserve_back(0, 1); ((volatile uint32_t*)get_write_ptr(0))[512] = 1;",
        "TTL1507",
        "stores to page 1 of circular buffer 0",
    ),
    (
        "cb_reserve_back(0, 1); cb_push_back(0, 1); cb_wait_front(0, 1);\nASSERT(((volatile uint32_t*)get_read_ptr(0))[512] == 1);",
        "TTL1507",
        "loads from page 1 of circular buffer 0",
    ),
    ("*(volatile uint32_t*)(get_write_ptr(0) + (1 << 21)) = 1;", "TTL1507", "uses memory of core (1, 0)"),
    # barriers
    (f"cb_reserve_back(0, 1); {PAGE} cb_push_back(0, 1);", "TTL1509", "into which a read is still under way"),
    (
        "cb_reserve_back(0, 1); cb_push_back(0, 1); cb_wait_front(0, 1); noc_async_write_page(0, from, get_read_ptr(0)); cb_pop_front(0, 1);",
        "TTL1509",
        "from which a write is still under way",
    ),
    (
        f"cb_reserve_back(0, 1); {PAGE}\nASSERT(*(volatile uint32_t*)get_write_ptr(0) == 1);",
        "TTL1509",
        "loads from",
    ),
    (
        f"cb_reserve_back(0, 1); {PAGE}\n*(volatile uint16_t*)(get_write_ptr(0) + 2046) = 1;",
        "TTL1509",
        "stores to",
    ),
    # ends
    (f"cb_reserve_back(0, 1); {PAGE}", "TTL1510", "ends while 1 read of it is under way"),
    (
        "cb_reserve_back(0, 1); noc_async_write_page(0, from, get_write_ptr(0));",
        "TTL1510",
        "ends before 1 write",
    ),
    (
        "cb_reserve_back(0, 1); noc_async_write_page(0, from, get_write_ptr(0)); noc_async_writes_flushed();",
        "TTL1510",
        "ends before its writes must have arrived",
    ),
    (
        "noc_semaphore_inc(get_noc_addr(18, 18, get_semaphore(0)), 1);",
        "TTL1510",
        "increments of semaphores",
    ),
    (
        "noc_semaphore_set_remote(get_semaphore(0), get_noc_addr(19, 18, get_semaphore(0)));",
        "TTL1510",
        "ends before 1 write",
    ),
    # addresses
    (
        "cb_reserve_back(0, 1); noc_async_read(from.get_noc_addr(0) + 16, get_write_ptr(0), 32); noc_async_read_barrier();",
        "TTL1515",
        "differ modulo 32",
    ),
    (
        "cb_reserve_back(0, 1); noc_async_write(get_write_ptr(0) + 8, from.get_noc_addr(0), 32); noc_async_write_barrier();",
        "TTL1515",
        "differ modulo 16",
    ),
    (
        "noc_async_read(get_noc_addr(0, 0, 0) | 1ull << 35, get_write_ptr(0), 32);",
        "TTL1516",
        "of DRAM bank 0",
    ),
    (
        "noc_async_read(get_noc_addr(40, 40, 0), get_write_ptr(0), 32);",
        "TTL1516",
        "addresses (40, 40) in the network",
    ),
    (
        "noc_async_read(get_noc_addr(18, 18, 0x16E000), get_write_ptr(0), 32);",
        "TTL1516",
        "of the L1 at (18, 18)",
    ),
    (
        "noc_semaphore_inc(get_noc_addr(0, 0, 0), 1);",
        "TTL1516",
        "a semaphore in DRAM",
    ),
    (
        "cb_reserve_back(0, 1); noc_async_write_multicast(get_write_ptr(0), get_noc_multicast_addr(19, 18, 20, 18, 0x80000), 32, 1);",
        "TTL1516",
        "sends to 1 receiver, and the rectangle has 2",
    ),
    (
        "cb_reserve_back(0, 1); noc_async_write_multicast(get_write_ptr(0), get_noc_multicast_addr(20, 18, 19, 18, 0x80000), 32, 2);",
        "TTL1516",
        "corners are in the wrong order for NoC 0",
    ),
]


@pytest.mark.parametrize(("body", "code", "text"), MOVING)
def test_a_kernel_that_moves_data_is_stopped_where_it_breaks_a_rule(body: str, code: str, text: str) -> None:
    said = moving("\n" * 3 + body)
    assert f"error[{code}]: kernel mover " in said
    assert text in said.splitlines()[0]
    line = 8 if "\n" in body else 7
    assert f"at mover.cpp:{line}, on core (0, 0), ncrisc, cycle" in said


def computing(body: str, **options: Any) -> str:
    with pytest.raises(ProgramError) as caught:
        compute("0.81", f"\n{body}", [np.ones((32, 64), np.float32)] * 2, **options)
    return str(caught.value)


START = f"compute_kernel_hw_startup(0, 1, {OUT}); cb_wait_front(0, 2); cb_wait_front(1, 2); "
SUM = "tile_regs_acquire(); add_tiles(0, 1, 0, 0, 0); tile_regs_commit(); "
PACK = f"cb_reserve_back({OUT}, 1); tile_regs_wait(); pack_tile(0, {OUT}); tile_regs_release(); cb_push_back({OUT}, 1);"
GOOD = START + "add_init(0, 1); " + SUM + PACK
COMPUTING = [
    (GOOD.replace("cb_wait_front(1, 2); ", ""), "TTL1506", "computes with tile 0 of circular buffer 1"),
    (
        GOOD.replace("0, 0, 0)", "0, 2, 0)"),
        "TTL1506",
        "tile 2 of circular buffer 1, and has waited for 2 pages",
    ),
    (GOOD.replace(f"cb_reserve_back({OUT}, 1); ", ""), "TTL1506", "packs tile 0 of circular buffer 16"),
    (
        GOOD.replace(f"pack_tile(0, {OUT}); ", ""),
        "TTL1508",
        "pushes page 0 of circular buffer 16, into which nothing was packed",
    ),
    (
        GOOD.replace("tile_regs_acquire(); ", ""),
        "TTL1511",
        "computes in DST, which it has not acquired",
    ),
    (GOOD.replace("tile_regs_commit(); ", ""), "TTL1511", "ends with DST acquired"),
    (GOOD.replace("tile_regs_wait(); ", ""), "TTL1511", "packs from DST, which it has not waited for"),
    (GOOD.replace("tile_regs_release(); ", ""), "TTL1511", "ends without releasing DST"),
    (
        GOOD.replace("tile_regs_acquire(); ", "tile_regs_acquire(); tile_regs_acquire(); "),
        "TTL1511",
        "acquires DST twice",
    ),
    (START + "tile_regs_commit();", "TTL1511", "commits DST, which it has not acquired"),
    (START + "tile_regs_release();", "TTL1511", "releases DST, which it has not waited for"),
    (
        START + "add_init(0, 1); " + SUM + SUM + "tile_regs_wait(); tile_regs_wait();",
        "TTL1511",
        "waits for DST twice",
    ),
    (START + "add_init(0, 1); " + SUM, "TTL1511", "results in DST that were not packed"),
    (
        GOOD.replace(f"pack_tile(0, {OUT})", f"pack_tile(1, {OUT})"),
        "TTL1511",
        "packs tile 1 of DST, into which nothing was computed",
    ),
    (
        GOOD.replace("0, 0, 0)", "0, 0, 8)"),
        "TTL1512",
        "uses tile 8 of DST, which has 8 tiles of 16 bits here",
    ),
    (GOOD.replace(f"compute_kernel_hw_startup(0, 1, {OUT}); ", ""), "TTL1513", "before they are started"),
    (
        GOOD.replace("add_init(0, 1); ", ""),
        "TTL1513",
        "needs the matrix unit set up for add of two tiles, and it was last set up for nothing",
    ),
    (
        GOOD.replace("add_init", "mul_init"),
        "TTL1513",
        "it was last set up for mul of two tiles",
    ),
    (
        GOOD.replace("add_tiles(0, 1, 0, 0, 0);", "add_tiles(0, 1, 0, 0, 0); exp_tile(0);"),
        "TTL1513",
        "calls exp_tile, and the vector unit was last set up by nothing",
    ),
    (
        GOOD.replace(
            "add_tiles(0, 1, 0, 0, 0);", "add_tiles(0, 1, 0, 0, 0); recip_tile_init(); exp_tile(0);"
        ),
        "TTL1513",
        "calls exp_tile, and the vector unit was last set up by recip_tile_init",
    ),
]


@pytest.mark.parametrize(("body", "code", "text"), COMPUTING)
def test_a_compute_kernel_is_stopped_where_it_breaks_a_rule(body: str, code: str, text: str) -> None:
    said = computing(body)
    assert f"error[{code}]: kernel compute " in said
    assert text in said.splitlines()[0]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            GOOD,
            "unpacks circular buffer 1, of float32, into source register B, which is set up for bfloat16",
        ),
        (
            GOOD.replace(f"(0, 1, {OUT})", f"(0, 1, {OUT}); reconfig_data_format_srcb(1)").replace(
                f"(0, 1, {OUT})", "(0, 0, 1)"
            ),
            "packs into circular buffer 16, of bfloat16, and the packer is set up for float32",
        ),
    ],
)
def test_units_have_to_be_set_up_for_the_element_types_of_buffers(body: str, text: str) -> None:
    if text.startswith("unpacks"):
        body = body.replace(f"(0, 1, {OUT})", f"(0, 0, {OUT})")
    said = computing(body, dtypes=("bfloat16", "float32"))
    assert "error[TTL1514]" in said and text in said.splitlines()[0]


def _two(send: str, receive: str) -> Program:
    cores = rectangle(2, 1)
    options: dict[str, Any] = {"processor": "brisc", "noc": 0}
    head = '#include "api/dataflow/dataflow_api.h"\nvoid kernel_main() {\n'
    return Program(
        generation="0.81",
        kernels=(
            Kernel(name="send", source=f"{head}{send}\n}}\n", cores=cores[:1], **options),
            Kernel(name="receive", source=f"{head}{receive}\n}}\n", cores=cores[1:], **options),
        ),
        circular_buffers=(
            CircularBuffer(index=0, pages=2, page_bytes=2048, dtype="bfloat16", cores=cores, name="pages"),
        ),
        semaphores=(Semaphore(id=0, cores=cores, name="ready"),),
    )


SEND = """cb_reserve_back(0, 1);
noc_semaphore_wait((volatile uint32_t*)get_semaphore(0), 1);
noc_async_write(get_write_ptr(0), get_noc_addr(19, 18, get_write_ptr(0)), 2048);
noc_async_write_barrier();"""


def test_what_is_sent_before_the_receiver_has_reserved_a_page_is_found_when_it_does() -> None:
    send = SEND.replace("noc_semaphore_wait((volatile uint32_t*)get_semaphore(0), 1);", "")
    with pytest.raises(ProgramError, match="TTL1507") as caught:
        run_program(
            _two(send, "ttl_emu_spend(9000, ttl_emu::Place::here()); cb_reserve_back(0, 1);"), memory_of()
        )
    said = str(caught.value)
    assert "kernel send writes to page 0 of pages on core (1, 0), which is not reserved there" in said
    assert "at send.cpp:5" in said


def test_a_deadlock_is_told_as_the_simulator_tells_it() -> None:
    with pytest.raises(ProgramError) as caught:
        run_program(
            _two(SEND, "cb_reserve_back(0, 2);\ncb_push_back(0, 2);\ncb_reserve_back(0, 1);"), memory_of()
        )
    said = str(caught.value)
    assert "error[TTL1504]: kernels wait forever" in said
    assert "on node (0, 0):" in said and "on node (1, 0):" in said
    assert "send (brisc) waits until semaphore ready is 1 at send.cpp:4, where it is 0" in said
    assert "receive (brisc) waits to reserve pages, 1 page of it at receive.cpp:5" in said
    assert "pages: 2 of 2 pages full; 2 pushed, 0 popped" in said
    assert "send needs semaphore ready to be 1: it is 0" in said


def test_kernels_that_wait_for_each_other_are_a_circle() -> None:
    head = '#include "api/dataflow/dataflow_api.h"\nvoid kernel_main() {\n'
    core = rectangle(1, 1)

    def kernel(name: str, processor: Any, first: int, second: int) -> Kernel:
        body = (
            f"cb_reserve_back({first}, 1); cb_push_back({first}, 1);\ncb_wait_front({second}, 1); cb_pop_front({second}, 1);\n"
            f"cb_wait_front({second}, 1);\ncb_reserve_back({first}, 1); cb_push_back({first}, 1);"
        )
        return Kernel(name=name, source=f"{head}{body}\n}}\n", processor=processor, cores=core)

    program = Program(
        generation="0.81",
        kernels=(kernel("one", "brisc", 0, 1), kernel("two", "ncrisc", 1, 0)),
        circular_buffers=tuple(
            CircularBuffer(index=index, pages=2, page_bytes=2048, dtype="bfloat16", cores=core, name=name)
            for index, name in enumerate(("there", "back"))
        ),
    )
    with pytest.raises(ProgramError) as caught:
        run_program(program, memory_of())
    said = str(caught.value)
    assert "deadlock: one and two wait for each other" in said
    assert "one waits for back, filled by two" in said and "two waits for there, filled by one" in said
    assert "one needs 1 more page of back to be pushed: 0 of 1 are there" in said


def test_memory_is_what_a_kernel_makes_of_it_until_it_reserves_a_page() -> None:
    """Buffers are also memory without pages: of what others send, and for working."""
    move("*(volatile uint32_t*)get_write_ptr(0) = 1;", ChipMemory(memory_of().chip))


def test_a_deadlock_says_whether_more_would_do() -> None:
    with pytest.raises(ProgramError) as caught:
        move(
            "auto semaphore = (volatile uint32_t*)get_semaphore(3); noc_semaphore_set(semaphore, 0); "
            "noc_semaphore_wait_min(semaphore, 2);",
            memory_of(),
        )
    assert "mover (ncrisc) waits until semaphore 3 is at least 2" in str(caught.value)
