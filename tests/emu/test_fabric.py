"""Several emulated chips in one run: packets over links, by kernels that were written by hand for the real interface."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch
import ttnn

import ttl.emu.system
from emu.fabric_programs import Chips, Part, text_of
from support.kernel_check import Generation, check, needs_compiler
from ttl import settings
from ttl.arch import chip_named
from ttl.diag import DeadlockError, ProgramError
from ttl.emu import profile_json, profile_text
from ttl.emu.chip import last
from ttl.emu.launch import ChipRun
from ttl.emu.profile import profile
from ttl.sim.diaries import LINK

# Each page of ``a`` goes to the same page of ``b`` of device w(0), with a count; the kernel waits for as many as come to it.
SEND = """
    auto header = PacketHeaderPool::allocate_header();
    to0.open();
    for (uint32_t i = 0; i < w(1); ++i) {
      cb_reserve_back(0, 1);
      noc_async_read_page(i, a, get_write_ptr(0));
      noc_async_read_barrier();
      fabric_unicast_noc_fused_unicast_with_atomic_inc(&to0, header, w(0), 0, get_write_ptr(0), 2048, Both(b.get_noc_addr(i), here(done), 1));
      noc_async_writes_flushed();
      cb_push_back(0, 1);
      cb_wait_front(0, 1);
      cb_pop_front(0, 1);
    }
    to0.close();
"""
RECEIVE = """
    auto counter = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(done);
    noc_semaphore_wait_min(counter, w(1));
    noc_semaphore_set(counter, 0);
"""


def around(chips: Chips, body: str = SEND + RECEIVE) -> list[Part]:
    """Each device of a row sends to the next one, the last to the first."""
    devices = chips.devices()
    return [
        Part(device=one, to=(next_one,), body=body, words=(chips.chip(next_one), chips.pages))
        for one, next_one in zip(devices, (*devices[1:], devices[0]), strict=True)
    ]


@pytest.mark.parametrize("shape", [(1, 2), (1, 4), (2, 2)])
def test_every_chip_sends_to_the_next_one(shape: tuple[int, int]) -> None:
    chips = Chips(shape)
    got = chips.launch(*around(chips))
    part = chips.pages * 32
    assert torch.equal(got, torch.cat([chips.values[-part:], chips.values[:-part]]))
    assert not chips.counter.values.any()


def test_all_pairs_of_a_mesh() -> None:
    """Each of eight chips sends page i to chip i; the last page of ``b`` stays as it is where a chip would send to itself."""
    chips = Chips((2, 4), pages=8)
    devices = chips.devices()
    body = """
    auto header = PacketHeaderPool::allocate_header();
    const auto send = [&](auto &to, uint32_t target) {
      noc_async_read_page(target, a, get_write_ptr(0));
      noc_async_read_barrier();
      fabric_unicast_noc_fused_unicast_with_atomic_inc(&to, header, target, 0, get_write_ptr(0), 2048, Both(b.get_noc_addr(w(8)), here(done), 1));
      noc_async_writes_flushed();
    };
    cb_reserve_back(0, 1);
    """
    parts = []
    for device in devices:
        system_way = [chips.first_hop(device, other) for other in devices if other != device]
        ways = list(dict.fromkeys(system_way))
        sends = "".join(f"to{n}.open();" for n in range(len(ways)))
        for other in devices:
            if other != device:
                sends += f"send(to{ways.index(chips.first_hop(device, other))}, {chips.chip(other)});"
        sends += "".join(f"to{n}.close();" for n in range(len(ways)))
        sends += "cb_push_back(0, 1); cb_wait_front(0, 1); cb_pop_front(0, 1);"
        sends += "noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t *>(done), 7);"
        words = (*range(8), chips.chip(device))
        parts.append(Part(device=device, to=tuple(ways), body=body + sends, words=words))
    got = chips.launch(*parts).reshape(8, 8, 32, 32)
    values = chips.values.reshape(8, 8, 32, 32)
    for to in range(8):
        for source in range(8):
            want = values[source, to] if source != to else torch.zeros(32, 32)
            assert torch.equal(got[to, source], want), (source, to)


def test_cycles_and_results_are_the_same_each_time() -> None:
    runs = []
    for _ in range(2):
        chips = Chips((2, 2), pages=6)
        chips.launch(*around(chips), recorded=True)
        record = chips.runs[0].record
        assert record is not None
        runs.append(
            (chips.runs[0].cycles, chips.runs[0].fibers, record.hops.tobytes(), record.packets.tobytes())
        )
    assert runs[0] == runs[1]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_results_do_not_depend_on_delays(seed: int) -> None:
    chips = Chips((1, 3))
    with settings.override(emu_seed=seed, emu_hostile=seed):
        got = chips.launch(*around(chips))
    assert torch.equal(got, torch.cat([chips.values[-128:], chips.values[:-128]]))


# Every function that the headers of the emulated chip have, as a kernel calls it.
EVERYTHING = """
    auto header = PacketHeaderPool::allocate_header();
    to0.open();
    while (!to0.edm_has_space_for_packet()) {
    }
    fabric_set_unicast_route(header, w(0), 0);
    header->to_noc_unicast_write(Write{b.get_noc_addr(0)}, 2048);
    to0.wait_for_empty_write_slot();
    to0.send_payload_without_header_non_blocking_from_address(600000, 2048);
    to0.send_payload_flush_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(PACKET_HEADER_TYPE));
    fabric_unicast_noc_unicast_inline_write(&to0, header, w(0), 0, NocUnicastInlineWriteCommandHeader{here(done), 7});
    noc_async_writes_flushed();
    fabric_unicast_noc_unicast_atomic_inc(&to0, header, w(0), 0, Add(here(done), 1));
    noc_async_writes_flushed();
    to0.close();
