// What the three processors of compute leave in their configuration, and who may rely on it. Each keeps its own idea of what its
// unit is set up for; where two write the same bit, an order has to make sure what it is.
#include <algorithm>
#include <cmath>

#include "tensix.h"

namespace ttl::emu {

namespace {

// What makes the matrix unit compute with integers (`_llk_math_hw_configure_`).
bool is_whole(Format format) { return format == kInt8 || format == kInt32; }

// Whether one of the three has come after a step of another.
bool ordered(const Tensix &t, uint32_t role, uint32_t by, uint32_t step) { return role == by || t.seen[role].steps[by] >= step; }

void set_formats(Tensix &t, Setup &setup, bool a, bool b, Format of_a, Format of_b, Place place) {
  if (a) setup.a = of_a, setup.a_at = place;
  if (b) setup.b = of_b, setup.b_at = place;
  if (t.older) return;  // its reconfigurations leave integers and floats as they are, unless they are told to
  setup.whole = is_whole(a ? of_a : of_b) || (a && b && is_whole(of_b));
  setup.whole_at = place;
}

}  // namespace

void fail_setup(Fiber &fiber, Init kind, uint32_t detail) {
  const Setup &setup = tensix(fiber).setup[fiber.self.role - kUnpack];
  if (!setup.started) fail(fiber, "not-started");
  fail(fiber, fiber.self.role == kUnpack ? "unpacker-setup" : "unit-setup", kind, detail, setup.kind, setup.detail, setup.at.line);
}

void check_function(Fiber &fiber, uint32_t function) {
  const Setup &setup = tensix(fiber).setup[kMath - kUnpack];
  if (!setup.started) fail(fiber, "not-started");
  const auto &inits = fiber.core->machine->inits;
  const auto found = inits.find(function);
  if (found == inits.end()) return;
  const auto &good = found->second;
  if (std::find(good.begin(), good.end(), setup.function) == good.end())
    fail(fiber, "vector-setup", function, setup.function, setup.function_at.line);
}

void fail_operand(Fiber &fiber, Side side) {
  const Tensix &t = tensix(fiber);
  const Format format = t.source[side].format[t.source[side].released % kAhead];
  const Setup &setup = t.setup[kMath - kUnpack];
  const bool a = side == kSideA;
  if ((a ? setup.a : setup.b) != format)
    fail(fiber, "math-format", format, a ? setup.a : setup.b, side, (a ? setup.a_at : setup.b_at).line);
  fail(fiber, "integer-mode", format, setup.whole_at.line);
}

bool has_subnormal(const float *tile) {
  return std::any_of(tile, tile + kTile, [](float value) { return std::fpclassify(value) == FP_SUBNORMAL; });
}

void fail_subnormal(Fiber &fiber) { fail(fiber, "subnormal", tensix(fiber).keeps_subnormal.last[0].place.line); }

void check_address(Fiber &fiber, uint32_t tile) {
  const Tensix &t = tensix(fiber);
  if (t.offset != dst_slot(fiber, tile)) fail(fiber, "register-offset", tile, t.offset % t.section_tiles, t.offset_at.line);
}

void write_shared(Fiber &fiber, SharedBit &bit, bool value) {
  Tensix &t = tensix(fiber);
  t.shares = true;
  const uint32_t role = fiber.self.role - kUnpack;
  for (uint32_t other = 0; other < 3; ++other) {
    const SharedBit::Write &write = bit.last[other];
    if (write.there && write.value != value && !ordered(t, role, other, write.step))
      fail(fiber, "unordered-bit", value, other, write.value, write.place.line, bit.which);
  }
  SharedBit::Write &mine = bit.last[role];
  const uint32_t step = t.seen[role].steps[role] + 1;
  // Who relies on what it is already may do so since the first time.
  const bool again = mine.there && mine.value == value && bit.value == value;
  mine = {true, value, again ? mine.since : step, step, fiber.place};
  bit.value = value;
  bit.by = role;
}

void need_shared(Fiber &fiber, const SharedBit &bit, bool value) {
  const Tensix &t = tensix(fiber);
  const uint32_t role = fiber.self.role - kUnpack;
  for (uint32_t other = 0; other < 3; ++other) {
    const SharedBit::Write &write = bit.last[other];
    if (write.there && !ordered(t, role, other, write.value == value ? write.since : write.step))
      fail(fiber, "unordered-bit", 2, other, write.value, write.place.line, bit.which);
  }
  if (bit.value != value) fail(fiber, "bit-cleared", bit.by, bit.last[bit.by].place.line, bit.which);
}

}  // namespace ttl::emu

using namespace ttl::emu;

