// The extension module ttl._emu: sets up the chip, moves tensors in and out, runs programs.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "recorded.h"
#include "tensors.h"

#ifndef TTL_SOURCES_HASH
#define TTL_SOURCES_HASH ""
#endif

namespace ttl::emu {

namespace {

constexpr const char *kCapsule = "ttl._emu.machine";

void forget(PyObject *capsule) {
  auto *machine = static_cast<Machine *>(PyCapsule_GetPointer(capsule, kCapsule));
  if (!machine) return;
  unmap_memory(*machine);
  delete machine;
}

Machine *machine_of(PyObject *capsule) { return static_cast<Machine *>(PyCapsule_GetPointer(capsule, kCapsule)); }

bool read_costs(PyObject *given, Costs &costs) {
#define TTL_EMU_READ(name)                                               \
  {                                                                      \
    PyObject *value = PyDict_GetItemString(given, #name);                \
    if (!value) {                                                        \
      PyErr_SetString(PyExc_KeyError, #name);                            \
      return false;                                                      \
    }                                                                    \
    costs.name = static_cast<uint32_t>(PyLong_AsUnsignedLong(value));    \
    if (PyErr_Occurred()) return false;                                  \
  }
  TTL_EMU_COSTS(TTL_EMU_READ)
#undef TTL_EMU_READ
  const char *names[] = {"vector", "vector_approximate"};
  for (uint32_t i = 0; i < 2; ++i) {
    PyObject *list = PyDict_GetItemString(given, names[i]);
    if (!list || !PyBytes_Check(list) || PyBytes_GET_SIZE(list) != static_cast<Py_ssize_t>(sizeof costs.vector[i])) {
      PyErr_SetString(PyExc_KeyError, names[i]);
      return false;
    }
    std::memcpy(costs.vector[i], PyBytes_AS_STRING(list), sizeof costs.vector[i]);
  }
  return true;
}

// Where a node is on the chip.
void set_place(Node &node, const uint8_t *place) { node.column = place[0], node.row = place[1]; }

// open(width, height, worker_xy, dram_xy, l1_bytes, dram_bytes, semaphore_offset, max_packet, costs, torus_width,
//      torus_height, places): `places` are column and row on the chip of the workers and then of the banks
PyObject *py_open(PyObject *, PyObject *arguments) {
  unsigned width, height, l1_bytes, semaphore_offset, max_packet, torus_width, torus_height;
  unsigned long long dram_bytes;
  Py_buffer workers, drams, places;
  PyObject *costs;
  if (!PyArg_ParseTuple(arguments, "IIy*y*IKIIO!IIy*", &width, &height, &workers, &drams, &l1_bytes, &dram_bytes,
                        &semaphore_offset, &max_packet, &PyDict_Type, &costs, &torus_width, &torus_height, &places))
    return nullptr;
  auto machine = std::make_unique<Machine>();
  machine->width = width;
  machine->height = height;
  machine->l1_bytes = l1_bytes;
  machine->dram_bytes = dram_bytes;
  machine->semaphore_offset = semaphore_offset;
  machine->max_packet = max_packet;
  machine->read_alignment = max_packet > 8192 ? 64 : 32;  // of DRAM; facts: noc_parameters.h
  machine->torus.width = torus_width;
  machine->torus.height = torus_height;
  const auto *xy = static_cast<const uint8_t *>(workers.buf), *dram = static_cast<const uint8_t *>(drams.buf);
  const auto *place = static_cast<const uint8_t *>(places.buf);
  bool good = workers.len == static_cast<Py_ssize_t>(2 * width * height) && width * height <= 256;
  good = good && places.len == workers.len + drams.len;
  for (Py_ssize_t i = 0; good && i < places.len; ++i) good = place[i] < (i % 2 ? torus_height : torus_width);
  if (!good) PyErr_SetString(PyExc_ValueError, "coordinates do not fit the grid");
  const auto banks = static_cast<uint32_t>(drams.len / 2);
  if (good && !read_costs(costs, machine->costs)) good = false;
  if (good && !map_memory(*machine, width * height, banks)) {
    PyErr_SetString(PyExc_MemoryError, "no room for the memory of the emulated chip");
    good = false;
  }
  for (uint32_t i = 0; good && i < width * height; ++i) {
    auto core = std::make_unique<Core>();
    core->machine = machine.get();
    core->index = static_cast<uint16_t>(i);
    core->x = static_cast<uint8_t>(i % width);
    core->y = static_cast<uint8_t>(i / width);
    core->noc_x = xy[2 * i];
    core->noc_y = xy[2 * i + 1];
    core->l1 = machine->l1_base + (i << kSlotBits);
    core->node = &machine->node(core->noc_x, core->noc_y);
    core->node->kind = Node::kWorker;
    core->node->index = core->index;
    set_place(*core->node, place + 2 * i);
    machine->cores.push_back(std::move(core));
  }
  for (uint32_t bank = 0; good && bank < banks; ++bank) {
    machine->dram_xy.push_back(static_cast<uint16_t>(dram[2 * bank] << 8 | dram[2 * bank + 1]));
    Node &node = machine->node(dram[2 * bank], dram[2 * bank + 1]);
    node.kind = Node::kDram;
    node.index = static_cast<uint16_t>(bank);
    set_place(node, place + 2 * (width * height + bank));
  }
  PyBuffer_Release(&workers);
  PyBuffer_Release(&drams);
  PyBuffer_Release(&places);
  if (!good) {
    unmap_memory(*machine);
    return nullptr;
  }
  return PyCapsule_New(machine.release(), kCapsule, forget);
}

PyObject *py_l1(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  unsigned core;
  if (!PyArg_ParseTuple(arguments, "OI", &capsule, &core)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine || core >= machine->cores.size()) return machine ? PyErr_Format(PyExc_IndexError, "no core %u", core) : nullptr;
  return PyLong_FromUnsignedLong(machine->cores[core]->l1);
}

PyObject *py_dram(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  unsigned bank;
  if (!PyArg_ParseTuple(arguments, "OI", &capsule, &bank)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine || bank >= machine->dram.size()) return machine ? PyErr_Format(PyExc_IndexError, "no bank %u", bank) : nullptr;
  return PyLong_FromVoidPtr(machine->dram[bank]);
}

// --- programs

std::vector<uint32_t> words(const Py_buffer &buffer) {
  const auto *from = static_cast<const uint32_t *>(buffer.buf);
  return {from, from + buffer.len / 4};
}

void clear(Machine &machine) {
  machine.ready = {};
  machine.events = {};
  machine.fibers.clear();
  machine.common.clear();
  machine.sequence = machine.switches = 0;
  machine.polls = 0;
  machine.failed = false;
  machine.failure = {};
  machine.printed.clear();
  machine.parts.clear();
  for (auto &core : machine.cores) {
    for (auto &buffer : core->buffers) buffer = Buffer{};
    for (auto &fiber : core->fibers) fiber.reset();
    core->present.clear();
    core->semaphore_waiters = nullptr;
    if (core->tensix) {
      auto kept = std::move(core->tensix);
      auto &t = *kept;
      for (auto &content : t.content) content = Content::kZero;
      for (auto &source : t.source) source.filled = source.released = 0, source.released_at[0] = source.released_at[1] = 0;
      t.acquired = t.committed = t.waited = t.released = 0;
      for (auto *times : {t.committed_at, t.released_at}) times[0] = times[1] = 0;
      t.add_to_dst = t.l1_accumulate = false;
      t.edge = t.relu = 0;
      for (Setup &setup : t.setup) setup = {};
      t.unpack = t.math = t.pack = nullptr;
      core->tensix = std::move(kept);
    }
  }
  for (Node &node : machine.nodes) {
    if (node.kind == Node::kNothing) continue;
    node.bank = Port{};
    node.streams.clear();
    for (uint32_t noc = 0; noc < 2; ++noc) node.out[noc] = node.in[noc] = Port{};
  }
  machine.torus.clear();
}

Fiber *add_fiber(Machine &machine, Core &core, Role role, void (*entry)(), uint32_t kernel, const std::vector<uint32_t> &args,
                 const std::vector<uint32_t> *common) {
  auto &place = core.fibers[role];
  if (place) return nullptr;
  place = std::make_unique<Fiber>();
  Fiber &fiber = *place;
  std::memset(&fiber.self, 0, sizeof fiber.self);
  fiber.self.role = role;
  fiber.self.l1 = core.l1;
  fiber.self.noc_x[0] = fiber.self.noc_x[1] = core.noc_x;
  fiber.self.noc_y[0] = fiber.self.noc_y[1] = core.noc_y;
  fiber.self.logical_x = fiber.self.relative_x = core.x;
  fiber.self.logical_y = fiber.self.relative_y = core.y;
  fiber.core = &core;
  fiber.id = core.index * kRoles + role;
  fiber.kernel = kernel;
  fiber.entry = entry;
  fiber.args = args;
  fiber.common = common;
  fiber.clock = fiber.started = machine.costs.launch;
  fiber.diary.record = machine.record;
  for (uint32_t i = 0; i < kMaxBuffers; ++i) {
    const Buffer &buffer = core.buffers[i];
    if (!buffer.there) continue;
    const uint32_t unit = role > kNcrisc ? 16 : 1;
    LocalBuffer &local = fiber.self.buffers[i];
    local.fifo_page_size = buffer.page / unit;
    local.fifo_num_pages = buffer.pages;
    local.fifo_size = buffer.page * buffer.pages / unit;
    local.fifo_rd_ptr = local.fifo_wr_ptr = (core.l1 + buffer.base) / unit;
    local.fifo_limit = local.fifo_rd_ptr + local.fifo_size;
  }
  machine.fibers.push_back(&fiber);
  return &fiber;
}

// (path, processor, flags, fidelity, common, [(core, arguments)])
bool add_kernel(Machine &machine, PyObject *item, uint32_t index) {
  const char *path;
  unsigned processor, flags, fidelity;
  Py_buffer common;
  PyObject *cores;
  if (!PyArg_ParseTuple(item, "sIIIy*O!", &path, &processor, &flags, &fidelity, &common, &PyList_Type, &cores)) return false;
  machine.common[index] = words(common);
  PyBuffer_Release(&common);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  auto entry = library ? reinterpret_cast<void (*)()>(dlsym(library, "_Z11kernel_mainv")) : nullptr;
  if (!entry) {
    const char *why = dlerror();
    PyErr_Format(PyExc_OSError, "%s", why ? why : "the kernel has no kernel_main");
    return false;
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(cores); ++i) {
    unsigned number;
    Py_buffer given;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(cores, i), "Iy*", &number, &given)) return false;
    const std::vector<uint32_t> args = words(given);
    PyBuffer_Release(&given);
    if (number >= machine.cores.size()) return PyErr_Format(PyExc_IndexError, "no core %u", number), false;
    Core &core = *machine.cores[number];
    Fiber *made = nullptr;
    if (processor < kUnpack) {
      made = add_fiber(machine, core, static_cast<Role>(processor), entry, index, args, &machine.common[index]);
      if (made) made->leaves_atomics = flags & 8;
    } else {
      if (!core.tensix) core.tensix.reset(new Tensix());
      Tensix &t = *core.tensix;
      t.wide = flags & 1;
      t.sections = flags & 2 ? 1 : 2;
      t.approximate = flags & 4;
      t.section_tiles = (t.wide ? 8 : 16) / t.sections;
      t.fidelity = fidelity;
      t.unpack = add_fiber(machine, core, kUnpack, entry, index, args, &machine.common[index]);
      t.math = add_fiber(machine, core, kMath, entry, index, args, &machine.common[index]);
      t.pack = made = add_fiber(machine, core, kPack, entry, index, args, &machine.common[index]);
    }
    if (!made) return PyErr_Format(PyExc_ValueError, "two kernels on one processor of core %u", number), false;
  }
  return true;
}

// (index, cores, base, page, pages, format, unpack_to_dst, stays)
bool add_buffer(Machine &machine, PyObject *item) {
  unsigned index, base, page, pages, format;
  int unpack_to_dst, stays;
  Py_buffer cores;
  if (!PyArg_ParseTuple(item, "Iy*IIIIpp", &index, &cores, &base, &page, &pages, &format, &unpack_to_dst, &stays)) return false;
  const auto *numbers = static_cast<const uint16_t *>(cores.buf);
  bool good = index < kMaxBuffers && base + uint64_t{page} * pages <= machine.l1_bytes && page % 16 == 0;
  for (Py_ssize_t i = 0; good && i < cores.len / 2; ++i) {
    if (numbers[i] >= machine.cores.size()) {
      good = false;
      break;
    }
    Buffer &buffer = machine.cores[numbers[i]]->buffers[index];
    buffer.there = true;
    buffer.unpack_to_dst = unpack_to_dst;
    buffer.stays = stays;
    buffer.format = static_cast<Format>(format);
    buffer.base = base;
    buffer.page = page;
    buffer.pages = pages;
    buffer.pushed_at.assign(pages, 0);
    buffer.popped_at.assign(pages, 0);
    buffer.filled.assign(pages, 0);
    buffer.used.assign(pages, 0);
    machine.cores[numbers[i]]->present.push_back(static_cast<uint8_t>(index));
  }
  PyBuffer_Release(&cores);
  if (!good) PyErr_Format(PyExc_ValueError, "circular buffer %u does not fit: %u pages of %u bytes at %u", index, pages, page, base);
  return good;
}

// (id, cores, initial)
bool add_semaphore(Machine &machine, PyObject *item) {
  unsigned id, initial;
  Py_buffer cores;
  if (!PyArg_ParseTuple(item, "Iy*I", &id, &cores, &initial)) return false;
  const auto *numbers = static_cast<const uint16_t *>(cores.buf);
  for (Py_ssize_t i = 0; i < cores.len / 2; ++i)
    if (numbers[i] < machine.cores.size())
      std::memcpy(machine.l1(machine.cores[numbers[i]]->l1 + machine.semaphore_offset + 16 * id), &initial, 4);
  PyBuffer_Release(&cores);
  return true;
}

template <typename Add>
bool for_each(PyObject *list, Add add) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i)
    if (!add(PyList_GET_ITEM(list, i), static_cast<uint32_t>(i))) return false;
  return true;
}

