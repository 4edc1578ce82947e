// Printing and profiling from kernels.
#pragma once

#include "ttl_emu/common.h"

// A part of a tile, to be printed.
struct SliceRange {
  uint8_t h0, h1, hs, w0, w1, ws;
  static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
  static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
  static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
  static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
  static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
  static constexpr SliceRange h0_32_w1() { return {0, 32, 1, 1, 2, 1}; }
  static constexpr SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
};
enum dprint_tslice_ptr_t { TSLICE_RD_PTR, TSLICE_WR_PTR };
enum dprint_tslice_cb_t { TSLICE_INPUT_CB, TSLICE_OUTPUT_CB };
template <int max_bytes = 64>
struct TileSlice {
  uint32_t address, format;
  SliceRange range;
  bool rows, rows_in_order;
#if defined(TTL_EMU_COMPUTE)
  TileSlice(uint32_t buffer, uint32_t tile, const SliceRange &part, bool ends_rows = true, bool untilize = true)
      : TileSlice(buffer, tile, part, ttl_emu_self->role == ttl_emu::kPack ? TSLICE_WR_PTR : TSLICE_RD_PTR, 16, ends_rows, untilize) {}
#else
  TileSlice(uint32_t buffer, uint32_t tile, const SliceRange &part, dprint_tslice_cb_t, dprint_tslice_ptr_t end, bool ends_rows = true,
            bool untilize = true)
      : TileSlice(buffer, tile, part, end, 1, ends_rows, untilize) {}
#endif
 private:
  TileSlice(uint32_t buffer, uint32_t tile, const SliceRange &part, dprint_tslice_ptr_t end, uint32_t unit, bool ends_rows, bool untilize)
      : format(unpack_src_format[buffer]), range(part), rows(ends_rows), rows_in_order(untilize) {
    const auto &local = ttl_emu_self->buffers[buffer & 63];
    address = (end == TSLICE_WR_PTR ? local.fifo_wr_ptr : local.fifo_rd_ptr) * unit + tile * unpack_tile_size[buffer];
  }
};

namespace ttl_emu {
// Text under construction; what does not fit is cut off.
struct Text {
  char text[1024];
  uint32_t size = 0;
  void add(char c) {
    if (size < sizeof text) text[size++] = c;
  }
  void add(const char *c) {
    while (*c) add(*c++);
  }
  template <typename T>
  void number(const char *as, T value) {
    char digits[32];
    __builtin_snprintf(digits, sizeof digits, as, value);
    add(digits);
  }
  void add(bool value) { add(value ? '1' : '0'); }
  template <typename T>
    requires(__is_enum(T))
  void add(T value) { add(static_cast<uint64_t>(value)); }
  void add(double value) { number("%g", value); }
  void add(float value) { add(static_cast<double>(value)); }
  template <typename T>
    requires requires(T value) { value.plain(); }
  void add(T value) {
    add(value.plain());
  }
  void add(unsigned long long value) { number("%llu", value); }
  void add(long long value) { number("%lld", value); }
  void add(unsigned long value) { add(static_cast<unsigned long long>(value)); }
  void add(long value) { add(static_cast<long long>(value)); }
  void add(unsigned value) { add(static_cast<unsigned long long>(value)); }
  void add(int value) { add(static_cast<long long>(value)); }
  void add(unsigned short value) { add(static_cast<unsigned long long>(value)); }
  void add(unsigned char value) { add(static_cast<unsigned long long>(value)); }
  template <int max_bytes>
  void add(const TileSlice<max_bytes> &tile) {
    for (uint32_t row = tile.range.h0; row < tile.range.h1; row += tile.range.hs) {
      for (uint32_t column = tile.range.w0; column < tile.range.w1; column += tile.range.ws) {
        const uint32_t in_faces = (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
        if (column > tile.range.w0) add(' ');
        add(ttl_emu_element(tile.address, tile.format, tile.rows_in_order ? in_faces : row * 32 + column));
      }
      if (tile.rows) add('\n');
    }
  }
};
// Up to the next place for a value, or the end: two braces are one of the text.
inline const char *literal(Text &out, const char *pattern) {
  for (; *pattern; ++pattern) {
    if (*pattern == '{' && pattern[1] != '{') break;
    if (*pattern == '{' || (*pattern == '}' && pattern[1] == '}')) ++pattern;
    out.add(*pattern);
  }
  return pattern;
}
inline void format(Text &out, const char *pattern) { literal(out, pattern); }
template <typename First, typename... Rest>
void format(Text &out, const char *pattern, const First &first, const Rest &...rest) {
  pattern = literal(out, pattern);
  if (!*pattern) return;
  while (*pattern && *pattern != '}') ++pattern;
  out.add(first);
  format(out, *pattern ? pattern + 1 : pattern, rest...);
}
template <typename... Arguments>
void print(Place place, const char *pattern, const Arguments &...arguments) {
  Text text;
  format(text, pattern, arguments...);
  ttl_emu_print(text.text, text.size, place);
}
struct Printer {
  template <typename T>
  const Printer &operator<<(const T &value) const {
    Text text;
    text.add(value);
    ttl_emu_print(text.text, text.size, Place::here());
    return *this;
  }
};
struct Zone {
  const char *name;
  Place place;
  Zone(const char *given, Place at = Place::here()) : name(given), place(at) { ttl_emu_zone(name, true, place); }
  ~Zone() { ttl_emu_zone(name, false, place); }
};
}  // namespace ttl_emu

#if TTL_EMU_API_VERSION < 81
#define DPRINT ::ttl_emu::Printer{}
#define ENDL() "\n"
#define DPRINT_UNPACK(x) \
  if (ttl_emu_self->role == ttl_emu::kUnpack) { x; }
#define DPRINT_MATH(x) \
  if (ttl_emu_self->role == ttl_emu::kMath) { x; }
#define DPRINT_PACK(x) \
  if (ttl_emu_self->role == ttl_emu::kPack) { x; }
#else
#define DPRINT(...) ::ttl_emu::print(::ttl_emu::Place::here(), __VA_ARGS__)
#define DEVICE_PRINT DPRINT
#define DPRINT_UNPACK(...) \
  if (ttl_emu_self->role == ttl_emu::kUnpack) { DPRINT(__VA_ARGS__); }
#define DPRINT_MATH(...) \
  if (ttl_emu_self->role == ttl_emu::kMath) { DPRINT(__VA_ARGS__); }
#define DPRINT_PACK(...) \
  if (ttl_emu_self->role == ttl_emu::kPack) { DPRINT(__VA_ARGS__); }
#endif
#define DeviceZoneScopedN(name) ::ttl_emu::Zone ttl_emu_zone_here(name)
#define DeviceZoneScopedMainN(name) ::ttl_emu::Zone ttl_emu_zone_here(name)
