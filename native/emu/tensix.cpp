#include "tensix.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ttl::emu {

namespace {

// Tiles of other formats take as long as their bytes do.
uint32_t unpack_cycles(const Fiber &fiber, Format format, uint32_t cycles) {
  return std::max(costs(fiber).unpack_least, cycles * tile_bytes(format) / tile_bytes(kFloat16b));
}

}  // namespace

Buffer &input(Fiber &fiber, uint32_t index) {
  if (index >= kMaxBuffers || !fiber.core->buffers[index].there) fail(fiber, "no-buffer", index);
  return fiber.core->buffers[index];
}

const uint8_t *tile_in(Fiber &fiber, Buffer &buffer, uint32_t index, uint32_t tile) {
  const uint32_t size = tile_bytes(buffer.format);
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

float *source_bank(Fiber &fiber, Side side, uint32_t index, uint32_t cycles) {
  Tensix &t = tensix(fiber);
  Source &source = t.source[side];
  const Buffer &buffer = input(fiber, index);
  const Setup &setup = t.setup[kUnpack - kUnpack];
  if (!setup.started) fail(fiber, "not-started");
  const Format expected = side == kSideA ? setup.a : setup.b;
  if (expected != buffer.format) fail(fiber, "source-format", index, buffer.format, expected, side);
  if (source.filled - source.released == 2) block(fiber, Waits::kSource, side, 0);
  const uint32_t bank = source.filled & 1;
  advance(fiber, source.released_at[bank], Waits::kSource, t.math);
  spend(fiber, unpack_cycles(fiber, buffer.format, cycles));
  source.raw[bank] = keeps_bits(t, buffer);
  source.half[bank] = buffer.format == kFloat16;
  return source.value[bank];
}

void source_filled(Fiber &fiber, Side side) {
  Tensix &t = tensix(fiber);
  Source &source = t.source[side];
  source.filled_at[source.filled & 1] = fiber.clock;
  source.filled++;
  if (t.math && t.math->waits == Waits::kOperand && t.math->what == side) wake(*t.math, fiber.clock, &fiber);
}

void unpack(Fiber &fiber, Side side, uint32_t index, uint32_t tile, uint32_t cycles) {
  Buffer &buffer = input(fiber, index);
  const uint8_t *memory = tile_in(fiber, buffer, index, tile);
  const Setup &setup = tensix(fiber).setup[kUnpack - kUnpack];
  if (setup.rearranges) fail(fiber, "unpacker-rearranges", index, setup.rearranges);
  float *values = source_bank(fiber, side, index, cycles);
  load_tile(buffer.format, memory, values, keeps_bits(tensix(fiber), buffer));
  source_filled(fiber, side);
}

float *operand(Fiber &fiber, Side side) {
  Tensix &t = tensix(fiber);
  Source &source = t.source[side];
  if (source.filled == source.released) block(fiber, Waits::kOperand, side, 0);
  const uint32_t bank = source.released & 1;
  t.half = source.half[bank];
  advance(fiber, source.filled_at[bank], Waits::kOperand, t.unpack);
  return source.value[bank];
}

bool operand_is_raw(Fiber &fiber, Side side) {
  const Source &source = tensix(fiber).source[side];
  return source.raw[source.released & 1];
}

void release_operand(Fiber &fiber, Side side) {
  Tensix &t = tensix(fiber);
  Source &source = t.source[side];
  source.released_at[source.released & 1] = fiber.clock;
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

void check_setup(Fiber &fiber, Init kind, uint32_t detail) {
  const Setup &setup = tensix(fiber).setup[kMath - kUnpack];
  if (!setup.started) fail(fiber, "not-started");
  if (setup.kind != kind || setup.detail != detail) fail(fiber, "unit-setup", kind, detail, setup.kind, setup.detail);
}

void check_function(Fiber &fiber, uint32_t function) {
  const Setup &setup = tensix(fiber).setup[kMath - kUnpack];
  if (!setup.started) fail(fiber, "not-started");
  const auto &inits = fiber.core->machine->inits;
  const auto found = inits.find(function);
  if (found == inits.end()) return;
  const auto &good = found->second;
  if (std::find(good.begin(), good.end(), setup.function) == good.end()) fail(fiber, "vector-setup", function, setup.function);
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
  if (fiber.self.role != kMath) return;
  Tensix &t = tensix(fiber);
  if (t.acquired != t.committed) fail(fiber, "acquired-twice");
  spend(fiber, costs(fiber).acquire);
  if (t.acquired - t.released >= t.sections) block(fiber, Waits::kDst, 0, 0);
  advance(fiber, t.released_at[t.acquired % t.sections], Waits::kDst, t.pack);
  t.acquired++;
}

void ttl_emu_commit(Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kMath) return;
  Tensix &t = tensix(fiber);
  if (t.acquired == t.committed) fail(fiber, "commit-not-acquired");
  spend(fiber, costs(fiber).commit);
  t.committed_at[t.committed % t.sections] = fiber.clock;
  t.committed++;
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
  t.reduced[section] = false;
  t.released++;
  if (t.math && t.math->waits == Waits::kDst) wake(*t.math, fiber.clock, &fiber);
}

void ttl_emu_init(Init what, uint32_t a, uint32_t b, uint32_t c, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role < kUnpack) return;
  Tensix &t = tensix(fiber);
  Setup &setup = t.setup[fiber.self.role - kUnpack];
  const auto format = [&](uint32_t index) { return fiber.core->buffers[index % kMaxBuffers].format; };
  if (what != kInitStartup && !setup.started) fail(fiber, "not-started");
  switch (what) {
    case kInitStartup:
      setup = {true, kInitStartup, 0, 0, format(a), format(b), format(c)};
      if (fiber.self.role == kMath) t.half = format(a) == kFloat16;
      // `_llk_pack_hw_configure_` and what it calls (cpack_common.h) take back what was asked of the packer.
      if (fiber.self.role == kPack) t.edge = t.relu = 0, t.l1_accumulate = false;
      spend(fiber, costs(fiber).startup);
      return;
    case kFormatA: case kFormatB: case kFormatAB: case kFormatPack:
      if (what == kFormatA || what == kFormatAB) setup.a = format(a);
      if (what == kFormatB) setup.b = format(a);
      if (what == kFormatAB) setup.b = format(b);
      if (what == kFormatPack) setup.out = format(a);
      spend(fiber, costs(fiber).reconfigure);
      return;
    case kInitSfpu:
      setup.function = a;
      break;
    case kInitBinary:
      if (fiber.self.role == kMath) t.add_to_dst = b != 0;
      setup.kind = what, setup.detail = c;
      break;
    case kInitMatmul: case kInitReuse: case kInitBroadcast:
      if (fiber.self.role == kMath) t.add_to_dst = false;
      setup.kind = what, setup.detail = b | c << 8;
      break;
    case kInitUnaryBroadcast: case kInitTranspose:
      setup.kind = what, setup.detail = b;
      break;
    case kInitCopy:
      setup.kind = what, setup.detail = 0;
      break;
    case kInitReduce:
      if (fiber.self.role == kPack) t.edge = 1 + a, t.edge_by_itself = b == kOnlyLanes;
      setup.kind = what, setup.detail = a | c << 8;
      break;
    case kInitTilize: case kInitUntilize: case kInitTilizeEnd: case kInitUntilizeEnd:
      if (fiber.self.role == kUnpack) setup.rearranges = what == kInitTilize ? 1 : what == kInitUntilize ? 2 : 0;
      setup.kind = what, setup.detail = what == kInitTilize ? b : 0;
      break;
    case kInitPackUntilize: case kInitPackUntilizeEnd:
      if (fiber.self.role == kPack) setup.rearranges = what == kInitPackUntilize ? b : 0;
      break;
    case kInitReduceEnd:
      if (fiber.self.role == kPack) t.edge = 0;
      break;
    case kInitL1Accumulate:
      if (fiber.self.role == kPack) t.l1_accumulate = a != 0;
      break;
    case kInitRelu:
      if (fiber.self.role == kPack) t.relu = a, t.relu_threshold = b;
      break;
    default:
      break;
  }
  spend(fiber, costs(fiber).init);
}
