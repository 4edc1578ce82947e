// Divisions that the hardware's kernels write without a division.
#pragma once

#include "ttl_emu/common.h"

#define TTL_EMU_DIVIDE(divisor) \
  inline uint32_t fast_udiv_##divisor(uint32_t value) { return value / divisor; }
TTL_EMU_DIVIDE(7) TTL_EMU_DIVIDE(12) TTL_EMU_DIVIDE(20) TTL_EMU_DIVIDE(28) TTL_EMU_DIVIDE(48) TTL_EMU_DIVIDE(56)
TTL_EMU_DIVIDE(63) TTL_EMU_DIVIDE(70) TTL_EMU_DIVIDE(72) TTL_EMU_DIVIDE(80) TTL_EMU_DIVIDE(94) TTL_EMU_DIVIDE(108)
TTL_EMU_DIVIDE(110) TTL_EMU_DIVIDE(117) TTL_EMU_DIVIDE(120) TTL_EMU_DIVIDE(124) TTL_EMU_DIVIDE(126)
TTL_EMU_DIVIDE(130) TTL_EMU_DIVIDE(140)
#undef TTL_EMU_DIVIDE
template <uint32_t divisor>
inline uint32_t udivsi3_const_divisor(uint32_t value) {
  return value / divisor;
}
template <uint32_t divisor>
inline uint32_t umodsi3_const_divisor(uint32_t value) {
  return value % divisor;
}
inline uint32_t udivsi3(uint32_t value, uint32_t divisor) { return value / divisor; }
inline uint32_t umodsi3(uint32_t value, uint32_t divisor) { return value % divisor; }
inline uint32_t mulsi3(uint32_t a, uint32_t b) { return a * b; }
