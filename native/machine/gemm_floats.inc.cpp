// Matrix products of float32, generic over the vectors of an instruction set. Included by one file per set after it
// has defined, in an anonymous namespace:
//
//   Vec                         a vector of kLanes floats that supports indexing
//   Vec load(const float *), void store(float *, Vec), Vec spread(float), Vec madd(Vec a, Vec b, Vec c) = a * b + c
//   kLanes, kRows               a tile has kRows rows and 2 * kLanes columns
//
// The kernels are kKernelsOfFloats. Everything is in an anonymous namespace and nothing of the standard library is called: a function shared with other
// files could be the copy that was compiled for this instruction set.

namespace ttl::machine {
namespace {

constexpr int kPanel = 2 * kLanes;

inline float float_of(const char *bf16) {
  uint16_t half;
  __builtin_memcpy(&half, bf16, 2);
  const uint32_t bits = static_cast<uint32_t>(half) << 16;
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

inline void floats_of(const char *__restrict from, Format format, int32_t count, float *__restrict to) {
  if (format == Format::BF16) {
    for (int32_t i = 0; i < count; ++i) to[i] = float_of(from + 2 * i);
    return;
  }
  __builtin_memcpy(to, from, static_cast<size_t>(count) * 4);
}

void pack_a_floats(const char *a, int64_t a_stride, Format format, int32_t rows, int32_t k, char *out,
                   int64_t out_stride) {
  for (int32_t r = 0; r < rows; ++r) {
    floats_of(a + r * a_stride, format, k, reinterpret_cast<float *>(out + r * out_stride));
  }
}

void pack_b_floats(const char *b, int64_t b_stride, Format format, int32_t k, int32_t n, char *out,
                   int64_t panel_bytes) {
  const int64_t element = bytes_of(format);
  const int32_t whole = n / kPanel, rest = n % kPanel;
  for (int32_t row = 0; row < k; ++row) {
    const char *from = b + row * b_stride;
    char *to = out + static_cast<int64_t>(row) * kPanel * 4;
    for (int32_t p = 0; p < whole; ++p) {
      floats_of(from + p * kPanel * element, format, kPanel, reinterpret_cast<float *>(to + p * panel_bytes));
    }
    if (rest == 0) continue;
    float *last = reinterpret_cast<float *>(to + whole * panel_bytes);
    floats_of(from + whole * kPanel * element, format, rest, last);
    for (int32_t i = rest; i < kPanel; ++i) last[i] = 0.0f;
  }
}

template <int kTileRows>
void tile_floats(int32_t, const Rows *a, int64_t count, int64_t first, const char *b, float *c, int64_t c_stride,
                 bool accumulate) {
  Vec left[kTileRows], right[kTileRows];
  char *const c_rows = reinterpret_cast<char *>(c);
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
    const float *row = reinterpret_cast<const float *>(c_rows + r * c_stride);
    left[r] = accumulate ? load(row) : spread(0.0f);
    right[r] = accumulate ? load(row + kLanes) : spread(0.0f);
  }
  const float *panel = reinterpret_cast<const float *>(b);
  for (const Rows *part = a; part < a + count; ++part) {
    const float *rows[kTileRows];
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      rows[r] = reinterpret_cast<const float *>(part->data + (first + r) * part->stride);
    }
#pragma GCC unroll 2
    for (int64_t i = 0; i < part->k; ++i, panel += kPanel) {
      const Vec b_left = load(panel), b_right = load(panel + kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kTileRows; ++r) {
        const Vec one = spread(rows[r][i]);
        left[r] = madd(one, b_left, left[r]);
        right[r] = madd(one, b_right, right[r]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
    float *row = reinterpret_cast<float *>(c_rows + r * c_stride);
    store(row, left[r]);
    store(row + kLanes, right[r]);
  }
}

template <int... kBefore>
constexpr GemmKernels kernels_of_floats(std::integer_sequence<int, kBefore...>) {
  return {
      .panel = kPanel,
      .rows = kRows,
      .step = 1,
      .element = 4,
      .native = Format::F32,
      .pack_a = pack_a_floats,
      .pack_b = pack_b_floats,
      .tile = {nullptr, tile_floats<kBefore + 1>...},
      .end = nullptr,
  };
}

constexpr GemmKernels kKernelsOfFloats = kernels_of_floats(std::make_integer_sequence<int, kRows>());

}  // namespace
}  // namespace ttl::machine
