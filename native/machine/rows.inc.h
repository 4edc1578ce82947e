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

// Each 16 values of a row share an exponent, that of the largest; see ops/dtypes.py, round_to_block_float.
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

// 32 partial results whatever the width of vectors: the same bits everywhere.
struct Sum {
  static constexpr float kNeutral = 0.0f;
  template <typename Vector>
  static TTL_INLINE Vector of(Vector a, Vector b) { return a + b; }
};
struct Max {
  static constexpr float kNeutral = -kInfinity;
  template <typename Vector>
  static TTL_INLINE Vector of(Vector a, Vector b) { return ((a > b) | (a != a)) ? a : b; }
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

template <typename R, typename A>
void reduce_columns(const Call &call) {
  float *d = reinterpret_cast<float *>(call.d);
  TTL_ROWS(call) {
    const A a(call.a + r * call.as);
    FloatVector parts[kVectors];
    float lanes[32];
    int64_t i = 0;
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) parts[v] = FloatVector{} + R::kNeutral;
    for (; i + 32 <= call.cols; i += 32) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) parts[v] = R::of(parts[v], vector_at(a, i + v * kLanes));
    }
    memcpy(lanes, parts, sizeof lanes);
    for (int lane = 0; i < call.cols; ++i, ++lane) lanes[lane] = R::of(lanes[lane], a[i]);
    d[r] = reduce_lanes<R, 32>(lanes);
  }
}

template <typename R>
void reduce_rows(const Call &call) {
  TTL_ROWS(call) {
    const Floats a(call.a + r * call.as);
    const ToFloats d(call.d + r * call.ds);
    columns(call.cols, [=](int64_t i) { d.set(i, R::of(d.p[i], a[i])); });
  }
}
