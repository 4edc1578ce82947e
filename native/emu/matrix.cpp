// The matrix unit: products, sums, reductions, broadcasts and transpositions of tiles in the source registers.
#include <algorithm>
#include <bit>
#include <cstring>

#include "tensix.h"

namespace ttl::emu {

namespace {

constexpr uint32_t kFace = 256;

// Bits of a mantissa that one pass of the multiplier sees: the first 5 of A and 7 of B, counting the leading one.
constexpr uint32_t kHighA = 0xFFFFFFFFu << 19, kHighB = 0xFFFFFFFFu << 17;

void mask(const float *from, float *to, uint32_t bits) {
  const auto *in = reinterpret_cast<const uint32_t *>(from);
  auto *out = reinterpret_cast<uint32_t *>(to);
  for (uint32_t i = 0; i < kTile; ++i) out[i] = in[i] & bits;
}

void transposed(const float *from, float *to) {
  for (uint32_t face = 0; face < 4; ++face) {
    const float *in = from + kFace * face;
    float *out = to + kFace * (face == 1 ? 2 : face == 2 ? 1 : face);
    for (uint32_t row = 0; row < 16; ++row)
      for (uint32_t column = 0; column < 16; ++column) out[column * 16 + row] = in[row * 16 + column];
  }
}

// to += left * right for faces of 16x16, where the products of one element are summed first.
TTL_EMU_WIDE void multiply_faces(const float *left, const float *right, float *to) {
  for (uint32_t row = 0; row < 16; row += 4) {
    float sum[4][16] = {};
    for (uint32_t k = 0; k < 16; ++k)
      for (uint32_t r = 0; r < 4; ++r) {
        const float factor = left[(row + r) * 16 + k];
        for (uint32_t column = 0; column < 16; ++column) sum[r][column] += factor * right[k * 16 + column];
      }
    for (uint32_t r = 0; r < 4; ++r)
      for (uint32_t column = 0; column < 16; ++column) to[(row + r) * 16 + column] += sum[r][column];
  }
}

void multiply_tiles(const float *left, const float *right, float *to, bool wide) {
  for (uint32_t i = 0; i < 2; ++i)
    for (uint32_t j = 0; j < 2; ++j) {
      float *face = to + kFace * (2 * i + j);
      for (uint32_t k = 0; k < 2; ++k) {
        multiply_faces(left + kFace * (2 * i + k), right + kFace * (2 * k + j), face);
        if (!wide) round_to_bfloat16(face, kFace);
      }
    }
}

// The operands as the multiplier sees them in its passes; `a` is what is in A, `b` in B.
template <typename Multiply>
void by_fidelity(uint32_t phases, const float *a, const float *b, Multiply multiply) {
  if (phases >= 4) return multiply(a, b);
  alignas(64) float high_a[kTile], high_b[kTile];
  mask(b, high_b, kHighB);
  if (phases == 1) {
    mask(a, high_a, kHighA);
    return multiply(high_a, high_b);
  }
  multiply(a, high_b);
  if (phases == 2) return;
  alignas(64) float low_b[kTile];
  mask(a, high_a, kHighA);
  for (uint32_t i = 0; i < kTile; ++i) low_b[i] = b[i] - high_b[i];
  multiply(high_a, low_b);
}

TTL_EMU_WIDE void combine(Binary op, const float *a, const float *b, float *to, bool add) {
  for (uint32_t i = 0; i < kTile; ++i) {
    const float value = op == kAdd ? a[i] + b[i] : op == kSub ? a[i] - b[i] : a[i] * b[i];
    to[i] = add ? to[i] + value : value;
  }
}

// The second operand as a broadcast makes it: its first column, row or element in place of all of them.
void broadcast(Broadcast kind, const float *from, float *to, uint32_t row_index) {
  for (uint32_t face = 0; face < 4; ++face)
    for (uint32_t row = 0; row < 16; ++row)
      for (uint32_t column = 0; column < 16; ++column) {
        const uint32_t source = kind == kCol   ? (face & 2) * kFace + row * 16
                                : kind == kRow ? ((row_index >> 4) * 2 + (face & 1)) * kFace + (row_index & 15) * 16 + column
                                               : 0;
        to[face * kFace + row * 16 + column] = from[source];
      }
}

uint32_t phases_of(const Tensix &t) { return t.fidelity ? t.fidelity : 4; }

// A tile of a reduction. Sums are products with the scaler, in as many passes as the fidelity has.
uint32_t reduce_cycles(Fiber &fiber, Pool pool, Along along) {
  const Costs &c = costs(fiber);
  const uint32_t more = phases_of(tensix(fiber)) - 1;
  const bool picks = pool == kMax || pool == kMin;
  switch (along) {
    case kAlongRow: return picks ? c.reduce_row_max : c.reduce_row + more * c.reduce_row_phase;
    case kAlongCol: return c.reduce_column + (picks ? 0 : more * c.reduce_column_phase);
    default: return c.reduce_both + (picks ? 0 : more * c.reduce_both_phase);
  }
}

void compute_binary(Fiber &fiber, Binary op, const float *a, const float *b, uint32_t dst) {
  Tensix &t = tensix(fiber);
  const uint32_t slot = dst_slot(fiber, dst);
  const bool clean = !t.rows[slot].valid;
  address(fiber, slot);
  float *to = clean ? t.dst[slot] : zero_missing(t, slot);
  if (clean || (op != kMul && !t.add_to_dst)) t.rows[slot].stale = 0;
  if (op != kMul) {
    combine(op, a, b, to, t.add_to_dst && !clean);
    spend(fiber, costs(fiber).math_add);
  } else if (t.fidelity >= 4 || t.fidelity == 0) {
    combine(kMul, a, b, to, !clean);
  } else {
    bool add = !clean;
    by_fidelity(t.fidelity, a, b, [&](const float *left, const float *right) {
      combine(kMul, left, right, to, add);
      add = true;
    });
  }
  if (op == kMul) spend(fiber, costs(fiber).math_multiply + (phases_of(t) - 1) * costs(fiber).math_multiply_phase);
  t.rows[slot].valid = kAllRows;
  dst_written(fiber, to);
}

// `exactly`: what goes through a source register does so in two halves (`enforce_fp32_accumulation`); `swapped`: sums along
// rows are products with a column, and stay in DST.
void reduce(Fiber &fiber, Pool pool, Along along, const float *a, const float *scaler, uint32_t dst, bool swapped, bool exactly) {
  Tensix &t = tensix(fiber);
  const uint32_t slot = dst_slot(fiber, dst);
  const uint64_t written = along == kAlongRow ? kFaceRows | kFaceRows << 32 : along == kAlongCol ? kFaceRows | kFaceRows << 16 : 1;
  const bool clean = !(t.rows[slot].valid & written);
  float *to = zero_missing(t, slot, written);
  t.reduced[slot / t.section_tiles] = true;
  const auto element = [&](uint32_t row, uint32_t column) {
    return a[((row >> 4) * 2 + (column >> 4)) * kFace + (row & 15) * 16 + (column & 15)];
  };
  const auto at = [&](uint32_t row, uint32_t column) -> float & {
    return to[((row >> 4) * 2 + (column >> 4)) * kFace + (row & 15) * 16 + (column & 15)];
  };
  const auto round = [&](float value) {
    if (!t.wide) round_to_bfloat16(&value, 1);
    return value;
  };
  // Along rows the hardware adds up into row 0, which then goes through source register B, where it is turned into column 0,
  // and is what the next tile is added to. Of both, so do the sums of the columns of each tile. Source: llk_math_reduce.h.
  const uint32_t kept = fiber.core->machine->carries && !exactly ? 0xFFFF0000u : 0xFFFFFFFFu;
  const auto through = [&](float value) { return std::bit_cast<float>(std::bit_cast<uint32_t>(round(value)) & kept); };
  const bool picks = pool == kMax || pool == kMin;
  const auto better = [&](float x, float y) { return pool == kMax ? std::max(x, y) : std::min(x, y); };
  // Each face of the scaler has in its first row the weights of the 16 columns (or rows) of a face of the data.
  const auto weight = [&](uint32_t row, uint32_t column, uint32_t along) {
    return scaler[((row >> 4) * 2 + (column >> 4)) * kFace + (along & 15)];
  };
  const auto line = [&](uint32_t index, bool row) {  // over one row or column
    float found = 0;
    for (uint32_t i = 0; i < 32; ++i) {
      const float value = row ? element(index, i) : element(i, index);
      if (picks)
        found = i ? better(found, value) : value;
      else
        found += value * weight(row ? index : i, row ? i : index, i);
    }
    return picks ? found * scaler[0] : found;
  };
  if (along == kAlongBoth) {
    float found = 0;
    for (uint32_t column = 0; column < 32; ++column) {
      const float value = line(column, false);
      if (picks)
        found = column ? better(found, through(value)) : through(value);
      else
        found += through(value) * scaler[column & 15];
    }
    if (picks) found *= scaler[0];
    at(0, 0) = round(picks ? (clean ? found : better(at(0, 0), found)) : at(0, 0) + found);
    for (uint32_t j = 1; j < 16; ++j) at(0, j) = at(0, 0) + static_cast<float>(j);
    return;
  }
  for (uint32_t i = 0; i < 32; ++i) {
    const bool row = along == kAlongRow;
    float &result = row ? at(i, 0) : at(0, i);
    const float found = line(i, row);
    const float all = picks ? (clean ? found : better(result, found)) : result + found;
    result = row && !swapped ? through(all) : round(all);
    // Whatever lies beside the result: the packer leaves it out while it is set up for a reduction.
    if (row)
      for (uint32_t j = 1; j < 16; ++j) at(i, j) = result + static_cast<float>(j);
    else
      for (uint32_t j = 1; j < 16; ++j) at(j, i) = result + static_cast<float>(j);
  }
}

}  // namespace

void copy_operand(Fiber &fiber, uint32_t dst) {
  const float *a = operand(fiber, kSideA);
  const bool raw = operand_is_raw(fiber, kSideA);
  // In wide registers a copy is a sum with zero. What is unpacked to its place is none, and not addressed.
  check_operand(fiber, kSideA, tensix(fiber).wide);
  if (!operand_is_direct(fiber, kSideA)) address(fiber, dst_slot(fiber, dst));
  float *to = dst_replaced(fiber, dst);
  std::memcpy(to, a, sizeof(float) * kTile);
  spend(fiber, costs(fiber).math_copy);
  if (!raw) dst_written(fiber, to);
  release_operand(fiber, kSideA);
}

}  // namespace ttl::emu

