// Kernels that compute: the functions of `api/compute/*.h`, in the names of both generations.
#pragma once

#include "ttl_emu/common.h"

#ifndef TTL_EMU_COMPUTE
#define TTL_EMU_COMPUTE
#endif
#ifndef TTL_EMU_API_VERSION
#define TTL_EMU_API_VERSION 81
#endif
#define MAIN void kernel_main()
#define UNPACK(x) \
  if (ttl_emu_self->role == ttl_emu::kUnpack) { x; }
#define MATH(x) \
  if (ttl_emu_self->role == ttl_emu::kMath) { x; }
#define PACK(x) \
  if (ttl_emu_self->role == ttl_emu::kPack) { x; }

namespace ttl_emu {
// Which faces of a tile a function of the vector unit works on: a number in one generation, an enumerator in the other.
struct Mode {
  VectorMode mode;
  constexpr Mode(int number) : mode(static_cast<VectorMode>(number)) {}
  constexpr Mode(VectorMode given) : mode(given) {}
  // As bits; the default is the first face.
  constexpr uint32_t faces() const {
    switch (mode) {
      case VectorMode::RC: case VectorMode::RC_custom: return 15;
      case VectorMode::R: return 3;
      case VectorMode::C: return 5;
      default: return 1;
    }
  }
};
constexpr Pool pool(PoolType type) {
  return type == PoolType::MAX ? kMax : type == PoolType::MIN ? kMin : type == PoolType::AVG ? kAverage : kSum;
}
constexpr Along along(ReduceDim dim) { return dim == REDUCE_ROW ? kAlongRow : dim == REDUCE_COL ? kAlongCol : kAlongBoth; }
// How a reduction goes. Sums along rows have their data in source register B and the scaler in A in the newer generation.
// What follows the dimension in angle brackets is `enforce_fp32_accumulation` in the older one.
template <auto... rest>
constexpr uint32_t reduction(PoolType type, ReduceDim dim) {
#if TTL_EMU_API_VERSION >= 81
  return dim == REDUCE_ROW && (type == PoolType::SUM || type == PoolType::AVG) ? kReduceSwapped : 0;
#else
  (void)type, (void)dim;
  return (static_cast<bool>(rest) || ... || false) ? kReduceExactly : 0;
#endif
}
// What a change of formats says first in angle brackets: in the older generation `to_from_int8`.
template <auto... how>
constexpr uint32_t to_integers() {
#if TTL_EMU_API_VERSION < 81
  bool found = false;
  [[maybe_unused]] uint32_t at = 0;
  ((found |= at++ == 0 && static_cast<bool>(how)), ...);
  return found ? kToIntegers : 0;
#else
  return 0;
#endif
}
constexpr Binary binary(EltwiseBinaryType type) { return type == ckernel::ELWADD ? kAdd : type == ckernel::ELWSUB ? kSub : kMul; }
}  // namespace ttl_emu