"""


@needs_compiler
@pytest.mark.headers
@pytest.mark.parametrize("generation", ["0.69", "0.81"])
@pytest.mark.parametrize("body", [SEND + RECEIVE, EVERYTHING], ids=["sends", "everything"])
def test_the_real_headers_take_these_kernels(body: str, generation: Generation) -> None:
    assert check(generation, "datamovement", text_of(body, 1), ("KERNEL_COMPILE_TIME_ARGS=2u,2048u",)) is None


def test_every_function_does_what_it_says() -> None:
    """A page, a word that is 7 afterwards, and one more."""
    chips = Chips((1, 2), pages=1)
    took = "noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t *>(done), 8);"
    read = "noc_async_read_page(0, a, 600000); noc_async_read_barrier();"
    got = chips.launch(
        Part(device=(0, 0), to=((0, 1),), body=read + EVERYTHING, words=(1,)), Part(device=(0, 1), body=took)
    )
    assert torch.equal(got[32:], chips.values[:32])
    assert chips.counter.values[:, 0].tolist() == [0, 8]


# --- links take time


STREAM = """
    auto header = PacketHeaderPool::allocate_header();
    cb_reserve_back(0, 4);
    to0.open();
    for (uint32_t i = 0; i < w(1); ++i) {
      fabric_unicast_noc_unicast_write(&to0, header, w(0), 0, get_write_ptr(0), w(2), Write{w(3) ? b.get_noc_addr(0) : here(600000)});
      noc_async_writes_flushed();
    }
    to0.close();
    cb_push_back(0, 4);
    cb_wait_front(0, 4);
    cb_pop_front(0, 4);
