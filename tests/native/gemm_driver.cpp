// Chains of matrix products by the machine's kernels, for tests of processors other than this one: reads numbers of 4 bytes
// from standard input, writes C to standard output.
//
//   input   set m n factors accumulate, then k, format of A and format of B of every factor, then A and B of every
//           factor, rows without gaps, then C
//   set     as Isa of native/machine/isa.h; status 3 when the processor lacks it
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "machine/gemm.h"
#include "machine/isa.h"

using namespace ttl::machine;

static std::vector<char> read_bytes(size_t count) {
  std::vector<char> bytes(count);
  if (std::fread(bytes.data(), 1, count, stdin) != count) std::exit(2);
  return bytes;
}

static std::vector<int32_t> read_numbers(size_t count) {
  const std::vector<char> bytes = read_bytes(4 * count);
  std::vector<int32_t> numbers(count);
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

int main() {
  const std::vector<int32_t> head = read_numbers(5);
  const auto isa = static_cast<Isa>(head[0]);
  const int32_t m = head[1], n = head[2];
  const auto factors = static_cast<size_t>(head[3]);
  if (!available(isa) || !use(isa)) return 3;
  const std::vector<int32_t> k = read_numbers(factors), a_formats = read_numbers(factors), b_formats = read_numbers(factors);
  std::vector<std::vector<char>> memory;
  std::vector<Factor> operands;
  std::vector<Format> a_format, b_format;
  for (size_t f = 0; f < factors; ++f) {
    a_format.push_back(static_cast<Format>(a_formats[f]));
    b_format.push_back(static_cast<Format>(b_formats[f]));
    const int64_t a_row = k[f] * (a_format[f] == Format::BF16 ? 2 : 4), b_row = n * (b_format[f] == Format::BF16 ? 2 : 4);
    memory.push_back(read_bytes(static_cast<size_t>(m * a_row)));
    memory.push_back(read_bytes(static_cast<size_t>(k[f] * b_row)));
    operands.push_back({memory[2 * f].data(), a_row, memory[2 * f + 1].data(), b_row});
  }
  std::vector<char> c = read_bytes(static_cast<size_t>(m) * static_cast<size_t>(n) * 4);
  std::vector<float> result(c.size() / 4);
  std::memcpy(result.data(), c.data(), c.size());
  GemmScratch *scratch = gemm_scratch_new();
  const GemmShape shape{m, n, head[3], k.data(), a_format.data(), b_format.data()};
  gemm_chain(shape, operands.data(), result.data(), n * 4, head[4] != 0, scratch);
  gemm_scratch_delete(scratch);
  std::fwrite(result.data(), 4, result.size(), stdout);
}
