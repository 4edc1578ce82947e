// The kernels of row segments, for one instruction set: included by kernels_*.cpp, which define TTL_ISA_NAMESPACE.
//
// Everything has internal linkage (an inline function shared with another file could be the copy that uses
// instructions this processor lacks), nothing of the C++ library is used, and loops are simple enough to be
// vectorised by the compiler. Results do not depend on the instruction set: no FMA, sums in a fixed order.

#include <math.h>

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // of GCC 12's own _mm512_undefined_ps
#endif

#include "opcodes.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // loops around functions of the C library stay loops
#define TTL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TTL_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define TTL_INLINE inline __attribute__((always_inline))

namespace ttl::machine::TTL_ISA_NAMESPACE {
namespace {

#include "functions.inc.h"

// --- columns and rows ---------------------------------------------------------------------------------------

// The body for 0 .. n-1, 32 at a time: rows of tiles are whole multiples, and their loop has no other overhead.
// The result may be an operand, element for element; it does not overlap operands otherwise.
template <typename Body>
TTL_INLINE void columns(int64_t n, Body body) {
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    TTL_INDEPENDENT
    for (int64_t j = i; j < i + 32; ++j) body(j);
  }
  for (; i < n; ++i) body(i);
}

// How operands are read: `at(row pointer)` gives what is indexed by column.
struct Floats {
  const float *p;
  explicit Floats(const char *row) : p(reinterpret_cast<const float *>(row)) {}
  TTL_INLINE float operator[](int64_t i) const { return p[i]; }
};
struct Halves {
  const uint16_t *p;
  explicit Halves(const char *row) : p(reinterpret_cast<const uint16_t *>(row)) {}
  TTL_INLINE float operator[](int64_t i) const { return from_bfloat16(p[i]); }
};
struct Number {
  float value;
  explicit Number(const char *row) : value(*reinterpret_cast<const float *>(row)) {}
  TTL_INLINE float operator[](int64_t) const { return value; }
};

struct ToFloats {
  float *p;
  explicit ToFloats(char *row) : p(reinterpret_cast<float *>(row)) {}
  TTL_INLINE void set(int64_t i, float value) const { p[i] = value; }
};
struct ToHalves {
  uint16_t *p;
  explicit ToHalves(char *row) : p(reinterpret_cast<uint16_t *>(row)) {}
  TTL_INLINE void set(int64_t i, float value) const { p[i] = to_bfloat16(value); }
};

#define TTL_ROWS(call) for (int64_t r = 0; r < (call).rows; ++r)

// --- vectors ------------------------------------------------------------------------------------------------

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
constexpr int kVectors = 32 / kLanes;
typedef float FloatVector __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));
typedef uint16_t HalfVector __attribute__((vector_size(kLanes * 2), aligned(2), may_alias));
typedef uint32_t BitVector __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));

TTL_INLINE FloatVector vector_at(const Floats &row, int64_t i) {
  return *reinterpret_cast<const FloatVector *>(row.p + i);
}
TTL_INLINE FloatVector vector_at(const Halves &row, int64_t i) {
  const HalfVector halves = *reinterpret_cast<const HalfVector *>(row.p + i);
  return reinterpret_cast<FloatVector>(__builtin_convertvector(halves, BitVector) << 16);
}

// As the processor has them: the second operand if either is NaN (or what that gives where it has others).
#if defined(__AVX512F__)
TTL_INLINE FloatVector vector_max(FloatVector a, FloatVector b) { return _mm512_max_ps(a, b); }
TTL_INLINE FloatVector vector_min(FloatVector a, FloatVector b) { return _mm512_min_ps(a, b); }
#elif defined(__AVX2__)
TTL_INLINE FloatVector vector_max(FloatVector a, FloatVector b) { return _mm256_max_ps(a, b); }
TTL_INLINE FloatVector vector_min(FloatVector a, FloatVector b) { return _mm256_min_ps(a, b); }
#elif defined(__SSE2__)
TTL_INLINE FloatVector vector_max(FloatVector a, FloatVector b) { return _mm_max_ps(a, b); }
TTL_INLINE FloatVector vector_min(FloatVector a, FloatVector b) { return _mm_min_ps(a, b); }
#else
TTL_INLINE FloatVector vector_max(FloatVector a, FloatVector b) { return a > b ? a : b; }
TTL_INLINE FloatVector vector_min(FloatVector a, FloatVector b) { return a < b ? a : b; }
#endif

