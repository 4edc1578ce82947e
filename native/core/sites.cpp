// Where the user's code is: read from the interpreter's frames without making frame objects of them.
#define PY_SSIZE_T_CLEAN
#ifndef Py_BUILD_CORE_MODULE
#define Py_BUILD_CORE_MODULE 1
#endif
#include <Python.h>
#if PY_VERSION_HEX < 0x030E0000
#include <internal/pycore_frame.h>
#define TTL_READS_FRAMES 1
#endif

#include "core.h"

namespace ttl::core {

namespace {

// Whether a file belongs to this package; file names are few and compared by identity first.
bool is_ours(PyObject *file) {
  static PyObject *seen[64];
  static bool ours[64];
  size_t slot = (reinterpret_cast<uintptr_t>(file) >> 4) % 64;
  if (seen[slot] == file) return ours[slot];
  bool result = classes.package_folder && PyUnicode_Check(file) &&
                PyUnicode_Tailmatch(file, classes.package_folder, 0, PY_SSIZE_T_MAX, -1) == 1 &&
                !(classes.operations_folder &&
                  PyUnicode_Tailmatch(file, classes.operations_folder, 0, PY_SSIZE_T_MAX, -1) == 1);
  Py_XDECREF(seen[slot]);
  seen[slot] = Py_NewRef(file);
  ours[slot] = result;
  return result;
}

}  // namespace

#ifdef TTL_READS_FRAMES

#if PY_VERSION_HEX >= 0x030D0000
#define TTL_CODE(frame) reinterpret_cast<PyCodeObject *>((frame)->f_executable)
#define TTL_CURRENT() PyThreadState_Get()->current_frame
#else
#define TTL_CODE(frame) (frame)->f_code
#define TTL_CURRENT() PyThreadState_Get()->cframe->current_frame
#endif

static bool site_of(Site *site, bool of_user) {
  for (_PyInterpreterFrame *frame = TTL_CURRENT(); frame; frame = frame->previous) {
    PyObject *code = reinterpret_cast<PyObject *>(TTL_CODE(frame));
    if (!code || !PyCode_Check(code)) continue;  // a shim of the interpreter
    if (of_user && is_ours(TTL_CODE(frame)->co_filename)) continue;
    site->code = TTL_CODE(frame);
    site->lasti = _PyInterpreterFrame_LASTI(frame) * static_cast<int>(sizeof(_Py_CODEUNIT));
    return true;
  }
  return false;
}

#else

static bool site_of(Site *site, bool of_user) {
  PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame) {
    PyCodeObject *code = PyFrame_GetCode(frame);
    bool ours = of_user && is_ours(code->co_filename);
    if (!ours) {
      site->code = code;  // the frame keeps it alive
      site->lasti = PyFrame_GetLasti(frame);
    }
    Py_DECREF(code);
    PyFrameObject *back = ours ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    if (!ours) return true;
    frame = back;
  }
  return false;
}

#endif

bool user_site(Site *site) { return site_of(site, true); }
bool innermost_site(Site *site) { return site_of(site, false); }

PyObject *site_tuple(const Site &site) {
  if (!site.code) Py_RETURN_NONE;
  return Py_BuildValue("Oi", site.code, site.lasti);
}

int site_from(Site *site, PyObject *value) {
  PyCodeObject *code = nullptr;
  int lasti = 0;
  if (value && value != Py_None && !PyArg_ParseTuple(value, "O!i", &PyCode_Type, &code, &lasti)) return -1;
  assign(site->code, code);
  site->lasti = lasti;
  return 0;
}

void site_clear(Site *site) { clear(site->code); }

}  // namespace ttl::core
