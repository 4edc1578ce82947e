// Kernels that compute element by element. Part of kernels.inc.cpp.

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
#define TTL_F1_OWN(name)
#define TTL_BY_EXP_OWN(name)
#define TTL_HOT TTL_F2
#include "elementwise_functions.inc.h"
