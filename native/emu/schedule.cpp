// Which processor runs: always the one whose clock is least, so that what happens earlier is seen by what happens later.
#include "machine.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

extern "C" {
__attribute__((visibility("default"))) ttl_emu::Self *ttl_emu_self = nullptr;
}

namespace ttl::emu {

#if defined(__x86_64__)
// Saves the registers that a function preserves on the stack, stores where that is in `*from`, and goes on from `to`.
extern "C" void ttl_emu_switch(void **from, void *to);
asm(R"(
.text
.p2align 4
.hidden ttl_emu_switch
.globl ttl_emu_switch
.type ttl_emu_switch, @function
ttl_emu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size ttl_emu_switch, .-ttl_emu_switch
)");
constexpr size_t kSavedWords = 6;
#elif defined(__aarch64__)
extern "C" void ttl_emu_switch(void **from, void *to);
asm(R"(
.text
.p2align 4
.globl ttl_emu_switch
ttl_emu_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
)");
#else
#error "the emulator has no context switch for this processor yet"
#endif

namespace {

constexpr size_t kStack = size_t{256} << 10;

// Stacks are kept for the next run: mapping one costs more than a small kernel.
std::vector<char *> &spare_stacks() {
  static std::vector<char *> stacks;
  return stacks;
}

char *new_stack() {
  auto &spare = spare_stacks();
  if (!spare.empty()) {
    char *stack = spare.back();
    spare.pop_back();
    return stack;
  }
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *memory = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  mprotect(memory, page, PROT_NONE);
  return static_cast<char *>(memory);
}

void push_ready(Machine &machine, Fiber &fiber) { machine.ready.push({fiber.clock, fiber.id, &fiber}); }

// The fiber to go on with, after all events that come before it; null when there is none.
Fiber *next_fiber(Machine &machine) {
  for (;;) {
    const bool some = !machine.ready.empty();
    if (!machine.events.empty() && (!some || machine.events.top().time <= machine.ready.top().clock)) {
      const Event event = machine.events.top();
      machine.events.pop();
      apply(machine, event);
      continue;
    }
    if (!some) return nullptr;
    if (machine.ready.top().clock > machine.limit) {
      machine.over = true;
      return nullptr;
    }
    Fiber *fiber = machine.ready.top().fiber;
    machine.ready.pop();
    return fiber;
  }
}

void go_on(Machine &machine, void **from, Fiber *fiber) {
  if (!fiber) {
    ttl_emu_self = nullptr;
    ttl_emu_switch(from, machine.main_sp);
    return;
  }
  machine.switches++;
  ttl_emu_self = &fiber->self;
  ttl_emu_switch(from, fiber->sp);
}

void first() {
  Fiber *fiber = &current();
  fiber->entry();
  check_exit(*fiber);
  fiber->done = true;
  fiber->ended = fiber->clock;
  Machine &machine = *fiber->core->machine;
  machine.live--;
  go_on(machine, &fiber->sp, next_fiber(machine));
  __builtin_trap();
}

bool prepare(Fiber &fiber, char *stack) {
  auto **top = reinterpret_cast<void **>(stack + kStack);
#if defined(__x86_64__)
  *--top = nullptr;  // a return address for `first`, which keeps the stack aligned as after a call
  *--top = reinterpret_cast<void *>(first);
  for (size_t i = 0; i < kSavedWords; ++i) *--top = nullptr;
#else
  top -= 20;
  std::memset(top, 0, 160);
  top[11] = reinterpret_cast<void *>(first);
#endif
  fiber.sp = top;
  return true;
}

}  // namespace

void fail(Fiber &fiber, const char *kind, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) {
  Machine &machine = *fiber.core->machine;
  machine.failed = true;
  Failure &failure = machine.failure;
  failure.kind = kind;
  failure.fiber = &fiber;
  failure.place = fiber.place;
  failure.clock = fiber.clock;
  const int64_t values[] = {a, b, c, d, e};
  std::memcpy(failure.values, values, sizeof values);
  void *unused = nullptr;
  ttl_emu_self = nullptr;
  ttl_emu_switch(&unused, machine.main_sp);
  __builtin_trap();
}

uint64_t chance(Machine &machine, uint64_t limit) {
  if (!machine.adversarial) return 0;
  uint64_t z = machine.random += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (z ^ z >> 31) % limit;
}

void dawdle(Fiber &fiber) {
  Machine &machine = *fiber.core->machine;
  if (machine.experiment && machine.calls_left && !--machine.calls_left) {
    ttl_emu_self = nullptr;
    ttl_emu_switch(&fiber.sp, machine.main_sp);
  }
  // Mostly it goes on as it is; now and then it falls behind, by as much as some transfers take.
  if (chance(machine, 8) == 7) fiber.clock += chance(machine, 4000);
}

void keep_order(Fiber &fiber) {
  Machine &machine = *fiber.core->machine;
  const bool event = !machine.events.empty() && machine.events.top().time <= fiber.clock;
  const bool other = !machine.ready.empty() && Ready{fiber.clock, fiber.id, &fiber} < machine.ready.top();
  if (!event && !other && fiber.clock <= machine.limit) return;
  push_ready(machine, fiber);
  Fiber *next = next_fiber(machine);
  if (next != &fiber) go_on(machine, &fiber.sp, next);
}

void block(Fiber &fiber, Waits waits, uint32_t what, uint32_t amount) {
  Machine &machine = *fiber.core->machine;
  fiber.waits = waits;
  fiber.what = what;
  fiber.amount = amount;
  Fiber *next = next_fiber(machine);
  if (next != &fiber) go_on(machine, &fiber.sp, next);
}

void wake(Fiber &fiber, uint64_t time, const Fiber *by) {
  const Waits reason = fiber.waits;
  fiber.waits = Waits::kNothing;
  advance(fiber, time, reason, by);
  push_ready(*fiber.core->machine, fiber);
}

void wake_by_transfer(Fiber &fiber, uint64_t time, int32_t transfer) {
  fiber.waits = Waits::kNothing;
  advance_for(fiber, time, transfer <= kFromChip ? kChipArrives : kSemaphoreArrives, transfer);
  push_ready(*fiber.core->machine, fiber);
}

void send_errand(Fiber &fiber) {
  Machine &machine = *fiber.core->machine;
  machine.waits_for_errand = &fiber;
  ttl_emu_self = nullptr;
  ttl_emu_switch(&fiber.sp, machine.main_sp);
}

void run(Machine &machine) {
  for (Fiber *fiber : machine.fibers) {
    char *stack = new_stack();
    if (!stack || !prepare(*fiber, stack)) {
      machine.failed = true;
      machine.failure.kind = "memory";
      break;
    }
    constexpr size_t kGarbled = 16384;
    garble_stack(machine, *fiber, static_cast<char *>(fiber->sp) - kGarbled, kGarbled);
    machine.stacks.push_back(stack);
    push_ready(machine, *fiber);
  }
  machine.live = static_cast<uint32_t>(machine.fibers.size());
  if (!machine.failed) {
    go_on(machine, &machine.main_sp, next_fiber(machine));
    while (Fiber *fiber = std::exchange(machine.waits_for_errand, nullptr)) {
      if (!machine.errand()) {
        machine.failed = true;
        machine.failure.kind = "errand";
        break;
      }
      ttl_emu_self = &fiber->self;
      ttl_emu_switch(&machine.main_sp, fiber->sp);
    }
    if (!machine.failed && machine.live) {
      machine.failed = true;
      machine.failure.kind = machine.over ? "limit" : "deadlock";
    }
    if (!machine.failed) check_buffers(machine);
  }
}

bool resume(Machine &machine) {
  go_on(machine, &machine.main_sp, next_fiber(machine));
  return machine.calls_left;
}

void release_stacks(Machine &machine) {
  auto &spare = spare_stacks();
  spare.insert(spare.end(), machine.stacks.begin(), machine.stacks.end());
  machine.stacks.clear();
}

}  // namespace ttl::emu
