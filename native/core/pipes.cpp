// Pipes: sends, receives and the functions called for the ends of a net. The channel's rules are those of
// protocol/pipes.py: one message under way, free again when every destination has received it.
#include "fields.h"
#include "pool.h"

namespace ttl::core {

namespace {

// Whether a place among the destinations of a pipe is one: Python code can set it.
bool has(const Pipe *pipe, int64_t position) {
  return 0 <= position && position < static_cast<int64_t>(pipe->remaining->size());
}

PyObject *wait_to_send, *wait_to_receive;  // the classes that say why a kernel is blocked

void start(Pipe *pipe, Message *message) {  // takes over the reference
  message->left = 1;
  pipe->begun++;
  pipe->in_flight = message;
  pipe->remaining->assign(pipe->nodes->size(), 1);
  pipe->left = static_cast<int64_t>(pipe->nodes->size());
}

// Takes the message under way for a destination; strong.
Message *receive(Pipe *pipe, int64_t position) {
  Message *message = incref(pipe->in_flight);
  if ((*pipe->remaining)[position]) {
    (*pipe->remaining)[position] = 0;
    pipe->left--;
  }
  pipe->received++;
  if (!pipe->left) {
    clear(pipe->in_flight);
    if (PyList_GET_SIZE(pipe->queue) && PyObject_TypeCheck(PyList_GET_ITEM(pipe->queue, 0), &MessageType)) {
      start(pipe, reinterpret_cast<Message *>(pop_front(pipe->queue)));
    }
  }
  return message;
}

int wake_receivers(Engine *engine, Pipe *pipe) {
  Py_ssize_t count = PyList_GET_SIZE(pipe->receivers);
  if (!count) return 0;
  for (Py_ssize_t i = 0; i < count && PyList_GET_SIZE(pipe->receivers); i++) {
    PyObject *kernel = pop_front(pipe->receivers);
    if (is_of(kernel, classes.kernel, KernelType)) scheduler_wake(engine, reinterpret_cast<Kernel *>(kernel));
    Py_DECREF(kernel);
  }
  return 0;
}

// The receives a node has started and nothing has arrived for, in order: a borrowed list.
PyObject *receives_of(Pipe *pipe, int64_t node) {
  PyObject *key = PyLong_FromLongLong(node);
  if (!key) return nullptr;
  PyObject *list = PyDict_GetItemWithError(pipe->receives, key);
  if (!list && !PyErr_Occurred()) {
    list = PyList_New(0);
    if (list && PyDict_SetItem(pipe->receives, key, list) == 0) Py_DECREF(list);
    else clear(list);
  }
  Py_DECREF(key);
  return list;
}

int suspend_for(Engine *engine, PipeTransfer *transfer) {
  transfer->pipe->waits++;
  return scheduler_suspend(engine, transfer->transfer.block->kernel, as_object(transfer));
}

// Whether the message under way fits the block of a receive; if not, that is reported when the receive is waited for.
bool fits(const Pipe *pipe, const PipeTransfer *transfer) {
  const Block *block = transfer->transfer.block;
  return block && transfer->pipe == pipe && pipe->in_flight->type == block->buffer->py_type &&
         has(pipe, transfer->position);
}

void take(Pipe *pipe, PipeTransfer *transfer) {
  Message *message = receive(pipe, transfer->position);
  assign(transfer->transfer.block->value, message->value);
  Py_DECREF(message);
  transfer->arrived = 1;
}

// The receive that gets the next message on the destination at `position`; borrowed, null where there is none.
PipeTransfer *first_receive(Pipe *pipe, size_t position) {
  PyObject *list = (*pipe->started)[position];
  if (!list || !PyList_GET_SIZE(list)) return nullptr;
  PyObject *first = PyList_GET_ITEM(list, 0);
  return is_of(first, classes.receive, PipeTransferType) ? reinterpret_cast<PipeTransfer *>(first) : nullptr;
}

// As `hand_out` of sim/pipes.py: a message has come under way.
int hand_out(Engine *engine, Pipe *pipe) {
  while (pipe->in_flight) {
    if (Kernel *sender = pipe->sender) {  // a queued send has just left its block
      pipe->sender = nullptr;
      scheduler_wake(engine, sender);
      Py_DECREF(sender);
    }
    if (wake_receivers(engine, pipe) < 0) return -1;
    const int64_t sent_before = pipe->begun;
    for (size_t i = 0; i < pipe->nodes->size() && pipe->in_flight && pipe->begun == sent_before; i++) {
      if (!(*pipe->remaining)[i]) continue;
      PipeTransfer *transfer = first_receive(pipe, i);
      if (!transfer || !fits(pipe, transfer) || transfer->position != static_cast<int64_t>(i)) continue;
      PyObject *first = pop_front((*pipe->started)[i]);
      take(pipe, transfer);
      Py_DECREF(first);
    }
    if (pipe->begun == sent_before) break;
  }
  return 0;
}

// The next message goes into the block of this receive. 1: done, 0: the general way has to report something.
int deliver(Engine *engine, PipeTransfer *transfer) {
  Pipe *pipe = transfer->pipe;
  if (!fits(pipe, transfer)) return 0;
  const int64_t begun = pipe->begun;
  take(pipe, transfer);
  if (pipe->begun == begun) return 1;
  return hand_out(engine, pipe) < 0 ? -1 : 1;
}

PipeTransfer *new_transfer(PyTypeObject *type, Pipe *pipe, Block *block, bool writes, const Site &site) {
  // Sends and receives are of two classes of one layout: each keeps memory of its own.
  auto *transfer = writes ? reinterpret_cast<PipeTransfer *>(make<Receive>(type))
                          : reinterpret_cast<PipeTransfer *>(make<Send>(type));
  if (!transfer) return nullptr;
  transfer->pipe = incref(pipe);
  link_transfer(&transfer->transfer, block, writes, site);
  return transfer;
}

}  // namespace

PyObject *pipe_reason(PyObject *waiting) {
  if (!waiting || !PyObject_TypeCheck(waiting, &PipeTransferType)) return none_or(waiting);
  auto *transfer = reinterpret_cast<PipeTransfer *>(waiting);
  PyObject *site = site_tuple(transfer->transfer.site);
  if (!site) return nullptr;
  if (transfer->transfer.writes)
    return PyObject_CallFunction(wait_to_receive, "OLN", transfer->pipe, static_cast<long long>(transfer->node), site);
  return PyObject_CallFunction(wait_to_send, "ON", transfer->pipe, site);
}

void release(PipeTransfer *transfer) {
  clear(transfer->pipe);
  clear(transfer->message);
  clear(transfer->receives);
  release(&transfer->transfer);
}

void release(Message *message) {
  clear(message->value);
  clear(message->type);
  clear(message->kernel);
  site_clear(&message->site);
}

PyObject *pipe_send(Engine *engine, Block *block, PipeEnd *end, const Site &site) {
  if (end->active != engine->current || !block->value || !end->of) return nullptr;
  if (!step(engine)) return nullptr;
  Pipe *pipe = end->of;
  auto *message = make<Message>(classes.message);
  if (!message) return nullptr;
  message->value = incref(block->value);
  message->type = Py_NewRef(block->buffer->py_type);
  message->kernel = incref(block->kernel);
  message->site = {incref(site.code), site.lasti};
  PipeTransfer *transfer = new_transfer(classes.send, pipe, block, false, site);
  if (!transfer) {
    Py_DECREF(message);
    return nullptr;
  }
  transfer->message = Py_NewRef(as_object(message));
  block->state = transition(block, tables::kStepCopyOut);
  pipe->bytes += block->buffer->type->nbytes;
  pipe->sent++;
  if (!pipe->in_flight) {
    start(pipe, message);
    if (hand_out(engine, pipe) < 0) {
      Py_DECREF(as_object(transfer));
      return nullptr;
    }
  } else {
    int failed = PyList_Append(pipe->queue, as_object(message));
    Py_DECREF(message);
    if (failed) {
      Py_DECREF(as_object(transfer));
      return nullptr;
    }
  }
  return as_object(transfer);
}

PyObject *pipe_receive(Engine *engine, PipeEnd *end, Block *block, const Site &site) {
  if (end->active != engine->current || !end->of || !has(end->of, end->position)) return nullptr;
  if (!step(engine)) return nullptr;
  if (!end->receives) {
    end->receives = Py_XNewRef(receives_of(end->of, end->node));
    assign((*end->of->started)[static_cast<size_t>(end->position)], end->receives);
  }
  PyObject *list = end->receives;
  PipeTransfer *transfer = list ? new_transfer(classes.receive, end->of, block, true, site) : nullptr;
  if (!transfer || PyList_Append(list, as_object(transfer)) < 0) {
    Py_XDECREF(as_object(transfer));
    return nullptr;
  }
  transfer->node = end->node;
  transfer->position = end->position;
  transfer->receives = Py_NewRef(list);
  block->state = transition(block, tables::kStepCopyIn);
  Pipe *pipe = end->of;
  if (PyList_GET_SIZE(list) == 1 && pipe->in_flight && (*pipe->remaining)[transfer->position] && fits(pipe, transfer)) {
    PyObject *first = pop_front(list);
    int done = deliver(engine, transfer);
    Py_DECREF(first);
    if (done < 0) {
      Py_DECREF(as_object(transfer));
      return nullptr;
    }
  }
  return as_object(transfer);
}

// --- transfers ----------------------------------------------------------------------------------------------

static PyObject *pipe_transfer_wait(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count || names) return call_slow_with(self, "_slow_wait", args, count, names);
  auto *transfer = reinterpret_cast<PipeTransfer *>(self);
  if (!may_wait(&transfer->transfer)) return call_slow(self, "_slow_wait");
  Block *block = transfer->transfer.block;
  Engine *engine = block->buffer->engine;
  Pipe *pipe = transfer->pipe;
  bool whole = pipe && (transfer->transfer.writes ? has(pipe, transfer->position) : transfer->message != nullptr);
  if (!whole) return call_slow(self, "_slow_wait");
  if (!transfer->transfer.writes) {
    while (!reinterpret_cast<Message *>(transfer->message)->left) {
      assign(pipe->sender, block->kernel);
      if (suspend_for(engine, transfer) < 0) return nullptr;
    }
  }
  while (transfer->transfer.writes && !transfer->arrived) {
    if (pipe->in_flight && (*pipe->remaining)[transfer->position]) {
      PyObject *list = transfer->receives ? transfer->receives : receives_of(pipe, transfer->node);
      if (!list || !PyList_Check(list) || !PyList_GET_SIZE(list) ||
          !is_of(PyList_GET_ITEM(list, 0), classes.receive, PipeTransferType) ||
          reinterpret_cast<PipeTransfer *>(PyList_GET_ITEM(list, 0))->pipe != pipe)
        return PyErr_Occurred() ? nullptr : call_slow(self, "_slow_wait");
      PyObject *first = pop_front(list);
      int done = deliver(engine, reinterpret_cast<PipeTransfer *>(first));
      if (!done) {
        PyObject *said = PyObject_CallMethod(first, "deliver", nullptr);
        done = said ? 1 : -1;
        Py_XDECREF(said);
      }
      Py_DECREF(first);
      if (done < 0) return nullptr;
      continue;
    }
    if (PyList_Append(pipe->receivers, as_object(block->kernel)) < 0) return nullptr;
    if (suspend_for(engine, transfer) < 0) return nullptr;
  }
  finish_transfer(&transfer->transfer);
  Py_RETURN_NONE;
}

