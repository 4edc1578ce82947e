// The network: transfers take time, and what they write is there when they have arrived, or somebody has made sure.
#include <algorithm>
#include <cstring>

#include "machine.h"

namespace ttl::emu {

namespace {

struct Target {
  Node *node;
  uint8_t *memory;
  Core *core;
};

constexpr uint64_t kLocal = (uint64_t{1} << 36) - 1;

Target at(Fiber &fiber, uint32_t x, uint32_t y, uint64_t local, uint32_t size) {
  Machine &machine = *fiber.core->machine;
  Node &node = machine.node(x, y);
  if (node.kind == Node::kWorker) {
    Core *core = machine.cores[node.index].get();
    const uint32_t offset = static_cast<uint32_t>(local) & kSlotMask;
    if (offset + uint64_t{size} > machine.l1_bytes) fail(fiber, "l1-bounds", x, y, offset, size, machine.l1_bytes);
    return {&node, machine.l1(core->l1 + offset), core};
  }
  if (node.kind == Node::kDram) {
    if (local + size > machine.dram_bytes)
      fail(fiber, "dram-bounds", node.index, static_cast<int64_t>(local), size, static_cast<int64_t>(machine.dram_bytes));
    return {&node, machine.dram[node.index] + local, nullptr};
  }
  fail(fiber, "no-node", x, y);
}

Target unicast(Fiber &fiber, uint64_t address, uint32_t size) {
  return at(fiber, address >> 36 & 63, address >> 42 & 63, address & kLocal, size);
}

// Remembers which tensors a program writes.
void note(Machine &machine, bool dram, uint64_t offset) {
  for (auto &part : machine.parts)
    if (part.dram == dram && offset >= part.begin && offset < part.end) part.written = true;
}

uint8_t *own(Fiber &fiber, uint32_t address, uint32_t size) {
  Machine &machine = *fiber.core->machine;
  const uint32_t offset = address & kSlotMask;
  if (offset + uint64_t{size} > machine.l1_bytes)
    fail(fiber, "l1-bounds", fiber.core->noc_x, fiber.core->noc_y, offset, size, machine.l1_bytes);
  return machine.l1(fiber.core->l1 + offset);
}

// The workers of a rectangle, in rows.
template <typename Visit>
uint32_t rectangle(Fiber &fiber, uint64_t address, uint32_t noc, bool with_self, Visit visit) {
  uint32_t x0 = address >> 48 & 63, y0 = address >> 54 & 63, x1 = address >> 36 & 63, y1 = address >> 42 & 63;
  if (noc) std::swap(x0, x1), std::swap(y0, y1);
  if (x0 > x1 || y0 > y1) fail(fiber, "rectangle-reversed", x0, y0, x1, y1, noc);
  uint32_t count = 0;
  for (uint32_t y = y0; y <= y1; ++y)
    for (uint32_t x = x0; x <= x1; ++x) {
      Node &node = fiber.core->machine->node(x, y);
      if (node.kind != Node::kWorker) continue;
      if (!with_self && node.index == fiber.core->index) continue;
      ++count;
      visit(x, y);
    }
  return count;
}

uint64_t cycles(uint64_t bytes, uint32_t bytes_per_1024) { return (bytes * 1024 + bytes_per_1024 - 1) / bytes_per_1024; }

uint32_t rate(const Machine &machine, const Node &node) {
  return node.kind == Node::kDram ? machine.costs.dram_bytes_per_1024 : machine.costs.l1_bytes_per_1024;
}

// When a transfer starts and ends that leaves `from` and enters `to`: each carries one at a time in each direction.
uint64_t occupy(const Machine &machine, Node &from, Node &to, uint32_t noc, uint64_t earliest, uint32_t size) {
  const uint64_t start = std::max({earliest, from.out_free[noc], to.in_free[noc]});
  const uint64_t leaves = cycles(size, rate(machine, from)), enters = cycles(size, rate(machine, to));
  from.out_free[noc] = start + leaves;
  to.in_free[noc] = start + enters;
  return start + std::max(leaves, enters);
}

void put(const Machine &machine, const Write &write, uint8_t *to) {
  (void)machine;
  if (write.from)
    std::memcpy(to, write.from, write.size);
  else
    std::memcpy(to, &write.value, write.size);
}

void arrive(Fiber &fiber, const Write &write, uint32_t noc) {
  const Machine &machine = *fiber.core->machine;
  if (!(write.flags & kMulticast)) {
    put(machine, write, unicast(fiber, write.to, write.size).memory);
    return;
  }
  rectangle(fiber, write.to, noc, write.flags & kLoopback, [&](uint32_t x, uint32_t y) {
    put(machine, write, at(fiber, x, y, write.to & kLocal, write.size).memory);
  });
}

void wake_semaphore_waiters(Core &core, uint64_t time) {
  Fiber **link = &core.semaphore_waiters;
  while (Fiber *fiber = *link) {
    const uint32_t now = *reinterpret_cast<volatile uint32_t *>(static_cast<uintptr_t>(fiber->what));
    if (fiber->at_least ? now < fiber->amount : now != fiber->amount) {
      link = &fiber->next_waiter;
      continue;
    }
    *link = fiber->next_waiter;
    wake(*fiber, time);
  }
}

void send_event(Fiber &fiber, uint8_t *word, Core *core, uint64_t time, uint32_t value, bool adds, uint32_t noc,
                uint64_t after) {
  Machine &machine = *fiber.core->machine;
  machine.events.push({time, machine.sequence++, reinterpret_cast<uint32_t *>(word), core, value, adds, &fiber, noc, after});
}

}  // namespace

void deliver(Fiber &fiber, uint32_t noc, uint64_t up_to) {
  auto &writes = fiber.writes[noc];
  size_t count = 0;
  while (count < writes.size() && writes[count].sequence <= up_to) arrive(fiber, writes[count++], noc);
  // Kept until flushed: the processor still has to make sure that they have left.
  for (size_t i = 0; i < count; ++i) writes[i].sequence = UINT64_MAX;
  std::stable_partition(writes.begin(), writes.end(), [](const Write &write) { return write.sequence != UINT64_MAX; });
}

void apply(Machine &machine, const Event &event) {
  (void)machine;
  if (event.after) deliver(*event.from, event.noc, event.after);
  volatile uint32_t *word = event.word;
  *word = event.adds ? *word + event.value : event.value;
  wake_semaphore_waiters(*event.core, event.time);
}

}  // namespace ttl::emu

