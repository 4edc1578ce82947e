// What a row segment of a program is made of: one operation over a strip of rows. `lowering.py` knows them by the
// names given here (`_machine.OPCODES`); their numbers mean nothing.
#pragma once

#include <cstdint>

namespace ttl::machine {

// The rest, each with a form of its own (see kernels.inc.cpp).
#define TTL_OTHER(X)                                                                                                  \
  X(exp)                                                                                                              \
  X(where)         /* condition, two operands of which each may be one number per row */                              \
  X(load_bf16)     /* rows in memory to float32 */                                                                    \
  X(load_f16)                                                                                                         \
  X(copy)          /* float32 to float32 */                                                                           \
  X(column_f32)    /* the first element of each row, to one number per row */                                         \
  X(column_bf16)                                                                                                      \
  X(column_f16)                                                                                                       \
  X(splat)         /* one number per row to rows */                                                                   \
  X(column_block)  /* one number per row to rows: it in column 0, zeros beside it */                                  \
  X(store_bf16)    /* float32 to rows in memory, rounded */                                                           \
  X(store_f16)                                                                                                        \
  X(block_float)   /* rounded to groups of 16 that share an exponent; the number is the count of mantissa bits */     \
  X(pad)           /* the operand with the rows and columns beyond the first so many replaced by a number */          \
  X(sum_columns)   /* rows (float32 or bfloat16) to one number per row */                                             \
  X(sum_squares_columns) /* the sum of their squares */                                                               \
  X(max_columns)                                                                                                      \
  X(add_rows)      /* adds each row to the one row of the result (or, row by row, where that has as many) */          \
  X(max_rows)

enum class Opcode : int32_t {
#define TTL_NAME(name, ...) name,
#define TTL_F1 TTL_NAME
#define TTL_F1_OWN TTL_NAME
#define TTL_BY_EXP TTL_NAME
#define TTL_F1_TABLED TTL_NAME
#define TTL_BY_EXP_TABLED TTL_NAME
#define TTL_BY_EXP_OWN TTL_NAME
#define TTL_HOT TTL_NAME
#define TTL_F2 TTL_NAME
#include "elementwise_functions.inc.h"
  TTL_OTHER(TTL_NAME)
#undef TTL_NAME
      count
};

// How an operand of an operation lies in memory.
enum class Kind : int32_t {
  none = 0,
  floats = 1,   // rows of float32
  halves = 2,   // rows of 16-bit elements: bfloat16, or float16 where the opcode says so
  number = 3,   // one float32 per row (or one for all: stride 0)
};

constexpr int kMaxParams = 3;

// One application of a kernel. Strides are bytes from row to row.
struct Call {
  char *d;
  const char *a, *b, *c;
  int64_t ds, as, bs, cs;
  int64_t rows, cols;
  int64_t first_row;  // of the block, for `pad`
  const double *params;
};

using Kernel = void (*)(const Call &call);

// The kernel for operands of these kinds, or null where there is none. One such function per instruction set.
using FindKernel = Kernel (*)(Opcode op, Kind d, Kind a, Kind b, Kind c);

namespace plain {
Kernel find(Opcode op, Kind d, Kind a, Kind b, Kind c);
}
#if defined(__x86_64__)
namespace avx2 {
Kernel find(Opcode op, Kind d, Kind a, Kind b, Kind c);
}
namespace avx512 {
Kernel find(Opcode op, Kind d, Kind a, Kind b, Kind c);
}
#endif

}  // namespace ttl::machine
