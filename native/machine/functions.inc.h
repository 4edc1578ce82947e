// Functions of one float32, written without branches so that loops over them become vector instructions. Errors are a
// few units in the last place; infinities, NaN, zeros and denormals come out as the C library's do.
//
// Included by kernels.inc.cpp inside a namespace per instruction set: nothing here may be shared between those.

inline float as_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }
inline uint32_t as_bits(float value) { return __builtin_bit_cast(uint32_t, value); }

constexpr float kInfinity = __builtin_inff();
constexpr float kNan = __builtin_nanf("");
constexpr float kLog2e = 1.44269504088896341f;
// ln 2 in two parts; products of the first with whole numbers up to 2^14 are exact.
constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
// Adding it rounds to a whole number, which then stands in the low bits.
constexpr float kRounder = 12582912.0f;

inline float with_sign_of(float magnitude, float sign) {
  return as_float((as_bits(magnitude) & 0x7fffffffu) | (as_bits(sign) & 0x80000000u));
}

// e^r - 1 for |r| <= ln(2)/2, to a twentieth of a unit in the last place before rounding. Coefficients: our own fit.
#define TTL_EXPM1_NEAR_ZERO(r)                                                                                       \
  (((((1.3814320236e-3f * (r) + 8.3688511000e-3f) * (r) + 4.1668401091e-2f) * (r) + 1.6666519524e-1f) * (r) +        \
    4.9999993373e-1f) * ((r) * (r)) + (r))

inline float expm1_near_zero(float r) { return TTL_EXPM1_NEAR_ZERO(r); }

// value * 2^n for -252 <= n <= 254, in two steps: the result may be denormal or infinite.
inline float times_power_of_two(float value, int32_t n) {
  const int32_t half = n >> 1;
  const float first = as_float(static_cast<uint32_t>(half + 127) << 23);
  const float second = as_float(static_cast<uint32_t>(n - half + 127) << 23);
  return value * first * second;
}

inline int32_t low_bits_of_rounded(float shifted) {
  return static_cast<int32_t>(as_bits(shifted) - as_bits(kRounder));
}

constexpr float kLeastExponent = -104.0f, kMostExponent = 89.0f;  // beyond, exp is 0 and infinite

inline float f_exp(float x) {
  x = x < kLeastExponent ? kLeastExponent : x;
  x = x > kMostExponent ? kMostExponent : x;
  const float shifted = x * kLog2e + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  return times_power_of_two(expm1_near_zero(r) + 1.0f, low_bits_of_rounded(shifted));
}

inline float f_exp2(float x) {
  x = x < -151.0f ? -151.0f : x;
  x = x > 129.0f ? 129.0f : x;
  const float shifted = x + kRounder;
  const float r = (x - (shifted - kRounder)) * 0.693147180559945286f;
  return times_power_of_two(expm1_near_zero(r) + 1.0f, low_bits_of_rounded(shifted));
}

inline float f_expm1(float x) {
  const float given = x;
  x = x < -20.0f ? -20.0f : x;
  x = x > 89.0f ? 89.0f : x;
  const float shifted = x * kLog2e + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  // Half of 2^n: 2^128 is no float.
  const float half = as_float(static_cast<uint32_t>(low_bits_of_rounded(shifted) + 126) << 23);
  const float value = (expm1_near_zero(r) * half + (half - 0.5f)) * 2.0f;
  return __builtin_fabsf(given) < 0x1p-26f ? given : value;
}

