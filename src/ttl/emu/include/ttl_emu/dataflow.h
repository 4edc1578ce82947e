// Kernels that move data: the functions of `api/dataflow/dataflow_api.h`.
#pragma once

#include "ttl_emu/common.h"

extern const uint8_t noc_index;  // that of the kernel, in `given.h`
constexpr uint8_t noc_mode = 0, DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1;
constexpr uint32_t NOC_UNICAST_WRITE_VC = 1, NOC_MULTICAST_WRITE_VC = 4, NOC_DISPATCH_MULTICAST_WRITE_VC = 5;
constexpr uint32_t NOC_MAX_TRANSACTION_ID = 15, write_cmd_buf = 0, read_cmd_buf = 1, write_at_cmd_buf = 3, write_reg_cmd_buf = 2;
enum class InlineWriteDst { DEFAULT, L1, REG };
enum class ProgrammableCoreType { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2 };

inline uint32_t get_write_ptr(uint32_t buffer, TTL_EMU_AT) { return ttl_emu_buffer(buffer, place)->fifo_wr_ptr; }
inline uint32_t get_read_ptr(uint32_t buffer, TTL_EMU_AT) { return ttl_emu_buffer(buffer, place)->fifo_rd_ptr; }
inline bool cb_pages_reservable_at_back(uint32_t buffer, uint32_t pages, TTL_EMU_AT) {
  return ttl_emu_reservable(buffer, pages, place);
}
inline bool cb_pages_available_at_front(uint32_t buffer, uint32_t pages, TTL_EMU_AT) {
  return ttl_emu_available(buffer, pages, place);
}

// --- addresses

constexpr uint64_t NOC_XY_ADDR(uint64_t x, uint64_t y, uint64_t local) { return y << 42 | x << 36 | local; }
#define NOC_XY_ENCODING(x, y) ((uint32_t)(y) << 6 | (uint32_t)(x))
#define NOC_X(x) (x)
#define NOC_Y(y) (y)
inline uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t local, uint8_t = noc_index) { return NOC_XY_ADDR(x, y, local); }
inline uint64_t get_noc_addr(uint32_t local, uint8_t noc = noc_index) {
  return NOC_XY_ADDR(ttl_emu_self->noc_x[noc], ttl_emu_self->noc_y[noc], local);
}
inline uint64_t get_noc_addr_helper(uint32_t xy, uint32_t local) { return static_cast<uint64_t>(xy) << 36 | local; }
inline uint64_t get_noc_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t local, uint8_t = noc_index) {
  return static_cast<uint64_t>(x0) << 48 | static_cast<uint64_t>(y0) << 54 | NOC_XY_ADDR(x1, y1, local);
}
template <bool dram>
inline uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t offset, uint8_t = noc_index) {
  return ttl_emu_bank_address(dram, bank, offset);
}
constexpr uint32_t align_power_of_2(uint32_t value, uint32_t to) { return (value + to - 1) & ~(to - 1); }

template <bool DRAM>
struct InterleavedAddrGen {
  uint32_t bank_base_address = 0, page_size = 0;
  uint32_t aligned_page_size = align_power_of_2(page_size, DRAM ? DRAM_ALIGNMENT : L1_ALIGNMENT);
  uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t = noc_index) const {
    const uint32_t banks = ttl_emu_banks(DRAM);
    return ttl_emu_bank_address(DRAM, page % banks, bank_base_address + page / banks * aligned_page_size + offset);
  }
};
template <bool DRAM, uint32_t tile_hw = 1024>
struct InterleavedAddrGenFast {
  uint32_t bank_base_address = 0, page_size = 0;
  DataFormat data_format = DataFormat::Invalid;
  uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t = noc_index) const {
    const uint32_t banks = ttl_emu_banks(DRAM);
    const uint32_t bytes = align_power_of_2(ttl_emu::format_bytes(static_cast<uint8_t>(data_format)), DRAM ? DRAM_ALIGNMENT : L1_ALIGNMENT);
    return ttl_emu_bank_address(DRAM, page % banks, bank_base_address + page / banks * bytes + offset);
  }
};
template <typename Generator>
inline auto get_noc_addr(uint32_t page, const Generator &generator, uint32_t offset = 0, uint8_t noc = noc_index)
    -> decltype(generator.get_noc_addr(page, offset, noc)) {
  return generator.get_noc_addr(page, offset, noc);
}

