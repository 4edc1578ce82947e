// Names and shapes of the vector unit's C++ library, for the host's compiler to read kernels with as the mathematics
// processor's compiler does. The library comes with the RISC-V compiler and is in no wheel; what stands here computes
// nothing. Its names are in namespace sfpi, as the real ones are: a header that forgets to say so is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#define sfpi_inline inline __attribute__((always_inline))

struct __xtt_vector {};

namespace sfpi {

struct vBool {
  template <typename... T>
  constexpr vBool(const T &...) {}
};
inline vBool operator&&(const vBool &, const vBool &) { return {}; }
inline vBool operator||(const vBool &, const vBool &) { return {}; }
inline vBool operator!(const vBool &) { return {}; }

// What a function gives whose type its caller decides.
struct Anything {
  template <typename... T>
  constexpr Anything(const T &...) {}
  __xtt_vector get() const { return {}; }
  void in_use() const {}
  template <auto... parameters, typename... T>
  Anything mode(const T &...) const { return {}; }
  template <typename T>
  const Anything &operator=(const T &) const { return *this; }
};
// Says only that many registers are needed.
struct lreg_pressure {
  lreg_pressure() {}
};

template <int kind>
struct Vector {
  constexpr Vector() {}
  template <typename T>
  constexpr Vector(const T &) {}
  template <typename T, typename U, typename... V>
  constexpr Vector(const T &, const U &, const V &...) {}
  template <typename T>
  const Vector &operator=(const T &) const { return *this; }
  __xtt_vector get() const { return {}; }
  void in_use() const {}
  template <auto... parameters, typename... T>
  Anything mode(const T &...) const { return {}; }
};

template <typename T>
struct is_vector : std::false_type {};
template <int kind>
struct is_vector<Vector<kind>> : std::true_type {};
template <>
struct is_vector<Anything> : std::true_type {};
template <>
struct is_vector<__xtt_vector> : std::true_type {};
template <typename A, typename B>
using Given = std::enable_if_t<is_vector<std::decay_t<A>>::value || is_vector<std::decay_t<B>>::value>;
// A vector where there is one of a known type.
template <typename A, typename B>
using Result = std::conditional_t<is_vector<A>::value && !std::is_same_v<A, Anything>, A,
                                  std::conditional_t<is_vector<B>::value, B, A>>;

#define TTL_OPERATOR(op) \
  template <typename A, typename B, typename = Given<A, B>> \
  Result<A, B> operator op(const A &, const B &) { return {}; }
#define TTL_ASSIGNS(op) \
  template <typename A, typename B, typename = Given<A, A>> \
  A &operator op(A & a, const B &) { return a; }
#define TTL_COMPARES(op) \
  template <typename A, typename B, typename = Given<A, B>> \
  vBool operator op(const A &, const B &) { return {}; }
TTL_OPERATOR(+) TTL_OPERATOR(-) TTL_OPERATOR(*) TTL_OPERATOR(&) TTL_OPERATOR(|) TTL_OPERATOR(^) TTL_OPERATOR(<<) TTL_OPERATOR(>>)
TTL_ASSIGNS(+=) TTL_ASSIGNS(-=) TTL_ASSIGNS(*=) TTL_ASSIGNS(&=) TTL_ASSIGNS(|=) TTL_ASSIGNS(^=) TTL_ASSIGNS(<<=) TTL_ASSIGNS(>>=)
TTL_COMPARES(<) TTL_COMPARES(>) TTL_COMPARES(<=) TTL_COMPARES(>=) TTL_COMPARES(==) TTL_COMPARES(!=)
#undef TTL_OPERATOR
#undef TTL_ASSIGNS
#undef TTL_COMPARES
template <typename A, typename = Given<A, A>>
A operator-(const A &) { return {}; }
template <typename A, typename = Given<A, A>>
A operator~(const A &) { return {}; }
template <typename A, typename = Given<A, A>>
A &operator++(A &a) { return a; }
template <typename A, typename = Given<A, A>>
A operator++(A &, int) { return {}; }
template <typename A, typename = Given<A, A>>
A operator--(A &, int) { return {}; }

using vFloat = Vector<0>;
using vInt = Vector<1>;
using vUInt = Vector<2>;
using vFloat16b = Vector<3>;
using vFloat16a = Vector<4>;
using vMag = Vector<5>;
using vSMag = Vector<6>;
using vSMag16 = Vector<7>;
using vSMag8 = Vector<8>;
using vUInt8 = Vector<9>;
using vUInt16 = Vector<10>;
using vLut16ss = Vector<11>;
using vLut16ii = Vector<12>;
using vLut8si = Vector<13>;
using sFloat16a = Vector<14>;
using sFloat16b = Vector<15>;
using s2vFloat16a = sFloat16a;
using s2vFloat16b = sFloat16b;

enum class DataLayout { Default, F32, FSrcB, F16a, F16b, I32, SM32, U32, U16, I16, U8, I8, SM16, SM8, LO16, HI16 };
enum class RoundMode { Nearest, NearestStochastic, Stochastic, Even, Zero, Truncate };
enum class ExponentMode { Biased, Unbiased };
enum class MantissaMode { ImplicitOne, NoImplicitOne };
enum class ShiftMode { Logical, Arithmetic };
enum class LutSign { Retain, Update };
enum class LRegs { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7, LRegCount };

struct Registers {
  template <typename T>
  Anything operator[](const T &) const { return {}; }
  const Registers &operator++() const { return *this; }
  const Registers &operator++(int) const { return *this; }
  template <typename T>
  const Registers &operator+=(const T &) const { return *this; }
};
inline const Registers dst_reg, l_reg;
inline const Vector<0> vConst0, vConst1, vConstNeg1, vConst0p8373, vConstFloatPrgm0, vConstFloatPrgm1, vConstFloatPrgm2;
inline const Vector<1> vConstTileId, vConstIntPrgm0, vConstIntPrgm1, vConstIntPrgm2;

#define TTL_FUNCTION(name)                   \
  template <auto... parameters, typename... T> \
  Anything name(const T &...) { return {}; }
TTL_FUNCTION(abs) TTL_FUNCTION(setsgn) TTL_FUNCTION(setsgn2) TTL_FUNCTION(setexp) TTL_FUNCTION(setman) TTL_FUNCTION(exexp)
TTL_FUNCTION(exexp_nodebias) TTL_FUNCTION(exman) TTL_FUNCTION(exman8) TTL_FUNCTION(exman9) TTL_FUNCTION(addexp)
TTL_FUNCTION(int32_to_float) TTL_FUNCTION(float_to_fp16a) TTL_FUNCTION(float_to_fp16b) TTL_FUNCTION(float_to_int16)
TTL_FUNCTION(float_to_uint16) TTL_FUNCTION(float_to_int8) TTL_FUNCTION(float_to_uint8) TTL_FUNCTION(shft) TTL_FUNCTION(lut)
TTL_FUNCTION(lut2) TTL_FUNCTION(lut2_sign) TTL_FUNCTION(lz) TTL_FUNCTION(copysgn) TTL_FUNCTION(copyman) TTL_FUNCTION(copyexp)
TTL_FUNCTION(min) TTL_FUNCTION(max) TTL_FUNCTION(clamp) TTL_FUNCTION(symmetric_clamp) TTL_FUNCTION(approx_recip)
TTL_FUNCTION(vec_min_max) TTL_FUNCTION(vec_swap) TTL_FUNCTION(nearby)
TTL_FUNCTION(subvec_transp) TTL_FUNCTION(subvec_shflror1) TTL_FUNCTION(rand)
#undef TTL_FUNCTION
struct Two {
  Anything first, second;
};
template <typename... T>
Two min_max(const T &...) { return {}; }
template <typename... T>
vBool is_inf(const T &...) { return {}; }
template <typename... T>
vBool is_nan(const T &...) { return {}; }
template <typename... T>
vBool is_finite(const T &...) { return {}; }
template <typename... T>
vBool is_pos(const T &...) { return {}; }
template <typename... T>
vBool is_neg(const T &...) { return {}; }
template <typename To, auto... parameters, typename... T>
To reinterpret(const T &...) { return {}; }
template <typename To, auto... parameters, typename... T>
To as(const T &...) { return {}; }
template <typename To, auto... parameters, typename... T>
To convert(const T &...) { return {}; }

// Modifiers of instructions.
enum : int {
  SFPABS_MOD1_INT, SFPCAST_MOD1_INT32_TO_FP32_RNE, SFPCAST_MOD1_SM32_TO_FP32_RNE, SFPENCC_IMM12_BOTH, SFPENCC_MOD1_EI_RI,
  SFPENCC_MOD1_EU_R1, SFPEXEXP_MOD1_SET_CC_COMP_EXP, SFPEXEXP_MOD1_SET_CC_SGN_EXP, SFPEXMAN_MOD1_PAD9,
  SFPIADD_MOD1_ARG_2SCOMP_LREG_DST, SFPIADD_MOD1_ARG_IMM, SFPIADD_MOD1_CC_GTE0, SFPIADD_MOD1_CC_LT0, SFPIADD_MOD1_CC_NONE,
  SFPLOADI_MOD0_FLOATA, SFPLOADI_MOD0_FLOATB, SFPLOADI_MOD0_LOWER, SFPLOADI_MOD0_SHORT, SFPLOADI_MOD0_UPPER,
  SFPLOADI_MOD0_USHORT, SFPLOAD_ADDR_MODE_NOINC, SFPLOAD_MOD0_FMT_SRCB, SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE1, SFPLZ_MOD1_CC_NE0,
  SFPMAD_MOD1_INDIRECT_VA, SFPMAD_MOD1_OFFSET_NONE, SFPMOV_MOD1_NEGATE, SFPSETCC_MOD1_LREG_EQ0, SFPSETCC_MOD1_LREG_GTE0,
  SFPSETCC_MOD1_LREG_LT0, SFPSETCC_MOD1_LREG_NE0, SFPSETEXP_MOD1_ARG_EXPONENT, SFPSETSGN_MOD1_ARG_IMM, SFPSHFT2_MOD1_SHFT_IMM,
  SFPSHFT2_MOD1_SHFT_LREG, SFPSHFT2_MOD1_SUBVEC_SHFLROR1, SFPSHFT_MOD1_ARG_IMM, SFPSTOCHRND_MOD1_FP32_TO_FP16B,
  SFPSTOCHRND_MOD1_FP32_TO_INT16, SFPSTOCHRND_MOD1_FP32_TO_INT8, SFPSTOCHRND_MOD1_FP32_TO_UINT16,
  SFPSTOCHRND_MOD1_FP32_TO_UINT8, SFPSTOCHRND_RND_EVEN, SFPSTORE_MOD0_FMT_SRCB, SFPSWAP_MOD1_SWAP,
  SFPSWAP_MOD1_VEC_MIN_MAX, SFP_DESTREG_STRIDE = 2,
};

}  // namespace sfpi

#define v_if(condition) { [[maybe_unused]] ::sfpi::vBool chosen{condition};
#define v_elseif(condition) } { [[maybe_unused]] ::sfpi::vBool chosen{condition};
#define v_else } {
#define v_endif }
#define v_and(condition) (void)::sfpi::vBool { condition }
#define v_block {
#define v_endblock }

template <typename... T>
__xtt_vector __builtin_rvtt_sfpload(T...) { return {}; }
template <typename... T>
void __builtin_rvtt_sfpstore(T...) {}
template <typename... T>
__xtt_vector __builtin_rvtt_sfpmad(T...) { return {}; }