"""


def streamed(packets: int, size: int = 4096, links: int = 1, system: str | None = None) -> ChipRun:
    """A kernel for each of some links sends packets to the next chip; without end-to-end credits."""
    with settings.override(system=system):
        chips = Chips((1, 2), pages=8)
        chips.launch(
            *(
                Part(
                    device=(0, 0), to=((0, 1),), body=STREAM, core=(core, 0), link=core, words=(1, packets, size, 0),
                )
                for core in range(links)
            ),
            recorded=True,
        )  # fmt: skip
    return chips.runs[0]


def test_a_stream_is_as_fast_as_the_link() -> None:
    """12.5 bytes a cycle of Wormhole, headers of 96 bytes included: the rest of the time is the launch and the way."""
    run = streamed(64)
    assert run.record is not None
    hops, rate = run.record.hops, 12.5
    takes = (4096 + 96) / rate
    assert set((hops["ends"] - hops["begins"]).tolist()) == {-(-4192 * 1024 // 12800)}
    assert run.cycles == pytest.approx(64 * takes, rel=0.1)
    assert int(hops["ends"][-1] - hops["begins"][0]) == pytest.approx(64 * takes, rel=0.01)
    latency = chip_named("wormhole").ethernet.hop_nanoseconds
    assert set((hops["arrives"] - hops["ends"]).tolist()) == {latency}


def test_small_packets_cost_the_router_its_own_work() -> None:
    run = streamed(64, size=16)
    assert run.record is not None
    hops = run.record.hops
    assert set((hops["ends"] - hops["begins"]).tolist()) == {chip_named("wormhole").costs.eth_packet.value}


def test_two_links_carry_twice_as_much() -> None:
    """A T3000's neighbours are joined by two links; each takes packets of one kernel."""
    one, two = (streamed(48, links=links, system="t3000") for links in (1, 2))
    assert one.record is not None and two.record is not None
    used = [work["bytes"] for work in two.record.between if work["packets"]]
    assert used == [48 * 4192] * 2
    assert two.cycles < 1.1 * one.cycles


def test_every_hop_costs_its_time() -> None:
    """A packet is stored whole at each chip on the way: two hops take twice the time of one, but for the ends."""
    found = []
    for far in (1, 2, 3):
        chips = Chips((1, 4))
        chips.launch(Part(device=(0, 0), to=((0, far),), body=STREAM, words=(far, 1, 2048, 1)), recorded=True)
        record = chips.runs[0].record
        assert record is not None
        assert len(record.hops) == far
        found.append(int(record.packets["lands"][0] - record.packets["issued"][0]))
    assert found[2] - found[1] == pytest.approx(found[1] - found[0], rel=0.05)
    assert found[1] - found[0] > chip_named("wormhole").ethernet.hop_nanoseconds


def test_a_slow_receiver_stops_the_sender() -> None:
    """Three chips send into one bank of DRAM, which takes 22 bytes a cycle and not 37.5: slots fill up, back to the kernels."""
    chips = Chips((3, 3), pages=8)
    around_the_middle = [(0, 1), (1, 0), (1, 2), (2, 1)]
    parts = [
        Part(device=one, to=((1, 1),), body=STREAM, words=(chips.chip((1, 1)), 96, 2048, 1))
        for one in around_the_middle
    ]
    chips.launch(*parts, recorded=True)
    record = chips.runs[0].record
    assert record is not None
    blocked = [int(work["blocked"]) for work in record.between if work["packets"]]
    assert len(blocked) == 4 and min(blocked) > 1000
    # The bank is what bounds it: four times 96 packets.
    assert int(record.packets["lands"].max()) > 4 * 96 * 2048 / 22
    waits = [
        sum(int((s["ends"] - s["begins"]).sum()) for s in [d.spans[d.spans["reason"] == LINK]])
        for d in record.diaries.values()
    ]
    assert min(waits) > 1000


