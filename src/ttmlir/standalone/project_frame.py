"""The parts of every C++ project besides its module's functions: the header, the program around them, build files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttmlir.standalone.cpp_api import CppApi

_COMMON = """\
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
"""

_HELPERS = """\
// The tensor that a function returns: it, or the first of what it returns.
inline Tensor first_tensor(Tensor tensor) { return tensor; }
template <typename... Rest> Tensor first_tensor(const std::tuple<Tensor, Rest...> &parts) {
  return std::get<0>(parts);
}
template <typename... Rest> Tensor first_tensor(const std::variant<Tensor, Rest...> &parts) {
  return std::get<0>(parts);
}
inline Tensor first_tensor(const std::vector<Tensor> &parts) { return parts.front(); }

template <typename... Tensors> std::vector<Tensor> tensor_list(const Tensors &...tensors) {
  return {tensors...};
}

template <typename Device> std::reference_wrapper<Device> device_reference(Device *device) {
  return *device;
}
"""

_HEADER_OF_2024 = f"""\
// The library of 2024-11-21, and what the functions of the model need beside it.
#pragma once

{_COMMON}
#include "ttnn/core.hpp"
#include "ttnn/device.hpp"
#include "ttnn/operations/ccl/all_gather/all_gather.hpp"
#include "ttnn/operations/ccl/reduce_scatter/reduce_scatter.hpp"
#include "ttnn/operations/conv/conv2d/conv2d.hpp"
#include "ttnn/operations/copy.hpp"
#include "ttnn/operations/core/core.hpp"
#include "ttnn/operations/creation.hpp"
#include "ttnn/operations/data_movement/concat/concat.hpp"
#include "ttnn/operations/data_movement/copy/copy.hpp"
#include "ttnn/operations/data_movement/slice/slice.hpp"
#include "ttnn/operations/data_movement/transpose/transpose.hpp"
#include "ttnn/operations/eltwise/binary/binary.hpp"
#include "ttnn/operations/eltwise/binary/binary_composite.hpp"
#include "ttnn/operations/eltwise/ternary/where.hpp"
#include "ttnn/operations/eltwise/unary/unary.hpp"
#include "ttnn/operations/eltwise/unary/unary_composite.hpp"
#include "ttnn/operations/embedding/embedding.hpp"
#include "ttnn/operations/kv_cache/kv_cache.hpp"
#include "ttnn/operations/matmul/matmul.hpp"
#include "ttnn/operations/normalization/softmax/softmax.hpp"
#include "ttnn/operations/pool/maxpool/max_pool2d.hpp"
#include "ttnn/operations/reduction/generic/generic_reductions.hpp"
#include "ttnn/tensor/tensor.hpp"
#include "ttnn/types.hpp"

namespace ttnn {{
{_HELPERS}
// The device that all functions use; it is opened when the first of them asks for it.
class DeviceGetter {{
public:
  static ttnn::Device *getInstance() {{
    if (opened() == nullptr) {{
      opened() = &ttnn::open_device(0, small_l1);
    }}
    return opened();
  }}

  static void close() {{
    if (opened() != nullptr) {{
      ttnn::close_device(*opened());
      opened() = nullptr;
    }}
  }}

private:
  // Windows of convolutions and pools keep their tables there.
  static constexpr std::size_t small_l1 = 1 << 15;

