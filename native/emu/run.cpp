// Running a program, and what Python is told about the run.
#include "fabric.h"
#include "module.h"
#include "recorded.h"

namespace ttl::emu {

namespace {

PyObject *fiber_tuple(const Fiber &fiber) {
  const auto *buffer = (fiber.waits == Waits::kPages || fiber.waits == Waits::kSpace) ? &fiber.core->buffers[fiber.what] : nullptr;
  uint32_t now = 0;
  if (fiber.waits == Waits::kSemaphore) now = *reinterpret_cast<const volatile uint32_t *>(static_cast<uintptr_t>(fiber.what));
  if (fiber.waits == Waits::kLink) now = fiber.core->machine->fabric->links[fiber.what].room[kFromKernel];
  if (buffer) now = buffer->pushed - buffer->popped;
  return Py_BuildValue("(IIIIKKIIIIzIOI)", fiber.core->index, static_cast<unsigned>(fiber.self.role), fiber.kernel,
                       static_cast<unsigned>(fiber.done), static_cast<unsigned long long>(fiber.clock),
                       static_cast<unsigned long long>(fiber.stalled), static_cast<unsigned>(fiber.waits),
                       fiber.waits == Waits::kSemaphore ? fiber.what & kSlotMask : fiber.what, fiber.amount, now,
                       fiber.place.file, fiber.place.line, fiber.at_least ? Py_True : Py_False, fiber.steps);
}

int role_of(const Fiber *fiber) { return fiber ? static_cast<int>(fiber->self.role) : -1; }

// [(core, index, pages, pushed, popped, reserved, waited for, who pushes, who pops, who reserves, where, after how many
// steps, who waits, where, after how many)] of buffers that were used
PyObject *buffer_states(const Machine &machine) {
  PyObject *list = PyList_New(0);
  for (const auto &core : machine.cores)
    for (const uint8_t index : core->present) {
      const Buffer &b = core->buffers[index];
      if (!list || (!b.pushed && !b.reserved && !b.waiters)) continue;
      PyObject *tuple =
          Py_BuildValue("(IIIIIIIiiiIIiII)", core->index, index, b.pages + b.more, b.pushed, b.popped, b.reserved, b.waited,
                        role_of(b.producer), role_of(b.consumer), role_of(b.reserve.fiber), b.reserve.place.line, b.reserve.step,
                        role_of(b.wait.fiber), b.wait.place.line, b.wait.step);
      if (!tuple || PyList_Append(list, tuple) < 0) Py_CLEAR(list);
      Py_XDECREF(tuple);
    }
  return list;
}

// [(core, semaphore, value, changes from elsewhere, changes by the core, those of whom an experiment helped, who changed it last
// from elsewhere or -1)] of semaphores that were changed
PyObject *semaphore_states(const Machine &machine) {
  PyObject *list = PyList_New(0);
  for (const auto &core : machine.cores)
    for (const auto &[id, changes] : core->changes) {
      if (!list || (!changes.arrived && !changes.set && !changes.helped)) continue;
      const uint32_t value = *reinterpret_cast<const volatile uint32_t *>(
          static_cast<uintptr_t>(core->l1 + machine.semaphore_offset + 16 * id));
      PyObject *tuple = Py_BuildValue("(IIIIIIi)", core->index, id, value, changes.arrived, changes.set, changes.own,
                                      changes.by ? static_cast<int>(changes.by->id) : -1);
      if (!tuple || PyList_Append(list, tuple) < 0) Py_CLEAR(list);
      Py_XDECREF(tuple);
    }
  return list;
}

// What went wrong; None where nothing did.
PyObject *failure_tuple(const Machine &machine) {
  if (!machine.failed) return Py_NewRef(Py_None);
  const Failure &found = machine.failure;
  return Py_BuildValue("(siiziK(LLLLL)ssK)", found.kind.c_str(), found.fiber ? static_cast<int>(found.fiber->core->index) : -1,
                       found.fiber ? static_cast<int>(found.fiber->self.role) : -1, found.place.file,
                       static_cast<int>(found.place.line), static_cast<unsigned long long>(found.clock), found.values[0],
                       found.values[1], found.values[2], found.values[3], found.values[4], found.text.c_str(),
                       found.object.c_str(), static_cast<unsigned long long>(found.instruction));
}

PyObject *fiber_list(const Machine &machine) {
  PyObject *fibers = PyList_New(0);
  for (const Fiber *fiber : machine.fibers) {
    PyObject *tuple = fibers ? fiber_tuple(*fiber) : nullptr;
    if (!tuple || PyList_Append(fibers, tuple) < 0) Py_CLEAR(fibers);
    Py_XDECREF(tuple);
  }
  return fibers;
}

// For each part of memory, whether it was written.
PyObject *written_tuple(const Machine &machine) {
  PyObject *written = PyTuple_New(static_cast<Py_ssize_t>(machine.parts.size()));
  for (size_t i = 0; written && i < machine.parts.size(); ++i)
    PyTuple_SET_ITEM(written, static_cast<Py_ssize_t>(i), PyBool_FromLong(machine.parts[i].written));
  return written;
}

}  // namespace

// run(machine, buffers, semaphores, kernels, parts, watch, limit) -> (fibers, failure or None, switches, printed, parts written)
// `watch`: None, or (a function, buffers as bits, bytes). `limit`: None, or the cycles after which it is stopped.
PyObject *py_run(PyObject *, PyObject *arguments) {
  PyObject *capsule, *watch, *most, *listener = nullptr;
  unsigned long long watched = 0, limit = 0;
  Given given;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!O!OO", &capsule, &PyList_Type, &given.buffers, &PyList_Type, &given.semaphores,
                        &PyList_Type, &given.kernels, &PyList_Type, &given.parts, &watch, &most))
    return nullptr;
  if (watch != Py_None && !PyArg_ParseTuple(watch, "OKK", &listener, &watched, &limit)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine) return nullptr;
  machine->kept.reset(machine->records ? new Record : nullptr);
  machine->record = machine->kept.get();
  machine->over = false;
  machine->limit = most == Py_None ? UINT64_MAX : PyLong_AsUnsignedLongLong(most);
  if (PyErr_Occurred()) return nullptr;
  const bool ready = set_up(*machine, given);
  bool good = ready;
  if (ready) {
    if (listener) begin_watching(*machine, listener, watched, limit);
    run(*machine);
    keep_record(*machine);
    good = end_watching(*machine);
  }
  machine->record = nullptr;
  machine->limit = UINT64_MAX;  // what stands still may go on
  if (ready && !good) clear(*machine);
  if (!good) return nullptr;
  // "N" lets go of what there is, should one of them be missing.
  PyObject *result = Py_BuildValue("(NNKs#N)", fiber_list(*machine), failure_tuple(*machine),
                                   static_cast<unsigned long long>(machine->switches), machine->printed.data(),
                                   static_cast<Py_ssize_t>(machine->printed.size()), written_tuple(*machine));
  // What stands still can be looked at, and go on, until the next program.
  if (!machine->failed || machine->failure.kind != "deadlock") clear(*machine);
  return result;
}

