// Values: references to data that pass from block to block.
#include <cstdlib>

#include "fields.h"
#include "pool.h"

namespace ttl::core {

namespace {

// Memory of computed values is kept for the next ones, up to this many bytes.
constexpr int64_t kMostPooled = 32 << 20;

std::unordered_map<int64_t, std::vector<char *>> pool;
int64_t pooled = 0;
PyObject *asarray, *ascontiguous;

}  // namespace

char *pool_allocate(int64_t bytes) {
  auto &free = pool[bytes];
  if (!free.empty()) {
    char *data = free.back();
    free.pop_back();
    pooled -= bytes;
    return data;
  }
  return static_cast<char *>(std::aligned_alloc(64, static_cast<size_t>((bytes + 63) / 64 * 64)));
}

void pool_free(char *data, int64_t bytes) {
  if (pooled + bytes > kMostPooled) {
    std::free(data);
    return;
  }
  pooled += bytes;
  pool[bytes].push_back(data);
}

// --- Value --------------------------------------------------------------------------------------------------

static void drop_memory(Value *value) {
  if (value->block_bytes && value->data) pool_free(value->data, value->block_bytes);
  value->block_bytes = 0;
  value->data = nullptr;
  delete value->outer;
  value->outer = nullptr;
  clear(value->owner);
}

// What an array must be for the machine to read it as a value of this type without looking at it again.
static bool fits(const Value *value, const Py_buffer &view, Format format) {
  const TypeInfo *type = value->type;
  int rank = view.ndim;
  int64_t cols = rank ? view.shape[rank - 1] : 1, rows = rank > 1 ? view.shape[rank - 2] : 1, outer = 1;
  for (int i = 0; i < rank - 2; i++) outer *= view.shape[i];
  bool smaller = value->valid_rows >= 0;
  bool right = smaller ? cols <= type->cols && rows <= type->rows : cols == type->cols && rows == type->rows;
  if (format == kNoFormat) {
    // Integers are computed by NumPy, which keeps partial results in 64 bits.
    return right && outer == type->outer && (view.itemsize == type->itemsize || (value->exact && view.itemsize == 8));
  }
  Py_ssize_t item = format == Format::BF16 || format == Format::F16 ? 2 : 4;
  return right && outer == type->outer && view.itemsize == item;
}

static int value_set_array(PyObject *self, PyObject *array, void *) {
  auto *value = reinterpret_cast<Value *>(self);
  if (value->shown) {
    PyErr_SetString(PyExc_BufferError, "somebody looks at the memory of this value");
    return -1;
  }
  if (!array || array == Py_None) {
    drop_memory(value);
    return 0;
  }
  TypeInfo *type = value->type;
  Py_buffer view;
  PyObject *held = Py_NewRef(array);
  for (int attempt = 0;; attempt++) {
    if (PyObject_GetBuffer(held, &view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) {
      Py_DECREF(held);
      return -1;
    }
    int last = view.ndim - 1;
    bool plain = view.ndim < 1 || view.shape[last] == 1 || view.strides[last] == view.itemsize;
    for (int i = 0; i < last; i++) plain = plain && (view.shape[i] == 1 || view.strides[i] > 0);
    for (int i = 0; i + 3 < view.ndim; i++)  // outer dimensions that collapse
      plain = plain && view.strides[i] == view.strides[i + 1] * view.shape[i + 1];
    if (plain || attempt) break;
    PyBuffer_Release(&view);
    PyObject *copy = PyObject_CallOneArg(ascontiguous, held);
    Py_DECREF(held);
    if (!copy) return -1;
    held = copy;
  }
  bool floats = view.format && view.format[0] == 'f' && view.itemsize == 4;
  Format format = !type->is_float ? kNoFormat : floats && type->itemsize != 4 ? Format::F32 : type->format;
  if (value->exact && type->is_float) format = Format::F32;
  if (!fits(value, view, format)) {
    PyBuffer_Release(&view);
    Py_DECREF(held);
    PyErr_SetString(PyExc_ValueError, "an array of another shape or element type than the value");
    return -1;
  }
  drop_memory(value);
  int rank = view.ndim;
  value->data = static_cast<char *>(view.buf);
  value->cols = rank ? static_cast<int32_t>(view.shape[rank - 1]) : 1;
  value->rows = rank > 1 ? static_cast<int32_t>(view.shape[rank - 2]) : 1;
  value->row_stride = rank > 1 ? view.strides[rank - 2] : view.len;
  value->outer_count = 1;
  for (int i = 0; i < rank - 2; i++) value->outer_count *= view.shape[i];
  value->outer_stride = rank > 2 ? view.strides[rank - 3] : 0;
  value->format = format;
  PyBuffer_Release(&view);
  value->owner = held;
  value->pending = 0;
  return 0;
}

// Memory as it was when the value was read, even if the tensor changed since.
char *value_data(const Value *value) {
  const Storage *storage = value->storage;
  if (!storage || !value->data || storage->region->epoch == value->epoch || !storage->old_base) return value->data;
  int64_t offset = value->data - storage->base;
  return 0 <= offset && offset < storage->nbytes ? storage->old_base + offset : value->data;
}

namespace {

// What the buffer protocol shows: shape and strides belong to the exporter of each view.
struct Shown {
  Py_ssize_t shape[kMaxRank], strides[kMaxRank];
};

// What NumPy reads a value through. Not the value itself: slices and blocks' data are no bytes to programs.
struct Window {
  PyObject_HEAD
  Value *value;
};

int value_buffer(PyObject *self, Py_buffer *view, int flags) {
  Value *value = reinterpret_cast<Window *>(self)->value;
  if (!value->data) {
    PyErr_SetString(PyExc_BufferError, "a value that is not computed");
    view->obj = nullptr;
    return -1;
  }
  TypeInfo *type = value->type;
  const char *format = "B";
  Py_ssize_t item = type->itemsize;
  if (type->is_float) {
    item = value->format == Format::BF16 || value->format == Format::F16 ? 2 : 4;
    format = value->format == Format::BF16 ? "H" : value->format == Format::F16 ? "e" : "f";
  } else {
    bool is_signed = true;
    PyObject *kind = PyObject_GetAttrString(type->storage, "kind");
    if (kind && PyUnicode_Check(kind)) is_signed = PyUnicode_CompareWithASCIIString(kind, "i") == 0;
    Py_XDECREF(kind);
    if (!kind) PyErr_Clear();
    format = item == 4 ? (is_signed ? "i" : "I") : item == 2 ? (is_signed ? "h" : "H") : is_signed ? "b" : "B";
  }
  auto *shown = new Shown();
  int rank = type->rank;
  if (value->storage && value->storage->rank < rank && !value->owner) rank = value->storage->rank;
  int64_t total = 1;
  for (int i = 0; i < rank; i++) {
    shown->shape[i] = i == rank - 1 ? value->cols : i == rank - 2 ? value->rows : type->elements[i];
    total *= shown->shape[i];
  }
  if (rank > 0) shown->strides[rank - 1] = item;
  if (rank > 1) shown->strides[rank - 2] = value->row_stride;
  int64_t stride = value->outer_stride;
  int next = value->outer ? value->outer->rank - 1 : -1;
  int64_t left = next >= 0 ? value->outer->extent[next] : 0;
  if (next >= 0) stride = value->outer->stride[next];
  for (int i = rank - 3; i >= 0; i--) {
    shown->strides[i] = shown->shape[i] == 1 ? item : stride;
    if (shown->shape[i] == 1) continue;
    stride *= shown->shape[i];
    if (next >= 0) {
      left /= shown->shape[i];
      if (left == 1 && next > 0) {
        stride = value->outer->stride[--next];
        left = value->outer->extent[next];
      }
    }
  }
  *view = {};
  view->obj = Py_NewRef(self);
  view->buf = value_data(value);
  view->len = total * item;
  view->itemsize = item;
  view->format = const_cast<char *>(format);
  view->ndim = rank;
  view->shape = shown->shape;
  view->strides = shown->strides;
  view->internal = shown;
  view->readonly = 1;
  bool strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  bool in_order = !strided || (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS ||
                  (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
  bool by_columns = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
  if ((flags & PyBUF_WRITABLE) || (in_order && !PyBuffer_IsContiguous(view, 'C')) ||
      (by_columns && !PyBuffer_IsContiguous(view, 'F'))) {
    delete shown;
    Py_CLEAR(view->obj);
    PyErr_SetString(PyExc_BufferError, "a view of this kind cannot be given of a value");
    return -1;
  }
  if (!(flags & PyBUF_FORMAT)) view->format = nullptr;
  if (!(flags & PyBUF_ND)) view->shape = nullptr;
  if (!strided) view->strides = nullptr;
  value->shown++;
  return 0;
}

void value_unbuffer(PyObject *self, Py_buffer *view) {
  reinterpret_cast<Window *>(self)->value->shown--;
  delete static_cast<Shown *>(view->internal);
}

PyBufferProcs value_as_buffer = {value_buffer, value_unbuffer};

void window_dealloc(PyObject *self) {
  clear(reinterpret_cast<Window *>(self)->value);
  PyObject_Free(self);
}

PyTypeObject WindowType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Window",
    .tp_basicsize = sizeof(Window),
    .tp_dealloc = window_dealloc,
    .tp_as_buffer = &value_as_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

}  // namespace

bool memory_setup() { return PyType_Ready(&WindowType) == 0; }

static PyObject *value_array(PyObject *self, void *) {
  auto *value = reinterpret_cast<Value *>(self);
  if (!value->data) Py_RETURN_NONE;
  if (value->owner) return Py_NewRef(value->owner);
  auto *window = PyObject_New(Window, &WindowType);
  if (!window) return nullptr;
  window->value = incref(value);
  PyObject *view = PyMemoryView_FromObject(as_object(window));
  Py_DECREF(window);
  PyObject *array = view ? PyObject_CallOneArg(asarray, view) : nullptr;
  Py_XDECREF(view);
  return array;
}

static PyObject *value_type(PyObject *self, void *) {
  TypeInfo *type = reinterpret_cast<Value *>(self)->type;
  return none_or(type ? type->type : nullptr);
}

static PyObject *value_valid(PyObject *self, void *) {
  auto *value = reinterpret_cast<Value *>(self);
  if (value->valid_rows < 0) Py_RETURN_NONE;
  return Py_BuildValue("ii", value->valid_rows, value->valid_cols);
}

static int value_init(PyObject *self, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"type", "valid", "array", "root", "storage", "epoch", "exact", nullptr};
  auto *value = reinterpret_cast<Value *>(self);
  PyObject *type, *valid, *array, *root = Py_None, *storage = Py_None;
  long long epoch = 0;
  int exact = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO|OOLp", const_cast<char **>(names), &type, &valid, &array, &root,
                                   &storage, &epoch, &exact))
    return -1;
  value->type = type_info(type);
  if (!value->type) return -1;
  value->exact = static_cast<char>(exact);
  value->epoch = epoch;
  value->valid_rows = value->valid_cols = -1;
  value->format = exact && value->type->is_float ? Format::F32 : value->type->format;
  if (valid != Py_None && !PyArg_ParseTuple(valid, "ii", &value->valid_rows, &value->valid_cols)) return -1;
  if (storage != Py_None) {
    if (!PyObject_TypeCheck(storage, &StorageType) || !reinterpret_cast<Storage *>(storage)->region) {
      PyErr_SetString(PyExc_TypeError, "storage");
      return -1;
    }
    assign(value->storage, reinterpret_cast<Storage *>(storage));
  }
  if (root != Py_None && !is_expr(root)) {
    PyErr_SetString(PyExc_TypeError, "root");
    return -1;
  }
  if (root != Py_None) assign(value->root, reinterpret_cast<Expr *>(root));
  return value_set_array(self, array, nullptr);
}

void release(Value *value) {
  drop_memory(value);
  clear(value->storage);
  clear(value->root);
}

static PyGetSetDef value_getset[] = {
    {"type", value_type, nullptr, "Type of a block that holds it.", nullptr},
    {"array", value_array, value_set_array, "In storage type, without padding; None: not computed.", nullptr},
    {"valid", value_valid, nullptr, "Rows and columns that are not padding; None: all.", nullptr},
    {"root", get_object<offsetof(Value, root)>, nullptr, "The expression that yields it.", nullptr},
    {"storage", get_object<offsetof(Value, storage)>, nullptr, "The tensor it is a view of.", nullptr},
    {}};
static PyMemberDef value_members[] = {{"epoch", T_LONGLONG, offsetof(Value, epoch), READONLY, nullptr},
                                      {"exact", T_BOOL, offsetof(Value, exact), READONLY, "Not rounded."},
                                      {}};

PyTypeObject ValueType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Value",
    .tp_basicsize = sizeof(Value),
    .tp_dealloc = released<Value>,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "Data of a block.",
    .tp_members = value_members,
    .tp_getset = value_getset,
    .tp_init = already_made,
    .tp_new = made_whole<untracked_new, value_init>,
};

PyObject *configure_arrays(PyObject *, PyObject *args) {
  PyObject *first, *second;
  if (!PyArg_ParseTuple(args, "OO", &first, &second)) return nullptr;
  assign(asarray, first);
  assign(ascontiguous, second);
  Py_RETURN_NONE;
}

}  // namespace ttl::core
