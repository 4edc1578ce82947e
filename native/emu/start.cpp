// What a program finds when it begins: memory, registers and configuration, as the program before it left them, cleared, or
// at random.
#include <cstring>

#include "module.h"

namespace ttl::emu {

namespace {

// Calls `visit(begin, end)` for the parts of a memory, from `begin` to `end`, that no tensor has.
template <typename Visit>
void each_gap(const Machine &machine, bool dram, uint64_t begin, uint64_t end, Visit visit) {
  while (begin < end) {
    uint64_t until = end, next = end;
    for (const Machine::Part &part : machine.parts) {
      if (part.dram != dram || part.end <= begin || part.begin >= until) continue;
      until = std::max(part.begin, begin);
      next = part.end;
    }
    if (until > begin) visit(begin, until);
    begin = next;
  }
}

// What a program before this one left in circular buffers is no value of this one, even if it happens to be the right one:
// bytes that are NaN in every format.
void poison(Machine &machine) {
  for (const auto &core : machine.cores)
    for (const uint8_t index : core->present) {
      const Buffer &buffer = core->buffers[index];
      const uint64_t end = buffer.base + uint64_t{buffer.pages} * buffer.page;
      if (!in_tensor(machine, buffer.base, end)) std::memset(machine.l1(core->l1 + buffer.base), 0xFF, end - buffer.base);
    }
}

bool runs(const Core &core) {
  return std::any_of(std::begin(core.fibers), std::end(core.fibers), [](const auto &fiber) { return fiber != nullptr; });
}

void clear_memory(Machine &machine) {
  for (const auto &core : machine.cores) {
    if (!runs(*core)) continue;
    each_gap(machine, false, 0, machine.l1_bytes, [&](uint64_t begin, uint64_t end) {
      std::memset(machine.l1(core->l1 + static_cast<uint32_t>(begin)), 0, end - begin);
    });
    if (!core->tensix) continue;
    std::memset(core->tensix->dst, 0, sizeof core->tensix->dst);
    for (Source &source : core->tensix->source) std::memset(source.value, 0, sizeof source.value);
  }
}

// Random bits. A line of memory in four is NaN in every format, another one has numbers of the largest exponents.
class Garbage {
 public:
  explicit Garbage(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }

  void fill(void *memory, uint64_t size) {
    auto *to = static_cast<uint8_t *>(memory);
    for (uint64_t line = 0; line < size; line += 64) {
      const uint64_t kind = next() & 3, always = kind == 0 ? ~uint64_t{0} : kind == 1 ? 0x7F007F007F007F00u : 0;
      const uint64_t count = std::min<uint64_t>(64, size - line);
      for (uint64_t i = 0; i < count; i += 8) {
        const uint64_t word = next() | always;
        std::memcpy(to + line + i, &word, std::min<uint64_t>(8, count - i));
      }
    }
  }

 private:
  uint64_t state_;
};

// Kernels configure what they need; what they do not is as somebody else left it.
void garble(Garbage &garbage, Tensix &t) {
  garbage.fill(t.dst, sizeof t.dst);
  for (Source &source : t.source) garbage.fill(source.value, sizeof source.value);
  const uint64_t bits = garbage.next();
  t.half = bits & 1;
  t.add_to_dst = bits & 2;
  t.l1_accumulate = bits & 4;
  t.edge = 1 + (bits >> 3 & 3) % 3;
  t.relu = 1 + (bits >> 5 & 3) % 3;
  t.relu_threshold = static_cast<uint32_t>(garbage.next());
  for (Setup &setup : t.setup) {
    setup.kind = static_cast<Init>(garbage.next() % (kInitPackUntilizeEnd + 1));
    setup.detail = static_cast<uint32_t>(garbage.next());
    setup.function = static_cast<uint32_t>(garbage.next());
    setup.rearranges = static_cast<uint32_t>(garbage.next());
  }
}

void garble(Machine &machine) {
  constexpr uint64_t kBehind = 16384;  // bytes of DRAM behind each tensor
  for (const auto &core : machine.cores) {
    if (!runs(*core)) continue;
    Garbage garbage(machine.garbage * 256 + core->index);
    each_gap(machine, false, 0, machine.l1_bytes, [&](uint64_t begin, uint64_t end) {
      garbage.fill(machine.l1(core->l1 + static_cast<uint32_t>(begin)), end - begin);
    });
    for (const auto &fiber : core->fibers) {
      if (!fiber) continue;
      fiber->self.read_state = garbage.next();
      fiber->self.write_state = garbage.next();
      fiber->self.read_size = static_cast<uint32_t>(garbage.next());
      fiber->self.write_size = static_cast<uint32_t>(garbage.next());
    }
    if (kZerosBase < machine.l1_reserved) std::memset(machine.l1(core->l1 + kZerosBase), 0, kZerosSize);
    if (core->tensix) garble(garbage, *core->tensix);
  }
  for (const auto &chip : machine.chips)
    for (size_t bank = 0; bank < chip->dram.size(); ++bank) {
      Garbage garbage((~machine.garbage + chip->index) * 256 + bank);
      for (const Machine::Part &part : machine.parts)
        if (part.dram)
          each_gap(machine, true, part.end, std::min(part.end + kBehind, machine.dram_bytes), [&](uint64_t begin, uint64_t end) {
            garbage.fill(chip->dram[bank] + begin, end - begin);
          });
    }
}

}  // namespace

void begin(Machine &machine) {
  switch (machine.start) {
    case Start::kKept: return poison(machine);
    case Start::kCleared: clear_memory(machine); return poison(machine);
    case Start::kRandom: return garble(machine);
  }
}

void garble_stack(const Machine &machine, const Fiber &fiber, void *bottom, size_t size) {
  if (machine.start == Start::kRandom) Garbage(machine.garbage * 8192 + fiber.id).fill(bottom, size);
}

}  // namespace ttl::emu
