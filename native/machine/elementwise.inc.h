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

// The results of a function for every bfloat16: what `compute` gives, to the bit. They are computed once a process has asked for as
// many elements; until then, and while another thread is at it, elements are computed one by one.
constexpr int64_t kBfloat16s = 1 << 16;

template <Kernel compute>
struct Results {
  static uint16_t halves[kBfloat16s];
  static float floats[kBfloat16s];
  static int64_t computed;
  static int state;  // 0: not there, 1: somebody computes them, 2: there

  static bool are_there(int64_t more) {
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2) return true;
    int none = 0;
    if (__atomic_add_fetch(&computed, more, __ATOMIC_RELAXED) < kBfloat16s ||
        !__atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return false;
    for (int64_t i = 0; i < kBfloat16s; ++i) floats[i] = from_bfloat16(static_cast<uint16_t>(i));
    const double params[kMaxParams] = {};
    char *rows = reinterpret_cast<char *>(floats);
    int64_t count = kBfloat16s;
    __asm__("" : "+r"(count));  // GCC 12 unrolls a loop over a known count to one over 2^62, and warns of it
    compute(Call{rows, rows, nullptr, nullptr, 0, 0, 0, 0, 1, count, 0, params});
    for (int64_t i = 0; i < kBfloat16s; ++i) halves[i] = to_bfloat16(floats[i]);
    __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
    return true;
  }
};
template <Kernel compute>
uint16_t Results<compute>::halves[kBfloat16s];
template <Kernel compute>
float Results<compute>::floats[kBfloat16s];
template <Kernel compute>
int64_t Results<compute>::computed;
template <Kernel compute>
int Results<compute>::state;

TTL_INLINE void look_up(const uint16_t *results, const float *, uint16_t of, const ToHalves &d, int64_t i) { d.p[i] = results[of]; }
TTL_INLINE void look_up(const uint16_t *, const float *results, uint16_t of, const ToFloats &d, int64_t i) { d.p[i] = results[of]; }

template <Kernel compute, typename D>
void by_table(const Call &call) {
  using R = Results<compute>;
  const bool are_there = R::are_there(call.rows * call.cols);
  TTL_ROWS(call) {
    const Halves a(call.a + r * call.as);
    const D d(call.d + r * call.ds);
    if (are_there) {
      for (int64_t i = 0; i < call.cols; ++i) look_up(R::halves, R::floats, a.p[i], d, i);
      continue;
    }
    for (int64_t i = 0; i < call.cols; i += 32) {
      alignas(64) float values[32];
      const int64_t count = call.cols - i < 32 ? call.cols - i : 32;
      char *row = reinterpret_cast<char *>(values);
      columns(count, [&](int64_t j) { values[j] = a[i + j]; });
      compute(Call{row, row, nullptr, nullptr, 0, 0, 0, 0, 1, count, 0, call.params});
      columns(count, [&](int64_t j) { d.set(i + j, values[j]); });
    }
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
#define TTL_F1_TABLED TTL_F1
#define TTL_BY_EXP_TABLED TTL_BY_EXP
#define TTL_HOT TTL_F2
#include "elementwise_functions.inc.h"
