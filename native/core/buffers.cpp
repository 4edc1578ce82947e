// Dataflow buffers: acquiring blocks.
#include "fields.h"
#include "pool.h"

namespace ttl::core {

namespace t = tables;

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
  if (!kernel || !may_claim(buffer, kernel, buffer->producer) || !user_site(&site))
    return call_slow(self, "_slow_reserve");
  if (PyList_GET_SIZE(buffer->held_reserved)) {
    int room = release_before_acquiring(buffer, buffer->held_reserved, site);
    if (room < 0) return nullptr;
    if (!room) return call_slow(self, "_slow_reserve");
  }
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
  note_event(engine, kAcquired, as_object(block));
  return as_object(block);
}

static PyObject *buffer_wait(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count || names) return call_slow_with(self, "_slow_wait", args, count, names);
  auto *buffer = reinterpret_cast<Buffer *>(self);
  Engine *engine = buffer->engine;
  Kernel *kernel = engine->current;
  Site site;
  if (!kernel || !may_claim(buffer, kernel, buffer->consumer) || !user_site(&site))
    return call_slow(self, "_slow_wait");
  if (PyList_GET_SIZE(buffer->held_waited)) {
    int room = release_before_acquiring(buffer, buffer->held_waited, site);
    if (room < 0) return nullptr;
    if (!room) return call_slow(self, "_slow_wait");
  }
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
  note_event(engine, kAcquired, as_object(block));
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

constexpr traverseproc buffer_traverse = visit_members<Buffer, &Buffer::engine, &Buffer::node,
                                                       &Buffer::slots, &Buffer::held_reserved,
                                                       &Buffer::held_waited, &Buffer::wait_for_data,
                                                       &Buffer::wait_for_space, &Buffer::producer,
                                                       &Buffer::consumer, &Buffer::waiting_producer,
                                                       &Buffer::waiting_consumer>;
constexpr inquiry buffer_clear = clear_members<Buffer, &Buffer::wait_for_data, &Buffer::wait_for_space,
                                               &Buffer::waiting_producer, &Buffer::waiting_consumer,
                                               &Buffer::last_reserved, &Buffer::last_waited>;
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
    TTL_INT(Buffer, used),    TTL_INT(Buffer, waited),      TTL_INT(Buffer, popped),      TTL_INT(Buffer, high_water),
    TTL_INT(Buffer, space_waits), TTL_INT(Buffer, data_waits), {}};
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

}  // namespace ttl::core
