"""How the hardware should compute: fidelity, kernel and program configurations.

Programs pass them on; here they are data without effect on results.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from ttl.host.calling import checked
from ttl.host.errors import Code, fail
from ttl.source.public_names import known_as

__all__ = (
    "BlackholeComputeKernelConfig", "Conv1dConfig", "Conv2dConfig", "Conv2dDRAMSliceHeight", "Conv2dDRAMSliceWidth",
    "Conv2dL1Full", "Conv2dSliceConfig", "LayerNormDefaultProgramConfig", "LayerNormShardedMultiCoreProgramConfig",
    "MathFidelity", "MatmulMultiCoreReuseMultiCast1DProgramConfig", "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig",
    "MatmulMultiCoreReuseMultiCastProgramConfig", "MatmulMultiCoreReuseProgramConfig", "SDPAProgramConfig",
    "SoftmaxDefaultProgramConfig", "SoftmaxShardedMultiCoreProgramConfig", "ThrottleLevel", "UnaryOpType", "UnaryWithParam",
    "WormholeComputeKernelConfig", "init_device_compute_kernel_config",
)  # fmt: skip


@known_as("MathFidelity")
class HostMathFidelity(StrEnum):
    """How many passes the multiplier takes."""

    LoFi = "LoFi"
    HiFi2 = "HiFi2"
    HiFi3 = "HiFi3"
    HiFi4 = "HiFi4"


MathFidelity = HostMathFidelity


class ThrottleLevel(StrEnum):
    """How much matrix products are slowed down to save power."""

    NO_THROTTLE = "NO_THROTTLE"
    LEVEL_1 = "LEVEL_1"
    LEVEL_2 = "LEVEL_2"
    LEVEL_3 = "LEVEL_3"
    LEVEL_4 = "LEVEL_4"
    LEVEL_5 = "LEVEL_5"


class Configuration:
    """Named values. Each subclass lists in ``fields`` the names that it takes."""

    fields: tuple[str, ...] = ()

    def __init__(self, *unnamed: Any, **values: Any) -> None:
        if unnamed:
            fail(Code.SIGNATURE, f"ttnn.{type(self).__name__} takes named arguments only")
        for name in values:
            if name not in self.fields:
                own = f"ttnn.{type(self).__name__}"
                fail(
                    Code.SIGNATURE,
                    f"{own}: it has no argument '{name}'",
                    help=f"it has {', '.join(self.fields)}",
                )
        for name in self.fields:
            setattr(self, name, values.get(name))

    def __repr__(self) -> str:
        given = ((name, getattr(self, name)) for name in self.fields)
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in given if value is not None)})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = object.__hash__


class WormholeComputeKernelConfig(Configuration):
    """Fidelity and accumulation of a compute kernel."""

    fields = (
        "math_fidelity", "math_approx_mode", "fp32_dest_acc_en", "packer_l1_acc", "dst_full_sync_en", "throttle_level",
    )  # fmt: skip


class BlackholeComputeKernelConfig(WormholeComputeKernelConfig):
    """Fidelity and accumulation of a compute kernel on Blackhole."""


def init_device_compute_kernel_config(
    arch: Any, device_kernel_config: Any = None, **values: Any
) -> WormholeComputeKernelConfig:
    """A compute kernel configuration for an architecture."""
    for name in ("default_fp32_acc", "default_l1_acc"):
        values.pop(name, None)
    return WormholeComputeKernelConfig(**values)


class MatmulMultiCoreReuseProgramConfig(Configuration):
    """Blocking of a matrix product."""

    fields = (
        "compute_with_storage_grid_size", "in0_block_w", "out_subblock_h", "out_subblock_w", "per_core_M", "per_core_N",
    )  # fmt: skip


class MatmulMultiCoreReuseMultiCastProgramConfig(Configuration):
    """Blocking of a matrix product with multicast in both directions."""

    fields = (
        *MatmulMultiCoreReuseProgramConfig.fields,
        "out_block_h", "out_block_w", "transpose_mcast", "fused_activation", "fuse_batch",
    )  # fmt: skip


class MatmulMultiCoreReuseMultiCast1DProgramConfig(Configuration):
    """Blocking of a matrix product with multicast in one direction."""

    fields = (
        *MatmulMultiCoreReuseProgramConfig.fields,
        "out_block_h", "out_block_w", "fuse_batch", "fused_activation", "mcast_in0", "gather_in0", "num_global_cb_receivers",
    )  # fmt: skip


class MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig(Configuration):
    """Blocking of a matrix product with weights that are sharded over DRAM."""

    fields = ("in0_block_w", "per_core_M", "per_core_N", "fused_activation")


class SDPAProgramConfig(Configuration):
    """Blocking of attention."""

    fields = (
        "compute_with_storage_grid_size", "sub_core_grids", "q_chunk_size", "k_chunk_size", "exp_approx_mode",
        "max_cores_per_head_batch",
    )  # fmt: skip


class Conv2dConfig(Configuration):
    """How a convolution is computed; ``activation`` and ``output_layout`` have an effect on the result."""

    activation: Any
    output_layout: Any

    fields = (
        "dtype", "weights_dtype", "activation", "input_channels_alignment", "deallocate_activation", "reallocate_halo_output",
        "config_tensors_in_dram", "act_block_h_override", "act_block_w_div", "reshard_if_not_optimal",
        "override_sharding_config", "shard_layout", "core_grid", "transpose_shards", "output_layout",
        "preprocess_weights_on_device", "enable_act_double_buffer", "enable_weights_double_buffer", "enable_split_reader",
        "enable_subblock_padding", "full_inner_dim", "in_place", "enable_kernel_stride_folding", "enable_activation_reuse",
        "force_split_reader", "override_output_sharding_config",
    )  # fmt: skip


class Conv1dConfig(Conv2dConfig):
    """How a one-dimensional convolution is computed."""


class Op2DSliceType(StrEnum):
    """The dimension along which an image is cut if it does not fit into L1."""

    DRAMSliceHeight = "DRAMSliceHeight"
    DRAMSliceWidth = "DRAMSliceWidth"
    L1Full = "L1Full"


class Conv2dSliceConfig(Configuration):
    """In how many slices a convolution is computed."""

    fields = ("slice_type", "num_slices")
    SliceTypeEnum = Op2DSliceType


Conv2dDRAMSliceHeight = Op2DSliceType.DRAMSliceHeight
Conv2dDRAMSliceWidth = Op2DSliceType.DRAMSliceWidth
Conv2dL1Full = Op2DSliceType.L1Full


@checked
class UnaryWithParam:
    """An activation with parameters: ``UnaryWithParam(ttnn.UnaryOpType.LEAKY_RELU, 0.1)``."""

    __slots__ = ("op_type", "params")

    def __init__(self, op_type: Any, *params: Any) -> None:
        if not isinstance(op_type, UnaryOpType) or not all(
            isinstance(param, (int, float)) for param in params
        ):
            fail(Code.WRONG_KIND, "ttnn.UnaryWithParam takes a ttnn.UnaryOpType and numbers")
        self.op_type = op_type
        self.params = params

    def __repr__(self) -> str:
        return f"UnaryWithParam({', '.join(map(str, (self.op_type, *self.params)))})"


class UnaryOpType(StrEnum):
    """Functions of one tensor, as activations."""

    RELU = "relu"
    RELU6 = "relu6"
    GELU = "gelu"
    SILU = "silu"
    SIGMOID = "sigmoid"
    TANH = "tanh"
    MISH = "mish"
    EXP = "exp"
    LOG = "log"
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    SQUARE = "square"
    ABS = "abs"
    NEG = "neg"
    RECIP = "reciprocal"
    LEAKY_RELU = "leaky_relu"
    ELU = "elu"
    CELU = "celu"
    SELU = "selu"
    SOFTPLUS = "softplus"
    HARDSIGMOID = "hardsigmoid"
    HARDSWISH = "hardswish"
    HARDTANH = "hardtanh"
    RELU_MAX = "relu_max"
    RELU_MIN = "relu_min"
    IDENTITY = "identity"


class SoftmaxShardedMultiCoreProgramConfig(Configuration):
    """Blocking of a softmax of a sharded tensor."""

    fields = ("compute_with_storage_grid_size", "subblock_w", "block_h", "block_w")


class LayerNormDefaultProgramConfig(Configuration):
    """Blocking of a normalization."""

    fields = ("legacy_reduction", "legacy_rsqrt", "use_welford")


class SoftmaxDefaultProgramConfig(Configuration):
    """Blocking of a softmax."""


class LayerNormShardedMultiCoreProgramConfig(Configuration):
    """Blocking of a normalization of a sharded tensor."""

    fields = ("compute_with_storage_grid_size", "subblock_w", "block_h", "block_w", "inplace")
