// Reads what `lowering.py` writes. Whatever could make a run read or write where it must not is refused.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "program.h"

namespace ttl::machine {

namespace {

constexpr int64_t kMostElements = int64_t{1} << 40;
constexpr int32_t kMostThings = 1 << 20;
// Floats of a strip: what a segment keeps at a time should stay in the first two levels of cache.
constexpr int64_t kStripFloats = 1024;
// Twice that where rows are not fetched ahead, or few: blocks of a large tensor have their rows powers of two apart,
// and so many of those are as much as the sets of the second level they share can hold.
constexpr int64_t kLongStripFloats = 2048;
constexpr int64_t kMostFetchedRows = 64;
constexpr int64_t kStripBytes = 48 << 10;

int64_t fetched_places(const Program &program, const RowSegment &segment) {
  return std::count_if(segment.ahead.begin(), segment.ahead.end(), [&](int32_t place) {
    return program.extents(segment.places[static_cast<size_t>(place)].source).row_bytes() < kLongRow;
  });
}

// Rows at a time, as many as stay in cache together; columns too where nothing looks along a row.
void choose_strips(const Program &program, RowSegment &segment) {
  const int64_t slots = std::max<int64_t>(segment.slots, 1);
  const int64_t fit = kStripBytes / 4 / slots;
  int64_t floats = std::clamp<int64_t>(fit, 256, kStripFloats);
  const int64_t longer = std::clamp<int64_t>(fit, floats, kLongStripFloats);
  if (!segment.splits_columns && longer / segment.width * fetched_places(program, segment) <= kMostFetchedRows) floats = longer;
  segment.columns_at_once = segment.splits_columns ? std::min(segment.width, floats & ~int64_t{31}) : segment.width;
  segment.rows_at_once = std::clamp<int64_t>(floats / segment.columns_at_once, 1, segment.rows);
  segment.slot_bytes = (segment.rows_at_once * segment.columns_at_once * 4 + 63) & ~int64_t{63};
}

void place_slots(Program &program) {
  int64_t slots = 0;
  for (const RowSegment &segment : program.segments) slots = std::max(slots, segment.slots * segment.slot_bytes);
  program.scratch_bytes = program.slots_offset + slots;
}

struct Malformed {};

void require(bool condition) {
  if (!condition) throw Malformed{};
}

class Reader {
 public:
  Reader(const char *code, size_t size) : at_(code), end_(code + size) {}

  template <typename T>
  T next() {
    T value;
    require(static_cast<size_t>(end_ - at_) >= sizeof value);
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  int32_t number() { return next<int32_t>(); }
  int32_t number(int32_t low, int32_t high) {
    const int32_t value = number();
    require(low <= value && value <= high);
    return value;
  }
  int32_t count() { return number(0, kMostThings); }
  int64_t extent() {
    const int64_t value = next<int64_t>();
    require(0 < value && value < kMostElements);
    return value;
  }
  bool at_end() const { return at_ == end_; }

 private:
  const char *at_, *end_;
};

class Decoder {
 public:
  Decoder(const char *code, size_t size) : in_(code, size) {}

  std::unique_ptr<Program> decode() {
    require(in_.number() == 0x504c5454 && in_.number() == kCodeVersion);
    for (int32_t left = in_.count(); left > 0; --left) program_->leaves.push_back(extents());
    program_->result = extents();
    buffers();
    for (int32_t left = in_.count(); left > 0; --left) {
      std::vector<int32_t> map(static_cast<size_t>(in_.count()));
      for (int32_t &entry : map) entry = in_.number(0, INT32_MAX);
      program_->maps.push_back(std::move(map));
    }
    for (int32_t left = in_.count(); left > 0; --left) program_->numbers.push_back(in_.next<float>());
    for (int32_t left = in_.count(); left > 0; --left) step();
    require(in_.at_end());
    program_->slots_offset = (program_->scratch_bytes + 63) & ~int64_t{63};
    place_slots(*program_);
    return std::move(program_);
  }

 private:
  Reader in_;
  std::unique_ptr<Program> program_ = std::make_unique<Program>();

  Extents extents() {
    const Format format = static_cast<Format>(in_.number(0, 4));
    const int64_t outer = in_.extent(), rows = in_.extent(), cols = in_.extent();
    require(outer < kMostElements / rows && outer * rows < kMostElements / cols);
    return Extents{format, outer, rows, cols};
  }

  void buffers() {
    program_->scratch_bytes = in_.next<int64_t>();
    require(0 <= program_->scratch_bytes && program_->scratch_bytes < kMostElements);
    for (int32_t left = in_.count(); left > 0; --left) {
      const int64_t offset = in_.next<int64_t>();
      const Extents buffer = extents();
      require(offset >= 0 && offset % 64 == 0 && offset + buffer.bytes() <= program_->scratch_bytes);
      program_->buffers.push_back(buffer);
      program_->offsets.push_back(offset);
    }
  }

