// What an instruction set brings to matrix products; the loops around it (gemm.cpp) are the same for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "isa.h"
#include "machine.h"

namespace ttl::machine {

inline constexpr int kMostTileRows = 32, kWidestPanel = 32;

// A stretch of k of rows of A, in the layout of the kernels; `k` is a multiple of their `step`.
struct Rows {
  const char *data;
  int64_t stride;
  int64_t k;
};

// c (+)= A @ B for `rows` rows, from row `row` of A, and one panel. Every element of c is one sum over k in ascending
// order that starts with c's value, so that a sum that is cut after a multiple of 32 has the same bits.
using Tile = void (*)(int32_t rows, const Rows *a, int64_t count, int64_t row, const char *b, float *c,
                      int64_t c_stride, bool accumulate);

// One way to compute: operands are brought into its layout first, then multiplied in tiles.
//
// A: a few rows, each contiguous, elements of `element` bytes. B: panels of `panel` columns, zeros to the right of
// the last column; in a panel `group` rows are interleaved: [k / group][column][k % group]. Where a factor's k is no
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
  Tile tile[kMostTileRows + 1];  // by the number of rows, 1 to `rows`
  void (*end)();  // to be called on the thread after the last of some tiles; null where there is nothing to do
};

extern const GemmKernels kGemmPlain;
#if defined(__x86_64__)
extern const GemmKernels kGemmAvx2;
extern const GemmKernels kGemmAvx512;
extern const GemmKernels kGemmAvx512Pairs;  // these need halves on both sides
extern const GemmKernels kGemmAmx;
#endif
#if defined(__aarch64__)
extern const GemmKernels kGemmNeonBf16;
#endif
extern const GemmKernels kGemmEmulatedAmx;

// Whether every value of the format is one of bfloat16: block floats have at most 7 bits of a mantissa.
inline bool is_half(Format format) { return format != Format::F32; }

// Of the formats a factor may have.
inline int64_t bytes_of(Format format) { return format == Format::BF16 ? 2 : 4; }

}  // namespace ttl::machine