PyObject *fiber_tuple(const Fiber &fiber) {
  const auto *buffer = (fiber.waits == Waits::kPages || fiber.waits == Waits::kSpace) ? &fiber.core->buffers[fiber.what] : nullptr;
  uint32_t now = 0;
  if (fiber.waits == Waits::kSemaphore) now = *reinterpret_cast<const volatile uint32_t *>(static_cast<uintptr_t>(fiber.what));
  if (buffer) now = buffer->pushed - buffer->popped;
  return Py_BuildValue("(IIIIKKIIIIzIO)", fiber.core->index, static_cast<unsigned>(fiber.self.role), fiber.kernel,
                       static_cast<unsigned>(fiber.done), static_cast<unsigned long long>(fiber.clock),
                       static_cast<unsigned long long>(fiber.stalled), static_cast<unsigned>(fiber.waits),
                       fiber.waits == Waits::kSemaphore ? fiber.what & kSlotMask : fiber.what, fiber.amount, now,
                       fiber.place.file, fiber.place.line, fiber.at_least ? Py_True : Py_False);
}

// [(core, index, pages, pushed, popped, reserved, waited for, who pushes, who pops)] of buffers that were used
PyObject *buffer_states(const Machine &machine) {
  PyObject *list = PyList_New(0);
  for (const auto &core : machine.cores)
    for (const uint8_t index : core->present) {
      const Buffer &b = core->buffers[index];
      if (!list || (!b.pushed && !b.reserved && !b.waiters)) continue;
      PyObject *tuple = Py_BuildValue("(IIIIIIIii)", core->index, index, b.pages, b.pushed, b.popped, b.reserved, b.waited,
                                      b.producer ? static_cast<int>(b.producer->self.role) : -1,
                                      b.consumer ? static_cast<int>(b.consumer->self.role) : -1);
      if (!tuple || PyList_Append(list, tuple) < 0) Py_CLEAR(list);
      Py_XDECREF(tuple);
    }
  return list;
}

