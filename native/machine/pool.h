// Threads that run tasks, kept from run to run.
#pragma once

#include <cstddef>

#include "program.h"

namespace ttl::machine {

// Runs all tasks, in an order of its own, on at most `threads` threads (0: one per core) including the caller's.
// May be called from several threads at a time, and after a fork.
void run_tasks(const Program &program, const Task *tasks, size_t count, int threads);

// How many threads 0 stands for.
int core_count();

}  // namespace ttl::machine
