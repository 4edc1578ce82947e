// The functions of the vector unit, on tiles in DST. Parameters are the bits of floats, or whole numbers.
#pragma once

#include "ttl_emu/common.h"

namespace ckernel {

// Of functions that do not let a kernel choose.
inline constexpr ttl_emu::Mode ttl_emu_mode{4};

#define TTL_EMU_NAMED(name) ttl_emu::Hash<ttl_emu::named(#name)>::value
#define TTL_EMU_SETUP(name) \
  template <auto...>        \
  inline void name(TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(name), 0, 0, place); }
#define TTL_EMU_RUN(op, d0, d1, d2, out, p0, p1, p2) TTL_EMU_VALUE(ttl_emu::kV_##op, d0, d1, d2, out, p0, p1, p2)
// The name of the function goes with a call, so that a missing init is found.
#define TTL_EMU_VALUE(...)                                  \
  do {                                                      \
    constexpr uint32_t function = ttl_emu::named(__func__); \
    ttl_emu_vector(__VA_ARGS__, function, ttl_emu_mode.faces(), place); \
  } while (false)

// f_tile(d)
#define TTL_EMU_1(name, op)           \
  TTL_EMU_SETUP(name##_tile_init)     \
  template <auto...>                  \
  inline void name##_tile(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) { TTL_EMU_RUN(op, d, 0, 0, d, 0, 0, 0); }
TTL_EMU_1(abs, abs) TTL_EMU_1(negative, negative) TTL_EMU_1(exp2, exp2) TTL_EMU_1(expm1, expm1) TTL_EMU_1(log, log)
TTL_EMU_1(log1p, log1p) TTL_EMU_1(sqrt, sqrt) TTL_EMU_1(rsqrt, rsqrt) TTL_EMU_1(square, square)
TTL_EMU_1(sin, sin) TTL_EMU_1(cos, cos) TTL_EMU_1(tan, tan) TTL_EMU_1(asin, asin) TTL_EMU_1(acos, acos) TTL_EMU_1(atan, atan)
TTL_EMU_1(sinh, sinh) TTL_EMU_1(cosh, cosh) TTL_EMU_1(asinh, asinh) TTL_EMU_1(acosh, acosh) TTL_EMU_1(atanh, atanh)
TTL_EMU_1(silu, silu) TTL_EMU_1(relu, relu) TTL_EMU_1(softsign, softsign)
TTL_EMU_1(hardsigmoid, hardsigmoid) TTL_EMU_1(hardmish, mish) TTL_EMU_1(mish, mish) TTL_EMU_1(tanhshrink, tanhshrink)
TTL_EMU_1(sign, sign) TTL_EMU_1(signbit, signbit) TTL_EMU_1(erf, erf) TTL_EMU_1(erfc, erfc) TTL_EMU_1(erfinv, erfinv)
TTL_EMU_1(cbrt, cbrt) TTL_EMU_1(i0, i0) TTL_EMU_1(i1, i1) TTL_EMU_1(logsigmoid, logsigmoid)
TTL_EMU_1(isinf, isinf) TTL_EMU_1(isposinf, isposinf) TTL_EMU_1(isneginf, isneginf) TTL_EMU_1(isnan, isnan)
TTL_EMU_1(isfinite, isfinite) TTL_EMU_1(eqz, eqz) TTL_EMU_1(nez, nez) TTL_EMU_1(ltz, ltz) TTL_EMU_1(gtz, gtz) TTL_EMU_1(lez, lez)
TTL_EMU_1(gez, gez) TTL_EMU_1(identity, identity) TTL_EMU_1(bitwise_not, not_int)
#undef TTL_EMU_1
template <auto...>
inline void exp_tile_init(TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(exp_tile_init), 0, 0, place); }
// Those that say whether an approximation will do.
enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };
#define TTL_EMU_WISH(fast) (fast) ? ttl_emu::kFast : ttl_emu::kPrecise
template <bool fast = false, bool scaled = false, auto...>
inline void exp_tile(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, uint32_t scale = 0x3F80, TTL_EMU_AT) {
  TTL_EMU_RUN(exp, d, 0, 0, d, 0, scaled ? scale << 16 : 0x3F800000u, TTL_EMU_WISH(fast));
}
TTL_EMU_SETUP(gelu_tile_init)
template <bool fast = true, auto...>
inline void gelu_tile(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) { TTL_EMU_RUN(gelu, d, 0, 0, d, 0, 0, TTL_EMU_WISH(fast)); }
TTL_EMU_SETUP(tanh_tile_init)
template <bool fast = false, auto...>
inline void tanh_tile(uint32_t d, TTL_EMU_AT) { TTL_EMU_RUN(tanh, d, 0, 0, d, 0, 0, TTL_EMU_WISH(fast)); }
TTL_EMU_SETUP(sigmoid_tile_init)
template <auto mode = 4, bool fast = false, auto...>
inline void sigmoid_tile(uint32_t d, TTL_EMU_AT) {
  constexpr ttl_emu::Mode ttl_emu_mode{mode};
  TTL_EMU_RUN(sigmoid, d, 0, 0, d, 0, 0, TTL_EMU_WISH(fast));
}
#undef TTL_EMU_WISH
TTL_EMU_SETUP(recip_tile_init)
#if TTL_EMU_API_VERSION < 81
template <auto...>
inline void recip_tile(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) { TTL_EMU_RUN(recip, d, 0, 0, d, 0, 0, ttl_emu::kByMode); }
#else
enum class ReciprocalDestAcc { BF16, FP32 };
enum class ReciprocalApproxMode { Default, Precise, Approximate };
enum class RsqrtMode { Default, Fast };
template <ReciprocalDestAcc = ReciprocalDestAcc::BF16, ReciprocalApproxMode mode = ReciprocalApproxMode::Default>
inline void recip_tile(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) {
  constexpr auto wish = mode == ReciprocalApproxMode::Default   ? ttl_emu::kByMode
                        : mode == ReciprocalApproxMode::Precise ? ttl_emu::kPrecise
                                                                : ttl_emu::kFast;
  TTL_EMU_RUN(recip, d, 0, 0, d, 0, 0, wish);
}
#endif
template <DataFormat format = DataFormat::Float16_b>
inline void logical_not_tile(uint32_t d, TTL_EMU_AT) {
  constexpr bool whole = format == DataFormat::Int32 || format == DataFormat::UInt32 || format == DataFormat::UInt16;
  TTL_EMU_VALUE(whole ? ttl_emu::kV_logical_not_int : ttl_emu::kV_logical_not, d, 0, 0, d, 0, 0, 0);
}
TTL_EMU_SETUP(logical_not_tile_init)

