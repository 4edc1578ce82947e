// Nodes, kernels, dataflow buffers, blocks and transfers: acquiring, storing, copying, releasing.
#include "fields.h"
#include "pool.h"

namespace ttl::core {

namespace t = tables;

// --- Node, Kernel -------------------------------------------------------------------------------------------

static int node_init(PyObject *self, PyObject *args, PyObject *) {
  auto *node = reinterpret_cast<Node *>(self);
  PyObject *engine, *coord;
  long long index;
  if (!PyArg_ParseTuple(args, "O!LO", &EngineType, &engine, &index, &coord)) return -1;
  assign(node->engine, reinterpret_cast<Engine *>(engine));
  node->index = index;
  assign(node->coord, coord);
  if (!node->kernels) node->kernels = PyList_New(0);
  if (!node->buffers) node->buffers = PyList_New(0);
  return node->kernels && node->buffers ? 0 : -1;
}
static int node_traverse(PyObject *self, visitproc visit, void *arg) {
  auto *node = reinterpret_cast<Node *>(self);
  Py_VISIT(node->engine);
  Py_VISIT(node->body);
  Py_VISIT(node->buffers);
  Py_VISIT(node->kernels);
  return 0;
}
// Kernels that the collector ends run their `finally` clauses, on nodes and buffers that it has cleared already. So
// these keep what their methods need; the circles are cut elsewhere (lists, engines, kernels).
static int node_clear(PyObject *self) {
  clear(reinterpret_cast<Node *>(self)->body);
  return 0;
}
static void node_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *node = reinterpret_cast<Node *>(self);
  node_clear(self);
  clear(node->engine);
  clear(node->buffers);
  clear(node->kernels);
  clear(node->coord);
  Py_TYPE(self)->tp_free(self);
}
static PyMemberDef node_members[] = {TTL_INT(Node, index),
                                     {"nets", T_INT, offsetof(Node, nets), 0, nullptr},
                                     {"semaphores", T_INT, offsetof(Node, semaphores), 0, nullptr},
                                     {}};
static PyGetSetDef node_getset[] = {TTL_REQUIRED(Node, engine, EngineType),
                                    TTL_TYPED(Node, body, KernelType),
                                    TTL_REQUIRED(Node, buffers, PyList_Type),
                                    TTL_OBJECT(Node, coord),
                                    TTL_REQUIRED(Node, kernels, PyList_Type),
                                    {}};
PyTypeObject NodeType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Node",
    .tp_basicsize = sizeof(Node),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "One node of a launch.",
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_members = node_members,
    .tp_getset = node_getset,
    .tp_init = already_made,
    .tp_new = made_whole<PyType_GenericNew, node_init>,
};

static int kernel_init(PyObject *self, PyObject *args, PyObject *) {
  auto *kernel = reinterpret_cast<Kernel *>(self);
  PyObject *node, *name, *kind, *function;
  if (!PyArg_ParseTuple(args, "O!UOO", &NodeType, &node, &name, &kind, &function)) return -1;
  if (kind != Py_None && !PyUnicode_Check(kind)) {
    PyErr_SetString(PyExc_TypeError, "the kind of a kernel is a text");
    return -1;
  }
  assign(kernel->node, reinterpret_cast<Node *>(node));
  assign(kernel->name, name);
  assign(kernel->kind, kind == Py_None ? nullptr : kind);
  assign(kernel->function, function == Py_None ? nullptr : function);
  kernel->is_kernel = kind != Py_None;
  kernel->is_compute = kernel->is_kernel && PyUnicode_CompareWithASCIIString(kind, "compute") == 0;
  kernel->moves_data = kernel->is_kernel && !kernel->is_compute;
  kernel->reserve_role = kernel->moves_data ? t::kRoleReserveDataMovement : t::kRoleReserveCompute;
  kernel->wait_role = kernel->moves_data ? t::kRoleWaitDataMovement : t::kRoleWaitCompute;
  return 0;
}
static int kernel_traverse(PyObject *self, visitproc visit, void *arg) {
  auto *kernel = reinterpret_cast<Kernel *>(self);
  Py_VISIT(kernel->node);
  Py_VISIT(kernel->function);
  Py_VISIT(kernel->greenlet);
  Py_VISIT(kernel->waiting);
  return 0;
}
static int kernel_clear(PyObject *self) {
  auto *kernel = reinterpret_cast<Kernel *>(self);
  clear(kernel->function);
  clear(kernel->greenlet);
  clear(kernel->waiting);
  return 0;
}
static void kernel_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *kernel = reinterpret_cast<Kernel *>(self);
  kernel_clear(self);
  clear(kernel->node);
  clear(kernel->name);
  clear(kernel->kind);
  clear(kernel->signposts);
  Py_TYPE(self)->tp_free(self);
}
static PyObject *kernel_signposts(PyObject *self, void *) {
  auto *kernel = reinterpret_cast<Kernel *>(self);
  if (!kernel->signposts) kernel->signposts = PyList_New(0);
  return Py_XNewRef(kernel->signposts);
}
static PyObject *flat_tables;  // of ttl.protocol.blocks, by role

