// Packets to other chips: connections to the routers of links, headers, and the functions that send.
// The names are those of TT-Metalium; what they do is in the runtime.
#pragma once

#include "ttl_emu/dataflow.h"

#define TTL_EMU_PLAIN __attribute__((no_sanitize("thread")))  // headers lie in the firmware's memory, and cost what sending does

namespace tt::tt_fabric {

struct NocUnicastCommandHeader {
  uint64_t noc_address;
};
struct NocUnicastInlineWriteCommandHeader {
  uint64_t noc_address;
  uint32_t value;
};
struct NocUnicastAtomicIncCommandHeader {
  NocUnicastAtomicIncCommandHeader(uint64_t noc_address, uint32_t val, bool flush = true) : noc_address(noc_address), val(val), flush(flush) {}
  uint64_t noc_address;
  uint32_t val;
  bool flush;
};
struct NocUnicastAtomicIncFusedCommandHeader {
  NocUnicastAtomicIncFusedCommandHeader(uint64_t noc_address, uint64_t semaphore_noc_address, uint32_t val, bool flush = true)
      : noc_address(noc_address), semaphore_noc_address(semaphore_noc_address), val(val), flush(flush) {}
  uint64_t noc_address, semaphore_noc_address;
  uint32_t val;
  bool flush;
};

struct HybridMeshPacketHeader : ttl_emu::FabricHeader {
  TTL_EMU_PLAIN volatile HybridMeshPacketHeader *to_noc_unicast_write(const NocUnicastCommandHeader &command, size_t size) volatile {
    return set(ttl_emu::kFabricWrites, command.noc_address, 0, 0, size);
  }
  TTL_EMU_PLAIN volatile HybridMeshPacketHeader *to_noc_unicast_inline_write(const NocUnicastInlineWriteCommandHeader &command) volatile {
    return set(ttl_emu::kFabricSets, 0, command.noc_address, command.value, 0);
  }
  TTL_EMU_PLAIN volatile HybridMeshPacketHeader *to_noc_unicast_atomic_inc(const NocUnicastAtomicIncCommandHeader &command) volatile {
    return set(ttl_emu::kFabricAdds, 0, command.noc_address, command.val, 0);
  }
  TTL_EMU_PLAIN volatile HybridMeshPacketHeader *to_noc_fused_unicast_write_atomic_inc(const NocUnicastAtomicIncFusedCommandHeader &command,
                                                                                       size_t size) volatile {
    return set(ttl_emu::kFabricWrites | ttl_emu::kFabricAdds, command.noc_address, command.semaphore_noc_address, command.val, size);
  }

 private:
  TTL_EMU_PLAIN volatile HybridMeshPacketHeader *set(uint32_t what, uint64_t address, uint64_t semaphore, uint32_t amount, size_t size) volatile {
    does = static_cast<uint8_t>(what);
    to = address;
    word = semaphore;
    value = amount;
    payload_size_bytes = static_cast<uint16_t>(size < 0xFFFF ? size : 0xFFFF);
    return this;
  }
};

}  // namespace tt::tt_fabric

#define PACKET_HEADER_TYPE tt::tt_fabric::HybridMeshPacketHeader

TTL_EMU_PLAIN inline bool fabric_set_unicast_route(volatile tt::tt_fabric::HybridMeshPacketHeader *header, uint16_t device, uint16_t mesh) {
  header->device = device;
  header->mesh = mesh;
  header->routed = 1;
  return true;
}

// Headers of one processor: few, and never given back but all together.
class PacketHeaderPool {
 public:
  static volatile PACKET_HEADER_TYPE *allocate_header(uint8_t count = 1, TTL_EMU_AT) {
    return reinterpret_cast<volatile PACKET_HEADER_TYPE *>(static_cast<uintptr_t>(ttl_emu_fabric_header(count, place)));
  }
  static void reset() { ttl_emu_fabric_headers_reset(); }
};

namespace tt::tt_fabric {

using ::fabric_set_unicast_route;

// A connection to the router of a link: open, send, close. Each packet needs a free slot of the router.
class WorkerToFabricEdmSender {
 public:
  WorkerToFabricEdmSender() = default;
  // Three run-time arguments, as the host's `setup_fabric_connection` gives them: the link and two semaphores.
  template <ProgrammableCoreType type, bool by_address = false>
  static WorkerToFabricEdmSender build_from_args(size_t &index, TTL_EMU_AT) {
    WorkerToFabricEdmSender made;
    made.number_ = ttl_emu_fabric_connect(ttl_emu_arg(false, static_cast<uint32_t>(index++), place), place);
    for (int i = 0; i < 2; ++i) {
      const uint32_t semaphore = ttl_emu_arg(false, static_cast<uint32_t>(index++), place);
      if constexpr (!by_address) ttl_emu_semaphore(semaphore, place);
    }
    return made;
  }
  template <bool credits = false, bool posted = false>
  void open(TTL_EMU_AT) { ttl_emu_fabric_open(number_, place); }
  template <bool credits = false, bool posted = false>
  void open_start(TTL_EMU_AT) { ttl_emu_fabric_open(number_, place); }
  template <bool posted = false>
  void open_finish() {}
  template <bool posted = false>
  void close(TTL_EMU_AT) { ttl_emu_fabric_close(number_, noc_index, place); }
  template <bool posted = false>
  void close_start() {}
  template <bool posted = false>
  void close_finish(TTL_EMU_AT) { ttl_emu_fabric_close(number_, noc_index, place); }