// --- reads

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool tracing = true>
inline void noc_async_read(uint64_t from, uint32_t to, uint32_t size, uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC, TTL_EMU_AT) {
  ttl_emu_read(from, to, size, noc, ttl_emu_self->read_trid, place);
}
template <bool tracing = true>
inline void noc_async_read_one_packet(uint64_t from, uint32_t to, uint32_t size, uint8_t noc = noc_index,
                                      uint32_t = NOC_UNICAST_WRITE_VC, TTL_EMU_AT) {
  ttl_emu_read(from, to, size, noc, ttl_emu_self->read_trid, place);
}
namespace ttl_emu {
constexpr uint64_t kNode = ~((uint64_t{1} << 36) - 1);
}
template <bool use_vc = false>
inline void noc_async_read_one_packet_set_state(uint64_t from, uint32_t size, const uint32_t = 0, uint8_t = noc_index) {
  ttl_emu_self->read_state = from;
  ttl_emu_self->read_size = size;
}
template <bool inc_num_issued = true, bool use_vc = false>
inline void noc_async_read_one_packet_with_state(uint32_t from, uint32_t to, const uint32_t = 0, uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_read((ttl_emu_self->read_state & ttl_emu::kNode) | from, to, ttl_emu_self->read_size, noc, ttl_emu_self->read_trid, place);
}
inline void noc_async_read_set_state(uint64_t from, uint8_t = noc_index) { ttl_emu_self->read_state = from; }
template <bool inc_num_issued = true>
inline void noc_async_read_with_state(uint32_t from, uint32_t to, uint32_t size, uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_read((ttl_emu_self->read_state & ttl_emu::kNode) | from, to, size, noc, ttl_emu_self->read_trid, place);
}
inline void noc_async_read_set_trid(uint32_t trid = 0, uint8_t = noc_index) { ttl_emu_self->read_trid = trid; }
template <bool skip_cmdbuf_chk = false, bool skip_ptr_update = false>
inline void noc_async_read_one_packet_with_state_with_trid(uint32_t base, uint32_t from, uint32_t to, uint32_t trid,
                                                           uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_read((ttl_emu_self->read_state & ttl_emu::kNode) | (base + from), to, ttl_emu_self->read_size, noc, trid, place);
}
template <typename Generator, bool tracing = true>
inline void noc_async_read_page(uint32_t page, const Generator &generator, uint32_t to, uint32_t offset = 0, uint8_t noc = noc_index, TTL_EMU_AT) {
  uint32_t size = 0;
  if constexpr (requires { generator.get_aligned_page_size(); })
    size = generator.get_aligned_page_size();
  else
    size = generator.page_size;
  ttl_emu_read(generator.get_noc_addr(page, offset, noc), to, size - offset, noc, ttl_emu_self->read_trid, place);
}
template <typename Generator>
inline void noc_async_read_tile(uint32_t page, const Generator &generator, uint32_t to, uint32_t offset = 0, uint8_t noc = noc_index, TTL_EMU_AT) {
  noc_async_read_page(page, generator, to, offset, noc, place);
}
// 0.69 gives the number of the NoC where an offset in bytes belongs.
constexpr uint32_t ttl_emu_shard_offset(uint8_t noc) { return TTL_EMU_API_VERSION < 81 ? noc : 0; }
template <typename Accessor>
inline void noc_async_read_shard(uint32_t shard, const Accessor &accessor, uint32_t to, uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_read(accessor.get_shard_noc_addr(shard, ttl_emu_shard_offset(noc), noc), to, accessor.shard_bytes(), noc, ttl_emu_self->read_trid, place);
}

// --- writes

