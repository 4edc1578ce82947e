// The vector unit: functions of tiles in DST. Values are computed exactly, in float, and rounded to what DST holds.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "tensix.h"

namespace ttl::emu {

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kPi = 3.14159265358979323846f;

float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }

struct Vectors {
  float *d0, *d1, *d2, *out;
  uint32_t p0, p1, p2;
};

template <typename F>
void each(const Vectors &v, F function) {
  for (uint32_t i = 0; i < kTile; ++i) v.out[i] = function(v.d0[i]);
}
template <typename F>
void each2(const Vectors &v, F function) {
  for (uint32_t i = 0; i < kTile; ++i) v.out[i] = function(v.d0[i], v.d1[i]);
}
template <typename F>
void each3(const Vectors &v, F function) {
  for (uint32_t i = 0; i < kTile; ++i) v.out[i] = function(v.d0[i], v.d1[i], v.d2[i]);
}
template <typename F>
void ints(const Vectors &v, F function) {
  const auto *in = reinterpret_cast<const int32_t *>(v.d0);
  auto *out = reinterpret_cast<int32_t *>(v.out);
  for (uint32_t i = 0; i < kTile; ++i) out[i] = function(in[i]);
}
template <typename F>
void ints2(const Vectors &v, F function) {
  const auto *a = reinterpret_cast<const int32_t *>(v.d0), *b = reinterpret_cast<const int32_t *>(v.d1);
  auto *out = reinterpret_cast<int32_t *>(v.out);
  for (uint32_t i = 0; i < kTile; ++i) out[i] = function(a[i], b[i]);
}

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float sign(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; }
float remainder_of(float x, float y) {
  const float rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
// A polynomial gives a start, and two steps of Newton's method the rest.
float erfinv(float x) {
  if (!(std::fabs(x) < 1)) return x == 1 ? kInf : x == -1 ? -kInf : std::numeric_limits<float>::quiet_NaN();
  const double w = -std::log((1.0 - x) * (1.0 + x)), a = 2 / (3.14159265358979 * 0.147) - w / 2;
  double y = std::copysign(std::sqrt(std::sqrt(a * a + w / 0.147) - a), x);
  for (int i = 0; i < 3; ++i) y -= (std::erf(y) - x) / (1.1283791670955126 * std::exp(-y * y));
  return static_cast<float>(y);
}
// Modified Bessel functions of the first kind, by their series.
double bessel(double x, int order) {
  const double half = x / 2;
  double term = order ? half : 1, sum = term;
  for (int k = 1; k < 200; ++k) {
    term *= half * half / (static_cast<double>(k) * (k + order));
    sum += term;
    if (term < sum * 1e-17) break;
  }
  return sum;
}
float round_to_decimals(float x, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return static_cast<float>(std::nearbyint(x * scale) / scale);
}
int32_t wrap(int64_t value) { return static_cast<int32_t>(static_cast<uint32_t>(value)); }
int32_t floor_div(int32_t a, int32_t b) {
  if (b == 0) return 0;
  const int64_t quotient = static_cast<int64_t>(a) / b;
  return wrap(quotient - ((static_cast<int64_t>(a) % b != 0 && (a < 0) != (b < 0)) ? 1 : 0));
}

void typecast(const Vectors &v) {
  const auto from = static_cast<Format>(v.p0), to = static_cast<Format>(v.p1);
  const auto *in = reinterpret_cast<const uint32_t *>(v.d0);
  auto *out = reinterpret_cast<uint32_t *>(v.out);
  for (uint32_t i = 0; i < kTile; ++i) {
    if (is_integer(from) && is_integer(to)) {
      const auto value = static_cast<int32_t>(in[i]);
      out[i] = to == kUInt16 ? (from == kInt32 && value < 0 ? 0u : std::min(in[i], 65535u)) : to == kUInt8 ? in[i] & 255u : in[i];
    } else if (is_integer(from)) {
      const double value = from == kInt32 || from == kInt8 ? static_cast<double>(static_cast<int32_t>(in[i])) : static_cast<double>(in[i]);
      v.out[i] = static_cast<float>(value);
    } else if (is_integer(to)) {
      const double value = std::trunc(static_cast<double>(v.d0[i]));
      const double lowest = to == kInt32 ? -2147483648.0 : 0.0;
      const double highest = to == kInt32 ? 2147483647.0 : to == kUInt32 ? 4294967295.0 : to == kUInt16 ? 65535.0 : 255.0;
      const double kept = std::isnan(value) ? 0.0 : std::clamp(value, lowest, highest);
      out[i] = to == kInt32 ? static_cast<uint32_t>(static_cast<int32_t>(kept)) : static_cast<uint32_t>(kept);
    } else {
      v.out[i] = v.d0[i];
    }
  }
  if (!is_integer(to) && (to == kFloat16b || to == kBfp8b || to == kBfp4b)) round_to_bfloat16(v.out, kTile);
}

// Whether the result is in floats, and so rounded.
bool apply_float(Vector op, const Vectors &v) {
  const float a = as_float(v.p0), b = as_float(v.p1), c = as_float(v.p2);
#define ONE(name, expression) \
  case kV_##name: each(v, [=]([[maybe_unused]] float x) -> float { return expression; }); return true;
#define TWO(name, expression) \
  case kV_##name: each2(v, [=](float x, float y) -> float { return expression; }); return true;
#define THREE(name, expression) \
  case kV_##name: each3(v, [=](float x, float y, float z) -> float { return expression; }); return true;
  switch (op) {
    ONE(abs, std::fabs(x)) ONE(negative, -x) ONE(exp, std::exp(x * b)) ONE(exp2, std::exp2(x)) ONE(expm1, std::expm1(x))
    ONE(log, std::log(x)) ONE(log_base, std::log(x) * a) ONE(log1p, std::log1p(x)) ONE(sqrt, std::sqrt(x))
    ONE(rsqrt, 1.0f / std::sqrt(x)) ONE(square, x * x) ONE(recip, 1.0f / x) ONE(power, std::pow(x, a))
    ONE(rpow, std::pow(a, x))
    case kV_power_iterative:
      each(v, [=](float x) {
        float result = 1;
        for (uint32_t i = 0; i < v.p0; ++i) result *= x;
        return result;
      });
      return true;
    ONE(add_scalar, x + a) ONE(sub_scalar, x - a) ONE(mul_scalar, x * a) ONE(div_scalar, x * a) ONE(rsub_scalar, a - x)
    ONE(rdiv, a / x)
    ONE(sin, std::sin(x)) ONE(cos, std::cos(x)) ONE(tan, std::tan(x)) ONE(asin, std::asin(x)) ONE(acos, std::acos(x))
    ONE(atan, std::atan(x)) ONE(sinh, std::sinh(x)) ONE(cosh, std::cosh(x)) ONE(asinh, std::asinh(x))
    ONE(acosh, std::acosh(x)) ONE(atanh, std::atanh(x)) ONE(tanh, std::tanh(x)) ONE(sigmoid, sigmoid(x))
    ONE(silu, x * sigmoid(x)) ONE(relu, x > 0 ? x : 0.0f * (x != x ? x : 0.0f)) ONE(relu_max, std::max(std::min(x, a), 0.0f))
    ONE(relu_min, std::max(x, a)) ONE(leaky_relu, x < 0 ? x * a : x) ONE(elu, x < 0 ? a * std::expm1(x) : x)
    ONE(celu, x < 0 ? a * std::expm1(x * b) : x) ONE(selu, a * (x < 0 ? b * std::expm1(x) : x))
    ONE(prelu, x < 0 ? x * a : x) ONE(gelu, 0.5f * x * (1.0f + std::erf(x * 0.70710678118654752f)))
    ONE(softplus, a * x > c ? x : b * std::log1p(std::exp(a * x))) ONE(softsign, x / (1.0f + std::fabs(x)))
    ONE(hardsigmoid, std::clamp(x / 6.0f + 0.5f, 0.0f, 1.0f)) ONE(hardtanh, std::min(std::max(x, a), b))
    ONE(hardswish, x * std::clamp(x / 6.0f + 0.5f, 0.0f, 1.0f)) ONE(mish, x * std::tanh(std::log1p(std::exp(x))))
    ONE(tanhshrink, x - std::tanh(x)) ONE(softshrink, x > a ? x - a : x < -a ? x + a : 0.0f)
    ONE(hardshrink, std::fabs(x) > a ? x : 0.0f) ONE(frac, x - std::trunc(x)) ONE(trunc, std::trunc(x))
    ONE(floor, std::floor(x)) ONE(ceil, std::ceil(x)) ONE(round, round_to_decimals(x, static_cast<int>(v.p0)))
    ONE(clamp, std::min(std::max(x, a), b)) ONE(threshold, x <= a ? b : x) ONE(sign, sign(x))
    ONE(signbit, std::signbit(x) ? 1.0f : 0.0f) ONE(heaviside, x < 0 ? 0.0f : x > 0 ? 1.0f : a) ONE(erf, std::erf(x))
    ONE(erfc, std::erfc(x)) ONE(erfinv, erfinv(x)) ONE(cbrt, std::cbrt(x)) ONE(i0, static_cast<float>(bessel(x, 0)))
    ONE(i1, static_cast<float>(bessel(x, 1))) ONE(logsigmoid, -std::log1p(std::exp(-x)))
    ONE(logical_not, x == 0 ? 1.0f : 0.0f) ONE(isinf, std::isinf(x) ? 1.0f : 0.0f) ONE(isposinf, x == kInf ? 1.0f : 0.0f)
    ONE(isneginf, x == -kInf ? 1.0f : 0.0f) ONE(isnan, x != x ? 1.0f : 0.0f) ONE(isfinite, std::isfinite(x) ? 1.0f : 0.0f)
    ONE(eqz, x == 0 ? 1.0f : 0.0f) ONE(nez, x != 0 ? 1.0f : 0.0f) ONE(ltz, x < 0 ? 1.0f : 0.0f) ONE(gtz, x > 0 ? 1.0f : 0.0f)
    ONE(lez, x <= 0 ? 1.0f : 0.0f) ONE(gez, x >= 0 ? 1.0f : 0.0f) ONE(eq_scalar, x == a ? 1.0f : 0.0f)
    ONE(ne_scalar, x != a ? 1.0f : 0.0f) ONE(lt_scalar, x < a ? 1.0f : 0.0f) ONE(gt_scalar, x > a ? 1.0f : 0.0f)
    ONE(le_scalar, x <= a ? 1.0f : 0.0f) ONE(ge_scalar, x >= a ? 1.0f : 0.0f) ONE(max_scalar, std::max(x, a))
    ONE(min_scalar, std::min(x, a)) ONE(fmod_scalar, std::fmod(x, a)) ONE(remainder_scalar, remainder_of(x, a))
    ONE(fill, a)
    TWO(add, x + y) TWO(sub, x - y) TWO(mul, x * y) TWO(div, x / y) TWO(rsub, y - x) TWO(pow, std::pow(x, y))
    TWO(max, std::max(x, y)) TWO(min, std::min(x, y)) TWO(eq, x == y ? 1.0f : 0.0f) TWO(ne, x != y ? 1.0f : 0.0f)
    TWO(lt, x < y ? 1.0f : 0.0f) TWO(gt, x > y ? 1.0f : 0.0f) TWO(le, x <= y ? 1.0f : 0.0f) TWO(ge, x >= y ? 1.0f : 0.0f)
    TWO(atan2, std::atan2(x, y)) TWO(fmod, std::fmod(x, y)) TWO(remainder, remainder_of(x, y))
    TWO(xlogy, x == 0 && y == y ? 0.0f : x * std::log(y)) TWO(mask, y == 0 ? 0.0f : x) TWO(mask_posinf, y == 0 ? kInf : x)
    THREE(addcmul, x + a * y * z) THREE(addcdiv, x + a * y / z) THREE(lerp, x + z * (y - x)) THREE(mac, x * y + z)
    default: return false;
  }
#undef ONE
#undef TWO
#undef THREE
}

void apply_bits(Fiber &fiber, Vector op, const Vectors &v) {
  const auto p = static_cast<int32_t>(v.p0), q = static_cast<int32_t>(v.p1);
  const uint32_t shift = v.p0;
#define ONE(name, expression) \
  case kV_##name: ints(v, [=](int32_t x) -> int32_t { return expression; }); return;
#define TWO(name, expression) \
  case kV_##name: ints2(v, [=](int32_t x, int32_t y) -> int32_t { return expression; }); return;
  switch (op) {
    case kV_typecast: typecast(v); return;
    ONE(identity, x) ONE(copy_value, x)
    case kV_fill_bits: ints(v, [=](int32_t) { return p; }); return;
    case kV_where: case kV_where_int: {
      const auto *condition = reinterpret_cast<const uint32_t *>(v.d0);
      for (uint32_t i = 0; i < kTile; ++i) {
        const bool chosen = op == kV_where ? v.d0[i] != 0 : condition[i] != 0;
        std::memcpy(&v.out[i], chosen ? &v.d1[i] : &v.d2[i], 4);
      }
      return;
    }
    ONE(abs_int, x < 0 ? wrap(-static_cast<int64_t>(x)) : x) ONE(negative_int, wrap(-static_cast<int64_t>(x)))
    ONE(relu_int, std::max(x, 0)) ONE(sign_int, x > 0 ? 1 : x < 0 ? -1 : 0)
    ONE(square_int, wrap(static_cast<int64_t>(x) * x)) ONE(signbit_int, x < 0 ? 1 : 0) ONE(not_int, ~x)
    ONE(logical_not_int, x == 0) ONE(eqz_int, x == 0) ONE(nez_int, x != 0) ONE(ltz_int, x < 0) ONE(gtz_int, x > 0)
    ONE(lez_int, x <= 0) ONE(gez_int, x >= 0) ONE(add_scalar_int, wrap(static_cast<int64_t>(x) + p))
    ONE(sub_scalar_int, wrap(static_cast<int64_t>(x) - p)) ONE(mul_scalar_int, wrap(static_cast<int64_t>(x) * p))
    ONE(rsub_scalar_int, wrap(static_cast<int64_t>(p) - x)) ONE(eq_scalar_int, x == p) ONE(ne_scalar_int, x != p) ONE(lt_scalar_int, x < p) ONE(gt_scalar_int, x > p)
    ONE(le_scalar_int, x <= p) ONE(ge_scalar_int, x >= p) ONE(max_scalar_int, std::max(x, p))
    ONE(max_scalar_uint, static_cast<uint32_t>(x) > static_cast<uint32_t>(p) ? x : p)
    ONE(min_scalar_uint, static_cast<uint32_t>(x) < static_cast<uint32_t>(p) ? x : p)
    ONE(min_scalar_int, std::min(x, p)) ONE(clamp_int, std::min(std::max(x, p), q))
    ONE(relu_max_int, std::max(std::min(x, p), 0)) ONE(relu_min_int, std::max(x, p))
    ONE(shift_left_scalar, shift < 32 ? static_cast<int32_t>(static_cast<uint32_t>(x) << shift) : 0)
    ONE(shift_right_scalar, x >> std::min(shift, 31u)) ONE(and_scalar, x & p) ONE(or_scalar, x | p) ONE(xor_scalar, x ^ p)
    TWO(add_int, wrap(static_cast<int64_t>(x) + y)) TWO(sub_int, wrap(static_cast<int64_t>(x) - y))
    TWO(mul_int, wrap(static_cast<int64_t>(x) * y)) TWO(mul_u16, wrap(static_cast<int64_t>(x) * y) & 0xFFFF)
    TWO(rsub_int, wrap(static_cast<int64_t>(y) - x))
    TWO(div_int, y ? wrap(static_cast<int64_t>(x) / y) : 0) TWO(div_floor_int, floor_div(x, y))
    TWO(remainder_int, y ? wrap(x - static_cast<int64_t>(floor_div(x, y)) * y) : 0)
    TWO(fmod_int, y ? wrap(static_cast<int64_t>(x) % y) : 0)
    TWO(max_int, std::max(x, y)) TWO(min_int, std::min(x, y))
    TWO(max_uint, static_cast<uint32_t>(x) > static_cast<uint32_t>(y) ? x : y)
    TWO(min_uint, static_cast<uint32_t>(x) < static_cast<uint32_t>(y) ? x : y)
    TWO(and_int, x & y) TWO(or_int, x | y) TWO(xor_int, x ^ y)
    TWO(shift_left, static_cast<uint32_t>(y) < 32 ? static_cast<int32_t>(static_cast<uint32_t>(x) << y) : 0)
    TWO(shift_right, x >> std::min(static_cast<uint32_t>(y), 31u))
    TWO(shift_right_logical, static_cast<uint32_t>(y) < 32 ? static_cast<int32_t>(static_cast<uint32_t>(x) >> y) : 0)
    TWO(eq_int, x == y) TWO(ne_int, x != y) TWO(lt_int, x < y) TWO(gt_int, x > y) TWO(le_int, x <= y) TWO(ge_int, x >= y)
    TWO(gcd, wrap(std::gcd(static_cast<int64_t>(x), static_cast<int64_t>(y))))
    TWO(lcm, wrap(std::lcm(static_cast<int64_t>(x), static_cast<int64_t>(y))))
    default: fail(fiber, "vector-unknown", op);
  }
#undef ONE
#undef TWO
}

constexpr uint32_t kAllFaces = 15;

// Rows of a tile that are in the faces of a function.
uint64_t rows_of(uint32_t faces) {
  uint64_t rows = 0;
  for (uint32_t face = 0; face < 4; ++face)
    if (faces >> face & 1) rows |= kFaceRows << 16 * face;
  return rows;
}

// What the vector unit sees of a register, row by row: a row that nothing wrote is zero. If the function stores there
// (`stored`), it does so column by column, first the even ones; that makes the row valid, and the odd ones are then what was
// there before, for which any bits may stand. `stale` gets the rows for which this is so; `copy` has room for what is not as in DST.
float *seen(Fiber &fiber, uint32_t dst, bool stored, uint64_t wanted, uint64_t &stale, float *copy) {
  Tensix &t = tensix(fiber);
  const uint32_t slot = dst_slot(fiber, dst);
  const Rows &rows = t.rows[slot];
  uint64_t missing = wanted & ~rows.valid;
  stale |= wanted & rows.stale;
  if (!missing) return t.dst[slot];
  if (missing == wanted) fail(fiber, "register-unwritten", dst, stored);
  float *values = t.dst[slot];
  if (stored) {
    stale |= missing;
  } else {
    std::memcpy(copy, values, sizeof t.dst[slot]);
    values = copy;
  }
  for (; missing; missing &= missing - 1) {
    float *row = values + 16 * std::countr_zero(missing);
    std::memset(row, 0, 16 * sizeof(float));
    if (stored) forget_odd(row);
  }
  return values;
}

// A register that the vector unit writes to, in the rows of a function.
float *stored_to(Fiber &fiber, uint32_t dst, uint64_t wanted, uint64_t stale) {
  Tensix &t = tensix(fiber);
  const uint32_t slot = dst_slot(fiber, dst);
  Rows &rows = t.rows[slot];
  rows.valid |= wanted;
  rows.stale = (rows.stale & ~wanted) | (stale & wanted);
  if (stale) rows.stale_at = fiber.place;
  return t.dst[slot];
}

constexpr uint8_t kOperands[] = {
#define TTL_EMU_COUNT(name, operands) operands,
    TTL_EMU_VECTOR(TTL_EMU_COUNT)
#undef TTL_EMU_COUNT
};

}  // namespace

}  // namespace ttl::emu

