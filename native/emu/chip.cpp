// Setting up the chip, and how it runs programs.
#include <cstring>
#include <new>

#include "fabric.h"
#include "module.h"

namespace ttl::emu {

namespace {

constexpr const char *kCapsule = "ttl._emu.machine";

void forget(PyObject *capsule) {
  auto *machine = static_cast<Machine *>(PyCapsule_GetPointer(capsule, kCapsule));
  if (!machine) return;
  unmap_memory(*machine);
  delete machine;
}

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
void set_place(Node &node, uint32_t noc, const uint8_t *place) { node.router[noc] = {place[0], place[1]}; }

}  // namespace

Machine *machine_of(PyObject *capsule) { return static_cast<Machine *>(PyCapsule_GetPointer(capsule, kCapsule)); }

// open(width, height, worker_xy, dram_xy, l1_bytes, l1_reserved, dram_bytes, semaphore_offset, max_packet, costs, torus_width,
//      torus_height, places, chips): `places` are column and row on the chip of the workers, of the banks on NoC 0
//      and of those on NoC 1. Chips are all alike, and their cores count chip by chip.
PyObject *py_open(PyObject *, PyObject *arguments) {
  unsigned width, height, l1_bytes, l1_reserved, semaphore_offset, max_packet, torus_width, torus_height, chips;
  unsigned long long dram_bytes;
  Py_buffer workers, drams, places;
  PyObject *costs;
  if (!PyArg_ParseTuple(arguments, "IIy*y*IIKIIO!IIy*I", &width, &height, &workers, &drams, &l1_bytes, &l1_reserved, &dram_bytes,
                        &semaphore_offset, &max_packet, &PyDict_Type, &costs, &torus_width, &torus_height, &places, &chips))
    return nullptr;
  auto machine = std::make_unique<Machine>();
  machine->width = width;
  machine->height = height;
  machine->l1_bytes = l1_bytes;
  machine->l1_reserved = l1_reserved;
  machine->dram_bytes = dram_bytes;
  machine->semaphore_offset = semaphore_offset;
  machine->max_packet = max_packet;
  machine->read_alignment = max_packet > 8192 ? 64 : 32;  // of DRAM; facts: noc_parameters.h
  const auto *xy = static_cast<const uint8_t *>(workers.buf), *dram = static_cast<const uint8_t *>(drams.buf);
  const auto *place = static_cast<const uint8_t *>(places.buf);
  bool good = workers.len == static_cast<Py_ssize_t>(2 * width * height) && width * height <= 256 && chips && chips * width * height <= 0xFFFF;
  good = good && places.len == workers.len + 2 * drams.len;
  for (Py_ssize_t i = 0; good && i < places.len; ++i) good = place[i] < (i % 2 ? torus_height : torus_width);
  if (!good) PyErr_SetString(PyExc_ValueError, "coordinates do not fit the grid");
  const auto banks = static_cast<uint32_t>(drams.len / 2);
  if (good && !read_costs(costs, machine->costs)) good = false;
  for (uint32_t number = 0; good && number < chips; ++number) {
    auto chip = std::make_unique<Chip>();
    chip->index = number;
    chip->first_core = number * width * height;
    chip->torus.width = torus_width;
    chip->torus.height = torus_height;
    for (uint32_t i = 0; i < width * height; ++i) {
      auto core = std::make_unique<Core>();
      core->machine = machine.get();
      core->chip = chip.get();
      core->index = static_cast<uint16_t>(chip->first_core + i);
      core->x = static_cast<uint8_t>(i % width);
      core->y = static_cast<uint8_t>(i / width);
      core->noc_x = xy[2 * i];
      core->noc_y = xy[2 * i + 1];
      core->node = &chip->node(core->noc_x, core->noc_y);
      core->node->kind = Node::kWorker;
      core->node->index = core->index;
      core->node->torus = &chip->torus;
      for (uint32_t noc = 0; noc < 2; ++noc) set_place(*core->node, noc, place + 2 * i);
      machine->cores.push_back(std::move(core));
    }
    for (uint32_t bank = 0; bank < banks; ++bank) {
      chip->dram_xy.push_back(static_cast<uint16_t>(dram[2 * bank] << 8 | dram[2 * bank + 1]));
      Node &node = chip->node(dram[2 * bank], dram[2 * bank + 1]);
      node.kind = Node::kDram;
      node.index = static_cast<uint16_t>(bank);
      node.torus = &chip->torus;
      for (uint32_t noc = 0; noc < 2; ++noc) set_place(node, noc, place + 2 * (width * height + noc * banks + bank));
    }
    machine->chips.push_back(std::move(chip));
  }
  if (good && !map_memory(*machine, banks)) {
    PyErr_SetString(PyExc_MemoryError, "no room for the memory of the emulated chip");
    good = false;
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
  if (!machine->cores[core]->l1 && !map_core(*machine, *machine->cores[core])) return PyErr_NoMemory();
  return PyLong_FromUnsignedLong(machine->cores[core]->l1);
}

PyObject *py_dram(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  unsigned bank;
  if (!PyArg_ParseTuple(arguments, "OI", &capsule, &bank)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine) return nullptr;
  const size_t banks = machine->chips[0]->dram.size();
  if (bank >= banks * machine->chips.size()) return PyErr_Format(PyExc_IndexError, "no bank %u", bank);
  return PyLong_FromVoidPtr(machine->chips[bank / banks]->dram[bank % banks]);
}

// behave(machine, seed or None, carries, hostile or None, cleared): from the next run on. With a seed, processors and
// transfers are delayed at random; with the number `hostile` a program begins with garbage. `carries`: see `Machine`.
PyObject *py_behave(PyObject *, PyObject *arguments) {
  PyObject *capsule, *seed, *hostile;
  int carries, cleared;
  if (!PyArg_ParseTuple(arguments, "OOpOp", &capsule, &seed, &carries, &hostile, &cleared)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine) return nullptr;
  machine->carries = carries;
  machine->start = hostile != Py_None ? Start::kRandom : cleared ? Start::kCleared : Start::kKept;
  machine->garbage = hostile != Py_None ? PyLong_AsUnsignedLongLongMask(hostile) : 0;
  machine->adversarial = seed != Py_None;
  machine->random = machine->adversarial ? PyLong_AsUnsignedLongLongMask(seed) : 0;
  if (PyErr_Occurred()) return nullptr;
  Py_RETURN_NONE;
}

// price(machine, costs): from the next run on, things take other cycles.
PyObject *py_price(PyObject *, PyObject *arguments) {
  PyObject *capsule, *costs;
  if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyDict_Type, &costs)) return nullptr;
  Machine *machine = machine_of(capsule);
  if (!machine || !read_costs(costs, machine->costs)) return nullptr;
  Py_RETURN_NONE;
}

