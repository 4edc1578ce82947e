// What a flush shares with the tape, which keeps what was computed for later calls.
#pragma once

#include "core.h"

namespace ttl::core {

extern const machine::Api *machine_api;

// Keep a group of tasks, a copy between memory, or the reason why the launch cannot be kept.
void tape_group(Tape *tape, const std::shared_ptr<machine::Program> &program, size_t leaves, const machine::Task *tasks, size_t count);
// A copy of rows: of each of `outer` matrices `rows` rows of `row_bytes`; zeros fill up to `all_rows` and
// `all_row_bytes`.
struct Copied {
  int64_t outer, rows, row_bytes, all_rows, all_row_bytes;
};
void copy_rows(const machine::Operand &to, const machine::Operand &from, const Copied &copied);
void tape_copy(Tape *tape, const machine::Operand &to, const machine::Operand &from, const Copied &copied);
// Memory of a result that is no tensor's.
void tape_result(Tape *tape, char *data, int64_t bytes);
void tape_refuse(Tape *tape, const char *reason);

}  // namespace ttl::core