namespace ckernel {

// --- start-up, and what the units are set up for

template <SrcOrder order = SrcOrder::Regular>
inline void compute_kernel_hw_startup(uint32_t in0, uint32_t in1, uint32_t out, TTL_EMU_AT) {
  if (order == SrcOrder::Reverse)
    ttl_emu_init(ttl_emu::kInitStartup, in1, in0, out, place);
  else
    ttl_emu_init(ttl_emu::kInitStartup, in0, in1, out, place);
}
inline void compute_kernel_hw_startup(uint32_t in, uint32_t out, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitStartup, in, in, out, place); }
template <auto...>
inline void unary_op_init_common(uint32_t in, uint32_t out, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitStartup, in, in, out, place);
  ttl_emu_init(ttl_emu::kInitCopy, in, 0, 0, place);
}
template <auto...>
inline void init_sfpu(uint32_t in, uint32_t out, TTL_EMU_AT) {
  unary_op_init_common(in, out, place);
}
template <auto... how>
inline void reconfig_data_format(uint32_t a, uint32_t b, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatAB, a, b, ttl_emu::to_integers<how...>(), place);
}
template <auto... how>
inline void reconfig_data_format(uint32_t, uint32_t a, uint32_t, uint32_t b, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatAB, a, b, ttl_emu::to_integers<how...>(), place);
}
template <auto... how>
inline void reconfig_data_format_srca(uint32_t a, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatA, a, 0, ttl_emu::to_integers<how...>(), place);
}
template <auto... how>
inline void reconfig_data_format_srca(uint32_t, uint32_t a, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatA, a, 0, ttl_emu::to_integers<how...>(), place);
}
template <auto... how>
inline void reconfig_data_format_srcb(uint32_t b, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatB, b, 0, ttl_emu::to_integers<how...>(), place);
}
template <auto... how>
inline void reconfig_data_format_srcb(uint32_t, uint32_t b, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatB, b, 0, ttl_emu::to_integers<how...>(), place);
}
template <auto...>
inline void pack_reconfig_data_format(uint32_t out, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kFormatPack, out, 0, 0, place); }
template <auto...>
inline void pack_reconfig_data_format(uint32_t, uint32_t out, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kFormatPack, out, 0, 0, place); }
inline void pack_init(uint32_t out, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitPack, out, 0, 0, place); }
inline void pack_reconfig_l1_acc(uint32_t on, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitL1Accumulate, on, 0, 0, place); }
struct ReluConfig {
  uint32_t mode = 0, threshold = 0;
  static constexpr ReluConfig none() { return {0, 0}; }
  static constexpr ReluConfig zero() { return {1, 0}; }
  static constexpr ReluConfig min_threshold(uint32_t bits) { return {2, bits}; }
  static constexpr ReluConfig max_threshold(uint32_t bits) { return {3, bits}; }
};
inline void pack_relu_config(const ReluConfig &config, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitRelu, config.mode, config.threshold, 0, place); }
inline void llk_pack_relu_config(ReluType type, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitRelu, static_cast<uint32_t>(type), 0, 0, place); }
template <auto...>
inline void llk_pack_relu_config(uint32_t mode, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitRelu, mode & 3, mode >> 16 << 16, 0, place); }

// --- DST

inline void tile_regs_acquire(TTL_EMU_AT) { ttl_emu_acquire(place); }
template <auto...>
inline void tile_regs_commit(TTL_EMU_AT) { ttl_emu_commit(place); }
inline void tile_regs_wait(TTL_EMU_AT) { ttl_emu_dst_wait(place); }
template <auto...>
inline void tile_regs_release(TTL_EMU_AT) { ttl_emu_release(place); }
inline void acquire_dst(TTL_EMU_AT) {
  ttl_emu_acquire(place);
  ttl_emu_dst_wait(place);
}
template <auto...>
inline void release_dst(TTL_EMU_AT) {
  ttl_emu_commit(place);
  ttl_emu_release(place);
}
template <bool out_of_order_output = false, auto...>
inline void pack_tile(uint32_t dst, uint32_t out, uint32_t index = 0, TTL_EMU_AT) {
  ttl_emu_pack(dst, out, index, out_of_order_output, place);
}
template <auto...>
inline void pack_block(uint32_t dst, uint32_t out, uint32_t tiles, TTL_EMU_AT) {
  for (uint32_t i = 0; i < tiles; ++i) ttl_emu_pack(dst + i, out, 0, false, place);
}
template <auto...>
inline void pack_tile_block(uint32_t dst, uint32_t out, uint32_t tiles, TTL_EMU_AT) {
  pack_block(dst, out, tiles, place);
}

// --- copies

