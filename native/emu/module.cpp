// The extension module ttl._emu: sets up the chip, moves tensors in and out, runs programs.
#include "module.h"

#include <dlfcn.h>

#include "tensors.h"

#ifndef TTL_SOURCES_HASH
#define TTL_SOURCES_HASH ""
#endif

namespace ttl::emu {

namespace {

PyMethodDef methods[] = {
    {"open", py_open, METH_VARARGS, "A chip."},
    {"price", py_price, METH_VARARGS, "What things take from the next run on."},
    {"connect", py_connect, METH_VARARGS, "Links between the chips."},
    {"standing_links", py_standing_links, METH_VARARGS, "Links and connections of a program that stands still."},
    {"l1", py_l1, METH_VARARGS, "Address in this process of a core's L1."},
    {"dram", py_dram, METH_VARARGS, "Address in this process of a DRAM bank."},
    {"tiles", py_tiles, METH_VARARGS, "Copy an array to tiles, or back."},
    {"rows", py_rows, METH_VARARGS, "Copy rows to pages, or back."},
    {"behave", py_behave, METH_VARARGS, "How the chip behaves where a program leaves it a choice."},
    {"inits", py_inits, METH_VARARGS, "What sets the vector unit up for what."},
    {"run", py_run, METH_VARARGS, "Run a program."},
    {"standing", py_standing, METH_VARARGS, "A program that stands still."},
    {"alter", py_alter, METH_VARARGS, "Change something in a program that stands still."},
    {"resume", py_resume, METH_VARARGS, "Go on with a program that stands still."},
    {"record", py_record, METH_VARARGS, "Whether runs are recorded."},
    {"recorded", py_recorded, METH_VARARGS, "What the last run recorded."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "ttl._emu", "The emulated chip.", -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

}  // namespace ttl::emu

using namespace ttl::emu;

PyMODINIT_FUNC PyInit__emu() {
  // Kernels are linked to the functions of this library when they are loaded.
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&PyInit__emu), &info)) dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  PyObject *module = PyModule_Create(&definition);
  PyObject *vectors = Py_BuildValue("("
#define ALSO(...)
#define ANY(name, ...) "s"
#include "any_vector_function.inc.h"
                                    ")"
#undef ANY
#define ANY(name, ...) , #name
#include "any_vector_function.inc.h"
  );
#undef ANY
#undef ALSO
  if (module && (!vectors || PyModule_AddObjectRef(module, "VECTORS", vectors) < 0)) Py_CLEAR(module);
  Py_XDECREF(vectors);
  if (module && PyModule_AddStringConstant(module, "SOURCES_HASH", TTL_SOURCES_HASH) < 0) Py_CLEAR(module);
  return module;
}
