// Tensors of a launch, slices of them, and values: references to data that pass from block to block.
#include <algorithm>

#include "fields.h"
#include "pool.h"

namespace ttl::core {

constexpr int64_t kTile = tables::kTile;

char *slice_data(const Slice *slice) {
  const Storage *storage = slice->value.storage;
  char *data = storage->base;
  for (int i = 0; i < slice->rank; i++) {
    int64_t unit = storage->tiled && i >= slice->rank - 2 ? kTile : 1;
    data += slice->start[i] * unit * storage->strides[i];
  }
  return data;
}

namespace {

// Memory of computed values is kept for the next ones, up to this many bytes.
constexpr int64_t kMostPooled = 32 << 20;
constexpr size_t kMostWrites = 1 << 13;
// Parts of one tensor that are remembered as written.
constexpr size_t kMostRemembered = 1 << 16;

std::unordered_map<int64_t, std::vector<char *>> pool;
int64_t pooled = 0;
PyObject *asarray, *ascontiguous;

// Fill what follows from start and stop: memory, extents present, padding.
void place_slice(Slice *slice) {
  Value &value = slice->value;
  const Storage *storage = value.storage;
  int rank = slice->rank;
  int64_t present[kMaxRank], whole[kMaxRank];
  for (int i = 0; i < rank; i++) {
    bool in_tiles = storage->tiled && i >= rank - 2;
    int64_t unit = in_tiles ? kTile : 1;
    whole[i] = (slice->stop[i] - slice->start[i]) * unit;
    present[i] = in_tiles ? std::min(slice->stop[i] * unit, storage->shape[i]) - slice->start[i] * unit : whole[i];
  }
  value.data = slice_data(slice);
  value.cols = static_cast<int32_t>(present[rank - 1]);
  value.rows = rank > 1 ? static_cast<int32_t>(present[rank - 2]) : 1;
  value.row_stride = rank > 1 ? storage->strides[rank - 2] : storage->row_bytes;
  value.outer_count = 1;
  value.outer_stride = 0;
  Outer outer = {};
  for (int i = 0; i < rank - 2; i++) {
    if (present[i] == 1) continue;
    value.outer_count *= present[i];
    int last = outer.rank - 1;
    if (last >= 0 && outer.stride[last] == present[i] * storage->strides[i]) {
      outer.extent[last] *= present[i];
      outer.stride[last] = storage->strides[i];
    } else {
      outer.extent[outer.rank] = present[i];
      outer.stride[outer.rank++] = storage->strides[i];
    }
  }
  if (outer.rank == 1) value.outer_stride = outer.stride[0];
  if (outer.rank > 1) value.outer = new Outer(outer);
  bool padded = rank > 1 ? present[rank - 1] != whole[rank - 1] || present[rank - 2] != whole[rank - 2] : false;
  value.valid_rows = padded ? value.rows : -1;
  value.valid_cols = padded ? value.cols : -1;
}

TypeInfo *slice_type(Storage *storage, int64_t rows, int64_t cols) {
  for (const auto &each : *storage->known)
    if (each.rows == rows && each.cols == cols) return each.type;
  PyObject *extents = Py_BuildValue("LL", static_cast<long long>(rows), static_cast<long long>(cols));
  PyObject *type = extents ? call_slow(as_object(storage), "type_of", extents) : nullptr;
  Py_XDECREF(extents);
  TypeInfo *info = type ? type_info(type) : nullptr;
  Py_XDECREF(type);
  if (info && storage->known->size() < 64) storage->known->push_back({rows, cols, info});
  return info;
}

Slice *new_slice(Storage *storage, TypeInfo *type) {
  auto *slice = make<Slice>(classes.slice);
  if (!slice) return nullptr;
  slice->value.type = type;
  slice->value.storage = incref(storage);
  slice->value.epoch = storage->region->epoch;
  slice->value.format = type->format;
  return slice;
}

bool whole_number(PyObject *object, int64_t *value) {
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  *value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return !overflow;
}

// One index of a two-dimensional slice; false where the general way has to look at it.
bool bounds_of(PyObject *index, int64_t extent, int64_t *start, int64_t *stop, bool *single) {
  if (PySlice_Check(index)) {
    auto *range = reinterpret_cast<PySliceObject *>(index);
    *single = false;
    if (range->step != Py_None) return false;
    if (range->start == Py_None) *start = 0;
    else if (!whole_number(range->start, start)) return false;
    if (range->stop == Py_None) *stop = extent;
    else if (!whole_number(range->stop, stop)) return false;
  } else {
    if (!whole_number(index, start)) return false;
    *stop = *start + 1;
    *single = true;
  }
  return 0 <= *start && *start < *stop && *stop <= extent;
}

// tensor[index] in a kernel; null without an error: the general way.
PyObject *fast_slice(Storage *storage, PyObject *index) {
  int rank = storage->rank;
  if (!PyTuple_CheckExact(index) || PyTuple_GET_SIZE(index) != rank || rank < 1 || (storage->tiled && rank < 2))
    return nullptr;
  int64_t start[kMaxRank], stop[kMaxRank];
  bool single[kMaxRank], integers = false;
  for (int i = 0; i < rank; i++) {
    int64_t extent = storage->shape[i];
    if (storage->tiled && i >= rank - 2) extent = (extent + kTile - 1) / kTile;
    if (!bounds_of(PyTuple_GET_ITEM(index, i), extent, &start[i], &stop[i], &single[i])) return nullptr;
    integers |= single[i];
  }
  TypeInfo *type;
  if (rank == 2) {
    type = slice_type(storage, stop[0] - start[0], stop[1] - start[1]);
  } else {
    PyObject *extents = PyTuple_New(rank);
    for (int i = 0; extents && i < rank; i++)
      PyTuple_SET_ITEM(extents, i, PyLong_FromLongLong(stop[i] - start[i]));
    PyObject *known = extents && storage->types ? PyDict_GetItemWithError(storage->types, extents) : nullptr;
    PyObject *found = known ? Py_NewRef(known) : extents ? call_slow(as_object(storage), "type_of", extents) : nullptr;
    Py_XDECREF(extents);
    type = found ? type_info(found) : nullptr;
    Py_XDECREF(found);
  }
  // The type may have been asked of Python, which could have changed the storage.
  Slice *slice = type && storage->rank == rank && storage->base ? new_slice(storage, type) : nullptr;
  if (!slice) return nullptr;
  slice->rank = rank;
  slice->integers = integers;
  for (int i = 0; i < rank; i++) {
    slice->start[i] = start[i];
    slice->stop[i] = stop[i];
    slice->single[i] = single[i];
  }
  place_slice(slice);
  return as_object(slice);
}

int storage_attach(Storage *storage, PyObject *array) {
  Py_buffer view;
  if (!array) {
    PyErr_SetString(PyExc_TypeError, "this attribute cannot be removed");
    return -1;
  }
  if (PyObject_GetBuffer(array, &view, PyBUF_STRIDED_RO) < 0) return -1;
  bool good = view.ndim >= 1 && view.ndim <= kMaxRank && PyBuffer_IsContiguous(&view, 'C');
  if (good) {
    storage->base = static_cast<char *>(view.buf);
    storage->nbytes = view.len;
    storage->itemsize = static_cast<int32_t>(view.itemsize);
    storage->rank = view.ndim;
    for (int i = 0; i < view.ndim; i++) {
      storage->shape[i] = view.shape[i];
      storage->strides[i] = view.strides[i];
    }
    storage->row_bytes = view.shape[view.ndim - 1] * view.itemsize;
  } else {
    PyErr_SetString(PyExc_ValueError, "the memory of a tensor is not contiguous");
  }
  PyBuffer_Release(&view);
  return good ? 0 : -1;
}

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

// --- reading and writing ------------------------------------------------------------------------------------

Value *memory_read(Engine *, Slice *slice, TypeInfo *type) {
  Storage *storage = slice->value.storage;
  Region *region = storage->region;
  if (region->written || slice->value.epoch != region->epoch) return nullptr;
  if (slice->value.type == type) {
    region->read = 1;
    return incref(&slice->value);
  }
  int surplus = slice->rank - type->rank;
  if (surplus <= 0 || (storage->tiled && type->rank < 2)) return nullptr;
  for (int i = 0; i < surplus; i++)
    if (!slice->single[i]) return nullptr;
  if (type->rank == 1 && slice->value.rows != 1) return nullptr;
  region->read = 1;
  auto *value = make<Value>(classes.value);
  if (!value) return nullptr;
  value->type = type;
  value->storage = incref(storage);
  value->epoch = region->epoch;
  value->format = slice->value.format;
  value->data = slice->value.data;
  value->row_stride = slice->value.row_stride;
  value->outer_stride = slice->value.outer_stride;
  value->outer_count = slice->value.outer_count;
  value->outer = slice->value.outer ? new Outer(*slice->value.outer) : nullptr;
  value->rows = slice->value.rows;
  value->cols = slice->value.cols;
  value->valid_rows = slice->value.valid_rows;
  value->valid_cols = slice->value.valid_cols;
  return value;
}

namespace {

uint64_t bounds_key(const WriteRecord &record, int rank) {
  uint64_t key = 1469598103934665603ull;
  for (int i = 0; i < rank; i++) {
    key = (key ^ static_cast<uint64_t>(record.start[i])) * 1099511628211ull;
    key = (key ^ static_cast<uint64_t>(record.stop[i])) * 1099511628211ull;
  }
  return key;
}

// Marks what a slice covers, in units of tiles (or of 32 elements of a row). Whether any of it was marked before.
bool mark(Storage *storage, const Slice *slice) {
  int rank = slice->rank;
  int64_t unit = storage->tiled ? 1 : kTile;
  int64_t first_col = slice->start[rank - 1] / unit, last_col = (slice->stop[rank - 1] + unit - 1) / unit;
  int64_t first_row = rank > 1 ? slice->start[rank - 2] : 0, last_row = rank > 1 ? slice->stop[rank - 2] : 1;
  int64_t index[kMaxRank] = {};
  for (int i = 0; i < rank - 2; i++) index[i] = slice->start[i];
  bool again = false;
  for (;;) {
    int64_t matrix = 0;
    for (int i = 0; i < rank - 2; i++) matrix = matrix * storage->shape[i] + index[i];
    for (int64_t row = first_row; row < last_row; row++) {
      uint8_t *marks = storage->marks->data() + (matrix * storage->mark_rows + row) * storage->marks_per_row;
      for (int64_t col = first_col; col < last_col; col++) {
        again |= marks[col] != 0;
        marks[col] = 1;
      }
    }
    int i = rank - 3;
    while (i >= 0 && ++index[i] == slice->stop[i]) {
      index[i] = slice->start[i];
      i--;
    }
    if (i < 0) return again;
  }
}

// Notes who wrote a part, as long as nobody reads the tensor. 2: it was written before, by `first`; 1: some of it was.
int note_written(Storage *storage, Slice *slice, Kernel *kernel, const Site &site, WriteRecord *first) {
  int rank = slice->rank;
  if (!storage->marks) {
    int64_t matrices = 1, rows = rank > 1 ? storage->shape[rank - 2] : 1;
    for (int i = 0; i < rank - 2; i++) matrices *= storage->shape[i];
    storage->mark_rows = storage->tiled ? (rows + kTile - 1) / kTile : rows;
    storage->marks_per_row = (storage->shape[rank - 1] + kTile - 1) / kTile;
    storage->marks = new std::vector<uint8_t>(
        static_cast<size_t>(matrices * storage->mark_rows * storage->marks_per_row));
    storage->writes = new std::vector<WriteRecord>();
  }
  WriteRecord record = {};
  for (int i = 0; i < rank; i++) {
    record.start[i] = slice->start[i];
    record.stop[i] = slice->stop[i];
  }
  bool again = mark(storage, slice);
  if (again) {
    if (!storage->by_bounds) {
      storage->by_bounds = new std::unordered_map<uint64_t, size_t>();
      for (size_t i = 0; i < storage->writes->size(); i++)
        storage->by_bounds->emplace(bounds_key((*storage->writes)[i], rank), i);
    }
    auto known = storage->by_bounds->find(bounds_key(record, rank));
    if (known != storage->by_bounds->end()) {
      *first = (*storage->writes)[known->second];
      return 2;
    }
  }
  if (storage->writes->size() >= kMostRemembered) return again;
  record.kernel = kernel;
  record.code = incref(site.code);
  record.lasti = site.lasti;
  if (storage->by_bounds) storage->by_bounds->emplace(bounds_key(record, rank), storage->writes->size());
  storage->writes->push_back(record);
  return again;
}

// Notes a write to memory that nobody reads, and warns of what was written before.
int check_overwrite(Engine *engine, Slice *slice, const Site &site) {
  Storage *storage = slice->value.storage;
  WriteRecord first;
  int before = note_written(storage, slice, engine->current, site, &first);
  if (before) storage->region->overlapped = 1;
  if (before != 2) return 0;
  PyObject *done = PyObject_CallMethod(engine->memory, "note_overwrite", "O(O(Oi))(O(Oi))", slice, first.kernel,
                                       first.code, first.lasti, engine->current, site.code, site.lasti);
  Py_XDECREF(done);
  return done ? 0 : -1;
}

}  // namespace

int memory_write(Engine *engine, Value *value, Slice *slice, TypeInfo *type, const Site &site) {
  Storage *storage = slice->value.storage;
  Region *region = storage->region;
  if (!storage->writable || (region->read && !region->hazard)) return 0;
  int surplus = slice->rank - type->rank;
  if (surplus < 0) return 0;
  for (int i = 0; i < surplus; i++)
    if (!slice->single[i]) return 0;
  if (type->rank == 1 && slice->value.rows != 1) return 0;
  region->written = 1;
  if (!region->hazard && check_overwrite(engine, slice, site) < 0) return -1;
  Pending *pending = engine->pending;
  if (!pending) {
    PyErr_SetString(PyExc_RuntimeError, "the launch is over");
    return -1;
  }
  region->pending_writes++;
  Write write = {incref(slice), nullptr, incref(storage), incref(value), false};
  pending->writes->push_back(write);
  // What only copies records no tasks that would be counted.
  if (pending->writes->size() > kMostWrites && pending_flush(pending) < 0) return -1;
  return 1;
}

// write(engine, value, slice, type, site): record a write to memory that is open for writing; False: the memory of the
// slice is irregular, and only that it was written is noted.
PyObject *write(PyObject *, PyObject *args) {
  PyObject *engine, *value, *slice, *type, *place;
  Site site;
  if (!PyArg_ParseTuple(args, "O!O!O!OO", &EngineType, &engine, &ValueType, &value, &SliceType, &slice, &type, &place) ||
      site_from(&site, place) < 0)
    return nullptr;
  auto *to = reinterpret_cast<Slice *>(slice);
  TypeInfo *info = type_info(type);
  int done = info ? memory_write(reinterpret_cast<Engine *>(engine), reinterpret_cast<Value *>(value), to, info, site) : -1;
  if (!done) {
    to->value.storage->region->written = 1;
    if (!to->value.storage->region->hazard)
      done = check_overwrite(reinterpret_cast<Engine *>(engine), to, site) < 0 ? -1 : 0;
  }
  site_clear(&site);
  return done < 0 ? nullptr : PyBool_FromLong(done);
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
static void value_dealloc(PyObject *self) {
  release(reinterpret_cast<Value *>(self));
  Py_TYPE(self)->tp_free(self);
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
    .tp_dealloc = value_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "Data of a block.",
    .tp_members = value_members,
    .tp_getset = value_getset,
    .tp_init = already_made,
    .tp_new = made_whole<untracked_new, value_init>,
};

// --- Slice --------------------------------------------------------------------------------------------------

static int slice_init(PyObject *self, PyObject *args, PyObject *) {
  auto *slice = reinterpret_cast<Slice *>(self);
  PyObject *storage, *bounds, *extents, *single;
  if (!PyArg_ParseTuple(args, "O!O!O!O!", &StorageType, &storage, &PyTuple_Type, &bounds, &PyTuple_Type, &extents,
                        &PyTuple_Type, &single))
    return -1;
  auto *from = reinterpret_cast<Storage *>(storage);
  slice->rank = static_cast<int32_t>(PyTuple_GET_SIZE(bounds));
  if (!from->region || !from->base || slice->rank != from->rank || (from->tiled && from->rank < 2)) {
    PyErr_Format(PyExc_ValueError, "a slice of %d dimensions of a tensor of %d", slice->rank, from->rank);
    return -1;
  }
  PyObject *type = call_slow(storage, "type_of", extents);
  if (!type) return -1;
  slice->value.type = type_info(type);
  Py_DECREF(type);
  if (!slice->value.type) return -1;
  assign(slice->value.storage, from);
  slice->value.epoch = from->region->epoch;
  slice->value.format = slice->value.type->format;
  for (int i = 0; i < slice->rank; i++) {
    long long start, stop;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(bounds, i), "LL", &start, &stop)) return -1;
    int64_t extent = from->shape[i];
    if (from->tiled && i >= slice->rank - 2) extent = (extent + kTile - 1) / kTile;
    if (start < 0 || start >= stop || stop > extent) {
      PyErr_SetString(PyExc_ValueError, "bounds of a slice outside its tensor");
      return -1;
    }
    slice->start[i] = start;
    slice->stop[i] = stop;
    slice->single[i] = i < PyTuple_GET_SIZE(single) && PyTuple_GET_ITEM(single, i) == Py_True;
    slice->integers |= slice->single[i];
  }
  place_slice(slice);
  return 0;
}

static PyObject *slice_bounds(PyObject *self, void *) {
  auto *slice = reinterpret_cast<Slice *>(self);
  PyObject *result = PyTuple_New(slice->rank);
  for (int i = 0; result && i < slice->rank; i++)
    PyTuple_SET_ITEM(result, i, Py_BuildValue("LL", slice->start[i], slice->stop[i]));
  return result;
}
static PyObject *slice_extents(PyObject *self, void *) {
  auto *slice = reinterpret_cast<Slice *>(self);
  PyObject *result = PyTuple_New(slice->rank);
  for (int i = 0; result && i < slice->rank; i++)
    PyTuple_SET_ITEM(result, i, PyLong_FromLongLong(slice->stop[i] - slice->start[i]));
  return result;
}
static PyObject *slice_single(PyObject *self, void *) {
  auto *slice = reinterpret_cast<Slice *>(self);
  if (!slice->integers) return PyTuple_New(0);
  PyObject *result = PyTuple_New(slice->rank);
  for (int i = 0; result && i < slice->rank; i++) PyTuple_SET_ITEM(result, i, PyBool_FromLong(slice->single[i]));
  return result;
}

static PyGetSetDef slice_getset[] = {
    {"bounds", slice_bounds, nullptr, "Start and stop per dimension.", nullptr},
    {"extents", slice_extents, nullptr, "Extents, in the layout's unit.", nullptr},
    {"single", slice_single, nullptr, "Which indices are integers; empty where none is.", nullptr},
    {}};

PyTypeObject SliceType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Slice",
    .tp_basicsize = sizeof(Slice),
    .tp_dealloc = value_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A view of a tensor.",
    .tp_getset = slice_getset,
    .tp_base = &ValueType,
    .tp_init = already_made,
    .tp_new = made_whole<untracked_new, slice_init>,
};

