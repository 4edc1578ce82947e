// What is recorded and not computed yet. A store becomes a task of a template; a flush computes the tasks level by
// level, those of one template together, and carries out the writes to tensors.
#include <algorithm>
#include <cmath>
#include <new>

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
int64_t live_tasks = 0;  // of all launches: templates are forgotten only when there are none
uint32_t current_mark = 0;
std::unordered_map<uint64_t, bool> conversions;  // (from, to) types that a store may convert

// Codes of arguments in a key.
constexpr uint64_t kLeaf = 1, kResult = 2, kFloat = 3, kInt = 4, kHugeInt = 5;

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

void forget_templates() {
  for (auto &each : templates) {
    Py_XDECREF(each.second->py_key);
    delete each.second;
  }
  templates.clear();
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
  if (code != Py_None) {
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(code, &bytes, &size) < 0) {
      Py_DECREF(code);
      return -1;
    }
    machine::Program *program = machine_api->compile(bytes, static_cast<size_t>(size));
    if (program) pattern->program = {program, machine_api->destroy};
  }
  Py_DECREF(code);
  return 0;
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

// Whether the machine can take the memory as it is.
bool is_regular(const Value *value) { return value->valid_rows < 0 && !value->outer; }

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
  pending->tasks->push_back({pattern, incref(out), first, level});
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

const machine::Api *machine_api = nullptr;

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

// --- flushing -----------------------------------------------------------------------------------------------

namespace {

struct Batch {
  std::vector<Task> tasks;
  std::vector<Leaf> leaves;
  std::vector<Write> writes;
  ~Batch() {
    for (Task &task : tasks) {
      if (!task.out) continue;
      task.out->pending = 0;
      Py_DECREF(as_object(task.out));
      live_tasks--;
    }
    for (Leaf &leaf : leaves) Py_XDECREF(as_object(leaf.value));
    for (Write &write : writes) {
      Py_XDECREF(as_object(write.slice));
      Py_XDECREF(write.view);
      Py_XDECREF(as_object(write.storage));
      Py_XDECREF(as_object(write.value));
    }
  }
};

// A result that only goes to one place in a tensor is computed there.
void forward(Write &write) {
  Value *value = write.value;
  if (!write.slice || !value->pending || Py_REFCNT(as_object(value)) != 2) return;
  Slice *slice = write.slice;
  Storage *storage = write.storage;
  Region *region = storage->region;
  TypeInfo *type = value->type;
  if (region->hazard || region->overlapped || !region->storages || PyList_GET_SIZE(region->storages) != 1 || slice->value.outer) return;
  if (storage->dtype != type->dtype || value->format != type->format || type->format == kNoFormat) return;
  if (slice->value.rows != type->rows || slice->value.cols != type->cols || slice->value.outer_count != type->outer) return;
  value->data = slice_data(slice);
  value->row_stride = slice->value.row_stride;
  value->outer_stride = slice->value.outer_stride;
  write.done = true;
}

int itemsize_of(Format format) { return format == Format::BF16 || format == Format::F16 ? 2 : 4; }

bool give_memory(Value *value) {
  TypeInfo *type = value->type;
  int64_t item = itemsize_of(value->format);
  value->block_bytes = type->volume() * item;
  value->data = pool_allocate(value->block_bytes);
  value->row_stride = type->cols * item;
  value->outer_stride = type->rows * value->row_stride;
  if (!value->data) {
    value->block_bytes = 0;
    PyErr_NoMemory();
  }
  return value->data != nullptr;
}

// Address of matrix `index` of a value.
const char *matrix(const Value *value, const char *data, int64_t index) {
  if (!value->outer) return data + index * value->outer_stride;
  for (int i = value->outer->rank - 1; i >= 0; i--) {
    data += index % value->outer->extent[i] * value->outer->stride[i];
    index /= value->outer->extent[i];
  }
  return data;
}

// The value as a whole block in fresh memory, padding zero.
char *make_whole(const Value *value, int64_t *bytes, Tape *tape) {
  TypeInfo *type = value->type;
  int64_t item = itemsize_of(value->format), row = type->cols * item;
  *bytes = type->volume() * item;
  char *whole = pool_allocate(*bytes);
  if (!whole) return nullptr;
  const char *data = value_data(value);
  if (!value->outer) {
    machine::Operand to = {whole, row, row * type->rows};
    machine::Operand from = {const_cast<char *>(data), value->row_stride, value->outer_stride};
    Copied copied = {type->outer, value->rows, value->cols * item, type->rows, row};
    if (tape) {
      tape_result(tape, whole, *bytes);
      tape_copy(tape, to, from, copied);
    }
    copy_rows(to, from, copied);
    return whole;
  }
  if (tape) tape_refuse(tape, "it reads a part of a tensor with several strides");
  std::memset(whole, 0, static_cast<size_t>(*bytes));
  for (int64_t o = 0; o < type->outer; o++) {
    const char *from = matrix(value, data, o);
    for (int64_t r = 0; r < value->rows; r++)
      std::memcpy(whole + (o * type->rows + r) * row, from + r * value->row_stride,
                  static_cast<size_t>(value->cols * item));
  }
  return whole;
}

// Whether two irregular values at one address are the same data.
bool is_alike(const Value *a, const Value *b) {
  return a->type == b->type && a->format == b->format && a->rows == b->rows && a->cols == b->cols && !a->outer &&
         !b->outer && a->row_stride == b->row_stride && a->outer_stride == b->outer_stride;
}

class Flush {
 public:
  Flush(Pending *pending, Batch &batch) : pending_(pending), batch_(batch) {}

