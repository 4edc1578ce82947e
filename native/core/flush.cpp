// A flush computes the tasks level by level, those of one template together, and carries out the writes to tensors.
#include <algorithm>
#include <new>

#include "fields.h"
#include "pending.h"
#include "pool.h"

namespace ttl::core {

namespace {

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
char *make_whole(const Value *value, int64_t *bytes, const Pending *pending) {
  Tape *tape = pending->tape;
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
      tape_copy(tape, to, from, copied, -1);
    }
    if (!pending->only_taped) copy_rows(to, from, copied);
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
          char *whole = make_whole(value, &bytes, pending_);
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
      if (pending_->tape) {
        const Value *out = batch_.tasks[members[0]].out;
        int64_t row = out->type->cols * itemsize_of(out->format);
        nodes_.resize(count);
        for (size_t i = 0; i < count; i++) nodes_[i] = batch_.tasks[members[i]].node;
        tape_group(pending_->tape, pattern->program, leaves, tasks_.data(), count,
                   {out->type->outer, out->type->rows, row, out->type->rows, row}, nodes_.data());
      }
      if (!pending_->only_taped) machine_api->run(pattern->program.get(), tasks_.data(), count, pending_->threads);
    }
    for (auto &each : made) pool_free(each.first, each.second);
    return fine;
  }

  // What cannot be kept cannot be computed later, either.
  bool is_computed() {
    if (pending_->only_taped) PyErr_SetString(PyExc_RuntimeError, "what is only recorded has no data");
    return !pending_->only_taped;
  }

  // NumPy computes what the machine lacks.
  bool compute_group(const uint32_t *members, size_t count) {
    const Template *pattern = batch_.tasks[members[0]].pattern;
    if (pending_->tape) tape_refuse(pending_->tape, "an operation in it is computed by NumPy");
    if (!is_computed()) return false;
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
        if (!is_computed()) return false;
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
      if (pending_->tape) tape_copy(pending_->tape, target, source, copied, write.node);
      if (!pending_->only_taped) copy_rows(target, source, copied);
      return true;
    }
    if (pending_->tape) tape_refuse(pending_->tape, "it copies a part of a tensor with several strides");
    if (!is_computed()) return false;
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
  std::vector<int32_t> nodes_;
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

}  // namespace ttl::core
