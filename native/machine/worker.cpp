// Runs the steps of a program on one task, in the scratch memory of one thread.
#include <algorithm>
#include <cstring>
#include <new>

#include "program.h"

namespace ttl::machine {

namespace {

constexpr size_t kAlignment = 64;
constexpr int64_t kLine = 64;

int64_t mapped(const Program &program, int32_t map, int64_t outer) {
  return map < 0 ? outer : program.maps[static_cast<size_t>(map)][static_cast<size_t>(outer)];
}

// Into the second level of cache: short pieces of rows whose lengths are powers of two share few sets of the first.
void fetch_rows(const char *at, int64_t stride, int64_t rows, int64_t bytes) {
  asm volatile("");  // GCC finds that a function which only prefetches does nothing, and drops the call
  for (int64_t r = 0; r < rows; ++r, at += stride)
    for (int64_t byte = 0; byte < bytes; byte += kLine) __builtin_prefetch(at + byte, 0, 2);
}

// Eight elements of 16 bits, four of 32: what a vector of any processor holds.
typedef uint16_t Eight __attribute__((vector_size(16)));
typedef uint32_t Four __attribute__((vector_size(16)));

// Rows i and i + half of a square interleaved, log2 of its rows times over, is its transpose.
inline void interleave(Eight (&v)[8]) {
  Eight w[8];
  for (int i = 0; i < 4; ++i) {
    w[2 * i] = __builtin_shufflevector(v[i], v[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    w[2 * i + 1] = __builtin_shufflevector(v[i], v[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  std::memcpy(v, w, sizeof w);
}

inline void interleave(Four (&v)[4]) {
  Four w[4];
  for (int i = 0; i < 2; ++i) {
    w[2 * i] = __builtin_shufflevector(v[i], v[i + 2], 0, 4, 1, 5);
    w[2 * i + 1] = __builtin_shufflevector(v[i], v[i + 2], 2, 6, 3, 7);
  }
  std::memcpy(v, w, sizeof w);
}

template <typename Vector, int size, int steps>
inline void transpose_square(const char *from, int64_t from_stride, char *to, int64_t to_stride) {
  Vector v[size];
  // Rows lie anywhere: memcpy, since a vector's alignment would be assumed of what a pointer to it points to.
  for (int i = 0; i < size; ++i) std::memcpy(&v[i], from + i * from_stride, sizeof v[i]);
  for (int step = 0; step < steps; ++step) interleave(v);
  for (int i = 0; i < size; ++i) std::memcpy(to + i * to_stride, &v[i], sizeof v[i]);
}

template <typename T, typename Vector, int steps>
void transpose(const char *from, int64_t from_stride, int64_t rows, int64_t cols, char *to, int64_t to_stride) {
  constexpr int64_t kBytes = sizeof(T), kSize = 16 / kBytes;
  const int64_t whole_rows = rows / kSize * kSize, whole_cols = cols / kSize * kSize;
  for (int64_t r = 0; r < whole_rows; r += kSize)
    for (int64_t c = 0; c < whole_cols; c += kSize)
      transpose_square<Vector, kSize, steps>(from + r * from_stride + c * kBytes, from_stride,
                                             to + c * to_stride + r * kBytes, to_stride);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = r < whole_rows ? whole_cols : 0; c < cols; ++c)
      std::memcpy(to + c * to_stride + r * kBytes, from + r * from_stride + c * kBytes, kBytes);
}

}  // namespace

Worker::~Worker() {
  ::operator delete(scratch_, std::align_val_t{kAlignment});
  if (gemm_) gemm_scratch_delete(gemm_);
}

void Worker::prepare(const Program &program) {
  const auto wanted = static_cast<size_t>(program.scratch_bytes);
  if (wanted > size_) {
    ::operator delete(scratch_, std::align_val_t{kAlignment});
    scratch_ = nullptr;
    size_ = 0;
    scratch_ = static_cast<char *>(::operator new(wanted, std::align_val_t{kAlignment}));
    size_ = wanted;
  }
  size_t places = 0;
  for (const RowSegment &segment : program.segments) places = std::max(places, segment.places.size());
  if (bases_.size() < places) {
    bases_.resize(places);
    walks_.resize(places);
  }
  if (program.products.empty()) return;
  if (!gemm_) gemm_ = gemm_scratch_new();
  gemm_scratch_reset(gemm_);
  size_t most = 0;
  for (const Product &product : program.products) most = std::max(most, product.operands.size());
  if (factors_.size() < most) factors_.resize(most);
}

void Worker::run(const Program &program, const Task &task, const Task *next) {
  // A chain of products of tiles reads a hundred operands, which lie somewhere else for every task.
  if (next) {
    const auto bytes = static_cast<int64_t>(program.leaves.size() * sizeof(Operand));
    fetch_rows(reinterpret_cast<const char *>(next->leaves), 0, 1, bytes);
  }
  for (const Step &step : program.steps) {
    const auto index = static_cast<size_t>(step.index);
    switch (step.tag) {
      case Step::Tag::rows: rows(program, program.segments[index], task, next); break;
      case Step::Tag::fill: fill(program, program.fills[index]); break;
      case Step::Tag::product: product(program, program.products[index], task); break;
      case Step::Tag::move: move(program, program.moves[index], task); break;
    }
  }
}

Operand Worker::at(const Program &program, const Task &task, int32_t source) const {
  if (source >= 0) return task.leaves[source];
  if (source == kResult) return task.out;
  const auto buffer = static_cast<size_t>(kFirstBuffer - source);
  const Extents &extents = program.buffers[buffer];
  return Operand{scratch_ + program.offsets[buffer], extents.row_bytes(), extents.rows * extents.row_bytes()};
}

void Worker::rows(const Program &program, const RowSegment &segment, const Task &task, const Task *next) {
  for (size_t i = 0; i < segment.places.size(); ++i) bases_[i] = at(program, task, segment.places[i].source);
  for (int64_t outer = 0; outer < segment.outer; ++outer)
    for (int64_t row = 0; row < segment.rows; row += segment.rows_at_once) {
      const int64_t rows = std::min(segment.rows_at_once, segment.rows - row);
      // What the next strip reads and writes, so that it is there by then: the strips of a block of few tiles are
      // short pieces of long rows, which the processor does not foresee.
      if (row + rows < segment.rows) {
        fetch(program, segment, outer, row + rows, nullptr);
      } else if (outer + 1 < segment.outer) {
        fetch(program, segment, outer + 1, 0, nullptr);
      } else if (next) {
        fetch(program, segment, 0, 0, next);
      }
      for (int64_t column = 0; column < segment.width; column += segment.columns_at_once) {
        const int64_t columns = std::min(segment.columns_at_once, segment.width - column);
        strip(program, segment, Strip{outer, row, rows, column, columns});
      }
    }
}

void Worker::fetch(const Program &program, const RowSegment &segment, int64_t outer, int64_t row, const Task *task) {
  const int64_t rows = std::min(segment.rows_at_once, segment.rows - row);
  for (int32_t index : segment.ahead) {
    const Place &place = segment.places[static_cast<size_t>(index)];
    const int64_t bytes = program.extents(place.source).row_bytes();
    if (bytes >= kLongRow) continue;
    const Operand &base = task ? (place.source == kResult ? task->out : task->leaves[place.source])
                               : bases_[static_cast<size_t>(index)];
    const char *from = base.data + mapped(program, place.map, outer) * base.outer_stride + row * base.row_stride;
    fetch_rows(from, base.row_stride, rows, bytes);
  }
}

void Worker::strip(const Program &program, const RowSegment &segment, const Strip &strip) {
  for (size_t i = 0; i < segment.places.size(); ++i) {
    const Place &place = segment.places[i];
    const Operand &base = bases_[i];
    char *at = base.data + mapped(program, place.map, strip.outer) * base.outer_stride;
    if (strip.column > 0) at += strip.column * size_of(program.extents(place.source).format);
    walks_[i] = place.fixed ? Walk{at, 0} : Walk{at + strip.row * base.row_stride, base.row_stride};
  }
  char *const slots = scratch_ + program.slots_offset;
  const auto isa = static_cast<size_t>(active_vectors());
  const bool split = segment.columns_at_once < segment.width;
  for (const Operation &operation : segment.operations) {
    const int64_t width = split ? strip.columns : operation.width;
    Call call;
    call.rows = operation.of_column ? 1 : strip.rows;
    call.cols = operation.of_column ? strip.rows : width;
    call.first_row = strip.row;
    call.params = operation.params;
    bool dense = operation.by_element;
    // Pointer and stride of an operand; the whole stays dense while rows follow each other without gaps.
    const auto resolve = [&](const Argument &argument, int64_t *stride) -> char * {
      const int64_t bytes = argument.kind == Kind::number ? 4 : call.cols * (argument.kind == Kind::halves ? 2 : 4);
      const auto index = static_cast<size_t>(argument.index);
      switch (argument.where) {
        case Where::slot:
          *stride = bytes;
          if (argument.kind == Kind::number) dense = false;
          return slots + argument.index * segment.slot_bytes;
        case Where::place:
          *stride = walks_[index].stride;
          if (*stride != bytes || argument.kind == Kind::number) dense = false;
          return walks_[index].at;
        case Where::number:
          *stride = 0;
          return const_cast<char *>(reinterpret_cast<const char *>(&program.numbers[index]));
        case Where::nothing: break;
      }
      *stride = 0;
      return nullptr;
    };
    call.d = resolve(operation.d, &call.ds);
    call.a = resolve(operation.arguments[0], &call.as);
    call.b = resolve(operation.arguments[1], &call.bs);
    call.c = resolve(operation.arguments[2], &call.cs);
    if (dense) {
      call.cols *= call.rows;
      call.rows = 1;
    }
    operation.kernels[isa](call);
  }
}

void Worker::fill(const Program &program, const Fill &fill) const {
  const auto buffer = static_cast<size_t>(kFirstBuffer - fill.target);
  const Extents &extents = program.buffers[buffer];
  float *at = reinterpret_cast<float *>(scratch_ + program.offsets[buffer]);
  std::memset(at, 0, static_cast<size_t>(extents.bytes()));
  for (int64_t outer = 0; outer < extents.outer; ++outer)
    for (int64_t row = 0; row < fill.rows; ++row)
      std::fill_n(at + (outer * extents.rows + row) * extents.cols, fill.cols, fill.value);
}

void Worker::product(const Program &program, const Product &product, const Task &task) {
  const Operand out = at(program, task, product.target);
  const GemmShape shape{product.m,
                        product.n,
                        static_cast<int32_t>(product.operands.size()),
                        product.k.data(),
                        product.a_format.data(),
                        product.b_format.data()};
  if (product.reads_buffers) gemm_scratch_reset(gemm_);
  for (int64_t outer = 0; outer < product.outer; ++outer) {
    for (size_t i = 0; i < product.operands.size(); ++i) {
      const Product::Operands &operands = product.operands[i];
      if (operands.a >= 0 && operands.b >= 0 && product.outer == 1 && operands.a_map < 0 && operands.b_map < 0) {
        const Operand &a = task.leaves[operands.a], &b = task.leaves[operands.b];
        factors_[i] = Factor{a.data, a.row_stride, b.data, b.row_stride};
        continue;
      }
      const Operand a = at(program, task, operands.a), b = at(program, task, operands.b);
      factors_[i] = Factor{a.data + mapped(program, operands.a_map, outer) * a.outer_stride, a.row_stride,
                          b.data + mapped(program, operands.b_map, outer) * b.outer_stride, b.row_stride};
    }
    auto *c = reinterpret_cast<float *>(out.data + outer * out.outer_stride);
    gemm_chain(shape, factors_.data(), c, out.row_stride, false, gemm_);
  }
}

void Worker::move(const Program &program, const Move &move, const Task &task) {
  const Operand from = at(program, task, move.source), to = at(program, task, move.target);
  const Extents &source = program.extents(move.source), &target = program.extents(move.target);
  const int64_t size = size_of(source.format);
  if (move.unit_rows == 0) {
    for (int64_t outer = 0; outer < source.outer; ++outer) {
      const char *a = from.data + outer * from.outer_stride;
      char *d = to.data + outer * to.outer_stride;
      if (size == 2) {
        transpose<uint16_t, Eight, 3>(a, from.row_stride, source.rows, source.cols, d, to.row_stride);
      } else {
        transpose<uint32_t, Four, 2>(a, from.row_stride, source.rows, source.cols, d, to.row_stride);
      }
    }
    return;
  }
  // The i-th unit of the source is the i-th of the target; units count along columns, then rows, then matrices.
  const auto unit = [&](const Operand &base, const Extents &extents, int64_t i) {
    const int64_t across = extents.cols / move.unit_cols, down = extents.rows / move.unit_rows;
    return base.data + i / (across * down) * base.outer_stride + i / across % down * move.unit_rows * base.row_stride +
           i % across * move.unit_cols * size;
  };
  const int64_t units = source.outer * source.rows * source.cols / (move.unit_rows * move.unit_cols);
  for (int64_t i = 0; i < units; ++i) {
    const char *a = unit(from, source, i);
    char *d = unit(to, target, i);
    for (int64_t row = 0; row < move.unit_rows; ++row)
      std::memcpy(d + row * to.row_stride, a + row * from.row_stride, static_cast<size_t>(move.unit_cols * size));
  }
}

}  // namespace ttl::machine