static void pipe_transfer_dealloc(PyObject *self) {
  release(reinterpret_cast<PipeTransfer *>(self));
  Py_TYPE(self)->tp_free(self);
}
static PyMemberDef pipe_transfer_members[] = {TTL_INT(PipeTransfer, node), TTL_INT(PipeTransfer, position), TTL_FLAG(PipeTransfer, arrived), {}};
static PyGetSetDef pipe_transfer_getset[] = {TTL_TYPED(PipeTransfer, pipe, PipeType),
                                             TTL_TYPED(PipeTransfer, message, MessageType),
                                             {}};
static PyMethodDef pipe_transfer_methods[] = {{"wait", reinterpret_cast<PyCFunction>(pipe_transfer_wait), METH_FASTCALL | METH_KEYWORDS, nullptr}, {}};
PyTypeObject PipeTransferType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.PipeTransfer",
    .tp_basicsize = sizeof(PipeTransfer),
    .tp_dealloc = pipe_transfer_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A send on a pipe, or a receive.",
    .tp_methods = pipe_transfer_methods,
    .tp_members = pipe_transfer_members,
    .tp_getset = pipe_transfer_getset,
    .tp_base = &TransferType,
    .tp_new = untracked_new,
};

// --- Message ------------------------------------------------------------------------------------------------