using namespace ttl::emu;

void ttl_emu_copy(uint32_t buffer, uint32_t tile, uint32_t dst, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role == kPack) return;
  if (fiber.self.role >= kUnpack) check_setup(fiber, kInitCopy, way_of(tensix(fiber), input(fiber, buffer)));
  if (fiber.self.role == kUnpack) return unpack(fiber, kSideA, buffer, tile, costs(fiber).unpack_one, kAlone);
  if (fiber.self.role == kMath) copy_operand(fiber, dst);
}

void ttl_emu_binary(Binary op, Broadcast bcast, uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst,
                    uint32_t row, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role < kUnpack || fiber.self.role == kPack) return;
  if (bcast == kNone)
    check_setup(fiber, kInitBinary, op);
  else
    check_setup(fiber, kInitBroadcast, bcast | op << 8);
  if (fiber.self.role == kUnpack) {
    unpack(fiber, kSideA, in0, tile0, costs(fiber).unpack_two / 2, kTogether);
    return unpack(fiber, kSideB, in1, tile1, costs(fiber).unpack_two / 2, kTogether);
  }
  const float *a = operand(fiber, kSideA), *b = operand(fiber, kSideB);
  check_operand(fiber, kSideA, true);
  check_operand(fiber, kSideB, true);
  alignas(64) float spread[kTile];
  if (bcast != kNone) {
    broadcast(bcast, b, spread, row);
    b = spread;
  }
  compute_binary(fiber, op, a, b, dst);
  release_operand(fiber, kSideA);
  release_operand(fiber, kSideB);
}

