// The unpacker where memory has no tiles: rows of elements that become tiles, and tiles that become rows.
#include <algorithm>
#include <cstring>
#include <vector>

#include "tensix.h"

namespace ttl::emu {

namespace {

// The rows of elements that tiles `from` and those beside it are made of. A buffer has pages of whole tiles, all of which
// must be there; or pages of rows, of which the last tiles may have fewer than 32.
const uint8_t *rows_in(Fiber &fiber, Buffer &buffer, uint32_t index, uint32_t width, uint32_t from) {
  const uint32_t size = tile_bytes(buffer.format);
  const uint64_t first = uint64_t{from / width} * width * size, row = uint64_t{width} * size / 32;
  const uint64_t there = uint64_t{buffer.readable()} * buffer.page;
  const bool tiles = buffer.page % size == 0 && buffer.page != row;
  if (first + (tiles ? width * uint64_t{size} : row) > there) fail(fiber, "tile-not-waited", index, from + width - 1, buffer.readable());
  const LocalBuffer &local = fiber.self.buffers[index];
  mark_read(buffer, uint64_t{buffer.popped % buffer.pages} * buffer.page + first, std::min(there - first, width * uint64_t{size}));
  uint64_t address = uint64_t{local.fifo_rd_ptr} * 16 + first;
  if (address >= uint64_t{local.fifo_limit} * 16) address -= uint64_t{local.fifo_size} * 16;
  return fiber.core->machine->l1(static_cast<uint32_t>(address));
}

// Gathers a tile out of rows of `width` tiles, in the format of the buffer.
void gather(const uint8_t *rows, uint32_t size, uint32_t width, uint32_t tile, uint8_t *to) {
  const uint32_t piece = size / 64;
  for (uint32_t half = 0; half < 64; ++half) {
    const uint32_t face = half >> 4, line = (face >> 1) * 16 + (half & 15);
    std::memcpy(to + half * piece, rows + (uint64_t{line} * width + tile) * 2 * piece + (face & 1) * piece, piece);
  }
}

void unpack_from_rows(Fiber &fiber, uint32_t index, uint32_t width, uint32_t from, uint32_t tile, bool fast) {
  Buffer &buffer = input(fiber, index);
  check_setup(fiber, kInitTilize, width);
  const uint8_t *rows = rows_in(fiber, buffer, index, width, from);
  const Costs &c = costs(fiber);
  float *values = source_bank(fiber, kSideA, index, fast ? c.unpack_fast_tilize : c.unpack_tilize);
  alignas(64) uint8_t made[4096];
  gather(rows, tile_bytes(buffer.format), width, from % width + tile, made);
  load_tile(buffer.format, made, values, keeps_bits(tensix(fiber), buffer));
  source_filled(fiber, kSideA);
}

// The values of `width` tiles side by side, row by row.
std::vector<float> untilized(Fiber &fiber, uint32_t index, uint32_t width) {
  Buffer &buffer = input(fiber, index);
  std::vector<float> rows(uint64_t{width} * kTile);
  for (uint32_t tile = 0; tile < width; ++tile) {
    alignas(64) float values[kTile];
    load_tile(buffer.format, tile_in(fiber, buffer, index, tile), values, keeps_bits(tensix(fiber), buffer));
    for (uint32_t half = 0; half < 64; ++half) {
      const uint32_t face = half >> 4, line = (face >> 1) * 16 + (half & 15);
      std::memcpy(&rows[(uint64_t{line} * width + tile) * 32 + (face & 1) * 16], values + half * 16, 16 * sizeof(float));
    }
  }
  return rows;
}

void unpack_as_rows(Fiber &fiber, uint32_t index, uint32_t width) {
  check_setup(fiber, kInitUntilize, 0);
  const std::vector<float> rows = untilized(fiber, index, width);
  for (uint32_t tile = 0; tile < width; ++tile) {
    float *values = source_bank(fiber, kSideA, index, costs(fiber).unpack_untilize);
    std::memcpy(values, &rows[uint64_t{tile} * kTile], kTile * sizeof(float));
    source_filled(fiber, kSideA);
  }
}

}  // namespace

}  // namespace ttl::emu

using namespace ttl::emu;

void ttl_emu_tilize(uint32_t in, uint32_t width, uint32_t out, uint32_t from, uint32_t to, bool fast, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role < kUnpack) return;
  const uint32_t together = fast ? tensix(fiber).section_tiles : 1;
  for (uint32_t tile = 0; tile < width; tile += together) {
    const uint32_t count = std::min(together, width - tile);
    ttl_emu_acquire(place);
    ttl_emu_dst_wait(place);
    for (uint32_t i = 0; i < count; ++i) {
      if (fiber.self.role == kUnpack) unpack_from_rows(fiber, in, width, from, tile + i, fast);
      if (fiber.self.role == kMath) check_setup(fiber, kInitTilize, width), copy_operand(fiber, i);
      ttl_emu_pack(i, out, to + tile + i, true, place);
    }
    ttl_emu_commit(place);
    ttl_emu_release(place);
  }
}

void ttl_emu_untilize(uint32_t in, uint32_t width, uint32_t out, uint32_t together, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role == kUnpack) return unpack_as_rows(fiber, in, width);
  if (fiber.self.role < kUnpack) return;
  for (uint32_t tile = 0; tile < width / together; ++tile) {
    ttl_emu_acquire(place);
    ttl_emu_dst_wait(place);
    for (uint32_t i = 0; i < together; ++i) {
      if (fiber.self.role == kMath) check_setup(fiber, kInitUntilize, 0), copy_operand(fiber, i);
      ttl_emu_pack(i, out, 0, false, place);
    }
    ttl_emu_commit(place);
    ttl_emu_release(place);
  }
}
