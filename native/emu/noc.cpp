// The network: transfers take time, and what they write is there when they have arrived, or somebody has made sure.
#include <algorithm>
#include <cstring>

#include "fabric.h"

namespace ttl::emu {

namespace {

}  // namespace

Target at(Fiber &fiber, Chip &chip, uint32_t x, uint32_t y, uint64_t local, uint32_t size) {
  Machine &machine = *fiber.core->machine;
  Node &node = chip.node(x, y);
  if (node.kind == Node::kWorker) {
    Core *core = machine.cores[node.index].get();
    reach(fiber, *core);
    const uint32_t offset = static_cast<uint32_t>(local) & kSlotMask;
    if (offset + uint64_t{size} > machine.l1_bytes) fail(fiber, "l1-bounds", x, y, offset, size, machine.l1_bytes);
    return {&node, machine.l1(core->l1 + offset), core};
  }
  if (node.kind == Node::kDram) {
    if (local + size > machine.dram_bytes)
      fail(fiber, "dram-bounds", node.index, static_cast<int64_t>(local), size, static_cast<int64_t>(machine.dram_bytes));
    return {&node, chip.dram[node.index] + local, nullptr};
  }
  fail(fiber, "no-node", x, y);
}

namespace {

Target unicast(Fiber &fiber, uint64_t address, uint32_t size) {
  return at(fiber, *fiber.core->chip, address >> 36 & 63, address >> 42 & 63, address & kLocal, size);
}

// Holds C++ of the user's to what it declares to do to tensors in DRAM.
void check_touched(Fiber &fiber, const Target &target, uint32_t size, bool writes) {
  if (!fiber.touches || target.core) return;
  for (const Touched &part : fiber.touched)
    if (part.written == writes && target.memory >= part.memory && target.memory + size <= part.memory + part.size) return;
  ttl_emu_assert(fiber.touches, fiber.place);
}

}  // namespace

void note_written(Machine &machine, bool dram, uint64_t offset) {
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

namespace {

// The workers of a rectangle, in rows.
template <typename Visit>
uint32_t rectangle(Fiber &fiber, uint64_t address, uint32_t noc, bool with_self, Visit visit) {
  uint32_t x0 = address >> 48 & 63, y0 = address >> 54 & 63, x1 = address >> 36 & 63, y1 = address >> 42 & 63;
  if (noc) std::swap(x0, x1), std::swap(y0, y1);
  if (x0 > x1 || y0 > y1) fail(fiber, "rectangle-reversed", x0, y0, x1, y1, noc);
  uint32_t count = 0;
  for (uint32_t y = y0; y <= y1; ++y)
    for (uint32_t x = x0; x <= x1; ++x) {
      Node &node = fiber.core->chip->node(x, y);
      if (node.kind != Node::kWorker) continue;
      if (!with_self && node.index == fiber.core->index) continue;
      ++count;
      visit(x, y);
    }
  return count;
}

uint16_t place_of(const Node::Router &router) { return static_cast<uint16_t>(router.column << 8 | router.row); }

int32_t note(Fiber &fiber, TransferKind kind, uint32_t noc, const Node &from, const Node &to, const Passage &passage,
             uint64_t arrives, uint32_t size, uint64_t there = 0, uint32_t here = 0, uint32_t receivers = 1) {
  const bool dram = from.kind == Node::kDram || to.kind == Node::kDram;
  Transfer made{fiber.clock, passage.served, passage.entered, passage.ends, arrives, size, 0, 0, kind, 0, dram, 0, 0, 0, 0, 0, 0};
  made.noc = static_cast<uint8_t>(noc);
  made.hops = static_cast<uint8_t>(passage.hops);
  made.from = place_of(from.router[noc]);
  made.to = place_of(to.router[noc]);
  made.there = static_cast<uint32_t>(there);
  made.here = here & kSlotMask;
  made.receivers = receivers;
  return note_transfer(fiber, made);
}

void put(const Machine &machine, const Write &write, uint8_t *to) {
  if (write.from) {
    if (!machine.experiment) std::memcpy(to, write.from, write.size);
  } else
    std::memcpy(to, &write.value, write.size);
}

void arrive(Fiber &fiber, const Write &write, uint32_t noc) {
  const Machine &machine = *fiber.core->machine;
  if (!(write.flags & kMulticast)) {
    put(machine, write, unicast(fiber, write.to, write.size).memory);
    return;
  }
  rectangle(fiber, write.to, noc, write.flags & kLoopback, [&](uint32_t x, uint32_t y) {
    put(machine, write, at(fiber, *fiber.core->chip, x, y, write.to & kLocal, write.size).memory);
  });
}

// A word of a core was changed as a semaphore is, which it may be without being one of those that the host sets.
void note_change(Core &core, const uint32_t *word, const Fiber &by, uint32_t Changes::*counter) {
  const auto offset = reinterpret_cast<uintptr_t>(word) - core.l1 - core.machine->semaphore_offset;
  Changes &changes = core.changes[static_cast<uint32_t>(offset / 16)];
  changes.*counter += 1;
  if (counter == &Changes::arrived) changes.by = &by;
  if (changes.helped == &by) changes.own += 1;
}

// `by`: a processor of the core, or null and a transfer.
void wake_semaphore_waiters(Core &core, uint64_t time, const Fiber *by, int32_t transfer) {
  Fiber **link = &core.semaphore_waiters;
  while (Fiber *fiber = *link) {
    const uint32_t now = *reinterpret_cast<volatile uint32_t *>(static_cast<uintptr_t>(fiber->what));
    if (fiber->at_least ? now < fiber->amount : now != fiber->amount) {
      link = &fiber->next_waiter;
      continue;
    }
    *link = fiber->next_waiter;
    if (by)
      wake(*fiber, time, by);
    else
      wake_by_transfer(*fiber, time, transfer);
  }
}

// With a seed a request takes longer, by chance, but overtakes none on its virtual channel.
uint64_t delayed(Fiber &fiber, uint32_t noc, uint32_t vc, uint64_t time) {
  Machine &machine = *fiber.core->machine;
  if (!machine.adversarial) return time;
  uint64_t &last = fiber.ordered_at[noc & 1][vc & 15];
  return last = std::max(last, time + chance(machine, 3000));
}

// With a seed: a write that has left is under way with what it took along, and arrives at its time.
void leave(Fiber &fiber, const Write &write, uint32_t noc) {
  Machine &machine = *fiber.core->machine;
  if (machine.experiment) return;
  Event event{};
  event.time = write.there_at;
  event.sequence = machine.sequence++;
  event.bytes = std::make_shared<std::vector<uint8_t>>(write.from, write.from + write.size);
  if (write.flags & kMulticast)
    rectangle(fiber, write.to, noc, write.flags & kLoopback, [&](uint32_t x, uint32_t y) {
      event.to.push_back(at(fiber, *fiber.core->chip, x, y, write.to & kLocal, write.size).memory);
    });
  else
    event.to.push_back(unicast(fiber, write.to, write.size).memory);
  machine.events.push(std::move(event));
}

// A word on its way to a core: when it is there. It is so after `earliest`, when what was sent before it has arrived.
struct Word {
  uint64_t there, known;
  int32_t transfer;
};
Word send_event(Fiber &fiber, const Target &target, uint64_t earliest, uint32_t value, bool adds, uint32_t noc, uint64_t after,
                uint32_t vc, const std::shared_ptr<Letter> &late = nullptr) {
  Machine &machine = *fiber.core->machine;
  const Passage passage = flight(*fiber.core->node, *target.node, noc, fiber.clock);
  const uint64_t there = delayed(fiber, noc, vc, std::max(earliest, arrival(machine, passage)));
  const uint64_t known = std::max(there, acknowledgement(machine, passage, false));
  const int32_t transfer =
      note(fiber, adds ? kAtomicTransfer : kWordTransfer, noc, *fiber.core->node, *target.node, passage, there, 4,
           target.core ? reinterpret_cast<uintptr_t>(target.memory) - target.core->l1 : 0);
  machine.events.push(
      {there, machine.sequence++, reinterpret_cast<uint32_t *>(target.memory), target.core, value, adds, &fiber, noc, after, transfer, late});
  return {there, known, transfer};
}

void acknowledged(Fiber &fiber, uint32_t noc, uint64_t time, int32_t transfer) {
  if (time > fiber.acknowledged_at[noc]) fiber.acknowledged_at[noc] = time, fiber.acknowledged_by[noc] = transfer;
}

}  // namespace

void change_semaphore(Core &core, uint32_t id, uint32_t value, const Fiber *helped) {
  auto *word = reinterpret_cast<volatile uint32_t *>(static_cast<uintptr_t>(core.l1 + core.machine->semaphore_offset + 16 * id));
  *word = value;
  if (helped) core.changes[id].helped = helped;
  wake_semaphore_waiters(core, 0, nullptr, kNobody);
  for (const auto &fiber : core.fibers)
    if (fiber && fiber->waits == Waits::kPoll) wake(*fiber, 0, nullptr);
  core.machine->polls = 0;
}

void deliver(Fiber &fiber, uint32_t noc, uint64_t up_to) {
  auto &writes = fiber.writes[noc];
  for (Write &write : writes) {
    if (write.sequence > up_to) continue;
    arrive(fiber, write, noc);
    write.sequence = UINT64_MAX;  // kept until flushed: the processor still has to make sure that it has left
  }
}

void word_changed(Core &core, const uint32_t *word, const Fiber &by, uint64_t time, uint32_t packet) {
  note_change(core, word, by, &Changes::arrived);
  wake_semaphore_waiters(core, time, nullptr, kFromChip - static_cast<int32_t>(packet));
}

void apply(Machine &machine, const Event &event) {
  if (!event.core && !event.bytes) return advance(machine, event);
  if (event.bytes) {
    for (uint8_t *to : event.to) std::memcpy(to, event.bytes->data(), event.bytes->size());
    return;
  }
  if (event.after) deliver(*event.from, event.noc, event.after);
  volatile uint32_t *word = event.word;
  const uint32_t value = !event.late ? event.value : event.late->left ? event.late->value : *event.late->from;
  *word = event.adds ? *word + value : value;
  // What is taken off a counter is taken by who waited for it.
  const bool taken = event.adds && static_cast<int32_t>(value) < 0;
  note_change(*event.core, const_cast<const uint32_t *>(word), *event.from, taken ? &Changes::set : &Changes::arrived);
  wake_semaphore_waiters(*event.core, event.time, nullptr, event.transfer);
}

}  // namespace ttl::emu

using namespace ttl::emu;

uint64_t ttl_emu_bank_address(bool dram, uint32_t bank, uint32_t offset) {
  Fiber &fiber = current();
  Machine &machine = *fiber.core->machine;
  spend(fiber, machine.costs.address);
  const Chip &chip = *fiber.core->chip;
  if (dram) {
    if (bank >= chip.dram_xy.size()) fail(fiber, "no-bank", bank, static_cast<int64_t>(chip.dram_xy.size()));
    return noc_address(chip.dram_xy[bank] >> 8, chip.dram_xy[bank] & 255, offset);
  }
  if (bank >= machine.cores_of_chip()) fail(fiber, "no-bank", bank, machine.cores_of_chip());
  const Core &core = *machine.cores[chip.first_core + bank];
  return noc_address(core.noc_x, core.noc_y, offset);
}

uint32_t ttl_emu_banks(bool dram) {
  const Core &core = *current().core;
  return dram ? static_cast<uint32_t>(core.chip->dram_xy.size()) : core.machine->cores_of_chip();
}

void ttl_emu_touch(uint64_t address, uint32_t size, bool written, Place place) {
  Fiber &fiber = enter(place);
  const Target target = unicast(fiber, address, size);
  if (!target.core) fiber.touched.push_back({target.memory, size, written});
}

void ttl_emu_touches(const char *text, Place) {
  Fiber &fiber = current();
  fiber.touches = text;
  if (!text) fiber.touched.clear();
}

void ttl_emu_read(uint64_t from, uint32_t to, uint32_t size, uint32_t noc, uint32_t trid, Place place) {
  Fiber &fiber = enter(place);
  if (!size) return;
  Machine &machine = *fiber.core->machine;
  const Target source = unicast(fiber, from, size);
  check_touched(fiber, source, size, false);
  uint8_t *memory = own(fiber, to, size);
  check_alignment(fiber, true, !source.core, from & kLocal, to);
  check_access(fiber, *fiber.core, Access::kReadInto, to & kSlotMask, size);
  if (source.core) check_remote_read(*source.core, from & kSlotMask, size);
  spend(fiber, machine.costs.read_issue * ((size + machine.max_packet - 1) / machine.max_packet));
  keep_order(fiber);
  const Passage passage = travel(machine, *source.node, *fiber.core->node, noc, fiber.clock, size);
  const Costs &costs = machine.costs;
  const uint64_t done = passage.ends + costs.read_fixed + uint64_t{costs.hop} * (passage.hops + passage.back) +
                        (source.node->kind == Node::kDram ? costs.dram_read : 0) + chance(machine, 3000);
  if (machine.adversarial) std::memset(memory, 0xFF, size);  // what is there before the barrier is anybody's guess
  const int32_t transfer = note(fiber, kReadTransfer, noc, *source.node, *fiber.core->node, passage, done, size,
                                from & (source.core ? uint64_t{kSlotMask} : kLocal), to);
  fiber.reads[noc].push_back({source.memory, memory, size, trid, done, transfer});
}

void ttl_emu_write(uint32_t from, uint64_t to, uint32_t size, uint32_t receivers, uint32_t noc, uint32_t vc, uint32_t flags,
                   Place place) {
  Fiber &fiber = enter(place);
  if (!size) return;
  Machine &machine = *fiber.core->machine;
  const uint8_t *memory = own(fiber, from, size);
  check_access(fiber, *fiber.core, Access::kWriteFrom, from & kSlotMask, size);
  spend(fiber, machine.costs.write_issue * ((size + machine.max_packet - 1) / machine.max_packet));
  keep_order(fiber);
  Write write{memory, to, size, 0, vc, flags, 0, 0, ++machine.sequence};
  if (flags & kMulticast) {
    auto &nodes = machine.targets;
    nodes.clear();
    const uint32_t count = rectangle(fiber, to, noc, flags & kLoopback, [&](uint32_t x, uint32_t y) {
      const Target target = at(fiber, *fiber.core->chip, x, y, to & kLocal, size);
      check_access(fiber, *target.core, Access::kRemoteWrite, to & kSlotMask, size);
      nodes.push_back(target.node);
    });
    if (count != receivers) fail(fiber, "receivers", receivers, count);
    check_alignment(fiber, false, false, to & kLocal, from);
    note_written(machine, false, to & kSlotMask);
    const Passage passage = spread(machine, *fiber.core->node, nodes, noc, fiber.clock, size, flags & kLinked);
    write.left_at = passage.ends;
    write.there_at = arrival(machine, passage);
    write.arrives_at = acknowledgement(machine, passage, false);
    const Node &last = nodes.empty() ? *fiber.core->node : *nodes.back();
    write.transfer =
        note(fiber, kMulticastTransfer, noc, *fiber.core->node, last, passage, write.there_at, size, to & kSlotMask, from, count);
  } else {
    const Target target = unicast(fiber, to, size);
    check_touched(fiber, target, size, true);
    const bool dram = target.node->kind == Node::kDram;
    check_alignment(fiber, false, dram, to & kLocal, from);
    if (dram || in_tensor(machine, to & kSlotMask, (to & kSlotMask) + size))
      check_defined(fiber, *fiber.core, from & kSlotMask, size);
    if (target.core) check_access(fiber, *target.core, Access::kRemoteWrite, to & kSlotMask, size);
    note_written(machine, dram, dram ? to & kLocal : to & kSlotMask);
    const Passage passage = travel(machine, *fiber.core->node, *target.node, noc, fiber.clock, size);
    write.left_at = passage.ends;
    write.there_at = arrival(machine, passage);
    write.arrives_at = acknowledgement(machine, passage, dram);
    write.transfer = note(fiber, kWriteTransfer, noc, *fiber.core->node, *target.node, passage, write.arrives_at, size,
                          to & (dram ? kLocal : uint64_t{kSlotMask}), from);
  }
  write.there_at = delayed(fiber, noc, vc, write.there_at);
  write.arrives_at = std::max(write.arrives_at, write.there_at);
  fiber.writes[noc].push_back(write);
  fiber.writes_open[noc] = true;
}

void ttl_emu_write_word(uint64_t to, uint32_t value, uint32_t noc, uint32_t vc, uint32_t flags, Place place) {
  Fiber &fiber = enter(place);
  Machine &machine = *fiber.core->machine;
  spend(fiber, machine.costs.write_issue);
  keep_order(fiber);
  const Target target = unicast(fiber, to, 4);
  if (target.core) {
    const Word word = send_event(fiber, target, 0, value, false, noc, 0, vc);
    acknowledged(fiber, noc, word.known, word.transfer);
  }
  (void)flags;
}

void ttl_emu_barrier(Barrier kind, uint32_t noc, uint32_t trid, Place place) {
  Fiber &fiber = enter(place);
  Machine &machine = *fiber.core->machine;
  uint64_t time = 0;
  uint8_t reason = kReadsDone;
  int32_t by = kNobody;
  const auto later = [&](uint64_t when, Reason why, int32_t transfer) {
    if (when > time) time = when, reason = why, by = transfer;
  };
  if (kind == kReads || kind == kFull) {
    auto &reads = fiber.reads[noc];
    size_t kept = 0;
    for (const Read &read : reads) {
      if (trid && read.trid != trid) {
        reads[kept++] = read;
        continue;
      }
      std::memcpy(read.to, read.from, read.size);
      later(read.done_at, kReadsDone, read.transfer);
    }
    reads.resize(kept);
  }
  if (kind == kWrites || kind == kFlush || kind == kPostedFlush || kind == kFull) {
    for (const Write &write : fiber.writes[noc]) {
      if (write.packet) take_along(*write.packet);
      if (write.sequence != UINT64_MAX && machine.adversarial)
        leave(fiber, write, noc);
      else if (write.sequence != UINT64_MAX)
        arrive(fiber, write, noc);
      later(write.left_at, kWritesDone, write.transfer);
      acknowledged(fiber, noc, write.arrives_at, write.transfer);
    }
    fiber.writes[noc].clear();
    for (const auto &letter : fiber.sent[noc]) letter->value = *letter->from, letter->left = true;
    fiber.sent[noc].clear();
  }
  if (kind == kWrites || kind == kFull) {
    later(fiber.acknowledged_at[noc], kWritesDone, fiber.acknowledged_by[noc]);
    fiber.writes_open[noc] = false;
  }
  if (kind == kAtomics || kind == kFull) {
    later(fiber.atomics_at[noc], kAtomicsDone, fiber.atomics_by[noc]);
    fiber.atomics_open[noc] = false;
  }
  advance_for(fiber, time, reason, by);
  spend(fiber, machine.costs.barrier);
  if (machine.adversarial) keep_order(fiber);
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
  if (word <= kSlotMask) word += fiber.core->l1;  // a global semaphore: one offset in every L1
  *reinterpret_cast<volatile uint32_t *>(word) = value;
  note_change(*fiber.core, reinterpret_cast<const uint32_t *>(word), fiber, &Changes::set);
  wake_semaphore_waiters(*fiber.core, fiber.clock, &fiber, kNobody);
}

void ttl_emu_semaphore_wait(uintptr_t word, uint32_t value, bool at_least, Place place) {
  Fiber &fiber = enter(place);
  spend(fiber, fiber.core->machine->costs.semaphore);
  keep_order(fiber);
  if (word <= kSlotMask) word += fiber.core->l1;
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
  uint64_t after = 0, earliest = 0;
  for (const Write &write : fiber.writes[noc])
    if (write.vc == vc && write.sequence != UINT64_MAX) after = write.sequence, earliest = std::max(earliest, write.there_at);
  const auto send = [&](const Target &target) {
    if (!target.core) fail(fiber, "semaphore-in-dram");
    const Word sent = send_event(fiber, target, earliest, by, true, noc, after, vc);
    if (sent.known > fiber.atomics_at[noc]) fiber.atomics_at[noc] = sent.known, fiber.atomics_by[noc] = sent.transfer;
  };
  if (flags & kMulticast) {
    const uint32_t count = rectangle(fiber, word, noc, flags & kLoopback, [&](uint32_t x, uint32_t y) {
      send(at(fiber, *fiber.core->chip, x, y, word & kLocal, 4));
    });
    if (count != receivers) fail(fiber, "receivers", receivers, count);
  } else {
    send(unicast(fiber, word, 4));
  }
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
  uint64_t after = 0, earliest = 0;
  for (const Write &write : fiber.writes[noc])
    if (write.vc == vc && write.sequence != UINT64_MAX) after = write.sequence, earliest = std::max(earliest, write.there_at);
  std::shared_ptr<Letter> late;
  if (machine.adversarial) {
    late = std::make_shared<Letter>(Letter{reinterpret_cast<const uint32_t *>(own(fiber, from, 4)), value, false});
    fiber.sent[noc].push_back(late);
  }
  const auto send = [&](const Target &target) {
    if (!target.core) fail(fiber, "semaphore-in-dram");
    const Word sent = send_event(fiber, target, earliest, value, false, noc, after, vc, late);
    acknowledged(fiber, noc, sent.known, sent.transfer);
  };
  if (flags & kMulticast) {
    const uint32_t count = rectangle(fiber, to, noc, flags & kLoopback, [&](uint32_t x, uint32_t y) {
      send(at(fiber, *fiber.core->chip, x, y, to & kLocal, 4));
    });
    if (count != receivers) fail(fiber, "receivers", receivers, count);
  } else {
    send(unicast(fiber, to, 4));
  }
  // It has to leave like any other write.
  fiber.writes[noc].push_back({nullptr, to, 4, value, vc, flags, fiber.clock, fiber.acknowledged_at[noc], UINT64_MAX});
  fiber.writes_open[noc] = true;
}

void ttl_emu_poll(Place place) {
  Fiber &fiber = enter(place);
  Machine &machine = *fiber.core->machine;
  spend(fiber, machine.costs.poll);
  // Whoever can go on polls, too, and nothing is under way: what they poll for never comes.
  if (machine.ready.size() == machine.polling && machine.events.empty()) {
    if (++machine.polls > 10000) {
      block(fiber, Waits::kPoll, 0, 0);
      return;
    }
  } else {
    machine.polls = 0;
  }
  machine.polling++;
  keep_order(fiber);
  machine.polling--;
}

void ttl_emu_spend(uint32_t cycles, Place place) { spend(enter(place), cycles); }
