// The three threads of compute: how operands go from the unpacker to the mathematics, and tiles from there to the packer.
#pragma once

#include <cstring>

#include "machine.h"

namespace ttl::emu {

enum Side : uint32_t { kSideA, kSideB };

inline Tensix &tensix(Fiber &fiber) { return *fiber.core->tensix; }
inline const Costs &costs(const Fiber &fiber) { return fiber.core->machine->costs; }

// How the unpacker is asked for a tile: among others of a block, by itself, or as one of two operands.
enum Asked : uint8_t { kInBlock, kAlone, kTogether };
// Unpacker: a tile of a circular buffer into the next free bank of a source register.
void unpack(Fiber &fiber, Side side, uint32_t buffer, uint32_t tile, uint32_t cycles, Asked asked = kInBlock);
// The same in parts, for what is no tile in memory: the bank, which takes `cycles` to fill, and that it is full.
float *source_bank(Fiber &fiber, Side side, uint32_t buffer, uint32_t cycles, Asked asked = kInBlock);
void source_filled(Fiber &fiber, Side side);
// Whether values of a buffer arrive in the registers bit for bit.
bool keeps_bits(const Tensix &t, const Buffer &buffer);
// A circular buffer, and in it a tile of the pages that were waited for.
Buffer &input(Fiber &fiber, uint32_t index);
const uint8_t *tile_in(Fiber &fiber, Buffer &buffer, uint32_t index, uint32_t tile);
// Mathematics: the code of some functions has to be fetched when the first of them is called.
inline void first_use(Fiber &fiber, Fetched what) {
  uint8_t &fetched = tensix(fiber).fetched;
  if (fetched & what) return;
  fetched |= what;
  spend(fiber, costs(fiber).first_use);
}
// Mathematics: a tile from source register A to DST.
void copy_operand(Fiber &fiber, uint32_t dst);
// Whether the processor set its unit up for an operation, and the mathematics the vector unit for a function (units.cpp).
[[noreturn]] void fail_setup(Fiber &fiber, Init kind, uint32_t detail);
inline void check_setup(Fiber &fiber, Init kind, uint32_t detail) {
  const Setup &setup = tensix(fiber).setup[fiber.self.role - kUnpack];
  if (setup.kind != kind || setup.detail != detail || !setup.started) [[unlikely]] fail_setup(fiber, kind, detail);
}
void check_function(Fiber &fiber, uint32_t function);
// How a buffer of a format is read: 2 straight to DST, 1 through a source register in another way than others, 0 in the usual one.
inline uint32_t way_of(const Tensix &t, const Buffer &buffer) {
  switch (buffer.format) {
    case kInt32: case kUInt32: return 2;
    case kFloat32: return buffer.unpack_to_dst && t.wide ? 2 : 0;
    case kUInt16: return 1;
    default: return 0;
  }
}
// Mathematics: the oldest filled bank; it stays until released.
float *operand(Fiber &fiber, Side side);
// Mathematics of the older generation. `enforce_fp32_accumulation` makes the unpacker set a flag that it does not clear: from
// then on numbers below the smallest normal one are not zero for the matrix unit.
[[noreturn]] void fail_subnormal(Fiber &fiber);
bool has_subnormal(const float *tile);
inline bool keeps_subnormal(const Tensix &t) { return t.keeps_subnormal.last[0].there && t.keeps_subnormal.last[0].value; }
inline void check_flushed(Fiber &fiber, const float *tile) {
  if (keeps_subnormal(tensix(fiber)) && has_subnormal(tile)) [[unlikely]] fail_subnormal(fiber);
}
// Mathematics: that the operand of an operation is in the format, and floats or integers, that it was set up for.
[[noreturn]] void fail_operand(Fiber &fiber, Side side);
inline void check_operand(Fiber &fiber, Side side, bool computes) {
  const Tensix &t = tensix(fiber);
  const Format format = t.source[side].format[t.source[side].released % kAhead];
  const Setup &setup = t.setup[kMath - kUnpack];
  if ((side == kSideA ? setup.a : setup.b) != format || (computes && setup.whole && !is_integer(format))) [[unlikely]]
    fail_operand(fiber, side);
  if (computes && keeps_subnormal(t) && !is_integer(format)) [[unlikely]] check_flushed(fiber, operand(fiber, side));
}
// Mathematics: remembers which tile of DST it addresses, by slot; and whether that is the one that an operation relies on.
inline void address(Fiber &fiber, uint32_t slot) {
  Tensix &t = tensix(fiber);
  t.offset = slot;
  t.offset_at = fiber.place;
}
void check_address(Fiber &fiber, uint32_t tile);
// A bit that several processors write: an order must make sure what it is.
void write_shared(Fiber &fiber, SharedBit &bit, bool value);
void need_shared(Fiber &fiber, const SharedBit &bit, bool value);
// Mathematics: an operation that moves halves of words sets the flag, and clears it again.
inline void keep_subnormal_meanwhile(Fiber &fiber) {
  Tensix &t = tensix(fiber);
  if (!t.older) return;
  write_shared(fiber, t.keeps_subnormal, true);
  write_shared(fiber, t.keeps_subnormal, false);
}
// A processor has done something that another one waits for; and that one goes on.
inline void done(Fiber &fiber, Seen &after) {
  Tensix &t = tensix(fiber);
  if (!t.shares) return;
  const uint32_t role = fiber.self.role - kUnpack;
  t.seen[role].steps[role]++;
  after = t.seen[role];
}
inline void comes_after(Fiber &fiber, const Seen &other) {
  Tensix &t = tensix(fiber);
  if (!t.shares) return;
  Seen &mine = t.seen[fiber.self.role - kUnpack];
  for (uint32_t i = 0; i < 3; ++i)
    if (other.steps[i] > mine.steps[i]) mine.steps[i] = other.steps[i];
}
bool operand_is_raw(Fiber &fiber, Side side);
bool operand_is_direct(Fiber &fiber, Side side);
void release_operand(Fiber &fiber, Side side);

// A tile of DST in the section that is open; checks that there is one, and that the tile lies in it.
uint32_t dst_slot(Fiber &fiber, uint32_t tile);
// Its values for an operation that replaces them all.
float *dst_replaced(Fiber &fiber, uint32_t tile);
// Its values for an operation of the matrix unit that adds to them, or reads them: zero where nothing was written.
float *dst_values(Fiber &fiber, uint32_t tile);
// The same of a slot of DST, and of some rows of it.
// Makes the odd columns of a row any bits: NaN, or -1.
inline void forget_odd(float *row) {
  for (uint32_t column = 1; column < 16; column += 2) std::memset(row + column, 0xFF, sizeof(float));
}
float *zero_missing(Tensix &t, uint32_t slot, uint64_t wanted = kAllRows);
// After values were written: what 16-bit registers keep of them.
void dst_written(Fiber &fiber, float *values);

}  // namespace ttl::emu
