#include "fabric.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ttl::emu {

namespace {

uint64_t cycles(uint64_t bytes, uint32_t bytes_in_1024) { return (bytes * 1024 + bytes_in_1024 - 1) / bytes_in_1024; }

// The event says which link and packet it is about in the places of a word.
void later(Machine &machine, uint64_t time, Step step, uint32_t link, Packet *packet = nullptr) {
  Event event{};
  event.time = time;
  event.sequence = machine.sequence++;
  event.word = reinterpret_cast<uint32_t *>(packet);
  event.noc = step;
  event.value = link;
  machine.events.push(std::move(event));
}

Link &link_towards(Fabric &fabric, uint32_t from, uint32_t device, uint32_t plane) {
  const uint32_t next = fabric.next[from * fabric.ports.size() + device];
  std::vector<uint32_t> good;
  for (const uint32_t port : fabric.ports[from])
    if (fabric.links[port].to == next) good.push_back(port);
  return fabric.links[good[plane % good.size()]];
}

uint32_t number_of(const Fabric &fabric, const Link &link) {
  for (uint32_t i = 0; i < fabric.links.size(); ++i)
    if (&fabric.links[i] == &link) return i;
  return 0;
}

// Sends the next packet, where the wire and a slot at its other end are free.
void send_next(Machine &machine, Link &link, uint32_t number, uint64_t now) {
  if (link.sending) return;
  const Fabric &fabric = *machine.fabric;
  bool some = false;
  for (uint32_t i = 0; i < kWays; ++i) {
    const uint32_t way = (link.turn + i) % kWays;
    if (link.queue[way].empty()) continue;
    some = true;
    if (link.credits < (way == kStraight || !link.ringed ? 1u : std::min(2u, fabric.receiver_slots))) continue;
    Packet *packet = link.queue[way].front();
    link.queue[way].pop_front();
    if (link.blocked_since < now) link.blocked += now - link.blocked_since;
    link.blocked_since = UINT64_MAX;
    link.turn = way + 1;
    link.credits--;
    link.sending = true;
    const Costs &costs = machine.costs;
    const uint64_t takes = std::max<uint64_t>(cycles(packet->wire, costs.eth_rate), costs.eth_packet);
    link.busy += takes;
    link.bytes += packet->wire;
    link.packets++;
    if (machine.record)
      machine.record->hops.push_back({packet->entered, now, now + takes, now + takes + costs.eth_hop, number, packet->number, packet->wire, 0});
    later(machine, now + takes, kSent, number, packet);
    later(machine, now + takes + costs.eth_hop, kCame, number, packet);
    return;
  }
  if (some && link.blocked_since == UINT64_MAX) link.blocked_since = now;
}

// Puts away what has come over a link: into memory, or into a slot of the next link; in order, and as far as there is room.
void put_away(Machine &machine, Link &link, uint32_t number, uint64_t now) {
  Fabric &fabric = *machine.fabric;
  constexpr uint32_t noc = 1;  // routers write by this one
  while (!link.held.empty()) {
    Packet *packet = link.held.front();
    Passage passage = flight(link.far, link.far, noc, now);
    if (packet->device == link.to) {
      if (packet->size) passage = travel(machine, link.far, *packet->node, noc, now, packet->size);
      else passage = flight(link.far, *packet->node, noc, now);
      link.landed = std::max(link.landed, arrival(machine, passage) + chance(machine, 3000));
      later(machine, link.landed, kLanded, number, packet);
    } else {
      Link &next = link_towards(fabric, link.to, packet->device, link.plane);
      const uint32_t way = next.axis == link.axis ? kStraight : kTurned, following = number_of(fabric, next);
      if (!next.room[way]) {
        auto &feeders = next.feeders[way];
        if (std::find(feeders.begin(), feeders.end(), number) == feeders.end()) feeders.push_back(number);
        return;
      }
      next.room[way]--;
      passage = travel(machine, link.far, next.near, noc, now, packet->wire);
      packet->way = way;
      packet->link = following;
      next.entered = std::max(next.entered, arrival(machine, passage));
      later(machine, next.entered, kEntered, following, packet);
    }
    link.held.pop_front();
    later(machine, passage.ends + machine.costs.eth_hop, kCredited, number);
  }
}

void slot_freed(Link &link, uint64_t now) {
  link.room[kFromKernel]++;
  if (Fiber *waiter = std::exchange(link.waiter, nullptr)) wake(*waiter, now, nullptr);
}

void land(Machine &machine, Packet &packet, uint64_t now) {
  Fiber &fiber = *packet.from;
  if (packet.core && packet.size) {
    // What is wrong there is said of the line that sent it.
    const Place place = std::exchange(fiber.place, packet.place);
    const uint64_t clock = std::exchange(fiber.clock, now);
    const auto offset = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(packet.to) & kSlotMask);
    check_access(fiber, *packet.core, Access::kRemoteWrite, offset, packet.size);
    fiber.place = place;
    fiber.clock = clock;
  }
  if (packet.size && !machine.experiment) std::memcpy(packet.to, packet.bytes.data(), packet.size);
  if (packet.word) {
    volatile uint32_t *word = packet.word;
    *word = packet.sets ? packet.value : *word + packet.value;
    word_changed(*packet.word_core, packet.word, fiber, now, packet.number);
  }
  if (machine.record) machine.record->packets[packet.number].lands = now;
  packet.bytes = {};
}

}  // namespace

