// What kernels must not do with memory and circular buffers. Each rule names itself; the words are Python's (`ttl.emu.mistakes`).
#include <dlfcn.h>

#include <algorithm>

#include "fabric.h"

namespace ttl::emu {

namespace {

bool overlaps(uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end) { return a < b_end && b < a_end; }

// Whether bytes of a buffer lie in pages that begin at page `first` of a ring.
bool in_window(const Buffer &buffer, uint32_t first, uint32_t pages, uint64_t begin, uint64_t end) {
  if (!pages) return false;
  const uint64_t size = uint64_t{buffer.pages} * buffer.page, from = uint64_t{first % buffer.pages} * buffer.page;
  const uint64_t relative = (begin + size - from) % size;
  return relative + (end - begin) <= uint64_t{pages} * buffer.page;
}

bool allowed(const Buffer &buffer, Access access, uint64_t begin, uint64_t end) {
  if (in_window(buffer, buffer.pushed, buffer.reserved, begin, end)) return true;
  // Who waits for a page owns it until it is popped, and may write to it, too.
  return access != Access::kRemoteWrite && in_window(buffer, buffer.popped, buffer.waited, begin, end);
}

// Calls `visit(index, buffer, begin, end)` for each buffer with a part of some memory, which is given as offsets in it.
template <typename Visit>
void each_overlap(Core &core, uint64_t begin, uint64_t end, Visit visit) {
  for (const uint8_t index : core.present) {
    Buffer &buffer = core.buffers[index];
    const uint64_t first = buffer.base, last = first + uint64_t{buffer.pages} * buffer.page;
    if (overlaps(begin, end, first, last)) visit(index, buffer, std::max(begin, first) - first, std::min(end, last) - first);
  }
}

void mark(Core &core, uint64_t begin, uint64_t end, bool read) {
  each_overlap(core, begin, end, [&](uint32_t, Buffer &buffer, uint64_t first, uint64_t last) {
    mark_read(buffer, first, last - first);  // or overwritten: its contents were not forgotten
    if (!read) mark_filled(buffer, first, last - first);
  });
}

// Ends the run because of a load or store of the kernel itself: where it is, is known by the address of the instruction.
[[noreturn]] void fail_at(Fiber &fiber, const void *after, const char *kind, int64_t a = 0, int64_t b = 0, int64_t c = 0,
                          int64_t d = 0) {
  Dl_info info;
  Failure &failure = fiber.core->machine->failure;
  if (after && dladdr(const_cast<void *>(after), &info)) {
    failure.object = info.dli_fname;
    failure.instruction = reinterpret_cast<uintptr_t>(after) - reinterpret_cast<uintptr_t>(info.dli_fbase) - 1;
  }
  fail(fiber, kind, a, b, c, d);
}

constexpr const char *kKinds[] = {"read-into-page", "write-from-page", "write-into-page", "load-from-page", "store-into-page"};

void check_access_at(Fiber &fiber, Core &core, Access access, uint32_t offset, uint32_t size, const void *after) {
  const uint64_t end = uint64_t{offset} + size;
  const bool reads = access == Access::kWriteFrom || access == Access::kLoad;
  const Machine &machine = *core.machine;
  if (machine.experiment) return;
  if (!reads && offset < machine.l1_reserved && offset - machine.semaphore_offset >= kSemaphoreBytes &&
      (!machine.fabric || offset - kHeaderBase >= kHeaderBytes))
    fail_at(fiber, after, "reserved-memory", offset, machine.l1_reserved, core.index);
  if (in_tensor(*core.machine, offset, end)) return;
  each_overlap(core, offset, end, [&](uint32_t index, Buffer &buffer, uint64_t begin, uint64_t last) {
    if (allowed(buffer, access, begin, last)) return;
    // Buffers may share memory: one that allows it is enough.
    bool good = false;
    each_overlap(core, buffer.base + begin, buffer.base + last, [&](uint32_t, const Buffer &other, uint64_t b, uint64_t e) {
      good |= e - b == last - begin && allowed(other, access, b, e);
    });
    if (good) return;
    if (!buffer.reserves) {
      if (!buffer.early.fiber)
        buffer.early = {&fiber, fiber.place, kKinds[static_cast<uint32_t>(access)], fiber.clock, begin / buffer.page, core.index};
      return;
    }
    const auto page = static_cast<int64_t>(begin / buffer.page);
    fail_at(fiber, after, kKinds[static_cast<uint32_t>(access)], index, page, buffer.reserved, core.index);
  });
  mark(core, offset, end, reads);
}

// A load or store in the text of a kernel.
void touch(uintptr_t address, uint32_t size, bool store, const void *after) {
  if (!ttl_emu_self) return;
  Fiber &fiber = current();
  Machine &machine = *fiber.core->machine;
  if (address <= kSlotMask) fail_at(fiber, after, store ? "store-nowhere" : "load-nowhere", static_cast<int64_t>(address));
  Core *owner = address < kEnd ? machine.owners[address >> kSlotBits] : nullptr;
  if (!owner) return;
  spend(fiber, uint64_t{store ? machine.costs.store : machine.costs.load} * ((size + 3) / 4));
  Core &core = *owner;
  const uint32_t offset = static_cast<uint32_t>(address) & kSlotMask;
  if (&core != fiber.core) fail_at(fiber, after, "foreign-memory", offset, core.index);
  const auto *begin = machine.l1(static_cast<uint32_t>(address));
  for (const auto &reads : fiber.reads)
    for (const Read &read : reads)
      if (begin < read.to + read.size && read.to < begin + size)
        fail_at(fiber, after, store ? "store-before-barrier" : "load-before-barrier", offset);
  check_access_at(fiber, core, store ? Access::kStore : Access::kLoad, offset, size, after);
}

}  // namespace

bool in_tensor(const Machine &machine, uint64_t begin, uint64_t end) {
  return std::any_of(machine.parts.begin(), machine.parts.end(), [&](const Machine::Part &part) {
    return !part.dram && overlaps(begin, end, part.begin, part.end);
  });
}

void mark_read(Buffer &buffer, uint64_t first_byte, uint64_t size) {
  for (uint64_t page = first_byte / buffer.page; page * buffer.page < first_byte + size; ++page)
    buffer.used[page % buffer.pages] = 1;
}

void check_access(Fiber &fiber, Core &core, Access access, uint32_t offset, uint32_t size) {
  check_access_at(fiber, core, access, offset, size, nullptr);
}

void mark_filled(Buffer &buffer, uint64_t first_byte, uint64_t size) {
  if (!buffer.undefined.empty()) {
    const uint64_t first = first_byte % (uint64_t{buffer.pages} * buffer.page);
    std::erase_if(buffer.undefined, [&](const auto &tile) { return overlaps(first, first + size, tile.begin, tile.end); });
  }
  for (uint64_t page = first_byte / buffer.page; page * buffer.page < first_byte + size; ++page)
    buffer.filled[page % buffer.pages] = 1;
}

void check_remote_read(Core &core, uint32_t offset, uint32_t size) { mark(core, offset, uint64_t{offset} + size, true); }

void mark_undefined(Fiber &fiber, Buffer &buffer, uint32_t index, const Buffer::Undefined &tile) {
  if (fiber.core->machine->experiment) return;
  if (in_tensor(*fiber.core->machine, buffer.base + tile.begin, buffer.base + tile.end))
    fail(fiber, "pack-undefined", tile.dst, index, tile.computed.line);
  buffer.undefined.push_back(tile);
}

void check_defined(Fiber &fiber, Core &core, uint32_t offset, uint32_t size) {
  if (core.machine->experiment) return;
  each_overlap(core, offset, uint64_t{offset} + size, [&](uint32_t index, Buffer &buffer, uint64_t begin, uint64_t end) {
    for (const auto &tile : buffer.undefined)
      if (overlaps(begin, end, tile.begin, tile.end))
        fail(fiber, "write-undefined", tile.dst, index, tile.computed.line, tile.packed.line);
  });
}

void check_alignment(Fiber &fiber, bool read, bool dram, uint64_t there, uint32_t here) {
  const Machine &machine = *fiber.core->machine;
  if (machine.experiment) return;
  const uint32_t alignment = read && dram ? machine.read_alignment : machine.l1_alignment;
  if ((there ^ here) & (alignment - 1))
    fail(fiber, read ? "read-misaligned" : "write-misaligned", static_cast<int64_t>(there), here & kSlotMask, alignment, dram);
}

void check_reserve(Fiber &fiber, Buffer &buffer, uint32_t index) {
  buffer.reserves = true;
  const Buffer::Early &early = buffer.early;
  if (!early.fiber || fiber.core->machine->experiment) return;
  early.fiber->place = early.place;
  early.fiber->clock = early.clock;
  fail(*early.fiber, early.kind, index, static_cast<int64_t>(early.page), 0, early.core);
}

void check_push(Fiber &fiber, Buffer &buffer, uint32_t index, uint32_t pages) {
  if (fiber.core->machine->experiment) return;
  if (buffer.producer && buffer.producer != &fiber) fail(fiber, "two-producers", index, buffer.producer->self.role);
  const uint8_t *begin = fiber.core->machine->l1(fiber.core->l1 + buffer.base + buffer.pushed % buffer.pages * buffer.page);
  const uint8_t *end = begin + uint64_t{pages} * buffer.page;
  for (const auto &reads : fiber.reads)
    for (const Read &read : reads)
      if (read.to < end && begin < read.to + read.size) fail(fiber, "push-before-barrier", index, pages);
  for (uint32_t i = 0; i < pages; ++i) {
    const uint32_t page = (buffer.pushed + i) % buffer.pages;
    if (fiber.self.role == kPack && !buffer.filled[page]) fail(fiber, "push-not-packed", index, i);
    // Pages that nobody filled are signals, and need no reader.
    buffer.used[page] = !buffer.filled[page];
    buffer.filled[page] = 0;
  }
  buffer.pushed_place = fiber.place;
}

void check_pop(Fiber &fiber, Buffer &buffer, uint32_t index, uint32_t pages) {
  if (fiber.core->machine->experiment) return;
  if (buffer.consumer && buffer.consumer != &fiber) fail(fiber, "two-consumers", index, buffer.consumer->self.role);
  const uint8_t *begin = fiber.core->machine->l1(fiber.core->l1 + buffer.base + buffer.popped % buffer.pages * buffer.page);
  const uint8_t *end = begin + uint64_t{pages} * buffer.page;
  for (const auto &writes : fiber.writes)
    for (const Write &write : writes)
      if (write.from && write.from < end && begin < write.from + write.size) fail(fiber, "pop-before-flush", index, pages);
  bool used = pages == 0;
  for (uint32_t i = 0; i < pages; ++i) used |= buffer.used[(buffer.popped + i) % buffer.pages] != 0;
  // A compute kernel may do without: of what it hands to its next turn the last is left over, and what a program
  // overwrites before it reads it is not computed with. So may every kernel with a program's own buffers: on a node
  // without work it takes its block and gives it back, which the language judges (TTL0303).
  if (!used && !buffer.unwanted && fiber.self.role != kUnpack) fail(fiber, "pop-not-read", index, pages);
}

// Ends of kernels: what must not be left behind.
void check_exit(Fiber &fiber) {
  if (fiber.core->machine->experiment) return;
  if (fiber.self.role == kMath || fiber.self.role == kPack) {
    const Tensix &t = *fiber.core->tensix;
    if (fiber.self.role == kMath && t.acquired != t.committed) fail(fiber, "exit-acquired");
    if (fiber.self.role == kPack && t.waited != t.released) fail(fiber, "exit-waited");
    const Fiber *other = fiber.self.role == kMath ? t.pack : t.math;
    if (other && other->done && t.committed != t.waited) fail(fiber, "exit-committed");
    return;
  }
  if (fiber.self.role > kNcrisc) return;
  check_connections(fiber);
  for (uint32_t noc = 0; noc < 2; ++noc) {
    if (!fiber.reads[noc].empty()) fail(fiber, "exit-reads", static_cast<int64_t>(fiber.reads[noc].size()));
    if (!fiber.writes[noc].empty()) fail(fiber, "exit-writes", static_cast<int64_t>(fiber.writes[noc].size()));
    if (fiber.writes_open[noc]) fail(fiber, "exit-unacknowledged");
    if (fiber.atomics_open[noc] && !fiber.leaves_atomics) fail(fiber, "exit-atomics");
  }
}

void check_buffers(Machine &machine) {
  for (auto &core : machine.cores)
    for (const uint8_t index : core->present) {
      const Buffer &buffer = core->buffers[index];
      const uint32_t left = buffer.pushed - buffer.popped;
      // Pages that are filled once for all, and seen by who waits for them, may stay.
      if (!left || (buffer.stays && !buffer.popped && buffer.waited == left)) continue;
      // A program may push what nobody asks for: of what was waited for, all has to be popped.
      if (buffer.unwanted && !buffer.waited) continue;
      if (in_tensor(machine, buffer.base, buffer.base + uint64_t{buffer.pages} * buffer.page)) continue;
      machine.failed = true;
      Failure &failure = machine.failure;
      failure.kind = "pages-left";
      failure.fiber = buffer.producer;
      failure.place = buffer.pushed_place;
      failure.clock = buffer.producer ? buffer.producer->ended : 0;
      failure.values[0] = index;
      failure.values[1] = left;
      failure.values[2] = buffer.consumer ? static_cast<int64_t>(buffer.consumer->self.role) : -1;
      return;
    }
}

}  // namespace ttl::emu