template <auto...>
inline void copy_init(uint32_t in, uint32_t transpose = 0, uint32_t = 0, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitCopy, in, transpose, 0, place); }
template <auto...>
inline void copy_tile_init(uint32_t in, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitCopy, in, 0, 0, place); }
template <auto...>
inline void copy_tile_to_dst_init_short(uint32_t in, uint32_t transpose = 0, uint32_t = 0, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitCopy, in, transpose, 0, place);
}
template <auto...>
inline void copy_tile_to_dst_init_short_with_dt(uint32_t, uint32_t in, uint32_t transpose = 0, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatA, in, 0, 0, place);
  ttl_emu_init(ttl_emu::kInitCopy, in, transpose, 0, place);
}
template <auto...>
inline void copy_tile(uint32_t in, uint32_t tile, uint32_t dst, TTL_EMU_AT) { ttl_emu_copy(in, tile, dst, place); }
template <auto...>
inline void copy_block(uint32_t in, uint32_t tile, uint32_t dst, uint32_t tiles, TTL_EMU_AT) {
  for (uint32_t i = 0; i < tiles; ++i) ttl_emu_copy(in, tile + i, dst + i, place);
}
inline void copy_block_matmul_partials(uint32_t in, uint32_t tile, uint32_t dst, uint32_t tiles, TTL_EMU_AT) { copy_block(in, tile, dst, tiles, place); }
inline void copy_dest_values_init(TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitSfpu, ttl_emu::Hash<ttl_emu::named("copy_dest_values_init")>::value, 0, 0, place);
}
template <auto...>
inline void copy_dest_values(uint32_t from, uint32_t to, TTL_EMU_AT) {
  constexpr uint32_t name = ttl_emu::named("copy_dest_values");
  ttl_emu_vector(name, from, 0, 0, to, 0, 0, 0, name, 15, place);
}

// --- sums, differences and products of tiles in circular buffers

inline void binary_op_init_common(uint32_t in0, uint32_t in1, uint32_t out, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitStartup, in0, in1, out, place); }
template <bool full_init, EltwiseBinaryType type>
inline void binary_tiles_init(uint32_t in0, uint32_t in1, bool add_to_dst = false, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitBinary, in0 | in1 << 8, add_to_dst, ttl_emu::binary(type), place);
}
#define TTL_EMU_BINARY(name, op, adds)                                                                                            \
  inline void name##_tiles_init(uint32_t in0, uint32_t in1, bool add_to_dst = adds, TTL_EMU_AT) {                                 \
    ttl_emu_init(ttl_emu::kInitBinary, in0 | in1 << 8, add_to_dst, ttl_emu::op, place);                                           \
  }                                                                                                                               \
  inline void name##_init(uint32_t in0, uint32_t in1, bool add_to_dst = adds, TTL_EMU_AT) {                                       \
    ttl_emu_init(ttl_emu::kInitBinary, in0 | in1 << 8, add_to_dst, ttl_emu::op, place);                                           \
  }                                                                                                                               \
  template <auto...>                                                                                                              \
  inline void name##_tiles(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, TTL_EMU_AT) {                \
    ttl_emu_binary(ttl_emu::op, ttl_emu::kNone, in0, in1, tile0, tile1, dst, 0, place);                                           \
  }                                                                                                                               \
  template <auto...>                                                                                                              \
  inline void name##_block(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t tiles, TTL_EMU_AT) { \
    for (uint32_t i = 0; i < tiles; ++i)                                                                                          \
      ttl_emu_binary(ttl_emu::op, ttl_emu::kNone, in0, in1, tile0 + i, tile1 + i, dst + i, 0, place);                             \
  }                                                                                                                               \
  template <EltwiseBinaryReuseDestType reuse>                                                                                     \
  inline void name##_reuse_dest_init(uint32_t in, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitReuse, in, static_cast<uint32_t>(reuse), ttl_emu::op, place); }   \
  template <EltwiseBinaryReuseDestType reuse, auto...>                                                                            \
  inline void name##_reuse_dest_tiles(uint32_t in, uint32_t tile, uint32_t dst, TTL_EMU_AT) {                                     \
    ttl_emu_reuse(ttl_emu::op, static_cast<ttl_emu::Reuse>(reuse), in, tile, dst, place);                                         \
  }                                                                                                                               \
  TTL_EMU_SPREAD(name, op, rows, kRow) TTL_EMU_SPREAD(name, op, cols, kCol) TTL_EMU_SPREAD(name, op, scalar, kScalar)
