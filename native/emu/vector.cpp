// The vector unit: functions of tiles in DST. Values are computed exactly, in float, and rounded to what DST holds.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

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
float sign(float x) { return x == 0 ? 0.0f : x != x ? 1.0f : std::copysign(1.0f, x); }
// `a - floor(a / b) * b` (ckernel_sfpu_binary_remainder.h): a difference that is zero is +0, and nothing times infinity is NaN.
float remainder_of(float x, float y) {
  if (std::isinf(y)) return std::numeric_limits<float>::quiet_NaN();
  const float rest = std::fmod(x, y);
  if (rest == 0) return 0;
  return (rest < 0) != (y < 0) ? rest + y : rest;
}
// Minimum and maximum compare words as sign and magnitude (SFPSWAP, ckernel_sfpu_binary_max_min.h): -0 is below +0, and NaN
// is above infinity. Nothing says which sign a computed NaN has: it has none here.
int32_t in_order(float x) {
  const auto bits = std::bit_cast<int32_t>(x);
  return x != x ? std::numeric_limits<int32_t>::max() : bits < 0 ? bits ^ 0x7FFFFFFF : bits;
}
float larger(float x, float y) { return in_order(x) > in_order(y) ? x : y; }
float smaller(float x, float y) { return in_order(x) < in_order(y) ? x : y; }
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
// --- what functions give where a kernel asks for an approximation: the tables of the hardware, and where only the size of
// an error was published, an error of that size. How far each is off is in its row.

// The unit's look-up table: a line for each part of the magnitudes. What it gives has the sign of the operand (`odd`) or
// its own; the function adds `linear` times the operand, and `constant`.
struct Lines {
  uint32_t count;
  float ends[5], slopes[6], offsets[6];
  bool odd;
  float linear, constant;

  float at(float x) const {
    const float size = std::fabs(x);
    uint32_t part = 0;
    while (part + 1 < count && !(size < ends[part])) ++part;
    const float line = slopes[part] * size + offsets[part];
    return linear * x + constant + (odd ? std::copysign(line, x) : line);
  }
};

// Sources: tt-isa-documentation, SFPLUT and SFPLUTFP32; the constants are those of tt-llk's headers in ttnn 0.81.1.
constexpr Lines kTanh = {6, {0.5f, 1, 1.5f, 2, 3}, {0.96191406f, 0.57617188f, 0.28710938f, 0.0964355469f, 0.0390625f, 0},
                         {0, 0.192871094f, 0.48193359f, 0.76806641f, 0.8828125f, 1}, true, 0, 0};
constexpr Lines kGelu = {6, {0.5f, 1, 1.5f, 2, 3}, {0.1928f, 0.4939f, 0.6188f, 0.6099f, 0.5402f, 0.5f},
                         {-0.00010443f, -0.1604f, -0.2796f, -0.2635f, -0.1194f, 0}, false, 0.5f, 0};
constexpr Lines kSigmoid = {3, {1, 2}, {0.22656f, 0.26562f, 0}, {0, -0.04687f, 0.5f}, true, 0, 0.5f};

// Schraudolph's exponential (Neural Computation 11, 1999): the bits of a float are nearly its logarithm. Eight of the
// mantissa are kept.
float exponential(float x) {
  if (std::isnan(x)) return x;
  const double word = 256 * 1.4426950408889634 * std::max(x, -88.5f) + 32500.818359375;
  if (word >= 0xFF00) return HUGE_VALF;
  return std::bit_cast<float>(static_cast<uint32_t>(std::nearbyint(std::max(word, 0.0))) << 15);
}

// An exact result moved by up to `steps` values of float32, which come and go with the mantissa of the operand.
float moved(float exact, float operand, int32_t steps) {
  if (!std::isnormal(exact)) return exact;
  const float place = static_cast<float>(std::bit_cast<uint32_t>(operand) & 0x7FFFFF) * 0x1p-23f;
  const float wave = 2 * std::fabs(2 * place - 1) - 1;
  const auto by = static_cast<int32_t>(wave * static_cast<float>(steps));
  return std::bit_cast<float>(std::bit_cast<uint32_t>(exact) + static_cast<uint32_t>(by));
}

