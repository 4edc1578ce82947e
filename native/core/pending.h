// What recording, flushing and the tape share; the tape keeps what was computed for later calls.
#pragma once

#include <string>

#include "core.h"

namespace ttl::core {

extern const machine::Api *machine_api;

// Tasks of all launches: templates are forgotten only when there are none.
extern int64_t live_tasks;

// A number of which only the class is looked at while a launch is recorded (sim/numbers.py): a tape can be carried
// out with another one. `id` tells numbers of a launch apart.
struct Number {
  PyObject_HEAD
  double value;
  long long id;
};
extern PyTypeObject NumberType;
inline bool is_number(PyObject *object) { return PyObject_TypeCheck(object, &NumberType); }

// Where such numbers are in a program: code that differs in those places only is of one family.
struct Family {
  static constexpr int32_t kNowhere = -1, kFormat = -2;
  struct Use {
    int64_t id;
    int32_t place;  // of the program's numbers; kNowhere, or kFormat: the code depends on whether bfloat16 holds it
    bool operator==(const Use &) const = default;
  };
  std::string code;
  size_t numbers;  // where in the code they begin
  std::vector<Use> uses;
};
const Family *family_of(const machine::Program *program);  // null: a program without such numbers

// Records that are computed, or dropped.
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

// Whether the machine can take the memory as it is.
inline bool is_regular(const Value *value) { return value->valid_rows < 0 && !value->outer; }

// The value that computing an expression as a block of this type gives; new. That a store may convert so is remembered.
Value *record_as(Pending *pending, Expr *expr, TypeInfo *type);

// Keep a group of tasks, a copy between memory, or the reason why the launch cannot be kept.
// A copy of rows: of each of `outer` matrices `rows` rows of `row_bytes`; zeros fill up to `all_rows` and
// `all_row_bytes`.
struct Copied {
  int64_t outer, rows, row_bytes, all_rows, all_row_bytes;
};
// `result`: the rows of every result; `nodes`: whose tasks they are.
void tape_group(Tape *tape, const std::shared_ptr<machine::Program> &program, size_t leaves, const machine::Task *tasks, size_t count,
                const Copied &result, const int32_t *nodes);
void copy_rows(const machine::Operand &to, const machine::Operand &from, const Copied &copied);
// `node`: whose kernel writes; -1: whoever has the source.
void tape_copy(Tape *tape, const machine::Operand &to, const machine::Operand &from, const Copied &copied, int32_t node);
// Memory of a result that is no tensor's.
void tape_result(Tape *tape, char *data, int64_t bytes);
void tape_refuse(Tape *tape, const char *reason);

}  // namespace ttl::core
