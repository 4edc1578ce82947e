// Matrix products of bfloat16 for 64-bit ARM with BFMMLA: tiles of 8 x 8, four steps of k per instruction.
//
// BFMMLA multiplies 2 x 4 by 4 x 2 numbers. It takes subnormal numbers as zero and gives none; of every two products it
// adds the sum to C, and rounds all of these to odd instead of to the nearest (Arm's reference manual, BFDotAdd).
#if defined(__aarch64__)
#include <arm_neon.h>

#include "gemm_kernels.h"

namespace ttl::machine {
namespace {

constexpr int kPanel = 8, kRows = 8, kStep = 4;

inline uint16_t half_of(const char *from, Format format) {
  uint16_t half;
  __builtin_memcpy(&half, format == Format::BF16 ? from : from + 2, 2);  // the upper half of a float
  return half;
}

void pack_a_fours(const char *a, int64_t a_stride, Format format, int32_t rows, int32_t k, char *out,
                  int64_t out_stride) {
  const int64_t element = bytes_of(format);
  for (int32_t r = 0; r < rows; ++r) {
    auto *to = reinterpret_cast<uint16_t *>(out + r * out_stride);
    for (int32_t i = 0; i < k; ++i) to[i] = half_of(a + r * a_stride + i * element, format);
    for (int32_t i = k; i % kStep; ++i) to[i] = 0;
  }
}

void pack_b_fours(const char *b, int64_t b_stride, Format format, int32_t k, int32_t n, char *out,
                  int64_t panel_bytes) {
  const int64_t element = bytes_of(format);
  for (int32_t row = 0; row < k; row += kStep) {
    auto *to = reinterpret_cast<uint16_t *>(out + static_cast<int64_t>(row) * kPanel * 2);
    for (int32_t column = 0; column < n; column += kPanel, to += panel_bytes / 2)
      for (int32_t i = 0; i < kPanel * kStep; ++i) {
        const int32_t at_row = row + i % kStep, at_column = column + i / kStep;
        const bool inside = at_row < k && at_column < n;
        to[i] = inside ? half_of(b + at_row * b_stride + at_column * element, format) : uint16_t{0};
      }
  }
}

// Rows 2 r and 2 r + 1 of a tile; the last row of an odd number of them is taken twice.
template <int kTileRows>
void tile_fours(int32_t, const Rows *a, int64_t count, int64_t first, const char *b, float *c, int64_t c_stride,
                bool accumulate) {
  constexpr int kPairs = (kTileRows + 1) / 2;
  const auto second = [](int pair) { return 2 * pair + 1 < kTileRows ? 2 * pair + 1 : 2 * pair; };
  const auto at = [&](int row, int column) {
    return reinterpret_cast<float *>(reinterpret_cast<char *>(c) + row * c_stride) + column;
  };
  float32x4_t sums[kPairs][4];
#pragma GCC unroll 4
  for (int r = 0; r < kPairs; ++r)
#pragma GCC unroll 4
    for (int n = 0; n < 4; ++n)
      sums[r][n] = accumulate ? vcombine_f32(vld1_f32(at(2 * r, 2 * n)), vld1_f32(at(second(r), 2 * n))) : vdupq_n_f32(0);
  for (const Rows *part = a; part < a + count; ++part) {
    const char *rows[2 * kPairs];
#pragma GCC unroll 8
    for (int r = 0; r < kPairs; ++r) {
      rows[2 * r] = part->data + (first + 2 * r) * part->stride;
      rows[2 * r + 1] = part->data + (first + second(r)) * part->stride;
    }
    for (int64_t i = 0; i < part->k * 2; i += 2 * kStep, b += 2 * kStep * kPanel) {
      bfloat16x8_t right[4];
#pragma GCC unroll 4
      for (int n = 0; n < 4; ++n) right[n] = vld1q_bf16(reinterpret_cast<const bfloat16_t *>(b) + 8 * n);
#pragma GCC unroll 4
      for (int r = 0; r < kPairs; ++r) {
        const bfloat16x8_t left = vcombine_bf16(vld1_bf16(reinterpret_cast<const bfloat16_t *>(rows[2 * r] + i)),
                                                vld1_bf16(reinterpret_cast<const bfloat16_t *>(rows[2 * r + 1] + i)));
#pragma GCC unroll 4
        for (int n = 0; n < 4; ++n) sums[r][n] = vbfmmlaq_f32(sums[r][n], left, right[n]);
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kPairs; ++r)
#pragma GCC unroll 4
    for (int n = 0; n < 4; ++n) {
      vst1_f32(at(second(r), 2 * n), vget_high_f32(sums[r][n]));
      vst1_f32(at(2 * r, 2 * n), vget_low_f32(sums[r][n]));
    }
}

}  // namespace

const GemmKernels kGemmNeonBf16 = {
    .panel = kPanel,
    .rows = kRows,
    .step = kStep,
    .element = 2,
    .native = Format::BF16,
    .pack_a = pack_a_fours,
    .pack_b = pack_b_fours,
    .tile = {nullptr, tile_fours<1>, tile_fours<2>, tile_fours<3>, tile_fours<4>, tile_fours<5>, tile_fours<6>,
             tile_fours<7>, tile_fours<8>},
    .end = nullptr,
};

}  // namespace ttl::machine
#endif