// --- integers

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

#define TTL_CASE(name) case kV_##name:
#define TTL_NOTHING(...)

// Whether the result is in floats, and so rounded.
bool apply_float(Vector op, const Vectors &v) {
  const float a = as_float(v.p0), b = as_float(v.p1), c = as_float(v.p2);
#define ONE(name, expression) \
  TTL_CASE(name) each(v, [=]([[maybe_unused]] float x) -> float { return expression; }); return true;
#define TWO(name, expression) TTL_CASE(name) each2(v, [=](float x, float y) -> float { return expression; }); return true;
#define THREE(name, expression) \
  TTL_CASE(name) each3(v, [=](float x, float y, float z) -> float { return expression; }); return true;
#define NONE ONE
#define INT1 TTL_NOTHING
#define INT2 TTL_NOTHING
#define OTHER TTL_NOTHING
#define COARSE TTL_NOTHING
#define ALSO TTL_NOTHING
  switch (op) {
#include "vector_functions.inc.h"
    case kV_power_iterative_tile:
      each(v, [=](float x) {
        float result = 1;
        for (uint32_t i = 0; i < v.p0; ++i) result *= x;
        return result;
      });
      return true;
    default: return false;
  }
#undef ONE
#undef TWO
#undef THREE
#undef NONE
#undef INT1
#undef INT2
#undef COARSE
}

void apply_bits(Fiber &fiber, Vector op, const Vectors &v) {
  const auto p = static_cast<int32_t>(v.p0), q = static_cast<int32_t>(v.p1);
  const uint32_t shift = v.p0;
#define INT1(name, expression) TTL_CASE(name) ints(v, [=](int32_t x) -> int32_t { return expression; }); return;
#define INT2(name, expression) TTL_CASE(name) ints2(v, [=](int32_t x, int32_t y) -> int32_t { return expression; }); return;
#define ONE TTL_NOTHING
#define TWO TTL_NOTHING
#define THREE TTL_NOTHING
#define NONE TTL_NOTHING
#define COARSE TTL_NOTHING
  switch (op) {
#include "vector_functions.inc.h"
    case kV_typecast_tile: typecast(v); return;
    case kV_fill_tile_int: ints(v, [=](int32_t) { return p; }); return;
    case kV_where_tile: case kV_where_tile_int: {
      const auto *condition = reinterpret_cast<const uint32_t *>(v.d0);
      for (uint32_t i = 0; i < kTile; ++i) {
        const bool chosen = op == kV_where_tile ? v.d0[i] != 0 : condition[i] != 0;
        std::memcpy(&v.out[i], chosen ? &v.d1[i] : &v.d2[i], 4);
      }
      return;
    }
    default: fail(fiber, "vector-unknown", op);
  }
#undef INT1
#undef INT2
#undef COARSE
}

// When a function gives an approximation: where its call asks for one, or the mode of the kernel does.
enum When : uint32_t { kAsked = 1, kMode = 2 };

// Puts in what it gives then; whether it does.
bool apply_coarse(const Tensix &t, Vector op, const Vectors &v) {
  const float b = as_float(v.p1);
  const uint32_t wish = v.p2;
  const auto asks = [&](uint32_t when) {
    return ((when & kAsked) && wish == kFast) ||
           ((when & kMode) && t.approximate && (!(when & kAsked) || wish == kByMode));
  };
#define INT1 TTL_NOTHING
#define INT2 TTL_NOTHING
#define COARSE(name, when, expression)                                             \
  TTL_CASE(name) if (!asks(when)) return false;                                    \
  each(v, [=](float x) -> float { return expression; }); return true;
  switch (op) {
#include "vector_functions.inc.h"
    default: return false;
  }
#undef INT1
#undef INT2
#undef ONE
#undef TWO
#undef THREE
#undef NONE
#undef COARSE
#undef ALSO
#undef OTHER
}