def test_the_receivers_own_credits_stop_the_sender() -> None:
    """A receiver with two slots gives a credit back when it has taken a page: the sender is never further ahead."""
    send = """
    auto header = PacketHeaderPool::allocate_header();
    auto credits = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(done);
    cb_reserve_back(0, 4);
    to0.open();
    for (uint32_t i = 0; i < 8; ++i) {
      if (i >= 2) noc_semaphore_wait_min(credits, i - 1);
      noc_async_read_page(i, a, get_write_ptr(0));
      noc_async_read_barrier();
      fabric_unicast_noc_fused_unicast_with_atomic_inc(&to0, header, w(0), 0, get_write_ptr(0), 2048, Both(b.get_noc_addr(i), here(done), 1));
      noc_async_writes_flushed();
    }
    to0.close();
    cb_push_back(0, 4); cb_wait_front(0, 4); cb_pop_front(0, 4);
    """
    receive = """
    auto header = PacketHeaderPool::allocate_header();
    auto come = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(done);
    to0.open();
    for (uint32_t i = 0; i < 8; ++i) {
      noc_semaphore_wait_min(come, i + 1);
      for (uint32_t k = 0; k < 500; ++k) invalidate_l1_cache();
      fabric_unicast_noc_unicast_atomic_inc(&to0, header, w(0), 0, Add(here(done), 1));
      noc_async_writes_flushed();
    }
    to0.close();
    """
    chips = Chips((1, 2), pages=8)
    got = chips.launch(
        Part(device=(0, 0), to=((0, 1),), body=send, words=(1,)),
        Part(device=(0, 1), to=((0, 0),), body=receive, words=(0,)),
        recorded=True,
    )
    assert torch.equal(got[256:], chips.values[:256])
    record = chips.runs[0].record
    assert record is not None
    pages = np.sort(record.packets["issued"][record.packets["size"] > 1000])
    # 500 polls of 20 cycles between one credit and the next.
    assert int(np.diff(pages[2:]).min()) >= 500 * 20


# --- the hang


def test_a_ring_that_waits_before_it_sends() -> None:
    chips = Chips((1, 2))
    with pytest.raises(DeadlockError) as caught:
        chips.launch(*around(chips, RECEIVE + SEND))
    text = str(caught.value)
    assert "on chip (0, 0), node (0, 0):" in text and "on chip (0, 1), node (0, 0):" in text
    assert f"waits until semaphore at {chips.done:#x} of every chip is at least 4 at kernel_0.cpp:" in text
    assert "no other core has changed it" in text
    assert "connections that were built and never opened:" in text
    assert (
        "kernel_0 (brisc) on chip (0, 1), node (0, 0), link 0 from chip (0, 1) to chip (0, 0), built at kernel_0.cpp:"
        in text
    )


def test_two_exchanges_in_opposite_order() -> None:
    """Chip 0 does the first exchange and then the second, chip 1 the other way round: each waits for what the other sends later."""
    chips = Chips((1, 2))
    second = ttnn.create_global_semaphore(chips.mesh, chips.cores, 0)
    other = int(ttnn.get_global_semaphore_address(second))

    def exchange(word: int) -> str:
        return f"""
        noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t *>({word}u), w(1) ? 1 : 2);
        fabric_unicast_noc_unicast_atomic_inc(&to0, header, w(0), 0, Add(here({word}u), 1));
        noc_async_writes_flushed();
        """

    begin, end = "auto header = PacketHeaderPool::allocate_header(); to0.open();", "to0.close();"
    # Each begins by telling the other one once, so that both have changed the other's words.
    tell = "".join(
        f"fabric_unicast_noc_unicast_atomic_inc(&to0, header, w(0), 0, Add(here({word}u), 1)); noc_async_writes_flushed();"
        for word in (chips.done, other)
    )
    one, two = exchange(chips.done), exchange(other)
    with pytest.raises(DeadlockError) as caught:
        chips.launch(
            Part(device=(0, 0), to=((0, 1),), body=begin + tell + one + two + end, words=(1, 0)),
            Part(device=(0, 1), to=((0, 0),), body=begin + tell + two + one + end, words=(0, 0)),
        )
    text = str(caught.value)
    assert (
        "deadlock: kernel_0 on chip (0, 0), node (0, 0) and chip (0, 1), node (0, 0) wait for each other"
        in text
    )
    assert (
        f"semaphore at {chips.done:#x} of every chip" in text
        and f"semaphore at {other:#x} of every chip" in text
    )
    assert "connections that are open:" in text