// Functions that share an init, or are named otherwise.
#define TTL_EMU_1N(name, op) \
  template <auto...>         \
  inline void name(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) { TTL_EMU_RUN(op, d, 0, 0, d, 0, 0, 0); }
TTL_EMU_SETUP(rounding_op_tile_init)
TTL_EMU_1N(frac_tile, frac) TTL_EMU_1N(trunc_tile, trunc) TTL_EMU_1N(floor_tile, floor) TTL_EMU_1N(ceil_tile, ceil)
TTL_EMU_1N(abs_tile_int32, abs_int) TTL_EMU_1N(negative_tile_int32, negative_int) TTL_EMU_1N(relu_tile_int32, relu_int)
TTL_EMU_1N(signbit_tile_int32, signbit_int) TTL_EMU_SETUP(signbit_tile_int32_init) TTL_EMU_1N(identity_tile_uint32, identity)
TTL_EMU_1N(eqz_tile_int32, eqz_int) TTL_EMU_1N(nez_tile_int32, nez_int) TTL_EMU_1N(ltz_tile_int32, ltz_int)
TTL_EMU_1N(gtz_tile_int32, gtz_int) TTL_EMU_1N(lez_tile_int32, lez_int) TTL_EMU_1N(gez_tile_int32, gez_int)
TTL_EMU_1N(eqz_tile_uint16, eqz_int) TTL_EMU_1N(nez_tile_uint16, nez_int) TTL_EMU_1N(eqz_tile_uint32, eqz_int)
TTL_EMU_1N(nez_tile_uint32, nez_int)
#undef TTL_EMU_1N