#define TTL_EMU_SPREAD(name, op, part, kind)                                                                                         \
  inline void name##_bcast_##part##_init(uint32_t in0, uint32_t in1, TTL_EMU_AT) {                                                   \
    ttl_emu_init(ttl_emu::kInitBroadcast, in0 | in1 << 8, ttl_emu::kind, ttl_emu::op, place);                                        \
  }                                                                                                                                  \
  inline void name##_bcast_##part##_init_short(uint32_t in0, uint32_t in1, TTL_EMU_AT) { name##_bcast_##part##_init(in0, in1, place); } \
  inline void name##_tiles_bcast_##part##_init_short(uint32_t in0, uint32_t in1, TTL_EMU_AT) { name##_bcast_##part##_init(in0, in1, place); } \
  template <auto...>                                                                                                                 \
  inline void name##_tiles_bcast_##part(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t row = 0, TTL_EMU_AT) { \
    ttl_emu_binary(ttl_emu::op, ttl_emu::kind, in0, in1, tile0, tile1, dst, row, place);                                             \
  }
TTL_EMU_BINARY(add, kAdd, false)
TTL_EMU_BINARY(sub, kSub, false)
TTL_EMU_BINARY(mul, kMul, true)
#undef TTL_EMU_BINARY
#undef TTL_EMU_SPREAD
template <EltwiseBinaryType type = ELWADD, EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
inline void binary_dest_reuse_tiles_init(uint32_t in, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitReuse, in, static_cast<uint32_t>(reuse), ttl_emu::binary(type), place); }
template <EltwiseBinaryType type = ELWADD, EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
inline void binary_dest_reuse_tiles(uint32_t in, uint32_t tile, uint32_t dst, TTL_EMU_AT) {
  ttl_emu_reuse(ttl_emu::binary(type), static_cast<ttl_emu::Reuse>(reuse), in, tile, dst, place);
}
template <EltwiseBinaryType type, BroadcastType kind>
inline void init_bcast(uint32_t in0, uint32_t in1, uint32_t out, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitStartup, in0, in1, out, place);
  ttl_emu_init(ttl_emu::kInitBroadcast, in0 | in1 << 8, static_cast<uint32_t>(kind), ttl_emu::binary(type), place);
}
template <EltwiseBinaryType type, BroadcastType kind>
inline void bcast_init(uint32_t in0, uint32_t in1, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitBroadcast, in0 | in1 << 8, static_cast<uint32_t>(kind), ttl_emu::binary(type), place);
}
template <EltwiseBinaryType type, BroadcastType kind, auto...>
inline void any_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, TTL_EMU_AT) {
  ttl_emu_binary(ttl_emu::binary(type), static_cast<ttl_emu::Broadcast>(kind), in0, in1, tile0, tile1, dst, 0, place);
}
template <BroadcastType kind, auto...>
inline void add_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, TTL_EMU_AT) {
  any_tiles_bcast<ELWADD, kind>(in0, in1, tile0, tile1, dst, place);
}
template <BroadcastType kind, auto...>
inline void sub_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, TTL_EMU_AT) {
  any_tiles_bcast<ELWSUB, kind>(in0, in1, tile0, tile1, dst, place);
}
template <BroadcastType kind, auto...>
inline void mul_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, TTL_EMU_AT) {
  any_tiles_bcast<ELWMUL, kind>(in0, in1, tile0, tile1, dst, place);
}
#if TTL_EMU_API_VERSION < 81
template <BroadcastType kind>
inline void unary_bcast_init(uint32_t in, uint32_t out, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitStartup, in, in, out, place);
  ttl_emu_init(ttl_emu::kInitUnaryBroadcast, in, static_cast<uint32_t>(kind), ttl_emu::kByFormat, place);
}
// What sets the units up for a broadcast of a buffer that is unpacked to DST, and leaves DST as it is.
enum DataCopyType : uint8_t { A2D, B2D };
template <BroadcastType kind, bool accumulates, EltwiseBinaryReuseDestType reuse, bool to_dst>
inline void llk_unpack_A_init(uint32_t, uint32_t, uint32_t in, TTL_EMU_AT) {
  static_assert(to_dst && !accumulates && reuse == EltwiseBinaryReuseDestType::NONE);
  ttl_emu_init(ttl_emu::kInitUnaryBroadcast, in, static_cast<uint32_t>(kind), ttl_emu::kStraight, place);
}
template <DataCopyType type, bool wide, BroadcastType kind>
inline void llk_math_eltwise_unary_datacopy_init(uint32_t in, TTL_EMU_AT) {
  static_assert(type == A2D);
  ttl_emu_init(ttl_emu::kInitUnaryBroadcast, in, static_cast<uint32_t>(kind), ttl_emu::kStraight, place);
}
template <BroadcastType kind>
inline void llk_unpack_A_uninit(uint32_t in, TTL_EMU_AT) {
  static_assert(kind != BroadcastType::NONE);
  ttl_emu_init(ttl_emu::kInitUnaryBroadcastEnd, in, 0, 0, place);
}
template <BroadcastType before, BroadcastType kind>
inline void reconfigure_unary_bcast(uint32_t old_in, uint32_t in, uint32_t old_out, uint32_t out, TTL_EMU_AT) {
  if (old_in != in) ttl_emu_init(ttl_emu::kFormatAB, in, in, 0, place);
  if (before != kind || old_in != in)
    ttl_emu_init(ttl_emu::kInitUnaryBroadcast, in, static_cast<uint32_t>(kind), ttl_emu::kThrough, place);
  if (old_out != out) ttl_emu_init(ttl_emu::kFormatPack, out, 0, 0, place);
}
#else
template <BroadcastType kind, auto...>
inline void unary_bcast_init(uint32_t in, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitUnaryBroadcast, in, static_cast<uint32_t>(kind), ttl_emu::kByFormat, place);
}
#endif
template <BroadcastType kind, auto...>
inline void unary_bcast(uint32_t in, uint32_t tile, uint32_t dst, TTL_EMU_AT) {
  ttl_emu_unary_broadcast(static_cast<ttl_emu::Broadcast>(kind), in, tile, dst, place);
}
template <BroadcastType kind>
inline void unary_bcast_uninit(uint32_t in, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitUnaryBroadcastEnd, in, static_cast<uint32_t>(kind), 0, place);
}
#if TTL_EMU_API_VERSION < 81
// Below that: which tile of DST the mathematics works on.
enum DstTileShape : uint32_t { Tile32x32, Tile32x16, Tile16x16 };
enum class UnpackDestination : uint8_t { SrcRegs, DestReg };
namespace math {
template <DstTileShape shape, UnpackDestination destination>
inline void set_dst_write_addr(uint32_t dst, TTL_EMU_AT) {
  static_assert(shape == Tile32x32 && destination == UnpackDestination::SrcRegs);
  ttl_emu_address(dst, place);
}
}  // namespace math
#endif