// f_exp, to the bit. Written out because the compiler makes twice as many instructions of the clamping and scaling.
TTL_INLINE FloatVector vector_exp(FloatVector x) {
  x = vector_max(FloatVector{} + kLeastExponent, x);
  x = vector_min(FloatVector{} + kMostExponent, x);
  const FloatVector shifted = x * kLog2e + kRounder;
  const FloatVector n = shifted - kRounder;
  const FloatVector r = (x - n * kLn2High) - n * kLn2Low;
  const FloatVector value = TTL_EXPM1_NEAR_ZERO(r) + 1.0f;
#if defined(__AVX512F__)
  return _mm512_scalef_ps(value, n);
#else
  typedef int32_t IntVector __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));
  const IntVector whole = reinterpret_cast<IntVector>(reinterpret_cast<BitVector>(shifted) - as_bits(kRounder));
  const IntVector half = whole >> 1;
  const BitVector first = reinterpret_cast<BitVector>(half + 127) << 23;
  const BitVector second = reinterpret_cast<BitVector>(whole - half + 127) << 23;
  return value * reinterpret_cast<FloatVector>(first) * reinterpret_cast<FloatVector>(second);
#endif
}

// --- element by element -------------------------------------------------------------------------------------

template <typename F>
void unary(const Call &call) {
  const F f(call.params);
  TTL_ROWS(call) {
    const Floats a(call.a + r * call.as);
    const ToFloats d(call.d + r * call.ds);
    columns(call.cols, [=](int64_t i) { d.set(i, f(a[i])); });
  }
}

template <typename F, typename D, typename A, typename B>
void binary(const Call &call) {
  const F f(call.params);
  TTL_ROWS(call) {
    const A a(call.a + r * call.as);
    const B b(call.b + r * call.bs);
    const D d(call.d + r * call.ds);
    columns(call.cols, [=](int64_t i) { d.set(i, f(a[i], b[i])); });
  }
}

template <typename B, typename C>
void where(const Call &call) {
  TTL_ROWS(call) {
    const Floats a(call.a + r * call.as);
    const B b(call.b + r * call.bs);
    const C c(call.c + r * call.cs);
    const ToFloats d(call.d + r * call.ds);
    columns(call.cols, [=](int64_t i) {
      const float yes = b[i], no = c[i];
      d.set(i, a[i] != 0.0f ? yes : no);
    });
  }
}

// By way of one exponential, 32 at a time.
template <typename F>
void by_exp(const Call &call) {
  const F f(call.params);
  TTL_ROWS(call) {
    const float *a = reinterpret_cast<const float *>(call.a + r * call.as);
    float *d = reinterpret_cast<float *>(call.d + r * call.ds);
    for (int64_t i = 0; i < call.cols; i += 32) {
      alignas(64) float e[32] = {}, first[32], second[32];
      const int64_t count = call.cols - i < 32 ? call.cols - i : 32;
      const auto before = [&](int64_t j) {
        Kept kept{0.0f, 0.0f};
        e[j] = f.argument(a[i + j], kept);
        first[j] = kept.first;
        second[j] = kept.second;
      };
      const auto after = [&](int64_t j) { d[i + j] = f.from(a[i + j], e[j], Kept{first[j], second[j]}); };
      columns(count, before);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        FloatVector *at = reinterpret_cast<FloatVector *>(e + v * kLanes);
        *at = vector_exp(*at);
      }
      columns(count, after);
    }
  }
}

void exp_rows(const Call &call) {
  TTL_ROWS(call) {
    const float *a = reinterpret_cast<const float *>(call.a + r * call.as);
    float *d = reinterpret_cast<float *>(call.d + r * call.ds);
    int64_t i = 0;
    for (; i + 32 <= call.cols; i += 32) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v)
        *reinterpret_cast<FloatVector *>(d + i + v * kLanes) =
            vector_exp(*reinterpret_cast<const FloatVector *>(a + i + v * kLanes));
    }
    for (; i < call.cols; ++i) d[i] = f_exp(a[i]);
  }
}

// Function objects; p0 .. p2 are the numbers of the operation.
#define TTL_DEFINE(name, operands, expression)                                                       \
  struct name {                                                                                      \
    float p0, p1, p2;                                                                                \
    explicit name(const double *p)                                                                   \
        : p0(static_cast<float>(p[0])), p1(static_cast<float>(p[1])), p2(static_cast<float>(p[2])) {} \
    TTL_INLINE float operator() operands const { return expression; }                                \
  };
#define TTL_F1(name, expression) TTL_DEFINE(op_##name, (float x), expression)
#define TTL_F2(name, expression) TTL_DEFINE(op_##name, (float a, float b), expression)

