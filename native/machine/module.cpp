// The extension module ttl._machine: the machine's interface for C (`_api`) and for Python (tests).
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <exception>
#include <vector>

#include "pool.h"
#include "program.h"

#ifndef TTL_SOURCES_HASH
#define TTL_SOURCES_HASH ""
#endif

namespace ttl::machine {

namespace {

constexpr const char *kProgramCapsule = "ttl._machine.program";

// --- for C --------------------------------------------------------------------------------------------------

Program *compile(const char *code, size_t size) {
  try {
    return decode(code, size).release();
  } catch (const std::exception &) {  // out of memory
    return nullptr;
  }
}

void destroy(Program *program) { delete program; }

void run(const Program *program, const Task *tasks, size_t count, int32_t threads) {
  run_tasks(*program, tasks, count, threads);
}

constexpr Api kApi = {kApiVersion, compile, destroy, run};

// --- for Python ---------------------------------------------------------------------------------------------

void forget_program(PyObject *capsule) {
  destroy(static_cast<Program *>(PyCapsule_GetPointer(capsule, kProgramCapsule)));
}

PyObject *py_compile(PyObject *, PyObject *argument) {
  char *code = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(argument, &code, &size) < 0) return nullptr;
  Program *program = compile(code, static_cast<size_t>(size));
  if (!program) {
    PyErr_SetString(PyExc_ValueError, "not a program of this machine");
    return nullptr;
  }
  PyObject *capsule = PyCapsule_New(program, kProgramCapsule, forget_program);
  if (!capsule) destroy(program);
  return capsule;
}

// The arrays of a run, released when it is over.
class Buffers {
 public:
  Buffers() = default;
  ~Buffers() {
    for (Py_buffer &each : held_) PyBuffer_Release(&each);
  }
  Buffers(const Buffers &) = delete;
  Buffers &operator=(const Buffers &) = delete;

  // The memory of an array that fits `extents`. False with an error set.
  bool add(PyObject *object, const Extents &extents, bool written, Operand *operand) {
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, written ? PyBUF_STRIDED : PyBUF_STRIDED_RO) < 0) return false;
    held_.push_back(view);
    const int rank = view.ndim;
    int64_t outer = 1;
    for (int dim = 0; dim < rank - 2; ++dim) outer *= view.shape[dim];
    const int64_t rows = rank > 1 ? view.shape[rank - 2] : 1, cols = rank > 0 ? view.shape[rank - 1] : 1;
    const bool contiguous_rows = rank == 0 || cols == 1 || view.strides[rank - 1] == view.itemsize;
    if (view.itemsize != size_of(extents.format) || outer != extents.outer || rows != extents.rows ||
        cols != extents.cols || !contiguous_rows) {
      PyErr_SetString(PyExc_ValueError,
                      "an array does not fit the program: its shape, its element size or gaps in rows");
      return false;
    }
    int64_t stride = 0;  // of the outer dimensions, as one
    for (int dim = rank - 3; dim >= 0; --dim) {
      if (view.shape[dim] == 1) continue;
      if (stride == 0) stride = view.strides[dim];
    }
    int64_t expected = stride;
    for (int dim = rank - 3; dim >= 0; --dim) {
      if (view.shape[dim] == 1) continue;
      if (view.strides[dim] != expected) {
        PyErr_SetString(PyExc_ValueError, "the outer dimensions of an array have no common stride");
        return false;
      }
      expected = view.strides[dim] * view.shape[dim];
    }
    const int64_t row_stride = rank > 1 ? view.strides[rank - 2] : 0;
    *operand = Operand{static_cast<char *>(view.buf), row_stride, stride};
    return true;
  }

 private:
  std::vector<Py_buffer> held_;
};

bool add_task(const Program &program, PyObject *item, Buffers &buffers, std::vector<Operand> &operands, Operand *out) {
  PyObject *leaves = nullptr, *result = nullptr;
  if (!PyArg_ParseTuple(item, "OO;a task is (leaves, result)", &leaves, &result)) return false;
  PyObject *fast = PySequence_Fast(leaves, "the leaves of a task are a sequence of arrays");
  if (!fast) return false;
  const auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(fast));
  bool fits = count == program.leaves.size();
  if (!fits) PyErr_Format(PyExc_ValueError, "the program has %zu leaves, the task %zu", program.leaves.size(), count);
  for (size_t i = 0; fits && i < count; ++i) {
    operands.emplace_back();
    fits = buffers.add(PySequence_Fast_GET_ITEM(fast, static_cast<Py_ssize_t>(i)), program.leaves[i], false,
                       &operands.back());
  }
  Py_DECREF(fast);
  return fits && buffers.add(result, program.result, true, out);
}

PyObject *run_list(const Program &program, PyObject *list, int threads) {
  Buffers buffers;
  std::vector<Operand> operands;
  std::vector<Task> tasks;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
  operands.reserve(static_cast<size_t>(count) * program.leaves.size());  // tasks point into it
  for (Py_ssize_t i = 0; i < count; ++i) {
    Task task{operands.data() + operands.size(), {}};
    if (!add_task(program, PySequence_Fast_GET_ITEM(list, i), buffers, operands, &task.out)) return nullptr;
    tasks.push_back(task);
  }
  Py_BEGIN_ALLOW_THREADS
  run_tasks(program, tasks.data(), tasks.size(), threads);
  Py_END_ALLOW_THREADS
  Py_RETURN_NONE;
}