  bool run() {
    for (Write &write : batch_.writes) forward(write);
    std::vector<uint32_t> order(batch_.tasks.size());
    for (uint32_t i = 0; i < order.size(); i++) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
      const Task &x = batch_.tasks[a], &y = batch_.tasks[b];
      return x.level != y.level ? x.level < y.level : x.pattern->id < y.pattern->id;
    });
    for (size_t start = 0; start < order.size();) {
      const Task &first = batch_.tasks[order[start]];
      size_t end = start + 1;
      while (end < order.size() && batch_.tasks[order[end]].pattern == first.pattern &&
             batch_.tasks[order[end]].level == first.level)
        end++;
      bool natively = pending_->natively && first.pattern->program;
      if (!(natively ? run_group(&order[start], end - start) : compute_group(&order[start], end - start))) return false;
      release(&order[start], end - start);
      start = end;
    }
    return commit();
  }

 private:
  bool run_group(const uint32_t *members, size_t count) {
    const Template *pattern = batch_.tasks[members[0]].pattern;
    size_t leaves = pattern->leaves.size();
    operands_.resize(count * leaves);
    tasks_.resize(count);
    std::vector<std::pair<char *, int64_t>> made;
    // What many tasks read alike, a row that all nodes broadcast say, is made whole once.
    std::unordered_map<const char *, machine::Operand> whole_of;
    const Value *whole_like = nullptr;
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
      Task &task = batch_.tasks[members[i]];
      machine::Operand *operands = operands_.data() + i * leaves;
      for (size_t j = 0; fine && j < leaves; j++) {
        const Leaf &leaf = batch_.leaves[task.first_leaf + j];
        const Value *value = leaf.value;
        if (!value) {
          operands[j] = leaf.at;
        } else if (!value->data) {  // its computation failed, and somebody caught that
          Py_XDECREF(PyObject_CallMethod(as_object(pending_), "refuse_uncomputed", nullptr));
          if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "a value has no data");
          fine = false;
        } else if (is_regular(value)) {
          operands[j] = {value_data(value), value->row_stride, value->outer_stride};
        } else {
          if (whole_like && !is_alike(whole_like, value)) whole_of.clear();
          whole_like = value;
          auto known = whole_of.find(value_data(value));
          if (known != whole_of.end()) {
            operands[j] = known->second;
            continue;
          }
          int64_t bytes;
          char *whole = make_whole(value, &bytes, pending_->tape);
          if (!whole) fine = (PyErr_NoMemory(), false);
          int64_t row = value->type->cols * itemsize_of(value->format);
          operands[j] = {whole, row, row * value->type->rows};
          if (whole) {
            made.emplace_back(whole, bytes);
            whole_of.emplace(value_data(value), operands[j]);
          }
        }
      }
      if (fine && !task.out->data) {
        fine = give_memory(task.out);
        if (fine && pending_->tape) tape_result(pending_->tape, task.out->data, task.out->block_bytes);
      }
      tasks_[i] = {operands, {task.out->data, task.out->row_stride, task.out->outer_stride}};
    }
    if (fine) {
      if (pending_->tape) tape_group(pending_->tape, pattern->program, leaves, tasks_.data(), count);
      machine_api->run(pattern->program.get(), tasks_.data(), count, pending_->threads);
    }
    for (auto &each : made) pool_free(each.first, each.second);
    return fine;
  }

  // NumPy computes what the machine lacks.
  bool compute_group(const uint32_t *members, size_t count) {
    const Template *pattern = batch_.tasks[members[0]].pattern;
    if (pending_->tape) tape_refuse(pending_->tape, "an operation in it is computed by NumPy");
    PyObject *all = PyList_New(static_cast<Py_ssize_t>(count));
    for (size_t i = 0; all && i < count; i++) {
      const Task &task = batch_.tasks[members[i]];
      PyObject *leaves = PyList_New(static_cast<Py_ssize_t>(pattern->leaves.size()));
      for (size_t j = 0; leaves && j < pattern->leaves.size(); j++) {
        Value *leaf = batch_.leaves[task.first_leaf + j].value;
        if (leaf) {
          PyList_SET_ITEM(leaves, static_cast<Py_ssize_t>(j), Py_NewRef(as_object(leaf)));
        } else {  // recorded for the machine, which was switched off since
          PyErr_SetString(PyExc_RuntimeError, "who computes was changed while a launch ran");
          clear(leaves);
        }
      }
      PyObject *member = leaves ? Py_BuildValue("ON", task.out, leaves) : nullptr;
      if (!member) clear(all);
      else PyList_SET_ITEM(all, static_cast<Py_ssize_t>(i), member);
    }
    for (size_t i = 0; i < count; i++) {  // a result that was to go straight to a tensor is written there afterwards
      Value *out = batch_.tasks[members[i]].out;
      if (out->data) {
        for (Write &write : batch_.writes)
          if (write.value == out) write.done = false;
        out->data = nullptr;
      }
    }
    PyObject *done = all ? PyObject_CallFunction(pending_->compute, "OOiO", pattern->py_key, pattern->type->type,
                                                 pattern->exact, all)
                         : nullptr;
    Py_XDECREF(all);
    Py_XDECREF(done);
    return done != nullptr;
  }

  void release(const uint32_t *members, size_t count) {
    for (size_t i = 0; i < count; i++) {
      Task &task = batch_.tasks[members[i]];
      for (size_t j = 0; j < task.pattern->leaves.size(); j++) clear(batch_.leaves[task.first_leaf + j].value);
      task.out->pending = 0;
      clear(task.out);
      live_tasks--;
    }
  }

  bool commit() {
    for (Write &write : batch_.writes) {
      write.storage->region->pending_writes = 0;
      if (write.done) continue;
      if (!copy_plainly(write)) {
        if (pending_->tape) tape_refuse(pending_->tape, "a copy in it converts elements");
        PyObject *slice = write.slice ? as_object(write.slice) : write.view;
        PyObject *done =
            PyObject_CallFunctionObjArgs(pending_->commit_view, write.storage, slice, write.value, nullptr);
        if (!done) return false;
        Py_DECREF(done);
      }
      clear(write.value);
    }
    return true;
  }

  bool copy_plainly(const Write &write) {
    const Value *value = write.value;
    const Slice *slice = write.slice;
    if (!slice || !value->data || value->type->storage != slice->value.type->storage) return false;
    if (write.storage->dtype != value->type->dtype) return false;
    if (value->type->is_float && value->format != value->type->format) return false;
    // Block floats are kept as float32: that a value is not rounded yet does not show in its format.
    bool shares_exponents = value->type->format == Format::BFP8 || value->type->format == Format::BFP4;
    if (pending_->unrounded && shares_exponents) return false;
    if (slice->value.outer_count != value->outer_count) return false;
    bool exact = value->exact != 0;
    if (exact) return false;
    char *to = slice_data(slice);
    const char *from = value_data(value);
    int64_t item = write.storage->itemsize;
    int64_t rows = std::min<int64_t>(slice->value.rows, value->rows), cols = std::min<int64_t>(slice->value.cols, value->cols);
    Copied copied = {value->outer_count, rows, cols * item, slice->value.rows, slice->value.cols * item};
    if (!slice->value.outer && !value->outer) {
      machine::Operand target = {to, slice->value.row_stride, slice->value.outer_stride};
      machine::Operand source = {const_cast<char *>(from), value->row_stride, value->outer_stride};
      if (pending_->tape) tape_copy(pending_->tape, target, source, copied);
      copy_rows(target, source, copied);
      return true;
    }
    if (pending_->tape) tape_refuse(pending_->tape, "it copies a part of a tensor with several strides");
    copied.outer = 1;
    for (int64_t o = 0; o < value->outer_count; o++)
      copy_rows({const_cast<char *>(matrix(&slice->value, to, o)), slice->value.row_stride, 0},
                {const_cast<char *>(matrix(value, from, o)), value->row_stride, 0}, copied);
    return true;
  }

  Pending *pending_;
  Batch &batch_;
  std::vector<machine::Operand> operands_;
  std::vector<machine::Task> tasks_;
};

}  // namespace

