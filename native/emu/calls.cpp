// What kernels call that concerns no unit: their arguments, prints, assertions.
#include <algorithm>
#include <cstring>

#include "machine.h"

using namespace ttl::emu;

uint32_t ttl_emu_arg(bool common, uint32_t index, Place place) {
  Fiber &fiber = enter(place);
  const std::vector<uint32_t> &args = common ? *fiber.common : fiber.args;
  if (index >= args.size()) fail(fiber, "no-argument", common, index, static_cast<int64_t>(args.size()));
  const bool is_in_l1 = common && std::find(fiber.in_l1->begin(), fiber.in_l1->end(), index) != fiber.in_l1->end();
  return args[index] + (is_in_l1 ? fiber.core->l1 : 0);  // a pointer there is one of the emulated chip
}

int32_t ttl_emu_number(uint32_t index) { return static_cast<int32_t>((*current().numbers)[index]); }

void ttl_emu_float(SoftFloat what) {
  Fiber &fiber = current();
  const Costs &c = fiber.core->machine->costs;
  const uint32_t cycles[] = {c.float_add, c.float_multiply, c.float_divide, c.float_compare, c.float_convert};
  spend(fiber, cycles[what]);
}

uintptr_t ttl_emu_arg_address(bool common, uint32_t index) {
  Fiber &fiber = current();
  const std::vector<uint32_t> &args = common ? *fiber.common : fiber.args;
  return reinterpret_cast<uintptr_t>(args.data() + index);
}

double ttl_emu_element(uint32_t address, uint32_t format, uint32_t element) {
  Fiber &fiber = current();
  Machine &machine = *fiber.core->machine;
  alignas(64) float tile[kTile];
  const auto known = static_cast<Format>(format);
  check_access(fiber, *fiber.core, Access::kLoad, address & kSlotMask, tile_bytes(known));
  load_tile(known, machine.l1(address), tile, true);
  int32_t whole;
  std::memcpy(&whole, tile + element % kTile, 4);
  if (!is_integer(known)) return tile[element % kTile];
  return known == kUInt32 ? static_cast<double>(static_cast<uint32_t>(whole)) : static_cast<double>(whole);
}

void ttl_emu_print(const char *text, uint32_t length, Place place) {
  Fiber &fiber = enter(place);
  Machine &machine = *fiber.core->machine;
  const char *names[] = {"BR", "NC", "TR0", "TR1", "TR2"};
  if (machine.printed.empty() || machine.printed.back() == '\n')
    machine.printed.append("(").append(std::to_string(fiber.core->x)).append(",").append(std::to_string(fiber.core->y))
        .append("):").append(names[fiber.self.role]).append(": ");
  machine.printed.append(text, length);
}

void ttl_emu_zone(const char *name, bool begins, Place place) {
  Fiber &fiber = current();
  if (begins)
    note_zone(fiber, name, place.file, place.line);
  else
    note_zone_end(fiber);
}

void ttl_emu_answer(uint32_t condition, int64_t value, const char *text, Place place) {
  if (current().core->answers.try_emplace(condition, value).first->second != value) ttl_emu_assert(text, place);
}

void ttl_emu_assert(const char *condition, Place place) {
  Fiber &fiber = enter(place);
  fiber.core->machine->failure.text = condition;
  fail(fiber, "assert");
}
