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
