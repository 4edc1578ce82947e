// Matrix products of bfloat16 in tiles of 32 x 32, 32 steps of k per instruction: included by one file with the
// instructions of AMX and by another with what they do in plain C++, under the names that <immintrin.h> gives them.
//
// A tile register has 16 rows of 64 bytes. 0 to 3 hold C: columns 0 to 15 and 16 to 31 of the upper rows, then of the
// lower; 4 and 5 the upper and lower rows of A, 6 and 7 the left and right columns of B. Only as many rows are used as
// C has. The numbers of registers are literals in the intrinsics, which are macros.
#include <cstring>

#include "gemm_kernels.h"

namespace ttl::machine {
namespace {

constexpr int kStep = 32, kSide = 16;
constexpr int64_t kTileBytes = 64, kStepBytes = kSide * 2 * kTileBytes;  // of a row of a register; of a step of B

// What LDTILECFG reads.
struct alignas(64) TileConfig {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};
static_assert(sizeof(TileConfig) == 64);

// Rows of C that the registers are set for; 0: none.
thread_local int32_t configured = 0;

void configure(int32_t rows) {
  if (rows == configured) return;
  const int32_t upper = rows < kSide ? rows : kSide, lower = rows - upper;
  TileConfig config{};
  config.palette = 1;
  for (const int tile : {0, 1, 4, 2, 3, 5, 6, 7}) {
    const int32_t used = tile >= 6 ? kSide : tile == 2 || tile == 3 || tile == 5 ? lower : upper;
    config.rows[tile] = static_cast<uint8_t>(used);
    config.row_bytes[tile] = used ? kTileBytes : 0;
  }
  _tile_loadconfig(&config);
  configured = rows;
}

void release() {
  _tile_release();
  configured = 0;
}

inline uint16_t half_of(const char *from, Format format) {
  uint16_t half;
  std::memcpy(&half, format == Format::BF16 ? from : from + 2, 2);  // the upper half of a float
  return half;
}

void pack_a_steps(const char *a, int64_t a_stride, Format format, int32_t rows, int32_t k, char *out,
                  int64_t out_stride) {
  const int64_t element = bytes_of(format);
  const int32_t padded = (k + kStep - 1) / kStep * kStep;
  for (int32_t r = 0; r < rows; ++r) {
    const char *from = a + r * a_stride;
    auto *to = reinterpret_cast<uint16_t *>(out + r * out_stride);
    for (int32_t i = 0; i < k; ++i) to[i] = half_of(from + i * element, format);
    std::memset(to + k, 0, static_cast<size_t>(padded - k) * 2);
  }
}

void pack_b_steps(const char *b, int64_t b_stride, Format format, int32_t k, int32_t n, char *out,
                  int64_t panel_bytes) {
  const int64_t element = bytes_of(format);
  for (int32_t row = 0; row < k; row += 2) {
    const char *even = b + row * b_stride, *odd = even + b_stride;
    auto *to = reinterpret_cast<uint16_t *>(out + row / 2 * 2 * kTileBytes);
    for (int32_t column = 0; column < n; column += kStep, to += panel_bytes / 2) {
      const int32_t wide = n - column < kStep ? n - column : kStep;
      if (wide < kStep) std::memset(to, 0, 2 * kTileBytes);
      for (int32_t i = 0; i < wide; ++i) {
        to[2 * i] = half_of(even + (column + i) * element, format);
        to[2 * i + 1] = row + 1 < k ? half_of(odd + (column + i) * element, format) : uint16_t{0};
      }
    }
  }
  const int32_t written = (k + 1) / 2, pairs = (k + kStep - 1) / kStep * kSide;
  for (int32_t column = 0; column < n; column += kStep, out += panel_bytes)
    std::memset(out + written * 2 * kTileBytes, 0, static_cast<size_t>(pairs - written) * 2 * kTileBytes);
}

void tile_steps(int32_t rows, const Rows *a, int64_t count, int64_t first, const char *b, float *c, int64_t c_stride,
                bool accumulate) {
  configure(rows);
  const bool both = rows > kSide;
  char *const upper = reinterpret_cast<char *>(c), *const lower = upper + kSide * c_stride;
  if (accumulate) {
    _tile_loadd(0, upper, c_stride);
    _tile_loadd(1, upper + kTileBytes, c_stride);
    if (both) _tile_loadd(2, lower, c_stride);
    if (both) _tile_loadd(3, lower + kTileBytes, c_stride);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    if (both) _tile_zero(2);
    if (both) _tile_zero(3);
  }
  for (const Rows *part = a; part < a + count; ++part) {
    const char *row = part->data + first * part->stride;
    for (int64_t i = 0; i < part->k; i += kStep, row += kTileBytes, b += kStepBytes) {
      _tile_loadd(4, row, part->stride);
      _tile_loadd(6, b, 2 * kTileBytes);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(7, b + kTileBytes, 2 * kTileBytes);
      _tile_dpbf16ps(1, 4, 7);
      if (!both) continue;
      _tile_loadd(5, row + kSide * part->stride, part->stride);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, upper, c_stride);
  _tile_stored(1, upper + kTileBytes, c_stride);
  if (both) _tile_stored(2, lower, c_stride);
  if (both) _tile_stored(3, lower + kTileBytes, c_stride);
}

template <int... kBefore>
constexpr GemmKernels kernels_of_steps(std::integer_sequence<int, kBefore...>) {
  return {
      .panel = kStep,
      .rows = kStep,
      .step = kStep,
      .element = 2,
      .native = Format::BF16,
      .pack_a = pack_a_steps,
      .pack_b = pack_b_steps,
      .tile = {nullptr, (static_cast<void>(kBefore), tile_steps)...},
      .end = release,
  };
}

constexpr GemmKernels kKernelsOfSteps = kernels_of_steps(std::make_integer_sequence<int, kStep>());

}  // namespace
}  // namespace ttl::machine
