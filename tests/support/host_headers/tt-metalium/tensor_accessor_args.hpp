// See host_api.hpp.
#pragma once

#include <tt-metalium/distributed.hpp>

namespace tensor_accessor {
enum class ArgConfig : uint8_t { None };
}
template <typename E>
struct Flags {
    uint8_t bits{};
};

namespace tt::tt_metal {
class TensorAccessorArgs {
public:
    explicit TensorAccessorArgs(
        const std::shared_ptr<distributed::MeshBuffer>& buffer, Flags<tensor_accessor::ArgConfig> config = {});
    void append_to(std::vector<uint32_t>& words) const;
};
}  // namespace tt::tt_metal