static void message_dealloc(PyObject *self) {
  release(reinterpret_cast<Message *>(self));
  Py_TYPE(self)->tp_free(self);
}
static PyObject *message_payload(PyObject *self, void *) { return Py_NewRef(self); }
static PyMemberDef message_members[] = {TTL_FLAG(Message, left), {}};
static PyGetSetDef message_getset[] = {TTL_TYPED(Message, value, ValueType),
                                       TTL_OBJECT(Message, type),
                                       TTL_TYPED(Message, kernel, KernelType),
                                       TTL_SITE(Message, site),
                                       {"payload", message_payload, nullptr, "What was sent: this.", nullptr},
                                       {}};
PyTypeObject MessageType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Message",
    .tp_basicsize = sizeof(Message),
    .tp_dealloc = message_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "One send.",
    .tp_members = message_members,
    .tp_getset = message_getset,
    .tp_new = untracked_new,
};

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
    if ((*pipe->nodes)[i] == wanted && pipe->in_flight) return as_object(receive(pipe, static_cast<int64_t>(i)));
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
  if (!pipe->in_flight) start(pipe, reinterpret_cast<Message *>(Py_NewRef(message)));
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
static int pipe_clear(PyObject *self) {
  auto *pipe = reinterpret_cast<Pipe *>(self);
  clear(pipe->sender);
  clear(pipe->in_flight);
  return 0;
}
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