void take_along(Packet &packet) {
  if (packet.taken) return;
  packet.taken = true;
  packet.bytes.assign(packet.memory, packet.memory + packet.size);
}

void clear(Fabric &fabric) {
  for (Link &link : fabric.links) {
    for (uint32_t way = 0; way < kWays; ++way) {
      link.queue[way].clear();
      link.feeders[way].clear();
      link.room[way] = fabric.slots;
    }
    link.held.clear();
    link.near.clear();
    link.far.clear();
    link.credits = fabric.receiver_slots;
    link.turn = 0;
    link.sending = false;
    link.landed = link.entered = link.busy = link.bytes = link.packets = link.blocked = 0;
    link.blocked_since = UINT64_MAX;
    link.open = nullptr;
    link.waiter = nullptr;
  }
  fabric.packets.clear();
  fabric.connections.clear();
}

void advance(Machine &machine, const Event &event) {
  Fabric &fabric = *machine.fabric;
  Link &link = fabric.links[event.value];
  auto *packet = reinterpret_cast<Packet *>(event.word);
  switch (static_cast<Step>(event.noc)) {
    case kEntered:
      take_along(*packet);
      packet->entered = event.time;
      link.queue[packet->way].push_back(packet);
      return send_next(machine, link, event.value, event.time);
    case kSent: {
      link.sending = false;
      const uint32_t way = packet->way;
      if (way == kFromKernel) {
        const Passage passage = flight(link.near, *packet->from->core->node, 0, event.time);
        later(machine, arrival(machine, passage), kSlotFreed, event.value);
      } else {
        link.room[way]++;
        if (!link.feeders[way].empty()) {
          const uint32_t feeder = link.feeders[way].front();
          link.feeders[way].pop_front();
          put_away(machine, fabric.links[feeder], feeder, event.time);
        }
      }
      return send_next(machine, link, event.value, event.time);
    }
    case kCame:
      link.held.push_back(packet);
      return put_away(machine, link, event.value, event.time);
    case kCredited:
      link.credits++;
      return send_next(machine, link, event.value, event.time);
    case kSlotFreed:
      return slot_freed(link, event.time);
    case kLanded:
      return land(machine, *packet, event.time);
  }
}

void check_connections(Fiber &fiber) {
  const Fabric *fabric = fiber.core->machine->fabric.get();
  if (!fabric) return;
  for (const Connection &connection : fabric->connections)
    if (connection.fiber == &fiber && connection.state == Connection::kOpen)
      fail(fiber, "fabric-left-open", fabric->links[connection.link].to);
}

}  // namespace ttl::emu

using namespace ttl::emu;

namespace {

Fabric &fabric_of(Fiber &fiber) {
  Fabric *fabric = fiber.core->machine->fabric.get();
  if (!fabric) fail(fiber, "fabric-none");
  return *fabric;
}

// The connection with a number, which has to be this kernel's and open.
Connection &opened(Fiber &fiber, uint32_t number) {
  Fabric &fabric = fabric_of(fiber);
  if (number >= fabric.connections.size() || fabric.connections[number].fiber != &fiber) fail(fiber, "fabric-not-built");
  Connection &connection = fabric.connections[number];
  if (connection.state != Connection::kOpen)
    fail(fiber, "fabric-not-open", fabric.links[connection.link].to, connection.state == Connection::kClosed);
  return connection;
}

// Waits for a free slot of the router that the kernel sends to.
void wait_for_slot(Fiber &fiber, Connection &connection) {
  Link &link = fabric_of(fiber).links[connection.link];
  keep_order(fiber);
  if (!link.room[kFromKernel]) {
    link.waiter = &fiber;
    block(fiber, Waits::kLink, connection.link, 1);
  }
}

FabricHeader header_at(Fiber &fiber, uint32_t address) {
  const uint32_t offset = address & kSlotMask, begin = kHeaderBase + fiber.self.role * kHeadersOfProcessor * sizeof(FabricHeader);
  const bool good = offset >= begin && offset < begin + fiber.headers * sizeof(FabricHeader) && (offset - begin) % sizeof(FabricHeader) == 0;
  if (!good) fail(fiber, "fabric-header", offset);
  const uint8_t *memory = fiber.core->machine->l1(fiber.core->l1 + offset);
  for (const auto &writes : fiber.writes)
    for (const Write &write : writes)
      if (write.from == memory) fail(fiber, "fabric-header-busy");
  FabricHeader header;
  std::memcpy(&header, memory, sizeof header);
  return header;
}

}  // namespace

