// Kernels that read, store and reduce rows. Part of kernels.inc.cpp.

// --- in and out ---------------------------------------------------------------------------------------------

void load_bf16(const Call &call) {
  TTL_ROWS(call) {
    const Halves a(call.a + r * call.as);
    const ToFloats d(call.d + r * call.ds);
    columns(call.cols, [=](int64_t i) { d.set(i, a[i]); });
  }
}

void load_f16(const Call &call) {
  TTL_ROWS(call) {
    const Halves a(call.a + r * call.as);
    const ToFloats d(call.d + r * call.ds);
    columns(call.cols, [=](int64_t i) { d.set(i, from_float16(a.p[i])); });
  }
}

void store_bf16(const Call &call) {
  TTL_ROWS(call) {
    const Floats a(call.a + r * call.as);
    const ToHalves d(call.d + r * call.ds);
    columns(call.cols, [=](int64_t i) { d.set(i, a[i]); });
  }
}

void store_f16(const Call &call) {
  TTL_ROWS(call) {
    const Floats a(call.a + r * call.as);
    const ToHalves d(call.d + r * call.ds);
    columns(call.cols, [=](int64_t i) { d.p[i] = to_float16(a[i]); });
  }
}

void copy(const Call &call) {
  TTL_ROWS(call) memmove(call.d + r * call.ds, call.a + r * call.as, static_cast<size_t>(call.cols) * sizeof(float));
}

// Each 16 values of a row share an exponent, that of the largest; see rows/dtypes.py, round_to_block_float.
void block_float(const Call &call) {
  const int32_t bits = static_cast<int32_t>(call.params[0]);
  const double limit = static_cast<double>((1 << bits) - 1);
  TTL_ROWS(call) {
    const float *a = reinterpret_cast<const float *>(call.a + r * call.as);
    float *d = reinterpret_cast<float *>(call.d + r * call.ds);
    for (int64_t start = 0; start < call.cols; start += 16) {
      const int64_t end = start + 16 < call.cols ? start + 16 : call.cols;
      uint32_t largest = 0;
      for (int64_t i = start; i < end; ++i) {
        const uint32_t magnitude = as_bits(a[i]) & 0x7fffffffu;
        largest = magnitude < 0x7f800000u && magnitude > largest ? magnitude : largest;
      }
      const uint64_t wide = __builtin_bit_cast(uint64_t, static_cast<double>(as_float(largest)));
      const int32_t exponent = largest == 0 ? 0 : static_cast<int32_t>(wide >> 52) - 1022;
      const double scale = __builtin_bit_cast(double, static_cast<uint64_t>(1023 + bits - exponent) << 52);
      const double back = __builtin_bit_cast(double, static_cast<uint64_t>(1023 - bits + exponent) << 52);
      for (int64_t i = start; i < end; ++i) {
        const float x = a[i];
        double whole = __builtin_rint(static_cast<double>(x) * scale);
        whole = whole > limit ? limit : whole;
        whole = whole < -limit ? -limit : whole;
        const bool finite = (as_bits(x) & 0x7fffffffu) < 0x7f800000u;
        d[i] = finite ? static_cast<float>(whole * back) : x;
      }
    }
  }
}

// params: the number; how many rows and columns of the block hold data.
void pad(const Call &call) {
  const float number = static_cast<float>(call.params[0]);
  const int64_t rows = static_cast<int64_t>(call.params[1]), cols = static_cast<int64_t>(call.params[2]);
  TTL_ROWS(call) {
    const int64_t kept = call.first_row + r < rows ? (cols < call.cols ? cols : call.cols) : 0;
    const float *a = reinterpret_cast<const float *>(call.a + r * call.as);
    float *d = reinterpret_cast<float *>(call.d + r * call.ds);
    if (d != a) memcpy(d, a, static_cast<size_t>(kept) * sizeof(float));
    for (int64_t i = kept; i < call.cols; ++i) d[i] = number;
  }
}

// --- columns: one number per row ----------------------------------------------------------------------------

