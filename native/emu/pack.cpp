// The packer: tiles of DST into the pages of a circular buffer, as tiles or as rows of elements.
#include <algorithm>
#include <bit>
#include <cstring>

#include "tensix.h"

namespace ttl::emu {

namespace {

// The buffer that is packed into, once the packer is known to be set up for it.
Buffer &output(Fiber &fiber, uint32_t index) {
  Buffer &buffer = input(fiber, index);
  const Setup &setup = tensix(fiber).setup[kPack - kUnpack];
  if (!setup.started) fail(fiber, "not-started");
  if (setup.out != buffer.format) fail(fiber, "packer-format", index, buffer.format, setup.out, setup.out_at.line);
  return buffer;
}

// Rows of a tile that the packer keeps something of.
uint64_t kept_rows(uint32_t edge) {
  if (!edge) return kAllRows;
  switch (edge - 1) {
    case kAlongRow: return kFaceRows | kFaceRows << 32;
    case kAlongCol: return 1 | 1 << 16;
    default: return 1;
  }
}

// Rows of a tile whose odd columns are no values, and are packed. Where the packer keeps the first column of each row only, it
// keeps none of them.
uint64_t undefined_rows(const Tensix &t, const Rows &rows) {
  return !t.edge || t.edge - 1 == kAlongCol ? rows.stale & kept_rows(t.edge) : 0;
}

// The values of a tile of DST, which must have some; with rows that nothing wrote, zeros in their place are in `filled`.
const float *result(Fiber &fiber, uint32_t dst, float *filled) {
  Tensix &t = tensix(fiber);
  const uint32_t slot = dst_slot(fiber, dst);
  const Rows &rows = t.rows[slot];
  if (!rows.valid) {
    // The packer reads zeros where nothing was written: a section into which nothing was computed is a way to make them.
    const Rows *section = t.rows + slot / t.section_tiles * t.section_tiles;
    const bool clean = std::all_of(section, section + t.section_tiles, [](const Rows &r) { return !r.valid; });
    if (!clean) fail(fiber, "pack-nothing", dst);
  }
  const uint64_t kept = kept_rows(t.edge);
  if (!(~rows.valid & kept)) return t.dst[slot];
  std::memcpy(filled, t.dst[slot], kTile * sizeof(float));
  for (uint32_t row = 0; row < 64; ++row)
    if (!(rows.valid >> row & 1)) std::memset(filled + 16 * row, 0, 16 * sizeof(float));
  return filled;
}

// What a tile of DST has to be for the packer as it is set up.
const Rows &packed_rows(Fiber &fiber, uint32_t dst, uint32_t index) {
  Tensix &t = tensix(fiber);
  const uint32_t slot = dst_slot(fiber, dst);
  if (t.edge && !t.edge_by_itself && !t.reduced[slot / t.section_tiles]) fail(fiber, "packer-reduces", index);
  return t.rows[slot];
}

// Bytes of the pages that are reserved, from `first` on; they count as filled.
uint8_t *reserved(Fiber &fiber, Buffer &buffer, uint32_t index, uint64_t first, uint64_t size, uint32_t tile) {
  if (first + size > uint64_t{buffer.writable()} * buffer.page) fail(fiber, "pack-not-reserved", index, tile, buffer.writable());
  const LocalBuffer &local = fiber.self.buffers[index];
  uint64_t address = uint64_t{local.fifo_wr_ptr} * 16 + first;
  if (address >= uint64_t{local.fifo_limit} * 16) address -= uint64_t{local.fifo_size} * 16;
  mark_filled(buffer, uint64_t{buffer.pushed % buffer.pages} * buffer.page + first, size);
  return fiber.core->machine->l1(static_cast<uint32_t>(address));
}

// A reduction: what is not its result is packed as zero.
void keep_edge(float *values, uint32_t along) {
  for (uint32_t i = 0; i < kTile; ++i) {
    const uint32_t face = i >> 8, row = i >> 4 & 15, column = i & 15;
    const bool result = along == kAlongRow   ? column == 0 && (face & 1) == 0
                        : along == kAlongCol ? row == 0 && face < 2
                                             : i == 0;
    if (!result) values[i] = 0;
  }
}

void mark(Fiber &fiber, Buffer &buffer, uint32_t index, uint64_t first, uint64_t size, uint32_t dst, Place computed) {
  const uint64_t ring = uint64_t{buffer.pages} * buffer.page;
  const uint64_t begin = (uint64_t{buffer.pushed % buffer.pages} * buffer.page + first) % ring;
  mark_undefined(fiber, buffer, index, {begin, begin + size, dst, fiber.place, computed});
}

void rectify(const Tensix &t, float *values) {
  float threshold;
  std::memcpy(&threshold, &t.relu_threshold, 4);
  for (float *value = values; value < values + kTile; ++value) {
    if (t.relu == 3)
      *value = *value < 0 ? 0 : *value > threshold ? threshold : *value;
    else
      *value = *value > (t.relu == 2 ? threshold : 0.0f) ? *value : 0.0f;
  }
}

// A tile as the packer makes it, in the format of memory; `before`: what is there, if it is added to; `undefined`: rows whose
// odd columns are no values, whatever was done to them, and become bits that are NaN.
void convert(const Tensix &t, const Buffer &buffer, const float *values, const uint8_t *before, uint8_t *to, uint64_t undefined) {
  alignas(64) float changed[kTile];
  if (t.edge || t.relu || before || undefined) {
    std::memcpy(changed, values, sizeof changed);
    values = changed;
  }
  if (t.edge) keep_edge(changed, t.edge - 1);
  if (t.relu) rectify(t, changed);
  for (; undefined; undefined &= undefined - 1) forget_odd(changed + 16 * std::countr_zero(undefined));
  if (before) {
    alignas(64) float kept[kTile];
    load_tile(buffer, before, kept, true);
    for (uint32_t i = 0; i < kTile; ++i) changed[i] += kept[i];
  }
  store_tile(buffer, values, to, false);
}

}  // namespace

}  // namespace ttl::emu