TTL_F1(abs, __builtin_fabsf(x))
TTL_F1(neg, -x)
TTL_F1(exp2, f_exp2(x))
TTL_F1(expm1, f_expm1(x))
TTL_F1(log, f_log(x))
TTL_F1(log1p, f_log1p(x))
TTL_F1(sqrt, __builtin_sqrtf(x))
TTL_F1(square, x * x)
TTL_F1(rsqrt, 1.0f / __builtin_sqrtf(x))
TTL_F1(recip, 1.0f / x)
TTL_F1(tan, ::tanf(x))
TTL_F1(atan, ::atanf(x))
TTL_F1(atanh, ::atanhf(x))
TTL_F1(sin, ::sinf(x))
TTL_F1(asin, ::asinf(x))
TTL_F1(asinh, ::asinhf(x))
TTL_F1(cos, ::cosf(x))
TTL_F1(acos, ::acosf(x))
TTL_F1(acosh, ::acoshf(x))
TTL_F1(relu, f_max(x, 0.0f))
TTL_F1(relu_max, f_max(f_min(x, p0), 0.0f))
TTL_F1(relu_min, f_max(f_max(x, p0), 0.0f))
TTL_F1(leaky_relu, x < 0.0f ? x * p0 : x)
TTL_F1(elu, f_pick(x > 0.0f, x, f_expm1(x) * p0))
TTL_F1(celu, f_pick(x > 0.0f, x, f_expm1(x * p1) * p0))
TTL_F1(softplus, f_pick(x * p0 > p2, x, f_log1p(f_exp(x * p0)) * p1))
TTL_F1(softsign, x / (1.0f + __builtin_fabsf(x)))
TTL_F1(hardsigmoid, f_min(f_max(x * (1.0f / 6.0f) + 0.5f, 0.0f), 1.0f))
TTL_F1(clamp, f_min(f_max(x, p0), p1))
TTL_F1(selu, f_pick(x > 0.0f, x, f_expm1(x) * p1) * p0)
TTL_F1(frac, x - __builtin_truncf(x))
TTL_F1(trunc, __builtin_truncf(x))
TTL_F1(rint, __builtin_rintf(x))
TTL_F1(floor, __builtin_floorf(x))
TTL_F1(ceil, __builtin_ceilf(x))
TTL_F1(threshold, x > p0 ? p1 : x)
TTL_F1(sign, f_sign(x))
TTL_F1(signbit, f_signbit(x))
TTL_F1(to_bf16, as_float(rounded_to_bfloat16(x) & 0xffff0000u))
TTL_F1(to_f16, from_float16(to_float16(x)))
// Decimal places are rounded in float64, so that nothing overflows.
struct op_round_scaled {
  double factor;
  explicit op_round_scaled(const double *p) : factor(p[0]) {}
  TTL_INLINE float operator()(float x) const { return static_cast<float>(__builtin_rint(x * factor) / factor); }
};
struct op_round_unscaled {
  double factor;
  explicit op_round_unscaled(const double *p) : factor(p[0]) {}
  TTL_INLINE float operator()(float x) const { return static_cast<float>(__builtin_rint(x / factor) * factor); }
};

struct op_exp_scaled {
  float p0;
  explicit op_exp_scaled(const double *p) : p0(static_cast<float>(p[0])) {}
  TTL_INLINE float argument(float x, Kept &) const { return x * p0; }
  TTL_INLINE float from(float, float e, Kept) const { return e; }
};
#define TTL_BY_EXP(name, Function)                                                                              \
  struct op_##name {                                                                                            \
    explicit op_##name(const double *) {}                                                                       \
    TTL_INLINE float argument(float x, Kept &kept) const { return Function::argument(x, kept); }                \
    TTL_INLINE float from(float x, float e, Kept kept) const { return Function::from(x, e, kept); }             \
  };
TTL_BY_EXP(tanh, Tanh)
TTL_BY_EXP(sigmoid, Sigmoid)
TTL_BY_EXP(silu, Silu)
TTL_BY_EXP(gelu, Gelu)
TTL_BY_EXP(gelu_tanh, GeluTanh)

TTL_F2(add, a + b)
TTL_F2(sub, a - b)
TTL_F2(mul, a * b)
TTL_F2(truediv, a / b)
TTL_F2(max, f_max(a, b))
TTL_F2(min, f_min(a, b))
TTL_F2(floordiv, f_floordiv(a, b))
TTL_F2(mod, f_mod(a, b))
TTL_F2(pow, ::powf(a, b))
TTL_F2(eq, a == b ? 1.0f : 0.0f)
TTL_F2(ne, a != b ? 1.0f : 0.0f)
TTL_F2(lt, a < b ? 1.0f : 0.0f)
TTL_F2(le, a <= b ? 1.0f : 0.0f)
TTL_F2(gt, a > b ? 1.0f : 0.0f)
TTL_F2(ge, a >= b ? 1.0f : 0.0f)
TTL_F2(mask, b == 1.0f ? p0 : a)

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

// --- finding them -------------------------------------------------------------------------------------------

