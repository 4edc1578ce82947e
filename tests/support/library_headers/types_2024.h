#pragma once
#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>
#include <cstddef>
#include <cstdint>
class bfloat16 { public: bfloat16() = default; explicit bfloat16(float) {} private: unsigned short bits; };
namespace tt::tt_metal {
struct LegacyShape { LegacyShape(std::initializer_list<uint32_t>); LegacyShape(const std::vector<uint32_t> &); };
struct CoreCoord { CoreCoord(size_t, size_t); };
struct CoreRange { CoreRange(const CoreCoord &, const CoreCoord &); bool operator<(const CoreRange &) const; };
struct CoreRangeSet { CoreRangeSet(const std::set<CoreRange> &); };
enum class ShardOrientation { ROW_MAJOR, COL_MAJOR };
struct ShardSpec { ShardSpec(const CoreRangeSet &, const std::array<uint32_t, 2> &, const ShardOrientation &); };
namespace owned_buffer {
template <typename T> struct Buffer { T *begin() const; T *end() const; };
template <typename T> Buffer<T> create(std::vector<T> &&);
}
struct OwnedStorage { template <typename T> OwnedStorage(owned_buffer::Buffer<T>); };
}
namespace ttnn {
struct Device;
enum class DataType { BFLOAT16, FLOAT32, UINT32, BFLOAT8_B, BFLOAT4_B, UINT8, UINT16 };
enum class Layout { ROW_MAJOR, TILE, INVALID };
enum class TensorMemoryLayout { INTERLEAVED, SINGLE_BANK, HEIGHT_SHARDED, WIDTH_SHARDED, BLOCK_SHARDED };
enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
struct MemoryConfig { MemoryConfig(); MemoryConfig(TensorMemoryLayout, BufferType, std::optional<tt::tt_metal::ShardSpec> = std::nullopt); };
struct Shape { Shape(const tt::tt_metal::LegacyShape &); };
class Tensor { public: Tensor(tt::tt_metal::OwnedStorage, Shape, DataType, Layout); Tensor to(Layout) const; };
Device &open_device(int, size_t);
void close_device(Device &);
namespace operations { namespace embedding { enum class EmbeddingsType { GENERIC }; } namespace reduction { enum class ReduceType { Sum }; }
namespace conv::conv2d { struct Conv2dConfig {}; } }
}
namespace tt::tt_metal::owned_buffer { template <typename T> Buffer<T> get_as(const ttnn::Tensor &); }
