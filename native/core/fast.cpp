// The public functions of the language that kernels call: their usual cases in C, the rest in Python.
#include "fields.h"

namespace ttl::core {

// --- kernels ------------------------------------------------------------------------------------------------

static int kernel_name_init(PyObject *self, PyObject *args, PyObject *) {
  auto *name = reinterpret_cast<KernelName *>(self);
  PyObject *function, *kind;
  if (!PyArg_ParseTuple(args, "OO", &function, &kind)) return -1;
  assign(name->function, function);
  assign(name->kind, kind);
  return 0;
}
constexpr destructor kernel_name_dealloc = let_go<KernelName, &KernelName::function, &KernelName::kind>;
constexpr traverseproc kernel_name_traverse = visit_members<KernelName, &KernelName::function>;
constexpr inquiry kernel_name_clear = clear_members<KernelName, &KernelName::function>;
static PyGetSetDef kernel_name_getset[] = {TTL_OBJECT(KernelName, function), TTL_OBJECT(KernelName, kind), {}};
PyTypeObject KernelNameType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.KernelName",
    .tp_basicsize = sizeof(KernelName),
    .tp_dealloc = kernel_name_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "What the name of a kernel stands for.",
    .tp_traverse = kernel_name_traverse,
    .tp_clear = kernel_name_clear,
    .tp_getset = kernel_name_getset,
    .tp_init = kernel_name_init,
    .tp_new = PyType_GenericNew,
};

// --- functions ----------------------------------------------------------------------------------------------

namespace {

// What parameters of one form were found to mean.
struct Memo {
  PyObject *names;
  std::vector<PyObject *> given;
  PyObject *params;
};
constexpr size_t kMostMemos = 16;

struct FastFunction {
  PyObject_HEAD
  vectorcallfunc call;
  PyObject *function;
  // Of a decorator: what it gives when called without a function; of that: the kind. Of a function of an operation:
  // the operation, and what turns parameters into those of its row.
  PyObject *extra;
  std::vector<Memo> *memos;
};

PyObject *fall_back(PyObject *self, PyObject *const *args, size_t count, PyObject *names) {
  return PyObject_Vectorcall(reinterpret_cast<FastFunction *>(self)->function, args, count, names);
}

PyObject *copy(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
  Engine *engine = active_engine;
  Site site;
  if (engine && PyVectorcall_NARGS(flags) == 2 && !names && user_site(&site)) {
    PyObject *transfer = start_copy(engine, args[0], args[1], site);
    if (transfer && engine->on_event) {
      PyObject *subject = PyTuple_Pack(3, transfer, args[0], args[1]);
      if (!subject) {
        Py_DECREF(transfer);
        return nullptr;
      }
      bool told = tell_event(engine->on_event, kCopied, subject);
      Py_DECREF(subject);
      if (!told) Py_CLEAR(transfer);
    }
    if (transfer || PyErr_Occurred()) return transfer;
  }
  return fall_back(self, args, flags, names);
}

// The only argument, dims, where it is 1 or 2; else 0.
int dims_of(PyObject *const *args, size_t flags, PyObject *names) {
  Py_ssize_t count = PyVectorcall_NARGS(flags), named = names ? PyTuple_GET_SIZE(names) : 0;
  if (count + named == 0) return 2;
  if (count + named > 1) return 0;
  if (named && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "dims") != 0) return 0;
  int overflow = 0;
  long value = PyLong_CheckExact(args[0]) ? PyLong_AsLongAndOverflow(args[0], &overflow) : 0;
  return !overflow && (value == 1 || value == 2) ? static_cast<int>(value) : 0;
}

PyObject *node(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
  Engine *engine = active_engine;
  int dims = engine && engine->current && engine->current->node ? dims_of(args, flags, names) : 0;
  if (dims && !step(engine)) return nullptr;
  PyObject *coord = dims ? engine->current->node->coord : nullptr;
  bool plain = coord && PyTuple_CheckExact(coord);
  for (Py_ssize_t i = 0; plain && i < PyTuple_GET_SIZE(coord); i++) plain = PyLong_CheckExact(PyTuple_GET_ITEM(coord, i));
  if (dims == 1 && plain && PyTuple_GET_SIZE(coord) == 2) return PyLong_FromLongLong(engine->current->node->index);
  if (dims == 2) {
    if (coord && PyTuple_CheckExact(coord) && PyTuple_GET_SIZE(coord) == 2) return Py_NewRef(coord);
  }
  return fall_back(self, args, flags, names);
}

