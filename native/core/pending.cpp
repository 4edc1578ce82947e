// The pending work of a launch as Python sees it.
#include "fields.h"
#include "pending.h"
#include "pool.h"

namespace ttl::core {

static PyObject *pending_new(PyTypeObject *type, PyObject *, PyObject *) {
  auto *pending = reinterpret_cast<Pending *>(type->tp_alloc(type, 0));
  if (!pending) return nullptr;
  pending->tasks = new std::vector<Task>();
  pending->leaves = new std::vector<Leaf>();
  pending->writes = new std::vector<Write>();
  pending->limit_bytes = 64 << 20;
  pending->limit_intermediate = 4 << 20;
  pending->threads = 1;
  return as_object(pending);
}
static int pending_init(PyObject *self, PyObject *args, PyObject *) {
  PyObject *engine;
  if (!PyArg_ParseTuple(args, "O!", &EngineType, &engine)) return -1;
  assign(reinterpret_cast<Engine *>(engine)->pending, reinterpret_cast<Pending *>(self));
  return 0;
}
static PyObject *pending_flush_method(PyObject *self, PyObject *) {
  if (pending_flush(reinterpret_cast<Pending *>(self)) < 0) return nullptr;
  Py_RETURN_NONE;
}
static PyObject *pending_fold(PyObject *self, PyObject *expr) {
  if (!is_expr(expr)) {
    PyErr_SetString(PyExc_TypeError, "an expression");
    return nullptr;
  }
  return as_object(record_fold(reinterpret_cast<Pending *>(self), reinterpret_cast<Expr *>(expr)));
}
// record(expr, type): the value that computing the expression as a block of this type gives.
static PyObject *pending_record(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  if (count != 2 || !is_expr(args[0])) {
    PyErr_SetString(PyExc_TypeError, "record(expression, type)");
    return nullptr;
  }
  auto *expr = reinterpret_cast<Expr *>(args[0]);
  TypeInfo *type = type_info(args[1]);
  if (!type) return nullptr;
  return as_object(record_as(reinterpret_cast<Pending *>(self), expr, type));
}
// write(storage, view, value): a write to an array.
static PyObject *pending_write(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  if (count != 3 || !PyObject_TypeCheck(args[0], &StorageType) || !PyObject_TypeCheck(args[2], &ValueType)) {
    PyErr_SetString(PyExc_TypeError, "write(storage, view, value)");
    return nullptr;
  }
  auto *pending = reinterpret_cast<Pending *>(self);
  auto *storage = reinterpret_cast<Storage *>(args[0]);
  if (!storage->region) {
    PyErr_SetString(PyExc_TypeError, "a storage with a region is needed");
    return nullptr;
  }
  storage->region->pending_writes++;
  pending->writes->push_back(
      {nullptr, Py_NewRef(args[1]), incref(storage), reinterpret_cast<Value *>(Py_NewRef(args[2])), false, -1});
  Py_RETURN_NONE;
}
static Py_ssize_t pending_length(PyObject *self) {
  auto *pending = reinterpret_cast<Pending *>(self);
  return static_cast<Py_ssize_t>(pending->tasks->size() + pending->writes->size());
}
// drop(): forget what is recorded, without computing it; the launch has failed.
static PyObject *pending_drop(PyObject *self, PyObject *) {
  auto *pending = reinterpret_cast<Pending *>(self);
  Batch batch;
  batch.tasks.swap(*pending->tasks);
  batch.leaves.swap(*pending->leaves);
  batch.writes.swap(*pending->writes);
  Py_RETURN_NONE;
}
constexpr traverseproc pending_traverse = visit_members<Pending, &Pending::on_flush, &Pending::compute,
                                                        &Pending::prepare, &Pending::commit_view>;
constexpr inquiry pending_clear = clear_members<Pending, &Pending::on_flush, &Pending::compute,
                                                &Pending::prepare, &Pending::commit_view>;
static void pending_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *pending = reinterpret_cast<Pending *>(self);
  Py_XDECREF(pending_drop(self, nullptr));
  pending_clear(self);
  clear(pending->tape);
  delete pending->tasks;
  delete pending->leaves;
  delete pending->writes;
  Py_TYPE(self)->tp_free(self);
}
// Number(value, id)
static int number_init(PyObject *self, PyObject *args, PyObject *) {
  auto *number = reinterpret_cast<Number *>(self);
  return PyArg_ParseTuple(args, "dL", &number->value, &number->id) ? 0 : -1;
}
static PyMemberDef number_members[] = {{"value", T_DOUBLE, offsetof(Number, value), READONLY, nullptr},
                                       {"id", T_LONGLONG, offsetof(Number, id), READONLY, nullptr},
                                       {}};
PyTypeObject NumberType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Number",
    .tp_basicsize = sizeof(Number),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A number that later calls may have another of.",
    .tp_members = number_members,
    .tp_init = number_init,
    .tp_new = PyType_GenericNew,
};

static PyMemberDef pending_members[] = {TTL_FLAG(Pending, suspended),
                                        TTL_FLAG(Pending, unrounded),
                                        TTL_FLAG(Pending, natively),
                                        TTL_FLAG(Pending, only_taped),
                                        TTL_INT(Pending, limit_bytes),
                                        TTL_INT(Pending, limit_intermediate),
                                        TTL_INT(Pending, most),
                                        {"threads", T_INT, offsetof(Pending, threads), 0, nullptr},
                                        {}};
static PyGetSetDef pending_getset[] = {TTL_OBJECT(Pending, on_flush),    TTL_OBJECT(Pending, compute),
                                       TTL_OBJECT(Pending, prepare),     TTL_OBJECT(Pending, commit_view),
                                       TTL_TYPED(Pending, tape, TapeType), {}};
static PyMethodDef pending_methods[] = {
    {"flush", pending_flush_method, METH_NOARGS, nullptr},
    {"fold", pending_fold, METH_O, nullptr},
    {"record", reinterpret_cast<PyCFunction>(pending_record), METH_FASTCALL, nullptr},
    {"write", reinterpret_cast<PyCFunction>(pending_write), METH_FASTCALL, nullptr},
    {"drop", pending_drop, METH_NOARGS, nullptr},
    {}};
static PySequenceMethods pending_sequence = {.sq_length = pending_length};
PyTypeObject PendingType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Pending",
    .tp_basicsize = sizeof(Pending),
    .tp_dealloc = pending_dealloc,
    .tp_as_sequence = &pending_sequence,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "What is recorded and not computed yet.",
    .tp_traverse = pending_traverse,
    .tp_clear = pending_clear,
    .tp_methods = pending_methods,
    .tp_members = pending_members,
    .tp_getset = pending_getset,
    .tp_init = pending_init,
    .tp_new = pending_new,
};

}  // namespace ttl::core