PyObject *py_run(PyObject *, PyObject *arguments, PyObject *keywords) {
  static const char *names[] = {"program", "tasks", "threads", nullptr};
  PyObject *capsule = nullptr, *given = nullptr;
  int threads = 1;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|i", const_cast<char **>(names), &capsule, &given, &threads))
    return nullptr;
  const auto *program = static_cast<Program *>(PyCapsule_GetPointer(capsule, kProgramCapsule));
  if (!program) return nullptr;
  PyObject *list = PySequence_Fast(given, "tasks are a sequence of (leaves, result)");
  if (!list) return nullptr;
  PyObject *done = nullptr;
  try {
    done = run_list(*program, list, threads);
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  }
  Py_DECREF(list);
  return done;
}

PyObject *py_set_isa(PyObject *, PyObject *argument) {
  const char *name = PyUnicode_AsUTF8(argument);
  if (!name) return nullptr;
  Isa isa;
  if (!isa_from_name(name, &isa) || !available(isa) || !use(isa))
    return PyErr_Format(PyExc_ValueError, "this processor has no instruction set %R", argument);
  Py_RETURN_NONE;
}

PyObject *py_isa(PyObject *, PyObject *) { return PyUnicode_FromString(name_of(active())); }

PyObject *py_isas(PyObject *, PyObject *) {
  PyObject *names = PyList_New(0);
  for (int isa = 0; names && isa < kIsaCount; ++isa) {
    if (!available(static_cast<Isa>(isa))) continue;
    PyObject *name = PyUnicode_FromString(name_of(static_cast<Isa>(isa)));
    if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
    Py_XDECREF(name);
  }
  return names;
}

PyObject *py_cores(PyObject *, PyObject *) { return PyLong_FromLong(core_count()); }

template <typename F>
PyCFunction as_function(F function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"compile", py_compile, METH_O, "A program from its bytes. ValueError when they are not one."},
    {"run", as_function(py_run), METH_VARARGS | METH_KEYWORDS, "Run tasks, each (leaves, result), on arrays."},
    {"set_isa", py_set_isa, METH_O, "Use this instruction set of the processor from now on."},
    {"isa", py_isa, METH_NOARGS, "The instruction set in use."},
    {"isas", py_isas, METH_NOARGS, "The instruction sets of this processor, plain first."},
    {"cores", py_cores, METH_NOARGS, "How many threads `threads=0` stands for."},
    {nullptr, nullptr, 0, nullptr},
};

// Opcodes by name; and the names of those of two operands, of which operands and result may be bfloat16 or not, and of those
// of one operand that may be bfloat16, and the result if it is.
bool add_opcodes(PyObject *module) {
  PyObject *opcodes = PyDict_New(), *hot = PyList_New(0), *binary = PyList_New(0), *tabled = PyList_New(0);
  bool good = opcodes && hot && binary && tabled;
  const auto add = [&](const char *name, Opcode op, PyObject *list) {
    PyObject *number = PyLong_FromLong(static_cast<long>(op)), *text = PyUnicode_FromString(name);
    good = good && number && text && PyDict_SetItem(opcodes, text, number) == 0 && (!list || PyList_Append(list, text) == 0);
    Py_XDECREF(number);
    Py_XDECREF(text);
  };
#define TTL_ADD(name, ...) add(#name, Opcode::name, nullptr);
#define TTL_F1 TTL_ADD
#define TTL_F1_OWN TTL_ADD
#define TTL_BY_EXP TTL_ADD
#define TTL_F1_TABLED(name, ...) add(#name, Opcode::name, tabled);
#define TTL_BY_EXP_TABLED TTL_F1_TABLED
#define TTL_BY_EXP_OWN TTL_ADD
#define TTL_HOT(name, ...) add(#name, Opcode::name, hot);
#define TTL_F2(name, ...) add(#name, Opcode::name, binary);
#include "elementwise_functions.inc.h"
  TTL_OTHER(TTL_ADD)
#undef TTL_ADD
  good = good && PyModule_AddObjectRef(module, "OPCODES", opcodes) == 0 && PyModule_AddObjectRef(module, "HOT", hot) == 0 &&
         PyModule_AddObjectRef(module, "BINARY", binary) == 0 && PyModule_AddObjectRef(module, "TABLED", tabled) == 0;
  Py_XDECREF(opcodes);
  Py_XDECREF(hot);
  Py_XDECREF(binary);
  Py_XDECREF(tabled);
  return good;
}

int fill_module(PyObject *module) {
  PyObject *api = PyCapsule_New(const_cast<Api *>(&kApi), kCapsule, nullptr);
  if (!api) return -1;
  const int added = PyModule_AddObjectRef(module, "_api", api);
  Py_DECREF(api);
  if (added < 0 || PyModule_AddStringConstant(module, "SOURCES_HASH", TTL_SOURCES_HASH) < 0 ||
      PyModule_AddIntConstant(module, "CODE_VERSION", kCodeVersion) < 0)
    return -1;
  return add_opcodes(module) ? 0 : -1;
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void *>(fill_module)},
    {0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "ttl._machine", "Runs programs over blocks.", 0, methods, slots, nullptr, nullptr, nullptr,
};

}  // namespace

}  // namespace ttl::machine

PyMODINIT_FUNC PyInit__machine() { return PyModuleDef_Init(&ttl::machine::definition); }
