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
namespace ttsl {
template <typename T, typename Tag> class StrongType {};
template <typename T, unsigned long N> class SmallVector { public: SmallVector(std::initializer_list<T>) {} };
}
namespace tt {
struct xy_pair { xy_pair(unsigned long x, unsigned long y); };
namespace tt_fabric { enum class Topology; }
namespace tt_metal {
using CoreCoord = xy_pair;
enum class DataType { BFLOAT16, FLOAT32, UINT32, BFLOAT8_B, BFLOAT4_B, UINT8, UINT16 };
enum class Layout { ROW_MAJOR, TILE };
enum class TensorMemoryLayout { INTERLEAVED, HEIGHT_SHARDED, WIDTH_SHARDED, BLOCK_SHARDED };
enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
enum class ShardOrientation { ROW_MAJOR, COL_MAJOR };
struct SubDeviceIdTag; struct Tile {};
struct CoreRange { CoreRange(const CoreCoord &, const CoreCoord &); bool operator<(const CoreRange &) const; };
struct CoreRangeSet { CoreRangeSet(const std::set<CoreRange> &); CoreRangeSet(const CoreRangeSet &); };
struct ShardSpec { ShardSpec(const CoreRangeSet &a, const std::array<unsigned int, 2> &b, const ShardOrientation &) : cores(a), shape(b) {}
  CoreRangeSet cores; std::array<unsigned int, 2> shape; };
struct MemoryConfig { MemoryConfig(); MemoryConfig(const MemoryConfig &); ~MemoryConfig() {}
  MemoryConfig(TensorMemoryLayout, BufferType, std::optional<ShardSpec> shards = std::nullopt); };
struct Shape { explicit Shape(std::span<const unsigned int>) {} Shape(std::initializer_list<unsigned int>) {} };
struct PageConfig { PageConfig(Layout); };
struct Alignment {};
struct TensorLayout { TensorLayout(DataType, const PageConfig &, const MemoryConfig &, const Alignment & = {}); TensorLayout(const TensorLayout &); };
struct TensorSpec { TensorSpec(Shape, TensorLayout); };
struct DispatchCoreConfig {};
namespace distributed {
class MeshDevice;
struct MeshShape { MeshShape(unsigned int, unsigned int); };
struct MeshCoordinate {};
}
namespace experimental { struct GlobalCircularBuffer {}; class PrefetcherPipe; }
}
}
namespace ttnn {
struct QueueIdTag;
struct ComputeKernelConfig {};
class Tensor { public: Tensor(const Tensor &) = default;
  template <typename T> static Tensor from_vector(std::vector<T> &&, const tt::tt_metal::TensorSpec &,
    tt::tt_metal::distributed::MeshDevice * = nullptr, std::optional<ttsl::StrongType<unsigned char, QueueIdTag>> = std::nullopt, T = T());
  template <typename T> std::vector<T> to_vector(std::optional<ttsl::StrongType<unsigned char, QueueIdTag>> = std::nullopt) const; };
enum class TileReshapeMapMode { CACHE, RECREATE };
namespace types { struct CoreGrid {}; }
namespace prim { enum class EmbeddingsType { GENERIC }; struct Conv2dConfig {}; }
namespace distributed {
std::shared_ptr<tt::tt_metal::distributed::MeshDevice> open_mesh_device(const tt::tt_metal::distributed::MeshShape &, unsigned long,
  unsigned long, unsigned long, const tt::tt_metal::DispatchCoreConfig &, const std::optional<tt::tt_metal::distributed::MeshCoordinate> &,
  const std::vector<int> &, unsigned long);
void close_mesh_device(const std::shared_ptr<tt::tt_metal::distributed::MeshDevice> &);
}
namespace operations {
namespace unary { template <typename... T> struct BasicUnaryWithParam {}; enum class SigmoidMode { ACCURATE }; }
namespace op_slicing { struct Op2DSliceConfig {}; }
namespace matmul {
struct MatmulMultiCoreProgramConfig {}; struct MatmulMultiCoreReuseProgramConfig {}; struct MatmulMultiCoreReuseMultiCastProgramConfig {};
struct MatmulMultiCoreReuseMultiCast1DProgramConfig {}; struct MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig {};
struct MatmulMultiCoreReuseMultiCastBatchedDRAMShardedProgramConfig {};
}
}
}
