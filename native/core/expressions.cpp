// Expressions: the operators of blocks, types of results, and the trees that stores turn into tasks.
#include "core.h"
#include "pending.h"
#include "pool.h"

namespace ttl::core {

namespace {

// Expressions larger than this are computed in parts; used again at this size, once for all uses (sim/pending.py).
constexpr int32_t kLargest = 256, kShared = 8;
constexpr size_t kMostCases = 512;

// Numbers whose value has no part in the type of a float result.
bool is_plain_number(PyObject *object) {
  if (PyFloat_CheckExact(object) || is_number(object)) return true;
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

// By position: comparing parameters may run code, which may add cases.
Instr *find_case(OpInfo *info, TypeInfo *const *operands, int count, PyObject *params) {
  for (size_t at = 0; at < info->cases.size(); at++) {
    const Case each = info->cases[at];
    bool fits = true;
    for (int i = 0; fits && i < count; i++) fits = each.types[i] == operands[i];
    if (fits && (each.params == params || same(each.params, params))) return each.instr;
  }
  return nullptr;
}

Engine *engine_of(PyObject *object) {
  if (is_block(object)) return reinterpret_cast<Block *>(object)->buffer->engine;
  if (is_expr(object)) return reinterpret_cast<Expr *>(object)->engine;
  return nullptr;
}

enum Slot { kAdd, kSub, kMul, kDiv, kFloor, kMod, kXor, kPow, kMatmul, kNeg, kAbs, kLt, kLe, kEq, kNe, kGt, kGe, kSlots };
const char *const kSlotNames[kSlots] = {"__add__", "__sub__", "__mul__",    "__truediv__", "__floordiv__",
                                        "__mod__", "__xor__", "__pow__",    "__matmul__",  "__neg__",
                                        "__abs__", "__lt__",  "__le__",     "__eq__",      "__ne__",
                                        "__gt__",  "__ge__"};
OpInfo *operators[kSlots];
PyObject *no_params, *identity_compare, *compares_elements;

PyObject *binary(PyObject *a, PyObject *b, Slot slot) {
  OpInfo *info = operators[slot];
  Engine *engine = engine_of(a);
  if (!engine) engine = engine_of(b);
  if (!info || !engine) Py_RETURN_NOTIMPLEMENTED;
  PyObject *operands[] = {a, b};
  return apply(engine, info->op, info, operands, 2, no_params);
}

PyObject *unary(PyObject *a, Slot slot) {
  OpInfo *info = operators[slot];
  Engine *engine = engine_of(a);
  if (!info || !engine) {
    PyErr_SetString(PyExc_TypeError, "bad operand type for a unary operator");
    return nullptr;
  }
  return apply(engine, info->op, info, &a, 1, no_params);
}

template <Slot slot>
PyObject *binary_slot(PyObject *a, PyObject *b) {
  return binary(a, b, slot);
}

template <Slot slot>
PyObject *unary_slot(PyObject *a) {
  return unary(a, slot);
}

PyObject *power_slot(PyObject *a, PyObject *b, PyObject *modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary(a, b, kPow);
}

}  // namespace

PyNumberMethods expression_numbers = {
    .nb_add = binary_slot<kAdd>,
    .nb_subtract = binary_slot<kSub>,
    .nb_multiply = binary_slot<kMul>,
    .nb_remainder = binary_slot<kMod>,
    .nb_power = power_slot,
    .nb_negative = unary_slot<kNeg>,
    .nb_absolute = unary_slot<kAbs>,
    .nb_xor = binary_slot<kXor>,
    .nb_floor_divide = binary_slot<kFloor>,
    .nb_true_divide = binary_slot<kDiv>,
    .nb_matrix_multiply = binary_slot<kMatmul>,
};

PyObject *expression_compare(PyObject *self, PyObject *other, int how) {
  switch (how) {
    case Py_LT: return binary(self, other, kLt);
    case Py_LE: return binary(self, other, kLe);
    case Py_GT: return binary(self, other, kGt);
    case Py_GE: return binary(self, other, kGe);
    default: break;
  }
  Site site;
  if (innermost_site(&site)) {
    PyObject *written = PyObject_CallFunction(compares_elements, "Oi", site.code, site.lasti);
    if (!written) return nullptr;
    Py_DECREF(written);
    if (written == Py_True) return binary(self, other, how == Py_EQ ? kEq : kNe);
  }
  bool equal = self == other;
  if (!equal && other != Py_None && !engine_of(other)) {
    // Something else than a block: whether that may be asked is for the language to say.
    PyObject *said = PyObject_CallFunctionObjArgs(identity_compare, self, other, nullptr);
    if (!said) return nullptr;
    equal = said == Py_True;
    Py_DECREF(said);
  }
  return PyBool_FromLong(equal == (how == Py_EQ));
}

bool is_worth_keeping(const Expr *expr) { return expr->heavy || expr->size >= kShared; }

PyObject *apply(Engine *engine, PyObject *op, OpInfo *info, PyObject *const *operands, int count, PyObject *params) {
  Kernel *kernel = engine->current;
  TypeInfo *found[3] = {nullptr, nullptr, nullptr};
  // Made first: memory may bring the collector, and that destructors which change what is looked at here.
  auto *made = make<Expr>(classes.expr);
  if (!made) return nullptr;
  bool usual = kernel && kernel->is_compute && count <= 3 && info && info->operands == count;
  for (int i = 0; usual && i < count; i++) {
    PyObject *operand = operands[i];
    if (is_block(operand)) {
      auto *block = reinterpret_cast<Block *>(operand);
      usual = block->kernel == kernel && transition(block, tables::kStepRead) >= 0 && block->value &&
              block->value->valid_rows < 0;
      found[i] = block->buffer->type;
      if (usual && block->value->type != found[i]) found[i] = block->value->type;
    } else if (is_expr(operand)) {
      auto *expr = reinterpret_cast<Expr *>(operand);
      usual = expr->engine == engine && expr->valid_rows < 0;
      found[i] = expr->instr->type;
    } else {
      usual = is_plain_number(operand);
    }
  }
  Instr *instr = usual ? find_case(info, found, count, params) : nullptr;
  Site site;
  if (!instr || !user_site(&site)) {
    Py_DECREF(made);
    PyObject *tuple = PyTuple_New(count);
    if (!tuple) return nullptr;
    for (int i = 0; i < count; i++) PyTuple_SET_ITEM(tuple, i, Py_NewRef(operands[i]));
    PyObject *result = call_slow(as_object(engine), "_slow_apply", op, tuple, params);
    Py_DECREF(tuple);
    return result;
  }
  if (!step(engine)) {
    Py_DECREF(made);
    return nullptr;
  }
  made->engine = incref(engine);
  made->instr = instr;
  made->valid_rows = made->valid_cols = -1;
  made->nargs = count;
  made->size = 1;
  made->heavy = info->heavy;
  made->site = {incref(site.code), site.lasti};
  for (int i = 0; i < count; i++) {
    PyObject *operand = operands[i];
    if (is_block(operand)) {
      auto *block = reinterpret_cast<Block *>(operand);
      int next = transition(block, tables::kStepRead);
      if (next < 0 || !block->value) {  // by a destructor that ran while an operand before it was computed
        PyErr_SetString(PyExc_RuntimeError, "a block was released while an expression with it was made");
        Py_DECREF(made);
        return nullptr;
      }
      block->state = next;
      made->args[i] = Py_NewRef(as_object(block->value));
      made->reads = 1;
    } else if (is_expr(operand)) {
      auto *expr = reinterpret_cast<Expr *>(operand);
      made->reads |= expr->reads;
      if (!expr->value && (expr->size >= kLargest || (expr->used && is_worth_keeping(expr)))) {
        Value *folded = record_fold(engine->pending, expr);
        if (!folded) {
          Py_DECREF(made);
          return nullptr;
        }
        Py_DECREF(folded);
      }
      expr->used = 1;
      if (expr->value) {
        made->args[i] = Py_NewRef(as_object(expr->value));
        made->size += 1;
      } else {
        made->args[i] = Py_NewRef(operand);
        made->size += expr->size;
        made->heavy |= expr->heavy;
      }
    } else {
      made->args[i] = Py_NewRef(operand);
    }
  }
  return as_object(made);
}

// Expr(engine, op, args, params, type, valid, size, reads, site): what the slow path makes.
static int expr_init(PyObject *self, PyObject *args, PyObject *) {
  auto *expr = reinterpret_cast<Expr *>(self);
  PyObject *engine, *op, *list, *params, *type, *valid, *site;
  int size, reads;
  if (!PyArg_ParseTuple(args, "OOO!O!OOipO", &engine, &op, &PyList_Type, &list, &PyTuple_Type, &params, &type, &valid,
                        &size, &reads, &site))
    return -1;
  if (!PyObject_TypeCheck(engine, &EngineType) || PyList_GET_SIZE(list) > 3) {
    PyErr_SetString(PyExc_TypeError, "an engine, and at most three operands");
    return -1;
  }
  OpInfo *info = op_info(op);
  TypeInfo *result = info ? type_info(type) : nullptr;
  if (!result) return -1;
  int count = static_cast<int>(PyList_GET_SIZE(list));
  for (int i = 0; i < count; i++) {
    PyObject *arg = PyList_GET_ITEM(list, i);
    if (is_expr(arg) || PyObject_TypeCheck(arg, &ValueType) || PyFloat_Check(arg) || PyLong_Check(arg) || is_number(arg))
      continue;
    PyErr_SetString(PyExc_TypeError, "operands are values, expressions and numbers");
    return -1;
  }
  assign(expr->engine, reinterpret_cast<Engine *>(engine));
  expr->instr = instr_for(info, params, result);
  expr->heavy = info->heavy;
  expr->nargs = count;
  expr->size = size;
  expr->reads = static_cast<char>(reads);
  expr->valid_rows = expr->valid_cols = -1;
  if (valid != Py_None && !PyArg_ParseTuple(valid, "ii", &expr->valid_rows, &expr->valid_cols)) return -1;
  if (site_from(&expr->site, site) < 0) return -1;
  TypeInfo *found[3] = {nullptr, nullptr, nullptr};
  bool usual = info->operands == count && info->cases.size() < kMostCases;
  for (int i = 0; i < count; i++) {
    PyObject *arg = PyList_GET_ITEM(list, i);
    if (is_expr(arg) || PyObject_TypeCheck(arg, &ValueType) || PyFloat_CheckExact(arg) || PyLong_CheckExact(arg) || is_number(arg)) {
      assign(expr->args[i], arg);
    } else {  // True, or a number of a class of the user's or of NumPy's
      expr->args[i] = PyFloat_Check(arg) ? PyFloat_FromDouble(PyFloat_AS_DOUBLE(arg)) : PyNumber_Index(arg);
      if (expr->args[i] && !PyLong_CheckExact(expr->args[i])) {
        PyObject *text = PyNumber_ToBase(arg, 10), *plain = text ? PyLong_FromUnicodeObject(text, 10) : nullptr;
        Py_XDECREF(text);
        Py_SETREF(expr->args[i], plain);
      }
      if (!expr->args[i]) return -1;
    }
    if (PyObject_TypeCheck(arg, &ValueType)) {
      found[i] = reinterpret_cast<Value *>(arg)->type;
    } else if (is_expr(arg)) {
      found[i] = reinterpret_cast<Expr *>(arg)->instr->type;
      expr->heavy |= reinterpret_cast<Expr *>(arg)->heavy;
    } else {
      usual = usual && is_plain_number(arg) && result->is_float && !result->is_number;
    }
  }
  if (usual && !find_case(info, found, count, params))
    info->cases.push_back({{found[0], found[1], found[2]}, Py_NewRef(params), expr->instr});
  return 0;
}

void release(Expr *expr) {
  if (!expr->used && expr->reads && expr->engine && expr->engine->active && expr->site.code) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *site = site_tuple(expr->site);
    PyObject *done = site ? call_slow(as_object(expr->engine), "note_unused", site) : nullptr;
    if (!done) PyErr_WriteUnraisable(nullptr);
    Py_XDECREF(done);
    Py_XDECREF(site);
    PyErr_Restore(type, value, traceback);
  }
  clear(expr->engine);
  for (PyObject *&arg : expr->args) clear(arg);
  clear(expr->value);
  site_clear(&expr->site);
}
// As with the core in Python, an expression without any field can be made; it is of no use.
static PyObject *expr_new(PyTypeObject *type, PyObject *args, PyObject *names) {
  bool bare = !PyTuple_GET_SIZE(args) && !(names && PyDict_GET_SIZE(names));
  return bare ? untracked_new(type, args, names) : made_whole<untracked_new, expr_init>(type, args, names);
}
static int expr_made(PyObject *self, PyObject *, PyObject *) {
  if (reinterpret_cast<Expr *>(self)->instr) return 0;
  PyErr_SetString(PyExc_TypeError, "expressions are made by operators");
  return -1;
}
static bool has_fields(PyObject *self) {
  if (reinterpret_cast<Expr *>(self)->instr) return true;
  PyErr_SetString(PyExc_AttributeError, "this expression was made by __new__ alone");
  return false;
}

static PyObject *expr_op(PyObject *self, void *) {
  if (!has_fields(self)) return nullptr;
  return Py_NewRef(reinterpret_cast<Expr *>(self)->instr->op->op);
}
static PyObject *expr_params(PyObject *self, void *) {
  if (!has_fields(self)) return nullptr;
  return Py_NewRef(reinterpret_cast<Expr *>(self)->instr->params);
}
static PyObject *expr_type(PyObject *self, void *) {
  if (!has_fields(self)) return nullptr;
  return Py_NewRef(reinterpret_cast<Expr *>(self)->instr->type->type);
}
static PyObject *expr_args(PyObject *self, void *) {
  auto *expr = reinterpret_cast<Expr *>(self);
  PyObject *list = PyList_New(expr->nargs);
  for (int i = 0; list && i < expr->nargs; i++) PyList_SET_ITEM(list, i, Py_NewRef(expr->args[i]));
  return list;
}
static PyObject *expr_valid(PyObject *self, void *) {
  auto *expr = reinterpret_cast<Expr *>(self);
  if (expr->valid_rows < 0) Py_RETURN_NONE;
  return Py_BuildValue("ii", expr->valid_rows, expr->valid_cols);
}
static PyObject *expr_engine(PyObject *self, void *) {
  return none_or(as_object(reinterpret_cast<Expr *>(self)->engine));
}
static PyObject *expr_value(PyObject *self, void *) {
  return none_or(as_object(reinterpret_cast<Expr *>(self)->value));
}
static PyObject *expr_site(PyObject *self, void *) { return site_tuple(reinterpret_cast<Expr *>(self)->site); }

static PyGetSetDef expr_getset[] = {{"op", expr_op, nullptr, "The operation.", nullptr},
                                    {"params", expr_params, nullptr, "Its parameters.", nullptr},
                                    {"type", expr_type, nullptr, "Type of the result.", nullptr},
                                    {"args", expr_args, nullptr, "Values, expressions and numbers.", nullptr},
                                    {"valid", expr_valid, nullptr, "Extent that is not padding.", nullptr},
                                    {"engine", expr_engine, nullptr, "The launch.", nullptr},
                                    {"value", expr_value, nullptr, "What it gave, once computed.", nullptr},
                                    {"site", expr_site, nullptr, "Where it was written.", nullptr},
                                    {}};
static PyMemberDef expr_members[] = {{"heavy", T_BOOL, offsetof(Expr, heavy), READONLY, "Whether a product is in it."},
                                     {"size", T_INT, offsetof(Expr, size), READONLY, "Operations in it."},
                                     {"reads", T_BOOL, offsetof(Expr, reads), READONLY, "Whether it reads a block."},
                                     {"used", T_BOOL, offsetof(Expr, used), 0, "Whether it reached something."},
                                     {}};

PyTypeObject ExprType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Expr",
    .tp_basicsize = sizeof(Expr),
    .tp_dealloc = released<Expr>,
    .tp_as_number = &expression_numbers,
    .tp_hash = PyBaseObject_Type.tp_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "One application of an operation.",
    .tp_richcompare = expression_compare,
    .tp_members = expr_members,
    .tp_getset = expr_getset,
    .tp_init = expr_made,
    .tp_new = expr_new,
};

// configure_operators({dunder: op}, compare, elements): which operation each operator of Python stands for, how objects are
// compared that no author compares, and whether an author does at (code, offset).
PyObject *configure_operators(PyObject *, PyObject *args) {
  PyObject *map, *compare, *elements;
  if (!PyArg_ParseTuple(args, "O!OO", &PyDict_Type, &map, &compare, &elements)) return nullptr;
  for (int i = 0; i < kSlots; i++) {
    PyObject *op = PyDict_GetItemString(map, kSlotNames[i]);
    operators[i] = op ? op_info(op) : nullptr;
    if (op && !operators[i]) return nullptr;
  }
  assign(identity_compare, compare);
  assign(compares_elements, elements);
  if (!no_params) no_params = PyTuple_New(0);
  Py_RETURN_NONE;
}

}  // namespace ttl::core