# --- what is wrong with a kernel


OPENED = "auto header = PacketHeaderPool::allocate_header(); to0.open();"
TELL = "fabric_unicast_noc_unicast_atomic_inc(&to0, header, {}, 0, Add(here(done), 1)); noc_async_writes_flushed();"
PUT = "fabric_unicast_noc_unicast_write(&to0, header, 1, 0, {}, {}, Write{{{}}}); noc_async_writes_flushed();"
L1 = "here(600000)"
MISUSE = {
    "send without open": (
        "auto header = PacketHeaderPool::allocate_header();" + TELL.format(1), "TTL1522", "uses its connection to chip (0, 1), which it has not opened",
    ),
    "send after close": (OPENED + "to0.close();" + TELL.format(1), "TTL1522", "which it has closed"),
    "open twice": (OPENED + "to0.open();", "TTL1522", "opens its connection to chip (0, 1), which is open"),
    "close without open": ("to0.close();", "TTL1522", "which it has not opened"),
    "close missing": (OPENED + TELL.format(1) + "noc_async_write_barrier();", "TTL1522", "ends with its connection to chip (0, 1) open"),
    "never built": ("WorkerToFabricEdmSender other; other.open();", "TTL1522", "uses a connection that it has not built"),
    "without a slot": (
        OPENED + "header->to_noc_unicast_atomic_inc(Add(here(done), 1)); fabric_set_unicast_route(header, 1, 0);"
        "to0.send_payload_flush_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(*header));",
        "TTL1522", "without having waited for a free slot",
    ),
    "too large": (OPENED + PUT.format(600000, 4353, L1), "TTL1522", "sends 4353 bytes in a packet, which carries at most 4352"),
    "far too large": (OPENED + PUT.format(600000, 70000, L1), "TTL1522", "in a packet, which carries at most 4352"),
    "source unaligned": (OPENED + PUT.format(600008, 32, L1), "TTL1515", "sends from 0x927c8 of the own L1, which is not a multiple of 16"),
    "target unaligned": (OPENED + PUT.format(600000, 32, "here(600008)"), "TTL1515", "sends to 0x927c8 of the other chip"),
    "word unaligned": (OPENED + "fabric_unicast_noc_unicast_atomic_inc(&to0, header, 1, 0, Add(here(done + 2), 1));", "TTL1515", "sends to a word at"),
    "beyond L1": (OPENED + PUT.format(600000, 32, "here(1499136)"), "TTL1516", "of the L1 at"),
    "beyond DRAM": (OPENED + PUT.format(600000, 32, "get_noc_addr_from_bank_id<true>(0, 0x1FFFFFF0)"), "TTL1516", "of DRAM bank 0"),
    "nothing there": (OPENED + PUT.format(600000, 32, "get_noc_addr(1, 1, 0)"), "TTL1516", "where no core or memory is"),
    "semaphore in DRAM": (
        OPENED + "fabric_unicast_noc_unicast_atomic_inc(&to0, header, 1, 0, Add(b.get_noc_addr(0), 1));", "TTL1516", "a semaphore in DRAM",
    ),
    "no header": (
        "to0.open(); auto header = reinterpret_cast<volatile PACKET_HEADER_TYPE *>(get_write_ptr(0));"
        "to0.wait_for_empty_write_slot(); to0.send_payload_flush_blocking_from_address(get_write_ptr(0), 96);",
        "TTL1522", "which it did not take from the pool",
    ),
    "nobody's header": (
        OPENED + "to0.wait_for_empty_write_slot();"
        "to0.send_payload_flush_blocking_from_address((uint32_t)(uintptr_t)(header + 1), sizeof(*header));", "TTL1522", "it did not take",
    ),
    "an empty header": (
        OPENED + "to0.wait_for_empty_write_slot(); to0.send_payload_flush_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(*header));",
        "TTL1522", "does not say what is to be done",
    ),
    "a header without a way": (
        OPENED + "header->to_noc_unicast_atomic_inc(Add(here(done), 1)); to0.wait_for_empty_write_slot();"
        "to0.send_payload_flush_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(*header));",
        "TTL1522", "does not say which device it is for",
    ),
    "header too early": (
        OPENED + "for (int i = 0; i < 2; ++i) fabric_unicast_noc_unicast_atomic_inc(&to0, header, 1, 0, Add(here(done), 1));",
        "TTL1522", "whose last packet may not have left",
    ),
    "too many headers": ("PacketHeaderPool::allocate_header(9);", "TTL1522", "takes 9 packet headers from the pool, of whose 8 it has 0"),
    "no such device": (OPENED + TELL.format(2), "TTL1522", "sends to device 2, and the system has devices 0 to 1"),
    "itself": (OPENED + TELL.format(0), "TTL1522", "to its own chip"),
    "another mesh": (
        OPENED + "fabric_unicast_noc_unicast_atomic_inc(&to0, header, 1, 3, Add(here(done), 1));", "TTL1522", "sends to mesh 3",
    ),
    "payload of another size": (
        OPENED + "header->to_noc_unicast_write(Write{here(600000)}, 64); fabric_set_unicast_route(header, 1, 0); to0.wait_for_empty_write_slot();"
        "to0.send_payload_without_header_non_blocking_from_address(600000, 32);"
        "to0.send_payload_flush_blocking_from_address((uint32_t)(uintptr_t)header, sizeof(*header));",
        "TTL1522", "sends a header for 64 bytes, and has put 32 into the slot",
    ),
    "a page nobody reserved": (
        OPENED + "cb_reserve_back(0, 1);" + PUT.format("get_write_ptr(0)", 2048, "here(get_read_ptr(0) & 0x1FFFFF)")
        + "to0.close(); cb_push_back(0, 1); cb_wait_front(0, 1); cb_pop_front(0, 1);",
        "TTL1507", "writes to page 0 of circular buffer 0 on chip (0, 1), core (0, 0)",
    ),
    "left under way": (OPENED + "fabric_unicast_noc_unicast_atomic_inc(&to0, header, 1, 0, Add(here(done), 1));", "TTL1522", "ends with its connection"),
}  # fmt: skip


