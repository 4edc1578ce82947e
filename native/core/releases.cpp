// Releases and waits that a program leaves to the language (sim/implicit.py has the rules and every unusual case).
//
// What the source says of a call is asked of Python once for each place: whether the program releases, or waits for, its
// result itself, and whether it may use the result again where it is now.
#include "core.h"

namespace ttl::core {

namespace t = tables;

namespace {

// Questions about a place. Others are the place where the kernel is: may it use the result of the call again?
constexpr int kLeavesRelease = -1, kLeavesWait = -2;
constexpr size_t kMostAnswers = 16384;

struct Question {
  PyCodeObject *code;
  int lasti, here;
  bool operator==(const Question &) const = default;
};

struct Hash {
  size_t operator()(const Question &asked) const {
    uint64_t mixed = reinterpret_cast<uintptr_t>(asked.code) >> 4;
    mixed = (mixed * 0x9E3779B97F4A7C15u) ^ static_cast<uint32_t>(asked.lasti);
    mixed = (mixed * 0x9E3779B97F4A7C15u) ^ static_cast<uint32_t>(asked.here);
    return mixed ^ (mixed >> 29);
  }
};

// Answers, which hold as long as the code lives: it is kept.
std::unordered_map<Question, bool, Hash> answers;

// 1: yes, 0: no, -1: failed.
int answer(const Site &site, int here) {
  if (!site.code || !classes.left_out || !classes.used_after) return here == kLeavesRelease || here == kLeavesWait ? 0 : 1;
  Question asked{site.code, site.lasti, here};
  auto known = answers.find(asked);
  if (known != answers.end()) return known->second;
  PyObject *place = site_tuple(site);
  PyObject *said = place ? PyObject_CallFunction(here < 0 ? classes.left_out : classes.used_after, "Ni", place, here)
                         : nullptr;
  int yes = said ? PyObject_IsTrue(said) : -1;
  Py_XDECREF(said);
  if (yes < 0) return -1;
  if (answers.size() >= kMostAnswers) {
    for (auto &each : answers) Py_DECREF(each.first.code);
    answers.clear();
  }
  if (answers.emplace(asked, yes).second) incref(site.code);
  return yes;
}

// Ends the copies of a block that nobody waits for. 1: there are none any more; 0: the program waits, or it is for
// Python; -1: failed.
int end_transfers(Block *block) {
  if (!block->transfers) return 1;
  int count = 0;
  for (Transfer *each = block->transfers; each; each = each->next) {
    if (Py_TYPE(as_object(each)) != classes.transfer || ++count > 8) return 0;
    int left = answer(each->site, kLeavesWait);
    if (left <= 0) return left;
  }
  while (block->transfers) {
    Transfer *oldest = block->transfers;
    while (oldest->next) oldest = oldest->next;
    incref(oldest);
    finish_transfer(oldest);
    Py_DECREF(oldest);
  }
  return 1;
}

// Releases the oldest block of a list if the language has to, and it is complete. 1: done; 0: not; -1: failed.
int release_oldest(PyObject *held) {
  auto *block = reinterpret_cast<Block *>(PyList_GET_ITEM(held, 0));
  int ended = end_transfers(block);
  if (ended <= 0) return ended;
  if (transition(block, block->role <= t::kLastReserve ? t::kStepPush : t::kStepPop) < 0) return 0;
  incref(block);
  int done = release_block(block);
  Py_DECREF(block);
  return done;
}

Block *oldest_of(PyObject *held) {
  if (!PyList_GET_SIZE(held) || !is_block(PyList_GET_ITEM(held, 0))) return nullptr;
  return reinterpret_cast<Block *>(PyList_GET_ITEM(held, 0));
}

// The rest of a list, where Python has to look: now, so that blocks are released in one order on both cores.
int release_by_python(PyObject *held, const Kernel *kernel) {
  if (!classes.release_unused) return 0;
  PyObject *said = PyObject_CallFunctionObjArgs(classes.release_unused, as_object(kernel->node->engine), held, nullptr);
  int done = said ? PyObject_IsTrue(said) : -1;
  Py_XDECREF(said);
  return done;
}

// What a kernel that waits holds and does not use any more. 1: released something; 0: nothing; -1: failed.
int release_unused(PyObject *held, const Kernel *kernel) {
  int released = 0;
  while (Block *block = oldest_of(held)) {
    int left = answer(block->site, kLeavesRelease);
    if (left < 0) return -1;
    if (!left) break;
    bool elsewhere = block->site.code != kernel->stalled_at.code;  // in a function that the kernel calls, or has called
    int used = elsewhere ? 0 : answer(block->site, kernel->stalled_at.lasti);
    int done = used < 0 ? -1 : used || elsewhere ? 0 : release_oldest(held);
    if (done < 0) return -1;
    if (!done) {
      int later = elsewhere || (!used && block->transfers) ? release_by_python(held, kernel) : 0;
      return later < 0 ? -1 : released || later;
    }
    released = 1;
  }
  return released;
}

}  // namespace

// The blocks of a kernel's buffers, pushes before pops; stops when `look` gives something negative.
template <typename Look>
static int each_held(Kernel *kernel, Look look) {
  PyObject *buffers = kernel->node ? kernel->node->buffers : nullptr;
  for (int waited = 0; waited < 2; waited++) {
    for (Py_ssize_t i = 0; buffers && i < PyList_GET_SIZE(buffers); i++) {
      if (!PyObject_TypeCheck(PyList_GET_ITEM(buffers, i), &BufferType)) continue;
      auto *buffer = reinterpret_cast<Buffer *>(PyList_GET_ITEM(buffers, i));
      if ((waited ? buffer->consumer : buffer->producer) != kernel) continue;
      PyObject *held = incref(waited ? buffer->held_waited : buffer->held_reserved);
      int found = PyList_GET_SIZE(held) ? look(held) : 0;
      Py_DECREF(held);
      if (found < 0) return -1;
    }
  }
  return 0;
}

int release_when_stalled(Engine *engine, Scheduler *scheduler) {
  if (!engine->infers) return 0;
  int released = 0;
  for (size_t count = scheduler->stalled->size(); count; count--) {
    Kernel *kernel = scheduler->stalled->front();
    scheduler->stalled->pop_front();
    int found = 0;
    if (!kernel->done && kernel->greenlet) {
      assign(engine->current, kernel);
      found = each_held(kernel, [&](PyObject *held) {
        int here = release_unused(held, kernel);
        if (here > 0) released = 1;
        return here;
      });
    }
    kernel->listed = 0;
    Py_DECREF(kernel);
    if (found < 0) return -1;
  }
  return released;
}

int release_at_end(Kernel *kernel) {
  Engine *engine = kernel->node->engine;
  if (!engine->infers || engine->current != kernel) return 0;
  bool stuck = false;
  return each_held(kernel, [&](PyObject *held) {
    while (Block *block = stuck ? nullptr : oldest_of(held)) {
      int left = answer(block->site, kLeavesRelease);
      int done = left <= 0 ? left : release_oldest(held);
      if (done < 0) return -1;
      stuck |= !done;
    }
    return 0;
  });
}

int release_before_acquiring(Buffer *buffer, PyObject *held, const Site &site) {
  if (!buffer->engine->infers) return 0;
  Block *block = oldest_of(held);
  if (block && block->kernel != buffer->engine->current) return 0;
  bool again = block && block->site.code == site.code && block->site.lasti == site.lasti;
  while ((block = oldest_of(held))) {
    if (!again && PyList_GET_SIZE(held) < buffer->block_count) break;
    int left = answer(block->site, kLeavesRelease);
    if (left < 0) return -1;
    if (!left && again) {
      again = false;
      continue;
    }
    if (!left) return 0;
    int used = again || block->site.code != site.code ? 0 : answer(block->site, site.lasti);
    int done = used < 0 ? -1 : used ? 0 : release_oldest(held);
    if (done <= 0) return done;
    again = false;
  }
  return PyList_GET_SIZE(held) < buffer->block_count;
}

}  // namespace ttl::core
