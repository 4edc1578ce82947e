// The block-expression machine: compiles a program over blocks once, runs it over many tasks.
//
// It knows nothing of Python and nothing of kernels: the control plane (core/) records tasks, the machine computes
// them. Both extension modules share this header and nothing else; the functions pass through a PyCapsule.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ttl::machine {

// How elements lie in memory. Block floats are float32 that hold only representable values.
enum class Format : int32_t { F32 = 0, BF16 = 1, F16 = 2, BFP8 = 3, BFP4 = 4 };

// Memory of one block, elements row-major: `outer` matrices of `rows` x `cols` elements (the program knows how
// many). Rows are contiguous; strides are in bytes. A block of rank above 2 has its outer dimensions collapsed
// into one, whoever makes tasks sees to it. Every element is there (padding was materialised as zeros).
struct Operand {
  char *data;
  int64_t row_stride;
  int64_t outer_stride;
};

// One task of a program: `leaves` are its operands in the program's order; `out` is where the result goes, and does
// not overlap any operand of any task of the same run (unless it is exactly the same block, for purely
// element-wise programs never guaranteed: the control plane does not do that).
struct Task {
  const Operand *leaves;
  Operand out;
};

struct Program;

// What the control plane calls. `compile` gives nullptr for bytes it cannot run (never for what lowering.py makes).
// `run` may execute the tasks in any order and on any number of threads; results do not depend on either.
struct Api {
  int32_t version;
  Program *(*compile)(const char *code, size_t size);
  void (*destroy)(Program *program);
  void (*run)(const Program *program, const Task *tasks, size_t count, int32_t threads);
};

inline constexpr int32_t kApiVersion = 1;
inline constexpr const char *kCapsule = "ttl._machine._api";

}  // namespace ttl::machine