  static ttnn::Device *&opened() {{
    static ttnn::Device *device = nullptr;
    return device;
  }}
}};

// A tensor on the host of values in row-major order, and back.
template <typename Value>
Tensor host_tensor(std::vector<Value> values, const std::vector<std::uint32_t> &extents, DataType dtype,
                   Layout layout) {{
  auto buffer = tt::tt_metal::owned_buffer::create<Value>(std::move(values));
  Tensor tensor(tt::tt_metal::OwnedStorage{{std::move(buffer)}},
                ttnn::Shape(tt::tt_metal::LegacyShape(extents)), dtype, Layout::ROW_MAJOR);
  return layout == Layout::ROW_MAJOR ? tensor : tensor.to(layout);
}}

template <typename Value> std::vector<Value> host_values(const Tensor &tensor) {{
  auto buffer = tt::tt_metal::owned_buffer::get_as<Value>(tensor);
  return std::vector<Value>(buffer.begin(), buffer.end());
}}

// A tensor that a function writes into, on its way to the device and back.
inline Tensor onto_device(const Tensor &tensor) {{
  return ttnn::to_device(tensor, DeviceGetter::getInstance(),
                         ttnn::MemoryConfig(ttnn::TensorMemoryLayout::INTERLEAVED, ttnn::BufferType::DRAM));
}}

inline Tensor off_device(const Tensor &tensor) {{
  return ttnn::to_layout(ttnn::from_device(tensor), ttnn::Layout::ROW_MAJOR, std::nullopt, std::nullopt,
                         static_cast<::ttnn::Device *>(nullptr));
}}

template <typename Value> Value first_number(const Tensor &tensor) {{ return host_values<Value>(tensor).front(); }}
}} // namespace ttnn
"""

_HEADER_OF_081 = f"""\
// The library of ttnn 0.81, and what the functions of the model need beside it.
#pragma once

{_COMMON}
// Headers are where this release has them; what one is not there for is an error where a function uses it.
#include "ttnn/tensor/tensor.hpp"
#include "ttnn/types.hpp"
#include "ttnn/operations/core/core.hpp"
#if __has_include("ttnn/device.hpp")
#include "ttnn/device.hpp"
#endif
#if __has_include("ttnn/distributed/api.hpp")
#include "ttnn/distributed/api.hpp"
#endif
#if __has_include("ttnn/operations/creation/creation.hpp")
#include "ttnn/operations/creation/creation.hpp"
#elif __has_include("ttnn/operations/creation.hpp")
#include "ttnn/operations/creation.hpp"
#endif
#if __has_include("ttnn/operations/ccl/all_gather/all_gather.hpp")
#include "ttnn/operations/ccl/all_gather/all_gather.hpp"
#endif
#if __has_include("ttnn/operations/ccl/reduce_scatter/reduce_scatter.hpp")
#include "ttnn/operations/ccl/reduce_scatter/reduce_scatter.hpp"
#endif
#if __has_include("ttnn/operations/conv/conv2d/conv2d.hpp")
#include "ttnn/operations/conv/conv2d/conv2d.hpp"
#endif
#if __has_include("ttnn/operations/copy/typecast/typecast.hpp")
#include "ttnn/operations/copy/typecast/typecast.hpp"
#endif
#if __has_include("ttnn/operations/core/to_dtype/to_dtype_op.hpp")
#include "ttnn/operations/core/to_dtype/to_dtype_op.hpp"
#endif
#if __has_include("ttnn/operations/core/to_layout/to_layout_op.hpp")
#include "ttnn/operations/core/to_layout/to_layout_op.hpp"
#endif
#if __has_include("ttnn/operations/core/to_memory_config/to_memory_config_op.hpp")
#include "ttnn/operations/core/to_memory_config/to_memory_config_op.hpp"
#endif
#if __has_include("ttnn/operations/data_movement/concat/concat.hpp")
#include "ttnn/operations/data_movement/concat/concat.hpp"
#endif
#if __has_include("ttnn/operations/data_movement/copy/copy.hpp")
#include "ttnn/operations/data_movement/copy/copy.hpp"
#endif
#if __has_include("ttnn/operations/data_movement/reshape_view/reshape.hpp")
#include "ttnn/operations/data_movement/reshape_view/reshape.hpp"
#endif
#if __has_include("ttnn/operations/data_movement/slice/slice.hpp")
#include "ttnn/operations/data_movement/slice/slice.hpp"
#endif
#if __has_include("ttnn/operations/data_movement/transpose/transpose.hpp")
#include "ttnn/operations/data_movement/transpose/transpose.hpp"
#endif
#if __has_include("ttnn/operations/eltwise/binary/binary.hpp")
#include "ttnn/operations/eltwise/binary/binary.hpp"
#endif
#if __has_include("ttnn/operations/eltwise/binary/binary_composite.hpp")
#include "ttnn/operations/eltwise/binary/binary_composite.hpp"
#endif
#if __has_include("ttnn/operations/eltwise/ternary/ternary.hpp")
#include "ttnn/operations/eltwise/ternary/ternary.hpp"
#endif
#if __has_include("ttnn/operations/eltwise/unary/unary.hpp")
#include "ttnn/operations/eltwise/unary/unary.hpp"
#endif
#if __has_include("ttnn/operations/eltwise/unary/unary_composite.hpp")
#include "ttnn/operations/eltwise/unary/unary_composite.hpp"
#endif
#if __has_include("ttnn/operations/embedding/embedding.hpp")
#include "ttnn/operations/embedding/embedding.hpp"
#endif
#if __has_include("ttnn/operations/kv_cache/kv_cache.hpp")
#include "ttnn/operations/kv_cache/kv_cache.hpp"
#endif
#if __has_include("ttnn/operations/matmul/matmul.hpp")
#include "ttnn/operations/matmul/matmul.hpp"
#endif
#if __has_include("ttnn/operations/normalization/softmax/softmax.hpp")
#include "ttnn/operations/normalization/softmax/softmax.hpp"
#endif
#if __has_include("ttnn/operations/pool/generic/generic_pools.hpp")
#include "ttnn/operations/pool/generic/generic_pools.hpp"
#endif
#if __has_include("ttnn/operations/reduction/generic/generic_reductions.hpp")
#include "ttnn/operations/reduction/generic/generic_reductions.hpp"
#endif

