// Chains of matrix products: C = A0 @ B0 + A1 @ B1 + ..., accumulated in float32 with the accumulators in registers
// over the whole chain.
#pragma once

#include "machine.h"

namespace ttl::machine {

// One product of a chain. A is m x k, B is k x n; rows contiguous, row strides in bytes.
struct Factor {
  const char *a;
  int64_t a_stride;
  const char *b;
  int64_t b_stride;
};

// Shape and formats are those of all tasks of a run. `k` per factor; formats are not F16.
struct GemmShape {
  int32_t m, n;
  int32_t factors;
  const int32_t *k;       // factors entries
  const Format *a_format; // factors entries
  const Format *b_format; // factors entries
};

// Packed operands are kept from task to task: a worker owns one of these and hands it to every call it makes.
struct GemmScratch;
GemmScratch *gemm_scratch_new();
void gemm_scratch_delete(GemmScratch *scratch);
// Forget what is packed: the memory behind the pointers may have changed. Called at the start of every run.
void gemm_scratch_reset(GemmScratch *scratch);

// c is m x n float32, row stride `c_stride` bytes; overwritten, or added to when `accumulate`.
void gemm_chain(const GemmShape &shape, const Factor *factors, float *c, int64_t c_stride, bool accumulate,
                GemmScratch *scratch);

}  // namespace ttl::machine
