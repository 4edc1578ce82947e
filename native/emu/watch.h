// What goes through chosen circular buffers: copies of the pages of every push, handed to Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ttl::emu {

struct Buffer;
struct Fiber;

// Some pages that were pushed at once; as Python reads it (`ttl.emu.runtime`).
struct Pushed {
  uint32_t core, buffer;
  uint64_t first;   // how many pages were pushed before
  uint64_t offset;  // of its bytes among those kept
  uint32_t pages, unused;
};

struct Watch {
  uint64_t buffers = 0;  // a bit for each that is watched
  size_t limit = 0;      // bytes that are kept before they are handed over
  std::vector<Pushed> pushed;
  std::vector<uint8_t> bytes;
};

// Keeps the pages that are about to be pushed.
void note_push(Fiber &fiber, const Buffer &buffer, uint32_t index, uint32_t pages);

}  // namespace ttl::emu