// --- matrix products

#if TTL_EMU_API_VERSION < 81
inline void mm_block_init_short(uint32_t in0, uint32_t in1, uint32_t transpose = 0, uint32_t ct = 1, uint32_t rt = 1, uint32_t kt = 1,
                                TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitMatmul, in0 | in1 << 8, ttl_emu::products(ct, rt, kt, transpose), 0, place);
}
inline void mm_block_init_short_with_dt(uint32_t in0, uint32_t in1, uint32_t, uint32_t transpose = 0, uint32_t ct = 1, uint32_t rt = 1,
                                        uint32_t kt = 1, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatA, in1, 0, 0, place);
  mm_block_init_short(in0, in1, transpose, ct, rt, kt, place);
}
inline void mm_block_init_short_with_both_dt(uint32_t in0, uint32_t in1, uint32_t, uint32_t, uint32_t transpose = 0, uint32_t ct = 1,
                                             uint32_t rt = 1, uint32_t kt = 1, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatAB, in1, in0, 0, place);
  mm_block_init_short(in0, in1, transpose, ct, rt, kt, place);
}
inline void mm_block_init(uint32_t in0, uint32_t in1, uint32_t out, uint32_t transpose = 0, uint32_t ct = 1, uint32_t rt = 1,
                          uint32_t kt = 1, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitStartup, in1, in0, out, place);
  mm_block_init_short(in0, in1, transpose, ct, rt, kt, place);
}
inline void mm_init(uint32_t in0, uint32_t in1, uint32_t out, uint32_t transpose = 0, TTL_EMU_AT) {
  mm_block_init(in0, in1, out, transpose, 1, 1, 1, place);
}
inline void mm_init_short(uint32_t in0, uint32_t in1, uint32_t transpose = 0, TTL_EMU_AT) {
  mm_block_init_short(in0, in1, transpose, 1, 1, 1, place);
}
inline void mm_init_short_with_dt(uint32_t in0, uint32_t in1, uint32_t old, uint32_t transpose = 0, TTL_EMU_AT) {
  mm_block_init_short_with_dt(in0, in1, old, transpose, 1, 1, 1, place);
}
#else
inline void matmul_block_init(uint32_t in0, uint32_t in1, uint32_t transpose = 0, uint32_t ct = 1, uint32_t rt = 1, uint32_t kt = 1,
                              TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitMatmul, in0 | in1 << 8, ttl_emu::products(ct, rt, kt, transpose), 0, place);
}
inline void matmul_init(uint32_t in0, uint32_t in1, uint32_t transpose = 0, TTL_EMU_AT) {
  matmul_block_init(in0, in1, transpose, 1, 1, 1, place);
}
inline void mm_uninit(...) {}
#endif
inline void matmul_tiles(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t transpose = 0, TTL_EMU_AT) {
  ttl_emu_matmul(in0, in1, tile0, tile1, dst, transpose, 1, 1, 1, place);
}
inline void matmul_block(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t transpose, uint32_t ct, uint32_t rt,
                         uint32_t kt, TTL_EMU_AT) {
  ttl_emu_matmul(in0, in1, tile0, tile1, dst, transpose, ct, rt, kt, place);
}

