// Names that the host binds to arguments and tensors: `args::n`, `tensor::a` in kernels of 0.81.
#pragma once

#include "ttl_emu/kernel.h"

namespace experimental {
// Run-time arguments of a core, and those of all cores, by their place in bytes; and values known to the compiler.
template <typename T>
struct RtaArg {
  uint32_t byte_offset;
};
template <typename T>
struct CrtaArg {
  uint32_t byte_offset;
};
template <typename T>
struct CtaVal {
  T value;
};
template <typename T>
inline T get_arg(RtaArg<T> arg, TTL_EMU_AT) { return get_arg_val<T>(static_cast<int>(arg.byte_offset / 4), place); }
template <typename T>
inline T get_arg(CrtaArg<T> arg, TTL_EMU_AT) { return get_common_arg_val<T>(static_cast<int>(arg.byte_offset / 4), place); }
template <typename T>
constexpr T get_arg(CtaVal<T> arg) { return arg.value; }
}  // namespace experimental
#define TT_KERNEL static FORCE_INLINE
