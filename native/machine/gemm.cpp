// The loops around the tiles of matrix products, the same for all instruction sets.
//
// A chain is one long product: the factors' k laid end to end, A rows next to each other, B rows below each other.
// It is cut into pieces of k whose packed B stays in the second-level cache together with some rows of A; a piece
// ends where the kind of kernel changes, too. The cuts do not show in the result: every element of C is a sum in
// ascending k, continued from what C holds.
#include "gemm.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "gemm_kernels.h"
#include "isa.h"

namespace ttl::machine {

namespace {

constexpr int64_t kAlign = 64;
// Of a row of A in a piece, and so of a column of B.
constexpr int64_t kPieceBytes = 2048;
// Columns of B that are multiplied with rows of A while these are in the first-level cache.
constexpr int32_t kChunkColumns = 256;
// Of packed B. What takes more is not kept for the next task, and packed a chunk of a piece at a time.
constexpr int64_t kMostPacked = 8 << 20;
// As many different B are kept at most.
constexpr size_t kMostSlots = 64;
// Converted rows of A must not be a power of two apart: they would compete for the same lines of the cache.
constexpr int64_t kRowGap = 64;

struct Release {
  void operator()(char *data) const { ::operator delete(data, std::align_val_t{kAlign}); }
};

// Where the B of a factor was when it was packed.
struct Key {
  const char *b;
  int64_t stride;
};

// Elements `first` .. `first + count` of the k of a factor; `k` of them after padding to the kernels' step.
struct Part {
  int32_t factor, first, count, k;
};

// Some k of the chain, computed by the same kernels.
struct Piece {
  const GemmKernels *kernels;
  size_t first_part, last_part;
  bool direct;  // A can be read where it is
  int64_t k;
  int64_t panel_bytes;
  int64_t offset;  // of its packed B when all of it is kept
};

int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

const GemmKernels *kernels_for(Isa isa, Format a, Format b) {
  if (is_half(a) && is_half(b)) {
    switch (isa) {
#if defined(__x86_64__)
      case Isa::avx512bf16: return &kGemmAvx512Pairs;
      case Isa::amx: return &kGemmAmx;
#elif defined(__aarch64__)
      case Isa::neonbf16: return &kGemmNeonBf16;
#endif
      case Isa::emulated_amx: return &kGemmEmulatedAmx;
      default: break;
    }
  }
#if defined(__x86_64__)
  switch (isa) {
    case Isa::avx2: return &kGemmAvx2;
    case Isa::avx512:
    case Isa::avx512bf16:
    case Isa::amx: return &kGemmAvx512;
    default: break;
  }
#endif
  return &kGemmPlain;
}

}  // namespace

struct GemmScratch {
  // What the plan was made for.
  Isa isa = Isa::plain;
  int32_t n = -1;
  std::vector<int32_t> k;
  std::vector<Format> a_format, b_format;

  std::vector<Part> parts;
  std::vector<Piece> pieces;
  bool keeps = false;  // the packed B of a whole task fits
  int64_t packed_bytes = 0;

  // Packed operands of several tasks, each in a slot of `packed` of `packed_bytes`: so tasks that share them need not
  // follow each other. Keys are the pointers and strides of the factors' B, those of all slots one after another.
  size_t slots = 0;
  size_t used = 0;  // slots in use; the oldest is replaced when all are
  size_t oldest = 0;
  size_t last = 0;  // found last time
  std::vector<uint64_t> b_hash;
  std::vector<Key> b_key;

  // kMostPacked bytes, never moved; only the pages that are used cost memory.
  std::unique_ptr<char, Release> packed;
  alignas(kAlign) char rows[kMostTileRows * (kPieceBytes + kRowGap)];
  std::vector<Rows> operands;

