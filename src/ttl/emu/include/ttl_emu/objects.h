// Kernels that use objects: `Noc`, `DataflowBuffer`, `CircularBuffer`, `Semaphore`, and endpoints of transfers.
#pragma once

#if defined(TTL_EMU_COMPUTE)
#include "ttl_emu/compute.h"
#else
#include "ttl_emu/dataflow.h"
#endif

class DataflowBuffer {
 public:
  enum class AddrSelector { WRITE_PTR, READ_PTR };
  constexpr DataflowBuffer(uint32_t id) : id_(static_cast<uint16_t>(id)) {}
  constexpr uint16_t get_id() const { return id_; }
  constexpr uint16_t get_cb_id() const { return id_; }
  void reserve_back(uint32_t pages, TTL_EMU_AT) const { ttl_emu_reserve(id_, pages, place); }
  void push_back(uint32_t pages, TTL_EMU_AT) const { ttl_emu_push(id_, pages, place); }
  void wait_front(uint32_t pages, TTL_EMU_AT) const { ttl_emu_wait(id_, pages, place); }
  void pop_front(uint32_t pages, TTL_EMU_AT) const { ttl_emu_pop(id_, pages, place); }
  bool pages_reservable_at_back(uint32_t pages, TTL_EMU_AT) const { return ttl_emu_reservable(id_, pages, place); }
  bool pages_available_at_front(uint32_t pages, TTL_EMU_AT) const { return ttl_emu_available(id_, pages, place); }
  uint32_t get_write_ptr() const { return ttl_emu_self->buffers[id_].fifo_wr_ptr; }
  uint32_t get_read_ptr() const { return ttl_emu_self->buffers[id_].fifo_rd_ptr; }
  constexpr uint32_t get_tile_size() const { return ::get_tile_size(id_); }
  constexpr uint32_t get_tile_hw() const { return 1024; }
  constexpr DataFormat get_dataformat() const { return ::get_dataformat(id_); }
  uint32_t get_entry_size() const { return ttl_emu_self->buffers[id_].fifo_page_size; }
  uint32_t get_total_num_entries() const { return ttl_emu_self->buffers[id_].fifo_num_pages; }

 private:
  uint16_t id_;
};
using CircularBuffer = DataflowBuffer;

#if !defined(TTL_EMU_COMPUTE)
enum class NocOptions : uint32_t {
  DEFAULT = 0, TXN_ID = 1, POSTED = 2, CUSTOM_VC = 4, MCAST_INCL_SRC = 8, INLINE_L1 = 16, INLINE_REG = 32,
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) { return static_cast<NocOptions>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b)); }
constexpr bool has_flag(NocOptions options, NocOptions flag) { return static_cast<uint32_t>(options) & static_cast<uint32_t>(flag); }
struct NocOptVals {
  uint32_t vc = NOC_UNICAST_WRITE_VC, trid = 0;
};
struct UnicastEndpoint {};
struct MulticastEndpoint {};
template <typename T>
struct CoreLocalMem {
  constexpr explicit CoreLocalMem(uintptr_t address) : address_(address) {}
  uint32_t get_address() const { return static_cast<uint32_t>(address_); }
  T *get_unsafe_ptr() const { return reinterpret_cast<T *>(address_); }
  T &operator[](size_t i) const { return get_unsafe_ptr()[i]; }
  T &operator*() const { return *get_unsafe_ptr(); }
  CoreLocalMem operator+(size_t i) const { return CoreLocalMem(address_ + i * sizeof(T)); }

 private:
  uintptr_t address_;
};

namespace ttl_emu {
struct OffsetArgs {
  uint32_t offset_bytes{};
};
struct PageArgs {
  uint32_t page_id{}, offset_bytes{};
};
struct NodeArgs {
  uint32_t noc_x{}, noc_y{}, addr{};
};
struct NodesArgs {
  uint32_t noc_x_start{}, noc_y_start{}, noc_x_end{}, noc_y_end{}, addr{};
};
struct BufferNodesArgs {
  uint32_t noc_x_start{}, noc_y_start{}, noc_x_end{}, noc_y_end{}, offset_bytes{};
};
}  // namespace ttl_emu

