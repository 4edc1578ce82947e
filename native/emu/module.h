// What Python calls, and the parts that these functions are made of.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "machine.h"

namespace ttl::emu {

// The chip in a capsule; null with an error set.
Machine *machine_of(PyObject *capsule);

// --- the chip (chip.cpp)

PyObject *py_open(PyObject *, PyObject *arguments);
PyObject *py_l1(PyObject *, PyObject *arguments);
PyObject *py_connect(PyObject *, PyObject *arguments);
PyObject *py_price(PyObject *, PyObject *arguments);
PyObject *py_dram(PyObject *, PyObject *arguments);
PyObject *py_inits(PyObject *, PyObject *arguments);
PyObject *py_behave(PyObject *, PyObject *arguments);
PyObject *py_record(PyObject *, PyObject *arguments);

// --- a program on it (program.cpp)

// What `run` gets from Python, borrowed.
struct Given {
  PyObject *buffers, *semaphores, *kernels, *parts;
};

// Forgets the program before.
void clear(Machine &machine);
// Sets a program up; false with an error set.
bool set_up(Machine &machine, const Given &given);

// --- what goes through its buffers (watch.cpp)

// During the next run, `listener` (borrowed) is called with the pushes and their pages, of the buffers whose bits are
// set; whenever `limit` bytes have come together, and at the end.
void begin_watching(Machine &machine, PyObject *listener, uint64_t buffers, size_t limit);
// False with an error set where the listener has failed.
bool end_watching(Machine &machine);

// --- running it (run.cpp)

PyObject *py_run(PyObject *, PyObject *arguments);
PyObject *py_standing(PyObject *, PyObject *arguments);
PyObject *py_standing_links(PyObject *, PyObject *arguments);
PyObject *py_alter(PyObject *, PyObject *arguments);
PyObject *py_resume(PyObject *, PyObject *arguments);
PyObject *py_recorded(PyObject *, PyObject *arguments);

}  // namespace ttl::emu
