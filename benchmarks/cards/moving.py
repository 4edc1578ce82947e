"""Kernels that move data, of the published experiments: seed readers, drain writers, and pipes between two cores."""

from __future__ import annotations

_HEAD = """
#include "api/dataflow/dataflow_api.h"
inline uint32_t arg(uint32_t index) { return get_arg_val<uint32_t>(index); }
template <typename Source>
inline void seed(uint32_t buffer, const Source &source, uint32_t first, uint32_t count, uint32_t bytes) {
  cb_reserve_back(buffer, count);
  const uint32_t to = get_write_ptr(buffer);
  for (uint32_t i = 0; i < count; ++i) noc_async_read_page(first + i, source, to + i * bytes);
  noc_async_read_barrier();
  cb_push_back(buffer, count);
}
"""


def reader(tensors: int, body: str) -> str:
    """A reader of so many tensors ``t0``, ``t1`` ..., whose addresses come first among its arguments, then the bytes of a tile."""
    lines, before = [], "0"
    for number in range(tensors):
        lines.append(
            f"constexpr auto args{number} = TensorAccessorArgs<{before}>(); const auto t{number} = "
            f"TensorAccessor(args{number}, arg({number}), bytes);"
        )
        before = f"args{number}.next_compile_time_args_offset()"
    return (
        f"{_HEAD}void kernel_main() {{\n  const uint32_t bytes = arg({tensors});\n  "
        + "\n  ".join(lines)
        + f"\n  {body}\n}}\n"
    )


def drain(buffer: int) -> str:
    """A writer of one block of the tensor ``t0``."""
    return reader(
        1,
        f"""const uint32_t count = arg(2);
  cb_wait_front({buffer}, count);
  const uint32_t from = get_read_ptr({buffer});
  for (uint32_t i = 0; i < count; ++i) noc_async_write_page(i, t0, from + i * bytes);
  noc_async_write_barrier();
  cb_pop_front({buffer}, count);""",
    )


# Arguments after those of a reader of one tensor: how many tiles, the other core on this NoC, slots.
_PIPE = """const uint32_t count = arg(2), x = arg(3), y = arg(4), slots = arg(5);
  constexpr uint32_t SLOTS = 256 * 1024, PAGES = 1024 * 1024;
  volatile tt_l1_ptr uint32_t *arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(get_semaphore(0));
  volatile tt_l1_ptr uint32_t *freed = reinterpret_cast<volatile tt_l1_ptr uint32_t *>(get_semaphore(1));
  const uint64_t there = get_noc_addr(x, y, SLOTS), their_arrived = get_noc_addr(x, y, get_semaphore(0));
  const uint64_t their_freed = get_noc_addr(x, y, get_semaphore(1));
  (void)arrived, (void)freed, (void)there, (void)their_arrived, (void)their_freed, (void)slots, (void)PAGES;
"""

SENDERS = {
    "base": """for (uint32_t t = 0; t < count; ++t) {
    noc_async_read_page(t, t0, PAGES);
    noc_async_read_barrier();
    noc_async_write(PAGES, there + t * bytes, bytes);
    noc_async_write_barrier();
  }
  noc_semaphore_inc(their_arrived, 1);""",
    "synced": """for (uint32_t t = 0; t < count; ++t) {
    noc_async_read_page(t, t0, PAGES);
    noc_async_read_barrier();
    if (t >= 2) noc_semaphore_wait_min(freed, t - 1);
    noc_async_write(PAGES, there + (t & 1) * bytes, bytes);
    noc_async_write_barrier();
    noc_semaphore_inc(their_arrived, 1);
  }""",
    "dfb": """for (uint32_t t = 0; t < count; ++t) {
    cb_reserve_back(0, 1);
    noc_async_read_page(t, t0, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    if (t >= 2) noc_semaphore_wait_min(freed, t - 1);
    noc_async_write(get_read_ptr(0), there + (t & 1) * bytes, bytes);
    noc_async_write_barrier();
    noc_semaphore_inc(their_arrived, 1);
    cb_pop_front(0, 1);
  }""",
    "bulk": """for (uint32_t t = 0; t < count; ++t) noc_async_read_page(t, t0, PAGES + t * bytes);
  noc_async_read_barrier();
  noc_async_write_one_packet_set_state(there, bytes);
  for (uint32_t t = 0; t < count; ++t) noc_async_write_one_packet_with_state(PAGES + t * bytes, SLOTS + t * bytes);
  noc_async_write_barrier();
  noc_semaphore_inc(their_arrived, 1);""",
    "ring": """noc_async_write_one_packet_set_state(there, bytes);
  for (uint32_t first = 0, k = 0; first < count; first += slots, ++k) {
    if (k >= 2) noc_semaphore_wait_min(freed, (k - 1) * slots);
    for (uint32_t t = 0; t < slots; ++t) noc_async_read_page(first + t, t0, PAGES + t * bytes);
    noc_async_read_barrier();
    for (uint32_t t = 0; t < slots; ++t)
      noc_async_write_one_packet_with_state(PAGES + t * bytes, SLOTS + ((k & 1) * slots + t) * bytes);
    noc_async_write_barrier();
    noc_semaphore_inc(their_arrived, slots);
  }""",
}

_ONE_BY_ONE = """for (uint32_t t = 0; t < count; ++t) {
    noc_semaphore_wait_min(arrived, t + 1);
    noc_async_write_page(t, t0, SLOTS + (t & 1) * bytes);
    noc_async_write_barrier();
    noc_semaphore_inc(their_freed, 1);
  }"""
_ALL = """noc_semaphore_wait_min(arrived, 1);
  for (uint32_t t = 0; t < count; ++t) noc_async_write_page(t, t0, SLOTS + t * bytes);
  noc_async_write_barrier();"""
RECEIVERS = {
    "base": _ALL,
    "synced": _ONE_BY_ONE,
    "dfb": _ONE_BY_ONE,
    "bulk": _ALL,
    "ring": """for (uint32_t first = 0, k = 0; first < count; first += slots, ++k) {
    noc_semaphore_wait_min(arrived, first + slots);
    for (uint32_t t = 0; t < slots; ++t) noc_async_write_page(first + t, t0, SLOTS + ((k & 1) * slots + t) * bytes);
    noc_async_write_barrier();
    noc_semaphore_inc(their_freed, slots);
  }""",
}


def sender(kind: str) -> str:
    """The kernel of core (0, 0)."""
    return reader(1, _PIPE + SENDERS[kind] + "\n  noc_async_atomic_barrier();")


def receiver(kind: str) -> str:
    """The kernel of core (1, 0)."""
    return reader(1, _PIPE + RECEIVERS[kind] + "\n  noc_async_atomic_barrier();")