// Coefficients: Cephes, logf.
inline float f_log(float x) {
  const bool tiny = x < 0x1p-126f;
  const float scaled = tiny ? x * 0x1p23f : x;
  const uint32_t offset = as_bits(scaled) - 0x3f3504f3u;  // of sqrt(1/2)
  const float exponent = static_cast<float>((static_cast<int32_t>(offset) >> 23) - (tiny ? 23 : 0));
  const float f = as_float((offset & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  const float z = f * f;
  float p = 7.0376836292e-2f;
  p = p * f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  p = p * f + 3.3333331174e-1f;
  p = p * f * z + exponent * kLn2Low - 0.5f * z;
  float value = f + p + exponent * kLn2High;
  value = x == kInfinity ? kInfinity : value;
  value = x == 0.0f ? -kInfinity : value;
  return x < 0.0f || x != x ? kNan : value;
}

inline float f_log1p(float x) {
  const float u = 1.0f + x;
  // What rounding u lost, to first order.
  const float lost = (x - (u - 1.0f)) / u;
  const float l = f_log(u);
  float value = u == 0.0f || u == kInfinity ? l : l + lost;
  value = __builtin_fabsf(x) < 0x1p-25f ? x : value;
  return value;
}

// Functions by way of one exponential: `argument` of it, and the value `from` it and what `argument` kept. (The
// exponential has vector code of its own, see kernels.inc.cpp.)
struct Kept {
  float first, second;
};

// Coefficients: Cephes, tanhf.
struct Tanh {
  static inline float argument(float x, Kept &) { return __builtin_fabsf(x) + __builtin_fabsf(x); }
  static inline float from(float x, float e, Kept) {
    const float a = __builtin_fabsf(x);
    const float s = a * a;
    float p = -5.70498872745e-3f;
    p = p * s + 2.06390887954e-2f;
    p = p * s - 5.37397155531e-2f;
    p = p * s + 1.33314422036e-1f;
    p = p * s - 3.33332819422e-1f;
    const float near = p * s * a + a;
    const float far = 1.0f - 2.0f / (e + 1.0f);
    return with_sign_of(a < 0.625f ? near : far, x);
  }
};

struct Sigmoid {
  static inline float argument(float x, Kept &) { return -x; }
  static inline float from(float, float e, Kept) { return 1.0f / (1.0f + e); }
};

struct Silu {
  static inline float argument(float x, Kept &) { return -x; }
  static inline float from(float x, float e, Kept) { return x / (1.0f + e); }
};

// x/2 erfc(-x / sqrt(2)). With a = |x|, z = a / sqrt(2) and t = 1 / (1 + z / 2), erfc(z) is t exp(P(t) - z^2); P in
// Chebyshev polynomials of 2 t - 1, as in rows/activation.py.
struct Gelu {
  // P(t) - a^2 / 2; keeps t and what rounding lost of it: an error there would be multiplied by the exponent's size.
  static inline float argument(float x, Kept &kept) {
    float a = __builtin_fabsf(x);
    a = a < 28.0f ? a : 28.0f;
    const float t = 1.0f / (1.0f + 0.353553390593273762f * a);
    const float y = 2.0f * t - 1.0f, twice = 2.0f * y;
    constexpr float c[] = {-0.6513268598908547f,    0.6419697923564903f,     0.019476473204185836f,
                           -0.009561514786808632f,  -0.000946595344482037f,  0.00036683949785276145f,
                           4.252332480690777e-05f,  -2.0278578112534243e-05f, -1.624290004647026e-06f,
                           1.3036558355805232e-06f};
    float later = 0.0f, value = c[9];
#define TTL_STEP(k)                                  \
  {                                                  \
    const float next = c[k] + twice * value - later; \
    later = value;                                   \
    value = next;                                    \
  }
    TTL_STEP(8) TTL_STEP(7) TTL_STEP(6) TTL_STEP(5) TTL_STEP(4) TTL_STEP(3) TTL_STEP(2) TTL_STEP(1)
#undef TTL_STEP
    const float high = as_float(as_bits(a) & 0xfffff000u);
    const float square = -0.5f * high * high;  // exact
    const float rest = 0.5f * (high - a) * (high + a) + (c[0] + y * value - later);
    const float rounded = square + rest;
    kept = {t, (square - rounded) + rest};
    return rounded;
  }
  static inline float from(float x, float e, Kept kept) {
    const float tail = kept.first * (e + e * kept.second);
    return 0.5f * x * (x < 0.0f ? tail : 2.0f - tail);
  }
};

struct GeluTanh {
  static inline float inner(float x) { return 0.797884560802865356f * (x + 0.044715f * (x * x * x)); }
  static inline float argument(float x, Kept &kept) { return Tanh::argument(inner(x), kept); }
  static inline float from(float x, float e, Kept kept) {
    return 0.5f * x * (1.0f + Tanh::from(inner(x), e, kept));
  }
};

// NaN if either is NaN. Of two zeros the second for `f_at_least` and `f_at_most`; for the others -0 is below +0: the words of
// equal numbers differ in the sign of a zero only.
inline float f_at_least(float a, float b) { return ((a > b) | (a != a)) ? a : b; }
inline float f_at_most(float a, float b) { return ((a < b) | (a != a)) ? a : b; }
inline float f_max(float a, float b) {
  return a == b ? as_float(as_bits(a) & as_bits(b)) : f_at_least(a, b);
}
inline float f_min(float a, float b) {
  return a == b ? as_float(as_bits(a) | as_bits(b)) : f_at_most(a, b);
}

// A choice of which both sides are computed: what stands behind `?` would be a branch.
inline float f_pick(bool first, float a, float b) { return first ? a : b; }

inline float f_signbit(float x) {
  return x > 0.0f || as_bits(x) == 0 ? 1.0f : 0.0f;
}

inline float f_sign(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x == 0.0f ? 0.0f : x; }

// numpy.divmod's algorithm: the quotient rounded down and the remainder with the divisor's sign agree. No remainder is +0.
inline float f_mod(float a, float b) {
  const float rest = fmodf(a, b);
  if (b == 0.0f) return rest;
  if (rest == 0.0f) return 0.0f;
  return (b < 0.0f) != (rest < 0.0f) ? rest + b : rest;
}

inline float f_floordiv(float a, float b) {
  if (b == 0.0f) return a / b;
  const float rest = fmodf(a, b);
  float quotient = (a - rest) / b;
  if (rest != 0.0f && (b < 0.0f) != (rest < 0.0f)) quotient -= 1.0f;
  if (quotient == 0.0f) return __builtin_copysignf(0.0f, a / b);
  const float whole = __builtin_floorf(quotient);
  return quotient - whole > 0.5f ? whole + 1.0f : whole;
}

// --- formats ------------------------------------------------------------------------------------------------

inline float from_bfloat16(uint16_t half) { return as_float(static_cast<uint32_t>(half) << 16); }

// Bits 16 to 31 are the bfloat16: to nearest, ties to even; NaN stays NaN.
inline uint32_t rounded_to_bfloat16(float x) {
  const uint32_t bits = as_bits(x);
  const uint32_t rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  return x != x ? bits | 0x00400000u : rounded;
}

inline uint16_t to_bfloat16(float x) { return static_cast<uint16_t>(rounded_to_bfloat16(x) >> 16); }

inline float from_float16(uint16_t half) {
  const uint32_t magnitude = (static_cast<uint32_t>(half) & 0x7fffu) << 13;
  // The exponent moves by 112; denormals become normal by the multiplication.
  const float finite = as_float(magnitude) * 0x1p112f;
  const uint32_t bits = magnitude >= 0x0f800000u ? magnitude + 0x70000000u : as_bits(finite);
  return as_float(bits | (static_cast<uint32_t>(half) & 0x8000u) << 16);
}

inline uint16_t to_float16(float x) {
  const uint32_t sign = as_bits(x) >> 16 & 0x8000u;
  const uint32_t a = as_bits(x) & 0x7fffffffu;
  const uint32_t normal = (a + 0xc8000fffu + ((a >> 13) & 1u)) >> 13;
  // Adding 1/2 leaves the denormal's bits, rounded, at the end of the mantissa.
  const uint32_t denormal = as_bits(as_float(a) + 0.5f) - 0x3f000000u;
  const uint32_t special = a > 0x7f800000u ? 0x7e00u : 0x7c00u;
  uint32_t bits = a < 0x38800000u ? denormal : normal;
  bits = a >= 0x47800000u ? special : bits;
  return static_cast<uint16_t>(bits | sign);
}
