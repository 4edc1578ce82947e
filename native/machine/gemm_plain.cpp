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

const GemmKernels kGemmPlain = {
    .panel = kPanel,
    .rows = kRows,
    .step = 1,
    .element = 4,
    .native = Format::F32,
    .pack_a = pack_a_floats,
    .pack_b = pack_b_floats,
    .tile = {nullptr, tile_floats<1>, tile_floats<2>, tile_floats<3>, tile_floats<4>,
#if defined(__aarch64__)
             tile_floats<5>, tile_floats<6>, tile_floats<7>, tile_floats<8>
#endif
    },
};

}  // namespace ttl::machine
