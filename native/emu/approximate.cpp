// What functions of the vector unit give where a kernel asks for an approximation: the tables of the hardware, and where
// only the size of an error was published, an error of that size. How far each is off is in `ttl.arch.approximations`.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tensix.h"

namespace ttl::emu {

namespace {

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

// The largest errors of a sweep of float32 on Wormhole: tt-llk, sfpu_accuracy_budget.yaml in ttnn 0.81.1.
constexpr int32_t kRecipSteps = 1711, kSqrtSteps = 14751, kRsqrtSteps = 14750;

template <typename Function>
void each(const float *in, float *out, Function function) {
  for (uint32_t i = 0; i < kTile; ++i) out[i] = function(in[i]);
}

}  // namespace

bool asks_approximation(const Tensix &t, Vector op, uint32_t wish) {
  switch (op) {
    case kV_exp: case kV_gelu: case kV_tanh: case kV_sigmoid: return wish == kFast;
    case kV_recip: return wish == kFast || (wish == kByMode && t.approximate);
    case kV_sqrt: case kV_rsqrt: return t.approximate;
    default: return false;
  }
}

void approximate(Vector op, const float *in, float *out, float scale) {
  switch (op) {
    case kV_exp: return each(in, out, [=](float x) { return exponential(x * scale); });
    case kV_gelu: return each(in, out, [](float x) { return kGelu.at(x); });
    case kV_tanh: return each(in, out, [](float x) { return kTanh.at(x); });
    case kV_sigmoid: return each(in, out, [](float x) { return kSigmoid.at(x); });
    case kV_recip: return each(in, out, [](float x) { return moved(1.0f / x, x, kRecipSteps); });
    case kV_sqrt: return each(in, out, [](float x) { return moved(std::sqrt(x), x, kSqrtSteps); });
    case kV_rsqrt: return each(in, out, [](float x) { return moved(1.0f / std::sqrt(x), x, kRsqrtSteps); });
    default: return;
  }
}

}  // namespace ttl::emu