// How an object is the end of a transfer. Specialised for what can be one.
template <typename T>
struct noc_traits_t;
template <>
struct noc_traits_t<DataflowBuffer> {
  using src_args_type = ttl_emu::OffsetArgs;
  using dst_args_type = ttl_emu::OffsetArgs;
  using dst_args_mcast_type = ttl_emu::BufferNodesArgs;
  static uint32_t local_src(const DataflowBuffer &buffer, const src_args_type &args) { return buffer.get_read_ptr() + args.offset_bytes; }
  static uint32_t local_dst(const DataflowBuffer &buffer, const dst_args_type &args) { return buffer.get_write_ptr() + args.offset_bytes; }
  static uint64_t multicast(const DataflowBuffer &buffer, const dst_args_mcast_type &args) {
    return get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, buffer.get_write_ptr() + args.offset_bytes);
  }
};
// A buffer at the end at which it is read, or filled.
template <DataflowBuffer::AddrSelector selector>
struct BufferEnd {
  const DataflowBuffer &buffer;
  uint32_t address() const { return selector == DataflowBuffer::AddrSelector::READ_PTR ? buffer.get_read_ptr() : buffer.get_write_ptr(); }
};
template <DataflowBuffer::AddrSelector selector>
constexpr BufferEnd<selector> use(const DataflowBuffer &buffer) { return {buffer}; }
template <DataflowBuffer::AddrSelector selector>
struct noc_traits_t<BufferEnd<selector>> {
  using src_args_type = ttl_emu::OffsetArgs;
  using dst_args_type = ttl_emu::OffsetArgs;
  static uint32_t local_src(const BufferEnd<selector> &end, const src_args_type &args) { return end.address() + args.offset_bytes; }
  static uint32_t local_dst(const BufferEnd<selector> &end, const dst_args_type &args) { return end.address() + args.offset_bytes; }
};
template <typename T>
struct noc_traits_t<CoreLocalMem<T>> {
  using src_args_type = ttl_emu::OffsetArgs;
  using dst_args_type = ttl_emu::OffsetArgs;
  using dst_args_mcast_type = ttl_emu::BufferNodesArgs;
  static uint32_t local_src(const CoreLocalMem<T> &memory, const src_args_type &args) { return memory.get_address() + args.offset_bytes; }
  static uint32_t local_dst(const CoreLocalMem<T> &memory, const dst_args_type &args) { return memory.get_address() + args.offset_bytes; }
  static uint64_t multicast(const CoreLocalMem<T> &memory, const dst_args_mcast_type &args) {
    return get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, memory.get_address() + args.offset_bytes);
  }
};
template <typename Args>
struct noc_traits_t<TensorAccessor<Args>> {
  using src_args_type = ttl_emu::PageArgs;
  using dst_args_type = ttl_emu::PageArgs;
  static uint64_t remote(const TensorAccessor<Args> &accessor, const ttl_emu::PageArgs &args) { return accessor.get_noc_addr(args.page_id, args.offset_bytes); }
};
template <bool DRAM>
struct noc_traits_t<InterleavedAddrGen<DRAM>> {
  using src_args_type = ttl_emu::PageArgs;
  using dst_args_type = ttl_emu::PageArgs;
  static uint64_t remote(const InterleavedAddrGen<DRAM> &generator, const ttl_emu::PageArgs &args) { return generator.get_noc_addr(args.page_id, args.offset_bytes); }
};
template <>
struct noc_traits_t<UnicastEndpoint> {
  using src_args_type = ttl_emu::NodeArgs;
  using dst_args_type = ttl_emu::NodeArgs;
  static uint64_t remote(const UnicastEndpoint &, const ttl_emu::NodeArgs &args) { return get_noc_addr(args.noc_x, args.noc_y, args.addr); }
};
template <>
struct noc_traits_t<MulticastEndpoint> {
  using dst_args_mcast_type = ttl_emu::NodesArgs;
  static uint64_t multicast(const MulticastEndpoint &, const dst_args_mcast_type &args) {
    return get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end, args.addr);
  }
};

