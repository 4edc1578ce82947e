"""Headers that stand in for those of TT-NN, which no wheel has: types without contents, and the functions that calls are written of.

The functions are those of ``ttmlir.standalone.cpp_api``. That these are the library's, the symbols of the shared objects in the
wheel say (``exported``): what a compiled program needs of the library has to be among them, name and types of parameters alike.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

from support.real_ttnn import environment
from ttmlir.standalone.cpp_api import LIBRARIES, CppApi, CppFunction

_TYPES_OF_081 = """\
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
"""
_TYPES_OF_2024 = """\
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
"""
_INCLUDES = (
    "array functional initializer_list memory optional set span string tuple variant vector cstddef cstdint"
)
_INCLUDED = re.compile(r'^#include "(ttnn/[^"]+)"$', re.M)


def stub_headers(folder: Path, api: CppApi, header: str) -> Path:
    """A folder to include from: all that the library's headers have is in the first one that ``header`` includes."""
    first, *others = _INCLUDED.findall(header)
    text = "#pragma once\n" + "".join(f"#include <{name}>\n" for name in _INCLUDES.split())
    text += _TYPES_OF_081 if api == "0.81" else _TYPES_OF_2024
    text += "".join(_declaration(function) for function in LIBRARIES[api].functions.values())
    for name, content in ((first, text), *((other, "") for other in others)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def _declaration(function: CppFunction) -> str:
    *namespaces, name = function.name.partition("<")[0].split("::")
    template = re.search(r"<(\w+)>", function.name)
    parameters = ", ".join(
        f"{one.type} {one.name}" + ("" if one.default is None else f" = {one.default}")
        for one in function.parameters
    )
    result = "ttnn::Tensor" if function.is_tensor else "std::tuple<ttnn::Tensor>"
    if name == "deallocate":
        result = "void"
    head = ""
    if template is not None:
        head = "template <typename T> "
        parameters = re.sub(rf"\b{template[1]}\b(?! \w+ = )(?=>| fill_value)", "T", parameters)
    return f"namespace {'::'.join(namespaces)} {{ {head}{result} {name}({parameters}); }}\n"


def needed(object_file: Path) -> set[str]:
    """The functions of the library that an object file needs, with the types of their parameters."""
    text = subprocess.run(["nm", "-uC", str(object_file)], check=True, capture_output=True, text=True).stdout
    names = (line.split(None, 1)[1] for line in text.splitlines())
    return {name for name in names if re.search(r"\b(ttnn|tt)::", name)}


@cache
def exported() -> frozenset[str]:
    """The functions that the shared objects in the wheel of ttnn 0.81 have. Raises ``real_ttnn.Missing``."""
    python = environment("0.81")
    (folder,) = python.parent.parent.glob("lib/python3*/site-packages/ttnn/build/lib")
    names = set()
    for library in ("_ttnncpp.so", "libtt_metal.so"):
        text = subprocess.run(
            ["nm", "-DC", "--defined-only", str(folder / library)], check=True, capture_output=True, text=True
        ).stdout
        names |= {line.split(None, 2)[2] for line in text.splitlines()}
    return frozenset(names)