PyObject *grid_size(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
  Engine *engine = active_engine;
  int dims = engine && engine->grid && PyTuple_GET_SIZE(engine->grid) == 2 ? dims_of(args, flags, names) : 0;
  if (dims && !step(engine)) return nullptr;
  if (dims == 2) return Py_NewRef(engine->grid);
  if (dims == 1) return PyNumber_Multiply(PyTuple_GET_ITEM(engine->grid, 0), PyTuple_GET_ITEM(engine->grid, 1));
  return fall_back(self, args, flags, names);
}

PyObject *decorate(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
  auto *function = reinterpret_cast<FastFunction *>(self);
  if (PyVectorcall_NARGS(flags) == 0 && !names && active_engine) return Py_NewRef(function->extra);
  return fall_back(self, args, flags, names);
}

PyObject *register_kernel(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
  Engine *engine = active_engine;
  PyObject *kind = reinterpret_cast<FastFunction *>(self)->extra;
  if (!engine || !engine->current || engine->current->is_kernel || PyVectorcall_NARGS(flags) != 1 || names ||
      !PyFunction_Check(args[0]))
    return fall_back(self, args, flags, names);
  auto *function = reinterpret_cast<PyFunctionObject *>(args[0]);
  auto *code = reinterpret_cast<PyCodeObject *>(function->func_code);
  constexpr int kUnusual = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
  Node *place = engine->current->node;
  bool compute = PyUnicode_CompareWithASCIIString(kind, "compute") == 0;
  bool usual = !code->co_argcount && !code->co_kwonlyargcount && !(code->co_flags & kUnusual);
  int same = 0;
  for (Py_ssize_t i = 0; usual && i < PyList_GET_SIZE(place->kernels); i++) {
    if (!PyObject_TypeCheck(PyList_GET_ITEM(place->kernels, i), &KernelType)) return fall_back(self, args, flags, names);
    auto *other = reinterpret_cast<Kernel *>(PyList_GET_ITEM(place->kernels, i));
    same += other->is_compute == compute;
    usual = PyUnicode_Compare(other->name, function->func_name) != 0;
  }
  if (!usual || same >= (compute ? 1 : 2)) return fall_back(self, args, flags, names);
  PyObject *init[] = {as_object(place), function->func_name, kind, args[0]};
  PyObject *kernel = PyObject_Vectorcall(as_object(classes.kernel), init, 4, nullptr);
  int failed = kernel ? PyList_Append(place->kernels, kernel) : -1;
  Py_XDECREF(kernel);
  if (failed) return nullptr;
  auto *name = reinterpret_cast<KernelName *>(classes.kernel_name->tp_alloc(classes.kernel_name, 0));
  if (!name) return nullptr;
  name->function = Py_NewRef(args[0]);
  name->kind = Py_NewRef(kind);
  return as_object(name);
}

// Types of buffers made lately: a body makes the same ones on every node.
struct Made {
  PyObject *shape, *dtype, *layout, *type;
};
Made made_types[16];
size_t made_next = 0;
PyObject *type_of, *tile_layout;

PyObject *buffer_type(PyObject *tensor, PyObject *shape) {  // new
  PyObject *dtype = PyObject_GetAttrString(tensor, "dtype"), *layout = PyObject_GetAttrString(tensor, "layout");
  PyObject *found = nullptr;
  bool fine = dtype && layout && (layout != tile_layout || PyTuple_GET_SIZE(shape) >= 2);
  for (Made &each : made_types) {
    if (!fine || found || each.dtype != dtype || each.layout != layout) continue;
    if (PyObject_RichCompareBool(each.shape, shape, Py_EQ) == 1) found = Py_NewRef(each.type);
  }
  if (fine && !found) {
    found = PyObject_CallFunctionObjArgs(type_of, shape, dtype, layout, nullptr);
    if (found) {
      Made &slot = made_types[made_next++ % 16];
      assign(slot.shape, shape);
      assign(slot.dtype, dtype);
      assign(slot.layout, layout);
      assign(slot.type, found);
    }
  }
  Py_XDECREF(dtype);
  Py_XDECREF(layout);
  return found;
}

