// A store becomes a task of a template: the linear program of its expression, interned by its content.
#include <algorithm>

#include "fields.h"
#include "pending.h"
#include "pool.h"

namespace ttl::core {

namespace {

using Key = std::vector<uint64_t>;

constexpr size_t kMostTemplates = 4096;
// Recorded operands that trigger a flush: what the records themselves take.
constexpr size_t kMostLeaves = 1 << 19;
constexpr int64_t kMostRecorded = 1 << 13;

struct KeyHash {
  size_t operator()(const Key &key) const {
    uint64_t hash = 0x9E3779B97F4A7C15ull ^ key.size();
    for (uint64_t part : key) {
      hash = (hash ^ part) * 0xFF51AFD7ED558CCDull;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

std::unordered_map<Key, Template *, KeyHash> templates;
int64_t next_template = 1;
uint32_t current_mark = 0;
std::unordered_map<uint64_t, bool> conversions;  // (from, to) types that a store may convert

// Codes of arguments in a key.
constexpr uint64_t kLeaf = 1, kResult = 2, kFloat = 3, kInt = 4, kHugeInt = 5, kNumber = 6;

// The tree of an expression as a flat program: filled by `visit`, reused for every store.
struct Flat {
  Key instrs;
  std::vector<Value *> leaves;
  std::vector<Expr *> order;
  int32_t count = 0;
};
Flat flat;

uint64_t valid_code(int32_t rows, int32_t cols) {
  return rows < 0 ? 0 : (static_cast<uint64_t>(rows) << 32 | static_cast<uint64_t>(cols)) + 1;
}

uint64_t visit(Expr *expr) {
  uint64_t args[6];
  int used = 0;
  for (int i = 0; i < expr->nargs; i++) {
    PyObject *arg = expr->args[i];
    Value *value = nullptr;
    if (is_expr(arg)) {
      auto *inner = reinterpret_cast<Expr *>(arg);
      if (!inner->value) {
        args[used++] = inner->mark == current_mark ? static_cast<uint64_t>(inner->place) << 3 | kResult : visit(inner);
        continue;
      }
      value = inner->value;
    } else if (PyFloat_CheckExact(arg)) {
      double number = PyFloat_AS_DOUBLE(arg);
      args[used++] = kFloat;
      std::memcpy(&args[used++], &number, sizeof number);
      continue;
    } else if (PyLong_CheckExact(arg)) {
      int overflow = 0;
      long long number = PyLong_AsLongLongAndOverflow(arg, &overflow);
      args[used++] = overflow ? kHugeInt : kInt;
      if (overflow) {  // blocks compute with it as a float
        double huge = PyLong_AsDouble(arg);
        if (PyErr_Occurred()) PyErr_Clear();  // beyond all floats: infinite, with its sign
        if (huge == -1.0) huge = overflow * HUGE_VAL;
        std::memcpy(&args[used++], &huge, sizeof huge);
      } else {
        args[used++] = static_cast<uint64_t>(number);
      }
      continue;
    } else if (is_number(arg)) {
      auto *number = reinterpret_cast<Number *>(arg);
      args[used++] = static_cast<uint64_t>(number->id) << 3 | kNumber;
      std::memcpy(&args[used++], &number->value, sizeof number->value);
      continue;
    } else {
      value = reinterpret_cast<Value *>(arg);
    }
    if (value->mark != current_mark) {
      value->mark = current_mark;
      value->place = static_cast<int32_t>(flat.leaves.size());
      flat.leaves.push_back(value);
    }
    args[used++] = static_cast<uint64_t>(value->place) << 3 | kLeaf;
  }
  flat.instrs.push_back(static_cast<uint64_t>(expr->instr->id) << 8 | static_cast<uint64_t>(used));
  flat.instrs.push_back(valid_code(expr->valid_rows, expr->valid_cols));
  flat.instrs.insert(flat.instrs.end(), args, args + used);
  flat.order.push_back(expr);
  expr->mark = current_mark;
  expr->place = flat.count++;
  return static_cast<uint64_t>(expr->place) << 3 | kResult;
}

// The key as sim/program.py has it: ((type or (type, True), valid, ...), (op, params, type, valid, args..., ...)).
PyObject *python_key(const Template *pattern) {
  PyObject *leaves = PyList_New(0), *program = PyList_New(0);
  if (!leaves || !program) {
    Py_XDECREF(leaves);
    Py_XDECREF(program);
    return nullptr;
  }
  auto append = [](PyObject *list, PyObject *item) {
    if (item) PyList_Append(list, item);
    Py_XDECREF(item);
  };
  auto valid = [](int32_t rows, int32_t cols) {
    return rows < 0 ? Py_NewRef(Py_None) : Py_BuildValue("ii", rows, cols);
  };
  for (const LeafType &leaf : pattern->leaves) {
    append(leaves, leaf.exact ? Py_BuildValue("OO", leaf.type->type, Py_True) : Py_NewRef(leaf.type->type));
    append(leaves, valid(leaf.valid_rows, leaf.valid_cols));
  }
  std::vector<Py_ssize_t> places;
  for (Expr *expr : flat.order) {
    places.push_back(PyList_GET_SIZE(program));
    append(program, Py_NewRef(expr->instr->op->op));
    append(program, Py_NewRef(expr->instr->params));
    append(program, Py_NewRef(expr->instr->type->type));
    append(program, valid(expr->valid_rows, expr->valid_cols));
    for (int i = 0; i < expr->nargs; i++) {
      PyObject *arg = expr->args[i];
      if (PyFloat_CheckExact(arg) || PyLong_CheckExact(arg)) {
        PyObject *text = PyObject_Repr(arg);
        append(program, text ? Py_BuildValue("ON", Py_TYPE(arg), text) : nullptr);
      } else if (is_number(arg)) {
        auto *number = reinterpret_cast<Number *>(arg);
        PyObject *value = PyFloat_FromDouble(number->value), *text = value ? PyObject_Repr(value) : nullptr;
        append(program, text ? Py_BuildValue("ONL", Py_TYPE(value), text, number->id) : nullptr);
        Py_XDECREF(value);
      } else if (is_expr(arg) && !reinterpret_cast<Expr *>(arg)->value) {
        append(program, PyLong_FromSsize_t(-1 - places[reinterpret_cast<Expr *>(arg)->place]));
      } else {
        auto *value = is_expr(arg) ? reinterpret_cast<Expr *>(arg)->value : reinterpret_cast<Value *>(arg);
        append(program, PyLong_FromLong(value->place));
      }
    }
  }
  PyObject *result = PyErr_Occurred() ? nullptr : Py_BuildValue("(NN)", PyList_AsTuple(leaves), PyList_AsTuple(program));
  Py_DECREF(leaves);
  Py_DECREF(program);
  return result;
}

std::unordered_map<const machine::Program *, Family> families;

void forget_templates() {
  families.clear();
  for (auto &each : templates) {
    Py_XDECREF(each.second->py_key);
    delete each.second;
  }
  templates.clear();
}

// The program of the bytes that lowering gave, or of (bytes, where its numbers begin, ((id, place), ...)).
int compile(Template *pattern, PyObject *lowered) {
  PyObject *code = lowered, *uses = nullptr;
  Py_ssize_t numbers = 0, size;
  char *bytes;
  if (PyTuple_Check(lowered) && !PyArg_ParseTuple(lowered, "SnO!", &code, &numbers, &PyTuple_Type, &uses)) return -1;
  if (PyBytes_AsStringAndSize(code, &bytes, &size) < 0) return -1;
  machine::Program *program = machine_api->compile(bytes, static_cast<size_t>(size));
  if (!program) return 0;
  pattern->program = {program, machine_api->destroy};
  if (!uses) return 0;
  Family family = {{bytes, static_cast<size_t>(size)}, static_cast<size_t>(numbers), {}};
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(uses); i++) {
    long long id;
    int place;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(uses, i), "Li", &id, &place)) return -1;
    if (place >= 0 && family.numbers + (static_cast<size_t>(place) + 1) * sizeof(float) > family.code.size()) {
      PyErr_SetString(PyExc_ValueError, "a number outside the code");
      return -1;
    }
    family.uses.push_back({id, place});
  }
  families.insert_or_assign(program, std::move(family));
  return 0;
}

// Ask lowering for the program; without one, NumPy computes the tasks.
int prepare(Pending *pending, Template *pattern) {
  pattern->py_key = python_key(pattern);
  if (!pattern->py_key) return -1;
  if (!machine_api) return 0;
  PyObject *wide = PyTuple_New(static_cast<Py_ssize_t>(pattern->leaves.size()));
  if (!wide) return -1;
  for (size_t i = 0; i < pattern->leaves.size(); i++) {
    const LeafType &leaf = pattern->leaves[i];
    bool unrounded = leaf.format == Format::F32 && leaf.type->format != Format::F32;
    PyTuple_SET_ITEM(wide, static_cast<Py_ssize_t>(i), PyBool_FromLong(unrounded));
  }
  PyObject *code = PyObject_CallFunction(pending->prepare, "OOiN", pattern->py_key, pattern->type->type,
                                         pattern->format == Format::F32, wide);
  if (!code) return -1;
  int prepared = code == Py_None ? 0 : compile(pattern, code);
  Py_DECREF(code);
  return prepared;
}

Template *template_of(Pending *pending, TypeInfo *type, bool exact) {
  static Key key;
  key.clear();
  Format format = !type->is_float ? kNoFormat : exact || pending->unrounded ? Format::F32 : type->format;
  key.push_back(static_cast<uint64_t>(type->id) << 8 | static_cast<uint64_t>(exact) << 7 |
                static_cast<uint64_t>(pending->unrounded) << 6 | (static_cast<uint64_t>(format) & 0x3F));
  key.push_back(flat.leaves.size());
  for (Value *leaf : flat.leaves) {
    key.push_back(static_cast<uint64_t>(leaf->type->id) << 8 | static_cast<uint64_t>(leaf->exact) << 6 |
                  (static_cast<uint64_t>(leaf->format) & 0x3F));
    key.push_back(valid_code(leaf->valid_rows, leaf->valid_cols));
  }
  key.insert(key.end(), flat.instrs.begin(), flat.instrs.end());
  auto known = templates.find(key);
  if (known != templates.end()) return known->second;
  if (templates.size() >= kMostTemplates && !live_tasks) forget_templates();
  auto *pattern = new Template{next_template++, key, type, exact, format, {}};
  for (Value *leaf : flat.leaves)
    pattern->leaves.push_back({leaf->type, leaf->format, leaf->valid_rows, leaf->valid_cols, leaf->exact != 0});
  // Lowering is Python: other threads may record meanwhile, and so may destructors. What they use, too, is put aside.
  Flat aside = flat;
  for (Value *leaf : aside.leaves) incref(leaf);
  int prepared = prepare(pending, pattern);
  flat = aside;
  PyObject *type_, *value, *traceback;
  PyErr_Fetch(&type_, &value, &traceback);
  for (Value *leaf : aside.leaves) Py_DECREF(as_object(leaf));
  PyErr_Restore(type_, value, traceback);
  if (prepared < 0) {
    Py_XDECREF(pattern->py_key);
    delete pattern;
    return nullptr;
  }
  // Should somebody have made the same one meanwhile, theirs is found from now on, and this one serves its tasks.
  templates.emplace(pattern->key, pattern);
  return pattern;
}

// Record the task that computes `root` into `out`.
int record(Pending *pending, Expr *root, Value *out) {
  if (!pending) {
    PyErr_SetString(PyExc_RuntimeError, "the launch is over");
    return -1;
  }
  if (root->value) {  // it was computed by itself, and has no operands any more
    PyErr_SetString(PyExc_ValueError, "an expression that has a value is not computed again");
    return -1;
  }
  flat.instrs.clear();
  flat.leaves.clear();
  flat.order.clear();
  flat.count = 0;
  current_mark++;
  visit(root);
  Template *pattern = template_of(pending, out->type, out->exact);
  if (!pattern) return -1;
  out->format = pattern->format;
  bool natively = pending->natively && pattern->program;
  auto first = static_cast<uint32_t>(pending->leaves->size());
  int32_t level = 0;
  for (Value *value : flat.leaves) {
    Leaf leaf = {};
    if (value->pending) {
      level = std::max(level, value->level + 1);
      pending->intermediate_bytes += value->type->nbytes;
    }
    bool stays = natively && value->data && value->storage && !value->owner && !value->block_bytes && !value->pending && is_regular(value);
    if (stays) leaf.at = {value_data(value), value->row_stride, value->outer_stride};
    else leaf.value = incref(value);
    pending->leaves->push_back(leaf);
  }
  out->pending = 1;
  out->level = level;
  Kernel *kernel = active_engine ? active_engine->current : nullptr;
  int32_t node = kernel && kernel->node ? static_cast<int32_t>(kernel->node->index) : -1;
  pending->tasks->push_back({pattern, incref(out), first, level, node});
  live_tasks++;
  pending->bytes += out->type->nbytes;
  int64_t size = static_cast<int64_t>(pending->tasks->size() + pending->writes->size());
  pending->most = std::max(pending->most, size);
  if (size > kMostRecorded || pending->bytes > pending->limit_bytes || pending->intermediate_bytes > pending->limit_intermediate ||
      pending->leaves->size() > kMostLeaves)
    return pending_flush(pending);
  return 0;
}

Value *new_value(TypeInfo *type, int32_t valid_rows, int32_t valid_cols, bool exact) {
  auto *value = make<Value>(classes.value);
  if (!value) return nullptr;
  value->type = type;
  value->valid_rows = valid_rows;
  value->valid_cols = valid_cols;
  value->exact = exact;
  value->rows = static_cast<int32_t>(type->rows);
  value->cols = static_cast<int32_t>(type->cols);
  value->outer_count = type->outer;
  return value;
}

}  // namespace

const Family *family_of(const machine::Program *program) {
  auto known = families.find(program);
  return known == families.end() ? nullptr : &known->second;
}

const machine::Api *machine_api = nullptr;
int64_t live_tasks = 0;

int machine_setup() {
  PyObject *module = PyImport_ImportModule("ttl._machine");
  PyObject *capsule = module ? PyObject_GetAttrString(module, "_api") : nullptr;
  if (capsule) machine_api = static_cast<const machine::Api *>(PyCapsule_GetPointer(capsule, machine::kCapsule));
  Py_XDECREF(capsule);
  Py_XDECREF(module);
  if (machine_api && machine_api->version == machine::kApiVersion) return 0;
  machine_api = nullptr;
  PyErr_Clear();  // NumPy computes then
  return 0;
}

Value *record_fold(Pending *pending, Expr *expr) {
  if (expr->value) return incref(expr->value);
  Value *value = new_value(expr->instr->type, expr->valid_rows, expr->valid_cols, true);
  if (!value) return nullptr;
  if (record(pending, expr, value) < 0) {
    Py_DECREF(value);
    return nullptr;
  }
  assign(expr->value, value);
  for (PyObject *&arg : expr->args) clear(arg);  // its users take the value from now on
  expr->nargs = 0;
  return value;
}

Value *record_as(Pending *pending, Expr *expr, TypeInfo *type) {
  TypeInfo *from = expr->instr->type;
  if (from != type && conversions.size() < 4096)
    conversions.emplace(static_cast<uint64_t>(from->id) << 32 | static_cast<uint64_t>(type->id), true);
  Value *value = new_value(type, expr->valid_rows, expr->valid_cols, false);
  if (value && record(pending, expr, value) < 0) clear(value);
  return value;
}

Value *record_store(Engine *engine, PyObject *object, Block *target) {
  TypeInfo *type = target->buffer->type;
  if (is_block(object)) {
    auto *source = reinterpret_cast<Block *>(object);
    if (source->kernel != target->kernel || transition(source, tables::kStepRead) < 0 || !source->value ||
        source->value->type != type)
      return nullptr;
    source->state = transition(source, tables::kStepRead);
    return incref(source->value);
  }
  if (!is_expr(object)) return nullptr;
  auto *expr = reinterpret_cast<Expr *>(object);
  TypeInfo *from = expr->instr->type;
  if (expr->value || (from != type && !conversions.count(static_cast<uint64_t>(from->id) << 32 |
                                                         static_cast<uint64_t>(type->id))))
    return nullptr;
  if (expr->used && is_worth_keeping(expr)) return nullptr;
  if (!step(engine)) return nullptr;
  expr->used = 1;
  Value *value = new_value(type, expr->valid_rows, expr->valid_cols, false);
  if (!value) return nullptr;
  if (record(engine->pending, expr, value) < 0) clear(value);
  return value;
}

}  // namespace ttl::core
