// Tensors of the host as tiles and rows in the memory of the chip.
#include "tensors.h"

#include <algorithm>
#include <cstring>

namespace ttl::emu {

namespace {

enum Element : unsigned { kBytes2, kBytes4, kBytes1, kBlock8, kBlock4 };

template <typename T>
void tile_in(const uint8_t *from, uint64_t rows, uint64_t columns, uint64_t row0, uint64_t column0, T *to) {
  const auto *matrix = reinterpret_cast<const T *>(from);
  for (uint32_t face = 0; face < 4; ++face)
    for (uint32_t row = 0; row < 16; ++row) {
      const uint64_t r = row0 + (face >> 1) * 16 + row, c = column0 + (face & 1) * 16;
      T *out = to + face * 256 + row * 16;
      const uint64_t count = r < rows && c < columns ? std::min<uint64_t>(16, columns - c) : 0;
      std::memcpy(out, matrix + r * columns + c, count * sizeof(T) * (count > 0));
      for (uint64_t i = count; i < 16; ++i) out[i] = T{};
    }
}

template <typename T>
void tile_out(uint8_t *to, uint64_t rows, uint64_t columns, uint64_t row0, uint64_t column0, const T *from) {
  auto *matrix = reinterpret_cast<T *>(to);
  for (uint32_t face = 0; face < 4; ++face)
    for (uint32_t row = 0; row < 16; ++row) {
      const uint64_t r = row0 + (face >> 1) * 16 + row, c = column0 + (face & 1) * 16;
      if (r >= rows || c >= columns) continue;
      std::memcpy(matrix + r * columns + c, from + face * 256 + row * 16, std::min<uint64_t>(16, columns - c) * sizeof(T));
    }
}

}  // namespace

// tiles(store, data, outer, rows, columns, element, addresses): a row-major array to tiles at the addresses, or back.
PyObject *py_tiles(PyObject *, PyObject *arguments) {
  int store;
  Py_buffer data, addresses;
  unsigned long long outer, rows, columns;
  unsigned element;
  if (!PyArg_ParseTuple(arguments, "py*KKKIy*", &store, &data, &outer, &rows, &columns, &element, &addresses)) return nullptr;
  const uint64_t high = (rows + 31) / 32, wide = (columns + 31) / 32;
  const uint32_t width = element == kBytes2 ? 2 : element == kBytes1 ? 1 : 4;
  const bool fits = addresses.len == static_cast<Py_ssize_t>(outer * high * wide * 8) &&
                    data.len == static_cast<Py_ssize_t>(outer * rows * columns * width) && (store || !data.readonly);
  if (fits) {
    Py_BEGIN_ALLOW_THREADS
    const auto *at = static_cast<const uint64_t *>(addresses.buf);
    alignas(64) float block[kTile];
    for (uint64_t o = 0; o < outer; ++o) {
      uint8_t *matrix = static_cast<uint8_t *>(data.buf) + o * rows * columns * width;
      for (uint64_t i = 0; i < high; ++i)
        for (uint64_t j = 0; j < wide; ++j) {
          auto *page = reinterpret_cast<uint8_t *>(*at++);
          const auto move = [&](auto *where) {
            using T = std::remove_pointer_t<decltype(where)>;
            if (store)
              tile_in<T>(matrix, rows, columns, i * 32, j * 32, where);
            else
              tile_out<T>(matrix, rows, columns, i * 32, j * 32, where);
          };
          const Format format = element == kBlock8 ? kBfp8b : kBfp4b;
          switch (element) {
            case kBytes2: move(reinterpret_cast<uint16_t *>(page)); break;
            case kBytes4: move(reinterpret_cast<uint32_t *>(page)); break;
            case kBytes1: move(page); break;
            default:
              if (!store) load_tile(format, page, block, true);
              move(block);
              if (store) store_tile(format, block, page, false);
          }
        }
    }
    Py_END_ALLOW_THREADS
  }
  PyBuffer_Release(&data);
  PyBuffer_Release(&addresses);
  if (!fits) return PyErr_Format(PyExc_ValueError, "the array does not fit its tiles");
  Py_RETURN_NONE;
}

// rows(store, data, row_bytes, addresses): rows of an array to pages at the addresses, or back.
PyObject *py_rows(PyObject *, PyObject *arguments) {
  int store;
  Py_buffer data, addresses;
  unsigned long long bytes;
  if (!PyArg_ParseTuple(arguments, "py*Ky*", &store, &data, &bytes, &addresses)) return nullptr;
  const uint64_t count = static_cast<uint64_t>(addresses.len) / 8;
  const bool fits = data.len == static_cast<Py_ssize_t>(count * bytes) && (store || !data.readonly);
  const auto *at = static_cast<const uint64_t *>(addresses.buf);
  for (uint64_t i = 0; fits && i < count; ++i) {
    auto *page = reinterpret_cast<uint8_t *>(at[i]);
    uint8_t *row = static_cast<uint8_t *>(data.buf) + i * bytes;
    if (store)
      std::memcpy(page, row, bytes);
    else
      std::memcpy(row, page, bytes);
  }
  PyBuffer_Release(&data);
  PyBuffer_Release(&addresses);
  if (!fits) return PyErr_Format(PyExc_ValueError, "the array does not fit its rows");
  Py_RETURN_NONE;
}

}  // namespace ttl::emu