// f_tile(d, p), f_tile(d, p, q), f_tile(d, p, q, r)
#define TTL_EMU_P(name, op)       \
  TTL_EMU_SETUP(name##_tile_init) \
  TTL_EMU_PN(name##_tile, op)
#define TTL_EMU_PN(name, op) \
  template <auto...>         \
  inline void name(uint32_t d, uint32_t p, TTL_EMU_AT) { TTL_EMU_RUN(op, d, 0, 0, d, p, 0, 0); }
TTL_EMU_P(log_with_base, log_base) TTL_EMU_P(power, power) TTL_EMU_P(power_iterative, power_iterative) TTL_EMU_P(rpow, rpow)
TTL_EMU_P(rdiv, rdiv) TTL_EMU_P(rsub, rsub_scalar) TTL_EMU_P(relu_max, relu_max) TTL_EMU_P(relu_min, relu_min)
TTL_EMU_P(leaky_relu, leaky_relu) TTL_EMU_P(elu, elu) TTL_EMU_P(prelu, prelu) TTL_EMU_P(softshrink, softshrink)
TTL_EMU_P(hardshrink, hardshrink) TTL_EMU_P(heaviside, heaviside) TTL_EMU_SETUP(binop_with_scalar_tile_init)
TTL_EMU_PN(add_unary_tile, add_scalar) TTL_EMU_PN(sub_unary_tile, sub_scalar) TTL_EMU_PN(mul_unary_tile, mul_scalar)
TTL_EMU_PN(div_unary_tile, div_scalar) TTL_EMU_PN(rsub_unary_tile, rsub_scalar) TTL_EMU_PN(unary_eq_tile_int32, eq_scalar_int) TTL_EMU_PN(unary_ne_tile_int32, ne_scalar_int)
TTL_EMU_PN(unary_lt_tile_int32, lt_scalar_int) TTL_EMU_PN(unary_gt_tile_int32, gt_scalar_int)
TTL_EMU_PN(unary_le_tile_int32, le_scalar_int) TTL_EMU_PN(unary_ge_tile_int32, ge_scalar_int) TTL_EMU_PN(add_unary_tile_int32, add_scalar_int)
TTL_EMU_PN(sub_unary_tile_int32, sub_scalar_int) TTL_EMU_PN(rsub_unary_int32_tile, rsub_scalar_int)
TTL_EMU_SETUP(rsub_unary_int32_tile_init) TTL_EMU_PN(relu_max_tile_int32, relu_max_int) TTL_EMU_PN(relu_min_tile_int32, relu_min_int)
TTL_EMU_PN(relu_max_tile_uint32, relu_max_int) TTL_EMU_PN(relu_min_tile_uint32, relu_min_int)
TTL_EMU_P(unary_eq, eq_scalar) TTL_EMU_P(unary_ne, ne_scalar) TTL_EMU_P(unary_lt, lt_scalar) TTL_EMU_P(unary_gt, gt_scalar)
TTL_EMU_P(unary_le, le_scalar) TTL_EMU_P(unary_ge, ge_scalar) TTL_EMU_P(unary_max, max_scalar) TTL_EMU_P(unary_min, min_scalar)
TTL_EMU_P(unary_max_int32, max_scalar_int) TTL_EMU_P(unary_min_int32, min_scalar_int) TTL_EMU_P(unary_max_uint32, max_scalar_uint)
TTL_EMU_P(unary_min_uint32, min_scalar_uint) TTL_EMU_P(left_shift, shift_left_scalar) TTL_EMU_P(right_shift, shift_right_scalar)
TTL_EMU_P(bitwise_and, and_scalar) TTL_EMU_P(bitwise_or, or_scalar) TTL_EMU_P(bitwise_xor, xor_scalar)
#undef TTL_EMU_P
#undef TTL_EMU_PN
template <auto...>
inline void round_tile(uint32_t d, int decimals, TTL_EMU_AT) { TTL_EMU_RUN(round, d, 0, 0, d, static_cast<uint32_t>(decimals), 0, 0); }
template <auto...>
inline void fmod_tile(uint32_t d, uint32_t p, uint32_t = 0, TTL_EMU_AT) { TTL_EMU_RUN(fmod_scalar, d, 0, 0, d, p, 0, 0); }
template <auto...>
inline void fmod_tile_init(uint32_t = 0, uint32_t = 0, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(fmod_tile_init), 0, 0, place); }
template <auto...>
inline void remainder_tile(uint32_t d, uint32_t p, uint32_t = 0, TTL_EMU_AT) { TTL_EMU_RUN(remainder_scalar, d, 0, 0, d, p, 0, 0); }
template <auto...>
inline void remainder_tile_init(uint32_t = 0, uint32_t = 0, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(remainder_tile_init), 0, 0, place); }
#define TTL_EMU_P2(name, op)      \
  TTL_EMU_SETUP(name##_tile_init) \
  template <auto...>              \
  inline void name##_tile(uint32_t d, uint32_t p, uint32_t q, TTL_EMU_AT) { TTL_EMU_RUN(op, d, 0, 0, d, p, q, 0); }
TTL_EMU_P2(celu, celu) TTL_EMU_P2(selu, selu) TTL_EMU_P2(hardtanh, hardtanh) TTL_EMU_P2(clamp, clamp) TTL_EMU_P2(threshold, threshold)
#undef TTL_EMU_P2
template <auto...>
inline void clamp_tile_int32(uint32_t d, uint32_t p, uint32_t q, TTL_EMU_AT) { TTL_EMU_RUN(clamp_int, d, 0, 0, d, p, q, 0); }
TTL_EMU_SETUP(softplus_tile_init)
template <auto...>
inline void softplus_tile(uint32_t d, uint32_t beta, uint32_t inverse, uint32_t threshold, TTL_EMU_AT) {
  TTL_EMU_RUN(softplus, d, 0, 0, d, beta, inverse, threshold);
}

// --- two operands

#define TTL_EMU_2(name, op)       \
  TTL_EMU_SETUP(name##_tile_init) \
  template <auto...>              \
  inline void name##_tile(uint32_t d0, uint32_t d1, uint32_t out, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) { TTL_EMU_RUN(op, d0, d1, 0, out, 0, 0, 0); }
TTL_EMU_2(add_binary, add) TTL_EMU_2(sub_binary, sub) TTL_EMU_2(mul_binary, mul) TTL_EMU_2(div_binary, div) TTL_EMU_2(rsub_binary, rsub)
TTL_EMU_2(power_binary, pow) TTL_EMU_2(xlogy_binary, xlogy) TTL_EMU_2(binary_max, max) TTL_EMU_2(binary_min, min)
TTL_EMU_2(binary_max_int32, max_int) TTL_EMU_2(binary_min_int32, min_int) TTL_EMU_2(binary_max_uint32, max_uint)
TTL_EMU_2(binary_min_uint32, min_uint) TTL_EMU_2(eq_binary, eq) TTL_EMU_2(ne_binary, ne) TTL_EMU_2(lt_binary, lt) TTL_EMU_2(gt_binary, gt)
TTL_EMU_2(le_binary, le) TTL_EMU_2(ge_binary, ge) TTL_EMU_2(atan2_binary, atan2) TTL_EMU_2(fmod_binary, fmod)
TTL_EMU_2(remainder_binary, remainder) TTL_EMU_2(div_int32, div_int) TTL_EMU_2(div_int32_trunc, div_int) TTL_EMU_2(div_int32_floor, div_floor_int)
TTL_EMU_2(lt_int32, lt_int) TTL_EMU_2(gt_int32, gt_int) TTL_EMU_2(le_int32, le_int) TTL_EMU_2(ge_int32, ge_int)
TTL_EMU_2(lt_uint16, lt_int) TTL_EMU_2(gt_uint16, gt_int) TTL_EMU_2(gcd, gcd) TTL_EMU_2(lcm, lcm)
TTL_EMU_2(remainder_int32, remainder_int) TTL_EMU_2(fmod_int32, fmod_int)
TTL_EMU_2(eq_int, eq_int) TTL_EMU_2(ne_int, ne_int) TTL_EMU_2(lt_int, lt_int) TTL_EMU_2(gt_int, gt_int)
TTL_EMU_2(le_int, le_int) TTL_EMU_2(ge_int, ge_int)
#undef TTL_EMU_2
// Of uint16 the low 16 bits are kept, in wide registers, too.
#define TTL_EMU_2F(name)                                                                                 \
  TTL_EMU_SETUP(name##_tile_init)                                                                        \
  template <DataFormat format = DataFormat::Int32, auto...>                                              \
  inline void name##_tile(uint32_t d0, uint32_t d1, uint32_t out, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) {       \
    TTL_EMU_RUN(name, d0, d1, 0, out, 0, 0, 0);                                                          \
    if constexpr (format == DataFormat::UInt16) TTL_EMU_RUN(and_scalar, out, 0, 0, out, 0xFFFF, 0, 0);    \
  }
TTL_EMU_2F(add_int) TTL_EMU_2F(sub_int) TTL_EMU_2F(rsub_int)
#undef TTL_EMU_2F
TTL_EMU_SETUP(mul_int_tile_init)
template <DataFormat format = DataFormat::Int32, auto...>
inline void mul_int_tile(uint32_t d0, uint32_t d1, uint32_t out, TTL_EMU_AT) {
  TTL_EMU_VALUE(format == DataFormat::UInt16 ? ttl_emu::kV_mul_u16 : ttl_emu::kV_mul_int, d0, d1, 0, out, 0, 0, 0);
}
TTL_EMU_SETUP(binary_bitwise_tile_init) TTL_EMU_SETUP(binary_shift_tile_init)
#define TTL_EMU_2N(name, op) \
  template <auto...>         \
  inline void name(uint32_t d0, uint32_t d1, uint32_t out, TTL_EMU_AT) { TTL_EMU_RUN(op, d0, d1, 0, out, 0, 0, 0); }
TTL_EMU_2N(bitwise_and_binary_tile, and_int) TTL_EMU_2N(bitwise_or_binary_tile, or_int) TTL_EMU_2N(bitwise_xor_binary_tile, xor_int)
TTL_EMU_2N(binary_left_shift_tile, shift_left) TTL_EMU_2N(binary_right_shift_tile, shift_right)
TTL_EMU_2N(binary_logical_right_shift_tile, shift_right_logical)
#undef TTL_EMU_2N
TTL_EMU_SETUP(mask_tile_init)
inline void mask_tile(uint32_t data, uint32_t, DataFormat = DataFormat::Float16_b, TTL_EMU_AT) { TTL_EMU_RUN(mask, data, data + 1, 0, data, 0, 0, 0); }
inline void mask_posinf_tile(uint32_t data, uint32_t, TTL_EMU_AT) { TTL_EMU_RUN(mask_posinf, data, data + 1, 0, data, 0, 0, 0); }

// --- three operands, fills, conversions

TTL_EMU_SETUP(where_tile_init)
template <DataFormat format = DataFormat::Float16_b>
inline void where_tile(uint32_t condition, uint32_t yes, uint32_t no, uint32_t out, TTL_EMU_AT) {
  constexpr bool whole = format == DataFormat::Int32 || format == DataFormat::UInt32 || format == DataFormat::UInt16;
  TTL_EMU_VALUE(whole ? ttl_emu::kV_where_int : ttl_emu::kV_where, condition, yes, no, out, 0, 0, 0);
}
#define TTL_EMU_3(name, op)                                                                                     \
  TTL_EMU_SETUP(name##_tile_init)                                                                               \
  template <auto...>                                                                                            \
  inline void name##_tile(uint32_t d0, uint32_t d1, uint32_t d2, uint32_t out, uint32_t value = 0x3F800000, TTL_EMU_AT) { \
    TTL_EMU_RUN(op, d0, d1, d2, out, value, 0, 0);                                                              \
  }
TTL_EMU_3(addcmul, addcmul) TTL_EMU_3(addcdiv, addcdiv) TTL_EMU_3(lerp, lerp) TTL_EMU_3(mac, mac)
#undef TTL_EMU_3
TTL_EMU_SETUP(fill_tile_init)
template <auto...>
inline void fill_tile(uint32_t d, float value, TTL_EMU_AT) { TTL_EMU_RUN(fill, 0, 0, 0, d, __builtin_bit_cast(uint32_t, value), 0, 0); }
template <auto...>
inline void fill_tile_bitcast(uint32_t d, uint32_t bits, TTL_EMU_AT) { TTL_EMU_RUN(fill, 0, 0, 0, d, bits, 0, 0); }
template <auto...>
inline void fill_tile_int(uint32_t d, uint32_t value, TTL_EMU_AT) { TTL_EMU_RUN(fill_bits, 0, 0, 0, d, value, 0, 0); }
template <uint32_t in = 0, uint32_t out = 0>
inline void typecast_tile_init(TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(typecast_tile_init), 0, 0, place); }
template <uint32_t in, uint32_t out, auto...>
inline void typecast_tile(uint32_t d, TTL_EMU_AT) { TTL_EMU_RUN(typecast, d, 0, 0, d, in, out, 0); }
template <auto...>
inline void sfpu_reduce_init(TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(sfpu_reduce_init), 0, 0, place); }
template <PoolType type, DataFormat format, ReduceDim dim = REDUCE_COL, auto...>
inline void sfpu_reduce(uint32_t d, uint32_t = 1, uint32_t = 1, TTL_EMU_AT) {
  ttl_emu_vector_reduce(ttl_emu::pool(type), ttl_emu::along(dim), static_cast<uint32_t>(format), d, place);
}

#undef TTL_EMU_SETUP
#undef TTL_EMU_NAMED
#undef TTL_EMU_VALUE
#undef TTL_EMU_RUN

}  // namespace ckernel