// What a program before this one left in circular buffers is no value of this one: bytes that are NaN in every format.
void poison(Machine &machine) {
  for (const auto &core : machine.cores)
    for (const uint8_t index : core->present) {
      const Buffer &buffer = core->buffers[index];
      const uint64_t end = buffer.base + uint64_t{buffer.pages} * buffer.page;
      const bool tensor = std::any_of(machine.parts.begin(), machine.parts.end(), [&](const Machine::Part &part) {
        return !part.dram && part.begin < end && buffer.base < part.end;
      });
      if (!tensor) std::memset(machine.l1(core->l1 + buffer.base), 0xFF, end - buffer.base);
    }
}

// adversary(machine, seed or None): from the next run on, processors and transfers are delayed at random, or not.
PyObject *py_adversary(PyObject *, PyObject *arguments) {
  PyObject *capsule, *seed;
  if (!PyArg_ParseTuple(arguments, "OO", &capsule, &seed)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine) return nullptr;
  machine->adversarial = seed != Py_None;
  machine->random = machine->adversarial ? PyLong_AsUnsignedLongLongMask(seed) : 0;
  if (PyErr_Occurred()) return nullptr;
  Py_RETURN_NONE;
}

// inits(machine, [(function, [init])]): by hash, what sets the vector unit up for what.
PyObject *py_inits(PyObject *, PyObject *arguments) {
  PyObject *capsule, *list;
  if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyList_Type, &list)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine) return nullptr;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    unsigned function;
    PyObject *inits;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "IO!", &function, &PyList_Type, &inits)) return nullptr;
    auto &good = machine->inits[function];
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(inits); ++k)
      good.push_back(static_cast<uint32_t>(PyLong_AsUnsignedLongMask(PyList_GET_ITEM(inits, k))));
  }
  if (PyErr_Occurred()) return nullptr;
  Py_RETURN_NONE;
}

