// The kernels of row segments, for one instruction set: included by kernels_*.cpp, which define TTL_ISA_NAMESPACE.
//
// Everything has internal linkage (an inline function shared with another file could be the copy that uses
// instructions this processor lacks), nothing of the C++ library is used, and loops are simple enough to be
// vectorised by the compiler. Results do not depend on the instruction set: no FMA, sums in a fixed order.

#include <math.h>

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // of GCC 12's own _mm512_undefined_ps
#endif

#include "opcodes.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // loops around functions of the C library stay loops
#define TTL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TTL_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define TTL_INLINE inline __attribute__((always_inline))

namespace ttl::machine::TTL_ISA_NAMESPACE {
namespace {

#include "functions.inc.h"
#include "loops.inc.h"

#include "elementwise.inc.h"
#include "rows.inc.h"

// --- finding them -------------------------------------------------------------------------------------------

template <typename F, typename D>
Kernel hot_binary(Kind a, Kind b) {
  switch (static_cast<int>(a) * 4 + static_cast<int>(b)) {
    case 1 * 4 + 1: return binary<F, D, Floats, Floats>;
    case 1 * 4 + 2: return binary<F, D, Floats, Halves>;
    case 1 * 4 + 3: return binary<F, D, Floats, Number>;
    case 2 * 4 + 1: return binary<F, D, Halves, Floats>;
    case 2 * 4 + 2: return binary<F, D, Halves, Halves>;
    case 2 * 4 + 3: return binary<F, D, Halves, Number>;
    case 3 * 4 + 1: return binary<F, D, Number, Floats>;
    case 3 * 4 + 2: return binary<F, D, Number, Halves>;
    default: return nullptr;
  }
}

template <typename F>
Kernel plain_binary(Kind a, Kind b) {
  switch (static_cast<int>(a) * 4 + static_cast<int>(b)) {
    case 1 * 4 + 1: return binary<F, ToFloats, Floats, Floats>;
    case 1 * 4 + 3: return binary<F, ToFloats, Floats, Number>;
    case 3 * 4 + 1: return binary<F, ToFloats, Number, Floats>;
    default: return nullptr;
  }
}

Kernel where_for(Kind b, Kind c) {
  switch (static_cast<int>(b) * 4 + static_cast<int>(c)) {
    case 1 * 4 + 1: return where<Floats, Floats>;
    case 1 * 4 + 3: return where<Floats, Number>;
    case 3 * 4 + 1: return where<Number, Floats>;
    case 3 * 4 + 3: return where<Number, Number>;
    default: return nullptr;
  }
}

template <Kernel compute>
Kernel tabled(Kind d, Kind a) {
  if (a != Kind::halves) return nullptr;
  return d == Kind::halves ? by_table<compute, ToHalves> : d == Kind::floats ? by_table<compute, ToFloats> : nullptr;
}

template <typename R>
Kernel reduction(Kind a) {
  return a == Kind::floats ? reduce_columns<R, Floats> : a == Kind::halves ? reduce_columns<R, Halves> : nullptr;
}

}  // namespace

Kernel find(Opcode op, Kind d, Kind a, Kind b, Kind c) {
  const bool in_floats = a == Kind::floats && d == Kind::floats;
  switch (op) {
#define TTL_F1(name, ...) \
  case Opcode::name: return in_floats ? unary<op_##name> : nullptr;
#define TTL_F1_OWN TTL_F1
#define TTL_BY_EXP(name, ...) \
  case Opcode::name: return in_floats ? by_exp<op_##name> : nullptr;
#define TTL_BY_EXP_OWN TTL_BY_EXP
#define TTL_F1_TABLED(name, ...) \
  case Opcode::name: return in_floats ? unary<op_##name> : tabled<unary<op_##name>>(d, a);
#define TTL_BY_EXP_TABLED(name, ...) \
  case Opcode::name: return in_floats ? by_exp<op_##name> : tabled<by_exp<op_##name>>(d, a);
#define TTL_HOT(name, ...)                                             \
  case Opcode::name:                                                   \
    return d == Kind::floats   ? hot_binary<op_##name, ToFloats>(a, b) \
           : d == Kind::halves ? hot_binary<op_##name, ToHalves>(a, b) \
                               : nullptr;
#define TTL_F2(name, ...) \
  case Opcode::name: return d == Kind::floats ? plain_binary<op_##name>(a, b) : nullptr;
#include "elementwise_functions.inc.h"
    case Opcode::exp: return in_floats ? exp_rows : nullptr;
    case Opcode::where: return in_floats ? where_for(b, c) : nullptr;
    case Opcode::load_bf16: return a == Kind::halves && d == Kind::floats ? load_bf16 : nullptr;
    case Opcode::load_f16: return a == Kind::halves && d == Kind::floats ? load_f16 : nullptr;
    case Opcode::copy: return in_floats ? copy : nullptr;
    case Opcode::column_f32: return a == Kind::floats && d == Kind::number ? column_f32 : nullptr;
    case Opcode::column_bf16: return a == Kind::halves && d == Kind::number ? column_bf16 : nullptr;
    case Opcode::column_f16: return a == Kind::halves && d == Kind::number ? column_f16 : nullptr;
    case Opcode::splat: return a == Kind::number && d == Kind::floats ? splat : nullptr;
    case Opcode::column_block: return a == Kind::number && d == Kind::floats ? column_block : nullptr;
    case Opcode::store_bf16: return a == Kind::floats && d == Kind::halves ? store_bf16 : nullptr;
    case Opcode::store_f16: return a == Kind::floats && d == Kind::halves ? store_f16 : nullptr;
    case Opcode::block_float: return in_floats ? block_float : nullptr;
    case Opcode::pad: return in_floats ? pad : nullptr;
    case Opcode::sum_columns: return d == Kind::number ? reduction<Sum>(a) : nullptr;
    case Opcode::sum_squares_columns: return d == Kind::number ? reduction<SumOfSquares>(a) : nullptr;
    case Opcode::max_columns: return d == Kind::number ? reduction<Max>(a) : nullptr;
    case Opcode::add_rows: return in_floats ? reduce_rows<Sum> : nullptr;
    case Opcode::max_rows: return in_floats ? reduce_rows<Max> : nullptr;
    case Opcode::count: return nullptr;
  }
  return nullptr;
}

}  // namespace ttl::machine::TTL_ISA_NAMESPACE