using namespace ttl::emu;

uint64_t ttl_emu_bank_address(bool dram, uint32_t bank, uint32_t offset) {
  Fiber &fiber = current();
  Machine &machine = *fiber.core->machine;
  if (dram) {
    if (bank >= machine.dram_xy.size()) fail(fiber, "no-bank", bank, static_cast<int64_t>(machine.dram_xy.size()));
    return noc_address(machine.dram_xy[bank] >> 8, machine.dram_xy[bank] & 255, offset);
  }
  if (bank >= machine.cores.size()) fail(fiber, "no-bank", bank, static_cast<int64_t>(machine.cores.size()));
  const Core &core = *machine.cores[bank];
  return noc_address(core.noc_x, core.noc_y, offset);
}

uint32_t ttl_emu_banks(bool dram) {
  const Machine &machine = *current().core->machine;
  return static_cast<uint32_t>(dram ? machine.dram_xy.size() : machine.cores.size());
}

void ttl_emu_read(uint64_t from, uint32_t to, uint32_t size, uint32_t noc, uint32_t trid, Place place) {
  Fiber &fiber = enter(place);
  if (!size) return;
  Machine &machine = *fiber.core->machine;
  const Target source = unicast(fiber, from, size);
  uint8_t *memory = own(fiber, to, size);
  spend(fiber, machine.costs.read_issue * ((size + machine.max_packet - 1) / machine.max_packet));
  keep_order(fiber);
  const uint64_t end = occupy(machine, *source.node, *fiber.core->node, noc, fiber.clock, size);
  const uint64_t done = end + (source.node->kind == Node::kDram ? machine.costs.dram_read : machine.costs.l1_read);
  fiber.reads[noc].push_back({source.memory, memory, size, trid, done});
}