// (in DRAM, first offset, one past the last)
bool add_part(Machine &machine, PyObject *item) {
  int dram;
  unsigned long long begin, end;
  if (!PyArg_ParseTuple(item, "pKK", &dram, &begin, &end)) return false;
  machine.parts.push_back({dram != 0, begin, end, false});
  return true;
}

// run(machine, buffers, semaphores, kernels, parts) -> (fibers, failure or None, switches, printed, parts written)
PyObject *py_run(PyObject *, PyObject *arguments) {
  PyObject *capsule, *buffers, *semaphores, *kernels, *parts;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!O!", &capsule, &PyList_Type, &buffers, &PyList_Type, &semaphores, &PyList_Type,
                        &kernels, &PyList_Type, &parts))
    return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine) return nullptr;
  clear(*machine);
  machine->kept.reset(machine->records ? new Record : nullptr);
  machine->record = machine->kept.get();
  machine->common.resize(static_cast<size_t>(PyList_GET_SIZE(kernels)));
  const bool ready = for_each(parts, [&](PyObject *item, uint32_t) { return add_part(*machine, item); }) &&
                     for_each(buffers, [&](PyObject *item, uint32_t) { return add_buffer(*machine, item); }) &&
                     for_each(semaphores, [&](PyObject *item, uint32_t) { return add_semaphore(*machine, item); }) &&
                     for_each(kernels, [&](PyObject *item, uint32_t index) { return add_kernel(*machine, item, index); });
  if (!ready) {
    clear(*machine);
    return nullptr;
  }
  poison(*machine);
  run(*machine);
  keep_record(*machine);
  machine->record = nullptr;
  PyObject *fibers = PyList_New(0);
  for (const Fiber *fiber : machine->fibers) {
    PyObject *tuple = fibers ? fiber_tuple(*fiber) : nullptr;
    if (!tuple || PyList_Append(fibers, tuple) < 0) Py_CLEAR(fibers);
    Py_XDECREF(tuple);
  }
  if (!fibers) return nullptr;
  PyObject *failure = nullptr;
  const Failure &found = machine->failure;
  if (machine->failed) {
    failure = Py_BuildValue("(siiziK(LLLLL)ssKN)", found.kind.c_str(), found.fiber ? static_cast<int>(found.fiber->core->index) : -1,
                            found.fiber ? static_cast<int>(found.fiber->self.role) : -1, found.place.file,
                            static_cast<int>(found.place.line), static_cast<unsigned long long>(found.clock), found.values[0],
                            found.values[1], found.values[2], found.values[3], found.values[4], found.text.c_str(),
                            found.object.c_str(), static_cast<unsigned long long>(found.instruction), buffer_states(*machine));
    if (!failure) return nullptr;
  } else {
    failure = Py_NewRef(Py_None);
  }
  PyObject *written = PyTuple_New(static_cast<Py_ssize_t>(machine->parts.size()));
  for (size_t i = 0; written && i < machine->parts.size(); ++i)
    PyTuple_SET_ITEM(written, static_cast<Py_ssize_t>(i), PyBool_FromLong(machine->parts[i].written));
  PyObject *result = Py_BuildValue("(NNKs#N)", fibers, failure, static_cast<unsigned long long>(machine->switches),
                                   machine->printed.data(), static_cast<Py_ssize_t>(machine->printed.size()), written);
  clear(*machine);
  return result;
}

