// Matrix products of bfloat16 for AVX-512 BF16: tiles of 8 x 32, two steps of k per instruction.
#if defined(__x86_64__)
#include <immintrin.h>

#include "gemm_kernels.h"

namespace ttl::machine {
namespace {

constexpr int kPanel = 32;
constexpr int kRows = 8;
constexpr int64_t kPairBytes = 4 * kPanel;  // two rows of a panel of B

// Bits of the first `count` of 32 elements.
inline __mmask32 first(int32_t count) { return count >= 32 ? ~__mmask32{0} : (__mmask32{1} << count) - 1; }

// Upper halves of 32 numbers in two registers.
alignas(64) constexpr uint16_t kUpper[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                                             33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};

// Numbers of one register beside those of another, from the first and from the seventeenth on.
alignas(64) constexpr uint16_t kPairs[2][32] = {
    {0, 32, 1, 33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39,
     8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47},
    {16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55,
     24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63}};

// Elements of `mask`, which stand at `from` + 0, 1, ..., as bfloat16; zero elsewhere.
inline __m512i halves(const char *from, Format format, __mmask32 mask) {
  if (format == Format::BF16) return _mm512_maskz_loadu_epi16(mask, from);
  const __m512i left = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask), from);
  const __m512i right = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask >> 16), from + 64);
  return _mm512_permutex2var_epi16(left, _mm512_load_si512(kUpper), right);
}

void pack_a_pairs(const char *a, int64_t a_stride, Format format, int32_t rows, int32_t k, char *out,
                  int64_t out_stride) {
  const int64_t element = bytes_of(format);
  for (int32_t r = 0; r < rows; ++r) {
    for (int32_t i = 0; i < k; i += 32) {
      // An odd k has a zero behind it.
      const char *from = a + r * a_stride + i * element;
      _mm512_mask_storeu_epi16(out + r * out_stride + 2 * i, first(k + (k & 1) - i), halves(from, format, first(k - i)));
    }
  }
}

void pack_b_pairs(const char *b, int64_t b_stride, Format format, int32_t k, int32_t n, char *out,
                  int64_t panel_bytes) {
  const __m512i left = _mm512_load_si512(kPairs[0]), right = _mm512_load_si512(kPairs[1]);
  const int64_t element = bytes_of(format);
  for (int32_t row = 0; row < k; row += 2) {
    const char *even = b + row * b_stride, *odd = even + b_stride;
    char *to = out + row / 2 * kPairBytes;
    for (int32_t column = 0; column < n; column += kPanel, to += panel_bytes) {
      const __mmask32 mask = first(n - column);
      const __m512i low = halves(even + element * column, format, mask);
      const __m512i high = halves(odd + element * column, format, row + 1 < k ? mask : 0);
      _mm512_store_si512(to, _mm512_permutex2var_epi16(low, left, high));
      _mm512_store_si512(to + 64, _mm512_permutex2var_epi16(low, right, high));
    }
  }
}

inline __m512bh spread(const char *pair) {
  int32_t bits;
  __builtin_memcpy(&bits, pair, 4);
  return reinterpret_cast<__m512bh>(_mm512_set1_epi32(bits));
}

inline __m512bh load(const char *from) { return reinterpret_cast<__m512bh>(_mm512_load_si512(from)); }

template <int kTileRows>
void tile_pairs(int32_t, const Rows *a, int64_t count, int64_t first, const char *b, float *c, int64_t c_stride,
                bool accumulate) {
  __m512 left[kTileRows], right[kTileRows];
  char *const c_rows = reinterpret_cast<char *>(c);
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
    const float *row = reinterpret_cast<const float *>(c_rows + r * c_stride);
    left[r] = accumulate ? _mm512_loadu_ps(row) : _mm512_setzero_ps();
    right[r] = accumulate ? _mm512_loadu_ps(row + 16) : _mm512_setzero_ps();
  }
  for (const Rows *part = a; part < a + count; ++part) {
    const char *rows[kTileRows];
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) rows[r] = part->data + (first + r) * part->stride;
#pragma GCC unroll 2
    for (int64_t i = 0; i < part->k * 2; i += 4, b += kPairBytes) {
      const __m512bh b_left = load(b), b_right = load(b + 64);
#pragma GCC unroll 8
      for (int r = 0; r < kTileRows; ++r) {
        const __m512bh one = spread(rows[r] + i);
        left[r] = _mm512_dpbf16_ps(left[r], one, b_left);
        right[r] = _mm512_dpbf16_ps(right[r], one, b_right);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
    float *row = reinterpret_cast<float *>(c_rows + r * c_stride);
    _mm512_storeu_ps(row, left[r]);
    _mm512_storeu_ps(row + 16, right[r]);
  }
}

}  // namespace

const GemmKernels kGemmAvx512Pairs = {
    .panel = kPanel,
    .rows = kRows,
    .step = 2,
    .element = 2,
    .native = Format::BF16,
    .pack_a = pack_a_pairs,
    .pack_b = pack_b_pairs,
    .tile = {nullptr, tile_pairs<1>, tile_pairs<2>, tile_pairs<3>, tile_pairs<4>, tile_pairs<5>, tile_pairs<6>,
             tile_pairs<7>, tile_pairs<8>},
    .end = nullptr,
};

}  // namespace ttl::machine
#endif
