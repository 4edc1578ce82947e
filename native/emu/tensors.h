// What Python calls to copy tensors to the memory of the chip, and back.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "machine.h"

namespace ttl::emu {

PyObject *py_tiles(PyObject *, PyObject *arguments);
PyObject *py_rows(PyObject *, PyObject *arguments);

}  // namespace ttl::emu
