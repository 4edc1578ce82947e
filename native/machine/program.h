// A compiled program: steps over blocks, in the order they run. `lowering.py` writes the bytes, `decode` reads them.
//
// A step reads leaves and buffers (float32 or 16-bit blocks in a thread's scratch memory) and writes one or several
// buffers or the result. Row segments do everything that a row can do for itself, a few rows at a time, so that
// what they compute stays in cache; the other steps move or multiply whole blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gemm.h"
#include "isa.h"
#include "machine.h"
#include "opcodes.h"

namespace ttl::machine {

constexpr int32_t kCodeVersion = 1;

// Bytes; longer rows the processor fetches ahead by itself.
constexpr int64_t kLongRow = 2048;

inline int64_t size_of(Format format) { return format == Format::BF16 || format == Format::F16 ? 2 : 4; }

// A block: `outer` matrices of `rows` x `cols` elements.
struct Extents {
  Format format;
  int64_t outer, rows, cols;
  int64_t row_bytes() const { return cols * size_of(format); }
  int64_t bytes() const { return outer * rows * row_bytes(); }
};

// Where a step reads or writes: a leaf, the result, or a buffer.
constexpr int32_t kResult = -1;
constexpr int32_t kFirstBuffer = -2;  // buffer i is kFirstBuffer - i

// Memory a row segment walks through. `map` is an index into Program::maps that gives the matrix for each of the
// segment's, or -1; `fixed` means row 0 for every row.
struct Place {
  int32_t source, map;
  bool fixed;
};

enum class Where : int32_t { nothing = 0, slot = 1, place = 2, number = 3 };

struct Argument {
  Kind kind;
  Where where;
  int32_t index;
};

struct Operation {
  Opcode opcode;
  // One number per row is computed on as if it were a single row: they lie side by side.
  bool of_column;
  // Rows may be taken as one long row where they are dense.
  bool by_element;
  int64_t width;
  Argument d, arguments[3];
  double params[kMaxParams];
  Kernel kernels[kVectorIsaCount];
};

struct RowSegment {
  int64_t outer, rows, width;
  bool splits_columns;  // nothing looks along a row
  int64_t rows_at_once, columns_at_once;
  int32_t slots;
  int64_t slot_bytes;
  std::vector<Place> places;
  std::vector<Operation> operations;
  // Places of leaves and of the result, worth fetching ahead.
  std::vector<int32_t> ahead;
};

// A float32 buffer set to zero, but for the first `rows` and `cols` of each matrix, which become `value`.
struct Fill {
  int32_t target;
  int64_t rows, cols;
  float value;
};

struct Product {
  int32_t target;
  int64_t outer;
  int32_t m, n;
  struct Operands {
    int32_t a, a_map, b, b_map;
  };
  std::vector<Operands> operands;
  std::vector<int32_t> k;
  std::vector<Format> a_format, b_format;
  bool reads_buffers;  // as second operands: they change from task to task
};

// The matrices of `source` transposed (unit 0 x 0), or its units of rows x columns, in order, laid out anew.
struct Move {
  int32_t source, target;
  int64_t unit_rows, unit_cols;
};

struct Step {
  enum class Tag : int32_t { rows = 0, fill = 1, product = 2, move = 3 } tag;
  int32_t index;
};

struct Program {
  std::vector<Extents> leaves, buffers;
  std::vector<int64_t> offsets;  // of buffers in the scratch memory
  Extents result;
  std::vector<std::vector<int32_t>> maps;
  std::vector<float> numbers;
  std::vector<Step> steps;
  std::vector<RowSegment> segments;
  std::vector<Fill> fills;
  std::vector<Product> products;
  std::vector<Move> moves;
  int64_t scratch_bytes;  // buffers, then slots
  int64_t slots_offset;
  int64_t work;  // about how many elements a task costs, for the choice of threads

  const Extents &extents(int32_t source) const {
    return source >= 0 ? leaves[static_cast<size_t>(source)]
           : source == kResult ? result
                               : buffers[static_cast<size_t>(kFirstBuffer - source)];
  }
};

// Null when the bytes are not a program this machine can run.
std::unique_ptr<Program> decode(const char *code, size_t size);

// Whether blocks that lie side by side may be computed as one: a single segment, in which nothing looks along a row.
bool may_widen(const Program &program);
// The program of `count` blocks side by side.
Program widened(const Program &program, int64_t count);

// Memory of one thread.
class Worker {
 public:
  Worker() = default;
  ~Worker();
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  // To be called before the first task of a run.
  void prepare(const Program &program);
  // `next` is the task that will follow, or null.
  void run(const Program &program, const Task &task, const Task *next);

 private:
  // A part of a segment: rows of one matrix, and columns where they are split.
  struct Strip {
    int64_t outer, row, rows, column, columns;
  };
  // Where a place is in a strip.
  struct Walk {
    char *at;
    int64_t stride;
  };

  Operand at(const Program &program, const Task &task, int32_t source) const;
  void rows(const Program &program, const RowSegment &segment, const Task &task, const Task *next);
  void strip(const Program &program, const RowSegment &segment, const Strip &strip);
  // `task` is null for the one that is running.
  void fetch(const Program &program, const RowSegment &segment, int64_t outer, int64_t row, const Task *task);
  void product(const Program &program, const Product &product, const Task &task);
  void move(const Program &program, const Move &move, const Task &task);
  void fill(const Program &program, const Fill &fill) const;

  char *scratch_ = nullptr;
  size_t size_ = 0;
  GemmScratch *gemm_ = nullptr;
  std::vector<Factor> factors_;
  std::vector<Operand> bases_;  // of the places of a segment, for a task
  std::vector<Walk> walks_;     // of the same, for a strip
};

}  // namespace ttl::machine