// --- ends ---------------------------------------------------------------------------------------------------

namespace {

void fill_end(PipeEnd *end, Pipe *of, int64_t node) {
  assign(end->of, of);
  end->node = node;
  end->position = 0;
  for (size_t i = 0; i < of->nodes->size(); i++)
    if ((*of->nodes)[i] == node) end->position = static_cast<int64_t>(i);
}

// A list of the ends of pipes on a node; new.
PyObject *ends_of(PyTypeObject *type, PyObject *pipes, int64_t node) {
  PyObject *ends = PyList_New(0);
  for (Py_ssize_t i = 0; ends && PyList_Check(pipes) && i < PyList_GET_SIZE(pipes); i++) {
    PyObject *pipe = PyList_GET_ITEM(pipes, i);
    auto *end = PyObject_TypeCheck(pipe, &PipeType) ? reinterpret_cast<PipeEnd *>(untracked_new(type, nullptr, nullptr)) : nullptr;
    if (!end && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "pipes are needed");
    if (end) fill_end(end, reinterpret_cast<Pipe *>(pipe), node);
    if (!end || PyList_Append(ends, as_object(end)) < 0) Py_CLEAR(ends);
    Py_XDECREF(as_object(end));
  }
  return ends;
}

}  // namespace

static int end_init(PyObject *self, PyObject *args, PyObject *) {
  PyObject *of;
  long long node = -1;
  if (!PyArg_ParseTuple(args, "O!|L", &PipeType, &of, &node)) return -1;
  fill_end(reinterpret_cast<PipeEnd *>(self), reinterpret_cast<Pipe *>(of), node);
  return 0;
}
static void end_dealloc(PyObject *self) {
  auto *end = reinterpret_cast<PipeEnd *>(self);
  clear(end->of);
  clear(end->active);
  clear(end->receives);
  Py_TYPE(self)->tp_free(self);
}
static PyMemberDef end_members[] = {TTL_INT(PipeEnd, node), TTL_INT(PipeEnd, position), {}};
static PyGetSetDef end_getset[] = {TTL_REQUIRED(PipeEnd, of, PipeType), TTL_TYPED(PipeEnd, active, KernelType), {}};
PyTypeObject PipeEndType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.PipeEnd",
    .tp_basicsize = sizeof(PipeEnd),
    .tp_dealloc = end_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "One end of a pipe on one node.",
    .tp_members = end_members,
    .tp_getset = end_getset,
    .tp_init = already_made,
    .tp_new = made_whole<PyType_GenericNew, end_init>,
};