  uint32_t get_num_free_write_slots(TTL_EMU_AT) const { return ttl_emu_fabric_room(number_, place); }
  template <size_t slots = 1>
  bool edm_has_space_for_packet(TTL_EMU_AT) const { return ttl_emu_fabric_room(number_, place) >= slots; }
  void wait_for_empty_write_slot(TTL_EMU_AT) const { ttl_emu_fabric_wait(number_, place); }

  template <bool posted = false>
  void send_payload_without_header_non_blocking_from_address(uint32_t from, size_t size, uint8_t noc = noc_index, TTL_EMU_AT) {
    ttl_emu_fabric_payload(number_, from, static_cast<uint32_t>(size), place);
  }
  // These send a header, behind the payload that was put into the slot before it.
  template <bool posted = false>
  void send_payload_flush_non_blocking_from_address(uint32_t header, size_t size, uint8_t noc = noc_index, TTL_EMU_AT) {
    ttl_emu_fabric_send(number_, header, noc, place);
  }
  template <bool posted = false>
  void send_payload_non_blocking_from_address(uint32_t header, size_t size, uint8_t noc = noc_index, TTL_EMU_AT) {
    ttl_emu_fabric_send(number_, header, noc, place);
  }
  template <bool posted = false>
  void send_payload_flush_blocking_from_address(uint32_t header, size_t size, uint8_t noc = noc_index, TTL_EMU_AT) {
    ttl_emu_fabric_send(number_, header, noc, place);
    ttl_emu_barrier(ttl_emu::kFlush, noc, 0, place);
  }
  template <bool posted = false>
  void send_payload_blocking_from_address(uint32_t header, size_t size, uint8_t noc = noc_index, TTL_EMU_AT) {
    ttl_emu_fabric_send(number_, header, noc, place);
    ttl_emu_barrier(ttl_emu::kWrites, noc, 0, place);
  }

 private:
  uint32_t number_ = 0xFFFFFFFF;
};

}  // namespace tt::tt_fabric

namespace ttl_emu {
template <bool SetRoute, typename Sender>
inline void send_packet(Sender *to, volatile PACKET_HEADER_TYPE *header, uint32_t device, uint32_t mesh, uint32_t from, uint32_t size, Place place) {
  if constexpr (SetRoute) ::fabric_set_unicast_route(header, static_cast<uint16_t>(device), static_cast<uint16_t>(mesh));
  to->wait_for_empty_write_slot(place);
  if (size) to->send_payload_without_header_non_blocking_from_address(from, size, noc_index, place);
  to->send_payload_flush_non_blocking_from_address(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(header)), sizeof(*header), noc_index, place);
}
}  // namespace ttl_emu

namespace tt::tt_fabric::mesh::experimental {

template <typename Sender, bool SetRoute = true>
inline void fabric_unicast_noc_unicast_write(Sender *to, volatile PACKET_HEADER_TYPE *header, uint8_t device, uint16_t mesh, uint32_t from,
                                             uint32_t size, NocUnicastCommandHeader command, TTL_EMU_AT) {
  header->to_noc_unicast_write(command, size);
  ttl_emu::send_packet<SetRoute>(to, header, device, mesh, from, size, place);
}
template <typename Sender>
inline void fabric_unicast_noc_unicast_atomic_inc(Sender *to, volatile PACKET_HEADER_TYPE *header, uint8_t device, uint16_t mesh,
                                                  NocUnicastAtomicIncCommandHeader command, TTL_EMU_AT) {
  header->to_noc_unicast_atomic_inc(command);
  ttl_emu::send_packet<true>(to, header, device, mesh, 0, 0, place);
}
template <typename Sender>
inline void fabric_unicast_noc_unicast_inline_write(Sender *to, volatile PACKET_HEADER_TYPE *header, uint8_t device, uint16_t mesh,
                                                    NocUnicastInlineWriteCommandHeader command, TTL_EMU_AT) {
  header->to_noc_unicast_inline_write(command);
  ttl_emu::send_packet<true>(to, header, device, mesh, 0, 0, place);
}
template <typename Sender, bool SetRoute = true>
inline void fabric_unicast_noc_fused_unicast_with_atomic_inc(Sender *to, volatile PACKET_HEADER_TYPE *header, uint8_t device, uint16_t mesh,
                                                             uint32_t from, uint32_t size, NocUnicastAtomicIncFusedCommandHeader command, TTL_EMU_AT) {
  header->to_noc_fused_unicast_write_atomic_inc(command, size);
  ttl_emu::send_packet<SetRoute>(to, header, device, mesh, from, size, place);
}

}  // namespace tt::tt_fabric::mesh::experimental