// connect(machine, links, next, slots, slots at the other end, bytes of a payload): links between the chips, each (from, to, plane,
// axis and 2 where it is of a ring, column and row of the router at either end) as words; of each pair of chips the next one on the way, as 16 bits.
PyObject *py_connect(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  Py_buffer links, next;
  unsigned slots, receiver_slots, packet_bytes;
  if (!PyArg_ParseTuple(arguments, "Oy*y*III", &capsule, &links, &next, &slots, &receiver_slots, &packet_bytes)) return nullptr;
  Machine *machine = machine_of(capsule);
  const size_t chips = machine ? machine->chips.size() : 0;
  const auto *words = static_cast<const uint32_t *>(links.buf);
  bool good = machine && links.len % 32 == 0 && next.len == static_cast<Py_ssize_t>(2 * chips * chips);
  for (Py_ssize_t i = 0; good && i < links.len / 32; ++i) good = words[8 * i] < chips && words[8 * i + 1] < chips;
  if (good) {
    auto fabric = std::make_unique<Fabric>();
    fabric->slots = slots;
    fabric->receiver_slots = receiver_slots;
    fabric->packet_bytes = packet_bytes;
    const auto *from = static_cast<const uint16_t *>(next.buf);
    fabric->next.assign(from, from + chips * chips);
    fabric->ports.resize(chips);
    for (Py_ssize_t i = 0; i < links.len / 32; ++i, words += 8) {
      Link &link = fabric->links.emplace_back();
      link.from = words[0], link.to = words[1], link.plane = words[2], link.axis = words[3] & 1, link.ringed = words[3] & 2;
      for (Node *node : {&link.near, &link.far}) {
        const bool far = node == &link.far;
        const uint8_t place[] = {static_cast<uint8_t>(words[far ? 6 : 4]), static_cast<uint8_t>(words[far ? 7 : 5])};
        node->kind = Node::kWorker;
        node->torus = &machine->chips[far ? link.to : link.from]->torus;
        for (uint32_t noc = 0; noc < 2; ++noc) set_place(*node, noc, place);
      }
      fabric->ports[link.from].push_back(static_cast<uint32_t>(i));
    }
    clear(*fabric);
    machine->fabric = std::move(fabric);
  }
  PyBuffer_Release(&links);
  PyBuffer_Release(&next);
  if (!good) return PyErr_Occurred() ? nullptr : PyErr_Format(PyExc_ValueError, "links do not fit the chips");
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

}  // namespace ttl::emu