static PyObject *kernel_reserve_table(PyObject *self, void *) {
  return Py_NewRef(PyTuple_GET_ITEM(flat_tables, reinterpret_cast<Kernel *>(self)->reserve_role));
}
static PyObject *kernel_wait_table(PyObject *self, void *) {
  return Py_NewRef(PyTuple_GET_ITEM(flat_tables, reinterpret_cast<Kernel *>(self)->wait_role));
}
static PyObject *kernel_waiting(PyObject *self, void *) {
  return pipe_reason(reinterpret_cast<Kernel *>(self)->waiting);
}
static PyMemberDef kernel_members[] = {TTL_FLAG(Kernel, is_compute), TTL_FLAG(Kernel, is_kernel),
                                       TTL_FLAG(Kernel, moves_data), TTL_FLAG(Kernel, done), {}};
static PyGetSetDef kernel_getset[] = {TTL_REQUIRED(Kernel, node, NodeType),
                                      TTL_REQUIRED(Kernel, name, PyUnicode_Type),
                                      TTL_OBJECT(Kernel, kind),
                                      TTL_OBJECT(Kernel, function),
                                      TTL_OBJECT(Kernel, greenlet),
                                      {"waiting", kernel_waiting, set_object<offsetof(Kernel, waiting)>, nullptr, nullptr},
                                      {"reserve_table", kernel_reserve_table, nullptr, nullptr, nullptr},
                                      {"wait_table", kernel_wait_table, nullptr, nullptr, nullptr},
                                      {"signposts", kernel_signposts, nullptr, nullptr, nullptr},
                                      {}};
PyTypeObject KernelType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Kernel",
    .tp_basicsize = sizeof(Kernel),
    .tp_dealloc = kernel_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "One kernel function on one node.",
    .tp_traverse = kernel_traverse,
    .tp_clear = kernel_clear,
    .tp_members = kernel_members,
    .tp_getset = kernel_getset,
    .tp_init = already_made,
    .tp_new = made_whole<PyType_GenericNew, kernel_init>,
};

// --- Buffer -------------------------------------------------------------------------------------------------

namespace {

Block *new_block(Buffer *buffer, Kernel *kernel, int8_t role, const Site &site) {
  auto *block = make<Block>(classes.block);
  if (!block) return nullptr;
  block->buffer = incref(buffer);
  block->kernel = incref(kernel);
  block->role = role;
  block->state = t::kInitial[role];
  block->site = {incref(site.code), site.lasti};
  return block;
}

bool may_claim(const Buffer *buffer, const Kernel *kernel, const Kernel *owner) {
  return kernel == owner || (!owner && buffer->engine->active && kernel->node == buffer->node && kernel->is_kernel);
}

// Why a kernel is blocked on a buffer; made when it is for the first time.
bool reason(PyObject *&field, PyObject *made_by, PyObject *buffer) {
  if (!field) field = PyObject_CallOneArg(made_by, buffer);
  return field != nullptr;
}

void claim(Kernel *&owner, Site &place, Kernel *kernel, const Site &site) {
  if (owner == kernel) return;
  assign(owner, kernel);
  assign(place.code, site.code);
  place.lasti = site.lasti;
}

}  // namespace

