// Matrix products of bfloat16 for AMX.
//
// TDPBF16PS takes subnormal numbers as zero and gives none, rounds to the nearest, and asks no control register. Of the
// 32 steps of k it sums those with an even number and those with an odd one, each from zero with fused products, adds the
// two sums, and then adds that to C (Intel's manual of instruction set extensions).
#if defined(__x86_64__)
#include <immintrin.h>

#include "gemm_amx.inc.cpp"

namespace ttl::machine {

const GemmKernels kGemmAmx = kKernelsOfSteps;

}  // namespace ttl::machine
#endif