void ttl_emu_write(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers, uint32_t noc, uint32_t vc, uint32_t flags,
                   Place place) {
  Fiber &fiber = enter(place);
  if (!size) return;
  Machine &machine = *fiber.core->machine;
  const uint8_t *memory = own(fiber, from, size);
  spend(fiber, machine.costs.write_issue * ((size + machine.max_packet - 1) / machine.max_packet));
  keep_order(fiber);
  Write write{memory, to, size, 0, vc, flags, 0, 0, ++machine.sequence};
  if (flags & kMulticast) {
    const uint32_t count = rectangle(fiber, to, noc, flags & kLoopback, [&](uint32_t x, uint32_t y) {
      at(fiber, x, y, to & kLocal, size);
    });
    if (count != receivers) fail(fiber, "receivers", receivers, count);
    note(machine, false, to & kSlotMask);
    const uint64_t start = std::max(fiber.clock, fiber.core->node->out_free[noc]);
    fiber.core->node->out_free[noc] = start + cycles(size, machine.costs.l1_bytes_per_1024);
    write.left_at = fiber.core->node->out_free[noc];
    write.arrives_at = write.left_at + machine.costs.l1_write;
  } else {
    const Target target = unicast(fiber, to, size);
    const bool dram = target.node->kind == Node::kDram;
    note(machine, dram, dram ? to & kLocal : to & kSlotMask);
    const uint64_t end = occupy(machine, *fiber.core->node, *target.node, noc, fiber.clock, size);
    write.left_at = end;
    write.arrives_at = end + (target.node->kind == Node::kDram ? machine.costs.dram_write : machine.costs.l1_write);
  }
  fiber.writes[noc].push_back(write);
  fiber.writes_open[noc] = true;
}

void ttl_emu_write_word(uint64_t to, uint32_t value, uint32_t noc, uint32_t vc, uint32_t flags, Place place) {
  Fiber &fiber = enter(place);
  Machine &machine = *fiber.core->machine;
  spend(fiber, machine.costs.write_issue);
  keep_order(fiber);
  const Target target = unicast(fiber, to, 4);
  const uint64_t time = fiber.clock + machine.costs.l1_write;
  if (target.core) send_event(fiber, target.memory, target.core, time, value, false, noc, 0);
  fiber.acknowledged_at[noc] = std::max(fiber.acknowledged_at[noc], time);
  (void)vc, (void)flags;
}

void ttl_emu_barrier(Barrier kind, uint32_t noc, uint32_t trid, Place place) {
  Fiber &fiber = enter(place);
  Machine &machine = *fiber.core->machine;
  uint64_t time = 0;
  if (kind == kReads || kind == kFull) {
    auto &reads = fiber.reads[noc];
    size_t kept = 0;
    for (const Read &read : reads) {
      if (trid && read.trid != trid) {
        reads[kept++] = read;
        continue;
      }
      std::memcpy(read.to, read.from, read.size);
      time = std::max(time, read.done_at);
    }
    reads.resize(kept);
  }
  if (kind == kWrites || kind == kFlush || kind == kPostedFlush || kind == kFull) {
    for (const Write &write : fiber.writes[noc]) {
      if (write.sequence != UINT64_MAX) arrive(fiber, write, noc);
      time = std::max(time, write.left_at);
      fiber.acknowledged_at[noc] = std::max(fiber.acknowledged_at[noc], write.arrives_at);
    }
    fiber.writes[noc].clear();
  }
  if (kind == kWrites || kind == kFull) {
    time = std::max(time, fiber.acknowledged_at[noc]);
    fiber.writes_open[noc] = false;
  }
  if (kind == kAtomics || kind == kFull) {
    time = std::max(time, fiber.atomics_at[noc]);
    fiber.atomics_open[noc] = false;
  }
  advance(fiber, time);
  spend(fiber, machine.costs.barrier);
}

uintptr_t ttl_emu_semaphore(uint32_t id, Place place) {
  Fiber &fiber = enter(place);
  if (id >= 16) fail(fiber, "no-semaphore", id);
  return fiber.core->l1 + fiber.core->machine->semaphore_offset + 16 * id;
}