static PyObject *buffer_reserve(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count || names) return call_slow_with(self, "_slow_reserve", args, count, names);
  auto *buffer = reinterpret_cast<Buffer *>(self);
  Engine *engine = buffer->engine;
  Kernel *kernel = engine->current;
  Site site;
  if (!kernel || PyList_GET_SIZE(buffer->held_reserved) || !may_claim(buffer, kernel, buffer->producer) ||
      !user_site(&site))
    return call_slow(self, "_slow_reserve");
  if (!step(engine)) return nullptr;
  claim(buffer->producer, buffer->producer_site, kernel, site);
  while (buffer->reserved - buffer->popped >= buffer->block_count) {
    assign(buffer->waiting_producer, kernel);
    buffer->space_waits++;
    if (!reason(buffer->wait_for_space, classes.wait_for_space, self) ||
        scheduler_suspend(engine, kernel, buffer->wait_for_space) < 0)
      return nullptr;
  }
  Block *block = new_block(buffer, kernel, kernel->reserve_role, site);
  if (!block) return nullptr;
  if (PyList_Append(buffer->held_reserved, as_object(block)) < 0) {
    Py_DECREF(block);
    return nullptr;
  }
  buffer->reserved++;
  assign(buffer->last_reserved, block);
  return as_object(block);
}

static PyObject *buffer_wait(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count || names) return call_slow_with(self, "_slow_wait", args, count, names);
  auto *buffer = reinterpret_cast<Buffer *>(self);
  Engine *engine = buffer->engine;
  Kernel *kernel = engine->current;
  Site site;
  if (!kernel || PyList_GET_SIZE(buffer->held_waited) || !may_claim(buffer, kernel, buffer->consumer) ||
      !user_site(&site))
    return call_slow(self, "_slow_wait");
  if (!step(engine)) return nullptr;
  claim(buffer->consumer, buffer->consumer_site, kernel, site);
  while (buffer->waited >= buffer->pushed) {
    assign(buffer->waiting_consumer, kernel);
    buffer->data_waits++;
    if (!reason(buffer->wait_for_data, classes.wait_for_data, self) ||
        scheduler_suspend(engine, kernel, buffer->wait_for_data) < 0)
      return nullptr;
  }
  Block *block = new_block(buffer, kernel, kernel->wait_role, site);
  if (!block) return nullptr;
  if (!PyList_GET_SIZE(buffer->slots) || !is_of(PyList_GET_ITEM(buffer->slots, 0), classes.value, ValueType)) {
    Py_DECREF(block);
    PyErr_SetString(PyExc_RuntimeError, "the blocks of a dataflow buffer were changed from outside");
    return nullptr;
  }
  block->value = reinterpret_cast<Value *>(pop_front(buffer->slots));
  if (PyList_Append(buffer->held_waited, as_object(block)) < 0) {
    Py_DECREF(block);
    return nullptr;
  }
  buffer->waited++;
  assign(buffer->last_waited, block);
  return as_object(block);
}

static int buffer_init(PyObject *self, PyObject *args, PyObject *) {
  auto *buffer = reinterpret_cast<Buffer *>(self);
  PyObject *engine, *node, *type, *site;
  long long ordinal, count;
  if (!PyArg_ParseTuple(args, "O!O!LOLO", &EngineType, &engine, &NodeType, &node, &ordinal, &type, &count, &site))
    return -1;
  assign(buffer->engine, reinterpret_cast<Engine *>(engine));
  assign(buffer->node, reinterpret_cast<Node *>(node));
  assign(buffer->py_type, type);
  buffer->type = type_info(type);
  if (!buffer->type || site_from(&buffer->site, site) < 0) return -1;
  buffer->ordinal = ordinal;
  buffer->block_count = count;
  for (PyObject **list : {&buffer->slots, &buffer->held_reserved, &buffer->held_waited})
    if (!*list && !(*list = PyList_New(0))) return -1;
  return 0;
}

static PyObject *buffer_can_reserve(PyObject *self, PyObject *) {
  auto *buffer = reinterpret_cast<Buffer *>(self);
  return PyBool_FromLong(buffer->reserved - buffer->popped < buffer->block_count);
}
static PyObject *buffer_can_wait(PyObject *self, PyObject *) {
  auto *buffer = reinterpret_cast<Buffer *>(self);
  return PyBool_FromLong(buffer->waited < buffer->pushed);
}
static PyObject *buffer_filled(PyObject *self, PyObject *) {
  auto *buffer = reinterpret_cast<Buffer *>(self);
  return PyLong_FromLongLong(buffer->pushed - buffer->popped);
}
static PyObject *buffer_occupied(PyObject *self, PyObject *) {
  auto *buffer = reinterpret_cast<Buffer *>(self);
  return PyLong_FromLongLong(buffer->reserved - buffer->popped);
}

