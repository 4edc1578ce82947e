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
constexpr uintptr_t kUsual = 0x40000000, kEnd = 0x80000000, kFirst = 0x10000000, kStep = 0x01000000;

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

}  // namespace

bool map_memory(Machine &machine, uint32_t cores, uint32_t banks) {
  const size_t size = static_cast<size_t>(cores) << kSlotBits;
  machine.l1_base = static_cast<uint32_t>(map_below_2_gib(size));
  if (!machine.l1_base) return false;
  for (uint32_t bank = 0; bank < banks; ++bank) {
    void *found = mmap(nullptr, machine.dram_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) return false;
    machine.dram.push_back(static_cast<uint8_t *>(found));
  }
  return true;
}

void unmap_memory(Machine &machine) {
  if (machine.l1_base) munmap(machine.l1(machine.l1_base), machine.cores.size() << kSlotBits);
  for (uint8_t *bank : machine.dram) munmap(bank, machine.dram_bytes);
  machine.dram.clear();
  machine.l1_base = 0;
}

}  // namespace ttl::emu
