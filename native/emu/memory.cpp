// Memory of the chip, mapped so that kernels can use 32-bit addresses of their L1 as they are.
#include "machine.h"

#include <sys/mman.h>

namespace ttl::emu {

namespace {

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0
#endif

// All below 2 GiB: kernels may keep addresses in signed numbers. The process's heap may begin anywhere in the first GiB and grow, and other
// chips may stand there: after the usual place, every one that is free is good, from the top.
constexpr uintptr_t kUsual = 0x40000000, kFirst = 0x10000000, kStep = 0x01000000;

bool map_at(uintptr_t place, size_t size) {
  void *wanted = reinterpret_cast<void *>(place);
  void *got = mmap(wanted, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) return true;
  if (got != MAP_FAILED) munmap(got, size);
  return false;
}

// 0 where none is free.
uintptr_t map_below_2_gib(size_t size) {
  if (size > kEnd - kFirst) return 0;
  if (kUsual + size <= kEnd && map_at(kUsual, size)) return kUsual;
  for (uintptr_t place = (kEnd - size) / kStep * kStep; place >= kFirst; place -= kStep)
    if (map_at(place, size)) return place;
  return 0;
}

void give(Machine &machine, Core &core, uintptr_t place) {
  core.l1 = static_cast<uint32_t>(place);
  machine.owners[place >> kSlotBits] = &core;
}

}  // namespace

bool map_memory(Machine &machine, uint32_t banks) {
  if (machine.chips.size() == 1) {
    const uintptr_t base = map_below_2_gib(machine.cores.size() << kSlotBits);
    if (!base) return false;
    for (const auto &core : machine.cores) give(machine, *core, base + (uintptr_t{core->index} << kSlotBits));
  }
  for (const auto &chip : machine.chips)
    for (uint32_t bank = 0; bank < banks; ++bank) {
      void *found = mmap(nullptr, machine.dram_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (found == MAP_FAILED) return false;
      chip->dram.push_back(static_cast<uint8_t *>(found));
    }
  return true;
}

bool map_core(Machine &machine, Core &core) {
  constexpr size_t size = size_t{1} << kSlotBits;
  for (uintptr_t place = kEnd - size; place >= kFirst && !core.l1; place -= size)
    if (!machine.owners[place >> kSlotBits] && map_at(place, size)) give(machine, core, place);
  return core.l1;
}

void unmap_memory(Machine &machine) {
  for (const auto &core : machine.cores)
    if (core->l1) munmap(machine.l1(core->l1), size_t{1} << kSlotBits);
  for (const auto &chip : machine.chips) {
    for (uint8_t *bank : chip->dram) munmap(bank, machine.dram_bytes);
    chip->dram.clear();
  }
}

}  // namespace ttl::emu
