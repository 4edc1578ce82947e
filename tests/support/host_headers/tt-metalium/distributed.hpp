// See host_api.hpp.
#pragma once

#include <tt-metalium/host_api.hpp>

namespace ttsl {
template <typename T, typename Tag>
struct StrongType {
    T value;
};
}  // namespace ttsl

namespace tt::tt_metal {
struct SubDeviceIdTag;
class DispatchCoreConfig {};
enum class TensorMemoryLayout { INTERLEAVED = 0, HEIGHT_SHARDED = 2, WIDTH_SHARDED = 3, BLOCK_SHARDED = 4 };
enum class ShardOrientation { ROW_MAJOR = 0, COL_MAJOR = 1 };
// Inline in the real headers, too: no symbol says what it takes.
struct ShardSpecBuffer {
    ShardSpecBuffer(
        const CoreRangeSet&, const std::array<uint32_t, 2>& shard, const ShardOrientation&,
        const std::array<uint32_t, 2>& page, const std::array<uint32_t, 2>& tensor_in_pages) :
        words{shard[0], shard[1], page[0], page[1], tensor_in_pages[0], tensor_in_pages[1]} {}
    std::array<uint32_t, 6> words;
};
class BufferShardingArgs {
public:
#ifdef OLDER  // all of it inline
    BufferShardingArgs() = default;
    BufferShardingArgs(ShardSpecBuffer, TensorMemoryLayout) {}
#else
    BufferShardingArgs();
    BufferShardingArgs(ShardSpecBuffer shards, TensorMemoryLayout layout);
    BufferShardingArgs(const BufferShardingArgs& other);
    BufferShardingArgs(BufferShardingArgs&& other) noexcept;
    BufferShardingArgs& operator=(BufferShardingArgs&& other) noexcept;
    ~BufferShardingArgs();
#endif
};
}  // namespace tt::tt_metal

namespace tt::tt_metal::distributed {
class MeshShape {};
class MeshCommandQueue;
class MeshDevice;

class MeshCoordinateRange {
public:
    MeshCoordinateRange(const MeshShape& shape);
};
struct ReplicatedBufferConfig {
    uint64_t size{};
};
struct ShardedBufferConfig {};
struct DeviceLocalBufferConfig {
    uint64_t page_size{};
    BufferType buffer_type{};
    BufferShardingArgs sharding_args;
};
class MeshBuffer {
public:
    static std::shared_ptr<MeshBuffer> create(
        const std::variant<ReplicatedBufferConfig, ShardedBufferConfig>& mesh, const DeviceLocalBufferConfig& local,
        MeshDevice* device, std::optional<uint64_t> address = std::nullopt);
    uint64_t address() const { return 0; }
    Buffer* get_reference_buffer() const;
};
class MeshDevice {
public:
    static std::shared_ptr<MeshDevice> create_unit_mesh(
        int device_id, std::size_t l1_small = 0, std::size_t trace = 0, std::size_t queues = 1,
        const DispatchCoreConfig& dispatch = {}, std::span<const uint32_t> banks = {}, std::size_t worker_l1 = 0);
    MeshCommandQueue& mesh_command_queue(std::optional<uint8_t> id = std::nullopt) const;
    const MeshShape& shape() const;
    xy_pair worker_core_from_logical_core(const xy_pair& core) const;
    bool close();
};
class MeshWorkload {
public:
    MeshWorkload();
    ~MeshWorkload();
    void add_program(const MeshCoordinateRange& range, Program&& program);
};
void EnqueueMeshWorkload(MeshCommandQueue& queue, MeshWorkload& workload, bool blocking);
void Finish(MeshCommandQueue& queue, std::span<const ttsl::StrongType<uint8_t, SubDeviceIdTag>> sub_devices = {});
}  // namespace tt::tt_metal::distributed