class Noc {
 public:
  constexpr Noc() : noc_(noc_index) {}
  constexpr explicit Noc(uint8_t noc) : noc_(noc) {}
  constexpr uint8_t get_noc_id() const { return noc_; }

  // Zeros come from a part of L1 that stays zero.
  template <typename Dst>
  void async_write_zeros(const Dst &dst, uint32_t size, const typename noc_traits_t<Dst>::dst_args_type &args = {}, TTL_EMU_AT) const {
    const uint32_t to = noc_traits_t<Dst>::local_dst(dst, args);
    for (uint32_t done = 0; done < size; done += MEM_ZEROS_SIZE)
      ttl_emu_read(get_noc_addr(MEM_ZEROS_BASE, noc_), to + done, size - done < MEM_ZEROS_SIZE ? size - done : MEM_ZEROS_SIZE, noc_, 0, place);
  }
  void write_zeros_l1_barrier(TTL_EMU_AT) const { ttl_emu_barrier(ttl_emu::kReads, noc_, 0, place); }

  template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool tracing = true, typename Src, typename Dst>
  void async_read(const Src &src, const Dst &dst, uint32_t size, const typename noc_traits_t<Src>::src_args_type &src_args,
                  const typename noc_traits_t<Dst>::dst_args_type &dst_args, const NocOptVals &values = {}, TTL_EMU_AT) const {
    ttl_emu_read(noc_traits_t<Src>::remote(src, src_args), noc_traits_t<Dst>::local_dst(dst, dst_args), size, noc_, values.trid, place);
  }
  template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src>
  void set_async_read_state(const Src &src, uint32_t size, const typename noc_traits_t<Src>::src_args_type &src_args, const NocOptVals & = {}) const {
    ttl_emu_self->read_state = noc_traits_t<Src>::remote(src, src_args);
    ttl_emu_self->read_size = size;
  }
  template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, typename Src, typename Dst>
  void async_read_with_state(const Src &src, const Dst &dst, uint32_t size, const typename noc_traits_t<Src>::src_args_type &src_args,
                             const typename noc_traits_t<Dst>::dst_args_type &dst_args, const NocOptVals &values = {}, TTL_EMU_AT) const {
    const uint64_t local = noc_traits_t<Src>::remote(src, src_args) & ~ttl_emu::kNode;
    ttl_emu_read((ttl_emu_self->read_state & ttl_emu::kNode) | local, noc_traits_t<Dst>::local_dst(dst, dst_args), size, noc_, values.trid, place);
  }
  template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool tracing = true, typename Src, typename Dst>
  void async_write(const Src &src, const Dst &dst, uint32_t size, const typename noc_traits_t<Src>::src_args_type &src_args,
                   const typename noc_traits_t<Dst>::dst_args_type &dst_args, const NocOptVals &values = {}, TTL_EMU_AT) const {
    ttl_emu_write(noc_traits_t<Src>::local_src(src, src_args), noc_traits_t<Dst>::remote(dst, dst_args), size, 1, noc_, values.vc,
                  has_flag(options, NocOptions::POSTED) ? ttl_emu::kPosted : ttl_emu::kPlain, place);
  }
  template <NocOptions options = NocOptions::DEFAULT, uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool tracing = true, typename Src, typename Dst>
  void async_write_multicast(const Src &src, const Dst &dst, uint32_t size, uint32_t receivers, const typename noc_traits_t<Src>::src_args_type &src_args,
                             const typename noc_traits_t<Dst>::dst_args_mcast_type &dst_args, bool linked = false, TTL_EMU_AT) const {
    ttl_emu_write(noc_traits_t<Src>::local_src(src, src_args), noc_traits_t<Dst>::multicast(dst, dst_args), size, receivers, noc_, NOC_MULTICAST_WRITE_VC,
                  ttl_emu::kMulticast | (has_flag(options, NocOptions::MCAST_INCL_SRC) ? ttl_emu::kLoopback : 0u) | (linked ? ttl_emu::kLinked : 0u), place);
  }
  template <NocOptions options = NocOptions::DEFAULT, typename Dst>
  void inline_dw_write(const Dst &dst, uint32_t value, const typename noc_traits_t<Dst>::dst_args_type &dst_args, uint8_t = 0xF, const NocOptVals &values = {}, TTL_EMU_AT) const {
    ttl_emu_write_word(noc_traits_t<Dst>::remote(dst, dst_args), value, noc_, values.vc, ttl_emu::kPlain, place);
  }
  template <NocOptions options = NocOptions::DEFAULT>
  void async_read_barrier(const NocOptVals &values = {}, TTL_EMU_AT) const { ttl_emu_barrier(ttl_emu::kReads, noc_, values.trid, place); }
  template <NocOptions options = NocOptions::DEFAULT>
  void async_write_barrier(const NocOptVals & = {}, TTL_EMU_AT) const { ttl_emu_barrier(ttl_emu::kWrites, noc_, 0, place); }
  template <NocOptions options = NocOptions::DEFAULT>
  void async_writes_flushed(const NocOptVals & = {}, TTL_EMU_AT) const { ttl_emu_barrier(ttl_emu::kFlush, noc_, 0, place); }
  void async_atomic_barrier(TTL_EMU_AT) const { ttl_emu_barrier(ttl_emu::kAtomics, noc_, 0, place); }
  void async_full_barrier(TTL_EMU_AT) const { ttl_emu_barrier(ttl_emu::kFull, noc_, 0, place); }

