// What a launch knows of a tensor: its memory, and what was read and written of it.
#include "fields.h"
#include "pool.h"

namespace ttl::core {

constexpr int64_t kTile = tables::kTile;

namespace {

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

// --- Region, Storage ----------------------------------------------------------------------------------------

constexpr destructor region_dealloc = let_go<Region, &Region::storages>;
constexpr traverseproc region_traverse = visit_members<Region, &Region::storages>;
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

constexpr traverseproc storage_traverse = visit_members<Storage, &Storage::region, &Storage::tensor,
                                                        &Storage::parts_written, &Storage::types>;
constexpr inquiry storage_clear = clear_members<Storage, &Storage::tensor, &Storage::parts_written>;
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

}  // namespace ttl::core
