// Matrix products for AVX2 and FMA: tiles of 6 x 16.
#if defined(__x86_64__)
#include <immintrin.h>

#include "gemm_kernels.h"

namespace ttl::machine {
namespace {

using Vec = __m256;
constexpr int kLanes = 8;
constexpr int kRows = 6;

inline Vec load(const float *from) { return _mm256_loadu_ps(from); }
inline void store(float *to, Vec v) { _mm256_storeu_ps(to, v); }
inline Vec spread(float x) { return _mm256_set1_ps(x); }
inline Vec madd(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }

}  // namespace
}  // namespace ttl::machine

#include "gemm_floats.inc.cpp"

namespace ttl::machine {

const GemmKernels kGemmAvx2 = kKernelsOfFloats;

}  // namespace ttl::machine
#endif