namespace ttnn {{
{_HELPERS}
// The device that all functions use; it is opened when the first of them asks for it.
class DeviceGetter {{
public:
  static tt::tt_metal::distributed::MeshDevice *getInstance() {{
    if (!opened()) {{
      opened() = ttnn::distributed::open_mesh_device(
          tt::tt_metal::distributed::MeshShape(1u, 1u), small_l1, /*trace_region_size=*/0,
          /*num_command_queues=*/1, tt::tt_metal::DispatchCoreConfig(), /*offset=*/std::nullopt,
          /*physical_device_ids=*/std::vector<int>(), /*worker_l1_size=*/0);
    }}
    return opened().get();
  }}

  static void close() {{
    if (opened()) {{
      ttnn::distributed::close_mesh_device(opened());
      opened().reset();
    }}
  }}

private:
  // Windows of convolutions and pools keep their tables there.
  static constexpr std::size_t small_l1 = 1 << 15;

  static std::shared_ptr<tt::tt_metal::distributed::MeshDevice> &opened() {{
    static std::shared_ptr<tt::tt_metal::distributed::MeshDevice> device;
    return device;
  }}
}};

// A tensor on the host of values in row-major order, and back.
template <typename Value>
Tensor host_tensor(std::vector<Value> values, const std::vector<std::uint32_t> &extents,
                   tt::tt_metal::DataType dtype, tt::tt_metal::Layout layout) {{
  const tt::tt_metal::TensorLayout laid_out(dtype, tt::tt_metal::PageConfig(layout),
                                            tt::tt_metal::MemoryConfig());
  return Tensor::from_vector<Value>(
      std::move(values),
      tt::tt_metal::TensorSpec(tt::tt_metal::Shape(std::span<const std::uint32_t>(extents)), laid_out));
}}

template <typename Value> std::vector<Value> host_values(const Tensor &tensor) {{
  return tensor.to_vector<Value>();
}}

// A tensor that a function writes into, on its way to the device and back.
inline Tensor onto_device(const Tensor &tensor) {{
  return ttnn::operations::core::to_device(
      tensor, DeviceGetter::getInstance(),
      tt::tt_metal::MemoryConfig(tt::tt_metal::TensorMemoryLayout::INTERLEAVED, tt::tt_metal::BufferType::DRAM));
}}

inline Tensor off_device(const Tensor &tensor) {{
  return ttnn::to_layout(ttnn::operations::core::from_device(tensor), tt::tt_metal::Layout::ROW_MAJOR);
}}

template <typename Value> Value first_number(const Tensor &tensor) {{ return host_values<Value>(tensor).front(); }}
}} // namespace ttnn
"""

HEADERS: Mapping[CppApi, str] = MappingProxyType({"2024-11": _HEADER_OF_2024, "0.81": _HEADER_OF_081})

HARNESS = """\
namespace {
// What the command line says.
struct Given {
  std::string program;
  std::string inputs;
  std::string save;
  std::uint64_t seed = 0;
};

// A file such as program_0_input_0.bin: the elements in row-major order, as they are in memory.
std::filesystem::path file_of(const std::string &folder, int program, const char *kind, int index) {
  return std::filesystem::path(folder) /
         ("program_" + std::to_string(program) + "_" + kind + "_" + std::to_string(index) + ".bin");
}

template <typename Value>
std::vector<Value> random_values(std::size_t count, std::uint64_t rows, std::mt19937_64 &generator) {
  std::vector<Value> values(count);
  if constexpr (std::is_integral_v<Value>) {
    const std::uint64_t largest = std::numeric_limits<Value>::max();
    const std::uint64_t last = rows == 0 || rows - 1 > largest ? largest : rows - 1;
    std::uniform_int_distribution<std::uint64_t> draw(0, last);
    for (Value &value : values) {
      value = static_cast<Value>(draw(generator));
    }
  } else {
    std::normal_distribution<float> draw;
    for (Value &value : values) {
      value = Value(draw(generator));
    }
  }
  return values;
}

template <typename Value>
std::vector<Value> input_values(const Given &given, int program, int index, std::size_t count,
                                std::uint64_t rows, std::mt19937_64 &generator) {
  if (given.inputs.empty()) {
    return random_values<Value>(count, rows, generator);
  }
  const std::filesystem::path path = file_of(given.inputs, program, "input", index);
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff bytes = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  const std::streamoff wanted = static_cast<std::streamoff>(count * sizeof(Value));
  if (bytes != wanted) {
    throw std::runtime_error(path.string() + (bytes < 0 ? " cannot be read" : " has " + std::to_string(bytes) +
                             " bytes, and " + std::to_string(wanted) + " are wanted"));
  }
  std::vector<Value> values(count);
  file.seekg(0);
  file.read(reinterpret_cast<char *>(values.data()), wanted);
  return values;
}

template <typename Value>
void keep(const Given &given, int program, const char *kind, int index, const std::vector<Value> &values) {
  if (given.save.empty()) {
    return;
  }
  std::filesystem::create_directories(given.save);
  const std::filesystem::path path = file_of(given.save, program, kind, index);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(Value)));
  if (!file) {
    throw std::runtime_error(path.string() + " cannot be written");
  }
}

