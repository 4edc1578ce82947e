// Pipe nets as nodes see them: the ends of pipes on a node, and the functions called for them.
#include "fields.h"
#include "pool.h"

namespace ttl::core {

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
constexpr traverseproc view_traverse = visit_members<NetView, &NetView::engine, &NetView::out,
                                                     &NetView::in>;
constexpr inquiry view_clear = clear_members<NetView, &NetView::engine>;
constexpr destructor view_dealloc = let_go<NetView, &NetView::engine, &NetView::out, &NetView::in>;
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
    if (end->active && end->active != kernel) {
      // Another kernel of the node waits in its function: this one gets an end of its own.
      auto *own = reinterpret_cast<PipeEnd *>(untracked_new(Py_TYPE(as_object(end)), nullptr, nullptr));
      if (own) fill_end(own, end->of, end->node);
      Py_DECREF(as_object(end));
      if (!own) {
        fine = false;
        break;
      }
      end = own;
    }
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

}  // namespace ttl::core