  void step() {
    const auto tag = static_cast<Step::Tag>(in_.number(0, 3));
    size_t index = 0;
    switch (tag) {
      case Step::Tag::rows: index = program_->segments.size(); program_->segments.push_back(segment()); break;
      case Step::Tag::fill: index = program_->fills.size(); program_->fills.push_back(fill()); break;
      case Step::Tag::product: index = program_->products.size(); program_->products.push_back(product()); break;
      case Step::Tag::move: index = program_->moves.size(); program_->moves.push_back(move()); break;
    }
    program_->steps.push_back(Step{tag, static_cast<int32_t>(index)});
  }

  int32_t source() {
    const int32_t value = in_.number();
    require(value < static_cast<int32_t>(program_->leaves.size()) &&
            value > kFirstBuffer - static_cast<int32_t>(program_->buffers.size()));
    return value;
  }
  int32_t readable() {
    const int32_t value = source();
    require(value != kResult);
    return value;
  }
  int32_t writable() {
    const int32_t value = source();
    require(value < 0);
    return value;
  }

  // The matrices a place takes must be there.
  void check_map(int32_t map, int64_t outer, const Extents &extents) {
    if (map < 0) {
      require(map == -1 && outer <= extents.outer);
      return;
    }
    require(map < static_cast<int32_t>(program_->maps.size()));
    const std::vector<int32_t> &entries = program_->maps[static_cast<size_t>(map)];
    require(static_cast<int64_t>(entries.size()) >= outer);
    for (int32_t entry : entries) require(entry < extents.outer);
  }

  RowSegment segment() {
    RowSegment segment{};
    segment.outer = in_.extent();
    segment.rows = in_.extent();
    segment.width = in_.extent();
    segment.slots = in_.count();
    segment.splits_columns = in_.number(0, 1) != 0;
    for (int32_t left = in_.count(); left > 0; --left) {
      Place place{source(), in_.number(), in_.number(0, 1) != 0};
      const Extents &extents = program_->extents(place.source);
      check_map(place.map, segment.outer, extents);
      require(place.fixed || segment.rows <= extents.rows);
      if (place.source >= kResult && !place.fixed) segment.ahead.push_back(static_cast<int32_t>(segment.places.size()));
      segment.places.push_back(place);
    }
    for (int32_t left = in_.count(); left > 0; --left) segment.operations.push_back(operation(segment));
    if (segment.splits_columns) check_split(segment);
    choose_strips(*program_, segment);
    program_->work += segment.outer * segment.rows * segment.width * static_cast<int64_t>(segment.operations.size());
    return segment;
  }

  static void check_split(const RowSegment &segment) {
    for (const Operation &operation : segment.operations) {
      require((operation.by_element || operation.opcode == Opcode::block_float) && !operation.of_column &&
              operation.width == segment.width);
      for (const Argument &each : operation.arguments)
        require(each.kind != Kind::number || each.where == Where::number);
    }
  }

  static bool is_by_element(Opcode opcode) {
    switch (opcode) {
      case Opcode::column_f32:
      case Opcode::column_bf16:
      case Opcode::column_f16:
      case Opcode::column_block:
      case Opcode::block_float:
      case Opcode::pad:
      case Opcode::sum_columns:
      case Opcode::sum_squares_columns:
      case Opcode::max_columns:
      case Opcode::add_rows:
      case Opcode::max_rows: return false;
      default: return true;
    }
  }

  Operation operation(const RowSegment &segment) {
    Operation operation{};
    operation.opcode = static_cast<Opcode>(in_.number(0, static_cast<int32_t>(Opcode::count) - 1));
    operation.of_column = in_.number(0, 1) != 0;
    operation.by_element = is_by_element(operation.opcode);
    operation.width = in_.extent();
    require(operation.width <= segment.width && (operation.by_element || !operation.of_column));
    operation.d = argument(segment, operation, true);
    require(operation.d.where == Where::slot || operation.d.where == Where::place);
    for (Argument &each : operation.arguments) each = argument(segment, operation, false);
    for (double &param : operation.params) param = in_.next<double>();
    if (operation.opcode == Opcode::block_float) require(operation.params[0] >= 1 && operation.params[0] <= 23);
    require(find_kernels(operation));
    return operation;
  }