@pytest.mark.parametrize("case", MISUSE)
def test_what_breaks_a_rule_is_refused_with_its_line(case: str) -> None:
    body, code, text = MISUSE[case]
    chips = Chips((1, 2))
    reserved = "cb_reserve_back(0, 1); cb_push_back(0, 1); for (int i = 0; i < 400; ++i) invalidate_l1_cache(); cb_wait_front(0, 1); cb_pop_front(0, 1);"
    with pytest.raises(ProgramError) as caught:
        chips.launch(Part(device=(0, 0), to=((0, 1),), body=body), Part(device=(0, 1), body=reserved))
    assert caught.value.code == code, caught.value
    assert text in str(caught.value)
    assert "at kernel_0.cpp:" in str(caught.value) and "on chip (0, 0), core (0, 0)" in str(caught.value)


def test_two_kernels_on_one_link() -> None:
    chips = Chips((1, 2), cores=(2, 1))
    with pytest.raises(ProgramError) as caught:
        chips.launch(
            *(
                Part(device=(0, 0), to=((0, 1),), core=(x, 0), body=OPENED + TELL.format(1) + "to0.close();")
                for x in (0, 1)
            )
        )
    assert caught.value.code == "TTL1522"
    assert (
        "opens a connection to link 0 to chip (0, 1), which chip (0, 0), core (0, 0) (brisc) has open"
        in str(caught.value)
    )


