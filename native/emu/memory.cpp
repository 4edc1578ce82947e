// Memory of the chip, mapped so that kernels can use 32-bit addresses of their L1 as they are.
#include "machine.h"

#include <sys/mman.h>

namespace ttl::emu {

namespace {

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0
#endif

// All below 2 GiB: kernels may keep addresses in signed numbers.
constexpr uintptr_t kPlaces[] = {0x40000000, 0x30000000, 0x20000000, 0x10000000, 0x50000000, 0x60000000};

}  // namespace

bool map_memory(Machine &machine, uint32_t cores, uint32_t banks) {
  const size_t size = static_cast<size_t>(cores) << kSlotBits;
  for (uintptr_t place : kPlaces) {
    void *wanted = reinterpret_cast<void *>(place);
    void *found = mmap(wanted, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (found == wanted) {
      machine.l1_base = static_cast<uint32_t>(place);
      break;
    }
    if (found != MAP_FAILED) munmap(found, size);
  }
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
