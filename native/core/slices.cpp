// Slices of tensors: where their data lie, and tensor[index] in a kernel.
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

// Fill what follows from start and stop: memory, extents present, padding.
void place_slice(Slice *slice) {
  Value &value = slice->value;
  const Storage *storage = value.storage;
  int rank = slice->rank;
  int64_t present[kMaxRank] = {}, whole[kMaxRank] = {};
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

}  // namespace

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
    .tp_dealloc = released<Value>,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A view of a tensor.",
    .tp_getset = slice_getset,
    .tp_base = &ValueType,
    .tp_init = already_made,
    .tp_new = made_whole<untracked_new, slice_init>,
};

// --- tensors ------------------------------------------------------------------------------------------------

// slice_of(storage, index): tensor[index] of the tensor of a record; None where the general way has to look at it.
PyObject *slice_of(PyObject *, PyObject *const *args, Py_ssize_t count) {
  if (count != 2 || !PyObject_TypeCheck(args[0], &StorageType) || !reinterpret_cast<Storage *>(args[0])->region) {
    PyErr_SetString(PyExc_TypeError, "slice_of(storage, index)");
    return nullptr;
  }
  PyObject *slice = fast_slice(reinterpret_cast<Storage *>(args[0]), args[1]);
  return slice || PyErr_Occurred() ? slice : Py_NewRef(Py_None);
}

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

}  // namespace ttl::core