// --- nets ---------------------------------------------------------------------------------------------------

static int view_init(PyObject *self, PyObject *args, PyObject *) {
  auto *view = reinterpret_cast<NetView *>(self);
  PyObject *engine, *out, *in;
  if (!PyArg_ParseTuple(args, "O!O!O!", &EngineType, &engine, &PyList_Type, &out, &PyList_Type, &in)) return -1;
  assign(view->engine, reinterpret_cast<Engine *>(engine));
  assign(view->out, out);
  assign(view->in, in);
  return 0;
}
static int view_traverse(PyObject *self, visitproc visit, void *arg) {
  auto *view = reinterpret_cast<NetView *>(self);
  Py_VISIT(view->engine);
  Py_VISIT(view->out);
  Py_VISIT(view->in);
  return 0;
}
static int view_clear(PyObject *self) {
  auto *view = reinterpret_cast<NetView *>(self);
  clear(view->engine);
  return 0;
}
static void view_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  view_clear(self);
  clear(reinterpret_cast<NetView *>(self)->out);
  clear(reinterpret_cast<NetView *>(self)->in);
  Py_TYPE(self)->tp_free(self);
}
static PyGetSetDef view_getset[] = {TTL_TYPED(NetView, engine, EngineType), TTL_REQUIRED(NetView, out, PyList_Type),
                                    {"in_", get_object<offsetof(NetView, in)>, nullptr, nullptr, nullptr}, {}};
PyTypeObject NetViewType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.NetView",
    .tp_basicsize = sizeof(NetView),
    .tp_dealloc = view_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "A pipe net seen from one node.",
    .tp_traverse = view_traverse,
    .tp_clear = view_clear,
    .tp_getset = view_getset,
    .tp_init = already_made,
    .tp_new = made_whole<PyType_GenericNew, view_init>,
};