// standing(machine) -> (processors, buffers, semaphores) of a program that stands still
PyObject *py_standing(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  if (!PyArg_ParseTuple(arguments, "O", &capsule)) return nullptr;
  const Machine *machine = machine_of(capsule);
  return machine ? Py_BuildValue("(NNN)", fiber_list(*machine), buffer_states(*machine), semaphore_states(*machine)) : nullptr;
}

// standing_links(machine) -> (links, connections) of a program that stands still: of each link how many of its sender's slots
// are free, what waits to be sent and to be put away at its end, free slots there; of each connection (core, processor,
// kernel, link, whether it is built, open or closed, where it was built)
PyObject *py_standing_links(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  if (!PyArg_ParseTuple(arguments, "O", &capsule)) return nullptr;
  const Machine *machine = machine_of(capsule);
  if (!machine) return nullptr;
  PyObject *links = PyList_New(0), *connections = PyList_New(0);
  const auto add = [](PyObject *&list, PyObject *item) {
    if (list && (!item || PyList_Append(list, item) < 0)) Py_CLEAR(list);
    Py_XDECREF(item);
  };
  if (machine->fabric) {
    for (const Link &link : machine->fabric->links) {
      size_t queued = 0;
      for (const auto &queue : link.queue) queued += queue.size();
      add(links, Py_BuildValue("(InnI)", link.room[kFromKernel], static_cast<Py_ssize_t>(queued), static_cast<Py_ssize_t>(link.held.size()), link.credits));
    }
    for (const Connection &made : machine->fabric->connections)
      add(connections, Py_BuildValue("(IIIIIsI)", made.fiber->core->index, static_cast<unsigned>(made.fiber->self.role), made.fiber->kernel, made.link,
                                     static_cast<unsigned>(made.state), made.built.file, made.built.line));
  }
  return Py_BuildValue("(NN)", links, connections);
}

// alter(machine, what, core, number, amount, processor): in an experiment, "room" for more pages of a circular buffer,
// "pages" that nobody pushed, or the "value" of a semaphore, for a processor, or -1.
PyObject *py_alter(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  const char *what;
  unsigned core, number, amount;
  int role;
  if (!PyArg_ParseTuple(arguments, "OsIIIi", &capsule, &what, &core, &number, &amount, &role)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine) return nullptr;
  // Words beyond the semaphores of the host are changed, too.
  const unsigned numbers = *what == 'v' ? (machine->l1_bytes - machine->semaphore_offset) / 16 : kMaxBuffers;
  if (core >= machine->cores.size() || number >= numbers || role >= static_cast<int>(kRoles))
    return PyErr_Format(PyExc_IndexError, "no %s %u on core %u", what, number, core);
  machine->experiment = true;
  Core &at = *machine->cores[core];
  switch (what[0]) {
    case 'r': add_pages(at.buffers[number], amount); break;
    case 'p': put_pages(at.buffers[number], amount); break;
    default: change_semaphore(at, number, amount, role < 0 ? nullptr : at.fibers[role].get());
  }
  Py_RETURN_NONE;
}

// resume(machine, calls) -> "stuck", "ended", "failed", or "cut short" after so many calls
PyObject *py_resume(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  unsigned long long calls;
  if (!PyArg_ParseTuple(arguments, "OK", &capsule, &calls)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine) return nullptr;
  machine->experiment = true;
  machine->failed = false;
  machine->calls_left = calls;
  const bool whole = resume(*machine);
  return PyUnicode_FromString(machine->failed ? "failed" : !whole ? "cut short" : machine->live ? "stuck" : "ended");
}

PyObject *py_recorded(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  if (!PyArg_ParseTuple(arguments, "O", &capsule)) return nullptr;
  Machine *machine = machine_of(capsule);
  return machine ? recorded(*machine) : nullptr;
}

}  // namespace ttl::emu
