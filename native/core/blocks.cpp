// Nodes, kernels, dataflow buffers, blocks and transfers: acquiring, storing, copying, releasing.
#include "fields.h"
#include "pool.h"

namespace ttl::core {

namespace t = tables;

// --- Block --------------------------------------------------------------------------------------------------

namespace {

bool is_first(PyObject *held, Block *block) {
  Py_ssize_t count = PyList_GET_SIZE(held);
  if (!count || PyList_GET_ITEM(held, 0) != as_object(block)) return false;
  // A younger block whose release waits for this one: the general way lets it follow.
  return count == 1 || reinterpret_cast<Block *>(PyList_GET_ITEM(held, 1))->state != t::kStateOutOfScope;
}

bool tell(PyObject *listener, Buffer *buffer, Value *value) {
  PyObject *done = PyObject_CallFunctionObjArgs(listener, as_object(buffer), as_object(value), nullptr);
  Py_XDECREF(done);
  return done;
}

// 1: released; 0: the general way has to look at it; -1: failed.
int push(Block *block) {
  Buffer *buffer = block->buffer;
  Engine *engine = buffer->engine;
  if (transition(block, t::kStepPush) < 0 || engine->current != block->kernel || !block->value ||
      !is_first(buffer->held_reserved, block))
    return 0;
  if (engine->on_push && !tell(engine->on_push, buffer, block->value)) return -1;
  buffer->used += block->state == t::kStateReadWrite;
  block->state = transition(block, t::kStepPush);
  if (PyList_Append(buffer->slots, as_object(block->value)) < 0) return -1;
  clear(block->value);
  Py_DECREF(pop_front(buffer->held_reserved));
  buffer->pushed++;
  if (buffer->pushed - buffer->popped > buffer->high_water) buffer->high_water = buffer->pushed - buffer->popped;
  Kernel *waiter = buffer->waiting_consumer;
  if (waiter) {
    buffer->waiting_consumer = nullptr;
    int woken = scheduler_wake(engine, waiter);
    Py_DECREF(waiter);
    if (woken < 0) return -1;
  }
  note_event(engine, kPushed, as_object(block));
  return 1;
}

int pop(Block *block) {
  Buffer *buffer = block->buffer;
  Engine *engine = buffer->engine;
  if (transition(block, t::kStepPop) < 0 || engine->current != block->kernel || !is_first(buffer->held_waited, block))
    return 0;
  block->state = transition(block, t::kStepPop);
  PyObject *held = pop_front(buffer->held_waited);
  buffer->popped++;
  Kernel *waiter = buffer->waiting_producer;
  if (waiter) {
    buffer->waiting_producer = nullptr;
    scheduler_wake(engine, waiter);
    Py_DECREF(waiter);
  }
  note_event(engine, kPopped, as_object(block));
  clear(block->value);  // may run code: last
  Py_DECREF(held);
  return 1;
}

void note_released(Block *block) {
  Site site;
  if (!user_site(&site)) return;
  assign(block->released.code, site.code);
  block->released.lasti = site.lasti;
}

}  // namespace

int release_block(Block *block) { return block->role <= t::kLastReserve ? push(block) : pop(block); }

static PyObject *block_push(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count || names) return call_slow_with(self, "_slow_push", args, count, names);
  auto *block = reinterpret_cast<Block *>(self);
  int done = push(block);
  if (!done) return call_slow(self, "_slow_push");
  if (done < 0) return nullptr;
  note_released(block);
  Py_RETURN_NONE;
}

static PyObject *block_pop(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count || names) return call_slow_with(self, "_slow_pop", args, count, names);
  auto *block = reinterpret_cast<Block *>(self);
  int done = pop(block);
  if (!done) return call_slow(self, "_slow_pop");
  if (done < 0) return nullptr;
  note_released(block);
  Py_RETURN_NONE;
}

static PyObject *block_enter(PyObject *self, PyObject *const *, Py_ssize_t count) {
  if (count) {
    PyErr_SetString(PyExc_TypeError, "__enter__() takes no arguments");
    return nullptr;
  }
  return Py_NewRef(self);
}

