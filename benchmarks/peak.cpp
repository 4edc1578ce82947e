// What a core of this processor reaches at most: chains of independent multiply-and-add instructions, and the triad of
// STREAM for memory. Prints lines "name value": GFLOP/s by instruction set, "triad" in GB/s. Compiled by benchmarks/peak.py.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#include <sys/auxv.h>
#endif

static double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The best of several samples. `work` is done `count` times by a call.
template <typename Run>
static void show(const char *name, double work, Run run) {
  constexpr int64_t kCount = 1 << 20;
  double best = 1e30;
  for (int sample = 0; sample < 9; ++sample) {
    const double start = seconds();
    run(kCount);
    const double taken = seconds() - start;
    if (taken < best) best = taken;
  }
  std::printf("%s %.2f\n", name, work * kCount / best * 1e-9);
}

static volatile float sink;

// Twelve chains: more than any processor needs between an instruction and the next that waits for its result. The compiler
// is not to know that all begin alike.
#if defined(__x86_64__)
#define HIDDEN(c) __asm__("" : "+v"(c));
#else
#define HIDDEN(c) __asm__("" : "+w"(c));
#endif
#define ALL(DO) DO(c0) DO(c1) DO(c2) DO(c3) DO(c4) DO(c5) DO(c6) DO(c7) DO(c8) DO(c9) DO(c10) DO(c11)
#define NEXT(c) c = STEP(c);
#define SHOWN(c) sink = FIRST(c);
#define CHAINS(Vec, zero)                                                                            \
  Vec c0 = zero, c1 = zero, c2 = zero, c3 = zero, c4 = zero, c5 = zero, c6 = zero, c7 = zero;        \
  Vec c8 = zero, c9 = zero, c10 = zero, c11 = zero;                                                  \
  ALL(HIDDEN)                                                                                        \
  for (int64_t i = 0; i < count; ++i) {                                                              \
    ALL(NEXT)                                                                                        \
  }                                                                                                  \
  ALL(SHOWN)

#if defined(__x86_64__)
#define TARGET(...) __attribute__((target(__VA_ARGS__), noinline))

TARGET("avx2,fma") static void avx2(int64_t count) {
  const __m256 a = _mm256_set1_ps(0.5f), b = _mm256_set1_ps(0.25f);
#define STEP(c) _mm256_fmadd_ps(a, b, c)
  #define FIRST(c) _mm256_cvtss_f32(c)
  CHAINS(__m256, _mm256_setzero_ps())
#undef STEP
#undef FIRST
}

TARGET("avx512f") static void avx512(int64_t count) {
  const __m512 a = _mm512_set1_ps(0.5f), b = _mm512_set1_ps(0.25f);
#define STEP(c) _mm512_fmadd_ps(a, b, c)
  #define FIRST(c) _mm512_cvtss_f32(c)
  CHAINS(__m512, _mm512_setzero_ps())
#undef STEP
#undef FIRST
}

TARGET("avx512f,avx512bf16") static void avx512bf16(int64_t count) {
  const __m512bh a = (__m512bh)_mm512_set1_epi32(0x3f003f00), b = (__m512bh)_mm512_set1_epi32(0x3e803e80);
#define STEP(c) _mm512_dpbf16_ps(c, a, b)
  #define FIRST(c) _mm512_cvtss_f32(c)
  CHAINS(__m512, _mm512_setzero_ps())
#undef STEP
#undef FIRST
}

TARGET("amx-tile,amx-bf16") static void amx(int64_t count) {
  struct alignas(64) {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config{};
  config.palette = 1;
  for (int tile = 0; tile < 8; ++tile) config.row_bytes[tile] = 64, config.rows[tile] = 16;
  _tile_loadconfig(&config);
  _tile_zero(6);
  _tile_zero(7);
  for (int64_t i = 0; i < count / 64; ++i) {
    _tile_dpbf16ps(0, 6, 7);
    _tile_dpbf16ps(1, 6, 7);
    _tile_dpbf16ps(2, 6, 7);
    _tile_dpbf16ps(3, 6, 7);
  }
  _tile_release();
}
#elif defined(__aarch64__)
static void neon(int64_t count) {
  const float32x4_t a = vdupq_n_f32(0.5f), b = vdupq_n_f32(0.25f);
#define STEP(c) vfmaq_f32(c, a, b)
#define FIRST(c) vgetq_lane_f32(c, 0)
  CHAINS(float32x4_t, vdupq_n_f32(0))
#undef STEP
}

__attribute__((target("arch=armv8.2-a+bf16+fp16"), noinline)) static void neonbf16(int64_t count) {
  const bfloat16x8_t a = vreinterpretq_bf16_u16(vdupq_n_u16(0x3f00)), b = vreinterpretq_bf16_u16(vdupq_n_u16(0x3e80));
#define STEP(c) vbfmmlaq_f32(c, a, b)
  CHAINS(float32x4_t, vdupq_n_f32(0))
#undef STEP
}
#endif

// Bytes that STREAM counts: two vectors read, one written.
static void triad() {
  constexpr int64_t kElements = 8 << 20;
  std::vector<float> a(kElements, 0.0f), b(kElements, 1.0f), c(kElements, 2.0f);
  double best = 1e30;
  for (int sample = 0; sample < 9; ++sample) {
    const double start = seconds();
    float *__restrict to = a.data();
    const float *__restrict left = b.data(), *__restrict right = c.data();
    for (int64_t i = 0; i < kElements; ++i) to[i] = left[i] + 3.0f * right[i];
    const double taken = seconds() - start;
    if (taken < best) best = taken;
    sink = a[static_cast<size_t>(sample)];
  }
  std::printf("triad %.2f\n", 3.0 * 4.0 * kElements / best * 1e-9);
}

int main() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) show("avx2", 12 * 16, avx2);
  if (__builtin_cpu_supports("avx512f")) show("avx512", 12 * 32, avx512);
  if (__builtin_cpu_supports("avx512bf16")) show("avx512bf16", 12 * 64, avx512bf16);
  unsigned a = 7, b, c = 0, d;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  // A product of 16 x 32 by 32 x 16 is 16,384 operations; the permission to use tiles is asked of the kernel.
  if ((d >> 22 & 5) == 5 && syscall(SYS_arch_prctl, 0x1023, 18) == 0) show("amx", 4 * 16384.0 / 64, amx);
#elif defined(__aarch64__)
  show("plain", 12 * 8, neon);
  if (getauxval(AT_HWCAP2) & (1ul << 14)) show("neonbf16", 12 * 32, neonbf16);
#endif
  triad();
}