template <typename F, typename D>
Kernel hot_binary(Kind a, Kind b) {
  switch (static_cast<int>(a) * 4 + static_cast<int>(b)) {
    case 1 * 4 + 1: return binary<F, D, Floats, Floats>;
    case 1 * 4 + 2: return binary<F, D, Floats, Halves>;
    case 1 * 4 + 3: return binary<F, D, Floats, Number>;
    case 2 * 4 + 1: return binary<F, D, Halves, Floats>;
    case 2 * 4 + 2: return binary<F, D, Halves, Halves>;
    case 2 * 4 + 3: return binary<F, D, Halves, Number>;
    case 3 * 4 + 1: return binary<F, D, Number, Floats>;
    case 3 * 4 + 2: return binary<F, D, Number, Halves>;
    default: return nullptr;
  }
}

template <typename F>
Kernel plain_binary(Kind a, Kind b) {
  switch (static_cast<int>(a) * 4 + static_cast<int>(b)) {
    case 1 * 4 + 1: return binary<F, ToFloats, Floats, Floats>;
    case 1 * 4 + 3: return binary<F, ToFloats, Floats, Number>;
    case 3 * 4 + 1: return binary<F, ToFloats, Number, Floats>;
    default: return nullptr;
  }
}

Kernel where_for(Kind b, Kind c) {
  switch (static_cast<int>(b) * 4 + static_cast<int>(c)) {
    case 1 * 4 + 1: return where<Floats, Floats>;
    case 1 * 4 + 3: return where<Floats, Number>;
    case 3 * 4 + 1: return where<Number, Floats>;
    case 3 * 4 + 3: return where<Number, Number>;
    default: return nullptr;
  }
}

template <typename R>
Kernel reduction(Kind a) {
  return a == Kind::floats ? reduce_columns<R, Floats> : a == Kind::halves ? reduce_columns<R, Halves> : nullptr;
}

}  // namespace

Kernel find(Opcode op, Kind d, Kind a, Kind b, Kind c) {
  const bool in_floats = a == Kind::floats && d == Kind::floats;
  switch (op) {
#define TTL_CASE(name) \
  case Opcode::name: return in_floats ? unary<op_##name> : nullptr;
    TTL_UNARY(TTL_CASE)
#undef TTL_CASE
#define TTL_CASE(name) \
  case Opcode::name: return in_floats ? by_exp<op_##name> : nullptr;
    TTL_UNARY_BY_EXP(TTL_CASE)
#undef TTL_CASE
    case Opcode::exp: return in_floats ? exp_rows : nullptr;
#define TTL_CASE(name)                                                 \
  case Opcode::name:                                                   \
    return d == Kind::floats   ? hot_binary<op_##name, ToFloats>(a, b) \
           : d == Kind::halves ? hot_binary<op_##name, ToHalves>(a, b) \
                               : nullptr;
    TTL_HOT_BINARY(TTL_CASE)
#undef TTL_CASE
#define TTL_CASE(name) \
  case Opcode::name: return d == Kind::floats ? plain_binary<op_##name>(a, b) : nullptr;
    TTL_BINARY(TTL_CASE)
#undef TTL_CASE
    case Opcode::where: return in_floats ? where_for(b, c) : nullptr;
    case Opcode::load_bf16: return a == Kind::halves && d == Kind::floats ? load_bf16 : nullptr;
    case Opcode::load_f16: return a == Kind::halves && d == Kind::floats ? load_f16 : nullptr;
    case Opcode::copy: return in_floats ? copy : nullptr;
    case Opcode::column_f32: return a == Kind::floats && d == Kind::number ? column_f32 : nullptr;
    case Opcode::column_bf16: return a == Kind::halves && d == Kind::number ? column_bf16 : nullptr;
    case Opcode::column_f16: return a == Kind::halves && d == Kind::number ? column_f16 : nullptr;
    case Opcode::splat: return a == Kind::number && d == Kind::floats ? splat : nullptr;
    case Opcode::column_block: return a == Kind::number && d == Kind::floats ? column_block : nullptr;
    case Opcode::store_bf16: return a == Kind::floats && d == Kind::halves ? store_bf16 : nullptr;
    case Opcode::store_f16: return a == Kind::floats && d == Kind::halves ? store_f16 : nullptr;
    case Opcode::block_float: return in_floats ? block_float : nullptr;
    case Opcode::pad: return in_floats ? pad : nullptr;
    case Opcode::sum_columns: return d == Kind::number ? reduction<Sum>(a) : nullptr;
    case Opcode::max_columns: return d == Kind::number ? reduction<Max>(a) : nullptr;
    case Opcode::add_rows: return in_floats ? reduce_rows<Sum> : nullptr;
    case Opcode::max_rows: return in_floats ? reduce_rows<Max> : nullptr;
    case Opcode::count: return nullptr;
  }
  return nullptr;
}

}  // namespace ttl::machine::TTL_ISA_NAMESPACE