template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool tracing = true, bool posted = false>
inline void noc_async_write(uint32_t from, uint64_t to, uint32_t size, uint8_t noc = noc_index, uint32_t vc = NOC_UNICAST_WRITE_VC, TTL_EMU_AT) {
  ttl_emu_write(from, to, size, 1, noc, vc, posted ? ttl_emu::kPosted : ttl_emu::kPlain, place);
}
template <bool tracing = true, bool posted = false>
inline void noc_async_write_one_packet(uint32_t from, uint64_t to, uint32_t size, uint8_t noc = noc_index,
                                       uint32_t vc = NOC_UNICAST_WRITE_VC, TTL_EMU_AT) {
  ttl_emu_write(from, to, size, 1, noc, vc, posted ? ttl_emu::kPosted : ttl_emu::kPlain, place);
}
template <bool posted = false>
inline void noc_async_write_one_packet_set_state(uint64_t to, uint32_t size, uint8_t = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC) {
  ttl_emu_self->write_state = to;
  ttl_emu_self->write_size = size;
  ttl_emu_self->write_vc = vc;
}
template <bool posted = false>
inline void noc_async_write_one_packet_with_state(uint32_t from, uint32_t to, uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_write(from, (ttl_emu_self->write_state & ttl_emu::kNode) | to, ttl_emu_self->write_size, 1, noc,
                ttl_emu_self->write_vc, posted ? ttl_emu::kPosted : ttl_emu::kPlain, place);
}
template <typename Generator, bool tracing = true, bool posted = false>
inline void noc_async_write_page(uint32_t page, const Generator &generator, uint32_t from, uint32_t size = 0, uint32_t offset = 0,
                                 uint8_t noc = noc_index, TTL_EMU_AT) {
  if (size == 0) {
    if constexpr (requires { generator.get_aligned_page_size(); })
      size = generator.get_aligned_page_size();
    else
      size = generator.page_size;
  }
  ttl_emu_write(from, generator.get_noc_addr(page, offset, noc), size, 1, noc, NOC_UNICAST_WRITE_VC,
                posted ? ttl_emu::kPosted : ttl_emu::kPlain, place);
}
template <typename Generator>
inline void noc_async_write_tile(uint32_t page, const Generator &generator, uint32_t from, uint8_t noc = noc_index, TTL_EMU_AT) {
  noc_async_write_page(page, generator, from, 0, 0, noc, place);
}
template <typename Accessor, bool posted = false>
inline void noc_async_write_shard(uint32_t shard, const Accessor &accessor, uint32_t from, uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_write(from, accessor.get_shard_noc_addr(shard, ttl_emu_shard_offset(noc), noc), accessor.shard_bytes(), 1, noc, NOC_UNICAST_WRITE_VC,
                posted ? ttl_emu::kPosted : ttl_emu::kPlain, place);
}
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
inline void noc_async_write_multicast(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers, bool linked = false,
                                      uint8_t noc = noc_index, uint8_t vc = NOC_MULTICAST_WRITE_VC, TTL_EMU_AT) {
  ttl_emu_write(from, to, size, receivers, noc, vc, ttl_emu::kMulticast | (linked ? ttl_emu::kLinked : 0u), place);
}
inline void noc_async_write_multicast_one_packet(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers,
                                                 bool linked = false, uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_write(from, to, size, receivers, noc, NOC_MULTICAST_WRITE_VC, ttl_emu::kMulticast | (linked ? ttl_emu::kLinked : 0u), place);
}
inline void noc_async_write_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers,
                                                   bool linked = false, uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_write(from, to, size, receivers, noc, NOC_MULTICAST_WRITE_VC,
                ttl_emu::kMulticast | ttl_emu::kLoopback | (linked ? ttl_emu::kLinked : 0u), place);
}
template <InlineWriteDst where = InlineWriteDst::DEFAULT, bool posted = false, bool flush = true>
inline void noc_inline_dw_write(uint64_t to, uint32_t value, uint8_t = 0xF, uint8_t noc = noc_index,
                                uint8_t vc = NOC_UNICAST_WRITE_VC, uint32_t = 0, TTL_EMU_AT) {
  ttl_emu_write_word(to, value, noc, vc, posted ? ttl_emu::kPosted : ttl_emu::kPlain, place);
}