void ttl_emu_init(Init what, uint32_t a, uint32_t b, uint32_t c, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role < kUnpack) return;
  Tensix &t = tensix(fiber);
  Setup &setup = t.setup[fiber.self.role - kUnpack];
  const bool unpacks = fiber.self.role == kUnpack, computes = fiber.self.role == kMath, packs = fiber.self.role == kPack;
  const auto buffer = [&](uint32_t index) -> const Buffer & { return fiber.core->buffers[index % kMaxBuffers]; };
  const auto format = [&](uint32_t index) { return buffer(index).format; };
  const auto takes = [&](Setup::Part part) { setup.part_of_b = part, setup.part_at = place; };
  const auto set = [&](uint32_t detail) { setup.kind = what, setup.detail = detail, setup.at = place; };
  if (what != kInitStartup && !setup.started) fail(fiber, "not-started");
  switch (what) {
    case kInitStartup: {
      const bool whole = is_whole(format(a)) || is_whole(format(b));
      setup = {true, kInitStartup, 0, 0, 0, format(a), format(b), format(c), 0, Setup::kFaceOfB, place,
               whole, place, place, place, place, place, place};
      if (computes) {
        t.half = format(a) == kFloat16;
        address(fiber, 0);
        const bool short_integers = t.wide && (format(a) == kUInt16 || format(b) == kUInt16);
        if (t.older && (whole || short_integers)) write_shared(fiber, t.debug, true);
      }
      // `_llk_pack_hw_configure_` and what it calls (cpack_common.h) take back what was asked of the packer.
      if (packs) t.edge = t.relu = 0, t.l1_accumulate = false;
      spend(fiber, costs(fiber).startup);
      return;
    }
    case kFormatA: case kFormatB: case kFormatAB: case kFormatPack:
      if (what == kFormatPack)
        setup.out = format(a), setup.out_at = place;
      else
        set_formats(t, setup, what != kFormatB, what != kFormatA, format(a), what == kFormatAB ? format(b) : format(a), place);
      if (c == kToIntegers) setup.whole = is_whole(format(a)) || (what == kFormatAB && is_whole(format(b))), setup.whole_at = place;
      spend(fiber, costs(fiber).reconfigure);
      return;
    case kInitSfpu:
      setup.function = a;
      setup.function_detail = b;
      setup.function_at = place;
      break;
    case kInitBinary:
      if (computes) t.add_to_dst = b != 0;
      takes(Setup::kFaceOfB);
      set(c);
      break;
    case kInitMatmul:
      if (computes) t.add_to_dst = false;
      takes(Setup::kTileOfB);
      set(b);
      break;
    case kInitReuse: case kInitBroadcast:
      if (computes) t.add_to_dst = false;
      // 0.69's `_llk_unpack_A_init_` sets up the first unpacker, and what is left for the second one to do is with the other.
      if (what == kInitBroadcast || !t.older) takes(Setup::kFaceOfB);
      set(b | c << 8);
      break;
    case kInitCopy:
      if (unpacks && t.older && way_of(t, buffer(a)) == 2) write_shared(fiber, t.debug, true);
      set(way_of(t, buffer(a)) | (b != 0) << 2);
      break;
    case kInitUnaryBroadcast: {
      const bool direct = c == kByFormat ? way_of(t, buffer(a)) == 2 : c == kStraight;
      if (unpacks && t.older && direct) write_shared(fiber, t.debug, true);
      if (!direct) takes(Setup::kFaceOfB);
      set(b | direct << 8);
      break;
    }
    case kInitUnaryBroadcastEnd:
      takes(Setup::kFaceOfB);
      // The mathematics clears what the unpacker has set.
      if (computes && t.older && b && way_of(t, buffer(a)) == 2) write_shared(fiber, t.debug, false);
      break;
    case kInitTranspose:
      if (unpacks && t.older && !b && way_of(t, buffer(a)) == 2) write_shared(fiber, t.debug, true);
      set(b ? 1 : way_of(t, buffer(a)) == 2 ? 2 : 0);
      break;
    case kInitReduce:
      if (packs) t.edge = 1 + a, t.edge_by_itself = b == kOnlyLanes;
      if (t.older && !packs && c >> 8) write_shared(fiber, t.debug, true);
      // `_llk_unpack_AB_reduce_init_`, for the halves of words that the mathematics moves.
      if (t.older && unpacks && c >> 8) write_shared(fiber, t.keeps_subnormal, true);
      if (b != kOnlyLanes) takes(Setup::kRowOfB);
      set(a | c << 8);
      break;
    case kInitTilize: case kInitUntilize: case kInitTilizeEnd: case kInitUntilizeEnd:
      if (unpacks) setup.rearranges = what == kInitTilize ? 1 : what == kInitUntilize ? 2 : 0;
      set(what == kInitTilize ? b : 0);
      break;
    case kInitPackUntilize: case kInitPackUntilizeEnd:
      if (packs) setup.rearranges = what == kInitPackUntilize ? b : 0;
      break;
    case kInitReduceEnd:
      if (packs) t.edge = 0;
      if (computes && t.older && a) write_shared(fiber, t.debug, false);
      break;
    case kInitL1Accumulate:
      if (packs) t.l1_accumulate = a != 0;
      break;
    case kInitRelu:
      if (packs) t.relu = a, t.relu_threshold = b;
      break;
    default:
      break;
  }
  spend(fiber, costs(fiber).init);
}

void ttl_emu_address(uint32_t dst, Place place) {
  Fiber &fiber = enter(place);
  if (fiber.self.role == kMath) address(fiber, dst_slot(fiber, dst));
}
