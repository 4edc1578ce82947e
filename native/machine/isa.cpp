#include "isa.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ttl::machine {

namespace {

constexpr const char *kNames[kIsaCount] = {"plain", "avx2", "avx512", "avx512bf16"};

#if defined(__x86_64__)
// Clang's __builtin_cpu_supports does not know this name.
bool has_f16c() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

Isa detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !has_f16c()) return Isa::plain;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (!avx512) return Isa::avx2;
  return __builtin_cpu_supports("avx512bf16") ? Isa::avx512bf16 : Isa::avx512;
#else
  return Isa::plain;
#endif
}

// -1 until somebody asked. Relaxed is enough: all threads that race here compute the same.
std::atomic<int> chosen{-1};

}  // namespace

Isa detected() {
  static const Isa found = detect();
  return found;
}

Isa active() {
  const int isa = chosen.load(std::memory_order_relaxed);
  return isa < 0 ? detected() : static_cast<Isa>(isa);
}

void force(Isa isa) {
  chosen.store(std::min(static_cast<int>(isa), static_cast<int>(detected())), std::memory_order_relaxed);
}

const char *name_of(Isa isa) { return kNames[static_cast<int>(isa)]; }

bool isa_from_name(const char *name, Isa *isa) {
  if (std::strcmp(name, "auto") == 0) {
    *isa = detected();
    return true;
  }
  for (int i = 0; i < kIsaCount; ++i) {
    if (std::strcmp(name, kNames[i]) == 0) {
      *isa = static_cast<Isa>(i);
      return true;
    }
  }
  return false;
}

}  // namespace ttl::machine