void ttl_emu_reuse(Binary op, Reuse which, uint32_t in, uint32_t tile, uint32_t dst, Place place) {
  Fiber &fiber = enter(place);
  const Side side = which == kDstToA ? kSideB : kSideA;
  if (fiber.self.role < kUnpack || fiber.self.role == kPack) return;
  check_setup(fiber, kInitReuse, which | op << 8);
  if (fiber.self.role == kUnpack && side == kSideB) {
    const Setup &setup = tensix(fiber).setup[kUnpack - kUnpack];
    if (setup.part_of_b != Setup::kFaceOfB) fail(fiber, "unpacker-part", in, setup.part_of_b, setup.part_at.line);
  }
  if (fiber.self.role == kUnpack) return unpack(fiber, side, in, tile, costs(fiber).unpack_one, kAlone);
  alignas(64) float kept[kTile];
  Tensix &t = tensix(fiber);
  const float *given = operand(fiber, side);
  check_operand(fiber, side, true);
  std::memcpy(kept, dst_values(fiber, dst), sizeof kept);
  if (t.wide)  // through a source register
    for (float &value : kept) value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xFFFFE000u);
  check_flushed(fiber, kept);
  t.rows[dst_slot(fiber, dst)].valid = 0;
  first_use(fiber, kReadsDst);
  spend(fiber, costs(fiber).math_reuse);
  compute_binary(fiber, op, which == kDstToA ? kept : given, which == kDstToA ? given : kept, dst);
  release_operand(fiber, side);
}