bool is_shape(PyObject *shape) {
  if (!shape || !PyTuple_CheckExact(shape) || !PyTuple_GET_SIZE(shape)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); i++) {
    PyObject *extent = PyTuple_GET_ITEM(shape, i);
    int overflow = 0;
    if (!PyLong_CheckExact(extent) || PyLong_AsLongLongAndOverflow(extent, &overflow) < 1 || overflow) return false;
  }
  return true;
}

PyObject *make_buffer(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
  Engine *engine = active_engine;
  Py_ssize_t count = PyVectorcall_NARGS(flags), named = names ? PyTuple_GET_SIZE(names) : 0;
  PyObject *given[3] = {nullptr, nullptr, nullptr};
  bool usual = engine && engine->current && !engine->current->is_kernel && engine->active && count <= 3;
  for (Py_ssize_t i = 0; usual && i < count; i++) given[i] = args[i];
  for (Py_ssize_t i = 0; usual && i < named; i++) {
    PyObject *name = PyTuple_GET_ITEM(names, i);
    int place = PyUnicode_CompareWithASCIIString(name, "shape") == 0         ? 1
                : PyUnicode_CompareWithASCIIString(name, "block_count") == 0 ? 2
                                                                             : -1;
    usual = place > 0 && !given[place];
    if (usual) given[place] = args[count + i];
  }
  usual = usual && given[0] && Py_TYPE(given[0]) == classes.tensor && is_shape(given[1]);
  long long blocks = 2;
  if (usual && given[2]) {
    int overflow = 0;
    usual = PyLong_CheckExact(given[2]);
    blocks = usual ? PyLong_AsLongLongAndOverflow(given[2], &overflow) : 0;
    usual = usual && !overflow && blocks >= 1;
  }
  Site site;
  usual = usual && user_site(&site);
  PyObject *type = usual ? buffer_type(given[0], given[1]) : nullptr;
  TypeInfo *info = type ? type_info(type) : nullptr;
  if (!info) {
    Py_XDECREF(type);
    if (PyErr_Occurred()) return nullptr;
    return fall_back(self, args, flags, names);
  }
  Node *place = engine->current->node;
  auto *buffer = reinterpret_cast<Buffer *>(classes.buffer->tp_alloc(classes.buffer, 0));
  if (!buffer) return nullptr;
  buffer->engine = incref(engine);
  buffer->node = incref(place);
  buffer->py_type = type;
  buffer->type = info;
  buffer->site = {incref(site.code), site.lasti};
  buffer->ordinal = PyList_GET_SIZE(place->buffers);
  buffer->block_count = blocks;
  buffer->slots = PyList_New(0);
  buffer->held_reserved = PyList_New(0);
  buffer->held_waited = PyList_New(0);
  if (PyErr_Occurred() || PyList_Append(place->buffers, as_object(buffer)) < 0) {
    Py_DECREF(as_object(buffer));
    return nullptr;
  }
  return as_object(buffer);
}

PyObject *apply_function(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
  if (PyVectorcall_NARGS(flags) == 3 && !names && PyTuple_CheckExact(args[1]) && PyTuple_CheckExact(args[2])) {
    Engine *engine = nullptr;
    Py_ssize_t count = PyTuple_GET_SIZE(args[1]);
    for (Py_ssize_t i = 0; i < count && !engine; i++) {
      PyObject *operand = PyTuple_GET_ITEM(args[1], i);
      if (is_block(operand)) engine = reinterpret_cast<Block *>(operand)->buffer->engine;
      else if (is_expr(operand)) engine = reinterpret_cast<Expr *>(operand)->engine;
    }
    if (!engine) engine = count ? nullptr : active_engine;
    OpInfo *info = engine ? op_info(args[0]) : nullptr;
    if (info) return apply(engine, args[0], info, &PyTuple_GET_ITEM(args[1], 0), static_cast<int>(count), args[2]);
    if (PyErr_Occurred()) return nullptr;
  }
  return fall_back(self, args, flags, names);
}