// The least and the greatest number that an input may have, where not all of its type may be given.
using Limits = std::optional<std::pair<std::int64_t, std::int64_t>>;

// Whole numbers of 64 bits are computed in 32, which are enough for inputs within limits. Those with a sign are given by their bits.
template <typename Value> void check_limits(int index, const std::vector<Value> &values, const Limits &limits) {
  if (!limits.has_value()) {
    return;
  }
  for (const Value value : values) {
    double number = 0;
    if constexpr (std::is_integral_v<Value>) {
      using Signed = std::make_signed_t<Value>;
      number = limits->first < 0 ? static_cast<double>(static_cast<Signed>(value)) : static_cast<double>(value);
    } else {
      std::uint32_t bits = 0;
      std::memcpy(reinterpret_cast<char *>(&bits) + sizeof(bits) - sizeof(value), &value, sizeof(value));
      number = std::bit_cast<float>(bits);
    }
    if (!(number >= static_cast<double>(limits->first) && number <= static_cast<double>(limits->second))) {
      throw std::runtime_error("input " + std::to_string(index) + " has the number " + std::to_string(number) +
                               ": whole numbers of 64 bits are computed in 32, which are enough for inputs from " +
                               std::to_string(limits->first) + " to " + std::to_string(limits->second) + " (TTL1711)");
    }
  }
}

