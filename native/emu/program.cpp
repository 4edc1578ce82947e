// A program on the chip: its kernels, circular buffers and semaphores.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "fabric.h"
#include "module.h"

namespace ttl::emu {

void clear(Machine &machine) {
  machine.ready = {};
  machine.events = {};
  release_stacks(machine);
  machine.fibers.clear();
  machine.experiment = false;
  machine.common.clear();
  machine.numbers.clear();
  machine.sequence = machine.switches = 0;
  machine.polls = machine.polling = 0;
  machine.failed = false;
  machine.failure = {};
  machine.printed.clear();
  machine.parts.clear();
  for (auto &core : machine.cores) {
    for (auto &buffer : core->buffers) buffer = Buffer{};
    for (auto &fiber : core->fibers) fiber.reset();
    core->present.clear();
    core->semaphore_waiters = nullptr;
    core->changes.clear();
    if (core->tensix) {
      auto kept = std::move(core->tensix);
      auto &t = *kept;
      for (Rows &rows : t.rows) rows = {};
      for (auto &source : t.source) {
        source.filled = source.released = 0;
        for (uint32_t i = 0; i < kAhead; ++i) source.released_at[i] = 0, source.filled_after[i] = source.released_after[i] = {};
      }
      t.acquired = t.committed = t.waited = t.released = 0;
      for (auto *times : {t.committed_at, t.released_at}) times[0] = times[1] = 0;
      t.add_to_dst = t.l1_accumulate = false;
      t.fetched = 0;
      t.edge = t.relu = 0;
      for (Setup &setup : t.setup) setup = {};
      for (auto *order : {t.committed_after, t.released_after}) order[0] = order[1] = {};
      for (Seen &seen : t.seen) seen = {};
      t.debug = {kDebugBit};
      t.keeps_subnormal = {kZeroFlag};
      t.shares = false;
      t.offset = 0, t.offset_at = {"", 0};
      t.unpack = t.math = t.pack = nullptr;
      core->tensix = std::move(kept);
    }
  }
  for (auto &chip : machine.chips) {
    for (Node &node : chip->nodes)
      if (node.kind != Node::kNothing) node.clear();
    chip->torus.clear();
  }
  if (machine.fabric) clear(*machine.fabric);
}

namespace {

std::vector<uint32_t> words(const Py_buffer &buffer) {
  const auto *from = static_cast<const uint32_t *>(buffer.buf);
  return {from, from + buffer.len / 4};
}

Fiber *add_fiber(Machine &machine, Core &core, Role role, void (*entry)(), uint32_t kernel, const std::vector<uint32_t> &args) {
  auto &place = core.fibers[role];
  if (place || (!core.l1 && !map_core(machine, core))) return nullptr;
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
  fiber.common = &machine.common[kernel];
  fiber.numbers = &machine.numbers[kernel];
  fiber.in_l1 = &machine.in_l1[kernel];
  fiber.clock = fiber.started = machine.costs.launch + (fiber.self.role <= kNcrisc ? machine.costs.movers_start : 0);
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

// (path, processor, flags, fidelity, numbers of its text, common, which of them are in L1, [(core, arguments)])
bool add_kernel(Machine &machine, PyObject *item, uint32_t index) {
  const char *path;
  unsigned processor, flags, fidelity;
  Py_buffer numbers, common, in_l1;
  PyObject *cores;
  if (!PyArg_ParseTuple(item, "sIIIy*y*y*O!", &path, &processor, &flags, &fidelity, &numbers, &common, &in_l1, &PyList_Type, &cores))
    return false;
  machine.numbers[index] = words(numbers);
  machine.common[index] = words(common);
  PyBuffer_Release(&numbers);
  machine.in_l1[index] = words(in_l1);
  PyBuffer_Release(&common);
  PyBuffer_Release(&in_l1);
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
      made = add_fiber(machine, core, static_cast<Role>(processor), entry, index, args);
      if (made) made->leaves_atomics = flags & 8;
    } else {
      if (!core.tensix) core.tensix.reset(new Tensix());
      Tensix &t = *core.tensix;
      t.wide = flags & 1;
      t.sections = flags & 2 ? 1 : 2;
      t.approximate = flags & 4;
      t.older = flags & 16;
      t.section_tiles = (t.wide ? 8 : 16) / t.sections;
      t.fidelity = fidelity;
      t.unpack = add_fiber(machine, core, kUnpack, entry, index, args);
      t.math = add_fiber(machine, core, kMath, entry, index, args);
      t.pack = made = add_fiber(machine, core, kPack, entry, index, args);
    }
    if (!made && !core.l1) return PyErr_NoMemory(), false;
    if (!made) return PyErr_Format(PyExc_ValueError, "two kernels on one processor of core %u", number), false;
  }
  return true;
}

// (index, cores, base, page, pages, format, height and width of a tile, unpack_to_dst, stays, unwanted, in_place)
bool add_buffer(Machine &machine, PyObject *item) {
  unsigned index, base, page, pages, format, height, width;
  int unpack_to_dst, stays, unwanted, in_place;
  Py_buffer cores;
  if (!PyArg_ParseTuple(item, "Iy*IIIIIIpppp", &index, &cores, &base, &page, &pages, &format, &height, &width, &unpack_to_dst, &stays, &unwanted,
                        &in_place))
    return false;
  const auto *numbers = static_cast<const uint16_t *>(cores.buf);
  bool good = index < kMaxBuffers && base + uint64_t{page} * pages <= machine.l1_bytes && page % 16 == 0;
  for (Py_ssize_t i = 0; good && i < cores.len / 2; ++i) {
    if (numbers[i] >= machine.cores.size()) {
      good = false;
      break;
    }
    Core &core = *machine.cores[numbers[i]];
    if (!core.l1 && !map_core(machine, core)) {
      PyErr_NoMemory();
      break;
    }
    Buffer &buffer = core.buffers[index];
    buffer.there = true;
    buffer.unpack_to_dst = unpack_to_dst;
    buffer.stays = stays;
    buffer.unwanted = unwanted;
    buffer.in_place = in_place;
    buffer.format = static_cast<Format>(format);
    buffer.face_rows = std::min(height, 16u);
    buffer.faces = height / buffer.face_rows * (width / 16);
    buffer.base = base;
    buffer.page = page;
    buffer.pages = pages;
    buffer.pushed_at.assign(pages, 0);
    buffer.popped_at.assign(pages, 0);
    buffer.filled.assign(pages, 0);
    buffer.used.assign(pages, 0);
    core.present.push_back(static_cast<uint8_t>(index));
  }
  PyBuffer_Release(&cores);
  if (PyErr_Occurred()) return false;
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
    if (numbers[i] < machine.cores.size() && machine.cores[numbers[i]]->l1)
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

// (in DRAM, first offset, one past the last)
bool add_part(Machine &machine, PyObject *item) {
  int dram;
  unsigned long long begin, end;
  if (!PyArg_ParseTuple(item, "pKK", &dram, &begin, &end)) return false;
  machine.parts.push_back({dram != 0, begin, end, false});
  return true;
}

}  // namespace

bool set_up(Machine &machine, const Given &given) {
  clear(machine);
  machine.common.resize(static_cast<size_t>(PyList_GET_SIZE(given.kernels)));
  machine.numbers.resize(machine.common.size());
  machine.in_l1.resize(machine.common.size());
  bool ready = for_each(given.parts, [&](PyObject *item, uint32_t) { return add_part(machine, item); }) &&
               for_each(given.buffers, [&](PyObject *item, uint32_t) { return add_buffer(machine, item); }) &&
               for_each(given.kernels, [&](PyObject *item, uint32_t index) { return add_kernel(machine, item, index); });
  if (ready) {
    begin(machine);
    ready = for_each(given.semaphores, [&](PyObject *item, uint32_t) { return add_semaphore(machine, item); });
  }
  if (!ready) clear(machine);
  return ready;
}

}  // namespace ttl::emu
