// What a flush shares with the tape, which keeps what was computed for later calls.
#pragma once

#include "core.h"

namespace ttl::core {

extern const machine::Api *machine_api;

// Keep a group of tasks, a copy between memory, or the reason why the launch cannot be kept.
void tape_group(Tape *tape, const std::shared_ptr<machine::Program> &program, size_t leaves, const machine::Task *tasks, size_t count);
void tape_copy(Tape *tape, char *to, int64_t to_row, int64_t to_outer, const char *from, int64_t from_row,
               int64_t from_outer, int64_t rows, int64_t row_bytes, int64_t outer);
void tape_refuse(Tape *tape, const char *reason);

}  // namespace ttl::core
