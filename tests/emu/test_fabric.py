"""Several emulated chips in one run: packets over links, by kernels that were written by hand for the real interface."""

from __future__ import annotations

import pytest
import torch

from emu.fabric_programs import Chips, Part

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