  Argument argument(const RowSegment &segment, const Operation &operation, bool written) {
    Argument argument{static_cast<Kind>(in_.number(0, 3)), static_cast<Where>(in_.number(0, 3)), in_.number()};
    require((argument.kind == Kind::none) == (argument.where == Where::nothing));
    switch (argument.where) {
      case Where::nothing: break;
      case Where::slot:
        require(0 <= argument.index && argument.index < segment.slots && argument.kind != Kind::halves);
        break;
      case Where::number:
        require(!written && argument.kind == Kind::number && 0 <= argument.index &&
                argument.index < static_cast<int32_t>(program_->numbers.size()));
        break;
      case Where::place: {
        require(0 <= argument.index && argument.index < static_cast<int32_t>(segment.places.size()));
        const Extents &extents =
            program_->extents(segment.places[static_cast<size_t>(argument.index)].source);
        const int64_t bytes = argument.kind == Kind::halves ? 2 : 4;
        const bool one = operation.opcode == Opcode::column_f32 || operation.opcode == Opcode::column_bf16 ||
                         operation.opcode == Opcode::column_f16;
        require(bytes == size_of(extents.format) && !operation.of_column && (one || operation.width <= extents.cols));
        require(argument.kind != Kind::number || !written);
        require(!written || segment.places[static_cast<size_t>(argument.index)].source < 0);
        break;
      }
    }
    return argument;
  }

  static bool find_kernels(Operation &operation) {
    const Argument *a = operation.arguments;
#if defined(__x86_64__)
    constexpr FindKernel kFinds[kVectorIsaCount] = {plain::find, avx2::find, avx512::find};
#else
    constexpr FindKernel kFinds[kVectorIsaCount] = {plain::find, plain::find, plain::find};
#endif
    for (int isa = 0; isa < kVectorIsaCount; ++isa) {
      const FindKernel find = kFinds[isa];
      operation.kernels[isa] = find(operation.opcode, operation.d.kind, a[0].kind, a[1].kind, a[2].kind);
      if (!operation.kernels[isa]) return false;
    }
    return true;
  }

  Fill fill() {
    Fill fill{writable(), in_.extent(), in_.extent(), in_.next<float>()};
    require(fill.target <= kFirstBuffer);
    const Extents &target = program_->extents(fill.target);
    require(size_of(target.format) == 4 && fill.rows <= target.rows && fill.cols <= target.cols);
    return fill;
  }

  Product product() {
    Product product{};
    product.target = writable();
    const Extents &target = program_->extents(product.target);
    require(target.format == Format::F32 && target.rows <= INT32_MAX && target.cols <= INT32_MAX);
    product.outer = target.outer;
    product.m = static_cast<int32_t>(target.rows);
    product.n = static_cast<int32_t>(target.cols);
    int32_t left = in_.count();
    require(left > 0);
    for (; left > 0; --left) {
      const Product::Operands operands{readable(), in_.number(), readable(), in_.number()};
      const Extents &a = program_->extents(operands.a), &b = program_->extents(operands.b);
      check_map(operands.a_map, product.outer, a);
      check_map(operands.b_map, product.outer, b);
      require(a.rows == target.rows && b.cols == target.cols && a.cols == b.rows && a.cols <= INT32_MAX);
      require(a.format != Format::F16 && b.format != Format::F16);
      product.operands.push_back(operands);
      product.k.push_back(static_cast<int32_t>(a.cols));
      product.a_format.push_back(a.format);
      product.reads_buffers |= operands.b <= kFirstBuffer;
      product.b_format.push_back(b.format);
      program_->work += product.outer * target.rows * target.cols * a.cols / 16;
    }
    return product;
  }

  Move move() {
    Move move{readable(), writable(), 0, 0};
    move.unit_rows = in_.next<int64_t>();
    move.unit_cols = in_.next<int64_t>();
    const Extents &source = program_->extents(move.source), &target = program_->extents(move.target);
    require(size_of(source.format) == size_of(target.format));
    if (move.unit_rows == 0) {
      require(source.outer == target.outer && source.rows == target.cols && source.cols == target.rows);
    } else {
      require(move.unit_rows > 0 && move.unit_cols > 0 &&
              source.outer * source.rows * source.cols == target.outer * target.rows * target.cols);
      for (const Extents *each : {&source, &target})
        require(each->rows % move.unit_rows == 0 && each->cols % move.unit_cols == 0);
    }
    program_->work += target.outer * target.rows * target.cols;
    return move;
  }
};

}  // namespace

bool may_widen(const Program &program) {
  if (program.steps.size() != 1 || program.segments.size() != 1) return false;
  const RowSegment &segment = program.segments[0];
  return segment.splits_columns && segment.width % 32 == 0 &&
         std::all_of(segment.places.begin(), segment.places.end(), [&](const Place &place) {
           return place.source >= kResult && program.extents(place.source).cols == segment.width;
         });
}

Program widened(const Program &program, int64_t count) {
  Program wide = program;
  for (Extents &leaf : wide.leaves) leaf.cols *= count;
  wide.result.cols *= count;
  RowSegment &segment = wide.segments[0];
  segment.width *= count;
  for (Operation &operation : segment.operations) operation.width = segment.width;
  choose_strips(wide, segment);
  place_slots(wide);
  return wide;
}

std::unique_ptr<Program> decode(const char *code, size_t size) {
  try {
    return Decoder(code, size).decode();
  } catch (const Malformed &) {
    return nullptr;
  }
}

}  // namespace ttl::machine
