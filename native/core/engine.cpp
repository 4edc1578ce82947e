// The engine of a launch, and how native methods leave a call to Python.
#include "fields.h"

namespace ttl::core {

constinit thread_local Engine *active_engine = nullptr;
Classes classes = {};

PyObject *slow(PyObject *self, const char *name, PyObject *const *args, size_t count) {
  PyObject *text = PyUnicode_InternFromString(name);
  if (!text) return nullptr;
  PyObject *result = PyObject_VectorcallMethod(text, args, count, nullptr);
  Py_DECREF(text);
  (void)self;
  return result;
}

PyObject *call_slow_with(PyObject *self, const char *name, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  PyObject *method = PyObject_GetAttrString(self, name);
  if (!method) return nullptr;
  PyObject *result = PyObject_Vectorcall(method, args, static_cast<size_t>(count), names);
  Py_DECREF(method);
  return result;
}

// --- Engine -------------------------------------------------------------------------------------------------

static uint64_t next_launch = 1;

static PyObject *engine_new(PyTypeObject *type, PyObject *, PyObject *) {
  auto *engine = reinterpret_cast<Engine *>(type->tp_alloc(type, 0));
  if (!engine) return nullptr;
  engine->launch = next_launch++;
  engine->steps_left = -1;
  return as_object(engine);
}
static PyObject *engine_activate(PyObject *self, PyObject *) {
  auto *engine = reinterpret_cast<Engine *>(self);
  for (Engine *each = active_engine; each; each = each->before) {
    if (each != engine) continue;
    PyErr_SetString(PyExc_RuntimeError, "this launch is active already");
    return nullptr;
  }
  if (engine->before) {
    PyErr_SetString(PyExc_RuntimeError, "this launch is active in another thread");
    return nullptr;
  }
  engine->before = active_engine;  // takes over the reference
  active_engine = incref(engine);
  Py_RETURN_NONE;
}
static PyObject *engine_deactivate(PyObject *self, PyObject *) {
  auto *engine = reinterpret_cast<Engine *>(self);
  // Not always the innermost: launches inside of launches may end in another order, where one of them fails.
  Engine **at = &active_engine;
  while (*at && *at != engine) at = &(*at)->before;
  if (*at) {
    *at = engine->before;
    engine->before = nullptr;
    Py_DECREF(engine);  // the caller holds another one
  }
  Py_RETURN_NONE;
}
bool tell_event(PyObject *listener, Event event, PyObject *subject) {
  PyObject *number = PyLong_FromLong(event);
  PyObject *done = number ? PyObject_CallFunctionObjArgs(listener, number, subject, nullptr) : nullptr;
  Py_XDECREF(number);
  Py_XDECREF(done);
  return done != nullptr;
}
// limit_steps(count, exception): what kernels call raises the exception after so many calls; -1: never.
static PyObject *engine_limit(PyObject *self, PyObject *args) {
  auto *engine = reinterpret_cast<Engine *>(self);
  long long count;
  PyObject *stop;
  if (!PyArg_ParseTuple(args, "LO", &count, &stop)) return nullptr;
  engine->steps_left = count;
  assign(engine->stop, stop);
  Py_RETURN_NONE;
}
constexpr traverseproc engine_traverse = visit_members<Engine, &Engine::current, &Engine::pending,
                                                       &Engine::ready_hook, &Engine::memory, &Engine::stop,
                                                       &Engine::on_push, &Engine::on_event>;
static int engine_clear(PyObject *self) {
  auto *engine = reinterpret_cast<Engine *>(self);
  clear(engine->current);
  clear(engine->pending);
  if (engine->ready_hook) {
    auto *scheduler = reinterpret_cast<Scheduler *>(engine->ready_hook);
    if (scheduler->engine_object == self) scheduler->engine_object = nullptr;
  }
  clear(engine->ready_hook);
  clear(engine->memory);
  clear(engine->stop);
  clear(engine->on_push);
  clear(engine->on_event);
  return 0;
}
static void engine_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *engine = reinterpret_cast<Engine *>(self);
  engine_clear(self);
  clear(engine->before);
  clear(engine->grid);
  Py_TYPE(self)->tp_free(self);
}
// What Python does for a kernel looks up which one is running: that is counted, as calls of the fast paths are.
static PyObject *engine_current(PyObject *self, void *) {
  auto *engine = reinterpret_cast<Engine *>(self);
  return step(engine) ? none_or(as_object(engine->current)) : nullptr;
}
static PyMemberDef engine_members[] = {TTL_FLAG(Engine, active), TTL_FLAG(Engine, interleaved), TTL_FLAG(Engine, infers),
                                       {"steps_left", T_LONGLONG, offsetof(Engine, steps_left), READONLY, nullptr},
                                       {}};
static PyGetSetDef engine_getset[] = {{"current", engine_current, set_object<offsetof(Engine, current)>, nullptr,
                                       static_cast<void *>(&KernelType)},
                                      TTL_TYPED(Engine, pending, PendingType),
                                      TTL_OBJECT(Engine, memory),
                                      TTL_OBJECT(Engine, on_push),
                                      TTL_OBJECT(Engine, on_event),
                                      TTL_TYPED(Engine, grid, PyTuple_Type),
                                      {"scheduler", get_object<offsetof(Engine, ready_hook)>,
                                       set_object<offsetof(Engine, ready_hook)>, nullptr,
                                       static_cast<void *>(&SchedulerType)},
                                      {}};
static PyMethodDef engine_methods[] = {{"activate", engine_activate, METH_NOARGS, nullptr},
                                       {"deactivate", engine_deactivate, METH_NOARGS, nullptr},
                                       {"limit_steps", engine_limit, METH_VARARGS, nullptr},
                                       {}};
PyTypeObject EngineType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Engine",
    .tp_basicsize = sizeof(Engine),
    .tp_dealloc = engine_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "State of one launch.",
    .tp_traverse = engine_traverse,
    .tp_clear = engine_clear,
    .tp_methods = engine_methods,
    .tp_members = engine_members,
    .tp_getset = engine_getset,
    .tp_new = engine_new,
};

}  // namespace ttl::core