void ttl_emu_matmul(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, bool transpose, uint32_t ct,
                    uint32_t rt, uint32_t kt, Place place) {
  Fiber &fiber = enter(place);
  // The left operand goes to B, the right one to A. The one that is used longer stays.
  const bool keep_left = ct >= rt;
  const uint32_t outer = keep_left ? rt : ct, inner = keep_left ? ct : rt;
  const Side kept = keep_left ? kSideB : kSideA, moving = keep_left ? kSideA : kSideB;
  if (fiber.self.role < kUnpack || fiber.self.role == kPack) return;
  check_setup(fiber, kInitMatmul, products(ct, rt, kt, transpose));
  if (fiber.self.role == kUnpack) {
    const uint32_t each = costs(fiber).unpack_matmul;
    for (uint32_t i = 0; i < outer; ++i) {
      unpack(fiber, kept, keep_left ? in0 : in1, keep_left ? tile0 + i * kt : tile1 + i, each);
      for (uint32_t j = 0; j < inner; ++j)
        unpack(fiber, moving, keep_left ? in1 : in0, keep_left ? tile1 + j : tile0 + j * kt, each);
    }
    return;
  }
  Tensix &t = tensix(fiber);
  alignas(64) float turned[kTile];
  for (uint32_t i = 0; i < outer; ++i) {
    const float *first = operand(fiber, kept);
    check_operand(fiber, kept, true);
    for (uint32_t j = 0; j < inner; ++j) {
      const float *second = operand(fiber, moving);
      check_operand(fiber, moving, true);
      const float *left = keep_left ? first : second, *right = keep_left ? second : first;
      if (transpose) {
        transposed(right, turned);
        right = turned;
      }
      const uint32_t row = keep_left ? i : j, column = keep_left ? j : i;
      float *to = dst_values(fiber, dst + row * ct + column);
      address(fiber, dst_slot(fiber, dst + row * ct + column));
      by_fidelity(t.fidelity, right, left,
                  [&](const float *a, const float *b) { multiply_tiles(b, a, to, t.wide); });
      spend(fiber, costs(fiber).matmul_phase * phases_of(t) + costs(fiber).matmul_overhead);
      release_operand(fiber, moving);
    }
    release_operand(fiber, kept);
  }
}