static PyObject *block_exit(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  if (count != 3) {
    PyErr_SetString(PyExc_TypeError, "__exit__() takes three arguments");
    return nullptr;
  }
  auto *block = reinterpret_cast<Block *>(self);
  if (args[0] != Py_None) Py_RETURN_NONE;
  int done = release_block(block);
  if (done < 0) return nullptr;
  if (!done) return call_slow(self, "_slow___exit__", args[0], args[1], args[2]);
  Py_RETURN_NONE;
}

static PyObject *block_store(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  auto *block = reinterpret_cast<Block *>(self);
  Engine *engine = block->buffer->engine;
  if (count == 1 && !names && transition(block, t::kStepStore) >= 0 && engine->current == block->kernel) {
    Value *value = record_store(engine, args[0], block);
    if (value) {
      Value *old = block->value;
      block->value = value;
      int next = transition(block, t::kStepStore);  // storing a block may have read this very one
      if (next >= 0) block->state = next;
      Py_XDECREF(old);
      block->kernel->computed = 1;
      if (engine->on_event && !tell_event(engine->on_event, kStored, self)) return nullptr;
      Py_RETURN_NONE;
    }
    if (PyErr_Occurred()) return nullptr;
  }
  return call_slow_with(self, "_slow_store", args, count, names);
}

// A with statement binds __enter__ and __exit__ to its block. Python's own bound methods are costly to make, so blocks
// have a kind of their own, whose memory is kept.
namespace {

using Action = PyObject *(*)(PyObject *self, PyObject *const *args, Py_ssize_t count);

struct Bound {
  PyObject_HEAD
  vectorcallfunc call;
  PyObject *self;
  Action action;
};

struct Binder {
  PyObject_HEAD
  vectorcallfunc call;
  Action action;
};

std::vector<Bound *> free_bounds;

PyObject *bound_call(PyObject *object, PyObject *const *args, size_t flags, PyObject *names) {
  auto *bound = reinterpret_cast<Bound *>(object);
  if (names) {
    PyErr_SetString(PyExc_TypeError, "takes no keyword arguments");
    return nullptr;
  }
  return bound->action(bound->self, args, PyVectorcall_NARGS(flags));
}

void bound_dealloc(PyObject *object) {
  auto *bound = reinterpret_cast<Bound *>(object);
  clear(bound->self);
  if (free_bounds.size() < 64) free_bounds.push_back(bound);
  else PyObject_Free(object);
}

PyTypeObject BoundType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Bound",
    .tp_basicsize = sizeof(Bound),
    .tp_dealloc = bound_dealloc,
    .tp_vectorcall_offset = offsetof(Bound, call),
    .tp_call = PyVectorcall_Call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
};

PyObject *bind(PyObject *binder, PyObject *self, PyObject *) {
  if (!self || self == Py_None) return Py_NewRef(binder);
  if (!is_of(self, classes.block, BlockType)) {
    PyErr_SetString(PyExc_TypeError, "a block is needed");
    return nullptr;
  }
  Bound *bound;
  if (free_bounds.empty()) {
    bound = PyObject_New(Bound, &BoundType);
    if (!bound) return nullptr;
  } else {
    bound = free_bounds.back();
    free_bounds.pop_back();
    _Py_NewReference(as_object(bound));
  }
  bound->call = bound_call;
  bound->self = Py_NewRef(self);
  bound->action = reinterpret_cast<Binder *>(binder)->action;
  return as_object(bound);
}

PyObject *binder_call(PyObject *object, PyObject *const *args, size_t flags, PyObject *names) {
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (names || count < 1 || !PyObject_TypeCheck(args[0], &BlockType)) {
    PyErr_SetString(PyExc_TypeError, "a block is needed");
    return nullptr;
  }
  return reinterpret_cast<Binder *>(object)->action(args[0], args + 1, count - 1);
}

PyTypeObject BinderType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Binder",
    .tp_basicsize = sizeof(Binder),
    .tp_vectorcall_offset = offsetof(Binder, call),
    .tp_call = PyVectorcall_Call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_descr_get = bind,
};