void column_f32(const Call &call) {
  float *d = reinterpret_cast<float *>(call.d);
  TTL_ROWS(call) d[r] = *reinterpret_cast<const float *>(call.a + r * call.as);
}

void column_bf16(const Call &call) {
  float *d = reinterpret_cast<float *>(call.d);
  TTL_ROWS(call) d[r] = from_bfloat16(*reinterpret_cast<const uint16_t *>(call.a + r * call.as));
}

void column_f16(const Call &call) {
  float *d = reinterpret_cast<float *>(call.d);
  TTL_ROWS(call) d[r] = from_float16(*reinterpret_cast<const uint16_t *>(call.a + r * call.as));
}

void splat(const Call &call) {
  TTL_ROWS(call) {
    const Number a(call.a + r * call.as);
    const ToFloats d(call.d + r * call.ds);
    columns(call.cols, [=](int64_t i) { d.set(i, a.value); });
  }
}

void column_block(const Call &call) {
  TTL_ROWS(call) {
    const float value = *reinterpret_cast<const float *>(call.a + r * call.as);
    float *d = reinterpret_cast<float *>(call.d + r * call.ds);
    memset(d, 0, static_cast<size_t>(call.cols) * sizeof(float));
    d[0] = value;
  }
}

// --- reductions ---------------------------------------------------------------------------------------------

// 32 partial results whatever the width of vectors: the same bits everywhere. `fast` is `of` for what is not NaN.
struct Sum {
  static constexpr float kNeutral = 0.0f;
  static constexpr bool kFastLosesNan = false;
  // What is summed up of an operand.
  template <typename Vector>
  static TTL_INLINE Vector term(Vector a) { return a; }
  template <typename Vector>
  static TTL_INLINE Vector of(Vector a, Vector b) { return a + b; }
  template <typename Vector>
  static TTL_INLINE Vector fast(Vector a, Vector b) { return a + b; }
};
struct SumOfSquares : Sum {
  template <typename Vector>
  static TTL_INLINE Vector term(Vector a) { return a * a; }
};
struct Max {
  static constexpr float kNeutral = -kInfinity;
  static constexpr bool kFastLosesNan = true;
  template <typename Vector>
  static TTL_INLINE Vector term(Vector a) { return a; }
  template <typename Vector>
  static TTL_INLINE Vector of(Vector a, Vector b) { return ((a > b) | (a != a)) ? a : b; }
  template <typename Vector>
  static TTL_INLINE Vector fast(Vector a, Vector b) { return vector_max(a, b); }
};

// A number of rows that is known to the compiler.
template <int count>
struct Count {
  constexpr operator int() const { return count; }
};

// Halves are combined until one number is left.
template <typename R, int lanes>
TTL_INLINE float reduce_lanes(const float *at) {
  if constexpr (lanes == 2) {
    return R::of(at[0], at[1]);
  } else {
    constexpr int half = lanes / 2, width = half < kLanes ? half : kLanes;
    typedef float Part __attribute__((vector_size(width * 4), aligned(4), may_alias));
    float left[half];
    for (int i = 0; i < half; i += width) {
      const Part part = R::of(*reinterpret_cast<const Part *>(at + i), *reinterpret_cast<const Part *>(at + i + half));
      memcpy(left + i, &part, sizeof part);
    }
    return reduce_lanes<R, half>(left);
  }
}

// One row of any length, whatever it holds.
template <typename R, typename A>
float reduce_row(const A &a, int64_t cols) {
  FloatVector parts[kVectors];
  float lanes[32];
  int64_t i = 0;
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) parts[v] = FloatVector{} + R::kNeutral;
  for (; i + 32 <= cols; i += 32) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) parts[v] = R::of(parts[v], R::term(vector_at(a, i + v * kLanes)));
  }
  memcpy(lanes, parts, sizeof lanes);
  for (int lane = 0; i < cols; ++i, ++lane) lanes[lane] = R::of(lanes[lane], R::term(a[i]));
  return reduce_lanes<R, 32>(lanes);
}