void ttl_emu_reduce(Pool pool, Along along, uint32_t in, uint32_t scaler, uint32_t tile, uint32_t scaler_tile, uint32_t dst,
                    uint32_t how, Place place) {
  Fiber &fiber = enter(place);
  const bool swapped = how & kReduceSwapped;
  const Side data = swapped ? kSideB : kSideA, weights = swapped ? kSideA : kSideB;
  if (fiber.self.role < kUnpack || fiber.self.role == kPack) return;
  check_setup(fiber, kInitReduce, along | pool << 8 | (how & kReduceExactly) << 16);
  if (fiber.self.role == kUnpack) {
    unpack(fiber, data, in, tile, costs(fiber).unpack_two / 2, kTogether);
    return unpack(fiber, weights, scaler, scaler_tile, costs(fiber).unpack_two / 2, kTogether);
  }
  const float *a = operand(fiber, data), *b = operand(fiber, weights);
  check_operand(fiber, kSideA, true);
  check_operand(fiber, kSideB, true);
  if (tensix(fiber).older && (how & kReduceExactly)) {
    need_shared(fiber, tensix(fiber).debug, true);
    need_shared(fiber, tensix(fiber).keeps_subnormal, true);
  }
  address(fiber, dst_slot(fiber, dst));
  reduce(fiber, pool, along, a, b, dst, swapped, how & kReduceExactly);
  spend(fiber, reduce_cycles(fiber, pool, along));
  release_operand(fiber, kSideA);
  release_operand(fiber, kSideB);
}

void ttl_emu_unary_broadcast(Broadcast bcast, uint32_t in, uint32_t tile, uint32_t dst, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role < kUnpack || fiber.self.role == kPack) return;
  Tensix &t = tensix(fiber);
  const bool direct = way_of(t, input(fiber, in)) == 2;
  check_setup(fiber, kInitUnaryBroadcast, bcast | direct << 8);
  const Side side = direct ? kSideA : kSideB;  // the first unpacker is the one that reaches DST
  if (fiber.self.role == kUnpack) return unpack(fiber, side, in, tile, costs(fiber).unpack_one, kAlone);
  const float *b = operand(fiber, side);
  check_operand(fiber, side, !direct);
  if (!direct) {
    address(fiber, dst_slot(fiber, dst));
  } else if (t.older) {
    // The unpacker puts the row into its place in DST. The mathematics repeats what is where it addressed DST last, and
    // does it in halves of a word, for which it needs the bit (`_llk_math_eltwise_unary_datacopy_`).
    check_address(fiber, dst);
    need_shared(fiber, t.debug, true);
    keep_subnormal_meanwhile(fiber);
  } else {
    address(fiber, t.committed % t.sections * t.section_tiles);
  }
  float *to = dst_replaced(fiber, dst);
  if (bcast == kNone)
    std::memcpy(to, b, sizeof(float) * kTile);
  else
    broadcast(bcast, b, to, 0);
  spend(fiber, costs(fiber).math_copy);
  if (!operand_is_raw(fiber, side)) dst_written(fiber, to);
  release_operand(fiber, side);
}

void ttl_emu_transpose(uint32_t in, uint32_t tile, uint32_t dst, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role < kUnpack || fiber.self.role == kPack) return;
  check_setup(fiber, kInitTranspose, way_of(tensix(fiber), input(fiber, in)) & 2);
  if (fiber.self.role == kUnpack) return unpack(fiber, kSideA, in, tile, costs(fiber).unpack_transpose, kAlone);
  const float *a = operand(fiber, kSideA);
  check_operand(fiber, kSideA, tensix(fiber).wide);
  if (way_of(tensix(fiber), input(fiber, in)) == 2) keep_subnormal_meanwhile(fiber);
  address(fiber, dst_slot(fiber, dst));
  float *to = dst_replaced(fiber, dst);
  transposed(a, to);
  spend(fiber, costs(fiber).math_transpose);
  if (!operand_is_raw(fiber, kSideA)) dst_written(fiber, to);
  release_operand(fiber, kSideA);
}

void ttl_emu_transpose_dst(uint32_t dst, bool faces_only, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role != kMath) return;
  check_setup(fiber, kInitTranspose, 1);
  if (tensix(fiber).wide) keep_subnormal_meanwhile(fiber);
  address(fiber, dst_slot(fiber, dst));
  float *values = dst_values(fiber, dst);
  alignas(64) float before[kTile];
  std::memcpy(before, values, sizeof before);
  transposed(before, values);
  if (faces_only) {  // each face by itself
    std::memcpy(before, values, sizeof before);
    std::memcpy(values + kFace, before + 2 * kFace, kFace * sizeof(float));
    std::memcpy(values + 2 * kFace, before + kFace, kFace * sizeof(float));
  }
  spend(fiber, costs(fiber).math_transpose * 2);
}