namespace {

void forget(Net *net) {
  auto *views = net->views;
  net->views = nullptr;
  net->launch = 0;
  clear(net->view);
  if (views)
    for (auto &each : *views) Py_DECREF(each.second);
  delete views;
}

// What the net is on the current node, borrowed; null with an error set where that is refused.
NetView *view_of(Net *net, Engine *engine) {
  int64_t node = engine->current->node->index;
  if (net->launch != engine->launch) {
    forget(net);
    net->launch = engine->launch;
    net->node = -1;
  }
  if (net->view && net->node == node) return net->view;
  if (net->views) {
    auto known = net->views->find(node);
    if (known != net->views->end()) return known->second;
  }
  PyObject *made = PyObject_CallMethod(as_object(engine), "pipe_net", "O", net);
  if (!made) return nullptr;
  if (!PyObject_TypeCheck(made, &NetViewType)) {
    Py_DECREF(made);
    PyErr_SetString(PyExc_TypeError, "a view of a net");
    return nullptr;
  }
  auto *view = reinterpret_cast<NetView *>(made);
  if (net->node < 0) {
    net->node = node;
    net->view = view;
  } else {
    if (!net->views) net->views = new std::unordered_map<int64_t, NetView *>();
    net->views->emplace(node, view);
  }
  return view;
}

// A function that can be called with the pipe and does nothing unusual when it is.
bool is_plain(PyObject *function) {
  if (!PyFunction_Check(function)) return false;
  auto *code = reinterpret_cast<PyCodeObject *>(PyFunction_GET_CODE(function));
  constexpr int kUnusual = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
  return code->co_argcount == 1 && !code->co_kwonlyargcount && !(code->co_flags & kUnusual);
}

PyObject *call_for_each(PyObject *self, PyObject *function, bool sending) {
  Engine *engine = active_engine;
  if (!engine || !engine->current || !engine->current->moves_data || !is_plain(function))
    return call_slow(self, sending ? "_slow_if_src" : "_slow_if_dst", function);
  if (!step(engine)) return nullptr;
  NetView *view = view_of(reinterpret_cast<Net *>(self), engine);
  if (!view) return nullptr;
  Kernel *kernel = incref(engine->current);
  PyObject *ends = Py_NewRef(sending ? view->out : view->in);
  bool fine = true;
  for (Py_ssize_t i = 0; fine && i < PyList_GET_SIZE(ends); i++) {
    if (!is_of(PyList_GET_ITEM(ends, i), sending ? classes.src_end : classes.dst_end, PipeEndType)) {
      PyErr_SetString(PyExc_TypeError, "an end of a pipe is needed");
      fine = false;
      break;
    }
    auto *end = reinterpret_cast<PipeEnd *>(Py_NewRef(PyList_GET_ITEM(ends, i)));
    Kernel *was = end->active;
    end->active = incref(kernel);
    PyObject *result = PyObject_CallOneArg(function, as_object(end));
    fine = result != nullptr;
    Py_XDECREF(result);
    Kernel *now = end->active;
    end->active = was;
    Py_XDECREF(now);
    Py_DECREF(end);
  }
  Py_DECREF(ends);
  Py_DECREF(kernel);
  if (!fine) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace

static PyObject *net_if_src(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count != 1 || names) return call_slow_with(self, "_slow_if_src", args, count, names);
  return call_for_each(self, args[0], true);
}
static PyObject *net_if_dst(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count != 1 || names) return call_slow_with(self, "_slow_if_dst", args, count, names);
  return call_for_each(self, args[0], false);
}
// forget_views(net): the launch is over.
PyObject *forget_views(PyObject *, PyObject *net) {
  if (PyObject_TypeCheck(net, &NetType)) forget(reinterpret_cast<Net *>(net));
  Py_RETURN_NONE;
}
static void net_dealloc(PyObject *self) {
  forget(reinterpret_cast<Net *>(self));
  Py_TYPE(self)->tp_free(self);
}
static PyMethodDef net_methods[] = {{"if_src", reinterpret_cast<PyCFunction>(net_if_src), METH_FASTCALL | METH_KEYWORDS, nullptr},
                                    {"if_dst", reinterpret_cast<PyCFunction>(net_if_dst), METH_FASTCALL | METH_KEYWORDS, nullptr},
                                    {}};
PyTypeObject NetType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Net",
    .tp_basicsize = sizeof(Net),
    .tp_dealloc = net_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "What pipe nets are derived from.",
    .tp_methods = net_methods,
    .tp_new = PyType_GenericNew,
};

// --- ttl.Pipe -----------------------------------------------------------------------------------------------