  bool planned_for(const GemmShape &shape, Isa set) const;
  void plan(const GemmShape &shape, Isa set);
  // The slot of a task's B: true if it is packed already, otherwise `slot` is the one to be filled.
  bool find(const Factor *factors, size_t *slot);
  void forget() { used = oldest = last = 0; }
  bool has(size_t slot, const Factor *factors) const;
};

bool GemmScratch::planned_for(const GemmShape &shape, Isa set) const {
  const size_t count = static_cast<size_t>(shape.factors);
  return n == shape.n && isa == set && k.size() == count && std::equal(k.begin(), k.end(), shape.k) &&
         std::equal(a_format.begin(), a_format.end(), shape.a_format) &&
         std::equal(b_format.begin(), b_format.end(), shape.b_format);
}

void GemmScratch::plan(const GemmShape &shape, Isa set) {
  forget();
  isa = set;
  n = shape.n;
  k.assign(shape.k, shape.k + shape.factors);
  a_format.assign(shape.a_format, shape.a_format + shape.factors);
  b_format.assign(shape.b_format, shape.b_format + shape.factors);
  parts.clear();
  pieces.clear();
  packed_bytes = 0;
  for (int32_t f = 0; f < shape.factors; ++f) {
    const GemmKernels *kernels = kernels_for(set, a_format[f], b_format[f]);
    const int64_t most = kPieceBytes / kernels->element;
    for (int32_t first = 0; first < k[f];) {
      if (pieces.empty() || pieces.back().kernels != kernels || pieces.back().k == most) {
        pieces.push_back({kernels, parts.size(), parts.size(), true, 0, 0, 0});
      }
      Piece &piece = pieces.back();
      const int32_t count = static_cast<int32_t>(std::min<int64_t>(k[f] - first, most - piece.k));
      const int32_t padded = static_cast<int32_t>(round_up(count, kernels->step));
      parts.push_back({f, first, count, padded});
      piece.last_part = parts.size();
      piece.k += padded;
      piece.direct = piece.direct && a_format[f] == kernels->native && padded == count;
      first += count;
    }
  }
  for (Piece &piece : pieces) {
    const GemmKernels &kernels = *piece.kernels;
    piece.panel_bytes = piece.k * kernels.panel * kernels.element;
    piece.offset = packed_bytes;
    packed_bytes += round_up(n, kernels.panel) / kernels.panel * piece.panel_bytes;
    operands.resize(std::max(operands.size(), piece.last_part - piece.first_part));
  }
  keeps = packed_bytes <= kMostPacked;
  slots = std::clamp<size_t>(static_cast<size_t>(kMostPacked / packed_bytes), 1, kMostSlots);
  b_hash.resize(slots);
  b_key.resize(slots * k.size());
}

bool GemmScratch::has(size_t slot, const Factor *factors) const {
  const Key *key = b_key.data() + slot * k.size();
  for (size_t f = 0; f < k.size(); ++f) {
    if (key[f].b != factors[f].b || key[f].stride != factors[f].b_stride) return false;
  }
  return true;
}

bool GemmScratch::find(const Factor *factors, size_t *slot) {
  // Tasks that follow each other often have the same B.
  *slot = last;
  if (last < used && has(last, factors)) return true;
  // Where the first and the last are tells most tasks apart; whether all are the same is looked at then.
  const uint64_t hash = reinterpret_cast<uintptr_t>(factors[0].b) * 0x9e3779b97f4a7c15u ^
                        reinterpret_cast<uintptr_t>(factors[k.size() - 1].b);
  for (size_t i = 0; i < used; ++i) {
    if (b_hash[i] != hash || !has(i, factors)) continue;
    *slot = last = i;
    return true;
  }
  if (used < slots) {
    *slot = used++;
  } else {
    *slot = oldest;
    oldest = (oldest + 1) % slots;
  }
  last = *slot;
  b_hash[last] = hash;
  for (size_t f = 0; f < k.size(); ++f) b_key[last * k.size() + f] = {factors[f].b, factors[f].b_stride};
  return false;
}

namespace {

// Columns `column` .. `column + columns` of the piece's B to `out`.
void pack_b(const GemmScratch &scratch, const Piece &piece, const Factor *factors, int32_t column, int32_t columns,
            char *out) {
  const GemmKernels &kernels = *piece.kernels;
  for (size_t p = piece.first_part; p < piece.last_part; ++p) {
    const Part &part = scratch.parts[p];
    const Factor &factor = factors[part.factor];
    const Format format = scratch.b_format[part.factor];
    kernels.pack_b(factor.b + part.first * factor.b_stride + column * bytes_of(format), factor.b_stride, format,
                   part.count, columns, out, piece.panel_bytes);
    out += static_cast<int64_t>(part.k) * kernels.panel * kernels.element;
  }
}

void pack_a(const GemmScratch &scratch, const Piece &piece, const Factor *factors, int32_t row, int32_t rows,
            char *out, int64_t out_stride) {
  const GemmKernels &kernels = *piece.kernels;
  for (size_t p = piece.first_part; p < piece.last_part; ++p) {
    const Part &part = scratch.parts[p];
    const Factor &factor = factors[part.factor];
    const Format format = scratch.a_format[part.factor];
    kernels.pack_a(factor.a + row * factor.a_stride + part.first * bytes_of(format), factor.a_stride, format, rows,
                   part.count, out, out_stride);
    out += static_cast<int64_t>(part.k) * kernels.element;
  }
}

// Fill `operands` with the piece's A where it is, stretches that follow each other in memory as one; gives their number.
int64_t point_at_a(GemmScratch &scratch, const Piece &piece, const Factor *factors) {
  Rows *to = scratch.operands.data(), *const begin = to;
  for (size_t p = piece.first_part; p < piece.last_part; ++p) {
    const Part &part = scratch.parts[p];
    const Factor &factor = factors[part.factor];
    const char *data = factor.a + part.first * bytes_of(scratch.a_format[part.factor]);
    Rows *const last = to - 1;
    if (to > begin && last->data + last->k * piece.kernels->element == data && last->stride == factor.a_stride) {
      last->k += part.k;
    } else {
      *to++ = {data, factor.a_stride, part.k};
    }
  }
  return to - begin;
}

// A tile that hangs over the right edge of C.
void edge_tile(const GemmKernels &kernels, int32_t rows, int32_t columns, const Rows *a, int64_t count, int32_t row,
               const char *b, char *c, int64_t c_stride, bool accumulate) {
  alignas(kAlign) float whole[kMostTileRows * kWidestPanel] = {};
  const int64_t bytes = kernels.panel * 4;
  const size_t used = static_cast<size_t>(columns) * 4;
  char *const inside = reinterpret_cast<char *>(whole);
  for (int32_t r = 0; accumulate && r < rows; ++r) std::memcpy(inside + r * bytes, c + r * c_stride, used);
  kernels.tile[rows](rows, a, count, row, b, whole, bytes, accumulate);
  for (int32_t r = 0; r < rows; ++r) std::memcpy(c + r * c_stride, inside + r * bytes, used);
}

// How many of `rest` rows the next tile takes: rather two middling tiles than a full and a thin one.
int32_t rows_of_tile(int32_t rest, int32_t most) {
  return rest > most && rest < 2 * most ? (rest + 1) / 2 : std::min(rest, most);
}

void multiply(GemmScratch &scratch, const Piece &piece, const Factor *factors, int32_t m, int32_t columns,
              const char *packed, char *c, int64_t c_stride, bool accumulate) {
  const GemmKernels &kernels = *piece.kernels;
  // A is copied only where it needs conversion or an odd k; for the sake of the cache it does not pay, not even for
  // rows 4096 bytes apart.
  const Rows copy = {scratch.rows, piece.k * kernels.element + kRowGap, piece.k};
  const Rows *a = &copy;
  int64_t count = 1;
  if (piece.direct) {
    a = scratch.operands.data();
    count = point_at_a(scratch, piece, factors);
  }
  for (int32_t row = 0; row < m;) {
    const int32_t rows = rows_of_tile(m - row, kernels.rows);
    if (!piece.direct) pack_a(scratch, piece, factors, row, rows, scratch.rows, copy.stride);
    const int32_t first = piece.direct ? row : 0;
    char *to = c + row * c_stride;
    const char *panel = packed;
    for (int32_t column = 0; column < columns; column += kernels.panel) {
      const int32_t wide = std::min(columns - column, kernels.panel);
      if (wide == kernels.panel) {
        kernels.tile[rows](rows, a, count, first, panel, reinterpret_cast<float *>(to), c_stride, accumulate);
      } else {
        edge_tile(kernels, rows, wide, a, count, first, panel, to, c_stride, accumulate);
      }
      panel += piece.panel_bytes;
      to += static_cast<int64_t>(kernels.panel) * 4;
    }
    row += rows;
  }
  if (kernels.end) kernels.end();
}

}  // namespace

GemmScratch *gemm_scratch_new() { return new GemmScratch; }
void gemm_scratch_delete(GemmScratch *scratch) { delete scratch; }
void gemm_scratch_reset(GemmScratch *scratch) { scratch->forget(); }

void gemm_chain(const GemmShape &shape, const Factor *factors, float *c, int64_t c_stride, bool accumulate,
                GemmScratch *scratch) {
  const Isa isa = active();
  if (!scratch->planned_for(shape, isa)) scratch->plan(shape, isa);
  if (!scratch->packed) {
    scratch->packed.reset(static_cast<char *>(::operator new(kMostPacked, std::align_val_t{kAlign})));
  }
  size_t slot = 0;
  const bool packs = !scratch->keeps || !scratch->find(factors, &slot);
  char *const packed = scratch->packed.get() + static_cast<int64_t>(slot) * scratch->packed_bytes;
  for (int32_t column = 0; column < shape.n; column += kChunkColumns) {
    const int32_t columns = std::min(shape.n - column, kChunkColumns);
    bool adds = accumulate;
    for (const Piece &piece : scratch->pieces) {
      char *b = packed;
      if (scratch->keeps) b += piece.offset + column / piece.kernels->panel * piece.panel_bytes;
      if (packs) pack_b(*scratch, piece, factors, column, columns, b);
      char *const to = reinterpret_cast<char *>(c) + static_cast<int64_t>(column) * 4;
      multiply(*scratch, piece, factors, shape.m, columns, b, to, c_stride, adds);
      adds = true;
    }
  }
}

}  // namespace ttl::machine
