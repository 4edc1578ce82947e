#include "tensix.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ttl::emu {

namespace {

// Tiles of other formats take as long as their bytes do; of a tile by itself, asking for it takes longer than its bytes. Two
// that are unpacked together share the least that there is.
uint32_t unpack_cycles(const Fiber &fiber, Format format, uint32_t cycles, Asked asked) {
  const Costs &c = costs(fiber);
  const auto for_bytes = [&](uint32_t of_2048) { return of_2048 * tile_bytes(format) / tile_bytes(kFloat16b); };
  if (asked == kAlone) return std::max(cycles, for_bytes(c.unpack_matmul));
  return std::max(asked == kTogether ? c.unpack_least / 2 : c.unpack_least, for_bytes(cycles));
}

}  // namespace

Buffer &input(Fiber &fiber, uint32_t index) {
  if (index >= kMaxBuffers || !fiber.core->buffers[index].there) fail(fiber, "no-buffer", index);
  return fiber.core->buffers[index];
}

const uint8_t *tile_in(Fiber &fiber, Buffer &buffer, uint32_t index, uint32_t tile) {
  const uint32_t size = buffer.tile();
  const uint64_t first = uint64_t{tile} * size;
  if (first + size > uint64_t{buffer.readable()} * buffer.page) fail(fiber, "tile-not-waited", index, tile, buffer.readable());
  const LocalBuffer &local = fiber.self.buffers[index];
  mark_read(buffer, uint64_t{buffer.popped % buffer.pages} * buffer.page + first, size);
  uint64_t address = uint64_t{local.fifo_rd_ptr} * 16 + first;
  if (address >= uint64_t{local.fifo_limit} * 16) address -= uint64_t{local.fifo_size} * 16;
  return fiber.core->machine->l1(static_cast<uint32_t>(address));
}

bool keeps_bits(const Tensix &t, const Buffer &buffer) {
  return is_integer(buffer.format) || (buffer.unpack_to_dst && t.wide);
}

float *source_bank(Fiber &fiber, Side side, uint32_t index, uint32_t cycles, Asked asked) {
  Tensix &t = tensix(fiber);
  Source &source = t.source[side];
  const Buffer &buffer = input(fiber, index);
  const Setup &setup = t.setup[kUnpack - kUnpack];
  if (!setup.started) fail(fiber, "not-started");
  const Format expected = side == kSideA ? setup.a : setup.b;
  if (expected != buffer.format)
    fail(fiber, "source-format", index, buffer.format, expected, side, (side == kSideA ? setup.a_at : setup.b_at).line);
  if (source.filled - source.released == kAhead) block(fiber, Waits::kSource, side, 0);
  const uint32_t bank = source.filled % kAhead;
  comes_after(fiber, source.released_after[bank]);
  advance(fiber, source.released_at[bank], Waits::kSource, t.math);
  spend(fiber, unpack_cycles(fiber, buffer.format, cycles, asked));
  source.raw[bank] = keeps_bits(t, buffer);
  source.half[bank] = buffer.format == kFloat16;
  source.format[bank] = buffer.format;
  source.direct[bank] = way_of(t, buffer) == 2;
  return source.value[bank];
}

void source_filled(Fiber &fiber, Side side) {
  Tensix &t = tensix(fiber);
  Source &source = t.source[side];
  source.filled_at[source.filled % kAhead] = fiber.clock;
  done(fiber, source.filled_after[source.filled % kAhead]);
  source.filled++;
  if (t.math && t.math->waits == Waits::kOperand && t.math->what == side) wake(*t.math, fiber.clock, &fiber);
}

void unpack(Fiber &fiber, Side side, uint32_t index, uint32_t tile, uint32_t cycles, Asked asked) {
  Buffer &buffer = input(fiber, index);
  const uint8_t *memory = tile_in(fiber, buffer, index, tile);
  const Setup &setup = tensix(fiber).setup[kUnpack - kUnpack];
  if (setup.rearranges) fail(fiber, "unpacker-rearranges", index, setup.rearranges);
  float *values = source_bank(fiber, side, index, cycles, asked);
  load_tile(buffer, memory, values, keeps_bits(tensix(fiber), buffer));
  source_filled(fiber, side);
}

float *operand(Fiber &fiber, Side side) {
  Tensix &t = tensix(fiber);
  Source &source = t.source[side];
  if (source.filled == source.released) block(fiber, Waits::kOperand, side, 0);
  const uint32_t bank = source.released % kAhead;
  t.half = source.half[bank];
  comes_after(fiber, source.filled_after[bank]);
  advance(fiber, source.filled_at[bank], Waits::kOperand, t.unpack);
  return source.value[bank];
}

bool operand_is_raw(Fiber &fiber, Side side) {
  const Source &source = tensix(fiber).source[side];
  return source.raw[source.released % kAhead];
}

bool operand_is_direct(Fiber &fiber, Side side) {
  const Source &source = tensix(fiber).source[side];
  return source.direct[source.released % kAhead];
}

