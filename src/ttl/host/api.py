"""The public names of the host library: what ``import ttnn`` gives where the real ``ttnn`` is not installed."""

from __future__ import annotations

from typing import Any

from ttl.diag.model import Diagnostic
from ttl.host import device
from ttl.host.cores import CoreCoord, CoreGrid, CoreRange, CoreRangeSet, num_cores_to_corerangeset
from ttl.host.convert import from_numpy, from_torch, to_numpy, to_torch
from ttl.host.creation import (
    arange, empty, empty_like, full, full_like, ones, ones_like, rand, randn, zeros, zeros_like,
)  # fmt: skip
from ttl.host.device import (
    Arch,
    Device,
    MeshDevice,
    MeshShape,
    close_device,
    close_mesh_device,
    create_mesh_device,
    get_arch_name,
    get_device_ids,
    get_num_devices,
    manage_device,
    open_device,
    open_mesh_device,
    synchronize_device,
)
from ttl.host.errors import MissingNameError, placed
from ttl.host.memory import (
    DRAM_MEMORY_CONFIG,
    L1_BLOCK_SHARDED_MEMORY_CONFIG,
    L1_HEIGHT_SHARDED_MEMORY_CONFIG,
    L1_MEMORY_CONFIG,
    L1_WIDTH_SHARDED_MEMORY_CONFIG,
    BufferType,
    MemoryConfig,
    NdShardSpec,
    ShardOrientation,
    ShardSpec,
    ShardStrategy,
    TensorMemoryLayout,
    create_sharded_memory_config,
)
from ttl.host.mesh import (
    ConcatMesh2dToTensor,
    ConcatMeshToTensor,
    MeshComposerConfig,
    MeshMapperConfig,
    PlacementReplicate,
    PlacementShard,
    ReplicateTensorToMesh,
    ShardTensor2dMesh,
    ShardTensorToMesh,
    aggregate_as_tensor,
    combine_device_tensors,
    create_mesh_composer,
    create_mesh_mapper,
    get_device_tensors,
)
from ttl.host.movement import (
    allocate_tensor_on_device,
    assign,
    clone,
    copy,
    copy_device_to_host_tensor,
    copy_host_to_device_tensor,
    deallocate,
    from_device,
    identity,
    interleaved_to_sharded,
    reshard,
    sharded_to_interleaved,
    tilize,
    tilize_with_zero_padding,
    to_device,
    to_layout,
    to_memory_config,
    typecast,
    untilize,
)
from ttl.host.names import nearest
from ttl.host.shape import Shape
from ttl.host.tensor import StorageType, Tensor, Tile
from ttl.ops.dtypes import BFLOAT4_B as bfloat4_b
from ttl.ops.dtypes import BFLOAT8_B as bfloat8_b
from ttl.ops.dtypes import BFLOAT16 as bfloat16
from ttl.ops.dtypes import FLOAT16 as float16
from ttl.ops.dtypes import FLOAT32 as float32
from ttl.ops.dtypes import INT32 as int32
from ttl.ops.dtypes import UINT8 as uint8
from ttl.ops.dtypes import UINT16 as uint16
from ttl.ops.dtypes import UINT32 as uint32
from ttl.ops.types import TILE as TILE_SIZE
from ttl.ops.types import Layout

TILE_LAYOUT = Layout.TILE
ROW_MAJOR_LAYOUT = Layout.ROW_MAJOR


def missing(name: str) -> Diagnostic:
    return placed("TTL1002", f"ttnn has no '{name}'", help=nearest(name, [n for n in globals() if not n.startswith("_")]))


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise MissingNameError(missing(name))
