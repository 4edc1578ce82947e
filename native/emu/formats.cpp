// Tiles in memory and in registers. Registers hold floats, or the bits of integers in their place.
#include <bit>
#include <cmath>
#include <cstring>

#include "machine.h"

namespace ttl::emu {

namespace {

template <typename T>
T get(const uint8_t *from, uint32_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void set(uint8_t *to, uint32_t index, T value) {
  std::memcpy(to + index * sizeof(T), &value, sizeof(T));
}

float from_half(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, mantissa = half & 1023;
  if (exponent == 0) return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f));
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | mantissa << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return static_cast<uint16_t>(sign | 0x7E00);
  if (magnitude >= 0x477FF000) return static_cast<uint16_t>(sign | 0x7C00);
  if (magnitude < 0x38800000) {  // not a normal number any more
    const float scaled = std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24f);
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(scaled));
  }
  const uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

// A block float: one exponent for 16 values, each with a sign and `bits` bits of magnitude, the first of them explicit.
void load_block_float(const uint8_t *from, float *to, int bits) {
  const uint8_t *values = from + 64;
  for (uint32_t group = 0; group < 64; ++group) {
    const int exponent = static_cast<int>(from[group]) - 127 - (bits - 1);
    const float unit = std::ldexp(1.0f, exponent);
    for (uint32_t i = 0; i < 16; ++i) {
      const uint32_t index = group * 16 + i;
      uint32_t code = bits == 7 ? values[index] : (values[index / 2] >> (index % 2 * 4) & 15);
      const uint32_t magnitude = code & ((1u << bits) - 1);
      const float value = static_cast<float>(magnitude) * unit;
      to[index] = code >> bits & 1 ? -value : value;
    }
  }
}

void store_block_float(const float *from, uint8_t *to, int bits) {
  uint8_t *values = to + 64;
  std::memset(to, 0, tile_bytes(bits == 7 ? kBfp8b : kBfp4b));
  const auto limit = static_cast<float>((1 << bits) - 1);
  for (uint32_t group = 0; group < 64; ++group) {
    float largest = 0;
    for (uint32_t i = 0; i < 16; ++i) {
      const float magnitude = std::fabs(from[group * 16 + i]);
      if (std::isfinite(magnitude) && magnitude > largest) largest = magnitude;
    }
    if (largest == 0) continue;
    int exponent = 0;
    std::frexp(largest, &exponent);  // largest < 2 ** exponent
    const int stored = exponent - 1 + 127;
    if (stored < 1) continue;
    to[group] = static_cast<uint8_t>(stored);
    const float scale = std::ldexp(1.0f, bits - exponent);
    for (uint32_t i = 0; i < 16; ++i) {
      const uint32_t index = group * 16 + i;
      const float value = from[index];
      float magnitude = std::nearbyint(std::fabs(value) * scale);
      if (!(magnitude <= limit)) magnitude = limit;
      const uint32_t code = static_cast<uint32_t>(magnitude) | (std::signbit(value) ? 1u << bits : 0u);
      if (bits == 7)
        values[index] = static_cast<uint8_t>(code);
      else
        values[index / 2] = static_cast<uint8_t>(values[index / 2] | code << (index % 2 * 4));
    }
  }
}

}  // namespace

uint32_t tile_bytes(Format format) {
  switch (format) {
    case kFloat32: case kTf32: case kInt32: case kUInt32: return 4096;
    case kFloat16: case kFloat16b: case kUInt16: return 2048;
    case kBfp8: case kBfp8b: return 1088;
    case kBfp4: case kBfp4b: return 576;
    case kInt8: case kUInt8: return 1024;
    default: return 0;
  }
}

bool is_integer(Format format) {
  return format == kInt32 || format == kUInt32 || format == kUInt16 || format == kInt8 || format == kUInt8;
}

TTL_EMU_WIDE void round_to_bfloat16(float *values, uint32_t count) {
  auto *bits = reinterpret_cast<uint32_t *>(values);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t word = bits[i];
    const uint32_t rounded = (word + 0x7FFF + (word >> 16 & 1)) & 0xFFFF0000u;
    const uint32_t nan = (word | 0x00400000u) & 0xFFFF0000u;
    bits[i] = (word & 0x7FFFFFFFu) > 0x7F800000u ? nan : rounded;
  }
}

void round_to_float16(float *values, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) values[i] = from_half(to_half(values[i]));
}