// Whether a parameter is made of numbers, texts and element types: equal ones mean the same.
bool is_simple(PyObject *object) {
  if (object == Py_None || PyBool_Check(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
      PyUnicode_CheckExact(object))
    return true;
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object)) {
    Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
    for (Py_ssize_t i = 0; i < count; i++) {
      PyObject *item = PySequence_Fast_GET_ITEM(object, i);
      if (PyList_CheckExact(item) || !is_simple(item)) return false;  // an inner list could change unseen
    }
    return true;
  }
  return !std::strcmp(Py_TYPE(object)->tp_name, "DType");
}

bool same_simple(PyObject *a, PyObject *b) {
  if (a == b) return !PyList_CheckExact(a);
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyTuple_CheckExact(a) || PyList_CheckExact(a)) {
    Py_ssize_t count = PySequence_Fast_GET_SIZE(a);
    if (count != PySequence_Fast_GET_SIZE(b)) return false;
    for (Py_ssize_t i = 0; i < count; i++)
      if (!same_simple(PySequence_Fast_GET_ITEM(a, i), PySequence_Fast_GET_ITEM(b, i))) return false;
    return true;
  }
  if (PyFloat_CheckExact(a)) {
    double x = PyFloat_AS_DOUBLE(a), y = PyFloat_AS_DOUBLE(b);
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  if (!PyLong_CheckExact(a) && !PyUnicode_CheckExact(a)) return false;
  return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

const Memo *find_memo(const FastFunction *function, PyObject *const *given, size_t count, PyObject *names) {
  for (const Memo &each : *function->memos) {
    if (each.names != names || each.given.size() != count) continue;
    bool same = true;
    for (size_t i = 0; same && i < count; i++) same = same_simple(each.given[i], given[i]);
    if (same) return &each;
  }
  return nullptr;
}

// A copy that its owner cannot change.
PyObject *frozen(PyObject *object) {
  return PyList_CheckExact(object) ? PyList_GetSlice(object, 0, PyList_GET_SIZE(object)) : Py_NewRef(object);
}

// ttl.math.exp(x) and the like: the operands, then parameters.
PyObject *operation(PyObject *self, PyObject *const *args, size_t flags, PyObject *names) {
  auto *function = reinterpret_cast<FastFunction *>(self);
  PyObject *op = PyTuple_GET_ITEM(function->extra, 0);
  OpInfo *info = op_info(op);
  if (!info) return nullptr;
  Py_ssize_t given = PyVectorcall_NARGS(flags);
  Engine *engine = info->operands ? nullptr : active_engine;
  for (int i = 0; i < info->operands && i < given && !engine; i++) {
    if (is_block(args[i])) engine = reinterpret_cast<Block *>(args[i])->buffer->engine;
    else if (is_expr(args[i])) engine = reinterpret_cast<Expr *>(args[i])->engine;
  }
  if (!engine || given < info->operands) return fall_back(self, args, flags, names);
  PyObject *const *params = args + info->operands;
  size_t count = static_cast<size_t>(given - info->operands + (names ? PyTuple_GET_SIZE(names) : 0));
  const Memo *memo = find_memo(function, params, count, names);
  if (memo) return apply(engine, op, info, args, info->operands, memo->params);
  PyObject *result = fall_back(self, args, flags, names);
  bool simple = result && function->memos->size() < kMostMemos;
  for (size_t i = 0; simple && i < count; i++) simple = is_simple(params[i]);
  if (!simple) return result;
  PyObject *normal = PyObject_Vectorcall(PyTuple_GET_ITEM(function->extra, 1), params,
                                         static_cast<size_t>(given - info->operands), names);
  if (!normal) {
    // An older form of the call, which has other parameters: it is not remembered.
    PyErr_Clear();
    return result;
  }
  Memo made = {names ? Py_NewRef(names) : nullptr, {}, normal};
  for (size_t i = 0; i < count; i++) made.given.push_back(frozen(params[i]));
  function->memos->push_back(made);
  return result;
}

struct Kind {
  const char *name;
  vectorcallfunc call;
};
const Kind kKinds[] = {{"copy", copy},         {"node", node},       {"grid_size", grid_size},   {"decorate", decorate},
                       {"register", register_kernel}, {"buffer", make_buffer}, {"apply", apply_function},
                       {"operation", operation}};

}  // namespace

