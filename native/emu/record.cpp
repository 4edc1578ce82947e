#include "record.h"

#include <algorithm>

#include "machine.h"

namespace ttl::emu {

namespace {

uint32_t line_of(Fiber &fiber) {
  Diary &diary = fiber.diary;
  if (diary.file == fiber.place.file && diary.line == fiber.place.line) return diary.number;
  diary.file = fiber.place.file;
  diary.line = fiber.place.line;
  // Names of files are constants of the shared object: their addresses tell them apart.
  uint64_t key = reinterpret_cast<uintptr_t>(diary.file);
  for (uint64_t part : {uint64_t{diary.line}, uint64_t{fiber.kernel}, uint64_t{fiber.self.role}})
    key = (key ^ part) * 0x9E3779B97F4A7C15u, key ^= key >> 29;
  Record &record = *diary.record;
  const auto [found, isnew] = record.index.try_emplace(key, static_cast<uint32_t>(record.lines.size()));
  if (isnew) record.lines.push_back({fiber.kernel, fiber.self.role, diary.file, diary.line});
  return diary.number = found->second;
}

// What a processor waits for, by its number.
uint32_t named(const Fiber &fiber, uint8_t reason) {
  switch (reason) {
    case static_cast<uint8_t>(Waits::kPages): case static_cast<uint8_t>(Waits::kSpace): case static_cast<uint8_t>(Waits::kLink):
      return fiber.what;
    case static_cast<uint8_t>(Waits::kSemaphore): case kSemaphoreArrives: case kChipArrives: {
      const uint32_t offset = fiber.what - fiber.core->l1 - fiber.core->machine->semaphore_offset;
      return offset < kSemaphoreBytes ? offset / 16 : kNothingNamed;
    }
    default:
      return kNothingNamed;
  }
}

}  // namespace

void note_work(Fiber &fiber, uint64_t cycles) {
  auto &spans = fiber.diary.spans;
  const uint32_t line = line_of(fiber);
  if (!spans.empty()) {
    Span &last = spans.back();
    if (last.line == line && last.reason == kWorks && last.ends == fiber.clock && !fiber.diary.cut) {
      last.ends += cycles;
      return;
    }
  }
  fiber.diary.cut = false;
  spans.push_back({fiber.clock, fiber.clock + cycles, 0, line, kNobody, kWorks, kNothingNamed});
}

void note_wait(Fiber &fiber, uint64_t until, uint8_t reason, int32_t by, uint64_t since) {
  fiber.diary.spans.push_back({fiber.clock, until, since, line_of(fiber), by, reason, named(fiber, reason)});
}

void note_step(Fiber &fiber, uint32_t buffer, int32_t pages) {
  if (Record *record = fiber.diary.record)
    record->steps.push_back({fiber.clock, fiber.core->index, static_cast<uint16_t>(buffer), pages});
}

void note_section(Fiber &fiber, uint32_t room, uint32_t tiles) {
  Record *record = fiber.diary.record;
  if (!record) return;
  const uint32_t line = line_of(fiber);
  auto &all = record->sections;
  auto at = std::find_if(all.begin(), all.end(), [&](const Sections &known) { return known.line == line && known.room == room; });
  if (at == all.end()) at = all.insert(at, {line, room, 0, 0});
  at->count++;
  at->tiles += tiles;
}

void note_zone(Fiber &fiber, const char *name, const char *file, uint32_t line) {
  Record *record = fiber.diary.record;
  if (!record) return;
  // Texts are constants of the shared object: their addresses tell them apart.
  const auto found = std::find_if(record->names.begin(), record->names.end(), [&](const Record::Name &known) {
    return known.text == name && known.kernel == fiber.kernel && known.file == file && known.line == line;
  });
  const auto number = static_cast<uint32_t>(found - record->names.begin());
  if (found == record->names.end()) record->names.push_back({fiber.kernel, name, file, line});
  auto &open = fiber.diary.open;
  open.push_back({fiber.clock, 0, number, fiber.id, static_cast<uint32_t>(open.size()), 0});
  fiber.diary.cut = true;
}

void note_zone_end(Fiber &fiber) {
  if (!fiber.diary.record || fiber.diary.open.empty()) return;
  Zone zone = fiber.diary.open.back();
  fiber.diary.open.pop_back();
  zone.ends = fiber.clock;
  fiber.diary.record->zones.push_back(zone);
  fiber.diary.cut = true;
}

uint32_t note_packet(Fiber &fiber, uint32_t size, uint32_t link, uint32_t device) {
  Record *record = fiber.diary.record;
  if (!record) return 0;
  record->packets.push_back({fiber.clock, 0, fiber.id, line_of(fiber), size, link, device, 0});
  return static_cast<uint32_t>(record->packets.size()) - 1;
}

int32_t note_transfer(Fiber &fiber, Transfer transfer) {
  Record *record = fiber.diary.record;
  if (!record) return kNobody;
  transfer.fiber = fiber.id;
  transfer.line = line_of(fiber);
  record->transfers.push_back(transfer);
  return static_cast<int32_t>(record->transfers.size()) - 1;
}

}  // namespace ttl::emu
