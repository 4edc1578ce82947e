// What an instruction set brings to matrix products; the loops around it (gemm.cpp) are the same for all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa.h"
#include "machine.h"

namespace ttl::machine {

inline constexpr int kMostTileRows = 8;

// A stretch of k of rows of A, in the layout of the kernels; `k` is a multiple of their `step`.
struct Rows {
  const char *data;
  int64_t stride;
  int64_t k;
};

// One way to compute: operands are brought into its layout first, then multiplied in tiles.
//
// A: a few rows, each contiguous, elements of `element` bytes. B: panels of `panel` columns, zeros to the right of
// the last column; in a panel `step` rows are interleaved: [k / step][column][k % step]. Where a factor's k is no
// multiple of `step`, both sides are filled with zeros (only one would not do: 0 * infinity).
struct GemmKernels {
  int32_t panel;
  int32_t rows;
  int32_t step;
  int32_t element;
  Format native;  // operands A of this format are in the layout as they are, if k is a multiple of `step`
  // `rows` x `k` of A to `out`.
  void (*pack_a)(const char *a, int64_t a_stride, Format format, int32_t rows, int32_t k, char *out,
                 int64_t out_stride);
  // `k` x `n` of B to the panels at `out`, `panel_bytes` apart.
  void (*pack_b)(const char *b, int64_t b_stride, Format format, int32_t k, int32_t n, char *out,
                 int64_t panel_bytes);
  // c (+)= A @ B for [r] rows, from row `row` of A, and one panel. Every element of c is one sum over k in ascending
  // order that starts with c's value, so that a sum cut in pieces has the same bits.
  void (*tile[kMostTileRows + 1])(const Rows *a, int64_t count, int64_t row, const char *b, float *c,
                                  int64_t c_stride, bool accumulate);
};

extern const GemmKernels kGemmPlain;
#if defined(__x86_64__)
extern const GemmKernels kGemmAvx2;
extern const GemmKernels kGemmAvx512;
extern const GemmKernels kGemmAvx512Pairs;  // bfloat16 on both sides
#endif

// Of the formats a factor may have.
inline int64_t bytes_of(Format format) { return format == Format::BF16 ? 2 : 4; }

}  // namespace ttl::machine
