// Nodes of a launch and the kernels on them.
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
constexpr traverseproc node_traverse = visit_members<Node, &Node::engine, &Node::body, &Node::buffers,
                                                     &Node::kernels>;
// Kernels that the collector ends run their `finally` clauses, on nodes and buffers that it has cleared already. So
// these keep what their methods need; the circles are cut elsewhere (lists, engines, kernels).
constexpr inquiry node_clear = clear_members<Node, &Node::body>;
constexpr destructor node_dealloc = let_go<Node, &Node::body, &Node::engine, &Node::buffers, &Node::kernels,
                                           &Node::coord>;
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
constexpr traverseproc kernel_traverse = visit_members<Kernel, &Kernel::node, &Kernel::function,
                                                       &Kernel::greenlet, &Kernel::waiting>;
constexpr inquiry kernel_clear = clear_members<Kernel, &Kernel::function, &Kernel::greenlet,
                                               &Kernel::waiting>;
constexpr destructor kernel_dealloc = let_go<Kernel, &Kernel::function, &Kernel::greenlet, &Kernel::waiting,
                                             &Kernel::node, &Kernel::name, &Kernel::kind,
                                             &Kernel::signposts>;
static PyObject *kernel_signposts(PyObject *self, void *) {
  auto *kernel = reinterpret_cast<Kernel *>(self);
  if (!kernel->signposts) kernel->signposts = PyList_New(0);
  return Py_XNewRef(kernel->signposts);
}
static PyObject *flat_tables;  // of ttl.protocol.blocks, by role

PyObject *flat_table(int role) { return Py_NewRef(PyTuple_GET_ITEM(flat_tables, role)); }

static PyObject *kernel_reserve_table(PyObject *self, void *) {
  return flat_table(reinterpret_cast<Kernel *>(self)->reserve_role);
}
static PyObject *kernel_wait_table(PyObject *self, void *) {
  return flat_table(reinterpret_cast<Kernel *>(self)->wait_role);
}
static PyObject *kernel_waiting(PyObject *self, void *) {
  return pipe_reason(reinterpret_cast<Kernel *>(self)->waiting);
}
static PyMemberDef kernel_members[] = {TTL_FLAG(Kernel, is_compute), TTL_FLAG(Kernel, is_kernel),
                                       TTL_FLAG(Kernel, moves_data), TTL_FLAG(Kernel, done),
                                       TTL_FLAG(Kernel, computed), {}};
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

PyObject *configure_tables(PyObject *, PyObject *tuple) {
  if (!PyTuple_CheckExact(tuple)) {
    PyErr_SetString(PyExc_TypeError, "a tuple of tables");
    return nullptr;
  }
  assign(flat_tables, tuple);
  Py_RETURN_NONE;
}

}  // namespace ttl::core