void release_operand(Fiber &fiber, Side side) {
  Tensix &t = tensix(fiber);
  Source &source = t.source[side];
  source.released_at[source.released % kAhead] = fiber.clock;
  done(fiber, source.released_after[source.released % kAhead]);
  source.released++;
  if (t.unpack && t.unpack->waits == Waits::kSource && t.unpack->what == side) wake(*t.unpack, fiber.clock, &fiber);
}

uint32_t dst_slot(Fiber &fiber, uint32_t tile) {
  Tensix &t = tensix(fiber);
  const bool packs = fiber.self.role == kPack;
  const uint32_t open = packs ? t.waited : t.acquired, closed = packs ? t.released : t.committed;
  if (open == closed) fail(fiber, packs ? "pack-before-wait" : "math-before-acquire");
  if (tile >= t.section_tiles) fail(fiber, "dst-overflow", tile, t.section_tiles, t.wide, t.sections);
  return closed % t.sections * t.section_tiles + tile;
}

float *dst_replaced(Fiber &fiber, uint32_t tile) {
  Tensix &t = tensix(fiber);
  const uint32_t slot = dst_slot(fiber, tile);
  t.rows[slot].valid = kAllRows;
  t.rows[slot].stale = 0;
  return t.dst[slot];
}

float *zero_missing(Tensix &t, uint32_t slot, uint64_t wanted) {
  Rows &rows = t.rows[slot];
  for (uint64_t missing = wanted & ~rows.valid; missing; missing &= missing - 1)
    std::memset(t.dst[slot] + 16 * std::countr_zero(missing), 0, 16 * sizeof(float));
  rows.valid |= wanted;
  return t.dst[slot];
}

float *dst_values(Fiber &fiber, uint32_t tile) {
  const uint32_t slot = dst_slot(fiber, tile);
  return zero_missing(tensix(fiber), slot);
}

void dst_written(Fiber &fiber, float *values) {
  const Tensix &t = tensix(fiber);
  if (t.wide) return;
  if (t.half)
    round_to_float16(values, kTile);
  else
    round_to_bfloat16(values, kTile);
}

}  // namespace ttl::emu

using namespace ttl::emu;

void ttl_emu_acquire(Place place) {
  Fiber &fiber = enter(place);
  // Nothing to do for the unpacker, whose processor goes around the same loop.
  if (fiber.self.role == kUnpack) spend(fiber, costs(fiber).unpack_section);
  if (fiber.self.role != kMath) return;
  Tensix &t = tensix(fiber);
  if (t.acquired != t.committed) fail(fiber, "acquired-twice");
  spend(fiber, costs(fiber).acquire);
  if (t.acquired - t.released >= t.sections) block(fiber, Waits::kDst, 0, 0);
  advance(fiber, t.released_at[t.acquired % t.sections], Waits::kDst, t.pack);
  comes_after(fiber, t.released_after[t.acquired % t.sections]);
  t.acquired++;
}

void ttl_emu_commit(Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kMath) return;
  Tensix &t = tensix(fiber);
  if (t.acquired == t.committed) fail(fiber, "commit-not-acquired");
  spend(fiber, costs(fiber).commit);
  t.committed_at[t.committed % t.sections] = fiber.clock;
  done(fiber, t.committed_after[t.committed % t.sections]);
  t.committed++;
  // `_llk_math_dest_section_done_` goes to the other half; with one section the mathematics stays where it is.
  if (t.sections > 1) address(fiber, t.committed % t.sections * t.section_tiles);
  if (t.pack && t.pack->waits == Waits::kMath) wake(*t.pack, fiber.clock, &fiber);
}

void ttl_emu_dst_wait(Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kPack) return;
  Tensix &t = tensix(fiber);
  if (t.waited != t.released) fail(fiber, "waited-twice");
  spend(fiber, costs(fiber).acquire);
  if (t.committed == t.waited) block(fiber, Waits::kMath, 0, 0);
  advance(fiber, t.committed_at[t.waited % t.sections], Waits::kMath, t.math);
  comes_after(fiber, t.committed_after[t.waited % t.sections]);
  t.waited++;
}

void ttl_emu_release(Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kPack) return;
  Tensix &t = tensix(fiber);
  if (t.waited == t.released) fail(fiber, "release-not-waited");
  spend(fiber, costs(fiber).release);
  const uint32_t section = t.released % t.sections;
  uint32_t tiles = 0;
  for (uint32_t i = 0; i < t.section_tiles; ++i) {
    Rows &rows = t.rows[section * t.section_tiles + i];
    tiles += rows.valid != 0;
    rows = {};
  }
  note_section(fiber, t.section_tiles, tiles);
  t.released_at[section] = fiber.clock;
  done(fiber, t.released_after[section]);
  t.reduced[section] = false;
  t.released++;
  if (t.math && t.math->waits == Waits::kDst) wake(*t.math, fiber.clock, &fiber);
}