using namespace ttl::emu;

void ttl_emu_pack(uint32_t dst, uint32_t index, uint32_t tile, bool at_index, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kPack) return;
  const Tensix &t = tensix(fiber);
  Buffer &buffer = output(fiber, index);
  if (t.setup[kPack - kUnpack].rearranges) fail(fiber, "packer-rearranges", index);
  alignas(64) float filled[kTile];
  const Rows &rows = packed_rows(fiber, dst, index);
  const uint64_t undefined = undefined_rows(t, rows);
  const float *values = result(fiber, dst, filled);
  if (!at_index) tile = fiber.self.buffers[index].fifo_wr_tile_ptr++;
  const uint32_t size = buffer.tile();
  uint8_t *to = reserved(fiber, buffer, index, uint64_t{tile} * size, size, tile);
  spend(fiber, (size > 2048 ? costs(fiber).pack_wide : costs(fiber).pack_narrow) + (t.l1_accumulate ? costs(fiber).pack_accumulate : 0));
  convert(t, buffer, values, t.l1_accumulate ? to : nullptr, to, undefined);
  if (undefined) mark(fiber, buffer, index, uint64_t{tile} * size, size, dst, rows.stale_at);
}

void ttl_emu_pack_untilize(uint32_t dst, uint32_t index, uint32_t width, uint32_t full, uint32_t height, uint32_t column,
                           bool fast, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kPack) return;
  const Tensix &t = tensix(fiber);
  Buffer &buffer = output(fiber, index);
  const uint32_t widths = t.setup[kPack - kUnpack].rearranges;
  if (!widths) fail(fiber, "packer-keeps-tiles", index);
  if (widths != (width | full << 8)) fail(fiber, "packer-width", width, full, widths & 255, widths >> 8);
  const uint32_t size = tile_bytes(buffer.format), piece = size / 64;  // of half a row of a tile
  const Costs &c = costs(fiber);
  for (uint32_t row = 0; row < height; ++row) {
    const uint64_t strip = uint64_t{row} * full * size;
    uint8_t *to = reserved(fiber, buffer, index, strip, uint64_t{full} * size, (row + 1) * full - 1);
    for (uint32_t i = 0; i < width; ++i) {
      alignas(64) uint8_t made[4096];
      alignas(64) float filled[kTile];
      const uint32_t from = dst + row * width + i;
      const Rows &rows = packed_rows(fiber, from, index);
      const uint64_t undefined = undefined_rows(t, rows);
      convert(t, buffer, result(fiber, from, filled), nullptr, made, undefined);
      if (undefined) mark(fiber, buffer, index, strip, uint64_t{full} * size, from, rows.stale_at);
      spend(fiber, std::max(fast ? c.pack_fast_untilize : c.pack_untilize, size > 2048 ? c.pack_wide : c.pack_narrow));
      for (uint32_t half = 0; half < 64; ++half) {  // of the faces, row by row
        const uint32_t face = half >> 4, line = (face >> 1) * 16 + (half & 15);
        const uint32_t tile = column * width + i;
        std::memcpy(to + (uint64_t{line} * full + tile) * 2 * piece + (face & 1) * piece, made + half * piece, piece);
      }
    }
  }
}