// Kernels that load or store memory themselves are compiled with calls of these, which compilers offer for finding races.
#define TTL_EMU_TOUCH(size)                                                                                          \
  TTL_EMU_API void __tsan_read##size(void *at) {                                                                     \
    ttl::emu::touch(reinterpret_cast<uintptr_t>(at), size, false, __builtin_return_address(0));                      \
  }                                                                                                                  \
  TTL_EMU_API void __tsan_write##size(void *at) {                                                                    \
    ttl::emu::touch(reinterpret_cast<uintptr_t>(at), size, true, __builtin_return_address(0));                       \
  }                                                                                                                  \
  TTL_EMU_API void __tsan_unaligned_read##size(void *at) {                                                           \
    ttl::emu::touch(reinterpret_cast<uintptr_t>(at), size, false, __builtin_return_address(0));                      \
  }                                                                                                                  \
  TTL_EMU_API void __tsan_unaligned_write##size(void *at) {                                                          \
    ttl::emu::touch(reinterpret_cast<uintptr_t>(at), size, true, __builtin_return_address(0));                       \
  }
TTL_EMU_TOUCH(1)
TTL_EMU_TOUCH(2)
TTL_EMU_TOUCH(4)
TTL_EMU_TOUCH(8)
TTL_EMU_TOUCH(16)
#undef TTL_EMU_TOUCH
TTL_EMU_API void __tsan_init() {}
TTL_EMU_API void __tsan_func_entry(void *) {}
TTL_EMU_API void __tsan_func_exit() {}
TTL_EMU_API void __tsan_read_range(void *at, unsigned long size) {
  ttl::emu::touch(reinterpret_cast<uintptr_t>(at), static_cast<uint32_t>(size), false, __builtin_return_address(0));
}
TTL_EMU_API void __tsan_write_range(void *at, unsigned long size) {
  ttl::emu::touch(reinterpret_cast<uintptr_t>(at), static_cast<uint32_t>(size), true, __builtin_return_address(0));
}