TTL_EMU_WIDE void load_tile(Format format, const uint8_t *from, float *to,
                                                                 bool keep_float32) {
  auto *bits = reinterpret_cast<uint32_t *>(to);
  switch (format) {
    case kFloat16b: {
      const auto *words = reinterpret_cast<const uint16_t *>(from);
      for (uint32_t i = 0; i < kTile; ++i) bits[i] = static_cast<uint32_t>(words[i]) << 16;
      return;
    }
    case kFloat32: case kTf32: {
      const auto *words = reinterpret_cast<const uint32_t *>(from);
      const uint32_t mask = keep_float32 ? 0xFFFFFFFFu : 0xFFFFE000u;  // a source register has 10 bits of mantissa
      for (uint32_t i = 0; i < kTile; ++i) bits[i] = words[i] & mask;
      return;
    }
    case kInt32: case kUInt32:
      std::memcpy(to, from, 4096);
      return;
    case kUInt16:
      for (uint32_t i = 0; i < kTile; ++i) bits[i] = get<uint16_t>(from, i);
      return;
    case kUInt8:
      for (uint32_t i = 0; i < kTile; ++i) bits[i] = from[i];
      return;
    case kInt8:
      for (uint32_t i = 0; i < kTile; ++i) bits[i] = static_cast<uint32_t>(static_cast<int8_t>(from[i]));
      return;
    case kFloat16:
      for (uint32_t i = 0; i < kTile; ++i) to[i] = from_half(get<uint16_t>(from, i));
      return;
    case kBfp8: case kBfp8b:
      load_block_float(from, to, 7);
      return;
    case kBfp4: case kBfp4b:
      load_block_float(from, to, 3);
      return;
    default:
      std::memset(to, 0, kTile * sizeof(float));
  }
}

TTL_EMU_WIDE void store_tile(Format format, const float *from, uint8_t *to,
                                                                  bool integers) {
  (void)integers;
  const auto *bits = reinterpret_cast<const uint32_t *>(from);
  switch (format) {
    case kFloat16b: {
      auto *words = reinterpret_cast<uint16_t *>(to);
      for (uint32_t i = 0; i < kTile; ++i) {
        const uint32_t word = bits[i];
        const uint32_t rounded = word + 0x7FFF + (word >> 16 & 1);
        const uint32_t chosen = (word & 0x7FFFFFFFu) > 0x7F800000u ? word | 0x00400000u : rounded;
        words[i] = static_cast<uint16_t>(chosen >> 16);
      }
      return;
    }
    case kFloat32: case kInt32: case kUInt32:
      std::memcpy(to, from, 4096);
      return;
    case kTf32:
      for (uint32_t i = 0; i < kTile; ++i) set<uint32_t>(to, i, bits[i] & 0xFFFFE000u);
      return;
    case kUInt16:
      for (uint32_t i = 0; i < kTile; ++i) set<uint16_t>(to, i, static_cast<uint16_t>(bits[i]));
      return;
    case kUInt8: case kInt8:
      for (uint32_t i = 0; i < kTile; ++i) to[i] = static_cast<uint8_t>(bits[i]);
      return;
    case kFloat16:
      for (uint32_t i = 0; i < kTile; ++i) set<uint16_t>(to, i, to_half(from[i]));
      return;
    case kBfp8: case kBfp8b:
      store_block_float(from, to, 7);
      return;
    case kBfp4: case kBfp4b:
      store_block_float(from, to, 3);
      return;
    default:
      return;
  }
}

void load_tile(const Buffer &buffer, const uint8_t *from, float *to, bool keep_float32) {
  const uint32_t whole = tile_bytes(buffer.format);
  if (buffer.tile() == whole) return load_tile(buffer.format, from, to, keep_float32);
  alignas(64) uint8_t spread[4096] = {};
  for (uint32_t face = 0; face < buffer.faces; ++face)
    std::memcpy(spread + face * whole / 4, from + face * buffer.face(), buffer.face());
  load_tile(buffer.format, spread, to, keep_float32);
}

void store_tile(const Buffer &buffer, const float *from, uint8_t *to, bool integers) {
  const uint32_t whole = tile_bytes(buffer.format);
  if (buffer.tile() == whole) return store_tile(buffer.format, from, to, integers);
  alignas(64) uint8_t spread[4096];
  store_tile(buffer.format, from, spread, integers);
  for (uint32_t face = 0; face < buffer.faces; ++face)
    std::memcpy(to + face * buffer.face(), spread + face * whole / 4, buffer.face());
}

}  // namespace ttl::emu