using namespace ttl::emu;

void ttl_emu_vector(Vector op, uint32_t d0, uint32_t d1, uint32_t d2, uint32_t out, uint32_t p0, uint32_t p1, uint32_t p2,
                    uint32_t function, uint32_t faces, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kMath) return;
  check_function(fiber, function);
  const uint32_t operands = kOperands[op];
  Vectors v{nullptr, nullptr, nullptr, nullptr, p0, p1, p2};
  const uint64_t rows = faces == kAllFaces ? kAllRows : rows_of(faces);
  uint64_t stale = 0;
  alignas(64) float copies[3][kTile];
  if (operands > 0) v.d0 = seen(fiber, d0, d0 == out, rows, stale, copies[0]);
  if (operands > 1) v.d1 = seen(fiber, d1, d1 == out, rows, stale, copies[1]);
  if (operands > 2) v.d2 = seen(fiber, d2, d2 == out, rows, stale, copies[2]);
  v.out = stored_to(fiber, out, rows, stale);
  if (!v.d0) v.d0 = v.out;
  alignas(64) float before[kTile];
  if (faces != kAllFaces) std::memcpy(before, v.out, sizeof before);
  const bool coarse = asks_approximation(tensix(fiber), op, p2);
  if (coarse) approximate(op, v.d0, v.out, op == kV_exp ? as_float(p1) : 1.0f);
  if (coarse || apply_float(op, v))
    dst_written(fiber, v.out);
  else
    apply_bits(fiber, op, v);
  for (uint32_t face = 0; face < 4; ++face)
    if (!(faces >> face & 1)) std::memcpy(v.out + 256 * face, before + 256 * face, 256 * sizeof(float));
  spend(fiber, std::max(1u, costs(fiber).vector[coarse][op] * static_cast<uint32_t>(std::popcount(faces)) / 4));
}

