"""Small records of attributes that are not layouts: buffers, allocations, convolutions, kernels."""

from __future__ import annotations

from dataclasses import dataclass

from tt_model.layouts.enums import (
    BufferAccess,
    CBPort,
    EthernetType,
    MathFidelity,
    MemorySpace,
    NocIndex,
    UnpackToDestMode,
)
from tt_model.layouts.layout import MemRef
from tt_model.layouts.values import LayoutValue


@dataclass(frozen=True, slots=True, eq=False)
class BufferRecord(LayoutValue):
    """``#tt.buffer``: memory of a core that a kernel reads or writes, and the access to the tensor."""

    memref: MemRef
    access: BufferAccess


@dataclass(frozen=True, slots=True, eq=False)
class ArgAllocation(LayoutValue):
    """``#tt.arg_alloc``: the place of a function's argument; address and size are in bytes."""

    address: int
    size: int
    memory_space: MemorySpace


@dataclass(frozen=True, slots=True, eq=False)
class CoreRangeRecord(LayoutValue):
    """``core_range`` of ``ttnn`` and ``ttmetal``: a rectangle of cores, (y, x) each."""

    offset: tuple[int, ...]
    size: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ConvolutionLayout(LayoutValue):
    """``#ttir<convolution_layout ...>``: the role of each dimension of input, kernel and output."""

    input_batch: int
    input_feature: int
    input_spatial_dimensions: tuple[int, ...]
    kernel_output_feature: int
    kernel_input_feature: int
    kernel_spatial_dimensions: tuple[int, ...]
    output_batch: int
    output_feature: int
    output_spatial_dimensions: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CircularBufferRecord(LayoutValue):
    """``!ttkernel.cb``: the address and sizes are in bytes."""

    port: CBPort
    address: int
    memref: MemRef
    page_size: int
    num_buffers: int

    @property
    def bytes(self) -> int:
        """The bytes of memory that the buffer takes."""
        return self.memref.bytes * self.num_buffers

    @property
    def pages(self) -> int:
        """The number of pages that the buffer holds."""
        return self.bytes // self.page_size


@dataclass(frozen=True, slots=True, eq=False)
class TensixConfig(LayoutValue):
    """``#ttkernel.tensix_config``: the numeric settings of a compute kernel."""

    math_fidelity: MathFidelity
    fp32_dest_acc_en: bool
    math_approx_mode: bool
    unpack_to_dest_mode: tuple[UnpackToDestMode, ...]


@dataclass(frozen=True, slots=True, eq=False)
class EthernetConfig(LayoutValue):
    """``#ttkernel.ethernet_config``: the end of a channel that a kernel is on, and its network."""

    eth_type: EthernetType
    noc_index: NocIndex
