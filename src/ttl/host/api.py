"""The public names of the host library: what ``import ttnn`` gives where the real ``ttnn`` is not installed."""

# ruff: noqa: F401
from __future__ import annotations

from typing import Any as _Any

from ttl.diag.model import Diagnostic as _Diagnostic
from ttl.diag.remedies import Rename as _Rename
from ttl.host import device, elementwise
from ttl.host.absent import ABSENT as _ABSENT
from ttl.host.collectives import ReduceType, Topology, all_gather, all_reduce, reduce_scatter
from ttl.host.config import (
    BlackholeComputeKernelConfig,
    LayerNormShardedMultiCoreProgramConfig,
    MathFidelity,
    MatmulMultiCoreReuseMultiCast1DProgramConfig,
    MatmulMultiCoreReuseMultiCastProgramConfig,
    MatmulMultiCoreReuseProgramConfig,
    SoftmaxDefaultProgramConfig,
    ThrottleLevel,
    WormholeComputeKernelConfig,
    init_device_compute_kernel_config,
)
from ttl.host.convert import from_numpy, from_torch, to_numpy, to_torch
from ttl.host.cores import CoreCoord, CoreGrid, CoreRange, CoreRangeSet, num_cores_to_corerangeset
from ttl.host.creation import (
    arange,
    empty,
    empty_like,
    full,
    full_like,
    ones,
    ones_like,
    rand,
    randn,
    zeros,
    zeros_like,
)
from ttl.host.device import (
    Arch,
    Device,
    GetNumAvailableDevices,
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
from ttl.host.elementwise import clamp
from ttl.host.errors import Code as _Code
from ttl.host.errors import MissingNameError as _MissingNameError
from ttl.host.errors import placed as _placed
from ttl.host.indexing import embedding, gather, slice
from ttl.host.matmul import addmm, linear, matmul, outer
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
    get_memory_config,
    identity,
    interleaved_to_sharded,
    is_sharded,
    is_tensor_storage_on_device,
    reshard,
    sharded_to_interleaved,
    tilize,
    tilize_with_zero_padding,
    to_device,
    to_dtype,
    to_layout,
    to_memory_config,
    typecast,
    untilize,
)
from ttl.host.names import nearest as _nearest
from ttl.host.names import renamed as _renamed
from ttl.host.normalization import layer_norm, rms_norm, scale_mask_softmax, softmax, softmax_in_place
from ttl.host.reductions import argmax, cumprod, cumsum, max, mean, min, prod, sort, std, sum, topk, var
from ttl.host.shape import Shape
from ttl.host.shaping import (
    chunk,
    concat,
    expand,
    num_tiles,
    pad,
    pad_to_tile_shape,
    permute,
    repeat,
    repeat_interleave,
    reshape,
    split,
    squeeze,
    stack,
    tilize_with_val_padding,
    transpose,
    tril,
    triu,
    unsqueeze,
    unsqueeze_to_4D,
    untilize_with_unpadding,
    view,
)
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
clip = clamp


class DataType:
    """The element types under the names of TT-NN's enumeration: ``ttnn.DataType.BFLOAT16 is ttnn.bfloat16``."""

    BFLOAT16 = bfloat16
    FLOAT32 = float32
    FLOAT16 = float16
    BFLOAT8_B = bfloat8_b
    BFLOAT4_B = bfloat4_b
    UINT8 = uint8
    UINT16 = uint16
    UINT32 = uint32
    INT32 = int32


globals().update(elementwise.functions())


def public_names() -> list[str]:
    """Every name of the library."""
    # Tools may put names of their own into a module (pytest does, with an @ in front).
    return sorted(
        name for name in globals() if name.isidentifier() and not name.startswith("_") and name not in _OURS
    )


_OURS = ("annotations", "elementwise", "missing", "public_names")


def missing(name: str) -> _Diagnostic:
    """What is wrong with a name that the library has not: unknown (TTL1002), or only in the real one (TTL1001)."""
    near = _nearest(name, public_names())
    if name not in _ABSENT:
        return _placed(
            _Code.UNKNOWN_NAME, f"ttnn has no '{name}'", help=near, remedy=_renamed(name, public_names())
        )
    instead = (f"use {_ABSENT[name]} instead",) if _ABSENT[name] else near
    return _placed(
        _Code.ABSENT_NAME,
        f"ttnn.{name} is part of TT-NN, but not of the library that stands in for it here",
        help=instead,
        remedy=_Rename(older=name, current=_ABSENT[name].removeprefix("ttnn.")) if _ABSENT[name] else None,
    )


def __dir__() -> list[str]:
    return public_names()


def __getattr__(name: str) -> _Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise _MissingNameError(missing(name))