// The first four lanes of a vector, after halves were combined.
template <typename R>
TTL_INLINE FourFloats four_lanes(FloatVector v) {
#if defined(__AVX512F__)
  const __m256 half = R::fast(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
  return R::fast(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
#elif defined(__AVX2__)
  return R::fast(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
#else
  return v;
#endif
}

// Rows that are a whole number of 32 columns, side by side: their sums do not wait for each other.
template <typename R, typename A, int count>
TTL_INLINE void reduce_to_four(const char *a, int64_t stride, int64_t cols, FourFloats *to, NanSeen &nan) {
  FloatVector parts[count][kVectors];
#pragma GCC unroll 4
  for (int r = 0; r < count; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) parts[r][v] = FloatVector{} + R::kNeutral;
  }
  for (int64_t i = 0; i < cols; i += 32) {
#pragma GCC unroll 4
    for (int r = 0; r < count; ++r) {
      const A row(a + r * stride);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; v += 2) {
        const FloatVector first = vector_at(row, i + v * kLanes), second = vector_at(row, i + (v + 1) * kLanes);
        if constexpr (R::kFastLosesNan) nan.look_at(first, second);
        parts[r][v] = R::fast(parts[r][v], R::term(first));
        parts[r][v + 1] = R::fast(parts[r][v + 1], R::term(second));
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < count; ++r) {
#pragma GCC unroll 4
    for (int half = kVectors / 2; half > 0; half /= 2) {
#pragma GCC unroll 4
      for (int v = 0; v < half; ++v) parts[r][v] = R::fast(parts[r][v], parts[r][v + half]);
    }
    to[r] = four_lanes<R>(parts[r][0]);
  }
}

// Up to four rows end together: what is left of each is too short for a vector. Bits are those of `reduce_row`;
// false, and nothing done, where there is a NaN.
template <typename R, typename A, int count>
TTL_INLINE bool reduce_together(const char *a, int64_t stride, int64_t cols, float *d) {
  // As many as there are registers for.
  constexpr int kAtOnce = kVectors == 2 ? count : 1;
  NanSeen nan;
  FourFloats rows[4] = {};
#pragma GCC unroll 4
  for (int r = 0; r < count; r += kAtOnce) reduce_to_four<R, A, kAtOnce>(a + r * stride, stride, cols, rows + r, nan);
  if (nan.any()) return false;
  const FourFloats first = R::fast(FourFloats(__builtin_shufflevector(rows[0], rows[1], 0, 1, 4, 5)),
                                   FourFloats(__builtin_shufflevector(rows[0], rows[1], 2, 3, 6, 7)));
  const FourFloats second = R::fast(FourFloats(__builtin_shufflevector(rows[2], rows[3], 0, 1, 4, 5)),
                                    FourFloats(__builtin_shufflevector(rows[2], rows[3], 2, 3, 6, 7)));
  const FourFloats all = R::fast(FourFloats(__builtin_shufflevector(first, second, 0, 2, 4, 6)),
                                 FourFloats(__builtin_shufflevector(first, second, 1, 3, 5, 7)));
  memcpy(d, &all, count * sizeof *d);
  return true;
}

template <typename R, typename A>
void reduce_columns(const Call &call) {
  float *d = reinterpret_cast<float *>(call.d);
  int64_t r = 0;
  const auto together = [&](auto count) {
    const char *const a = call.a + r * call.as;
    if (call.cols % 32 != 0 || !reduce_together<R, A, count>(a, call.as, call.cols, d + r)) {
      for (int64_t each = 0; each < count; ++each) d[r + each] = reduce_row<R>(A(a + each * call.as), call.cols);
    }
    r += count;
  };
  while (r + 4 <= call.rows) together(Count<4>{});
  if (r + 2 <= call.rows) together(Count<2>{});
  if (r < call.rows) together(Count<1>{});
}

template <typename R>
void reduce_rows(const Call &call) {
  TTL_ROWS(call) {
    const Floats a(call.a + r * call.as);
    const ToFloats d(call.d + r * call.ds);
    columns(call.cols, [=](int64_t i) { d.set(i, R::of(d.p[i], a[i])); });
  }
}