// FastFunction(kind, function, extra=None)
static PyObject *fast_new(PyTypeObject *type, PyObject *args, PyObject *) {
  const char *kind;
  PyObject *function, *extra = Py_None;
  if (!PyArg_ParseTuple(args, "sO|O", &kind, &function, &extra)) return nullptr;
  for (const Kind &each : kKinds) {
    if (std::strcmp(each.name, kind)) continue;
    bool right = each.call == register_kernel ? PyUnicode_Check(extra)
                 : each.call == operation     ? PyTuple_CheckExact(extra) && PyTuple_GET_SIZE(extra) == 2
                                              : true;
    if (!right) {
      PyErr_Format(PyExc_TypeError, "what fast function '%s' needs is missing", kind);
      return nullptr;
    }
    auto *self = reinterpret_cast<FastFunction *>(type->tp_alloc(type, 0));
    if (!self) return nullptr;
    self->call = each.call;
    self->function = Py_NewRef(function);
    self->extra = Py_NewRef(extra);
    self->memos = new std::vector<Memo>();
    return as_object(self);
  }
  PyErr_Format(PyExc_ValueError, "no fast function '%s'", kind);
  return nullptr;
}
static void fast_dealloc(PyObject *self) {
  auto *function = reinterpret_cast<FastFunction *>(self);
  clear(function->function);
  clear(function->extra);
  for (Memo &each : *function->memos) {
    Py_XDECREF(each.names);
    Py_DECREF(each.params);
    for (PyObject *one : each.given) Py_DECREF(one);
  }
  delete function->memos;
  Py_TYPE(self)->tp_free(self);
}
static PyObject *fast_attribute(PyObject *self, PyObject *name) {
  PyObject *own = PyObject_GenericGetAttr(self, name);
  if (own || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
  PyErr_Clear();
  return PyObject_GetAttr(reinterpret_cast<FastFunction *>(self)->function, name);
}
static PyObject *fast_doc(PyObject *self, void *) {
  return PyObject_GetAttrString(reinterpret_cast<FastFunction *>(self)->function, "__doc__");
}
static PyObject *fast_module(PyObject *self, void *) {
  return PyObject_GetAttrString(reinterpret_cast<FastFunction *>(self)->function, "__module__");
}
static PyObject *fast_wrapped(PyObject *self, void *) {
  return Py_NewRef(reinterpret_cast<FastFunction *>(self)->function);
}
static PyObject *fast_repr(PyObject *self) { return PyObject_Repr(reinterpret_cast<FastFunction *>(self)->function); }
static PyGetSetDef fast_getset[] = {{"__doc__", fast_doc, nullptr, nullptr, nullptr},
                                    {"__module__", fast_module, nullptr, nullptr, nullptr},
                                    {"__wrapped__", fast_wrapped, nullptr, nullptr, nullptr},
                                    {}};
PyTypeObject FastFunctionType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "function",
    .tp_basicsize = sizeof(FastFunction),
    .tp_dealloc = fast_dealloc,
    .tp_vectorcall_offset = offsetof(FastFunction, call),
    .tp_repr = fast_repr,
    .tp_call = PyVectorcall_Call,
    .tp_getattro = fast_attribute,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_getset = fast_getset,
    .tp_new = fast_new,
};

PyObject *configure_types(PyObject *, PyObject *args) {
  PyObject *of, *tile;
  if (!PyArg_ParseTuple(args, "OO", &of, &tile)) return nullptr;
  assign(type_of, of);
  assign(tile_layout, tile);
  Py_RETURN_NONE;
}

}  // namespace ttl::core