// --- Region, Storage ----------------------------------------------------------------------------------------

static void region_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  clear(reinterpret_cast<Region *>(self)->storages);
  Py_TYPE(self)->tp_free(self);
}
static int region_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(reinterpret_cast<Region *>(self)->storages);
  return 0;
}
// Circles through the list are cut there: a kernel that the collector ends may still look at it.
static int region_clear(PyObject *) { return 0; }
static PyMemberDef region_members[] = {TTL_FLAG(Region, read),  TTL_FLAG(Region, written),
                                       TTL_FLAG(Region, hazard), TTL_FLAG(Region, overlapped),
                                       TTL_INT(Region, epoch),  TTL_INT(Region, pending_writes),
                                       {}};
static PyGetSetDef region_getset[] = {TTL_REQUIRED(Region, storages, PyList_Type), {}};

PyTypeObject RegionType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Region",
    .tp_basicsize = sizeof(Region),
    .tp_dealloc = region_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "A range of memory that tensors of a launch share.",
    .tp_traverse = region_traverse,
    .tp_clear = region_clear,
    .tp_members = region_members,
    .tp_getset = region_getset,
    .tp_new = PyType_GenericNew,
};

static int storage_traverse(PyObject *self, visitproc visit, void *arg) {
  auto *storage = reinterpret_cast<Storage *>(self);
  Py_VISIT(storage->region);
  Py_VISIT(storage->tensor);
  Py_VISIT(storage->parts_written);
  Py_VISIT(storage->types);
  return 0;
}
static int storage_clear(PyObject *self) {
  auto *storage = reinterpret_cast<Storage *>(self);
  clear(storage->tensor);
  clear(storage->parts_written);
  return 0;
}
static void storage_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *storage = reinterpret_cast<Storage *>(self);
  storage_clear(self);
  clear(storage->region);
  for (PyObject **each : {&storage->array, &storage->dtype, &storage->layout, &storage->extents, &storage->old,
                          &storage->types, &storage->retired})
    clear(*each);
  if (storage->writes)
    for (WriteRecord &each : *storage->writes) Py_XDECREF(each.code);
  delete storage->known;
  delete storage->marks;
  delete storage->writes;
  delete storage->by_bounds;
  Py_TYPE(self)->tp_free(self);
}
static PyObject *storage_new(PyTypeObject *type, PyObject *, PyObject *) {
  auto *storage = reinterpret_cast<Storage *>(type->tp_alloc(type, 0));
  if (storage) storage->known = new std::vector<Storage::Known>();
  return as_object(storage);
}
static int storage_set_array(PyObject *self, PyObject *array, void *) {
  auto *storage = reinterpret_cast<Storage *>(self);
  if (storage->array) {
    if (!storage->retired) storage->retired = PyList_New(0);
    if (!storage->retired || PyList_Append(storage->retired, storage->array) < 0) return -1;
  }
  if (storage_attach(storage, array) < 0) return -1;
  assign(storage->array, array);
  return 0;
}
static int storage_set_old(PyObject *self, PyObject *array, void *) {
  auto *storage = reinterpret_cast<Storage *>(self);
  storage->old_base = nullptr;
  if (array && array != Py_None) {
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_STRIDED_RO) < 0) return -1;
    storage->old_base = static_cast<char *>(view.buf);
    PyBuffer_Release(&view);
  }
  assign(storage->old, array == Py_None ? nullptr : array);
  return 0;
}
static int storage_set_flat(PyObject *self, PyObject *value, void *) {
  auto *storage = reinterpret_cast<Storage *>(self);
  int flat = value ? PyObject_IsTrue(value) : 0;
  if (flat < 0) return -1;
  storage->tiled2d = flat == 1 && storage->rank == 2;
  if (storage->tiled2d) {
    storage->tile_rows = (storage->shape[0] + kTile - 1) / kTile;
    storage->tile_cols = (storage->shape[1] + kTile - 1) / kTile;
  }
  return 0;
}
static PyObject *storage_flat(PyObject *self, void *) {
  return PyBool_FromLong(reinterpret_cast<Storage *>(self)->tiled2d);
}
static PyMemberDef storage_members[] = {TTL_FLAG(Storage, writable), TTL_FLAG(Storage, reused),
                                        TTL_FLAG(Storage, tiled), {}};
