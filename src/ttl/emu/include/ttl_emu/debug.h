// Printing and profiling from kernels.
#pragma once

#include "ttl_emu/common.h"

namespace ttl_emu {
// Text under construction; what does not fit is cut off.
struct Text {
  char text[512];
  uint32_t size = 0;
  void add(char c) {
    if (size < sizeof text) text[size++] = c;
  }
  void add(const char *c) {
    while (*c) add(*c++);
  }
  void add(bool value) { add(value ? '1' : '0'); }
  template <typename T>
    requires(__is_enum(T))
  void add(T value) { add(static_cast<uint64_t>(value)); }
  void add(double value) { size += static_cast<uint32_t>(__builtin_snprintf(text + size, sizeof text - size, "%g", value)); }
  void add(float value) { add(static_cast<double>(value)); }
  void add(unsigned long long value) { size += static_cast<uint32_t>(__builtin_snprintf(text + size, sizeof text - size, "%llu", value)); }
  void add(long long value) { size += static_cast<uint32_t>(__builtin_snprintf(text + size, sizeof text - size, "%lld", value)); }
  void add(unsigned long value) { add(static_cast<unsigned long long>(value)); }
  void add(long value) { add(static_cast<long long>(value)); }
  void add(unsigned value) { add(static_cast<unsigned long long>(value)); }
  void add(int value) { add(static_cast<long long>(value)); }
  void add(unsigned short value) { add(static_cast<unsigned long long>(value)); }
  void add(unsigned char value) { add(static_cast<unsigned long long>(value)); }
};
inline void format(Text &out, const char *pattern) { out.add(pattern); }
template <typename First, typename... Rest>
void format(Text &out, const char *pattern, const First &first, const Rest &...rest) {
  for (; *pattern; ++pattern) {
    if (*pattern != '{') {
      out.add(*pattern);
      continue;
    }
    while (*pattern && *pattern != '}') ++pattern;
    out.add(first);
    return format(out, *pattern ? pattern + 1 : pattern, rest...);
  }
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