int pending_flush(Pending *pending) {
  if (pending->suspended) return 0;
  incref(pending);
  pending->suspended = 1;
  bool fine;
  {
    Batch batch;
    batch.tasks.swap(*pending->tasks);
    batch.leaves.swap(*pending->leaves);
    batch.writes.swap(*pending->writes);
    pending->bytes = pending->intermediate_bytes = 0;
    try {
      fine = Flush(pending, batch).run();
    } catch (const std::bad_alloc &) {
      PyErr_NoMemory();
      fine = false;
    }
    // Keep the memory of the records for the next ones.
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    std::vector<Task> tasks;
    std::vector<Leaf> leaves;
    for (Task &task : batch.tasks)
      if (task.out) tasks.push_back(task);
    for (Leaf &leaf : batch.leaves)
      if (leaf.value) leaves.push_back(leaf);
    batch.tasks.clear();
    batch.leaves.clear();
    if (pending->tasks->empty()) pending->tasks->swap(batch.tasks);
    if (pending->leaves->empty()) pending->leaves->swap(batch.leaves);
    batch.tasks.swap(tasks);
    batch.leaves.swap(leaves);
    PyErr_Restore(type, value, traceback);
  }
  pending->suspended = 0;
  if (fine && pending->on_flush) {
    PyObject *told = Py_NewRef(pending->on_flush);
    PyObject *done = PyObject_CallNoArgs(told);
    Py_DECREF(told);
    fine = done != nullptr;
    Py_XDECREF(done);
  }
  Py_DECREF(as_object(pending));
  return fine ? 0 : -1;
}