def test_a_way_that_begins_elsewhere() -> None:
    chips = Chips((1, 3))
    with pytest.raises(ProgramError) as caught:
        chips.launch(Part(device=(0, 1), to=((0, 0),), body=OPENED + TELL.format(2)))
    assert (
        "sends to chip (0, 2) over its connection to chip (0, 0), and the way there begins at chip (0, 2)"
        in str(caught.value)
    )


def test_one_chip_has_no_links() -> None:
    device = ttnn.open_device(device_id=0)
    tensor = ttnn.zeros((32, 32), ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    cores = Chips.range((0, 0), (0, 0))
    text = '#include "tt_metal/fabric/hw/inc/packet_header_pool.h"\nvoid kernel_main() { PacketHeaderPool::allocate_header(); }'
    kernel = ttnn.KernelDescriptor(
        text, ttnn.KernelDescriptor.SourceType.SOURCE_CODE, cores, config=ttnn.WriterConfigDescriptor()
    )
    with pytest.raises(ProgramError) as caught:
        ttnn.generic_op([tensor, tensor], ttnn.ProgramDescriptor(kernels=[kernel]))
    assert "runs on a chip without any" in str(caught.value) and caught.value.code == "TTL1522"


# --- profile and size


def test_a_profile_has_the_links_and_the_bound() -> None:
    chips = Chips((1, 4), pages=8)
    chips.launch(*around(chips), recorded=True)
    run = chips.runs[0]
    found = profile(run, chip_named("wormhole"))
    cost = found.fabric
    assert cost is not None and cost.system == "an ideal mesh"
    wire = 8 * (2048 + 96)
    by_ends = {(link.source, link.target): link for link in cost.links}
    assert {ends: link.bytes for ends, link in by_ends.items()} == {
        (0, 1): wire, (1, 2): wire, (2, 3): wire, (1, 0): wire, (2, 1): wire, (3, 2): wire,
    }  # fmt: skip
    assert all(link.packets == 8 and 0 < cost.utilisation(link) < 1 for link in cost.links)
    assert (cost.bisection_bytes, cost.bisection_links, cost.bound) == (wire, 1, round(wire / 12.5))
    assert cost.bound <= cost.busy <= run.cycles
    assert [chip.chip for chip in cost.chips] == [0, 1, 2, 3] and all(
        chip.sends and chip.receives for chip in cost.chips
    )
    assert all(chip.waits_for_packets for chip in cost.chips)
    assert sum(found.path.values()) == run.cycles and found.path["links"] > 0
    text = profile_text.render(found)
    assert (
        "links between chips: busy" in text
        and f"bound {cost.bound:,} cycles: {wire:,} bytes over 1 link of the bisection" in text
    )
    assert "chip (0, 0) to (0, 1), link 0" in text
    again = profile_json.from_object(json.loads(profile_json.render(found)))
    assert again.fabric == cost
    assert profile_json.to_object(found)["fabric"]["links"][0]["utilisation"] > 0


def test_32_chips_in_one_process() -> None:
    """A galaxy of 8 x 4: every chip sends two pages to the next one. It takes a tenth of a second, once kernels are compiled."""
    with settings.override(system="galaxy"):
        chips = Chips((8, 4), pages=2)
        got = chips.launch(*around(chips))
    assert torch.equal(got, torch.cat([chips.values[-64:], chips.values[:-64]]))
    assert len(chips.runs[0].fibers) == 32


def test_a_chip_alone_is_as_it_was() -> None:
    """A program on one chip of a mesh takes the cycles that it takes on a single one."""
    body = "cb_reserve_back(0, 1); noc_async_read_page(0, a, get_write_ptr(0)); noc_async_read_barrier(); cb_push_back(0, 1); cb_wait_front(0, 1); noc_async_write_page(0, b, get_read_ptr(0)); noc_async_write_barrier(); cb_pop_front(0, 1);"
    found = []
    for shape in ((1, 1), (1, 2)):
        chips = Chips(shape)
        got = chips.launch(Part(device=(0, 0), body=body))
        assert torch.equal(got[:32], chips.values[:32])
        found.append(chips.runs[0].cycles)
    assert found[0] == found[1]


def test_more_nodes_than_there_is_room_for() -> None:
    """2,048 L1 of 2 MiB do not lie below 2 GiB: refused, with what would fit."""
    with settings.override(system="galaxy"):
        chips = Chips((8, 4), pages=1, cores=(8, 8))
        ttnn.reset_global_semaphore_value(chips.counter, 1)
        with pytest.raises(ProgramError) as caught:
            chips.launch(Part(device=(0, 0), body=""))
    assert caught.value.code == "TTL1520" and "32 emulated chips" in str(caught.value)
    last.cache_clear()  # the next test has room


def test_kernels_take_turns_with_a_link() -> None:
    """The second one opens it when the first has closed it, and goes on behind its packets."""
    chips = Chips((1, 2), cores=(2, 1))
    turn = "noc_semaphore_inc(get_noc_addr({}, my_y[0], done), 1); noc_async_atomic_barrier();"
    wait = "noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t *>(done), 1);"
    send = OPENED + "".join(PUT.format(600000, 4096, L1) for _ in range(6)) + "to0.close();"
    chips.launch(
        Part(device=(0, 0), to=((0, 1),), body=send + turn.format("my_x[0] + 1")),
        Part(device=(0, 0), to=((0, 1),), core=(1, 0), body=wait + send),
        recorded=True,
    )
    record = chips.runs[0].record
    assert record is not None and len(record.hops) == 12
    order = [int(record.packets["fiber"][number]) for number in record.hops["packet"]]
    assert order == sorted(order)


def test_full_rings_of_a_torus_go_on() -> None:
    """Every chip of a torus sends more than all slots take to the chip farthest away: each ring has a free slot, always."""
    body = (
        OPENED
        + "for (uint32_t i = 0; i < w(1); ++i) {"
        + PUT.format(600000, 4096, L1).replace("&to0, header, 1", "&to0, header, w(0)")
    )
    body += "} to0.close();"
    with settings.override(system="galaxy_torus_xy"):
        chips = Chips((8, 4), pages=1)
        parts = []
        for row, column in chips.devices():
            far = ((row + 4) % 8, (column + 2) % 4)
            parts.append(
                Part(device=(row, column), to=(far,), body=body, words=(chips.chip(far), 40)),
            )
        chips.launch(*parts, recorded=True)
    record = chips.runs[0].record
    assert record is not None
    assert len(record.packets) == 32 * 40 and int(record.packets["lands"].min()) > 0
    assert len(record.hops) == 32 * 40 * 6
    assert sum(int(work["blocked"]) for work in record.between) > 0


def test_a_ring_that_fills_up_says_what_lies_on_which_link(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the free slot that the routers of a ring leave, it stands still: the report of what waits for slots."""
    of_links = ttl.emu.system._links

    def without_rings(*args: Any) -> bytes:
        words = np.frombuffer(of_links(*args), np.uint32).reshape(-1, 8).copy()
        words[:, 3] &= 1
        return words.tobytes()

    monkeypatch.setattr(ttl.emu.system, "_links", without_rings)
    last.cache_clear()
    with pytest.raises(DeadlockError) as caught:
        test_full_rings_of_a_torus_go_on()
    last.cache_clear()
    text = str(caught.value)
    assert (
        "kernel_0 (brisc) waits to reserve a slot of link 0 from chip (0, 0) to chip (1, 0) at kernel_0.cpp:"
        in text
    )
    assert (
        "links between chips:\n" in text
        and "packets to be sent and 8 packets at its end to be put away; no slot is free there" in text
    )
    assert "more links" in text and "connections that are open:" in text
