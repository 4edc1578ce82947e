"""The public names of the host library: what ``import ttnn`` gives where the real ``ttnn`` is not installed."""

# ruff: noqa: F401
from __future__ import annotations

import sys as _sys
from typing import Any as _Any

from ttl.diag.model import Diagnostic as _Diagnostic
from ttl.diag.remedies import Rename as _Rename
from ttl.host import attention as _attention
from ttl.host import caches as _caches
from ttl.host import device, elementwise
from ttl.host import more as _more
from ttl.host.absent import ABSENT as _ABSENT
from ttl.host.caches import fill_cache, update_cache
from ttl.host.calling import checked as _checked
from ttl.host.collectives import ReduceType, Topology, all_gather, all_reduce, reduce_scatter
from ttl.host.config import (
    BlackholeComputeKernelConfig,
    Conv1dConfig,
    Conv2dConfig,
    Conv2dDRAMSliceHeight,
    Conv2dDRAMSliceWidth,
    Conv2dL1Full,
    Conv2dSliceConfig,
    LayerNormDefaultProgramConfig,
    LayerNormShardedMultiCoreProgramConfig,
    MathFidelity,
    MatmulMultiCoreReuseMultiCast1DProgramConfig,
    MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig,
    MatmulMultiCoreReuseMultiCastProgramConfig,
    MatmulMultiCoreReuseProgramConfig,
    SDPAProgramConfig,
    SoftmaxDefaultProgramConfig,
    SoftmaxShardedMultiCoreProgramConfig,
    ThrottleLevel,
    UnaryOpType,
    UnaryWithParam,
    WormholeComputeKernelConfig,
    init_device_compute_kernel_config,
)
from ttl.host.convert import as_tensor, from_numpy, from_torch, to_numpy, to_torch
from ttl.host.convolution import (
    conv1d,
    conv2d,
    conv_transpose2d,
    get_conv_output_dim,
    prepare_conv_bias,
    prepare_conv_transpose2d_bias,
    prepare_conv_transpose2d_weights,
    prepare_conv_weights,
)
from ttl.host.cores import (
    CoreCoord,
    CoreGrid,
    CoreRange,
    CoreRangeSet,
    corerange_to_cores,
    num_cores_to_corerangeset,
    split_work_to_cores,
)
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
    CloseDevice,
    CloseDevices,
    CreateDevice,
    CreateDevices,
    Device,
    GetDefaultDevice,
    GetNumAvailableDevices,
    GetNumPCIeDevices,
    MeshDevice,
    MeshShape,
    ReadDeviceProfiler,
    SetDefaultDevice,
    close_device,
    close_mesh_device,
    create_mesh_device,
    get_arch_name,
    get_device_ids,
    get_dram_alignment,
    get_l1_alignment,
    get_max_worker_l1_unreserved_size,
    get_num_devices,
    get_num_pcie_devices,
    manage_device,
    open_device,
    open_mesh_device,
    synchronize_device,
)
from ttl.host.elementwise import clamp
from ttl.host.errors import Code as _Code
from ttl.host.errors import MissingNameError as _MissingNameError
from ttl.host.errors import placed as _placed
from ttl.host.fabric import (
    DispatchCoreAxis,
    DispatchCoreConfig,
    DispatchCoreType,
    FabricConfig,
    FabricReliabilityMode,
    FabricTensixConfig,
    get_fabric_config,
    set_fabric_config,
)
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
from ttl.host.more import (
    LossReductionMode,
    allclose,
    dequantize,
    dump_tensor,
    element_size,
    fill,
    geglu,
    glu,
    has_tile_padding,
    index_fill,
    l1_loss,
    load_tensor,
    manual_seed,
    move,
    mse_loss,
    narrow,
    nonzero,
    pearson_correlation_coefficient,
    quantize,
    reallocate,
    reglu,
    roll,
    scatter,
    scatter_add,
    swiglu,
    tile_size,
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
from ttl.host.normalization import (
    batch_norm,
    create_group_norm_input_mask,
    create_group_norm_weight_bias_rm,
    group_norm,
    layer_norm,
    rms_norm,
    scale_mask_softmax,
    softmax,
    softmax_in_place,
)
from ttl.host.pooling import avg_pool2d, global_avg_pool2d, max_pool2d, upsample
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
from ttl.host.submodules import EMPTY as _EMPTY
from ttl.host.submodules import Submodule as _Submodule
from ttl.host.tensor import StorageType, Tensor, Tile
from ttl.host.trace import MeshTraceId as _MeshTraceId
from ttl.host.tracing import (
    MeshEvent,
    begin_trace_capture,
    end_trace_capture,
    event_synchronize,
    execute_trace,
    is_trace_capture_active,
    record_event,
    release_trace,
    wait_for_event,
)
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


def _submodule(name: str, doc: str, module: _Any, *names: str) -> _Any:
    return _Submodule(name, {each: getattr(module, each) for each in names}, doc)


MeshTraceId = _checked(_MeshTraceId)
transformer = _submodule(
    "transformer", "Attention.", _attention,
    "attention_softmax", "attention_softmax_", "concatenate_heads", "paged_scaled_dot_product_attention_decode",
    "scaled_dot_product_attention", "scaled_dot_product_attention_decode", "split_query_key_value_and_split_heads",
)  # fmt: skip
kv_cache = _submodule(
    "kv_cache", "Caches of keys and values.", _caches, "fill_cache_for_user_", "update_cache_for_token_"
)
experimental = _submodule(
    "experimental", "Heads, rotary embeddings, paged caches.", _attention,
    "attn_matmul", "nlp_concat_heads", "nlp_concat_heads_decode", "nlp_create_qkv_heads", "nlp_create_qkv_heads_decode",
    "rotary_embedding", "rotary_embedding_hf", "rotary_embedding_llama", "rotate_half", "concatenate_heads",
    "split_query_key_value_and_split_heads",
)  # fmt: skip
for _name in ("nlp_kv_cache_load_slice", "paged_fill_cache", "paged_update_cache"):
    setattr(experimental, _name, getattr(_caches, _name))
for _name in ("dropout", "fast_reduce_nc"):
    setattr(experimental, _name, getattr(_more, _name))
experimental.group_attn_matmul = _attention.attn_matmul
experimental.typecast, experimental.view = typecast, view


def public_names() -> list[str]:
    """Every name of the library."""
    # Tools may put names of their own into a module (pytest does, with an @ in front).
    return sorted(
        name for name in globals() if name.isidentifier() and not name.startswith("_") and name not in _OURS
    )


_OURS = ("annotations", "elementwise", "missing", "public_names", "submodules")


def submodules() -> dict[str, _Any]:
    """The modules below ``ttnn``, by name."""
    here = _sys.modules[__name__]
    own = {"device": device, "transformer": transformer, "experimental": experimental, "kv_cache": kv_cache}
    doc = "A module of TT-NN with names of ``ttnn`` itself."
    return own | {name: _Submodule(name, {}, doc, elsewhere=here) for name in _EMPTY}


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
    if name in _EMPTY:
        return globals().setdefault("_submodules", submodules())[name]
    raise _MissingNameError(missing(name))
