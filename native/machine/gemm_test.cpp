// C entry points of the matrix products, for tests/native/test_gemm.py.
#include "gemm.h"
#include "isa.h"

#define TTL_EXPORT extern "C" __attribute__((visibility("default")))

using ttl::machine::Factor;
using ttl::machine::Format;
using ttl::machine::GemmScratch;
using ttl::machine::GemmShape;
using ttl::machine::Isa;

TTL_EXPORT void *ttl_gemm_scratch_new() { return ttl::machine::gemm_scratch_new(); }
TTL_EXPORT void ttl_gemm_scratch_delete(void *scratch) {
  ttl::machine::gemm_scratch_delete(static_cast<GemmScratch *>(scratch));
}
TTL_EXPORT void ttl_gemm_scratch_reset(void *scratch) {
  ttl::machine::gemm_scratch_reset(static_cast<GemmScratch *>(scratch));
}

// Whether an instruction set can be used (as `Isa`), the one in use, and another one from now on.
TTL_EXPORT int ttl_gemm_has(int isa) { return ttl::machine::available(static_cast<Isa>(isa)); }
TTL_EXPORT int ttl_gemm_isa() { return static_cast<int>(ttl::machine::active()); }
TTL_EXPORT int ttl_gemm_use(int isa) { return ttl::machine::use(static_cast<Isa>(isa)); }

// `tasks` chains of one shape, `factors` and `c` one after another; formats as `Format`.
TTL_EXPORT void ttl_gemm_chain(int m, int n, int factors, const int *k, const int *a_format, const int *b_format,
                               int tasks, const Factor *operands, float *const *c, long long c_stride,
                               int accumulate, void *scratch) {
  const GemmShape shape = {m, n, factors, k, reinterpret_cast<const Format *>(a_format),
                           reinterpret_cast<const Format *>(b_format)};
  for (int task = 0; task < tasks; ++task) {
    ttl::machine::gemm_chain(shape, operands + static_cast<long long>(task) * factors, c[task], c_stride,
                             accumulate != 0, static_cast<GemmScratch *>(scratch));
  }
}
