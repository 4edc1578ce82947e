// The instructions of AMX in plain C++, for tests of how gemm_amx.inc.cpp packs, loads and stores.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace {

// As the registers: rows and bytes of a row are those of the configuration, the rest is zero.
struct Register {
  int rows, row_bytes;
  char data[16][64];
};

thread_local Register tiles[8];

float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

float half_at(const Register &tile, int row, int element) {
  uint16_t half;
  std::memcpy(&half, &tile.data[row][2 * element], 2);
  return flushed(std::bit_cast<float>(static_cast<uint32_t>(half) << 16));
}

void _tile_loadconfig(const void *config) {
  const auto *bytes = static_cast<const unsigned char *>(config);
  for (int i = 0; i < 8; ++i) tiles[i] = {bytes[48 + i], bytes[16 + 2 * i] | bytes[17 + 2 * i] << 8, {}};
}

void _tile_release() { std::memset(tiles, 0, sizeof tiles); }

void _tile_zero(int to) { std::memset(tiles[to].data, 0, sizeof tiles[to].data); }

void _tile_loadd(int to, const void *from, int64_t stride) {
  _tile_zero(to);
  for (int r = 0; r < tiles[to].rows; ++r)
    std::memcpy(tiles[to].data[r], static_cast<const char *>(from) + r * stride, static_cast<size_t>(tiles[to].row_bytes));
}

void _tile_stored(int from, void *to, int64_t stride) {
  for (int r = 0; r < tiles[from].rows; ++r)
    std::memcpy(static_cast<char *>(to) + r * stride, tiles[from].data[r], static_cast<size_t>(tiles[from].row_bytes));
}

void _tile_dpbf16ps(int to, int a, int b) {
  for (int m = 0; m < tiles[to].rows; ++m)
    for (int n = 0; n < tiles[to].row_bytes / 4; ++n) {
      float sums[2] = {};
      for (int k = 0; k < tiles[a].row_bytes / 2; ++k) {
        const float left = half_at(tiles[a], m, k), right = half_at(tiles[b], k / 2, 2 * n + k % 2);
        sums[k % 2] = flushed(std::fma(left, right, sums[k % 2]));
      }
      float c;
      std::memcpy(&c, &tiles[to].data[m][4 * n], 4);
      c = flushed(flushed(c) + flushed(sums[0] + sums[1]));
      std::memcpy(&tiles[to].data[m][4 * n], &c, 4);
    }
}

}  // namespace

#include "gemm_amx.inc.cpp"

namespace ttl::machine {

const GemmKernels kGemmEmulatedAmx = kKernelsOfSteps;

}  // namespace ttl::machine
