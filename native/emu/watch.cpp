#include "watch.h"

#include "module.h"

namespace ttl::emu {

namespace {

// Calls `listener(pushed, bytes)` and forgets them; false with an error set.
bool hand_over(Machine &machine, PyObject *listener) {
  Watch &watch = machine.watch;
  if (watch.pushed.empty()) return true;
  const auto bytes_of = [](const auto &vector) {
    return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(vector.data()),
                                     static_cast<Py_ssize_t>(vector.size() * sizeof vector[0]));
  };
  PyObject *pushed = bytes_of(watch.pushed), *bytes = bytes_of(watch.bytes);
  PyObject *done = pushed && bytes ? PyObject_CallFunctionObjArgs(listener, pushed, bytes, nullptr) : nullptr;
  Py_XDECREF(pushed);
  Py_XDECREF(bytes);
  Py_XDECREF(done);
  watch.pushed.clear();
  watch.bytes.clear();
  return done;
}

}  // namespace

void note_push(Fiber &fiber, const Buffer &buffer, uint32_t index, uint32_t pages) {
  Machine &machine = *fiber.core->machine;
  Watch &watch = machine.watch;
  watch.pushed.push_back({fiber.core->index, index, buffer.pushed, watch.bytes.size(), pages, 0});
  for (uint32_t page = 0; page < pages; ++page) {
    const uint8_t *from = machine.l1(fiber.core->l1 + buffer.base + (buffer.pushed + page) % buffer.pages * buffer.page);
    watch.bytes.insert(watch.bytes.end(), from, from + buffer.page);
  }
  if (watch.bytes.size() >= watch.limit) send_errand(fiber);
}

void begin_watching(Machine &machine, PyObject *listener, uint64_t buffers, size_t limit) {
  machine.watch = {buffers, limit, {}, {}};
  machine.errand = [&machine, listener] { return hand_over(machine, listener); };
}

bool end_watching(Machine &machine) {
  const bool good = !machine.errand || PyErr_Occurred() || machine.errand();
  machine.watch = {};
  machine.errand = nullptr;
  return good && !PyErr_Occurred();
}

}  // namespace ttl::emu
