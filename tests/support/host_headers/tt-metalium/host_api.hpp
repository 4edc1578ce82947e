// As much of the host API of TT-Metalium as generated host programs use: names and signatures only, since no wheel has
// its headers. Whether they are right is told by the library's symbols, which carry every signature.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tt {
enum class DataFormat : uint8_t { Float32, Float16, Bfp8, Bfp4, Float16_b, Bfp8_b, Bfp4_b, Int32, UInt16, UInt32, UInt8 };
struct xy_pair {
    std::size_t x, y;
};
}  // namespace tt

namespace tt::tt_metal {
enum class DataMovementProcessor { RISCV_0, RISCV_1 };
enum NOC : uint8_t { NOC_0, NOC_1 };
enum class MathFidelity : uint8_t { LoFi, HiFi2, HiFi3, HiFi4 };
enum class UnpackToDestMode : uint8_t { Default, UnpackToDestFp32 };
enum class BufferType { DRAM, L1 };
using KernelHandle = uint32_t;
using CBHandle = uintptr_t;

struct CoreRange {
    CoreRange(const xy_pair& start, const xy_pair& end);
    xy_pair start, end;
};
class CoreRangeSet {
public:
    explicit CoreRangeSet(std::vector<CoreRange>&& ranges);
    CoreRangeSet(const CoreRangeSet& other);
    CoreRangeSet(CoreRangeSet&& other) noexcept;
    ~CoreRangeSet() = default;
};
class Buffer;
class Tile {
public:
    Tile(std::array<uint32_t, 2> shape, bool transpose = false);
};
using Cores = std::variant<xy_pair, CoreRange, CoreRangeSet>;

class Program {
public:
    Program(Program&& other) noexcept;
    ~Program() noexcept;
};

struct DataMovementConfig {
    DataMovementProcessor processor{};
    NOC noc{};
    std::vector<uint32_t> compile_args;
    std::map<std::string, std::string> defines;
};
struct ComputeConfig {
    MathFidelity math_fidelity{};
    bool fp32_dest_acc_en{}, dst_full_sync_en{}, math_approx_mode{};
    std::vector<UnpackToDestMode> unpack_to_dest_mode;
    std::vector<uint32_t> compile_args;
    std::map<std::string, std::string> defines;
};
class CircularBufferConfig {
public:
    CircularBufferConfig(uint32_t total_size, const std::map<uint8_t, DataFormat>& formats);
    CircularBufferConfig& set_page_size(uint8_t index, uint32_t page_size);
    CircularBufferConfig& set_tile_dims(uint8_t index, const Tile& tile);
    CircularBufferConfig& set_globally_allocated_address_and_total_size(const Buffer& buffer, uint32_t total_size);
    CircularBufferConfig& set_address_offset(uint32_t offset);
};

Program CreateProgram();
KernelHandle CreateKernel(
    Program& program, const std::string& file, const Cores& cores,
    const std::variant<DataMovementConfig, ComputeConfig>& config);
CBHandle CreateCircularBuffer(Program& program, const Cores& cores, const CircularBufferConfig& config);
uint32_t CreateSemaphore(Program& program, const std::variant<CoreRange, CoreRangeSet>& cores, uint32_t initial);
void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel, std::span<const uint32_t> args);
void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel, std::initializer_list<uint32_t> args);
}  // namespace tt::tt_metal