namespace {

struct PipeSpec {
  PyObject_HEAD
  PyObject *src, *dst;
  Site site;
};

// Pipe(src=..., dst=...): every node makes all pipes of a net. Other forms are for Python.
int spec_init(PyObject *self, PyObject *args, PyObject *names) {
  auto *spec = reinterpret_cast<PipeSpec *>(self);
  PyObject *src = nullptr, *dst = nullptr;
  Py_ssize_t count = PyTuple_GET_SIZE(args), named = names ? PyDict_GET_SIZE(names) : 0;
  if (count == 0 && named == 2) {
    src = PyDict_GetItemString(names, "src");
    dst = PyDict_GetItemString(names, "dst");
  } else if (count == 2 && !named) {
    src = PyTuple_GET_ITEM(args, 0);
    dst = PyTuple_GET_ITEM(args, 1);
  }
  Site site;
  if (src && dst && src != Py_None && dst != Py_None && user_site(&site)) {
    assign(spec->src, src);
    assign(spec->dst, dst);
    assign(spec->site.code, site.code);
    spec->site.lasti = site.lasti;
    return 0;
  }
  PyObject *method = PyObject_GetAttrString(self, "_slow___init__");
  PyObject *done = method ? PyObject_Call(method, args, names) : nullptr;
  Py_XDECREF(method);
  Py_XDECREF(done);
  return done ? 0 : -1;
}
void spec_dealloc(PyObject *self) {
  auto *spec = reinterpret_cast<PipeSpec *>(self);
  clear(spec->src);
  clear(spec->dst);
  site_clear(&spec->site);
  Py_TYPE(self)->tp_free(self);
}
bool is_name(PyObject *name, const char *text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; }

// Pipe(src=..., dst=...) without a dict of the arguments; `__init__` does the rest of the forms.
PyObject *spec_call(PyObject *callable, PyObject *const *args, size_t flags, PyObject *names) {
  auto *type = reinterpret_cast<PyTypeObject *>(callable);
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  PyObject *src = nullptr, *dst = nullptr;
  if (!count && names && PyTuple_GET_SIZE(names) == 2) {
    PyObject *first = PyTuple_GET_ITEM(names, 0), *second = PyTuple_GET_ITEM(names, 1);
    if (is_name(first, "src") && is_name(second, "dst")) src = args[0], dst = args[1];
    if (is_name(first, "dst") && is_name(second, "src")) src = args[1], dst = args[0];
  }
  Site site;
  if (src && dst && src != Py_None && dst != Py_None && user_site(&site)) {
    auto *spec = reinterpret_cast<PipeSpec *>(untracked_new(type, nullptr, nullptr));
    if (!spec) return nullptr;
    spec->src = Py_NewRef(src);
    spec->dst = Py_NewRef(dst);
    spec->site = {incref(site.code), site.lasti};
    return as_object(spec);
  }
  PyObject *tuple = PyTuple_New(count), *named = names ? PyDict_New() : nullptr, *made = nullptr;
  bool good = tuple && (named || !names);
  for (Py_ssize_t i = 0; good && i < count; i++) PyTuple_SET_ITEM(tuple, i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; good && names && i < PyTuple_GET_SIZE(names); i++)
    good = PyDict_SetItem(named, PyTuple_GET_ITEM(names, i), args[count + i]) == 0;
  if (good) made = PyType_Type.tp_call(callable, tuple, named);
  Py_XDECREF(tuple);
  Py_XDECREF(named);
  return made;
}

PyGetSetDef spec_getset[] = {TTL_OBJECT(PipeSpec, src), TTL_OBJECT(PipeSpec, dst), TTL_SITE(PipeSpec, site), {}};

}  // namespace

PyTypeObject PipeSpecType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.PipeSpec",
    .tp_basicsize = sizeof(PipeSpec),
    .tp_dealloc = spec_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "What pipes are derived from.",
    .tp_getset = spec_getset,
    .tp_init = spec_init,
    .tp_new = untracked_new,
};

void pipe_class_setup(PyTypeObject *type) {
  if (PyType_IsSubtype(type, &PipeSpecType)) type->tp_vectorcall = spec_call;
}