// An input: of its file, or random; ``rows`` are those of the table that its numbers are looked up in.
template <typename Value, typename DataType, typename Layout>
ttnn::Tensor input(const Given &given, int program, int index, const std::vector<std::uint32_t> &extents,
                   DataType dtype, Layout layout, std::uint64_t rows, const Limits &limits,
                   std::mt19937_64 &generator) {
  std::size_t count = 1;
  for (std::uint32_t extent : extents) {
    count *= extent;
  }
  if (limits.has_value() && std::is_integral_v<Value> && rows == 0) {
    rows = static_cast<std::uint64_t>(limits->second) + 1;
  }
  std::vector<Value> values = input_values<Value>(given, program, index, count, rows, generator);
  check_limits(index, values, limits);
  keep(given, program, "input", index, values);
  return ttnn::host_tensor<Value>(std::move(values), extents, dtype, layout);
}

"""

MAIN = """\
int usage(const char *name, int code) {
  std::ostream &out = code == 0 ? std::cout : std::cerr;
  out << "usage: " << name << " [--program NAME] [--seed N] [--inputs FOLDER] [--save FOLDER]\\n"
      << "  --program  which function:";
  for (const auto &[program, function] : programs) {
    out << " " << program;
  }
  out << "\\n  --seed     of random inputs\\n"
      << "  --inputs   where files such as program_0_input_0.bin are\\n"
      << "  --save     where inputs and results are written\\n";
  return code;
}
} // namespace

int main(int argc, char **argv) {
  Given given;
  given.program = programs.front().first;
  for (int index = 1; index < argc; ++index) {
    const std::string flag = argv[index];
    if (flag == "--help" || flag == "-h") {
      return usage(argv[0], 0);
    }
    if (index + 1 == argc) {
      return usage(argv[0], 2);
    }
    const std::string value = argv[++index];
    if (flag == "--program") {
      given.program = value;
    } else if (flag == "--inputs") {
      given.inputs = value;
    } else if (flag == "--save") {
      given.save = value;
    } else if (flag == "--seed" && !value.empty() && value.find_first_not_of("0123456789") == std::string::npos) {
      given.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else {
      return usage(argv[0], 2);
    }
  }
  for (const auto &[program, function] : programs) {
    if (program != given.program) {
      continue;
    }
    try {
      function(given);
      ttnn::DeviceGetter::close();
      return 0;
    } catch (const std::exception &problem) {
      std::cerr << argv[0] << ": error: " << problem.what() << "\\n";
      return 1;
    }
  }
  return usage(argv[0], 2);
}
"""

# The libraries that CMake links the program with.
LINKS = """\
target_precompile_headers(ttnn-standalone PRIVATE ttnn-precompiled.hpp)

# An installed TT-NN, or else headers and libraries by their folders.
set(TTNN_INCLUDE_DIRS "" CACHE STRING "folders with the headers of TT-NN and of what it includes")
set(TTNN_LIBRARY_DIR "" CACHE PATH "folder with _ttnncpp.so and libtt_metal.so, such as ttnn/build/lib of a wheel")
find_package(TT-NN QUIET)
if(TARGET TTNN::TTNN)
  target_link_libraries(ttnn-standalone PRIVATE TTNN::TTNN)
elseif(TARGET TTNN::CPP)
  target_link_libraries(ttnn-standalone PRIVATE TTNN::CPP)
elseif(TTNN_INCLUDE_DIRS AND TTNN_LIBRARY_DIR)
  target_include_directories(ttnn-standalone SYSTEM PRIVATE ${TTNN_INCLUDE_DIRS})
  target_link_libraries(ttnn-standalone PRIVATE "${TTNN_LIBRARY_DIR}/_ttnncpp.so" "${TTNN_LIBRARY_DIR}/libtt_metal.so")
  set_target_properties(ttnn-standalone PROPERTIES BUILD_RPATH "${TTNN_LIBRARY_DIR}")
else()
  message(FATAL_ERROR "there is no installed TT-NN (set TT-NN_DIR); or give -DTTNN_INCLUDE_DIRS=... and -DTTNN_LIBRARY_DIR=...")
endif()
"""

RUN = """\
#!/bin/sh
# Builds what has changed, and runs it: sh run --save results. Flags of CMake are in the variable CMAKE_FLAGS.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cmake -S "$here" -B "$here/build" $CMAKE_FLAGS
cmake --build "$here/build"
exec "$here/build/ttnn-standalone" "$@"
"""