// --- the type -----------------------------------------------------------------------------------------------

static PyObject *pending_new(PyTypeObject *type, PyObject *, PyObject *) {
  auto *pending = reinterpret_cast<Pending *>(type->tp_alloc(type, 0));
  if (!pending) return nullptr;
  pending->tasks = new std::vector<Task>();
  pending->leaves = new std::vector<Leaf>();
  pending->writes = new std::vector<Write>();
  pending->limit_bytes = 64 << 20;
  pending->limit_intermediate = 4 << 20;
  pending->threads = 1;
  return as_object(pending);
}
static int pending_init(PyObject *self, PyObject *args, PyObject *) {
  PyObject *engine;
  if (!PyArg_ParseTuple(args, "O!", &EngineType, &engine)) return -1;
  assign(reinterpret_cast<Engine *>(engine)->pending, reinterpret_cast<Pending *>(self));
  return 0;
}
static PyObject *pending_flush_method(PyObject *self, PyObject *) {
  if (pending_flush(reinterpret_cast<Pending *>(self)) < 0) return nullptr;
  Py_RETURN_NONE;
}
static PyObject *pending_fold(PyObject *self, PyObject *expr) {
  if (!is_expr(expr)) {
    PyErr_SetString(PyExc_TypeError, "an expression");
    return nullptr;
  }
  return as_object(record_fold(reinterpret_cast<Pending *>(self), reinterpret_cast<Expr *>(expr)));
}
// record(expr, type): the value that computing the expression as a block of this type gives.
static PyObject *pending_record(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  if (count != 2 || !is_expr(args[0])) {
    PyErr_SetString(PyExc_TypeError, "record(expression, type)");
    return nullptr;
  }
  auto *expr = reinterpret_cast<Expr *>(args[0]);
  TypeInfo *type = type_info(args[1]);
  if (!type) return nullptr;
  TypeInfo *from = expr->instr->type;
  if (from != type && conversions.size() < 4096)
    conversions.emplace(static_cast<uint64_t>(from->id) << 32 | static_cast<uint64_t>(type->id), true);
  Value *value = new_value(type, expr->valid_rows, expr->valid_cols, false);
  if (value && record(reinterpret_cast<Pending *>(self), expr, value) < 0) clear(value);
  return as_object(value);
}
// write(storage, view, value): a write to an array.
static PyObject *pending_write(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  if (count != 3 || !PyObject_TypeCheck(args[0], &StorageType) || !PyObject_TypeCheck(args[2], &ValueType)) {
    PyErr_SetString(PyExc_TypeError, "write(storage, view, value)");
    return nullptr;
  }
  auto *pending = reinterpret_cast<Pending *>(self);
  auto *storage = reinterpret_cast<Storage *>(args[0]);
  if (!storage->region) {
    PyErr_SetString(PyExc_TypeError, "a storage with a region is needed");
    return nullptr;
  }
  storage->region->pending_writes++;
  pending->writes->push_back(
      {nullptr, Py_NewRef(args[1]), incref(storage), reinterpret_cast<Value *>(Py_NewRef(args[2])), false});
  Py_RETURN_NONE;
}
static Py_ssize_t pending_length(PyObject *self) {
  auto *pending = reinterpret_cast<Pending *>(self);
  return static_cast<Py_ssize_t>(pending->tasks->size() + pending->writes->size());
}
// drop(): forget what is recorded, without computing it; the launch has failed.
static PyObject *pending_drop(PyObject *self, PyObject *) {
  auto *pending = reinterpret_cast<Pending *>(self);
  Batch batch;
  batch.tasks.swap(*pending->tasks);
  batch.leaves.swap(*pending->leaves);
  batch.writes.swap(*pending->writes);
  Py_RETURN_NONE;
}
static int pending_traverse(PyObject *self, visitproc visit, void *arg) {
  auto *pending = reinterpret_cast<Pending *>(self);
  Py_VISIT(pending->on_flush);
  Py_VISIT(pending->compute);
  Py_VISIT(pending->prepare);
  Py_VISIT(pending->commit_view);
  return 0;
}
static int pending_clear(PyObject *self) {
  auto *pending = reinterpret_cast<Pending *>(self);
  clear(pending->on_flush);
  clear(pending->compute);
  clear(pending->prepare);
  clear(pending->commit_view);
  return 0;
}
static void pending_dealloc(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *pending = reinterpret_cast<Pending *>(self);
  Py_XDECREF(pending_drop(self, nullptr));
  pending_clear(self);
  clear(pending->tape);
  delete pending->tasks;
  delete pending->leaves;
  delete pending->writes;
  Py_TYPE(self)->tp_free(self);
}
static PyMemberDef pending_members[] = {TTL_FLAG(Pending, suspended),
                                        TTL_FLAG(Pending, unrounded),
                                        TTL_FLAG(Pending, natively),
                                        TTL_INT(Pending, limit_bytes),
                                        TTL_INT(Pending, limit_intermediate),
                                        TTL_INT(Pending, most),
                                        {"threads", T_INT, offsetof(Pending, threads), 0, nullptr},
                                        {}};