static int buffer_traverse(PyObject *self, visitproc visit, void *arg) {
  auto *buffer = reinterpret_cast<Buffer *>(self);
  Py_VISIT(buffer->engine);
  Py_VISIT(buffer->node);
  Py_VISIT(buffer->slots);
  Py_VISIT(buffer->held_reserved);
  Py_VISIT(buffer->held_waited);
  Py_VISIT(buffer->wait_for_data);
  Py_VISIT(buffer->wait_for_space);
  Py_VISIT(buffer->producer);
  Py_VISIT(buffer->consumer);
  Py_VISIT(buffer->waiting_producer);
  Py_VISIT(buffer->waiting_consumer);
  return 0;
}
static int buffer_clear(PyObject *self) {
  auto *buffer = reinterpret_cast<Buffer *>(self);
  clear(buffer->wait_for_data);
  clear(buffer->wait_for_space);
  clear(buffer->waiting_producer);
  clear(buffer->waiting_consumer);
  clear(buffer->last_reserved);
  clear(buffer->last_waited);
  return 0;
}
static void buffer_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *buffer = reinterpret_cast<Buffer *>(self);
  buffer_clear(self);
  clear(buffer->producer);
  clear(buffer->consumer);
  clear(buffer->slots);
  clear(buffer->held_reserved);
  clear(buffer->held_waited);
  clear(buffer->py_type);
  clear(buffer->node);
  clear(buffer->engine);
  site_clear(&buffer->site);
  site_clear(&buffer->producer_site);
  site_clear(&buffer->consumer_site);
  Py_TYPE(self)->tp_free(self);
}

static PyMemberDef buffer_members[] = {
    TTL_INT(Buffer, ordinal), TTL_INT(Buffer, block_count), TTL_INT(Buffer, reserved),    TTL_INT(Buffer, pushed),
    TTL_INT(Buffer, waited),  TTL_INT(Buffer, popped),      TTL_INT(Buffer, high_water),  TTL_INT(Buffer, space_waits),
    TTL_INT(Buffer, data_waits), {}};
static PyGetSetDef buffer_getset[] = {TTL_REQUIRED(Buffer, engine, EngineType),
                                      TTL_REQUIRED(Buffer, node, NodeType),
                                      {"type", get_object<offsetof(Buffer, py_type)>, nullptr, nullptr, nullptr},
                                      TTL_REQUIRED(Buffer, slots, PyList_Type),
                                      TTL_REQUIRED(Buffer, held_reserved, PyList_Type),
                                      TTL_REQUIRED(Buffer, held_waited, PyList_Type),
                                      TTL_OBJECT(Buffer, wait_for_data),
                                      TTL_OBJECT(Buffer, wait_for_space),
                                      TTL_TYPED(Buffer, producer, KernelType),
                                      TTL_TYPED(Buffer, consumer, KernelType),
                                      TTL_TYPED(Buffer, waiting_producer, KernelType),
                                      TTL_TYPED(Buffer, waiting_consumer, KernelType),
                                      TTL_TYPED(Buffer, last_reserved, BlockType),
                                      TTL_TYPED(Buffer, last_waited, BlockType),
                                      TTL_SITE(Buffer, site),
                                      TTL_SITE(Buffer, producer_site),
                                      TTL_SITE(Buffer, consumer_site),
                                      {}};
static PyMethodDef buffer_methods[] = {{"reserve", reinterpret_cast<PyCFunction>(buffer_reserve), METH_FASTCALL | METH_KEYWORDS, nullptr},
                                       {"wait", reinterpret_cast<PyCFunction>(buffer_wait), METH_FASTCALL | METH_KEYWORDS, nullptr},
                                       {"can_reserve", buffer_can_reserve, METH_NOARGS, nullptr},
                                       {"can_wait", buffer_can_wait, METH_NOARGS, nullptr},
                                       {"filled", buffer_filled, METH_NOARGS, nullptr},
                                       {"occupied", buffer_occupied, METH_NOARGS, nullptr},
                                       {}};
PyTypeObject BufferType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Buffer",
    .tp_basicsize = sizeof(Buffer),
    .tp_dealloc = buffer_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "A dataflow buffer on one node.",
    .tp_traverse = buffer_traverse,
    .tp_clear = buffer_clear,
    .tp_methods = buffer_methods,
    .tp_members = buffer_members,
    .tp_getset = buffer_getset,
    .tp_init = already_made,
    .tp_new = made_whole<PyType_GenericNew, buffer_init>,
};

