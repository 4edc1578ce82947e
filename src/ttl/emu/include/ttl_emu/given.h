// What belongs to one kernel: its compile-time arguments, the formats of its circular buffers, its NoC. The other headers know only
// that these exist, so that they can be precompiled for all kernels of a kind.
#pragma once

#ifndef DST_ACCUM_MODE
#define DST_ACCUM_MODE 0
#endif
#ifndef NOC_INDEX
#define NOC_INDEX 0
#endif
#ifndef TTL_EMU_FORMATS
#define TTL_EMU_FORMATS 255
#endif

namespace ttl_emu {
#ifdef KERNEL_COMPILE_TIME_ARGS
constexpr uint32_t kCompileTimeArgs[] = {KERNEL_COMPILE_TIME_ARGS};
constexpr uint32_t kCompileTimeArgCount = sizeof kCompileTimeArgs / sizeof(uint32_t);
#else
constexpr uint32_t kCompileTimeArgs[] = {0};
constexpr uint32_t kCompileTimeArgCount = 0;
#endif
constexpr NamedArg kNamedArgs[] = {
#ifdef KERNEL_COMPILE_TIME_ARG_MAP
    KERNEL_COMPILE_TIME_ARG_MAP,
#endif
    {nullptr, 0}};
constexpr Formats formats() {
  constexpr uint8_t given[] = {TTL_EMU_FORMATS};
  Formats result;
  for (uint32_t i = 0; i < 64; ++i) result.format[i] = i < sizeof given ? given[i] : 255;
  return result;
}
}  // namespace ttl_emu
#if !defined(TTL_EMU_COMPUTE)
constexpr uint8_t noc_index = NOC_INDEX;
#endif

constexpr uint32_t get_named_compile_time_arg_val(const char *name) {
  for (const auto &each : ttl_emu::kNamedArgs)
    if (each.name && ttl_emu::same(each.name, name)) return each.value;
  __builtin_unreachable();  // no named compile-time argument of this name: not a constant expression
}