// --- barriers

inline void noc_async_read_barrier(uint8_t noc = noc_index, TTL_EMU_AT) { ttl_emu_barrier(ttl_emu::kReads, noc, 0, place); }
inline void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_barrier(ttl_emu::kReads, noc, trid, place);
}
inline void noc_async_write_barrier(uint8_t noc = noc_index, TTL_EMU_AT) { ttl_emu_barrier(ttl_emu::kWrites, noc, 0, place); }
inline void noc_async_writes_flushed(uint8_t noc = noc_index, TTL_EMU_AT) { ttl_emu_barrier(ttl_emu::kFlush, noc, 0, place); }
inline void noc_async_posted_writes_flushed(uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_barrier(ttl_emu::kPostedFlush, noc, 0, place);
}
inline void noc_async_atomic_barrier(uint8_t noc = noc_index, TTL_EMU_AT) { ttl_emu_barrier(ttl_emu::kAtomics, noc, 0, place); }
inline void noc_async_full_barrier(uint8_t noc = noc_index, TTL_EMU_AT) { ttl_emu_barrier(ttl_emu::kFull, noc, 0, place); }
inline void invalidate_l1_cache(TTL_EMU_AT) { ttl_emu_poll(place); }

// --- semaphores

template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
inline uintptr_t get_semaphore(uint32_t id, TTL_EMU_AT) {
  return ttl_emu_semaphore(id, place);
}
inline void noc_semaphore_set(volatile uint32_t *word, uint32_t value, TTL_EMU_AT) {
  ttl_emu_semaphore_set(reinterpret_cast<uintptr_t>(word), value, place);
}
inline void noc_semaphore_wait(volatile uint32_t *word, uint32_t value, TTL_EMU_AT) {
  ttl_emu_semaphore_wait(reinterpret_cast<uintptr_t>(word), value, false, place);
}
inline void noc_semaphore_wait_min(volatile uint32_t *word, uint32_t value, TTL_EMU_AT) {
  ttl_emu_semaphore_wait(reinterpret_cast<uintptr_t>(word), value, true, place);
}
template <bool posted = false>
inline void noc_semaphore_inc(uint64_t to, uint32_t by, uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC, TTL_EMU_AT) {
  ttl_emu_semaphore_inc(to, by, 1, noc, vc, posted ? ttl_emu::kPosted : ttl_emu::kPlain, place);
}
template <bool posted = false>
inline void noc_semaphore_inc_multicast(uint64_t to, uint32_t by, uint32_t receivers, uint8_t noc = noc_index,
                                        uint8_t vc = NOC_MULTICAST_WRITE_VC, TTL_EMU_AT) {
  ttl_emu_semaphore_inc(to, by, receivers, noc, vc, ttl_emu::kMulticast | (posted ? ttl_emu::kPosted : 0u), place);
}
inline void noc_semaphore_set_remote(uint32_t from, uint64_t to, uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_semaphore_send(from, to, 1, noc, NOC_UNICAST_WRITE_VC, ttl_emu::kPlain, place);
}
inline void noc_semaphore_set_multicast(uint32_t from, uint64_t to, uint32_t receivers, bool = false, uint8_t noc = noc_index,
                                        uint8_t vc = NOC_MULTICAST_WRITE_VC, TTL_EMU_AT) {
  ttl_emu_semaphore_send(from, to, receivers, noc, vc, ttl_emu::kMulticast, place);
}
inline void noc_semaphore_set_multicast_loopback_src(uint32_t from, uint64_t to, uint32_t receivers, bool = false,
                                                     uint8_t noc = noc_index, TTL_EMU_AT) {
  ttl_emu_semaphore_send(from, to, receivers, noc, NOC_MULTICAST_WRITE_VC, ttl_emu::kMulticast | ttl_emu::kLoopback, place);
}

#include "ttl_emu/accessor.h"
