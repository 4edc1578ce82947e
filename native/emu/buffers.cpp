// Circular buffers: pages that one processor of a core fills and another one empties, with the time of every step.
#include "tensix.h"

namespace ttl::emu {

namespace {

// A data movement kernel does both sides; of compute the unpacker takes, and the packer fills.
bool takes(const Fiber &fiber) { return fiber.self.role <= kNcrisc || fiber.self.role == kUnpack; }
bool fills(const Fiber &fiber) { return fiber.self.role <= kNcrisc || fiber.self.role == kPack; }
bool moves_data(const Fiber &fiber) { return fiber.self.role <= kNcrisc; }

Buffer &find(Fiber &fiber, uint32_t index) {
  if (index >= kMaxBuffers || !fiber.core->buffers[index].there) fail(fiber, "no-buffer", index);
  return fiber.core->buffers[index];
}

bool holds(const Buffer &buffer, Waits waits, uint32_t pages) {
  const uint32_t used = buffer.pushed - buffer.popped;
  return waits == Waits::kPages ? used >= pages : buffer.pages + buffer.more - used >= pages;
}

uint64_t since(const Buffer &buffer, Waits waits, uint32_t pages) {
  if (pages == 0) return 0;
  if (waits == Waits::kPages) return buffer.pushed_at[(buffer.popped + pages - 1) % buffer.pages];
  return buffer.popped_at[(buffer.pushed + pages - 1) % buffer.pages];
}

void wait_until(Fiber &fiber, Buffer &buffer, uint32_t index, Waits waits, uint32_t pages) {
  fiber.what = index;
  if (!holds(buffer, waits, pages)) {
    fiber.next_waiter = buffer.waiters;
    buffer.waiters = &fiber;
    block(fiber, waits, index, pages);
  }
  advance(fiber, since(buffer, waits, pages), waits, waits == Waits::kPages ? buffer.producer : buffer.consumer);
}

void wake_waiters(Buffer &buffer, const Fiber *by) {
  Fiber **link = &buffer.waiters;
  while (Fiber *fiber = *link) {
    if (!holds(buffer, fiber->waits, fiber->amount)) {
      link = &fiber->next_waiter;
      continue;
    }
    *link = fiber->next_waiter;
    wake(*fiber, since(buffer, fiber->waits, fiber->amount), by);
  }
}

void step(Fiber &fiber, const Buffer &buffer, uint32_t index, uint32_t pages, uint32_t LocalBuffer::*pointer) {
  LocalBuffer &local = fiber.self.buffers[index];
  local.*pointer += pages * local.fifo_page_size;
  if (local.*pointer > local.fifo_limit) fail(fiber, "buffer-crosses-end", index, pages, buffer.pages);
  if (local.*pointer == local.fifo_limit) local.*pointer -= local.fifo_size;
}

}  // namespace

void add_pages(Buffer &buffer, uint32_t pages) {
  buffer.more += pages;
  wake_waiters(buffer, nullptr);
}

void put_pages(Buffer &buffer, uint32_t pages) {
  if (!holds(buffer, Waits::kSpace, pages)) buffer.more += pages;
  buffer.pushed += pages;
  wake_waiters(buffer, nullptr);
}

}  // namespace ttl::emu

using namespace ttl::emu;

void ttl_emu_reserve(uint32_t index, uint32_t pages, Place place) {
  Fiber &fiber = enter(place);
  fiber.steps++;
  if (!fills(fiber)) return;
  Buffer &buffer = find(fiber, index);
  const Costs &costs = fiber.core->machine->costs;
  spend(fiber, moves_data(fiber) ? costs.dm_wait : costs.compute_wait);
  if (pages > buffer.pages + buffer.more) fail(fiber, "reserve-too-many", index, pages, buffer.pages);
  // Whoever sends pages from elsewhere may do so from now on, and not before.
  if (moves_data(fiber) && (!buffer.reserves || fiber.core->machine->adversarial)) keep_order(fiber);
  if (!buffer.reserves) check_reserve(fiber, buffer, index);
  buffer.reserve = {&fiber, place, fiber.steps};
  wait_until(fiber, buffer, index, Waits::kSpace, pages);
  if (pages > buffer.reserved) buffer.reserved = pages;
}

