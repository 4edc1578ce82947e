// The pipes of a launch: the rules of a channel are those of protocol/pipes.py, one message under way, free again when
// every destination has received it.
#include "fields.h"
#include "pipes.h"
#include "pool.h"

namespace ttl::core {

void channel_start(Pipe *pipe, Message *message) {
  message->left = 1;
  pipe->begun++;
  pipe->in_flight = message;
  pipe->remaining->assign(pipe->nodes->size(), 1);
  pipe->left = static_cast<int64_t>(pipe->nodes->size());
}

Message *channel_receive(Pipe *pipe, int64_t position) {
  Message *message = incref(pipe->in_flight);
  if ((*pipe->remaining)[position]) {
    (*pipe->remaining)[position] = 0;
    pipe->left--;
  }
  pipe->received++;
  if (!pipe->left) {
    clear(pipe->in_flight);
    if (PyList_GET_SIZE(pipe->queue) && PyObject_TypeCheck(PyList_GET_ITEM(pipe->queue, 0), &MessageType)) {
      channel_start(pipe, reinterpret_cast<Message *>(pop_front(pipe->queue)));
    }
  }
  return message;
}

// --- Pipe ---------------------------------------------------------------------------------------------------

static PyObject *pipe_new(PyTypeObject *type, PyObject *, PyObject *) {
  auto *pipe = reinterpret_cast<Pipe *>(type->tp_alloc(type, 0));
  if (!pipe) return nullptr;
  pipe->nodes = new std::vector<int64_t>();
  pipe->remaining = new std::vector<char>();
  pipe->started = new std::vector<PyObject *>();
  return as_object(pipe);
}
static int pipe_init(PyObject *self, PyObject *args, PyObject *) {
  auto *pipe = reinterpret_cast<Pipe *>(self);
  PyObject *language, *dsts;
  long long src;
  if (!PyArg_ParseTuple(args, "OLO!", &language, &src, &PyTuple_Type, &dsts)) return -1;
  assign(pipe->pipe, language);
  assign(pipe->dsts, dsts);
  pipe->src = src;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(dsts); i++)
    pipe->nodes->push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(dsts, i)));
  pipe->remaining->assign(pipe->nodes->size(), 0);
  pipe->started->assign(pipe->nodes->size(), nullptr);
  pipe->receivers = PyList_New(0);
  pipe->receives = PyDict_New();
  pipe->queue = PyList_New(0);
  return PyErr_Occurred() ? -1 : 0;
}
static PyObject *pipe_channel(PyObject *self, void *) { return Py_NewRef(self); }
static PyObject *pipe_remaining(PyObject *self, void *) {
  auto *pipe = reinterpret_cast<Pipe *>(self);
  PyObject *set = PySet_New(nullptr);
  for (size_t i = 0; set && i < pipe->nodes->size(); i++) {
    if (!(*pipe->remaining)[i]) continue;
    PyObject *node = PyLong_FromLongLong((*pipe->nodes)[i]);
    if (!node || PySet_Add(set, node) < 0) clear(set);
    Py_XDECREF(node);
  }
  return set;
}
static PyObject *pipe_receive_on(PyObject *self, PyObject *node) {
  auto *pipe = reinterpret_cast<Pipe *>(self);
  long long wanted = PyLong_AsLongLong(node);
  if (PyErr_Occurred()) return nullptr;
  for (size_t i = 0; i < pipe->nodes->size(); i++)
    if ((*pipe->nodes)[i] == wanted && pipe->in_flight) return as_object(channel_receive(pipe, static_cast<int64_t>(i)));
  PyErr_SetString(PyExc_ValueError, "nothing is under way to this node");
  return nullptr;
}
static PyObject *pipe_available(PyObject *self, PyObject *node) {
  auto *pipe = reinterpret_cast<Pipe *>(self);
  long long wanted = PyLong_AsLongLong(node);
  if (PyErr_Occurred()) return nullptr;
  for (size_t i = 0; i < pipe->nodes->size(); i++)
    if ((*pipe->nodes)[i] == wanted) return PyBool_FromLong(pipe->in_flight && (*pipe->remaining)[i]);
  Py_RETURN_FALSE;
}
// send(message): put a Message into the pipe. The message.
static PyObject *pipe_send_message(PyObject *self, PyObject *message) {
  auto *pipe = reinterpret_cast<Pipe *>(self);
  if (!PyObject_TypeCheck(message, &MessageType)) {
    PyErr_SetString(PyExc_TypeError, "a message");
    return nullptr;
  }
  pipe->sent++;
  if (!pipe->in_flight) channel_start(pipe, reinterpret_cast<Message *>(Py_NewRef(message)));
  else if (PyList_Append(pipe->queue, message) < 0) return nullptr;
  return Py_NewRef(message);
}
static int pipe_traverse(PyObject *self, visitproc visit, void *arg) {
  auto *pipe = reinterpret_cast<Pipe *>(self);
  Py_VISIT(pipe->receivers);
  Py_VISIT(pipe->receives);
  Py_VISIT(pipe->queue);
  Py_VISIT(pipe->sender);
  for (PyObject *list : *pipe->started) Py_VISIT(list);
  return 0;
}
constexpr inquiry pipe_clear = clear_members<Pipe, &Pipe::sender, &Pipe::in_flight>;
static void pipe_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *pipe = reinterpret_cast<Pipe *>(self);
  pipe_clear(self);
  clear(pipe->receivers);
  clear(pipe->receives);
  clear(pipe->queue);
  clear(pipe->pipe);
  clear(pipe->dsts);
  for (PyObject *list : *pipe->started) Py_XDECREF(list);
  delete pipe->started;
  delete pipe->nodes;
  delete pipe->remaining;
  Py_TYPE(self)->tp_free(self);
}
static PyMemberDef pipe_members[] = {TTL_INT(Pipe, src),  TTL_INT(Pipe, waits),    TTL_INT(Pipe, bytes),
                                     TTL_INT(Pipe, sent), TTL_INT(Pipe, received), {}};
static PyGetSetDef pipe_getset[] = {TTL_OBJECT(Pipe, pipe),
                                    TTL_OBJECT(Pipe, dsts),
                                    TTL_REQUIRED(Pipe, receivers, PyList_Type),
                                    TTL_REQUIRED(Pipe, receives, PyDict_Type),
                                    TTL_REQUIRED(Pipe, queue, PyList_Type),
                                    TTL_TYPED(Pipe, in_flight, MessageType),
                                    TTL_TYPED(Pipe, sender, KernelType),
                                    {"channel", pipe_channel, nullptr, "Its channel: this.", nullptr},
                                    {"remaining", pipe_remaining, nullptr, "Who has not received yet.", nullptr},
                                    {}};
static PyMethodDef pipe_methods[] = {{"receive", pipe_receive_on, METH_O, nullptr},
                                     {"available", pipe_available, METH_O, nullptr},
                                     {"send", pipe_send_message, METH_O, nullptr},
                                     {}};
PyTypeObject PipeType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Pipe",
    .tp_basicsize = sizeof(Pipe),
    .tp_dealloc = pipe_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "One pipe of a launch, with its channel.",
    .tp_traverse = pipe_traverse,
    .tp_clear = pipe_clear,
    .tp_methods = pipe_methods,
    .tp_members = pipe_members,
    .tp_getset = pipe_getset,
    .tp_init = already_made,
    .tp_new = made_whole<pipe_new, pipe_init>,
};

}  // namespace ttl::core