// --- Block --------------------------------------------------------------------------------------------------

namespace {

bool is_first(PyObject *held, Block *block) {
  Py_ssize_t count = PyList_GET_SIZE(held);
  if (!count || PyList_GET_ITEM(held, 0) != as_object(block)) return false;
  // A younger block whose release waits for this one: the general way lets it follow.
  return count == 1 || reinterpret_cast<Block *>(PyList_GET_ITEM(held, 1))->state != t::kStateOutOfScope;
}

// 1: released; 0: the general way has to look at it; -1: failed.
int push(Block *block) {
  Buffer *buffer = block->buffer;
  Engine *engine = buffer->engine;
  if (transition(block, t::kStepPush) < 0 || engine->current != block->kernel || !block->value ||
      !is_first(buffer->held_reserved, block))
    return 0;
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
  int done = block->role <= t::kLastReserve ? push(block) : pop(block);
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
static void block_dealloc(PyObject *self) {
  release(reinterpret_cast<Block *>(self));
  Py_TYPE(self)->tp_free(self);
}

static PyObject *block_table(PyObject *self, void *) {
  return Py_NewRef(PyTuple_GET_ITEM(flat_tables, reinterpret_cast<Block *>(self)->role));
}

PyObject *configure_tables(PyObject *, PyObject *tuple) {
  if (!PyTuple_CheckExact(tuple)) {
    PyErr_SetString(PyExc_TypeError, "a tuple of tables");
    return nullptr;
  }
  assign(flat_tables, tuple);
  Py_RETURN_NONE;
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
    .tp_dealloc = block_dealloc,
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

// --- Transfer -----------------------------------------------------------------------------------------------

void link_transfer(Transfer *transfer, Block *block, bool writes, const Site &site) {
  transfer->block = incref(block);
  transfer->writes = writes;
  transfer->site = {incref(site.code), site.lasti};
  transfer->next = block->transfers;  // takes over the reference
  block->transfers = incref(transfer);
}

bool may_wait(const Transfer *transfer) {
  const Block *block = transfer->block;
  return block && !transfer->done && block->buffer->engine->current == block->kernel;
}

namespace {

Transfer *new_transfer(Block *block, bool writes, const Site &site) {
  auto *transfer = make<Transfer>(classes.transfer);
  if (transfer) link_transfer(transfer, block, writes, site);
  return transfer;
}

}  // namespace

// What follows when a transfer is complete.
void finish_transfer(Transfer *transfer) {
  Block *block = transfer->block;
  transfer->done = 1;
  Transfer **at = &block->transfers;
  while (*at && *at != transfer) at = &(*at)->next;
  if (*at) {
    *at = transfer->next;
    transfer->next = nullptr;
    Py_DECREF(transfer);  // the caller holds another one
  }
  if (transfer->writes) block->state = t::kCopiedIn;
  else if (!block->transfers) block->state = t::kCopiedOut;
}

static PyObject *transfer_wait(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count || names) return call_slow_with(self, "_slow_wait", args, count, names);
  auto *transfer = reinterpret_cast<Transfer *>(self);
  if (!may_wait(transfer)) return call_slow(self, "_slow_wait");
  finish_transfer(transfer);
  Py_RETURN_NONE;
}

static int transfer_init(PyObject *self, PyObject *args, PyObject *) {
  PyObject *block, *site;
  int writes;
  Site place;
  if (!PyArg_ParseTuple(args, "O!pO", &BlockType, &block, &writes, &site)) return -1;
  if (reinterpret_cast<Transfer *>(self)->block) {
    PyErr_SetString(PyExc_TypeError, "a transfer is made once");
    return -1;
  }
  if (site_from(&place, site) < 0) return -1;
  link_transfer(reinterpret_cast<Transfer *>(self), reinterpret_cast<Block *>(block), writes, place);
  site_clear(&place);
  return 0;
}
void release(Transfer *transfer) {
  // One by one: a block may have any number of copies under way, and each would need stack for the next.
  Transfer *next = transfer->next;
  transfer->next = nullptr;
  while (next && Py_REFCNT(as_object(next)) == 1) {
    Transfer *after = next->next;
    next->next = nullptr;
    Py_DECREF(next);
    next = after;
  }
  Py_XDECREF(next);
  clear(transfer->block);
  site_clear(&transfer->site);
}
static void transfer_dealloc(PyObject *self) {
  release(reinterpret_cast<Transfer *>(self));
  Py_TYPE(self)->tp_free(self);
}
static PyMemberDef transfer_members[] = {TTL_FLAG(Transfer, writes), TTL_FLAG(Transfer, done), {}};
static PyGetSetDef transfer_getset[] = {TTL_TYPED(Transfer, block, BlockType), TTL_TYPED(Transfer, next, TransferType),
                                        TTL_SITE(Transfer, site), {}};
static PyMethodDef transfer_methods[] = {{"wait", reinterpret_cast<PyCFunction>(transfer_wait), METH_FASTCALL | METH_KEYWORDS, nullptr}, {}};
PyTypeObject TransferType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Transfer",
    .tp_basicsize = sizeof(Transfer),
    .tp_dealloc = transfer_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A copy under way.",
    .tp_methods = transfer_methods,
    .tp_members = transfer_members,
    .tp_getset = transfer_getset,
    .tp_init = transfer_init,
    .tp_new = untracked_new,
};

// --- slices of another rank than the block's, once found to match ----------------------------------------------

static std::unordered_map<uint64_t, bool> matches;

static uint64_t match_key(const Slice *slice, const TypeInfo *type) {
  uint64_t singles = 0;
  for (int i = 0; i < slice->rank; i++) singles |= static_cast<uint64_t>(slice->single[i]) << i;
  return static_cast<uint64_t>(slice->value.type->id) << 36 | static_cast<uint64_t>(type->id) << 8 | singles;
}

bool known_match(Slice *slice, TypeInfo *type) { return matches.count(match_key(slice, type)) != 0; }

PyObject *note_match(PyObject *, PyObject *const *args, Py_ssize_t count) {
  if (count != 2 || !PyObject_TypeCheck(args[0], &SliceType)) {
    PyErr_SetString(PyExc_TypeError, "note_match(slice, type)");
    return nullptr;
  }
  TypeInfo *type = type_info(args[1]);
  if (!type) return nullptr;
  if (matches.size() < 4096) matches.emplace(match_key(reinterpret_cast<Slice *>(args[0]), type), true);
  Py_RETURN_NONE;
}

// --- ttl.copy -----------------------------------------------------------------------------------------------

PyObject *start_copy(Engine *engine, PyObject *src, PyObject *dst, const Site &site) {
  Kernel *kernel = engine->current;
  if (!kernel || !kernel->moves_data || engine->interleaved) return nullptr;
  PyTypeObject *from = Py_TYPE(src), *to = Py_TYPE(dst);
  if (to == classes.block) {
    auto *block = reinterpret_cast<Block *>(dst);
    if (block->kernel != kernel || transition(block, t::kStepCopyIn) < 0) return nullptr;
    if (from == classes.slice) {
      auto *slice = reinterpret_cast<Slice *>(src);
      TypeInfo *type = block->buffer->type;
      if (slice->value.type != type && !known_match(slice, type)) return nullptr;
      Value *value = memory_read(engine, slice, type);
      if (!value) return nullptr;
      if (!step(engine)) {
        Py_DECREF(value);
        return nullptr;
      }
      int next = transition(block, t::kStepCopyIn);
      if (next >= 0) block->state = next;
      Value *old = block->value;
      block->value = value;
      Py_XDECREF(old);
      return as_object(new_transfer(block, true, site));
    }
    if (from == classes.dst_end) return pipe_receive(engine, reinterpret_cast<PipeEnd *>(src), block, site);
    return nullptr;
  }
  if (from != classes.block) return nullptr;
  auto *block = reinterpret_cast<Block *>(src);
  if (block->kernel != kernel || transition(block, t::kStepCopyOut) < 0 || !block->value) return nullptr;
  if (to == classes.slice) {
    auto *slice = reinterpret_cast<Slice *>(dst);
    if (slice->value.type != block->buffer->type && !known_match(slice, block->buffer->type)) return nullptr;
    int written = memory_write(engine, block->value, slice, block->buffer->type, site);
    if (written <= 0) return nullptr;
    if (!step(engine)) return nullptr;
    int next = transition(block, t::kStepCopyOut);
    if (next >= 0) block->state = next;
    return as_object(new_transfer(block, false, site));
  }
  if (to == classes.src_end) return pipe_send(engine, block, reinterpret_cast<PipeEnd *>(dst), site);
  return nullptr;
}

}  // namespace ttl::core
