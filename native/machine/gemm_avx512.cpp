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

const GemmKernels kGemmAvx512 = kKernelsOfFloats;

}  // namespace ttl::machine
#endif
