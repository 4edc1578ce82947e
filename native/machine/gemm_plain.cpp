// Matrix products in plain C++, with vectors of four floats: SSE2, NEON or whatever the compiler's baseline has.
#include "gemm_kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace ttl::machine {
namespace {

constexpr int kLanes = 4;
#if defined(__aarch64__)
using Vec = float32x4_t;
constexpr int kRows = 8;
inline Vec madd(Vec a, Vec b, Vec c) { return vfmaq_f32(c, a, b); }
#else
typedef float Vec __attribute__((vector_size(16)));
constexpr int kRows = 4;
inline Vec madd(Vec a, Vec b, Vec c) { return a * b + c; }
#endif

inline Vec load(const float *from) {
  Vec v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
inline void store(float *to, Vec v) { __builtin_memcpy(to, &v, sizeof v); }
inline Vec spread(float x) { return Vec{x, x, x, x}; }

}  // namespace
}  // namespace ttl::machine

#include "gemm_floats.inc.cpp"

namespace ttl::machine {

const GemmKernels kGemmPlain = kKernelsOfFloats;

}  // namespace ttl::machine