static PyGetSetDef storage_getset[] = {
    TTL_REQUIRED(Storage, region, RegionType),
    TTL_OBJECT(Storage, tensor),
    TTL_OBJECT(Storage, dtype),
    TTL_OBJECT(Storage, layout),
    TTL_OBJECT(Storage, extents),
    TTL_OBJECT(Storage, parts_written),
    TTL_TYPED(Storage, types, PyDict_Type),
    TTL_TYPED(Storage, retired, PyList_Type),
    {"array", get_object<offsetof(Storage, array)>, storage_set_array, nullptr, nullptr},
    {"old", get_object<offsetof(Storage, old)>, storage_set_old, nullptr, nullptr},
    {"two_dimensional_tiles", storage_flat, storage_set_flat, nullptr, nullptr},
    {}};

PyTypeObject StorageType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Storage",
    .tp_basicsize = sizeof(Storage),
    .tp_dealloc = storage_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "A tensor that takes part in a launch.",
    .tp_traverse = storage_traverse,
    .tp_clear = storage_clear,
    .tp_members = storage_members,
    .tp_getset = storage_getset,
    .tp_new = storage_new,
};

// --- tensors ------------------------------------------------------------------------------------------------

static PyObject *tensor_item(PyObject *self, PyObject *index) {
  auto *tensor = reinterpret_cast<TensorBase *>(self);
  Engine *engine = active_engine;
  if (engine && tensor->launch == engine->launch && tensor->storage && engine->current &&
      engine->current->moves_data) {
    if (!step(engine)) return nullptr;
    Storage *storage = incref(tensor->storage);
    PyObject *made = fast_slice(storage, index);
    Py_DECREF(as_object(storage));
    if (made || PyErr_Occurred()) return made;
  }
  return call_slow(self, "_slow___getitem__", index);
}
static PyMappingMethods tensor_mapping = {.mp_subscript = tensor_item};
static void tensor_dealloc(PyObject *self) {
  clear(reinterpret_cast<TensorBase *>(self)->storage);
  Py_TYPE(self)->tp_free(self);
}