// `port`: which chip it leads towards, and which of the links there (`ttl.host.mesh_programs`).
uint32_t ttl_emu_fabric_connect(uint32_t port, Place place) {
  Fiber &fiber = enter(place);
  Fabric &fabric = fabric_of(fiber);
  const uint32_t own_chip = fiber.core->chip->index, device = port & 0xFFFF, plane = port >> 16;
  const auto chips = static_cast<uint32_t>(fabric.ports.size());
  if (device >= chips || device == own_chip) fail(fiber, "fabric-device", device, 0, chips, own_chip);
  const uint32_t next = fabric.next[own_chip * chips + device];
  if (next >= chips) fail(fiber, "fabric-no-way", own_chip, device);
  Connection made;
  made.fiber = &fiber;
  made.link = ~0u;
  uint32_t planes = 0;
  for (const uint32_t link : fabric.ports[own_chip])
    if (fabric.links[link].to == next) planes++, made.link = fabric.links[link].plane == plane ? link : made.link;
  if (made.link == ~0u) fail(fiber, "fabric-no-port", plane, planes, next);
  made.built = place;
  fabric.connections.push_back(made);
  return static_cast<uint32_t>(fabric.connections.size()) - 1;
}

void ttl_emu_fabric_open(uint32_t number, Place place) {
  Fiber &fiber = enter(place);
  Fabric &fabric = fabric_of(fiber);
  if (number >= fabric.connections.size() || fabric.connections[number].fiber != &fiber) fail(fiber, "fabric-not-built");
  Connection &connection = fabric.connections[number];
  spend(fiber, fiber.core->machine->costs.fabric_open);
  keep_order(fiber);
  Link &link = fabric.links[connection.link];
  if (connection.state == Connection::kOpen) fail(fiber, "fabric-opened-twice", link.to);
  if (link.open) fail(fiber, "fabric-taken", link.to, link.plane, link.open->fiber->core->index, link.open->fiber->self.role, link.open->fiber->kernel);
  connection.state = Connection::kOpen;
  connection.granted = 0;
  link.open = &connection;
}

void ttl_emu_fabric_close(uint32_t number, uint32_t noc, Place place) {
  Connection &connection = opened(enter(place), number);
  ttl_emu_barrier(kWrites, noc, 0, place);
  Fiber &fiber = *connection.fiber;
  // Its packets may still lie in slots of the router: the next kernel goes on behind them.
  spend(fiber, fiber.core->machine->costs.fabric_close);
  keep_order(fiber);
  connection.state = Connection::kClosed;
  fabric_of(fiber).links[connection.link].open = nullptr;
}

uint32_t ttl_emu_fabric_room(uint32_t number, Place place) {
  Connection &connection = opened(enter(place), number);
  ttl_emu_poll(place);
  return connection.granted = fabric_of(*connection.fiber).links[connection.link].room[kFromKernel];
}

void ttl_emu_fabric_wait(uint32_t number, Place place) {
  Connection &connection = opened(enter(place), number);
  Fiber &fiber = *connection.fiber;
  spend(fiber, fiber.core->machine->costs.semaphore);
  wait_for_slot(fiber, connection);
  connection.granted = fabric_of(fiber).links[connection.link].room[kFromKernel];
}

uint32_t ttl_emu_fabric_header(uint32_t count, Place place) {
  Fiber &fiber = enter(place);
  fabric_of(fiber);
  if (fiber.self.role > kNcrisc || fiber.headers + count > kHeadersOfProcessor)
    fail(fiber, "fabric-headers", fiber.headers, count, kHeadersOfProcessor);
  const uint32_t offset = kHeaderBase + (fiber.self.role * kHeadersOfProcessor + fiber.headers) * sizeof(FabricHeader);
  fiber.headers += count;
  std::memset(fiber.core->machine->l1(fiber.core->l1 + offset), 0, count * sizeof(FabricHeader));
  return fiber.core->l1 + offset;
}

void ttl_emu_fabric_headers_reset() { current().headers = 0; }

