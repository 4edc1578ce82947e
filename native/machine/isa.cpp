#include "isa.h"

#include <atomic>
#include <cstring>
#include <initializer_list>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ttl::machine {

namespace {

constexpr const char *kNames[kIsaCount] = {"plain", "avx2", "avx512", "avx512bf16", "amx", "neonbf16"};

#if defined(__x86_64__)

// Clang's __builtin_cpu_supports does not know this name.
bool has_f16c() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool has_avx512bf16() { return has_avx512() && __builtin_cpu_supports("avx512bf16"); }

bool has_amx() {
#if defined(__linux__)
  constexpr unsigned kTiles = 1u << 24, kBf16 = 1u << 22, kSavesExtended = 1u << 27, kTileState = 3u << 17;
  unsigned a, b, c, d;
  if (!has_avx512() || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & kTiles) || !(d & kBf16)) return false;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & kSavesExtended)) return false;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kTileState) == kTileState;
#else
  return false;
#endif
}

// Tiles hold 8 KB, which Linux saves only for processes that asked: the permission holds for all their threads.
bool may_use_tiles() {
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

#endif

bool has_neonbf16() {
#if defined(__aarch64__) && defined(__linux__)
  constexpr unsigned long kBf16 = 1ul << 14;  // HWCAP2_BF16
  return (getauxval(AT_HWCAP2) & kBf16) != 0;
#else
  return false;
#endif
}

bool detect(Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::avx2: return has_avx2();
    case Isa::avx512: return has_avx512();
    case Isa::avx512bf16: return has_avx512bf16();
    case Isa::amx: return has_amx();
#endif
    case Isa::neonbf16: return has_neonbf16();
    case Isa::plain:
    case Isa::emulated_amx: return true;
    default: return false;
  }
}

Isa widest_of_vectors() {
  for (const Isa isa : {Isa::avx512bf16, Isa::avx512, Isa::avx2})
    if (available(isa)) return isa;
  return Isa::plain;
}

// -1 until somebody asked. Relaxed is enough: all threads that race here compute the same.
std::atomic<int> chosen{-1};

}  // namespace

bool available(Isa isa) {
  static const unsigned all = [] {
    unsigned bits = 0;
    for (int i = 0; i <= kIsaCount; ++i) bits |= static_cast<unsigned>(detect(static_cast<Isa>(i))) << i;
    return bits;
  }();
  return all >> static_cast<int>(isa) & 1;
}

Isa active() {
  int isa = chosen.load(std::memory_order_relaxed);
  if (isa < 0) {
    isa = static_cast<int>(widest_of_vectors());
    chosen.store(isa, std::memory_order_relaxed);
  }
  return static_cast<Isa>(isa);
}

VectorIsa active_vectors() {
  switch (active()) {
    case Isa::avx2: return VectorIsa::avx2;
    case Isa::avx512:
    case Isa::avx512bf16:
    case Isa::amx: return VectorIsa::avx512;
    default: return VectorIsa::plain;
  }
}

bool use(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::amx && !may_use_tiles()) return false;
#endif
  chosen.store(static_cast<int>(isa), std::memory_order_relaxed);
  return true;
}

const char *name_of(Isa isa) { return isa == Isa::emulated_amx ? "emulated_amx" : kNames[static_cast<int>(isa)]; }

bool isa_from_name(const char *name, Isa *isa) {
  for (int i = 0; i < kIsaCount; ++i) {
    if (std::strcmp(name, kNames[i]) == 0) {
      *isa = static_cast<Isa>(i);
      return true;
    }
  }
  return false;
}

}  // namespace ttl::machine
