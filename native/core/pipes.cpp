// Sends and receives on pipes, and messages.
#include "pipes.h"

#include "fields.h"
#include "pool.h"

namespace ttl::core {

namespace {

// Whether a place among the destinations of a pipe is one: Python code can set it.
bool has(const Pipe *pipe, int64_t position) {
  return 0 <= position && position < static_cast<int64_t>(pipe->remaining->size());
}

PyObject *wait_to_send, *wait_to_receive;  // the classes that say why a kernel is blocked

int wake_receivers(Engine *engine, Pipe *pipe) {
  Py_ssize_t count = PyList_GET_SIZE(pipe->receivers);
  if (!count) return 0;
  for (Py_ssize_t i = 0; i < count && PyList_GET_SIZE(pipe->receivers); i++) {
    PyObject *kernel = pop_front(pipe->receivers);
    if (is_of(kernel, classes.kernel, KernelType)) {
      auto *waiter = reinterpret_cast<Kernel *>(kernel);
      // One that waits for the first of several receives stands in the lists of several pipes: the first wakes it.
      if (waiter->waiting) scheduler_wake(engine, waiter);
      if (waiter->waiting && !PyObject_TypeCheck(waiter->waiting, &PipeTransferType)) clear(waiter->waiting);
    }
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
  Message *message = channel_receive(pipe, transfer->position);
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
    channel_start(pipe, message);
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

static PyMemberDef pipe_transfer_members[] = {TTL_INT(PipeTransfer, node), TTL_INT(PipeTransfer, position), TTL_FLAG(PipeTransfer, arrived), {}};
static PyGetSetDef pipe_transfer_getset[] = {TTL_TYPED(PipeTransfer, pipe, PipeType),
                                             TTL_TYPED(PipeTransfer, message, MessageType),
                                             {}};
static PyMethodDef pipe_transfer_methods[] = {{"wait", reinterpret_cast<PyCFunction>(pipe_transfer_wait), METH_FASTCALL | METH_KEYWORDS, nullptr}, {}};
PyTypeObject PipeTransferType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.PipeTransfer",
    .tp_basicsize = sizeof(PipeTransfer),
    .tp_dealloc = released<PipeTransfer>,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A send on a pipe, or a receive.",
    .tp_methods = pipe_transfer_methods,
    .tp_members = pipe_transfer_members,
    .tp_getset = pipe_transfer_getset,
    .tp_base = &TransferType,
    .tp_new = untracked_new,
};

// --- Message ------------------------------------------------------------------------------------------------

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
    .tp_dealloc = released<Message>,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "One send.",
    .tp_members = message_members,
    .tp_getset = message_getset,
    .tp_new = untracked_new,
};

PyObject *configure_pipes(PyObject *, PyObject *args) {
  PyObject *to_send, *to_receive;
  if (!PyArg_ParseTuple(args, "OO", &to_send, &to_receive)) return nullptr;
  assign(wait_to_send, to_send);
  assign(wait_to_receive, to_receive);
  Py_RETURN_NONE;
}

}  // namespace ttl::core