// --- reductions

#if TTL_EMU_API_VERSION < 81 && defined(REDUCE_OP) && defined(REDUCE_DIM)
#define TTL_EMU_REDUCE template <PoolType type = REDUCE_OP, ReduceDim dim = REDUCE_DIM, auto... rest>
#else
#define TTL_EMU_REDUCE template <PoolType type, ReduceDim dim, auto... rest>
#endif
TTL_EMU_REDUCE inline void reduce_init(uint32_t in, uint32_t scaler, uint32_t out, TTL_EMU_AT) {
  (void)out;
  constexpr uint32_t exactly = ttl_emu::reduction<rest...>(type, dim) & ttl_emu::kReduceExactly;
  ttl_emu_init(ttl_emu::kInitReduce, ttl_emu::along(dim), in | scaler << 8, ttl_emu::pool(type) | exactly << 8, place);
}
TTL_EMU_REDUCE inline void reduce_tile(uint32_t in, uint32_t scaler, uint32_t tile, uint32_t scaler_tile, uint32_t dst, TTL_EMU_AT) {
  ttl_emu_reduce(ttl_emu::pool(type), ttl_emu::along(dim), in, scaler, tile, scaler_tile, dst, ttl_emu::reduction<rest...>(type, dim), place);
}
TTL_EMU_REDUCE inline void reduce_block(uint32_t in, uint32_t scaler, uint32_t tile, uint32_t scaler_tile, uint32_t dst, uint32_t tiles, TTL_EMU_AT) {
  for (uint32_t i = 0; i < tiles; ++i) ttl_emu_reduce(ttl_emu::pool(type), ttl_emu::along(dim), in, scaler, tile + i, scaler_tile, dst + i, ttl_emu::reduction<rest...>(type, dim), place);
}
#undef TTL_EMU_REDUCE
template <auto... exactly>
inline void reduce_uninit(uint32_t = 0, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitReduceEnd, (static_cast<bool>(exactly) || ... || false), 0, 0, place);
}