void ttl_emu_push(uint32_t index, uint32_t pages, Place place) {
  Fiber &fiber = enter(place);
  if (!fills(fiber)) return;
  Buffer &buffer = find(fiber, index);
  const Costs &costs = fiber.core->machine->costs;
  spend(fiber, moves_data(fiber) ? costs.dm_push : costs.compute_push);
  if (pages > buffer.writable()) fail(fiber, "push-not-reserved", index, pages, buffer.writable());
  check_push(fiber, buffer, index, pages);
  if (fiber.core->machine->watch.buffers >> index & 1) note_push(fiber, buffer, index, pages);
  buffer.reserved -= std::min(pages, buffer.reserved);
  // The packer pushes when it has drained, long after its processor went on.
  const uint64_t there = fiber.clock + (fiber.self.role == kPack ? costs.hand_over : 0);
  for (uint32_t page = 0; page < pages; ++page) buffer.pushed_at[(buffer.pushed + page) % buffer.pages] = there;
  if (fiber.self.role == kPack && pages && tensix(fiber).shares) {
    buffer.packed_after.resize(buffer.pages);
    Seen seen;
    done(fiber, seen);
    for (uint32_t page = 0; page < pages; ++page) buffer.packed_after[(buffer.pushed + page) % buffer.pages] = seen;
  }
  buffer.pushed += pages;
  note_step(fiber, index, static_cast<int32_t>(pages));
  buffer.producer = &fiber;
  step(fiber, buffer, index, pages, &LocalBuffer::fifo_wr_ptr);
  fiber.self.buffers[index].fifo_wr_tile_ptr = 0;
  wake_waiters(buffer, &fiber);
}

void ttl_emu_wait(uint32_t index, uint32_t pages, Place place) {
  Fiber &fiber = enter(place);
  fiber.steps++;
  if (!takes(fiber)) return;
  Buffer &buffer = find(fiber, index);
  const Costs &costs = fiber.core->machine->costs;
  spend(fiber, moves_data(fiber) ? costs.dm_wait : costs.compute_wait);
  if (pages > buffer.pages + buffer.more) fail(fiber, "wait-too-many", index, pages, buffer.pages);
  buffer.wait = {&fiber, place, fiber.steps};
  wait_until(fiber, buffer, index, Waits::kPages, pages);
  if (pages > buffer.waited) buffer.waited = pages;
  if (pages && fiber.self.role == kUnpack && !buffer.packed_after.empty())
    comes_after(fiber, buffer.packed_after[(buffer.popped + pages - 1) % buffer.pages]);
}

void ttl_emu_pop(uint32_t index, uint32_t pages, Place place) {
  Fiber &fiber = enter(place);
  if (!takes(fiber)) return;
  Buffer &buffer = find(fiber, index);
  const Costs &costs = fiber.core->machine->costs;
  spend(fiber, moves_data(fiber) ? costs.dm_push : costs.compute_push);
  if (pages > buffer.readable()) fail(fiber, "pop-not-waited", index, pages, buffer.readable());
  check_pop(fiber, buffer, index, pages);
  buffer.waited -= std::min(pages, buffer.waited);
  for (uint32_t page = 0; page < pages; ++page) buffer.popped_at[(buffer.popped + page) % buffer.pages] = fiber.clock;
  buffer.popped += pages;
  note_step(fiber, index, -static_cast<int32_t>(pages));
  buffer.consumer = &fiber;
  step(fiber, buffer, index, pages, &LocalBuffer::fifo_rd_ptr);
  wake_waiters(buffer, &fiber);
}

bool ttl_emu_reservable(uint32_t index, uint32_t pages, Place place) {
  Fiber &fiber = enter(place);
  spend(fiber, fiber.core->machine->costs.poll);
  keep_order(fiber);
  const Buffer &buffer = find(fiber, index);
  return holds(buffer, Waits::kSpace, pages) && since(buffer, Waits::kSpace, pages) <= fiber.clock;
}

bool ttl_emu_available(uint32_t index, uint32_t pages, Place place) {
  Fiber &fiber = enter(place);
  spend(fiber, fiber.core->machine->costs.poll);
  keep_order(fiber);
  const Buffer &buffer = find(fiber, index);
  return holds(buffer, Waits::kPages, pages) && since(buffer, Waits::kPages, pages) <= fiber.clock;
}

const LocalBuffer *ttl_emu_buffer(uint32_t index, Place place) {
  Fiber &fiber = enter(place);
  find(fiber, index);
  return &fiber.self.buffers[index];
}