static PyGetSetDef pending_getset[] = {TTL_OBJECT(Pending, on_flush),    TTL_OBJECT(Pending, compute),
                                       TTL_OBJECT(Pending, prepare),     TTL_OBJECT(Pending, commit_view),
                                       TTL_TYPED(Pending, tape, TapeType), {}};
static PyMethodDef pending_methods[] = {
    {"flush", pending_flush_method, METH_NOARGS, nullptr},
    {"fold", pending_fold, METH_O, nullptr},
    {"record", reinterpret_cast<PyCFunction>(pending_record), METH_FASTCALL, nullptr},
    {"write", reinterpret_cast<PyCFunction>(pending_write), METH_FASTCALL, nullptr},
    {"drop", pending_drop, METH_NOARGS, nullptr},
    {}};
static PySequenceMethods pending_sequence = {.sq_length = pending_length};
PyTypeObject PendingType = {
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "ttl._core.Pending",
    .tp_basicsize = sizeof(Pending),
    .tp_dealloc = pending_dealloc,
    .tp_as_sequence = &pending_sequence,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "What is recorded and not computed yet.",
    .tp_traverse = pending_traverse,
    .tp_clear = pending_clear,
    .tp_methods = pending_methods,
    .tp_members = pending_members,
    .tp_getset = pending_getset,
    .tp_init = pending_init,
    .tp_new = pending_new,
};

}  // namespace ttl::core