// What some kernels call below that, each for one processor.
enum class PackMode { Default, Untilize, L1Acc };
enum class p_dim_stride_target { IGNORE, FACE_ROW_MAJOR, TILE_ROW_MAJOR };
template <auto...>
inline void llk_unpack_reconfig_data_format_srca(uint32_t, uint32_t in, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kFormatA, in, 0, 0, place); }
template <auto...>
inline void llk_math_reconfig_data_format_srca(uint32_t, uint32_t in, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kFormatA, in, 0, 0, place); }
template <PoolType type, ReduceDim dim, auto...>
inline void llk_unpack_AB_reduce_init(uint32_t in, uint32_t scaler, TTL_EMU_AT) { reduce_init<type, dim>(in, scaler, 0, place); }
template <PoolType type, ReduceDim dim, auto...>
inline void llk_math_reduce_init(uint32_t in, uint32_t scaler, TTL_EMU_AT) { reduce_init<type, dim>(in, scaler, 0, place); }
#if TTL_EMU_API_VERSION < 81
template <bool untilize, ReduceDim dim>
inline void llk_pack_reduce_mask_config(TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitReduce, ttl_emu::along(dim), ttl_emu::kOnlyLanes, 0, place); }
#else
template <ReduceDim dim, auto...>
inline void llk_pack_reduce_mask_config(uint32_t, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitReduce, ttl_emu::along(dim), ttl_emu::kOnlyLanes, 0, place); }
#endif
inline void llk_pack_reduce_mask_clear(TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitReduceEnd, 0, 0, 0, place); }

// --- transpositions

template <auto...>
inline void transpose_init(uint32_t in, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitTranspose, in, 0, 0, place); }
template <auto...>
inline void transpose_tile(uint32_t in, uint32_t tile, uint32_t dst, TTL_EMU_AT) { ttl_emu_transpose(in, tile, dst, place); }
inline void transpose_wh_init(uint32_t in, uint32_t out, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitStartup, in, in, out, place);
  ttl_emu_init(ttl_emu::kInitTranspose, in, 0, 0, place);
}
inline void transpose_wh_init_short(uint32_t in, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitTranspose, in, 0, 0, place); }
inline void transpose_wh_tile(uint32_t in, uint32_t tile, uint32_t dst, TTL_EMU_AT) { ttl_emu_transpose(in, tile, dst, place); }
template <auto...>
inline void transpose_dest_init(TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitTranspose, 0, 1, 0, place); }
template <bool is_32bit = false, bool transpose_of_faces = true>
inline void transpose_dest(uint32_t dst, TTL_EMU_AT) { ttl_emu_transpose_dst(dst, !transpose_of_faces, place); }
template <auto...>
inline void transpose_wh_dest_init_short(TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitTranspose, 0, 1, 0, place); }
template <auto...>
inline void transpose_wh_dest(uint32_t dst, TTL_EMU_AT) { ttl_emu_transpose_dst(dst, false, place); }

inline uint32_t get_tile_address(uint32_t buffer, uint32_t tile) {
  const auto &local = ttl_emu_self->buffers[buffer & 63];
  return local.fifo_rd_ptr * 16 + tile * local.fifo_page_size * 16;
}
inline uint32_t read_tile_value(uint32_t buffer, uint32_t tile, uint32_t element) {
  return reinterpret_cast<const volatile uint32_t *>(static_cast<uintptr_t>(get_tile_address(buffer, tile)))[element];
}

}  // namespace ckernel

#include "ttl_emu/layout.h"
#include "ttl_emu/vector.h"

using namespace ckernel;