bool add_action(const char *name, Action action) {
  auto *binder = PyObject_New(Binder, &BinderType);
  if (!binder) return false;
  binder->call = binder_call;
  binder->action = action;
  int failed = PyDict_SetItemString(BlockType.tp_dict, name, as_object(binder));
  Py_DECREF(binder);
  return !failed;
}

}  // namespace

bool blocks_setup() {
  if (PyType_Ready(&BoundType) < 0 || PyType_Ready(&BinderType) < 0) return false;
  bool added = add_action("__enter__", block_enter) && add_action("__exit__", block_exit);
  PyType_Modified(&BlockType);
  return added;
}

static int block_init(PyObject *self, PyObject *args, PyObject *) {
  auto *block = reinterpret_cast<Block *>(self);
  PyObject *buffer, *kernel, *table, *value, *site;
  int state;
  if (!PyArg_ParseTuple(args, "O!O!O!iOO", &BufferType, &buffer, &KernelType, &kernel, &PyTuple_Type, &table, &state,
                        &value, &site))
    return -1;
  Py_ssize_t last = PyTuple_GET_SIZE(table) - 1;
  long role = last >= 0 ? PyLong_AsLong(PyTuple_GET_ITEM(table, last)) : -1;
  if (PyErr_Occurred()) return -1;
  if (role < 0 || role >= t::kRoles || state < 0 || state >= t::kStates ||
      (value != Py_None && !PyObject_TypeCheck(value, &ValueType))) {
    PyErr_SetString(PyExc_TypeError, "a table, a state of it and a value or None are needed");
    return -1;
  }
  assign(block->buffer, reinterpret_cast<Buffer *>(buffer));
  assign(block->kernel, reinterpret_cast<Kernel *>(kernel));
  assign(block->value, value == Py_None ? nullptr : reinterpret_cast<Value *>(value));
  block->role = static_cast<int8_t>(role);
  block->state = state;
  return site_from(&block->site, site);
}

void release(Block *block) {
  clear(block->transfers);
  clear(block->value);
  clear(block->kernel);
  clear(block->buffer);
  site_clear(&block->site);
  site_clear(&block->released);
}
static PyObject *block_table(PyObject *self, void *) {
  return flat_table(reinterpret_cast<Block *>(self)->role);
}

// States are indices of tables.
static PyObject *block_state(PyObject *self, void *) { return PyLong_FromLong(reinterpret_cast<Block *>(self)->state); }
static int block_set_state(PyObject *self, PyObject *value, void *) {
  long state = value ? PyLong_AsLong(value) : -1;
  if (state < 0 || state >= t::kStates) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no state of a block");
    return -1;
  }
  reinterpret_cast<Block *>(self)->state = static_cast<int>(state);
  return 0;
}
static PyGetSetDef block_getset[] = {TTL_REQUIRED(Block, buffer, BufferType),
                                     TTL_REQUIRED(Block, kernel, KernelType),
                                     {"state", block_state, block_set_state, nullptr, nullptr},
                                     TTL_TYPED(Block, value, ValueType),
                                     TTL_TYPED(Block, transfers, TransferType),
                                     TTL_SITE(Block, site),
                                     TTL_SITE(Block, released),
                                     {"table", block_table, nullptr, "Transitions of its role.", nullptr},
                                     {}};
static PyMethodDef block_methods[] = {
    {"push", reinterpret_cast<PyCFunction>(block_push), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"pop", reinterpret_cast<PyCFunction>(block_pop), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"store", reinterpret_cast<PyCFunction>(block_store), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {}};
PyTypeObject BlockType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Block",
    .tp_basicsize = sizeof(Block),
    .tp_dealloc = released<Block>,
    .tp_as_number = &expression_numbers,
    .tp_hash = PyBaseObject_Type.tp_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A block acquired from a dataflow buffer.",
    .tp_richcompare = expression_compare,
    .tp_methods = block_methods,
    .tp_getset = block_getset,
    .tp_init = already_made,
    .tp_new = made_whole<untracked_new, block_init>,
};

}  // namespace ttl::core