void ttl_emu_vector_reduce(Pool pool, Along along, uint32_t format, uint32_t dst, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kMath) return;
  uint64_t stale = 0;
  seen(fiber, dst, true, kAllRows, stale, nullptr);
  // The faces that are reduced together: those above each other, or beside each other.
  constexpr uint64_t kLeft = kFaceRows | kFaceRows << 32, kUpper = kFaceRows | kFaceRows << 16;
  const uint64_t one = along == kAlongRow ? kUpper : kLeft, other = kAllRows & ~one;
  float *values = stored_to(fiber, dst, kAllRows, (stale & one ? one : 0) | (stale & other ? other : 0));
  auto *words = reinterpret_cast<int32_t *>(values);
  const bool whole = is_integer(static_cast<Format>(format));
  const auto index = [&](uint32_t line, uint32_t i) {
    const uint32_t row = along == kAlongRow ? line : i, column = along == kAlongRow ? i : line;
    return ((row >> 4) * 2 + (column >> 4)) * 256 + (row & 15) * 16 + (column & 15);
  };
  for (uint32_t line = 0; line < 32; ++line) {
    float found = values[index(line, 0)];
    int64_t sum = words[index(line, 0)];
    for (uint32_t i = 1; i < 32; ++i) {
      const float value = values[index(line, i)];
      const int64_t word = words[index(line, i)];
      found = pool == kMax ? std::max(found, value) : pool == kMin ? std::min(found, value) : found + value;
      sum = pool == kMax ? std::max(sum, word) : pool == kMin ? std::min(sum, word) : sum + word;
    }
    if (pool == kAverage) found /= 32, sum /= 32;
    // Beside the result is what was added up on the way.
    for (uint32_t i = 0; i < 32; ++i) {
      if (whole)
        words[index(line, i)] = wrap(sum + i);
      else
        values[index(line, i)] = found + static_cast<float>(i);
    }
  }
  if (!whole) dst_written(fiber, values);
  // A sum or an extreme over such rows has no value in any column.
  if (along == kAlongRow)
    for (uint64_t rows = tensix(fiber).rows[dst_slot(fiber, dst)].stale; rows; rows &= rows - 1)
      std::memset(values + 16 * std::countr_zero(rows), 0xFF, 16 * sizeof(float));
  spend(fiber, costs(fiber).vector[0][kV_max] * 2);
}
