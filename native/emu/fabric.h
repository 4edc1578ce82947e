// Links between chips: packets that kernels send, routers that pass them on, slots that hold them on the way.
//
// A link leads one way. A packet lies in a slot of the router that sends it, crosses the wire when the router at the other
// end has a free slot, and leaves that one for memory of the chip, or for a slot of the next link. So a packet is stored
// whole at each hop, and what cannot be put away at its end stops all that is behind it, back to the kernel.
#pragma once

#include <deque>

#include "machine.h"

namespace ttl::emu {

// Where the packets of a link come from: kernels of its chip, a link that turned, a link in the same direction. Each has
// slots of its own, and on a ring those that begin a direction leave a free slot behind them, so that it does not fill up.
enum Way : uint32_t { kFromKernel, kTurned, kStraight, kWays };

struct Packet {
  Fiber *from = nullptr;
  Place place{"", 0};
  const uint8_t *memory = nullptr;  // of the sender, until it has left
  std::vector<uint8_t> bytes;
  bool taken = false;  // has left it
  uint32_t size = 0, wire = 0;  // of the payload, and on the wire
  uint32_t device = 0, link = 0, way = kFromKernel, number = 0;
  uint8_t *to = nullptr;
  Node *node = nullptr;
  Core *core = nullptr;  // of `to`; null in DRAM
  uint32_t *word = nullptr;
  Core *word_core = nullptr;
  uint32_t value = 0;
  bool sets = false;  // the word becomes `value`, instead of growing by it
  uint64_t entered = 0;
};

struct Connection {
  enum State : uint8_t { kBuilt, kOpen, kClosed } state = kBuilt;
  Fiber *fiber = nullptr;
  uint32_t link = 0;
  Place built{"", 0};
  uint32_t granted = 0;  // slots that it has waited for, and not used
  const uint8_t *payload = nullptr;
  uint32_t payload_size = 0;
};

struct Link {
  uint32_t from = 0, to = 0, plane = 0, axis = 0;
  bool ringed = false;  // one of a ring of links
  Node near, far;  // the routers
  std::deque<Packet *> queue[kWays], held;  // at the near end; at the far end, to be put away
  uint32_t room[kWays] = {};
  std::deque<uint32_t> feeders[kWays];  // links whose first packet waits for a slot here
  uint32_t credits = 0, turn = 0;       // free slots at the far end
  bool sending = false;
  uint64_t landed = 0, entered = 0;
  Connection *open = nullptr;
  Fiber *waiter = nullptr;
  uint64_t busy = 0, bytes = 0, packets = 0;
  uint64_t blocked = 0, blocked_since = UINT64_MAX;  // cycles in which something waited for a slot at the far end
};

struct Fabric {
  std::deque<Link> links;
  std::vector<std::vector<uint32_t>> ports;  // of each chip: the links that leave it
  std::vector<uint16_t> next;                // of each pair of chips: the next chip on the way; 0xFFFF where there is none
  uint32_t slots = 0, receiver_slots = 0, packet_bytes = 0;
  std::deque<Packet> packets;
  std::deque<Connection> connections;
};

void clear(Fabric &fabric);
// A packet has got a step further.
enum Step : uint32_t { kEntered, kSent, kCame, kCredited, kSlotFreed, kLanded };
void advance(Machine &machine, const Event &event);
// At the end of a kernel: no connection stays open.
void check_connections(Fiber &fiber);

}  // namespace ttl::emu