 private:
  uint8_t noc_;
};

template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
class Semaphore {
 public:
  explicit Semaphore(uint32_t id, TTL_EMU_AT) : word_(ttl_emu_semaphore(id, place)) {}
  void up(uint32_t value, TTL_EMU_AT) const { ttl_emu_semaphore_set(word_, this->value() + value, place); }
  void down(uint32_t value, TTL_EMU_AT) const {
    ttl_emu_semaphore_wait(word_, value, true, place);
    ttl_emu_semaphore_set(word_, this->value() - value, place);
  }
  void wait(uint32_t value, TTL_EMU_AT) const { ttl_emu_semaphore_wait(word_, value, false, place); }
  void wait_min(uint32_t value, TTL_EMU_AT) const { ttl_emu_semaphore_wait(word_, value, true, place); }
  void set(uint32_t value, TTL_EMU_AT) const { ttl_emu_semaphore_set(word_, value, place); }
  uint32_t value() const { return *reinterpret_cast<volatile uint32_t *>(word_); }
  void up(const Noc &noc, uint32_t x, uint32_t y, uint32_t value, uint8_t vc = NOC_UNICAST_WRITE_VC, TTL_EMU_AT) const {
    ttl_emu_semaphore_inc(get_noc_addr(x, y, static_cast<uint32_t>(word_)), value, 1, noc.get_noc_id(), vc, ttl_emu::kPlain, place);
  }
  template <NocOptions options = NocOptions::DEFAULT>
  void set_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t receivers, bool = false, TTL_EMU_AT) const {
    ttl_emu_semaphore_send(static_cast<uint32_t>(word_), get_noc_multicast_addr(x0, y0, x1, y1, static_cast<uint32_t>(word_)), receivers, noc.get_noc_id(),
                           NOC_MULTICAST_WRITE_VC, ttl_emu::kMulticast | (has_flag(options, NocOptions::MCAST_INCL_SRC) ? ttl_emu::kLoopback : 0u), place);
  }
  void inc_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t value, uint32_t receivers, TTL_EMU_AT) const {
    ttl_emu_semaphore_inc(get_noc_multicast_addr(x0, y0, x1, y1, static_cast<uint32_t>(word_)), value, receivers, noc.get_noc_id(), NOC_MULTICAST_WRITE_VC,
                          ttl_emu::kMulticast, place);
  }

 private:
  uintptr_t word_;
};
#endif

namespace experimental {
using ::CircularBuffer;
using ::DataflowBuffer;
#if !defined(TTL_EMU_COMPUTE)
using ::CoreLocalMem;
using ::MulticastEndpoint;
using ::Noc;
using ::NocOptions;
using ::Semaphore;
using ::UnicastEndpoint;
using ::use;
#endif
}  // namespace experimental
