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
// A function gives its name, so that a missing init is found, and that of what it computes, which is its own for most.
#define TTL_EMU_VALUE(computed, ...)                        \
  do {                                                      \
    constexpr uint32_t function = ttl_emu::named(__func__); \
    ttl_emu_vector(computed, __VA_ARGS__, function, ttl_emu_mode.faces(), place); \
  } while (false)
#define TTL_EMU_RUN(name, ...) TTL_EMU_VALUE(TTL_EMU_NAMED(name), __VA_ARGS__)

// f(d), with one, two and three parameters; of two and of three operands
#define TTL_EMU_1(name) \
  template <auto...>    \
  inline void name(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) { TTL_EMU_RUN(name, d, 0, 0, d, 0, 0, 0); }
#define TTL_EMU_P1(name) \
  template <auto...>     \
  inline void name(uint32_t d, uint32_t p, TTL_EMU_AT) { TTL_EMU_RUN(name, d, 0, 0, d, p, 0, 0); }
#define TTL_EMU_P2(name) \
  template <auto...>     \
  inline void name(uint32_t d, uint32_t p, uint32_t q, TTL_EMU_AT) { TTL_EMU_RUN(name, d, 0, 0, d, p, q, 0); }
#define TTL_EMU_P3(name) \
  template <auto...>     \
  inline void name(uint32_t d, uint32_t p, uint32_t q, uint32_t r, TTL_EMU_AT) { TTL_EMU_RUN(name, d, 0, 0, d, p, q, r); }
#define TTL_EMU_2(name)                                                                                        \
  template <auto...>                                                                                           \
  inline void name(uint32_t d0, uint32_t d1, uint32_t out, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) {       \
    TTL_EMU_RUN(name, d0, d1, 0, out, 0, 0, 0);                                                                \
  }
#define TTL_EMU_3(name)                                                                                        \
  template <auto...>                                                                                           \
  inline void name(uint32_t d0, uint32_t d1, uint32_t d2, uint32_t out, uint32_t value = 0x3F800000, TTL_EMU_AT) { \
    TTL_EMU_RUN(name, d0, d1, d2, out, value, 0, 0);                                                           \
  }
#define TTL_EMU_INIT_AND_1(name) TTL_EMU_SETUP(name##_init) TTL_EMU_1(name)
#define TTL_EMU_INIT_AND_P1(name) TTL_EMU_SETUP(name##_init) TTL_EMU_P1(name)
#define TTL_EMU_INIT_AND_2(name) TTL_EMU_SETUP(name##_init) TTL_EMU_2(name)
#define TTL_EMU_INIT_AND_3(name) TTL_EMU_SETUP(name##_init) TTL_EMU_3(name)

// --- functions of the language: as the table of operations says
#include "ttl_emu/rows.h"

