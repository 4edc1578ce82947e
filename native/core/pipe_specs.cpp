// ttl.Pipe: where a pipe goes from and to, as the program says it.
#include "fields.h"
#include "pool.h"

namespace ttl::core {

// --- ttl.Pipe -----------------------------------------------------------------------------------------------

namespace {

struct PipeSpec {
  PyObject_HEAD
  PyObject *src, *dst;
  Site site;
};

// Pipe(src=..., dst=...): every node makes all pipes of a net. Other forms are for Python.
int spec_init(PyObject *self, PyObject *args, PyObject *names) {
  auto *spec = reinterpret_cast<PipeSpec *>(self);
  PyObject *src = nullptr, *dst = nullptr;
  Py_ssize_t count = PyTuple_GET_SIZE(args), named = names ? PyDict_GET_SIZE(names) : 0;
  if (count == 0 && named == 2) {
    src = PyDict_GetItemString(names, "src");
    dst = PyDict_GetItemString(names, "dst");
  } else if (count == 2 && !named) {
    src = PyTuple_GET_ITEM(args, 0);
    dst = PyTuple_GET_ITEM(args, 1);
  }
  Site site;
  if (src && dst && src != Py_None && dst != Py_None && user_site(&site)) {
    assign(spec->src, src);
    assign(spec->dst, dst);
    assign(spec->site.code, site.code);
    spec->site.lasti = site.lasti;
    return 0;
  }
  PyObject *method = PyObject_GetAttrString(self, "_slow___init__");
  PyObject *done = method ? PyObject_Call(method, args, names) : nullptr;
  Py_XDECREF(method);
  Py_XDECREF(done);
  return done ? 0 : -1;
}
void spec_dealloc(PyObject *self) {
  auto *spec = reinterpret_cast<PipeSpec *>(self);
  clear(spec->src);
  clear(spec->dst);
  site_clear(&spec->site);
  Py_TYPE(self)->tp_free(self);
}
bool is_name(PyObject *name, const char *text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; }

// Pipe(src=..., dst=...) without a dict of the arguments; `__init__` does the rest of the forms.
PyObject *spec_call(PyObject *callable, PyObject *const *args, size_t flags, PyObject *names) {
  auto *type = reinterpret_cast<PyTypeObject *>(callable);
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  PyObject *src = nullptr, *dst = nullptr;
  if (!count && names && PyTuple_GET_SIZE(names) == 2) {
    PyObject *first = PyTuple_GET_ITEM(names, 0), *second = PyTuple_GET_ITEM(names, 1);
    if (is_name(first, "src") && is_name(second, "dst")) src = args[0], dst = args[1];
    if (is_name(first, "dst") && is_name(second, "src")) src = args[1], dst = args[0];
  }
  Site site;
  if (src && dst && src != Py_None && dst != Py_None && user_site(&site)) {
    auto *spec = reinterpret_cast<PipeSpec *>(untracked_new(type, nullptr, nullptr));
    if (!spec) return nullptr;
    spec->src = Py_NewRef(src);
    spec->dst = Py_NewRef(dst);
    spec->site = {incref(site.code), site.lasti};
    return as_object(spec);
  }
  PyObject *tuple = PyTuple_New(count), *named = names ? PyDict_New() : nullptr, *made = nullptr;
  bool good = tuple && (named || !names);
  for (Py_ssize_t i = 0; good && i < count; i++) PyTuple_SET_ITEM(tuple, i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; good && names && i < PyTuple_GET_SIZE(names); i++)
    good = PyDict_SetItem(named, PyTuple_GET_ITEM(names, i), args[count + i]) == 0;
  if (good) made = PyType_Type.tp_call(callable, tuple, named);
  Py_XDECREF(tuple);
  Py_XDECREF(named);
  return made;
}

PyGetSetDef spec_getset[] = {TTL_OBJECT(PipeSpec, src), TTL_OBJECT(PipeSpec, dst), TTL_SITE(PipeSpec, site), {}};

}  // namespace

PyTypeObject PipeSpecType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.PipeSpec",
    .tp_basicsize = sizeof(PipeSpec),
    .tp_dealloc = spec_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "What pipes are derived from.",
    .tp_getset = spec_getset,
    .tp_init = spec_init,
    .tp_new = untracked_new,
};

void pipe_class_setup(PyTypeObject *type) {
  if (PyType_IsSubtype(type, &PipeSpecType)) type->tp_vectorcall = spec_call;
}

namespace {

// Whether two parts of a coordinate or range are the same, and of a kind whose comparison runs no code of the user's.
bool is_same_plain(PyObject *a, PyObject *b) {
  if (a == b) return true;
  if (PySlice_Check(a) && PySlice_Check(b)) {
    auto *x = reinterpret_cast<PySliceObject *>(a), *y = reinterpret_cast<PySliceObject *>(b);
    return is_same_plain(x->start, y->start) && is_same_plain(x->stop, y->stop) && is_same_plain(x->step, y->step);
  }
  return PyLong_CheckExact(a) && PyLong_CheckExact(b) && PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

bool are_same_plain(PyObject *a, PyObject *b) {
  if (!PyTuple_CheckExact(a) || !PyTuple_CheckExact(b) || PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b))
    return is_same_plain(a, b);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); i++)
    if (!is_same_plain(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i))) return false;
  return true;
}

int same_nodes(PyObject *a, PyObject *b, bool plainly) {
  if (are_same_plain(a, b)) return 1;
  return plainly ? 0 : PyObject_RichCompareBool(a, b, Py_EQ);
}

}  // namespace

// same_pipes(first, second, plainly): whether two tuples of pipes have the same sources and destinations. `plainly`:
// only of numbers and slices, and no code of the user's runs.
PyObject *same_pipes(PyObject *, PyObject *args) {
  PyObject *first, *second;
  int plainly;
  if (!PyArg_ParseTuple(args, "O!O!p", &PyTuple_Type, &first, &PyTuple_Type, &second, &plainly)) return nullptr;
  int same = PyTuple_GET_SIZE(first) == PyTuple_GET_SIZE(second);
  for (Py_ssize_t i = 0; same > 0 && i < PyTuple_GET_SIZE(first); i++) {
    if (!PyObject_TypeCheck(PyTuple_GET_ITEM(first, i), &PipeSpecType) ||
        !PyObject_TypeCheck(PyTuple_GET_ITEM(second, i), &PipeSpecType)) {
      PyErr_SetString(PyExc_TypeError, "pipes are needed");
      return nullptr;
    }
    auto *a = reinterpret_cast<PipeSpec *>(PyTuple_GET_ITEM(first, i));
    auto *b = reinterpret_cast<PipeSpec *>(PyTuple_GET_ITEM(second, i));
    same = a->src && b->src && a->dst && b->dst ? same_nodes(a->src, b->src, plainly) : 0;
    if (same > 0) same = same_nodes(a->dst, b->dst, plainly);
  }
  return same < 0 ? nullptr : PyBool_FromLong(same);
}

}  // namespace ttl::core
