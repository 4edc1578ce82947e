"""How the hardware should compute: fidelity, kernel and program configurations.

Programs pass them on; here they are data without effect on results.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from ttl.host.errors import Code, fail


class MathFidelity(StrEnum):
    """How many passes the multiplier takes."""

    LoFi = "LoFi"
    HiFi2 = "HiFi2"
    HiFi3 = "HiFi3"
    HiFi4 = "HiFi4"


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
    """The same for Blackhole."""


def init_device_compute_kernel_config(
    arch: Any, device_kernel_config: Any = None, **values: Any
) -> WormholeComputeKernelConfig:
    """A compute kernel configuration for an architecture."""
    return WormholeComputeKernelConfig(
        **{
            name: value
            for name, value in values.items()
            if name != "default_fp32_acc" and name != "default_l1_acc"
        }
    )


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


class SoftmaxDefaultProgramConfig(Configuration):
    """Blocking of a softmax."""


class LayerNormShardedMultiCoreProgramConfig(Configuration):
    """Blocking of a normalization of a sharded tensor."""

    fields = ("compute_with_storage_grid_size", "subblock_w", "block_h", "block_w", "inplace")