namespace {

// Whether two parts of a coordinate or range are the same, and of a kind whose comparison runs no code of the user's.
bool is_same_plain(PyObject *a, PyObject *b) {
  if (a == b) return true;
  if (PySlice_Check(a) && PySlice_Check(b)) {
    auto *x = reinterpret_cast<PySliceObject *>(a), *y = reinterpret_cast<PySliceObject *>(b);
    return is_same_plain(x->start, y->start) && is_same_plain(x->stop, y->stop) && is_same_plain(x->step, y->step);
  }
  return PyLong_CheckExact(a) && PyLong_CheckExact(b) && PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

bool are_same_plain(PyObject *a, PyObject *b) {
  if (!PyTuple_CheckExact(a) || !PyTuple_CheckExact(b) || PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b))
    return is_same_plain(a, b);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a); i++)
    if (!is_same_plain(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i))) return false;
  return true;
}

int same_nodes(PyObject *a, PyObject *b, bool plainly) {
  if (are_same_plain(a, b)) return 1;
  return plainly ? 0 : PyObject_RichCompareBool(a, b, Py_EQ);
}

}  // namespace

// same_pipes(first, second, plainly): whether two tuples of pipes have the same sources and destinations. `plainly`:
// only of numbers and slices, and no code of the user's runs.
PyObject *same_pipes(PyObject *, PyObject *args) {
  PyObject *first, *second;
  int plainly;
  if (!PyArg_ParseTuple(args, "O!O!p", &PyTuple_Type, &first, &PyTuple_Type, &second, &plainly)) return nullptr;
  int same = PyTuple_GET_SIZE(first) == PyTuple_GET_SIZE(second);
  for (Py_ssize_t i = 0; same > 0 && i < PyTuple_GET_SIZE(first); i++) {
    if (!PyObject_TypeCheck(PyTuple_GET_ITEM(first, i), &PipeSpecType) ||
        !PyObject_TypeCheck(PyTuple_GET_ITEM(second, i), &PipeSpecType)) {
      PyErr_SetString(PyExc_TypeError, "pipes are needed");
      return nullptr;
    }
    auto *a = reinterpret_cast<PipeSpec *>(PyTuple_GET_ITEM(first, i));
    auto *b = reinterpret_cast<PipeSpec *>(PyTuple_GET_ITEM(second, i));
    same = a->src && b->src && a->dst && b->dst ? same_nodes(a->src, b->src, plainly) : 0;
    if (same > 0) same = same_nodes(a->dst, b->dst, plainly);
  }
  return same < 0 ? nullptr : PyBool_FromLong(same);
}

// net_view(engine, out, in, node): a net seen from a node, that sends on the pipes `out` and receives from `in`; each is
// a list or None.
PyObject *net_view(PyObject *, PyObject *const *args, Py_ssize_t count) {
  if (count != 4 || !PyObject_TypeCheck(args[0], &EngineType) || !classes.net_view || !classes.src_end || !classes.dst_end) {
    PyErr_SetString(PyExc_TypeError, "net_view(engine, out, in, node)");
    return nullptr;
  }
  int64_t node = PyLong_AsLongLong(args[3]);
  if (node == -1 && PyErr_Occurred()) return nullptr;
  auto *view = reinterpret_cast<NetView *>(classes.net_view->tp_alloc(classes.net_view, 0));
  if (!view) return nullptr;
  view->engine = incref(reinterpret_cast<Engine *>(args[0]));
  view->out = ends_of(classes.src_end, args[1], -1);
  view->in = view->out ? ends_of(classes.dst_end, args[2], node) : nullptr;
  if (!view->in) Py_CLEAR(view);
  return as_object(view);
}

PyObject *configure_pipes(PyObject *, PyObject *args) {
  PyObject *to_send, *to_receive;
  if (!PyArg_ParseTuple(args, "OO", &to_send, &to_receive)) return nullptr;
  assign(wait_to_send, to_send);
  assign(wait_to_receive, to_receive);
  Py_RETURN_NONE;
}

}  // namespace ttl::core
