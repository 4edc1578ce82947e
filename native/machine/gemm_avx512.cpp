// Matrix products for AVX-512: tiles of 8 x 32.
#if defined(__x86_64__)
#include <immintrin.h>

#include "gemm_kernels.h"

namespace ttl::machine {
namespace {

using Vec = __m512;
constexpr int kLanes = 16;
constexpr int kRows = 8;

inline Vec load(const float *from) { return _mm512_loadu_ps(from); }
inline void store(float *to, Vec v) { _mm512_storeu_ps(to, v); }
inline Vec spread(float x) { return _mm512_set1_ps(x); }
inline Vec madd(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }

}  // namespace
}  // namespace ttl::machine

#include "gemm_floats.inc.cpp"

namespace ttl::machine {

const GemmKernels kGemmAvx512 = {
    .panel = kPanel,
    .rows = kRows,
    .step = 1,
    .element = 4,
    .native = Format::F32,
    .pack_a = pack_a_floats,
    .pack_b = pack_b_floats,
    .tile = {nullptr, tile_floats<1>, tile_floats<2>, tile_floats<3>, tile_floats<4>, tile_floats<5>,
             tile_floats<6>, tile_floats<7>, tile_floats<8>},
};

}  // namespace ttl::machine
#endif