void ttl_emu_fabric_payload(uint32_t number, uint32_t from, uint32_t size, Place place) {
  Fiber &fiber = enter(place);
  Connection &connection = opened(fiber, number);
  const uint8_t *memory = own(fiber, from, size);
  if (from & 15) fail(fiber, "fabric-misaligned", from & kSlotMask, 0);
  check_access(fiber, *fiber.core, Access::kWriteFrom, from & kSlotMask, size);
  connection.payload = memory;
  connection.payload_size = size;
}

void ttl_emu_fabric_send(uint32_t number, uint32_t header_address, uint32_t noc, Place place) {
  Fiber &fiber = enter(place);
  Connection &connection = opened(fiber, number);
  Machine &machine = *fiber.core->machine;
  Fabric &fabric = *machine.fabric;
  Link &link = fabric.links[connection.link];
  const FabricHeader header = header_at(fiber, header_address);
  const auto chips = static_cast<uint32_t>(machine.chips.size()), own_chip = fiber.core->chip->index;
  if (!header.does || !header.routed) fail(fiber, "fabric-header-empty", header.does);
  if (header.mesh || header.device >= chips || header.device == own_chip)
    fail(fiber, "fabric-device", header.device, header.mesh, chips, own_chip);
  const uint32_t next = fabric.next[own_chip * chips + header.device];
  if (next >= chips) fail(fiber, "fabric-no-way", own_chip, header.device);
  if (next != link.to) fail(fiber, "fabric-direction", header.device, link.to, next);
  const bool writes = header.does & kFabricWrites;
  const uint32_t size = writes ? header.payload_size_bytes : 0;
  if (size > fabric.packet_bytes) fail(fiber, "fabric-packet", size, fabric.packet_bytes);
  if (size != (connection.payload ? connection.payload_size : 0) || (writes && !size))
    fail(fiber, "fabric-payload", size, connection.payload ? connection.payload_size : 0);
  if (!connection.granted) fail(fiber, "fabric-no-slot", link.to);
  fabric.packets.emplace_back();
  Packet &packet = fabric.packets.back();
  packet.from = &fiber;
  packet.place = place;
  packet.memory = connection.payload;
  packet.size = size;
  packet.wire = size + sizeof(FabricHeader);
  packet.device = header.device;
  packet.link = connection.link;
  packet.value = header.value;
  packet.sets = header.does & kFabricSets;
  Chip &chip = *machine.chips[header.device];
  const auto target = [&](uint64_t address, uint32_t bytes) { return at(fiber, chip, address >> 36 & 63, address >> 42 & 63, address & kLocal, bytes); };
  const uint8_t *header_memory = machine.l1(fiber.core->l1 + (header_address & kSlotMask));
  if (writes) {
    const Target to = target(header.to, size);
    const bool dram = !to.core;
    if (header.to & 15) fail(fiber, "fabric-misaligned", static_cast<int64_t>(header.to & kLocal), 1);
    packet.to = to.memory, packet.node = to.node, packet.core = to.core;
    if (dram || in_tensor(machine, header.to & kSlotMask, (header.to & kSlotMask) + size))
      check_defined(fiber, *fiber.core, static_cast<uint32_t>(packet.memory - machine.l1(fiber.core->l1)), size);
    note_written(machine, dram, header.to & (dram ? kLocal : uint64_t{kSlotMask}));
  }
  if (header.does & (kFabricAdds | kFabricSets)) {
    const Target word = target(header.word, 4);
    if (!word.core) fail(fiber, "semaphore-in-dram");
    if (header.word & 3) fail(fiber, "fabric-misaligned", static_cast<int64_t>(header.word & kLocal), 2);
    packet.word = reinterpret_cast<uint32_t *>(word.memory), packet.word_core = word.core;
    if (!packet.node) packet.node = word.node;
  }
  spend(fiber, machine.costs.fabric_send + machine.costs.write_issue * (writes ? 3 : 2));
  keep_order(fiber);
  connection.granted--;
  link.room[kFromKernel]--;
  connection.payload = nullptr;
  const Passage passage = travel(machine, *fiber.core->node, link.near, noc, fiber.clock, packet.wire);
  link.entered = std::max(link.entered, arrival(machine, passage) + chance(machine, 3000));
  packet.number = note_packet(fiber, packet.wire, connection.link, packet.device);
  const uint64_t known = std::max(link.entered, acknowledgement(machine, passage, false));
  Write write{packet.memory, 0, size, 0, 0, kPlain, passage.ends, known, UINT64_MAX};  // somebody else delivers it
  write.packet = &packet;
  if (writes) fiber.writes[noc].push_back(write);
  write.from = header_memory, write.size = sizeof(FabricHeader);
  fiber.writes[noc].push_back(write);
  fiber.writes_open[noc] = true;
  later(machine, link.entered, kEntered, connection.link, &packet);
}