// The functions by the numbers of their names, in order.
struct Named {
  uint32_t name;
  Vector op;
};
const std::vector<Named> &functions() {
  static const std::vector<Named> sorted = [] {
    std::vector<Named> all = {
#define ANY(name, ...) {ttl_emu::named(#name), kV_##name},
#define ALSO(name, of) {ttl_emu::named(#name), kV_##of},
#include "any_vector_function.inc.h"
#undef ANY
#undef ALSO
    };
    std::sort(all.begin(), all.end(), [](const Named &x, const Named &y) { return x.name < y.name; });
    return all;
  }();
  return sorted;
}

Vector function_of(Fiber &fiber, uint32_t name) {
  const auto &all = functions();
  const auto at = std::lower_bound(all.begin(), all.end(), name, [](const Named &x, uint32_t y) { return x.name < y; });
  if (at == all.end() || at->name != name) fail(fiber, "vector-unknown", name);
  return at->op;
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
#define NONE(...) 0,
#define ONE(...) 1,
#define TWO(...) 2,
#define THREE(...) 3,
#define INT1(...) 1,
#define INT2(...) 2,
#define OTHER(name, operands) operands,
#define COARSE TTL_NOTHING
#define ALSO TTL_NOTHING
#include "vector_functions.inc.h"
};

}  // namespace

}  // namespace ttl::emu

using namespace ttl::emu;

void ttl_emu_vector(uint32_t name, uint32_t d0, uint32_t d1, uint32_t d2, uint32_t out, uint32_t p0, uint32_t p1, uint32_t p2,
                    uint32_t function, uint32_t faces, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kMath) return;
  check_function(fiber, function);
  const Vector op = function_of(fiber, name);
  const uint32_t operands = kOperands[op];
  Vectors v{nullptr, nullptr, nullptr, nullptr, p0, p1, p2};
  const uint64_t rows = faces == kAllFaces ? kAllRows : rows_of(faces);
  uint64_t stale = 0;
  alignas(64) float copies[3][kTile];
  if (operands > 0) v.d0 = seen(fiber, d0, d0 == out, rows, stale, copies[0]);
  if (operands > 1) v.d1 = seen(fiber, d1, d1 == out, rows, stale, copies[1]);
  if (operands > 2) v.d2 = seen(fiber, d2, d2 == out, rows, stale, copies[2]);
  v.out = stored_to(fiber, out, rows, stale);
  // A function of one operand is at its place, one of more at the beginning of the section, and both count from there.
  const uint32_t slot = dst_slot(fiber, out), tiles = tensix(fiber).section_tiles;
  address(fiber, operands > 1 || (operands == 1 && d0 != out) ? slot - slot % tiles : slot);
  if (!v.d0) v.d0 = v.out;
  alignas(64) float before[kTile];
  if (faces != kAllFaces) std::memcpy(before, v.out, sizeof before);
  const bool coarse = apply_coarse(tensix(fiber), op, v);
  if (coarse || apply_float(op, v))
    dst_written(fiber, v.out);
  else
    apply_bits(fiber, op, v);
  for (uint32_t face = 0; face < 4; ++face)
    if (!(faces >> face & 1)) std::memcpy(v.out + 256 * face, before + 256 * face, 256 * sizeof(float));
  first_use(fiber, kVectorUnit);
  spend(fiber, std::max(1u, costs(fiber).vector[coarse][op] * static_cast<uint32_t>(std::popcount(faces)) / 4));
}

void ttl_emu_vector_reduce(Pool pool, Along along, uint32_t format, uint32_t dst, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kMath) return;
  const Setup &setup = tensix(fiber).setup[kMath - kUnpack];
  if (setup.function != ttl_emu::named("sfpu_reduce_init") || setup.function_detail != (pool | format << 8))
    fail(fiber, "vector-setup", ttl_emu::named("sfpu_reduce"), setup.function, setup.function_at.line);
  uint64_t stale = 0;
  seen(fiber, dst, true, kAllRows, stale, nullptr);
  address(fiber, dst_slot(fiber, dst));
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
  spend(fiber, costs(fiber).vector[0][kV_binary_max_tile] * 2);
}