// --- functions that no operation of the language uses
TTL_EMU_INIT_AND_1(sinh_tile) TTL_EMU_INIT_AND_1(cosh_tile) TTL_EMU_INIT_AND_1(hardmish_tile)
TTL_EMU_INIT_AND_1(mish_tile) TTL_EMU_INIT_AND_1(tanhshrink_tile) TTL_EMU_INIT_AND_1(signbit_tile)
TTL_EMU_INIT_AND_1(erf_tile) TTL_EMU_INIT_AND_1(erfc_tile) TTL_EMU_INIT_AND_1(erfinv_tile) TTL_EMU_INIT_AND_1(cbrt_tile)
TTL_EMU_INIT_AND_1(i0_tile) TTL_EMU_INIT_AND_1(i1_tile) TTL_EMU_INIT_AND_1(logsigmoid_tile)
TTL_EMU_INIT_AND_1(isinf_tile) TTL_EMU_INIT_AND_1(isposinf_tile) TTL_EMU_INIT_AND_1(isneginf_tile)
TTL_EMU_INIT_AND_1(isnan_tile) TTL_EMU_INIT_AND_1(isfinite_tile) TTL_EMU_INIT_AND_1(ltz_tile)
TTL_EMU_INIT_AND_1(gtz_tile) TTL_EMU_INIT_AND_1(lez_tile) TTL_EMU_INIT_AND_1(gez_tile) TTL_EMU_INIT_AND_1(identity_tile)
TTL_EMU_INIT_AND_1(bitwise_not_tile) TTL_EMU_INIT_AND_1(signbit_tile_int32)
TTL_EMU_1(eqz_tile) TTL_EMU_1(nez_tile) TTL_EMU_1(identity_tile_uint32) TTL_EMU_1(eqz_tile_int32)
TTL_EMU_1(nez_tile_int32) TTL_EMU_1(ltz_tile_int32) TTL_EMU_1(gtz_tile_int32) TTL_EMU_1(lez_tile_int32)
TTL_EMU_1(gez_tile_int32)
TTL_EMU_INIT_AND_P1(log_with_base_tile) TTL_EMU_INIT_AND_P1(rpow_tile) TTL_EMU_INIT_AND_P1(rdiv_tile)
TTL_EMU_INIT_AND_P1(rsub_tile) TTL_EMU_INIT_AND_P1(softshrink_tile) TTL_EMU_INIT_AND_P1(hardshrink_tile)
TTL_EMU_INIT_AND_P1(heaviside_tile) TTL_EMU_INIT_AND_P1(left_shift_tile) TTL_EMU_INIT_AND_P1(right_shift_tile)
TTL_EMU_INIT_AND_P1(bitwise_and_tile) TTL_EMU_INIT_AND_P1(bitwise_or_tile) TTL_EMU_INIT_AND_P1(bitwise_xor_tile)
TTL_EMU_P1(div_unary_tile) TTL_EMU_P1(relu_min_tile_int32) TTL_EMU_P1(relu_max_tile_uint32)
TTL_EMU_P1(relu_min_tile_uint32)
TTL_EMU_SETUP(threshold_tile_init) TTL_EMU_P2(threshold_tile)
TTL_EMU_INIT_AND_2(xlogy_binary_tile) TTL_EMU_INIT_AND_2(atan2_binary_tile) TTL_EMU_INIT_AND_2(fmod_binary_tile)
TTL_EMU_INIT_AND_2(div_int32_tile) TTL_EMU_INIT_AND_2(div_int32_trunc_tile) TTL_EMU_INIT_AND_2(gcd_tile)
TTL_EMU_INIT_AND_2(lcm_tile) TTL_EMU_INIT_AND_2(fmod_int32_tile) TTL_EMU_INIT_AND_2(eq_int_tile)
TTL_EMU_INIT_AND_2(ne_int_tile)
TTL_EMU_SETUP(binary_shift_tile_init)
TTL_EMU_2(bitwise_and_binary_tile) TTL_EMU_2(bitwise_or_binary_tile) TTL_EMU_2(binary_left_shift_tile)
TTL_EMU_2(binary_right_shift_tile) TTL_EMU_2(binary_logical_right_shift_tile)
TTL_EMU_INIT_AND_3(addcmul_tile) TTL_EMU_INIT_AND_3(addcdiv_tile) TTL_EMU_INIT_AND_3(lerp_tile)
TTL_EMU_INIT_AND_3(mac_tile)

// --- functions with more to say than the table does: approximations, formats