PyTypeObject TensorBaseType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.TensorBase",
    .tp_basicsize = sizeof(TensorBase),
    .tp_dealloc = tensor_dealloc,
    .tp_as_mapping = &tensor_mapping,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "What tensors are derived from: slices them while an operation runs.",
    .tp_new = PyType_GenericNew,
};

// bind_tensor(tensor, storage, engine), bind_tensor(tensor, None, None): the record of a tensor while a launch runs.
PyObject *bind_tensor(PyObject *, PyObject *const *args, Py_ssize_t count) {
  if (count != 3 || !PyObject_TypeCheck(args[0], &TensorBaseType)) {
    PyErr_SetString(PyExc_TypeError, "bind_tensor(tensor, storage, engine)");
    return nullptr;
  }
  auto *tensor = reinterpret_cast<TensorBase *>(args[0]);
  bool bound = args[1] != Py_None;
  if (bound && (!PyObject_TypeCheck(args[1], &StorageType) || !PyObject_TypeCheck(args[2], &EngineType) ||
                !reinterpret_cast<Storage *>(args[1])->region)) {
    PyErr_SetString(PyExc_TypeError, "bind_tensor(tensor, storage, engine)");
    return nullptr;
  }
  assign(tensor->storage, bound ? reinterpret_cast<Storage *>(args[1]) : nullptr);
  tensor->launch = bound ? reinterpret_cast<Engine *>(args[2])->launch : 0;
  Py_RETURN_NONE;
}

PyObject *configure_arrays(PyObject *, PyObject *args) {
  PyObject *first, *second;
  if (!PyArg_ParseTuple(args, "OO", &first, &second)) return nullptr;
  assign(asarray, first);
  assign(ascontiguous, second);
  Py_RETURN_NONE;
}

}  // namespace ttl::core
