// The three threads of compute: how operands go from the unpacker to the mathematics, and tiles from there to the packer.
#pragma once

#include <cstring>

#include "machine.h"

namespace ttl::emu {

enum Side : uint32_t { kSideA, kSideB };

inline Tensix &tensix(Fiber &fiber) { return *fiber.core->tensix; }
inline const Costs &costs(const Fiber &fiber) { return fiber.core->machine->costs; }

// Unpacker: a tile of a circular buffer into the next free bank of a source register.
void unpack(Fiber &fiber, Side side, uint32_t buffer, uint32_t tile, uint32_t cycles);
// The same in parts, for what is no tile in memory: the bank, which takes `cycles` to fill, and that it is full.
float *source_bank(Fiber &fiber, Side side, uint32_t buffer, uint32_t cycles);
void source_filled(Fiber &fiber, Side side);
// Whether values of a buffer arrive in the registers bit for bit.
bool keeps_bits(const Tensix &t, const Buffer &buffer);
// A circular buffer, and in it a tile of the pages that were waited for.
Buffer &input(Fiber &fiber, uint32_t index);
const uint8_t *tile_in(Fiber &fiber, Buffer &buffer, uint32_t index, uint32_t tile);
// Mathematics: a tile from source register A to DST.
void copy_operand(Fiber &fiber, uint32_t dst);
// Mathematics: whether the matrix unit was set up for an operation, and the vector unit for a function.
void check_setup(Fiber &fiber, Init kind, uint32_t detail);
void check_function(Fiber &fiber, uint32_t function);
// Mathematics: the oldest filled bank; it stays until released.
float *operand(Fiber &fiber, Side side);
bool operand_is_raw(Fiber &fiber, Side side);
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