// record(machine, wanted): whether the next runs are recorded.
PyObject *py_record(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  int wanted;
  if (!PyArg_ParseTuple(arguments, "Op", &capsule, &wanted)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine) return nullptr;
  machine->kept.reset();
  machine->records = wanted;
  Py_RETURN_NONE;
}

PyObject *py_recorded(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  if (!PyArg_ParseTuple(arguments, "O", &capsule)) return nullptr;
  Machine *machine = machine_of(capsule);
  return machine ? recorded(*machine) : nullptr;
}

PyMethodDef methods[] = {
    {"open", py_open, METH_VARARGS, "A chip."},
    {"l1", py_l1, METH_VARARGS, "Address in this process of a core's L1."},
    {"dram", py_dram, METH_VARARGS, "Address in this process of a DRAM bank."},
    {"tiles", py_tiles, METH_VARARGS, "Copy an array to tiles, or back."},
    {"rows", py_rows, METH_VARARGS, "Copy rows to pages, or back."},
    {"adversary", py_adversary, METH_VARARGS, "Delay processors and transfers at random, or do not."},
    {"inits", py_inits, METH_VARARGS, "What sets the vector unit up for what."},
    {"run", py_run, METH_VARARGS, "Run a program."},
    {"record", py_record, METH_VARARGS, "Whether runs are recorded."},
    {"recorded", py_recorded, METH_VARARGS, "What the last run recorded."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "ttl._emu", "The emulated chip.", -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

}  // namespace ttl::emu

using namespace ttl::emu;

uint32_t ttl_emu_arg(bool common, uint32_t index, Place place) {
  Fiber &fiber = enter(place);
  const std::vector<uint32_t> &args = common ? *fiber.common : fiber.args;
  if (index >= args.size()) fail(fiber, "no-argument", common, index, static_cast<int64_t>(args.size()));
  return args[index];
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

void ttl_emu_zone(const char *, bool, Place) {}

void ttl_emu_assert(const char *condition, Place place) {
  Fiber &fiber = enter(place);
  fiber.core->machine->failure.text = condition;
  fail(fiber, "assert");
}

PyMODINIT_FUNC PyInit__emu() {
  // Kernels are linked to the functions of this library when they are loaded.
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&PyInit__emu), &info)) dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  PyObject *module = PyModule_Create(&definition);
  PyObject *vectors = Py_BuildValue("("
#define TTL_EMU_NAME(name, operands) "s"
                                    TTL_EMU_VECTOR(TTL_EMU_NAME) ")"
#undef TTL_EMU_NAME
#define TTL_EMU_NAME(name, operands) , #name
                                    TTL_EMU_VECTOR(TTL_EMU_NAME));
#undef TTL_EMU_NAME
  if (module && (!vectors || PyModule_AddObjectRef(module, "VECTORS", vectors) < 0)) Py_CLEAR(module);
  Py_XDECREF(vectors);
  if (module && PyModule_AddStringConstant(module, "SOURCES_HASH", TTL_SOURCES_HASH) < 0) Py_CLEAR(module);
  return module;
}