void ttl_emu_semaphore_set(uintptr_t word, uint32_t value, Place place) {
  Fiber &fiber = enter(place);
  spend(fiber, fiber.core->machine->costs.semaphore);
  keep_order(fiber);
  *reinterpret_cast<volatile uint32_t *>(word) = value;
  wake_semaphore_waiters(*fiber.core, fiber.clock);
}

void ttl_emu_semaphore_wait(uintptr_t word, uint32_t value, bool at_least, Place place) {
  Fiber &fiber = enter(place);
  spend(fiber, fiber.core->machine->costs.semaphore);
  keep_order(fiber);
  const uint32_t now = *reinterpret_cast<volatile uint32_t *>(word);
  if (at_least ? now >= value : now == value) return;
  fiber.at_least = at_least;
  fiber.next_waiter = fiber.core->semaphore_waiters;
  fiber.core->semaphore_waiters = &fiber;
  block(fiber, Waits::kSemaphore, static_cast<uint32_t>(word), value);
}

void ttl_emu_semaphore_inc(uint64_t word, uint32_t by, uint32_t receivers, uint32_t noc, uint32_t vc, uint32_t flags,
                           Place place) {
  Fiber &fiber = enter(place);
  Machine &machine = *fiber.core->machine;
  spend(fiber, machine.costs.write_issue);
  keep_order(fiber);
  // Requests on one virtual channel keep their order: writes that were issued before are there first.
  uint64_t after = 0, time = fiber.clock + machine.costs.atomic;
  for (const Write &write : fiber.writes[noc])
    if (write.vc == vc && write.sequence != UINT64_MAX) after = write.sequence, time = std::max(time, write.arrives_at);
  const auto send = [&](const Target &target) {
    if (!target.core) fail(fiber, "semaphore-in-dram");
    send_event(fiber, target.memory, target.core, time, by, true, noc, after);
  };
  if (flags & kMulticast) {
    const uint32_t count = rectangle(fiber, word, noc, flags & kLoopback, [&](uint32_t x, uint32_t y) {
      send(at(fiber, x, y, word & kLocal, 4));
    });
    if (count != receivers) fail(fiber, "receivers", receivers, count);
  } else {
    send(unicast(fiber, word, 4));
  }
  fiber.atomics_at[noc] = std::max(fiber.atomics_at[noc], time);
  if (!(flags & kPosted)) fiber.atomics_open[noc] = true;
}

void ttl_emu_semaphore_send(uint32_t from, uint64_t to, uint32_t receivers, uint32_t noc, uint32_t vc, uint32_t flags,
                            Place place) {
  Fiber &fiber = enter(place);
  Machine &machine = *fiber.core->machine;
  uint32_t value = 0;
  std::memcpy(&value, own(fiber, from, 4), 4);
  spend(fiber, machine.costs.write_issue);
  keep_order(fiber);
  uint64_t after = 0, time = fiber.clock + machine.costs.l1_write;
  for (const Write &write : fiber.writes[noc])
    if (write.vc == vc && write.sequence != UINT64_MAX) after = write.sequence, time = std::max(time, write.arrives_at);
  const auto send = [&](const Target &target) {
    if (!target.core) fail(fiber, "semaphore-in-dram");
    send_event(fiber, target.memory, target.core, time, value, false, noc, after);
  };
  if (flags & kMulticast) {
    const uint32_t count = rectangle(fiber, to, noc, flags & kLoopback, [&](uint32_t x, uint32_t y) {
      send(at(fiber, x, y, to & kLocal, 4));
    });
    if (count != receivers) fail(fiber, "receivers", receivers, count);
  } else {
    send(unicast(fiber, to, 4));
  }
  fiber.acknowledged_at[noc] = std::max(fiber.acknowledged_at[noc], time);
}

void ttl_emu_poll(Place place) {
  Fiber &fiber = enter(place);
  Machine &machine = *fiber.core->machine;
  spend(fiber, machine.costs.poll);
  // Nobody else can go on, and nothing is under way: what it polls for never comes.
  if (machine.ready.empty() && machine.events.empty()) {
    if (++machine.polls > 10000) block(fiber, Waits::kPoll, 0, 0);
  } else {
    machine.polls = 0;
  }
  keep_order(fiber);
}

void ttl_emu_spend(uint32_t cycles, Place place) { spend(enter(place), cycles); }