template <auto...>
inline void exp_tile_init(TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(exp_tile_init), 0, 0, place); }
// Those that say whether an approximation will do.
enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };
#define TTL_EMU_WISH(fast) (fast) ? ttl_emu::kFast : ttl_emu::kPrecise
template <bool fast = false, bool scaled = false, auto...>
inline void exp_tile(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, uint32_t scale = 0x3F80, TTL_EMU_AT) {
  TTL_EMU_RUN(exp_tile, d, 0, 0, d, 0, scaled ? scale << 16 : 0x3F800000u, TTL_EMU_WISH(fast));
}
TTL_EMU_SETUP(gelu_tile_init)
template <bool fast = true, auto...>
inline void gelu_tile(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) { TTL_EMU_RUN(gelu_tile, d, 0, 0, d, 0, 0, TTL_EMU_WISH(fast)); }
TTL_EMU_SETUP(tanh_tile_init)
template <bool fast = false, auto...>
inline void tanh_tile(uint32_t d, TTL_EMU_AT) { TTL_EMU_RUN(tanh_tile, d, 0, 0, d, 0, 0, TTL_EMU_WISH(fast)); }
TTL_EMU_SETUP(sigmoid_tile_init)
template <auto mode = 4, bool fast = false, auto...>
inline void sigmoid_tile(uint32_t d, TTL_EMU_AT) {
  constexpr ttl_emu::Mode ttl_emu_mode{mode};
  TTL_EMU_RUN(sigmoid_tile, d, 0, 0, d, 0, 0, TTL_EMU_WISH(fast));
}
#undef TTL_EMU_WISH
TTL_EMU_SETUP(recip_tile_init)
#if TTL_EMU_API_VERSION < 81
template <auto...>
inline void recip_tile(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) { TTL_EMU_RUN(recip_tile, d, 0, 0, d, 0, 0, ttl_emu::kByMode); }
#else
enum class ReciprocalDestAcc { BF16, FP32 };
enum class ReciprocalApproxMode { Default, Precise, Approximate };
enum class RsqrtMode { Default, Fast };
template <ReciprocalDestAcc = ReciprocalDestAcc::BF16, ReciprocalApproxMode mode = ReciprocalApproxMode::Default>
inline void recip_tile(uint32_t d, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) {
  constexpr auto wish = mode == ReciprocalApproxMode::Default   ? ttl_emu::kByMode
                        : mode == ReciprocalApproxMode::Precise ? ttl_emu::kPrecise
                                                                : ttl_emu::kFast;
  TTL_EMU_RUN(recip_tile, d, 0, 0, d, 0, 0, wish);
}
#endif
template <DataFormat format = DataFormat::Float16_b>
inline void logical_not_tile(uint32_t d, TTL_EMU_AT) {
  constexpr bool whole = format == DataFormat::Int32 || format == DataFormat::UInt32 || format == DataFormat::UInt16;
  TTL_EMU_VALUE(whole ? TTL_EMU_NAMED(logical_not_tile_int) : TTL_EMU_NAMED(logical_not_tile), d, 0, 0, d, 0, 0, 0);
}
TTL_EMU_SETUP(logical_not_tile_init)
template <auto...>
inline void fmod_tile(uint32_t d, uint32_t p, uint32_t = 0, TTL_EMU_AT) { TTL_EMU_RUN(fmod_tile, d, 0, 0, d, p, 0, 0); }
template <auto...>
inline void fmod_tile_init(uint32_t = 0, uint32_t = 0, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(fmod_tile_init), 0, 0, place); }
template <auto...>
inline void remainder_tile(uint32_t d, uint32_t p, uint32_t = 0, TTL_EMU_AT) { TTL_EMU_RUN(remainder_tile, d, 0, 0, d, p, 0, 0); }
template <auto...>
inline void remainder_tile_init(uint32_t = 0, uint32_t = 0, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(remainder_tile_init), 0, 0, place); }
// Of uint16 the low 16 bits are kept, in wide registers, too.
#define TTL_EMU_2F(name)                                                                                 \
  TTL_EMU_SETUP(name##_tile_init)                                                                        \
  template <DataFormat format = DataFormat::Int32, auto...>                                              \
  inline void name##_tile(uint32_t d0, uint32_t d1, uint32_t out, ttl_emu::Mode ttl_emu_mode = 4, TTL_EMU_AT) {       \
    TTL_EMU_RUN(name##_tile, d0, d1, 0, out, 0, 0, 0);                                                          \
    if constexpr (format == DataFormat::UInt16) TTL_EMU_RUN(bitwise_and_tile, out, 0, 0, out, 0xFFFF, 0, 0);    \
  }
TTL_EMU_2F(add_int) TTL_EMU_2F(sub_int) TTL_EMU_2F(rsub_int)
#undef TTL_EMU_2F
TTL_EMU_SETUP(mul_int_tile_init)
template <DataFormat format = DataFormat::Int32, auto...>
inline void mul_int_tile(uint32_t d0, uint32_t d1, uint32_t out, TTL_EMU_AT) {
  TTL_EMU_VALUE(format == DataFormat::UInt16 ? TTL_EMU_NAMED(mul_int_tile_uint16) : TTL_EMU_NAMED(mul_int_tile), d0, d1, 0, out, 0, 0, 0);
}
TTL_EMU_SETUP(mask_tile_init)
inline void mask_tile(uint32_t data, uint32_t, DataFormat = DataFormat::Float16_b, TTL_EMU_AT) { TTL_EMU_RUN(mask_tile, data, data + 1, 0, data, 0, 0, 0); }
inline void mask_posinf_tile(uint32_t data, uint32_t, TTL_EMU_AT) { TTL_EMU_RUN(mask_posinf_tile, data, data + 1, 0, data, 0, 0, 0); }
TTL_EMU_SETUP(where_tile_init)
template <DataFormat format = DataFormat::Float16_b>
inline void where_tile(uint32_t condition, uint32_t yes, uint32_t no, uint32_t out, TTL_EMU_AT) {
  constexpr bool whole = format == DataFormat::Int32 || format == DataFormat::UInt32 || format == DataFormat::UInt16;
  TTL_EMU_VALUE(whole ? TTL_EMU_NAMED(where_tile_int) : TTL_EMU_NAMED(where_tile), condition, yes, no, out, 0, 0, 0);
}
TTL_EMU_SETUP(fill_tile_init)
template <auto...>
inline void fill_tile(uint32_t d, float value, TTL_EMU_AT) { TTL_EMU_RUN(fill_tile, 0, 0, 0, d, __builtin_bit_cast(uint32_t, value), 0, 0); }
template <auto...>
inline void fill_tile_bitcast(uint32_t d, uint32_t bits, TTL_EMU_AT) { TTL_EMU_RUN(fill_tile, 0, 0, 0, d, bits, 0, 0); }
template <auto...>
inline void fill_tile_int(uint32_t d, uint32_t value, TTL_EMU_AT) { TTL_EMU_RUN(fill_tile_int, 0, 0, 0, d, value, 0, 0); }
template <uint32_t in = 0, uint32_t out = 0>
inline void typecast_tile_init(TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(typecast_tile_init), 0, 0, place); }
template <uint32_t in, uint32_t out, auto...>
inline void typecast_tile(uint32_t d, TTL_EMU_AT) { TTL_EMU_RUN(typecast_tile, d, 0, 0, d, in, out, 0); }
template <PoolType type, DataFormat format, auto...>
inline void sfpu_reduce_init(TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitSfpu, TTL_EMU_NAMED(sfpu_reduce_init), ttl_emu::pool(type) | static_cast<uint32_t>(format) << 8, 0, place);
}
template <PoolType type, DataFormat format, ReduceDim dim = REDUCE_COL, auto...>
inline void sfpu_reduce(uint32_t d, uint32_t = 1, uint32_t = 1, TTL_EMU_AT) {
  ttl_emu_vector_reduce(ttl_emu::pool(type), ttl_emu::along(dim), static_cast<uint32_t>(format), d, place);
}

#undef TTL_EMU_1
#undef TTL_EMU_P1
#undef TTL_EMU_P2
#undef TTL_EMU_P3
#undef TTL_EMU_2
#undef TTL_EMU_3
#undef TTL_EMU_INIT_AND_1
#undef TTL_EMU_INIT_AND_P1
#undef TTL_EMU_INIT_AND_2
#undef TTL_EMU_INIT_AND_3
#undef TTL_EMU_SETUP
#undef TTL_EMU_NAMED
#undef TTL_EMU_VALUE
#undef TTL_EMU_RUN

}  // namespace ckernel
